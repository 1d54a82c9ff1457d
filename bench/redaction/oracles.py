"""Oracles: judge how much of an identifier may stay visible in a redacted text."""

import random
import re
import unicodedata
from collections.abc import Callable, Iterable

Oracle = Callable[[str], str]
"""Takes the output of `redact`; returns the part that should be hidden, or "" where nothing is wrong."""

Composed = tuple[str, Oracle]
Builder = Callable[[random.Random, str], Composed]
"""Composes a text in a language (e.g. "en"), with its oracle."""


def at_most_four(secret: str) -> Oracle:
    """An oracle that allows at most four digits, and none of the secret's words of five letters or more."""
    words, figures = set(re.findall(r"[a-z]{5,}", secret.lower())), at_most_digits(4)

    def seen(output: str) -> str:
        return figures(output) or " ".join(words & set(re.findall(r"[a-z]{5,}", output.lower())))

    return seen


def at_most_digits(most: int) -> Oracle:
    """An oracle that allows at most `most` digits in the whole output."""

    def seen(output: str) -> str:
        read = "".join(filter(str.isdigit, output))
        return read if len(read) > most else ""

    return seen


def last_four(secret: str) -> Oracle:
    """An oracle that allows only the secret's last four digits."""
    return only("".join(filter(str.isdigit, secret))[-4:])


def gone(pieces: Iterable[str]) -> Oracle:
    """An oracle that allows none of the pieces as a separate word."""
    choices = "|".join(map(re.escape, pieces))
    pattern = re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W_])", re.IGNORECASE)
    return lambda output: " ".join(pattern.findall(_plain(output)))


def only(*numbers: str) -> Oracle:
    """An oracle that allows only these numbers and their endings."""
    return lambda output: " ".join(
        read
        for read in re.findall(r"\d+", _plain(output))
        if not any(number.endswith(read) for number in numbers)
    )


def _plain(output: str) -> str:
    return unicodedata.normalize("NFKC", output.replace("\u200b", ""))
