"""Renders the body of an event, for the post and for a person's view; no body is stored."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.errors import WithdrawnError
from chalicelib.once.keyring import PurposeKeys
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.endpoint import Endpoint
from chalicelib.outreach.company_events.event_names import (
    UNOPENED,
    CompanyEvent,
    EventName,
    PersonalData,
    body,
)
from chalicelib.outreach.company_events.outbox import Head
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.tools.call_tokens import call_token

PROVIDER = "company"


class EventBodies:
    """Renders the bodies of events for companies.

    Args:
        conversations: hold the personal data that a body may ask for.
        signing: signs the token with which a tool's result comes back; None: bodies have no token.
    """

    def __init__(
        self, *, conversations: Conversations, signing: Callable[[], PurposeKeys] | None
    ) -> None:
        self._conversations = conversations
        self._signing = signing

    def render(self, head: Head, event: CompanyEvent, number: int, endpoint: Endpoint) -> bytes:
        """The body of an event, with the personal data that the project's endpoint asks for.

        Raises:
            WithdrawnError: the conversation was erased.
        """
        about = {"conversation": head.opaque_id, **head.about}
        return body(event, number, about, self._personal(head, event, endpoint))

    def render_plain(self, head: Head, event: CompanyEvent, number: int) -> bytes:
        """The body of an event without personal data, even where the endpoint's settings ask for them."""
        return body(event, number, {"conversation": head.opaque_id, **head.about})

    def _personal(self, head: Head, event: CompanyEvent, endpoint: Endpoint) -> PersonalData | None:
        """The personal data for the body of an event; None where the endpoint asks for none.

        A tool's call always has its arguments and the token for its result. None also for a start
        that failed before its conversation was opened.
        """
        is_tool = event.name == EventName.TOOL_CALLED
        if not (endpoint.include or is_tool):
            return None
        record = self._conversations.find(head.opaque_id)
        if record is None and event.facts.get("stage") == UNOPENED:
            return None  # the start failed before a conversation was opened
        if record is None:
            raise WithdrawnError(PROVIDER, "tell", reason=reasons.CONVERSATION_GONE)
        return PersonalData(
            recipient=record.primary_channel if "recipient" in endpoint.include else None,
            text=self._text(record, event) if "text" in endpoint.include else None,
            arguments=self._arguments(record, event) if is_tool else None,
            result=self._result(record, event) if is_tool else None,
            shows_person="person" in endpoint.include,
        )

    def _text(self, record: Record, event: CompanyEvent) -> str | None:
        wanted = event.facts.get("message_id")
        if not wanted:
            return None
        entries = (*record.messages, *self._conversations.history(record))
        return next((entry.content for entry in entries if entry.entry_id == wanted), None)

    def _arguments(self, record: Record, event: CompanyEvent) -> Mapping[str, Any]:
        draft = self._conversations.draft(record, event.facts["message_id"])
        if draft is None:
            raise WithdrawnError(PROVIDER, "tell", reason=reasons.CONVERSATION_GONE)
        return dict(json.loads(draft.function_arguments or "{}"))

    def _result(self, record: Record, event: CompanyEvent) -> Mapping[str, str]:
        """What a company needs to return a tool call's result: the call's id and a token.

        The token is valid for this result alone and is not stored; it is left out where tokens
        cannot be signed.
        """
        call_id = outreach_keys.call_id(record.opaque_id, event.facts["message_id"])
        if self._signing is None:
            return {"call_id": call_id}
        token = call_token(self._signing(), record.opaque_id, call_id)
        return {"call_id": call_id, "token": token}
