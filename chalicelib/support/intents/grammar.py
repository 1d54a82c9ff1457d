"""The closed grammar of sentences that may be answered automatically: which kinds of units they have; pure.

The rows are data: `grammar_english.toml` says how they are written.  Each slot becomes a small
graph of words and slots.  A sentence is matched from its first word to its last, and each slot is
matched once at each word, so the time grows with the sentence and not with the rows.
"""

from __future__ import annotations

import itertools
import random
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from chalicelib.errors import MiddlewareError
from chalicelib.ready import ready
from chalicelib.support.intents.phrases import Phrases
from chalicelib.support.intents.spelling import near_words
from chalicelib.tables import beside, read

FILES = ("grammar_english.toml", "grammar_spanish.toml")
WORDS = "grammar_words.toml"
NAMES = "first_name"
"""The slot of first names, to which no misspelt word is corrected."""
Kind = Literal["courtesy", "order_question", "identifier", "circumstance", "other"]
KINDS: tuple[Kind, ...] = ("order_question", "identifier", "circumstance", "courtesy")
"""The kinds of units; the first of them in a sentence's units is the sentence's kind."""
QUESTION_MARK = "<q>"
MAX_SYMBOLS = 80
"""A longer sentence is not matched."""

Symbols = Sequence[frozenset[str]]
"""What each word of a sentence may be read as: itself, its corrected form, ``<n>``, ``<name>`` ..."""


class GrammarError(MiddlewareError):
    """A row of the grammar cannot be read; the message shows the row."""


@dataclass(frozen=True, slots=True)
class GrammarRows:
    """All rows of one of the grammar's files.

    Attributes:
        slots: for each named group of wordings ("slot"), its alternatives.
        units: for each kind of unit (a part of a sentence, such as a courtesy), its wordings.
        fillers: words that are passed over.
        connectors: what may be between two units.
        never: phrases that, anywhere in a sentence, make it `other`.
    """

    slots: Mapping[str, tuple[str, ...]]
    units: Mapping[str, tuple[str, ...]] | None = None
    fillers: tuple[str, ...] = ()
    connectors: tuple[str, ...] = ()
    never: tuple[str, ...] = ()


@cache
def rows_of(file: str) -> GrammarRows:
    """All rows of one of the grammar's files, read from the file once."""
    return read(beside(__file__, file), GrammarRows)


class Grammar:
    """The grammar of one language: the wordings that it knows, ready to match sentences.

    Args:
        rows: the language's rows.
        words: further groups of words ("slots") that any row may name.
    """

    def __init__(self, rows: GrammarRows, words: Mapping[str, tuple[str, ...]]) -> None:
        self._slots: dict[str, _Node] = {}
        units = {f"={kind}": (rows.units or {}).get(kind, ()) for kind in KINDS}
        listed = {**words, **rows.slots, **units, _CONNECTOR: rows.connectors}
        for name, lines in listed.items():
            self._slots[name] = root = _Node()
            for line in lines:
                _Row(line, self._slots).add(root)
        nodes = [node for root in self._slots.values() for node in root.reachable()]
        named = {name for node in nodes for name in node.slots}
        if unknown := named - self._slots.keys():
            raise GrammarError(f"no such slot: {min(unknown)}")
        self._first = self._firsts()
        self.never = Phrases((row, "never", 1.0) for row in rows.never)
        self.fillers = frozenset(filler for line in rows.fillers for filler in line.split("|"))
        self.vocabulary = self.fillers.union(*(node.words for node in nodes))
        names = self._slots[NAMES].words if NAMES in words else {}
        self._mendable = self.vocabulary.difference(names)

    def corrections(self, word: str) -> frozenset[str]:
        """The grammar's words that a misspelt word may stand for; none for a word that is too short."""
        squeezed = _DRAWN_OUT.sub(r"\1", word)
        if squeezed in self.vocabulary:
            return frozenset({squeezed})
        if len(squeezed) < _LEAST_MENDED:
            return frozenset()
        return frozenset(near_words(squeezed, self._mendable))

    def matching(self, symbols: Symbols) -> GrammarMatching:
        """A sentence ready to be matched with the grammar; `symbols` has what each word may be read as."""
        return GrammarMatching(self._slots, self._first, self.fillers, symbols)

    def random_wording(self, slot: str, dice: random.Random) -> list[str]:
        """The words of a random wording of a slot (a named group of wordings), for training and trials."""
        words: list[str] = []
        node = self._slots[slot]
        while True:
            ways = [
                *((word, True) for word in node.words),
                *((inner, False) for inner in node.slots),
            ]
            if not ways or (node.is_end and dice.random() < _STOPS):
                return words
            name, is_word = dice.choice(ways)
            words += [name] if is_word else self.random_wording(name, dice)
            node = dice.choice((node.words if is_word else node.slots)[name])

    def _firsts(self) -> Mapping[str, frozenset[str]]:
        """For each slot (a named group of wordings), the words with which it can begin."""
        found = {name: frozenset(root.words) for name, root in self._slots.items()}
        grows = True
        while grows:
            grows = False
            for name, root in self._slots.items():
                more = found[name].union(*(found[slot] for slot in root.slots))
                if len(more) > len(found[name]):
                    found[name], grows = more, True
        return found


@ready
def grammars() -> tuple[Grammar, ...]:
    """The grammar of each language; built for the first message, to keep cold starts short."""
    words = rows_of(WORDS).slots
    return tuple(Grammar(rows_of(file), words) for file in FILES)


def kinds_of(matchings: Sequence[GrammarMatching]) -> tuple[str, ...] | None:
    """The kinds of units (question, courtesy, ...) that make up a sentence, in as few units as possible.

    Returns None if the sentence is not made of such units, or is too long.

    Args:
        matchings: the sentence as matched by each language's grammar; its units may be of several
            languages.
    """
    size = len(matchings[0].symbols)
    if not 0 < size <= MAX_SYMBOLS:
        return None
    sign = -1 if QUESTION_MARK in matchings[0].symbols[-1] else 1

    def cost(kinds: tuple[str, ...]) -> tuple[int, int]:
        """What a division of the sentence into units costs; the lowest cost is the best.

        It is the number of units, then that of order questions, which counts as a gain if the
        sentence ends with a question mark.
        """
        return len(kinds), sign * kinds.count("order_question")

    best: list[tuple[str, ...] | None] = [(), *([None] * size)]
    for at in range(size):
        so_far = best[at]
        if so_far is None:
            continue
        reached = [
            (end, kind)
            for matching in matchings
            for kind in KINDS
            for end in matching.ends(f"={kind}", at)
        ]
        for end, kind in reached:
            known = best[end]
            if known is None or cost((*so_far, kind)) < cost(known):
                best[end] = (*so_far, kind)
        passed = {
            end
            for matching in matchings
            for end in (*matching.ends(_CONNECTOR, at), *matching.passed(at))
        }
        for end in passed:
            if best[end] is None:
                best[end] = so_far
    return best[size]


class _Node:
    """A node in the graph of a slot (a named group of wordings).

    It says what may follow, and whether a wording ends here.
    """

    __slots__ = ("is_end", "slots", "words")

    def __init__(self) -> None:
        self.words: dict[str, list[_Node]] = {}
        self.slots: dict[str, list[_Node]] = {}
        self.is_end = False

    def follow(self, atom: str, node: _Node) -> None:
        if atom.startswith("{"):
            self.slots.setdefault(atom[1:-1], []).append(node)
        else:
            self.words.setdefault(atom, []).append(node)

    def reachable(self) -> Iterable[_Node]:
        """This node and every node that can follow it in the graph of its slot."""
        found = {self: None}
        nodes = [self]
        while nodes:
            node = nodes.pop()
            for following in (*node.words.values(), *node.slots.values()):
                new = [further for further in following if further not in found]
                found.update(dict.fromkeys(new))
                nodes += new
        return found


class GrammarMatching:
    """One sentence as it is matched with a grammar; remembers what was matched where.

    Attributes:
        symbols: what each word of the sentence may be read as.
    """

    def __init__(
        self,
        slots: Mapping[str, _Node],
        first: Mapping[str, frozenset[str]],
        fillers: frozenset[str],
        symbols: Symbols,
    ) -> None:
        self.symbols = symbols
        self._slots, self._first = slots, first
        self._is_filler = [not symbol.isdisjoint(fillers) for symbol in symbols]
        self._known: dict[tuple[str, int], frozenset[int]] = {}

    def passed(self, at: int) -> tuple[int, ...]:
        """The place after the word at `at`, if this word may be skipped, as a filler or question mark.

        The result is a tuple with this one place, or an empty one if the word may not be skipped.
        """
        return (at + 1,) if self._is_filler[at] or QUESTION_MARK in self.symbols[at] else ()

    def ends(self, slot: str, start: int) -> frozenset[int]:
        """The places in the sentence where a match of the slot that begins at `start` can end.

        A slot is a named group of wordings.  The result is empty where nothing of the slot matches
        there.
        """
        known = self._known.get((slot, start))
        if known is not None:
            return known
        symbols, first = self.symbols, self._first
        if start >= len(symbols) or symbols[start].isdisjoint(first[slot]):
            return _NOWHERE
        found, seen = set(), set()
        pending = [(self._slots[slot], start)]
        while pending:
            node, at = pending.pop()
            if (node, at) in seen:
                continue
            seen.add((node, at))
            if node.is_end:
                found.add(at)
            if at >= len(symbols):
                continue
            if self._is_filler[at]:
                pending.append((node, at + 1))
            for symbol in symbols[at]:
                pending += [(word, at + 1) for word in node.words.get(symbol, ())]
            for name, following in node.slots.items():
                if not symbols[at].isdisjoint(first[name]):
                    for end in self.ends(name, at):
                        pending += [(further, end) for further in following]
        result = self._known[slot, start] = frozenset(found)
        return result


class _Row:
    """A row of the grammar's file (one wording), which is read part by part into the graph of its slot.

    A bracket becomes a slot of its own, named by its text, so that equal brackets share one slot.
    """

    def __init__(self, line: str, slots: dict[str, _Node]) -> None:
        self._line, self._slots = line, slots
        self._parts = _PART.findall(line)
        if "".join(self._parts) != line.replace(" ", ""):
            raise GrammarError(f"cannot be read: {line}")

    def add(self, root: _Node) -> None:
        """Add the wording to the graph of its slot, which begins at node `root`."""
        at = 0
        nodes = [root]
        while at < len(self._parts):
            atoms, at = self._item(at)
            end = _Node()
            for node in nodes:
                for atom in atoms:
                    node.follow(atom, end)
            is_optional = self._parts[at : at + 1] == ["?"]
            at += is_optional
            nodes = [*nodes, end] if is_optional else [end]
        if root in nodes:
            raise GrammarError(f"may be empty: {self._line}")
        for node in nodes:
            node.is_end = True

    def _item(self, at: int) -> tuple[list[str], int]:
        """The alternatives at part `at` of the wording, and the place of the part after them."""
        atoms: list[str] = []
        while True:
            part = self._parts[at] if at < len(self._parts) else ""
            if part in ("", ")", "|", "?"):
                raise GrammarError(f"cannot be read: {self._line}")
            if part == "(":
                found, at = self._group(at)
                atoms += found
            else:
                atoms.append(part)
                at += 1
            if self._parts[at : at + 1] != ["|"]:
                return atoms, at
            at += 1

    def _group(self, start: int) -> tuple[list[str], int]:
        """The alternatives in the bracket that begins at part `start` of the wording, and the place after it.

        If an alternative has several parts, the bracket becomes a slot of its own, which is then
        returned as the only alternative.
        """
        depth, at = 1, start + 1
        cuts = [at]
        while depth:
            part = self._parts[at] if at < len(self._parts) else ""
            if not part:
                raise GrammarError(f"a bracket is missing: {self._line}")
            depth += (part == "(") - (part == ")")
            at += 1
            if (part == "|" and depth == 1) or not depth:
                cuts.append(at)
        lines = [" ".join(self._parts[a : b - 1]) for a, b in itertools.pairwise(cuts)]
        if all(re.fullmatch(r"[a-z0-9]+|<\w+>|{\w+}", line) for line in lines):
            return lines, at
        name = f"({'|'.join(lines)})"
        if name not in self._slots:
            self._slots[name] = root = _Node()
            for line in lines:
                _Row(line, self._slots).add(root)
        return [f"{{{name}}}"], at


_CONNECTOR = "=connector"
_NOWHERE = frozenset[int]()
_STOPS = 0.6
_LEAST_MENDED = 4
"""A shorter word is not corrected."""
_DRAWN_OUT = re.compile(r"(.)\1{2,}")
_PART = re.compile(r"\{\w+\}|<\w+>|[a-z0-9]+|[()|?]")
