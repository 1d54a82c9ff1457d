"""Informs the company that no person decided in time on a possible opt-out, which is a STOP from then on.

The silence is a STOP by the time alone, whether this event runs or not.  Its row is written with
the message that is in doubt, before the message is stored, and is due when the question's time is
over.
"""

from __future__ import annotations

from chalicelib.clock import parsed
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.conversations.doubts import open_question_among, unanswered_question_among
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.events.handler import Handler, HandlerParts
from chalicelib.outreach.resume import own_event

SOURCE = "silence"
_LATE_SECONDS = 60
"""More than clocks differ: the question is not open any more when its event runs."""


class SilenceHandler(Handler):
    """Handles the event of an undecided possible opt-out: informs the company that it is a STOP now."""

    def __init__(self, *, parts: HandlerParts, ledger: Ledger) -> None:
        super().__init__(parts)
        self._ledger = ledger

    def await_answer(self, record: Record) -> None:
        """Schedule the event that informs the company if no person decides on a possible opt-out.

        It is scheduled once for each question; never where the company has no endpoint for events.

        Args:
            record: the conversation with the doubtful message; its question is stored already.
        """
        if not record.item.get(TELLS):
            return
        question = open_question_among(self._conversations.text_opt_outs(record))
        at = parsed(question.stop_at) if question else None
        if question is None or at is None:
            return
        event_key = outreach_keys.silence(record.opaque_id, question.stop_at)
        facts = own_event(event_key, record.opaque_id, question.stop_at, SOURCE)
        self._ledger.schedule(facts, at.timestamp() + _LATE_SECONDS)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Record for the company that a possible STOP now counts as a STOP, if no person has decided on it.

        Raises:
            NotAnEvent: always: there is nothing more to do.
        """
        del switches
        record = event.subject.conversation
        silent = unanswered_question_among(self._conversations.text_opt_outs(record))
        if silent is not None:
            stop = MarkReason.STOP.value
            self._events.record(record, EventName.OPTED_OUT, silent.stop_at, reason=stop)
        raise NotAnEvent(EventStatus.PROCESSED, reasons.NOTED)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """Return None always: no person is needed where the event fails, as the STOP is in force already."""
        del event, record, reason
        return None
