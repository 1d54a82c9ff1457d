"""Finds every phrase of the tables in a message, by one prefix tree for each kind of table.

One pass over the message's words finds them, so the time does not grow with the tables.  Only whole
words match ("plate" is not "late", "discharge" is not "charge").
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from chalicelib.ready import ready
from chalicelib.support.intents.risks import RISKS, complaints
from chalicelib.support.intents.risks import SETS as RISK_SETS
from chalicelib.support.intents.words import SETS, TABLES

SURE, LIKELY, HINT = 0.9, 0.75, 0.5
"""Weight of a phrase, by its strength."""
_GAP_WORDS = 4


class Phrases:
    """A set of phrases that are searched for together, in one pass over a message's words.

    Args:
        listed: each phrase with its meaning and its weight.
        sets: the named sets of words that the phrases use.
    """

    def __init__(
        self, listed: Iterable[tuple[str, str, float]], sets: Mapping[str, str] | None = None
    ) -> None:
        self._root = _Node()
        tree = _Tree(self._root, sets or {})
        for number, (phrase, meaning, weight) in enumerate(listed, start=1):
            tree.add(phrase.split(), (meaning, weight, number))

    def matches(self, words: Sequence[str]) -> Iterator[tuple[str, float, int]]:
        """Every phrase that occurs in the words: its meaning, weight and number in the list, from 1."""
        return (end for end, _, _ in self.spans(words))

    def spans(self, words: Sequence[str]) -> Iterator[tuple[tuple[str, float, int], int, int]]:
        """Every phrase that occurs in the words, as in `matches`, and the places of its begin and end."""
        size, root = len(words), self._root
        for start in range(size):
            pending = [(node, start + 1) for node in root.after(words[start])]
            while pending:
                node, at = pending.pop()
                for end in node.ends:
                    yield end, start, at
                if at < size:
                    pending += [(following, at + 1) for following in node.after(words[at])]
                if node.gap is not None:
                    for skipped in range(at, min(at + _GAP_WORDS + 1, size)):
                        pending += [
                            (following, skipped + 1) for following in node.gap.after(words[skipped])
                        ]


class _Node:
    """A node of the prefix tree: the words that may follow, and the phrases that end here."""

    __slots__ = ("ends", "following", "gap")

    def __init__(self) -> None:
        self.following: dict[str, list[_Node]] = {}
        self.gap: _Node | None = None
        self.ends: list[tuple[str, float, int]] = []

    def after(self, word: str) -> Sequence[_Node]:
        """The nodes of the tree that follow this one when the next word is `word`; empty where none does."""
        return self.following.get(word, ())


class _Tree:
    """Builds the prefix tree of phrases; phrases that begin alike share nodes.

    A part of a phrase, with all its alternatives, is one child node.  One node for each combination
    of alternatives would make millions.
    """

    def __init__(self, root: _Node, sets: Mapping[str, str]) -> None:
        self._root, self._sets = root, sets
        self._children: dict[tuple[_Node, str], _Node] = {}
        self._words: dict[str, list[str]] = {}

    def add(self, parts: Sequence[str], end: tuple[str, float, int]) -> None:
        """Add one phrase to the prefix tree, given by its parts."""
        nodes = [self._root]
        for part in parts:
            if part == "*":
                nodes = [_gap_of(node) for node in nodes]
                continue
            words = part.removesuffix("?")
            added = [self._child(node, words) for node in nodes]
            nodes = [*nodes, *added] if part.endswith("?") else added
        for node in dict.fromkeys(nodes):
            node.ends.append(end)

    def _child(self, node: _Node, part: str) -> _Node:
        """The child of `node` for a part of a phrase; it is made if there is none."""
        child = self._children.get((node, part))
        if child is None:
            child = self._children[node, part] = _Node()
            for word in self._words_of(part):
                node.following.setdefault(word, []).append(child)
        return child

    def _words_of(self, part: str) -> list[str]:
        """The words that a part of a phrase matches: its alternatives, a named set of words written out."""
        known = self._words.get(part)
        if known is None:
            found: list[str] = []
            for word in part.split("|"):
                found += self._sets[word[1:-1]].split("|") if word.startswith("{") else [word]
            known = self._words[part] = list(dict.fromkeys(found))
        return known


def _gap_of(node: _Node) -> _Node:
    if node.gap is None:
        node.gap = _Node()
    return node.gap


@ready
def of_intents() -> Phrases:
    """The phrases of all intents, ready to search; built for the first message, to keep cold starts short."""
    strengths = ((SURE, "sure"), (LIKELY, "likely"), (HINT, "hint"))
    return Phrases(
        (
            (phrase, intent, weight)
            for intent, words in TABLES.items()
            for weight, strength in strengths
            for phrase in getattr(words, strength)
        ),
        SETS,
    )


@ready
def of_risks() -> Phrases:
    """The phrases of all grave matters, ready to search."""
    sets = {**SETS, **RISK_SETS}
    return Phrases(
        ((phrase, risk, SURE) for risk, phrases in RISKS.items() for phrase in phrases), sets
    )


@ready
def of_complaints() -> Phrases:
    """The phrases by which people say that an answer did not help, ready to search."""
    return Phrases((phrase, "complaint", SURE) for phrase in complaints())
