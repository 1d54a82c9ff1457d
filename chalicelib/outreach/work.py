"""What a run of outreach knows of its event, and the words its parts share."""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.outreach.actions import Loaded
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.jobs import (
    HandoffRelease,
    InboundMessage,
    OutreachResume,
    StartConversation,
)

FLOW = "outreach"
Job = StartConversation | InboundMessage | OutreachResume | HandoffRelease


@dataclass(slots=True)
class Work:
    """What a run knows of its event so far.

    Attributes:
        job: what the queue brought.
        record: the conversation; for a start not before it is opened.
        draft: what will be sent, once it is written.
        started: monotonic seconds.
    """

    job: Job
    started: float
    record: Record | None = None
    draft: Draft | None = None
    loaded: Loaded | None = field(default=None, repr=False)

    @property
    def known(self) -> Record:
        """The conversation.

        Raises:
            NotAnEvent: there is none.
        """
        if self.record is None:
            raise NotAnEvent(EventStatus.FAILED, "conversation_gone")
        return self.record


def handed_off(held: str, reason: str) -> Plan:
    """The plan that gives a conversation to a person, and what waits for its release."""
    step = (PlannedAction("hand_off", f"{held}|{reason}"),)
    return Plan(FLOW, (step,), {"opening": held == "start"})


def may_speak(switches: Switches) -> bool:
    """Nothing is written that would not be sent; a person who has it run later gets it written."""
    modes = switches.modes
    return modes.mode == "automation_candidate" and not switches.shadow_mode
