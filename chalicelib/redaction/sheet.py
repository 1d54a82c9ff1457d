"""Shared state of the passes: the spans claimed for a mask and the spans that stay readable."""

import re
from enum import StrEnum
from typing import NamedTuple

from chalicelib.redaction.evidence import Sign
from chalicelib.redaction.normalise import View
from chalicelib.redaction.patterns import STEM, Hints, words_of
from chalicelib.redaction.topics import NumberContext, Surroundings

BLANK = "\x00"  # neither letter, digit, space nor punctuation: ends every pattern
_RUN = re.compile(r"[0-9]+")
SHORT = 5  # below this, the last four would show the whole identifier


class Kind(StrEnum):
    """The kinds of masked identifiers, also used as names of the counts."""

    EMAIL = "email"
    PHONE = "phone"
    ORDER = "order"
    TRACKING = "tracking"
    ACCOUNT = "account"  # a customer or bank account number
    IDENTITY = "identity"  # a national identity, tax, insurance or passport number
    PLATE = "plate"  # of a vehicle
    CARD = "card"
    IBAN = "iban"
    SSN = "ssn"
    ADDRESS = "address"
    NUMBER = "number"  # a long number of unknown type, masked in doubt
    BIRTH = "birth"  # a date of birth
    SECRET = "secret"  # noqa: S105 - a kind of finding: card check number, PIN


class Claim(NamedTuple):
    """A span of the text that a mask replaces, and the evidence for it."""

    start: int
    end: int
    kind: Kind
    mask: str
    evidence: tuple[Sign, ...]


class Sheet:
    """The state of one text while the masking passes read it one after another.

    A pass reads `low` and `cased`, marks spans to be masked (`claim`) or to stay (`shield`), and
    blanks them at its end (`settle`).  Later passes see blanks there, so no two passes mask the
    same characters.
    """

    __slots__ = (
        "_beside", "_held", "_pending", "_runs", "_stems", "_vocabulary", "cased", "claims", "low", "words",
    )  # fmt: skip

    def __init__(self, view: View) -> None:
        """Begin with the whole text; `words` stays whole for context when spans of `low` are blanked."""
        self._held: dict[Hints, bool] = {}
        self.cased = view.cased
        self.low = view.low
        self.words = view.low
        self.claims: list[Claim] = []
        self._pending: list[tuple[int, int]] = []
        self._runs: list[tuple[int, int]] | None = None
        self._vocabulary: frozenset[str] | None = None
        self._stems: frozenset[str] | None = None
        self._beside = Surroundings(view.low)

    def context_before(self, start: int) -> NumberContext:
        """The nearest word before an offset that gives a number its meaning, as a `NumberContext`."""
        return self._beside.context_before(start)

    def context_near(self, start: int, end: int) -> NumberContext:
        """The nearest word beside a number that gives it its meaning, as a `NumberContext`."""
        return self._beside.context_near(start, end)

    def text_before(self, start: int) -> str:
        """The text before an offset, as far back as a word could give a number at the offset its meaning."""
        return self._beside.text_before(start)

    @property
    def runs(self) -> list[tuple[int, int]]:
        """The spans of the runs of digits that no earlier pass has masked or shielded."""
        if self._runs is None:
            self._runs = [match.span() for match in _RUN.finditer(self.low)]
        return self._runs

    @property
    def vocabulary(self) -> frozenset[str]:
        """The set of the words of the whole text."""
        if self._vocabulary is None:
            self._vocabulary = frozenset(words_of(self.words))
        return self._vocabulary

    def holds(self, hints: Hints) -> bool:
        """Whether one of these strings is in the whole text; the result is kept."""
        is_there = self._held.get(hints)
        if is_there is None:
            if self._stems is None:
                self._stems = frozenset(word[:STEM] for word in self.vocabulary)
            is_there = self._held[hints] = hints.are_in(self.words, self._stems)
        return is_there

    def claim(
        self, start: int, end: int, kind: Kind, mask: str, evidence: tuple[Sign, ...] = (Sign.FORM,)
    ) -> None:
        """Mark the characters `[start, end)` to be replaced by the mask.

        A pass marks its spans in order and without overlap.
        """
        self.claims.append(Claim(start, end, kind, mask, evidence))
        self._pending.append((start, end))
        self._beside.mask(start, end, mask)

    def shield(self, start: int, end: int) -> None:
        """Let the characters `[start, end)` stay unmasked and hide them from later passes."""
        self._pending.append((start, end))

    def settle(self) -> None:
        """Blank the spans that this pass has masked or shielded, so that later passes do not see them."""
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
        self._runs = None


def last_four(identifier: str) -> str:
    """The mask of an identifier: `***` and its last four letters or digits.

    It is `***` alone for an identifier of four characters or fewer.

    >>> last_four("A-10012"), last_four("1001")
    ('***0012', '***')
    """
    kept = [char for char in identifier if char.isalnum()]
    return "***" + "".join(kept[-4:]) if len(kept) >= SHORT else "***"
