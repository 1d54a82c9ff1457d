"""Random sentences composed from the grammars: plain ones for training, harmful ones as an adversary's."""

from __future__ import annotations

import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from chalicelib.support.intents.grammar import KINDS, Grammar, grammars
from chalicelib.tables import read

FRAMES = Path(__file__).resolve().parents[2] / "tests" / "samples" / "intents" / "frames.toml"
_SHOWN = {
    "<n>": ("10482", "#20931", "55120", "8812", "MX5519"),
    "<d>": ("3", "5", "12"),
    "<th>": ("3rd", "12th"),
    "<date>": ("11/2", "11/14"),
    "<mail>": ("jo@example.com",),
    "<name>": ("Okafor", "Lindqvist", "Castellano", "Brannigan"),
    "<initial>": ("K",),
    "<own>": ("kallax", "zephyr"),
    "<q>": ("?",),
}


@dataclass(frozen=True, slots=True)
class Frames:
    """Harmful sentences with slots for neutral words, by language."""

    english: tuple[str, ...]
    spanish: tuple[str, ...]


def written(words: list[str], dice: random.Random) -> str:
    """The words of a grammar's rows as a customer writes them, with example values."""
    shown = [dice.choice(_SHOWN.get(word, (word,))) for word in words]
    return " ".join(shown).replace(" ?", "?")


def frames() -> tuple[tuple[str, ...], ...]:
    """The frames of each language."""
    found = read(FRAMES, Frames)
    return found.english, found.spanish


def neutral(dice: random.Random, kind: str | None = None) -> tuple[str, str]:
    """A random plain sentence, and its kind."""
    kind = kind or dice.choice(KINDS)
    return written(dice.choice(grammars()).random_wording(f"={kind}", dice), dice), kind


def harmful(dice: random.Random) -> str:
    """A random sentence that must not be answered: a frame filled with neutral words."""
    number = dice.randrange(len(grammars()))
    return framed(dice.choice(frames()[number]), grammars()[number], dice)


def every_frame(dice: random.Random, left_out: Collection[str] = ()) -> Iterator[str]:
    """One sentence for each frame that is not left out."""
    for number, grammar in enumerate(grammars()):
        for frame in frames()[number]:
            if frame not in left_out:
                yield framed(frame, grammar, dice)


def framed(frame: str, grammar: Grammar, dice: random.Random) -> str:
    """A frame whose slots are filled at random."""
    words: list[str] = []
    for part in frame.split():
        slot = re.fullmatch(r"{(\w+)}", part)
        if slot is None:
            words.append(part)
        else:
            name = slot[1] if slot[1] not in KINDS else f"={slot[1]}"
            words += grammar.random_wording(name, dice)
    return written(words, dice)


def shuffled(dice: random.Random) -> str:
    """A plain sentence with its words in random order."""
    words = neutral(dice)[0].split()
    dice.shuffle(words)
    return " ".join(words)


def slipped(text: str, dice: random.Random) -> str:
    """The text with a typing error: a letter left out, doubled or swapped."""
    if len(text) < len("order"):
        return text
    at = dice.randrange(1, len(text) - 1)
    return dice.choice(
        (
            text[:at] + text[at + 1 :],
            text[:at] + text[at] + text[at:],
            text[:at] + text[at + 1] + text[at] + text[at + 2 :],
        )
    )
