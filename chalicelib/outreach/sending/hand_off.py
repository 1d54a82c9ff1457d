"""Hands conversations to persons: stores the hand-off, informs the company, queues the notices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.errors import PermanentError
from chalicelib.once.effect import Effect
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.sending.effects import HandOffData
from chalicelib.outreach.sending.notices import Notices


@dataclass(slots=True, kw_only=True)
class HandOffs:
    """Performs hand-offs of conversations to persons.

    Attributes:
        events: sends the company an event about a hand-off.
        notices: queues e-mails to the company's desk about it; None: no e-mails.
    """

    conversations: Conversations
    events: CompanyEvents
    notices: Notices | None = None

    def perform(self, actions: Sequence[Effect], *, deadline_seconds: float) -> None:
        """Hand one conversation off to a person, inform the company, and queue the notices; idempotent.

        Raises:
            PermanentError: the conversation is gone.
            TransientError: the hand-off or a notice was not stored; call again.
        """
        del deadline_seconds
        (action,) = actions
        handing: HandOffData = action.data
        record = self.conversations.find(action.conversation_id)
        if record is None:
            raise PermanentError("conversations", "hand_off", reason=reasons.CONVERSATION_GONE)
        handoff_id, reason = handing.handoff_id, handing.reason
        if reason == reasons.FAILED:
            reason = handing.reason_text or reason
        self.conversations.hand_off(
            record,
            handoff_id=handoff_id,
            held=handing.held,
            reason=reason,
            reason_text=handing.reason_text or reason,
        )
        self.events.record(
            record, EventName.HANDED_OFF, handoff_id, hand_off=handoff_id, reason=reason
        )
        if self.notices is not None:
            self.notices.ask(record, handoff_id, reason)
