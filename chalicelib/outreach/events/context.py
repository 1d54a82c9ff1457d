"""The subject of an outreach event: what its run has found so far, shared by the handlers."""

from __future__ import annotations

from dataclasses import dataclass, field

from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.ports import Switches
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.hearing.matching import Match
from chalicelib.outreach.jobs import (
    DeskReply,
    HandoffRelease,
    InboundMessage,
    OutreachResume,
    StartConversation,
    UnsubscribeReport,
)
from chalicelib.outreach.keys import Key
from chalicelib.outreach.sending.effects import Loaded

MESSAGE_GONE = reasons.MESSAGE_GONE
"""What an event is about is not stored; of an e-mail that came in, its dead letter has the text."""
Job = (
    StartConversation
    | InboundMessage
    | OutreachResume
    | HandoffRelease
    | DeskReply
    | UnsubscribeReport
)


@dataclass(slots=True)
class EventContext:
    """What a run knows of its outreach event so far; filled in as the run proceeds.

    Attributes:
        job: the job from the queue.
        key: the event's key, parsed.
        started: when the run began, in monotonic seconds.
        record: the conversation; None for a start until it is opened.
        draft: the message to send, once it is composed or read.
        match: how the conversation of a recipient's message was found.
        handoff_id: id of the hand-off that this event may ask for.
        rules: the legal rules of the recipient's place that allow the message, with their versions.
    """

    job: Job
    key: Key
    started: float
    record: Record | None = None
    draft: Draft | None = None
    loaded: Loaded | None = field(default=None, repr=False)
    match: Match | None = None
    handoff_id: str = ""
    rules: tuple[str, ...] = ()

    @property
    def conversation(self) -> Record:
        """The conversation's record.

        Raises:
            NotAnEvent: there is no such conversation.
        """
        if self.record is None:
            raise NotAnEvent(EventStatus.FAILED, reasons.CONVERSATION_GONE)
        return self.record

    @property
    def reported_text(self) -> str | None:
        """The sent message's text as the vendor reported it; None where it did not."""
        return self.loaded.sent[0] if self.loaded and self.loaded.sent else None


def may_send(switches: Switches) -> bool:
    """Whether the switches allow messages to be sent now.

    While they do not, callers have no message written; it is written when an operator replays the
    event.
    """
    modes = switches.modes
    return modes.mode == "automation_candidate" and not switches.shadow_mode
