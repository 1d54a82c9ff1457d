"""How a system handles its jobs: the events of a job, the plan of each event, the state to keep.

A flow reads through ports and makes decisions; it has no side effects.  The worker runs its plans.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventFacts, EventStatus, Lease
from chalicelib.once.job import Job
from chalicelib.once.keys import Suffix, suffix_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches


class NotAnEvent(Exception):  # noqa: N818 - a result, not a fault
    """Raised by a flow where nothing is to be done; `status` and `reason` are stored as the event's end.

    Attributes:
        event_key: the key to store the reason under, where it is not the job's own: a job must not
            occupy a key that its sender may not use.
    """

    def __init__(self, status: EventStatus, reason: str, *, event_key: str | None = None) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason
        self.event_key = event_key


class NotYet(Exception):  # noqa: N818 - a result, not a fault
    """Raised where an event must wait until a time; until then only its row holds it, no queue message.

    Attributes:
        reason: a fixed code.
        until_epoch: epoch seconds; in the past for as soon as the sweep runs.
        is_turn: at that time it may call its vendor, which `Job.turns` counts.
    """

    def __init__(self, reason: str, until_epoch: float, *, is_turn: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.until_epoch = until_epoch
        self.is_turn = is_turn


class Elsewhere(Exception):  # noqa: N818 - a result, not a fault
    """Raised where a job is in the wrong FIFO group; it is queued again in the right one.

    Attributes:
        job: the same job, with the group that it belongs to.
    """

    def __init__(self, job: Job) -> None:
        super().__init__("elsewhere")
        self.job = job


@dataclass(frozen=True, slots=True)
class Event:
    """One event of a job, with the data that its flow has read so far.

    Attributes:
        subject: the flow's own data (support: the message and perhaps the ticket).
        lease: the worker's lease, once the event is claimed.
        nonce: set for a deliberate resend, else empty.
    """

    facts: EventFacts
    subject: Any = field(repr=False)
    lease: Lease | None = None
    nonce: str = ""


class Flow(ABC):
    """How one system handles its kinds of jobs: their events, each event's plan and state.

    Attributes:
        is_watched: True where no provider lists the events.  Each claim then stores a time at which
            the sweep looks for the event, in case it neither ends nor comes back.
    """

    is_watched: bool = False

    @abstractmethod
    def events(self, job: Any) -> Sequence[Event]:  # noqa: ANN401 - each flow has its own jobs
        """The events of a job, in the order in which they are handled.

        Raises:
            NotAnEvent: the job has none.
            NotYet: the events are not read yet; the job comes back at that time.
            Elsewhere: the job is in the wrong FIFO group, where its conversation's order is not
                kept.
        """

    def is_container(self, job: Any) -> bool:  # noqa: ANN401
        """Whether a job groups several events and gets its own row in the ledger; by default not."""
        del job
        return False

    def may_go_on(self, event: Event) -> bool:
        """Whether the job's next event may run after this one; by default it may."""
        del event
        return True

    def note_complete(self, job: Any) -> None:  # noqa: ANN401, B027 - most flows have nothing to note
        """Called when a job of several events is complete: each has ended or waits in its row.

        By default nothing is done.
        """

    def let_wait(self, event: Event, until_epoch: float) -> float | None:
        """Let the conversation's later events wait behind this one until it comes back.

        Args:
            event: a claimed event, or the facts of a job of several events, without a subject.
            until_epoch: when it may come back at the earliest, epoch seconds.

        Returns:
            When the event comes back, epoch seconds.  None, the default, where only the queue can
                keep the order: then the event's message goes back to the queue.
        """
        del event, until_epoch
        return None

    @abstractmethod
    def plan(self, event: Event, switches: Switches) -> Plan:
        """Decide which actions an event leads to.

        Raises:
            NotAnEvent: the event needs no action.
            NotYet: it is not the time for the event.
        """

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        """Check a stored plan before it is resumed; by default there is nothing to check.

        For flows that may have to plan before they can read everything.

        Raises:
            NotAnEvent: the event needs no action after all.
        """
        del event, plan, switches

    @abstractmethod
    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The effect of a planned action; its message text, which no plan stores, is read or rendered again.

        Raises:
            KeyError: the plan names a kind that this version does not have.
        """

    @abstractmethod
    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Store the conversation's state after an event; False when a newer message has already updated it.

        Called before the event is finished, perhaps again after a crash: it must be idempotent, and
        the lease must fence every write.
        """

    @abstractmethod
    def escalation(self, event: Event, reason: str) -> Effect | None:
        """The action that hands a failed event to a person, or None where no person is involved.

        Called when an action was refused (``refused:...``), when the event is dead-lettered
        (``dead_letter:...``; its `subject` may be None then), and with `escalation.EARLIER` to
        name the action that an earlier run may have started.  For a dead-lettered event the flow
        may record the failure in its own state, idempotently.
        """


def suffix(event: Event) -> Suffix:
    """The last part of the keys of an event's actions: its message id or a hash of its key, and its nonce."""
    return suffix_of(event.facts.event_key, event.facts.source_message_id, event.nonce)
