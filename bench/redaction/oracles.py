"""What may be seen of an identifier once its text was redacted."""

import random
import re
import unicodedata
from collections.abc import Callable, Iterable

Oracle = Callable[[str], str]
"""Takes what `redact` gave; answers what may not be seen in it, "" when all is well."""

Composed = tuple[str, Oracle]
Builder = Callable[[random.Random, str], Composed]
"""Makes a text in a language, "en" for English."""


def at_most_four(secret: str) -> Oracle:
    """No more than four digits, and none of the longer words of the secret."""
    words, figures = set(re.findall(r"[a-z]{5,}", secret.lower())), at_most_digits(4)

    def seen(output: str) -> str:
        return figures(output) or " ".join(words & set(re.findall(r"[a-z]{5,}", output.lower())))

    return seen


def at_most_digits(most: int) -> Oracle:
    """No more digits than that, wherever they are."""

    def seen(output: str) -> str:
        read = "".join(filter(str.isdigit, output))
        return read if len(read) > most else ""

    return seen


def last_four(secret: str) -> Oracle:
    """No digit but the last four."""
    return only("".join(filter(str.isdigit, secret))[-4:])


def gone(pieces: Iterable[str]) -> Oracle:
    """None of the pieces, as a word of its own."""
    choices = "|".join(map(re.escape, pieces))
    pattern = re.compile(rf"(?<![^\W_])(?:{choices})(?![^\W_])", re.IGNORECASE)
    return lambda output: " ".join(pattern.findall(_plain(output)))


def only(*numbers: str) -> Oracle:
    """No number but these and their ends."""
    return lambda output: " ".join(
        read
        for read in re.findall(r"\d+", _plain(output))
        if not any(number.endswith(read) for number in numbers)
    )


def _plain(output: str) -> str:
    return unicodedata.normalize("NFKC", output.replace("\u200b", ""))
