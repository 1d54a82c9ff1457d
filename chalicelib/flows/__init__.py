"""What to do with a job: which events it stands for, what each will do, what is remembered.

A flow reads through ports and decides purely; it never acts.  The worker runs its plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from chalicelib.plans import Plan
from chalicelib.ports import ActionRow, EventFacts, EventStatus, StateChange, Switches


class NotAnEvent(Exception):  # noqa: N818 - an end, not a fault
    """There is nothing to do, for a reason that is stored."""

    def __init__(self, status: EventStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a job, with what its flow has read so far.

    Attributes:
        subject: the flow's own view of it (for support: the message and perhaps the ticket).
    """

    facts: EventFacts
    subject: Any = field(repr=False)


class Flow(Protocol):
    """The worker's view of a flow; `J` is a job of its own kinds."""

    def events(self, job: Any) -> Sequence[Event]:  # noqa: ANN401 - each flow has its own jobs
        """The events a job stands for, in order; raises `NotAnEvent` when it is none."""
        ...

    def is_container(self, job: Any) -> bool:  # noqa: ANN401
        """The job is a notification that stands for other events and gets a row of its own."""
        ...

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Decide; raises `NotAnEvent` when the event needs nothing."""
        ...

    def state_change(self, event: Event, plan: Plan, rows: Mapping[str, ActionRow]) -> StateChange:
        """What the conversation's state keeps of the event."""
        ...
