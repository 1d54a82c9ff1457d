"""Whether a recipient's message instructs the machine, or only quotes the name of a function.

These checks find the plain attempts.  What other messages make a model write is found in its draft.
"""

from __future__ import annotations

import base64
import binascii
import re
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.writing.checks.text import folded, shown
from chalicelib.tables import beside, read

FILE = beside(__file__, "instructions.toml")


@dataclass(frozen=True, slots=True)
class InstructionFile:
    """The content of ``instructions.toml``: patterns of messages that instruct the machine."""

    drop: tuple[str, ...]
    what: tuple[str, ...]
    patterns: tuple[str, ...]


@cache
def _patterns() -> re.Pattern[str]:
    rows = read(FILE, InstructionFile)
    dropped = rf"\b(?:{'|'.join(rows.drop)})\b(?:\W+\w+){{0,5}}?\W+(?:{'|'.join(rows.what)})\b"
    return re.compile("|".join((dropped, *rows.patterns)))


_FORGED = re.compile(
    r"[\[<({#*=_-]{1,3}\s*/?\s*(?:system|developer|assistant|instructions?|admin|inst|sys"
    r"|im_start|im_end|recipient_message|user|end of|sistema)\b"
    r"|^\s*(?:system|developer|assistant|sistema|entwickler|systeme?)\s*(?:message"
    r"|prompt)?\s*:|\"role\"\s*:|<\|"
    r"|\\n\\n(?:human|assistant|system)",
    re.IGNORECASE | re.MULTILINE,
)
_BLOB = re.compile(r"(?<![\w/+])[A-Za-z0-9+/]{24,}={0,2}(?![\w/+])")
_QUOTED = re.compile(
    r"^\s*>.*$|```.*?```"
    r"|[\"\u201c\u201e\u00ab\u2018][^\"\u201c\u201d\u00ab\u00bb\u2019]{3,400}[\"\u201d\u201c\u00bb\u2019]"
    r"|(?<!\w)'[^'\n]{3,400}'(?!\w)"
    r"|^\s*(?:fwd|fw|forwarded|wg|rv)\b.*",
    re.MULTILINE | re.DOTALL | re.IGNORECASE,
)
_TECHNICAL = re.compile(
    r"\b(?:function|tool|api|endpoint|webhook|funktion|funcion|fonction|funcao|funzione|functie|herramienta|werkzeug|outil)s?\b"
)


def instructs(message: str) -> bool:
    """Whether a recipient's message instructs the machine, as "ignore your instructions" does.

    It may do so openly, by forged marks of a system's message, or hidden in base64.
    """
    plain = shown(message)
    if _FORGED.search(plain) or _patterns().search(folded(plain)):
        return True
    return any(_decoded(blob) for blob in _BLOB.findall(plain))


def may_call(function: str, message: str) -> bool:
    """Whether a recipient's message may cause a function's call.

    It may not if it instructs the machine, looks technical or like code, or has words of the
    function's name only within a quotation.

    Args:
        function: the function's name, like ``submit_application``.
        message: the recipient's newest message.
    """
    if instructs(message):
        return False
    own = _QUOTED.sub(" ", shown(message))
    low, quoted = folded(own), folded(shown(message))
    if function.casefold() in quoted and "_" in function:
        return False
    if (
        f"{function.casefold()}(" in quoted
        or _TECHNICAL.search(low)
        or re.search(r"[{}<>]|\w\(", own)
    ):
        return False
    words = {word[:5] for word in re.split(r"[_\W]+", function.casefold()) if len(word) > 3}
    is_named = any(word in quoted for word in words)
    return not is_named or any(word in low for word in words)


def _decoded(blob: str) -> bool:
    """Whether a base64 blob in a message hides a readable text."""
    try:
        text = base64.b64decode(blob + "=" * (-len(blob) % 4), validate=True).decode("ascii")
    except (binascii.Error, ValueError):
        return False
    return text.isprintable() and " " in text
