"""Shared state of the passes: the spans claimed for a mask and the spans that stay readable."""

import re
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from chalicelib.redaction.context import Context, after, before
from chalicelib.redaction.normalise import View
from chalicelib.redaction.patterns import holds_any

BLANK = "\x00"  # neither letter, digit, space nor punctuation: ends every pattern
SHORT = 5  # below this, the last four would show the whole identifier


class Kind(StrEnum):
    """Kinds of masked identifiers, also used as names of the counts."""

    EMAIL = "email"
    PHONE = "phone"
    ORDER = "order"
    TRACKING = "tracking"
    ACCOUNT = "account"  # a customer, passport or bank account number
    CARD = "card"
    IBAN = "iban"
    SSN = "ssn"
    ADDRESS = "address"
    NUMBER = "number"  # a long number of unknown type, masked in doubt
    BIRTH = "birth"  # a date of birth
    SECRET = "secret"  # noqa: S105 - a kind of finding: card check number, PIN


class Claim(NamedTuple):
    """A span of the view that a mask replaces, and the evidence for it."""

    start: int
    end: int
    kind: Kind
    mask: str
    evidence: tuple[str, ...]


class Sheet:
    """A view in progress.

    A pass reads `low` and `cased`, claims or shields spans of them, and settles at its end: later
    passes see blanks in settled spans, so that no two passes mask the same characters.
    """

    __slots__ = (
        "_absent", "_nearby", "_pending", "_present", "cased", "claims", "low", "words",
    )  # fmt: skip

    def __init__(self, view: View, absent: set[str] | None = None) -> None:
        """Open a sheet over a view; `words` keeps the original text for context.

        Args:
            view: The text to read.
            absent: Names of signs known to be absent; signs that are not found are added.
        """
        self._absent = set() if absent is None else absent
        self._present: set[str] = set()
        self.cased = view.cased
        self.low = view.low
        self.words = view.low
        self.claims: list[Claim] = []
        self._pending: list[tuple[int, int]] = []
        self._nearby: dict[int, Context] = {}  # negative offsets: context after

    def before(self, start: int) -> Context:
        """The topic before an offset; cached for all passes."""
        context = self._nearby.get(start)
        if context is None:
            context = self._nearby[start] = before(self.words, start)
        return context

    def after(self, end: int) -> Context:
        """The topic after an offset; cached for all passes."""
        context = self._nearby.get(-end)
        if context is None:
            context = self._nearby[-end] = after(self.words, end)
        return context

    def near(self, start: int, end: int) -> Context:
        """The topic of a number: the word before it, unless the words after it say "is my ..."."""
        context = self.before(start)
        if context.topic is not None and context.is_direct:
            return context
        follow = self.after(end)
        if follow.topic is None:
            return context
        return follow if follow.is_direct or context.topic is None else context

    def holds(self, name: str, hints: tuple[str, ...]) -> bool:
        """Whether one of these strings is in the text; looked for once for all readings of a text."""
        if name in self._absent:
            return False
        if name in self._present:
            return True
        is_there = holds_any(self.low, hints)
        (self._present if is_there else self._absent).add(name)
        return is_there

    def may_hold(self, name: str, test: Callable[[str], bool]) -> bool:
        """Whether a test finds a sign in the text; made once for all readings of a text without it."""
        if name in self._absent:
            return False
        if test(self.low):
            return True
        self._absent.add(name)
        return False

    def found(self, name: str, hints: tuple[str, ...]) -> list[str]:
        """Those of the strings that are in the text."""
        if name in self._absent:
            return []
        low = self.low
        found = [hint for hint in hints if hint in low]
        if not found:
            self._absent.add(name)
        return found

    def find(self, name: str, pattern: re.Pattern[str]) -> list[re.Match[str]]:
        """All matches in `low`; looked for once for all readings of a text that has none."""
        if name in self._absent:
            return []
        found = list(pattern.finditer(self.low))
        if not found:
            self._absent.add(name)
        return found

    def claim(
        self, start: int, end: int, kind: Kind, mask: str, evidence: tuple[str, ...] = ("form",)
    ) -> None:
        """Replace `[start, end)` by the mask; spans of one pass are ordered and disjoint."""
        self.claims.append(Claim(start, end, kind, mask, evidence))
        self._pending.append((start, end))

    def shield(self, start: int, end: int) -> None:
        """Leave `[start, end)` unmasked and hide it from later passes."""
        self._pending.append((start, end))

    def settle(self) -> None:
        """Blank the spans that this pass claimed or shielded."""
        if not self._pending:
            return
        pieces: list[str] = []
        done = 0
        low = self.low
        for start, end in sorted(self._pending):
            if start < done:
                if end > done:
                    pieces.append(BLANK * (end - done))
                    done = end
                continue
            pieces.append(low[done:start])
            pieces.append(BLANK * (end - start))
            done = end
        pieces.append(low[done:])
        self.low = "".join(pieces)
        self._pending.clear()


def last_four(identifier: str) -> str:
    """`***` and the last four letters or digits, or `***` alone for a short identifier.

    >>> last_four("A-10012"), last_four("1001")
    ('***0012', '***')
    """
    kept = [char for char in identifier if char.isalnum()]
    return "***" + "".join(kept[-4:]) if len(kept) >= SHORT else "***"
