"""The facts behind each sentence of a rendered text, found by marks in its values; pure."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Proof:
    """A sentence of a reply about an order, and the facts that prove it.

    Attributes:
        sentence: a line of the reply's text.
        facts: paths of the facts in the orders, e.g. ``orders[0].fulfillments[0].shipment_status``.
    """

    sentence: str = field(repr=False)
    facts: tuple[str, ...]


class ProofMarks:
    """Marks the values that are put into a reply's text, and finds by the marks which facts each line states.

    A mark is one character of Unicode's private use area, which no value may contain.
    """

    def __init__(self) -> None:
        self._facts: list[tuple[str, ...]] = []

    def marked(self, text: str, facts: tuple[str, ...]) -> str:
        """The text of a value with a new mark in front; the mark stands for the facts that prove the value.

        A mark is one character of Unicode's private use area.
        """
        self._facts.append(facts)
        return f"{chr(_FIRST + len(self._facts) - 1)}{text}"

    def read(self, text: str) -> tuple[str, tuple[Proof, ...]]:
        """Take the marks out of a reply's text.

        Returns the text without marks and, for each line that had marks, the line with the facts
        that prove it.
        """
        proofs = []
        for line in text.splitlines():
            given = [
                self._facts[ord(mark) - _FIRST] for mark in _MARK.findall(line) if self._has(mark)
            ]
            if given:
                facts = dict.fromkeys(fact for some in given for fact in some)
                proofs.append(Proof(_MARK.sub("", line).strip(), tuple(facts)))
        return _MARK.sub("", text), tuple(proofs)

    def _has(self, mark: str) -> bool:
        """Whether this object made a mark; the shop's own text may contain such a character, too."""
        return 0 <= ord(mark) - _FIRST < len(self._facts)


_FIRST = 0xE000
_MARK = re.compile(r"[\ue000-\uf8ff]")
