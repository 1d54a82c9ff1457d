"""Finds every phrase of the tables in a message, by one prefix tree.

One pass over the message's words, so that the time does not grow with the tables.  Words are whole
words ("plate" is not "late", "discharge" is not "charge").
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cache

from chalicelib.support.intents.words import SETS, TABLES

SURE, LIKELY, HINT = 0.9, 0.75, 0.5
"""Weight of one phrase, by the part of its table."""
_GAP_WORDS = 4


def matches(words: Sequence[str]) -> Iterator[tuple[str, float, int]]:
    """Every phrase in the words: its intent, weight and number."""
    size, root = len(words), _tree()
    for start in range(size):
        first = root.next.get(words[start])
        pending = [(first, start + 1)] if first is not None else []
        while pending:
            node, at = pending.pop()
            yield from node.ends
            if at < size:
                following = node.next.get(words[at])
                if following is not None:
                    pending.append((following, at + 1))
            if node.gap is not None:
                for skipped in range(at, min(at + _GAP_WORDS + 1, size)):
                    following = node.gap.next.get(words[skipped])
                    if following is not None:
                        pending.append((following, skipped + 1))


class _Node:
    """A prefix: the words that may follow, and the phrases that end here."""

    __slots__ = ("ends", "gap", "next")

    def __init__(self) -> None:
        self.next: dict[str, _Node] = {}
        self.gap: _Node | None = None
        self.ends: list[tuple[str, float, int]] = []


@cache
def _tree() -> _Node:
    """Built for the first message, to keep cold starts short."""
    root = _Node()
    number = 0
    for intent, words in TABLES.items():
        for weight, phrases in (
            (SURE, words.sure),
            (LIKELY, words.likely),
            (HINT, words.hint),
        ):
            for phrase in phrases:
                number += 1
                _add(root, phrase.split(), (intent, weight, number))
    return root


def _add(root: _Node, parts: Sequence[str], end: tuple[str, float, int]) -> None:
    """Add one phrase; phrases with the same beginning share nodes."""
    nodes = [root]
    for part in parts:
        if part == "*":
            nodes = [_gap_of(node) for node in nodes]
            continue
        is_optional = part.endswith("?")
        words = part.removesuffix("?")
        words = SETS.get(words[1:-1], words) if words.startswith("{") else words
        added = [
            node.next.setdefault(word, _Node())
            for node, word in itertools.product(nodes, words.split("|"))
        ]
        nodes = [*nodes, *added] if is_optional else added
    for node in nodes:
        node.ends.append(end)


def _gap_of(node: _Node) -> _Node:
    if node.gap is None:
        node.gap = _Node()
    return node.gap
