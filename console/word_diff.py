"""What an edit changes in a message, word by word; pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher

SAME, CAME, WENT = "same", "came", "went"
_WORD = re.compile(r"\w+|\s+|[^\w\s]")


def word_differences(before: str, after: str) -> Iterator[tuple[str, str]]:
    """The parts that stay, go and come, in reading order; a removed part precedes its replacement."""
    old, new = _WORD.findall(before), _WORD.findall(after)
    for how, a, b, c, d in SequenceMatcher(None, old, new).get_opcodes():
        if how == "equal":
            yield SAME, "".join(old[a:b])
            continue
        if b > a:
            yield WENT, "".join(old[a:b])
        if d > c:
            yield CAME, "".join(new[c:d])
