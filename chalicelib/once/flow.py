"""What to do with a job: which events it stands for, what each will do, what is remembered.

A flow reads through ports and decides purely; it never acts.  The worker runs its plans.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.action import Action, ActionRow
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.keys import Suffix, suffix_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches


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
        nonce: of a deliberate resend, else empty.
    """

    facts: EventFacts
    subject: Any = field(repr=False)
    lease: Lease | None = None
    nonce: str = ""


class Flow(ABC):
    """What one system does with its kinds of jobs, as the worker sees it.

    Attributes:
        is_watched: no provider lists its events, so a claim leaves a mark until they end, and a
            sweep finds those whose worker died.
    """

    is_watched: bool = False

    @abstractmethod
    def events(self, job: Any) -> Sequence[Event]:  # noqa: ANN401 - each flow has its own jobs
        """The events a job stands for, in order; raises `NotAnEvent` when it is none."""

    def is_container(self, job: Any) -> bool:  # noqa: ANN401
        """Whether the job stands for other events and gets a row of its own; by default not."""
        del job
        return False

    @abstractmethod
    def plan(self, event: Event, switches: Switches) -> Plan:
        """Decide; raises `NotAnEvent` when the event needs nothing."""

    def look_again(self, event: Event, plan: Plan, switches: Switches) -> None:
        """Called when a stored plan is resumed; by default nothing is left to look at.

        For a flow that may have to decide without a look.

        Raises:
            NotAnEvent: the event turns out to need nothing.
        """
        del event, plan, switches

    @abstractmethod
    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """The action a plan names, with the text it needs read or rendered again.

        Raises:
            KeyError: the plan names a kind that this version does not have.
        """

    @abstractmethod
    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Keep what the event leaves behind; False when a newer message was there first.

        Called before the event is finished, perhaps again after a crash: it must be idempotent
        and every write of it fenced by the lease.
        """

    @abstractmethod
    def escalation(self, event: Event, reason: str) -> Action | None:
        """The action that gives a failed event to a person, or None where no person is asked.

        Called when an action was refused (``refused:...``), when the queue gives the event up
        (``dead_letter:...``; its `subject` may be None then), and with `escalation.EARLIER` to
        learn what an earlier run may have begun.  Of an event given up, the flow may record the
        failure in its own state, idempotently.
        """


def suffix(event: Event) -> Suffix:
    """Last part of the event's action keys."""
    return suffix_of(event.facts.event_key, event.facts.source_message_id, event.nonce)
