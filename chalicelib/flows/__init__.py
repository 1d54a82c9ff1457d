"""What to do with a job: which events it stands for, what each will do, what is remembered.

A flow reads through ports and decides purely; it never acts.  The worker runs its plans.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from chalicelib.actions import Action
from chalicelib.keys import suffix_of
from chalicelib.plans import Plan, PlannedAction
from chalicelib.ports import ActionRow, EventFacts, EventStatus, Lease, Switches


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
        lease: under which it is worked on, once it is claimed.
    """

    facts: EventFacts
    subject: Any = field(repr=False)
    lease: Lease | None = None


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

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """The action a plan names, with whatever text it needs read or rendered anew.

        Raises `KeyError` for a kind this version does not have.
        """
        ...

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Keep what the event leaves behind; False when a newer message was there first.

        Called before the event is finished, perhaps again after a crash: it must be idempotent
        and every write of it fenced by the lease.
        """
        ...


@runtime_checkable
class Escalates(Protocol):
    """A flow that says itself who gets an event that failed."""

    def escalation(self, event: Event, reason: str) -> Action | None:
        """The action that gives a failed event to a person, or None where nobody is asked.

        Called when an action was refused (``refused:...``), when the queue gives the event up
        (``dead_letter:...``), and with `escalation.EARLIER` to learn what an earlier run may have
        begun.  Of an event given up, the flow may record the failure in its own state,
        idempotently.
        """
        ...


@runtime_checkable
class LooksAgain(Protocol):
    """A flow that may have to decide without a look, and takes it when its plan is resumed."""

    def look_again(self, event: Event, plan: Plan, switches: Switches) -> None:
        """Raises `NotAnEvent` where the event turns out to need nothing."""
        ...


@runtime_checkable
class Watched(Protocol):
    """A flow whose events nobody outside lists: a sweep looks for those that never came on.

    Attributes:
        is_watched: True; a claim of its events leaves a mark until they end.
    """

    is_watched: bool


def suffix(event: Event) -> str:
    """Last part of the event's action keys."""
    return suffix_of(event.facts.event_key, event.facts.source_message_id)
