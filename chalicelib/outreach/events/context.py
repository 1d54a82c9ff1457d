"""What a run knows of its outreach event so far, shared by the handlers."""

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
    Unsubscribed,
)
from chalicelib.outreach.keys import Key
from chalicelib.outreach.sending.effects import Loaded

MESSAGE_GONE = reasons.MESSAGE_GONE
"""What an event is about is not stored; of an e-mail that came in, its dead letter has the text."""
Job = (
    StartConversation | InboundMessage | OutreachResume | HandoffRelease | DeskReply | Unsubscribed
)


@dataclass(slots=True)
class EventContext:
    """The subject of an outreach event, filled in as the run proceeds.

    Attributes:
        job: the job from the queue.
        key: the event's, read.
        started: monotonic seconds.
        record: the conversation; None for a start until it is opened.
        draft: the message to send, once it is composed.
        match: how the conversation of a message was found.
        handoff_id: of the hand-off that this event may ask for.
        rules: which rules of the recipient's place allow its message, with their versions.
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
        """The conversation, which must exist.

        Raises:
            NotAnEvent: it does not exist.
        """
        if self.record is None:
            raise NotAnEvent(EventStatus.FAILED, reasons.CONVERSATION_GONE)
        return self.record

    @property
    def reported_text(self) -> str | None:
        """The text of the message as the vendor has reported it, if it did."""
        return self.loaded.sent[0] if self.loaded and self.loaded.sent else None


def may_send(switches: Switches) -> bool:
    """Whether a message would be sent now; if not, none is composed before an operator replays it."""
    modes = switches.modes
    return modes.mode == "automation_candidate" and not switches.shadow_mode
