"""The effect `call_tool`: calls a tool once, and only while the conditions of the call still hold.

The call depends on the message that announces it to the recipient.  The last look checks that no person
has acted since, that the tool's declaration is the one that the writer saw, and that the recipient's
confirmation still counts.  One transaction begins the call, on condition that the conversation has not
changed since the look; from then on the call is not taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.clock import iso
from chalicelib.errors import PermanentError, TransientError, WithdrawnError
from chalicelib.once import reasons as why
from chalicelib.once.effect import Effect
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.called_tools import ToolCall
from chalicelib.outreach.conversations.records import CONFIRMATION, WITHDRAWN, Draft, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.messages.look import PERSON_ANSWERS
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.resume import own_event
from chalicelib.outreach.tools.confirmation import ToolStep, confirmation_of
from chalicelib.outreach.tools.schema import Tool

PROVIDER = "conversations"
SOURCE = "tool"


@dataclass(slots=True, kw_only=True)
class ToolCalls:
    """Performs calls of companies' tools, each once, if the call is still allowed.

    Attributes:
        events: sends the company the call as an event.
        ledger: stores the row that is due when the result is overdue.
        current: gives a project's current settings.
    """

    conversations: Conversations
    events: CompanyEvents
    ledger: Ledger
    current: Callable[[Record], Project]
    clock: Clock

    def last_look(self, actions: Sequence[Effect]) -> None:
        """Check right before a tool is called that the call is still allowed; a call already stored passes.

        Raises:
            PermanentError: the tool may not be called any more.
            WithdrawnError: a person has acted.
        """
        (action,) = actions
        record, draft = self._read(action)
        call_id = outreach_keys.call_id(record.opaque_id, action.argument)
        if self.conversations.tool_call(record, call_id) is None:
            self._check(record, draft, action.data.after)

    def call(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Call one tool by an event to the company; returns the call's id.  Idempotent.

        Raises:
            PermanentError: the tool may not be called any more; a person decides.
            WithdrawnError: a person has acted.
            TransientError: the conversation changed at the same moment.
        """
        del deadline_seconds
        (action,) = actions
        entry_id = action.argument
        record, draft = self._read(action)
        tool = str(draft.function_call)
        call_id = outreach_keys.call_id(record.opaque_id, entry_id)
        call = self.conversations.tool_call(record, call_id)
        if call is None:
            declared = self._check(record, draft, action.data.after)
            now = self.clock.now()
            due_at = now + timedelta(minutes=declared.result_within_minutes)
            call = ToolCall(call_id, entry_id, tool, called_at=now, due_at=due_at)
            is_confirmed = declared.irreversible and action.data.after is not None
            if not self.conversations.begin_call(record, call, is_confirmed=is_confirmed):
                raise TransientError(PROVIDER, "call_tool", reason=why.CONTENDED)
        self._schedule(record, call)
        self.events.record(record, EventName.TOOL_CALLED, entry_id, tool=tool, message_id=entry_id)
        return call_id

    def _schedule(self, record: Record, call: ToolCall) -> None:
        """Schedule the event that handles a tool's result for the result's deadline.

        A result that comes before the deadline makes the event due earlier.
        """
        event_key = outreach_keys.tool(record.opaque_id, call.call_id)
        facts = own_event(event_key, record.opaque_id, iso(self.clock.now()), SOURCE)
        self.ledger.schedule(facts, call.due_at.timestamp())

    def _read(self, action: Effect) -> tuple[Record, Draft]:
        record = self.conversations.find(action.conversation_id)
        draft = self.conversations.draft(record, action.argument) if record else None
        if record is None or draft is None:
            raise PermanentError(PROVIDER, "call_tool", reason=reasons.CONVERSATION_GONE)
        return record, draft

    def _check(self, record: Record, draft: Draft, after: str | None) -> Tool:
        """The tool as its project declares it now, if it may still be called.

        Raises:
            PermanentError: the tool or the endpoint has changed, or the confirmation no longer
                counts.
            WithdrawnError: a person has acted.
        """
        if after is not None and record.person_act != after:
            raise WithdrawnError(PROVIDER, "call_tool", reason=PERSON_ANSWERS)
        step = ToolStep.of(draft.tool)
        declared = {
            declared_tool.name: declared_tool
            for declared_tool in self.current(record).ai_config.tools
        }
        if self.events.rows.endpoint(record.company_id, record.project_id).paused_at is not None:
            raise PermanentError(PROVIDER, "call_tool", reason=reasons.TOOL_NOT_ACCEPTED)
        tool = declared.get(str(draft.function_call))
        if tool is None or step is None or tool.revision != step.revision:
            raise PermanentError(PROVIDER, "call_tool", reason=reasons.TOOL_CHANGED)
        if not tool.irreversible or after is None:
            return tool
        given = confirmation_of(record.item.get(CONFIRMATION))
        if given is None or given.confirmed_by != step.confirmed_by or not step.confirmed_by:
            raise PermanentError(PROVIDER, "call_tool", reason=WITHDRAWN)
        return tool
