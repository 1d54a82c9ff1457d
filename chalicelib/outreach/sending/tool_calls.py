"""The effect `call_tool`: a tool is called once, and only while everything that led to it still holds.

It depends on the message that acknowledges it.  Its last look: no person has acted since it was planned,
the tool is declared as the writer saw it, and the confirmation is the one that was given.  It begins with
one transaction, which holds only on the conversation that was looked at; from then on it is not taken back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.errors import PermanentError, TransientError, WithdrawnError
from chalicelib.once import reasons as why
from chalicelib.once.effect import Effect
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.names import Name
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import CONFIRMATION, WITHDRAWN, Draft, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.messages.look import PERSON_ANSWERS
from chalicelib.outreach.project.ai_config import ai_config_of
from chalicelib.outreach.tools.confirmation import ToolStep, confirmation_of

PROVIDER = "conversations"


@dataclass(slots=True)
class ToolCalls:
    """Calls tools.

    Attributes:
        current: a project's settings as they are now.
        events: tells the company.
    """

    conversations: Conversations
    events: CompanyEvents
    current: Callable[[Record], Mapping[str, Any]]

    def last_look(self, actions: Sequence[Effect]) -> None:
        """See `once.effect.Hands.last_look`."""
        (action,) = actions
        record, draft = self._read(action)
        if self.conversations.call(record, action.argument) is None:
            self._check(record, draft, action.data.after)

    def call(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Call one tool; repeating it changes nothing.

        Raises:
            PermanentError: it may not be called any more; a person decides.
            WithdrawnError: a person has acted.
        """
        del deadline_seconds
        (action,) = actions
        entry_id = action.argument
        record, draft = self._read(action)
        tool = str(draft.function_call)
        if self.conversations.call(record, entry_id) is None:
            is_confirmed = self._check(record, draft, action.data.after)
            if not self.conversations.begin_call(record, entry_id, tool, is_confirmed=is_confirmed):
                raise TransientError(PROVIDER, "call_tool", reason=why.CONTENDED)
        self.events.record(record, Name.TOOL_CALLED, entry_id, tool=tool, message_id=entry_id)
        return entry_id

    def _read(self, action: Effect) -> tuple[Record, Draft]:
        record = self.conversations.find(action.conversation_id)
        draft = self.conversations.draft(record, action.argument) if record else None
        if record is None or draft is None:
            raise PermanentError(PROVIDER, "call_tool", reason=reasons.CONVERSATION_GONE)
        return record, draft

    def _check(self, record: Record, draft: Draft, after: str | None) -> bool:
        """Raise unless everything still holds; returns whether it needs its confirmation."""
        if after is not None and record.person_act != after:
            raise WithdrawnError(PROVIDER, "call_tool", reason=PERSON_ANSWERS)
        step = ToolStep.of(draft.tool)
        declared = {one.name: one for one in ai_config_of(self.current(record)).tools}
        tool = declared.get(str(draft.function_call))
        if tool is None or step is None or tool.revision != step.revision:
            raise PermanentError(PROVIDER, "call_tool", reason=reasons.TOOL_CHANGED)
        if not tool.irreversible or after is None:
            return False
        given = confirmation_of(record.item.get(CONFIRMATION))
        if given is None or given.confirmed_by != step.confirmed_by or not step.confirmed_by:
            raise PermanentError(PROVIDER, "call_tool", reason=WITHDRAWN)
        return True
