"""Vendor responses that look like a success and are not the vendor's own, or pretend.

A proxy's page, an empty body, or the usual body although nothing was done: each with the effect
done or not.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from local.vendors.wire import WireAnswer

_SHAPES = ("html", "html", "empty", "usual")
_PAGE = "<!doctype html><html><body>Please wait</body></html>"


@dataclass(frozen=True, slots=True)
class Spoil:
    """One spoiled response.

    Attributes:
        at: the number of the response, among all that vendors give without another fault.
        shape: the body: ``html``, ``empty`` or ``usual``.
        is_done: whether the request had its effect; always of one with the usual body it had none.
    """

    at: int
    shape: str
    is_done: bool

    @property
    def name(self) -> str:
        """As it is counted."""
        return f"answer_{self.shape}_{'done' if self.is_done else 'nothing_done'}"

    def is_possible_at(self, operation: str) -> bool:
        """Whether the vendor's response to this operation can be spoiled so.

        Power BI's own has no body: only a page can be told from it.
        """
        return self.is_done or self.shape == "html" or operation not in {"post_rows", "clear_rows"}

    def shaped(self, answer: WireAnswer) -> WireAnswer:
        """The response as it arrives."""
        match self.shape:
            case "html":
                return WireAnswer(200, _PAGE, {"Content-Type": "text/html; charset=utf-8"})
            case "empty":
                return WireAnswer(200, "")
            case _:
                return answer


def one_of(rng: random.Random, *, answers: int) -> Spoil:
    """A spoiled response among so many."""
    at, shape = rng.randrange(answers), rng.choice(_SHAPES)
    return Spoil(at, shape, is_done=shape != "usual" and rng.random() < 0.5)


def drawn(rng: random.Random, *, answers: int) -> tuple[Spoil, ...]:
    """The spoiled responses of a schedule with about so many responses: often none."""
    spoils = {}
    for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
        spoil = one_of(rng, answers=answers)
        spoils[spoil.at] = spoil
    return tuple(spoils[at] for at in sorted(spoils))
