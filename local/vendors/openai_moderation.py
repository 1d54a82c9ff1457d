"""The simulated OpenAI's moderation: a short list of words in place of a model.

It flags what a list can; whatever the real one flags is shown by its `categories`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

MODELS = ("omni-moderation-latest", "omni-moderation-2024-09-26")
_LISTS = {
    "harassment": r"idiot\w*|stupid|moron|dumb(?:ass)?|loser|bitch|bastard|asshole|scum|shut up|fuck\w*"
    r"|imbecil\w*"
    r"|estupid\w*|pendej\w*|gilipollas|cabron|mierda|puta|arschloch|dummkopf|blode\w*|schlampe"
    r"|scheiss\w*|connard|salope"
    r"|debile|merde|babaca|burro|merda|stronz\w*|cretino|klootzak|sukkel|worthless|pathetic"
    r"|hate you|ugly",
    "harassment/threatening": r"kill you|hurt you|beat you|find you and"
    r"|you will (?:die|regret|pay for this)|burn your|te (?:voy a )?mat\w+"
    r"|bring\w* dich um|toten|te tuer|vou te matar|ti uccid\w+|vermoord\w*|break your (?:legs"
    r"|bones)|come after you",
    "sexual": r"nudes?|sexy|sex|porn\w*|naked|horny|desnud\w*|nackt\w*|nudo|nue?s\b|undress",
    "self-harm": r"kill yourself|kys|suicid\w*|cut yourself|umbringen|matate",
    "violence": r"bomb|stab|shoot (?:him|her|them)|massacre|behead",
    "hate": r"subhuman|vermin|go back to your country",
}
_WORDS = {name: re.compile(rf"\b(?:{words})\b") for name, words in _LISTS.items()}


def judged(text: str) -> dict[str, Any]:
    """One element of ``results``."""
    low = unicodedata.normalize("NFKD", text.casefold())
    plain = "".join(char for char in low if not unicodedata.combining(char))
    found = {name: words.search(plain) is not None for name, words in _WORDS.items()}
    return {
        "flagged": any(found.values()),
        "categories": found,
        "category_scores": {name: 0.97 if is_so else 0.0001 for name, is_so in found.items()},
        "category_applied_input_types": {name: ["text"] for name in found},
    }
