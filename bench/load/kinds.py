"""The kinds of events: their lane, their vendor calls in order, and their AWS calls.

`measured` and `tests/house/test_load.py` compare the calls with those of the real system.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from bench.load.assumptions import AWS_CALL_SECONDS, OWN_SECONDS
from chalicelib.vendors.rate_limit import Urgency


@dataclass(frozen=True, slots=True)
class Call:
    """One call at a vendor."""

    vendor: str
    urgency: Urgency = Urgency.HIGH


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of event.

    Attributes:
        share: part of the lane's events that are of this kind.
        aws_calls: AWS calls in the worker.
        measured_as: the name of the same kind in `bench.rig.kinds`; empty without one.
    """

    name: str
    lane: str
    share: float
    calls: tuple[Call, ...]
    aws_calls: int
    measured_as: str = ""

    @property
    def own_seconds(self) -> float:
        """Seconds in the worker without the vendors' calls."""
        return OWN_SECONDS + self.aws_calls * AWS_CALL_SECONDS

    def calls_of(self, vendor: str) -> int:
        """How many calls of an event go to a vendor."""
        return sum(call.vendor == vendor for call in self.calls)


_READ = _TAGS = Call("richpanel", Urgency.NORMAL)
_REPLY = Call("richpanel")
_MODEL, _SMS, _MAIL = Call("openai"), Call("twilio"), Call("ses")

ROUTED = Kind("routed", "tickets", 0.75, (_READ, _TAGS), 8, "routed event")
KINDS: Sequence[Kind] = (
    ROUTED,
    Kind("moved", "tickets", 0.05, (_READ, _TAGS, _TAGS), 8, "event that moves a ticket"),
    Kind(
        "answered",
        "tickets",
        0.20,
        (_READ, _REPLY, Call("shopify"), _REPLY, _REPLY, _TAGS),
        14,
        "replied, order status",
    ),
    Kind("start, from a template", "outreach", 0.5, (_SMS,), 8, "conversation started, SMS"),
    Kind("start, written by the model", "outreach", 0.2, (_MODEL, _SMS), 8),
    Kind("reply, written by the model", "outreach", 0.3, (_MODEL, _SMS), 15),
    Kind("mail, from a template", "email", 0.7, (_MAIL,), 8),
    Kind("mail, written by the model", "email", 0.3, (_MODEL, _MAIL), 15),
    Kind("fact", "facts", 1.0, (), 2, "fact, kept"),
)
LANES = tuple(dict.fromkeys(kind.lane for kind in KINDS))


def kinds_of(lane: str) -> Sequence[Kind]:
    """The kinds of a lane."""
    return [kind for kind in KINDS if kind.lane == lane]


def vendors_of(lane: str) -> frozenset[str]:
    """The vendors that a lane's events call."""
    return frozenset(call.vendor for kind in kinds_of(lane) for call in kind.calls)
