"""Handles a tool's result, or its absence: the recipient gets an answer, or a person the conversation."""

from __future__ import annotations

import json

from chalicelib.clock import iso
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, NotAnEvent, NotYet
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.called_tools import (
    DONE,
    FAILED,
    NO_RESULT,
    ToolCall,
)
from chalicelib.outreach.conversations.records import (
    DO_NOT_CONTACT,
    TOOL_RESULT,
    Draft,
    Entry,
    Record,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.events.handler import Handler, HandlerParts
from chalicelib.outreach.messages.plan import hand_off_plan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules

_OVER = {FAILED: reasons.TOOL_FAILED, NO_RESULT: reasons.NO_RESULT}


class ToolResultHandler(Handler):
    """Handles the event of a tool's result, or of the end of the time for it."""

    def __init__(
        self,
        *,
        parts: HandlerParts,
        clock: Clock,
    ) -> None:
        super().__init__(parts)
        self._clock = clock

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Plan the answer from the tool's result; a failed or missing one plans a hand-off to a person.

        Raises:
            NotYet: the time for a result is not over, or the answer waits for earlier events or
                quiet hours.
            NotAnEvent: the call is gone, a person has the conversation, or it must not be answered.
        """
        context: EventContext = event.subject
        record, call_id = context.conversation, context.key.name
        call = self._conversations.tool_call(record, call_id)
        if call is None:
            raise NotAnEvent(EventStatus.FAILED, reasons.CONVERSATION_GONE)
        now = self._clock.now()
        until = call.result_until(now)
        if not call.result and until > now:
            raise NotYet(reasons.AWAITS_RESULT, until.timestamp())
        if not call.result:  # a result that comes at this moment is either in time or late
            call = self._conversations.close_call(record, call_id)
        outcome = call.outcome
        self._conversations.note_tool_outcome(record, outcome)
        if call.result:
            record = context.record = self._entered(record, call)
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.PROCESSED, reasons.WITH_A_PERSON)
        if outcome != DONE:
            return hand_off_plan("", _OVER[outcome])
        forbidden = self._conversations.forbids(record)
        if forbidden == MarkReason.DOUBT:
            return hand_off_plan("reply", MarkReason.DOUBT)
        if forbidden is not None:
            raise NotAnEvent(EventStatus.PROCESSED, DO_NOT_CONTACT)
        if rules.is_held(record, rules.HOLD_REASONS["reply"]):
            return self._held.plan(context, rules.HOLD_REASONS["reply"], switches)
        self._waiting.in_order.check(record, event.facts.event_key)
        self._waiting.wait_out_quiet_hours(record, event.facts.event_key)
        entry_id = outreach_keys.entry_id(event.facts.event_key)
        return self._drafting.plan_answer(context, entry_id, switches, Purpose.TOOL_ANSWER)

    def _entered(self, record: Record, call: ToolCall) -> Record:
        """Append a tool's result to its conversation, once; returns the changed conversation.

        Values that only repeat the call's arguments are left out: they prove nothing for an answer.
        """
        draft = self._conversations.draft(record, call.entry_id) or Draft()
        echoed = list(json.loads(draft.function_arguments or "{}").values())
        data = {name: value for name, value in call.given["data"].items() if value not in echoed}
        content = {"tool": call.tool, "text": call.given.get("text"), "data": data}
        entry = Entry(
            entry_id=f"result-{call.entry_id}",
            message_timestamp=iso(self._clock.now()),
            role="tool",
            content=json.dumps(content, ensure_ascii=False, sort_keys=True, default=str),
            note=TOOL_RESULT,
        )
        return self._conversations.append(record, entry)[0]
