"""Reads replies that were received and never queued again, from the provider that stores them.

A ledger row has no text, so it is not enough for a job; until a worker has stored the message,
only its provider has it.  Twilio shows every message that came in
(https://www.twilio.com/docs/messaging/api/message-resource#fetch-a-message-resource).  SES shows
none: such a row stays as it is, and a redelivery is accepted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlencode

from chalicelib.errors import PayloadError, ProviderError, UnavailableError, reason_of
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.once.event import EventFacts
from chalicelib.once.ports import Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import InboundMessage, OutreachResume
from chalicelib.outreach.receipts import resume_job
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.outreach.twilio.client import Twilio

_TEXT_KEYS = tuple(outreach_keys.reply(one, "") for one in (Channel.SMS, Channel.WHATSAPP))


class LostReplies:
    """`once.recovery.rebuild.Rebuilder` of replies.

    Args:
        twilio: calls by account; the secret that signs an account's webhooks also reads its messages.
        accounts: the Twilio accounts that may post to us.
    """

    def __init__(
        self,
        conversations: Conversations,
        twilio: Twilio,
        accounts: Callable[[], Iterable[str]],
        opaque: Callable[[], keys.OpaqueIds],
        log: Log,
    ) -> None:
        self._conversations = conversations
        self._twilio = twilio
        self._accounts = accounts
        self._opaque = opaque
        self._log = log

    def __call__(self, event: EventFacts) -> OutreachResume | InboundMessage | None:
        """A resume if the conversation has the message, else the message read again, or None.

        An e-mail whose conversation is known is resume_job even if it is not stored: it is handed to a
        person.
        """
        record = self._conversations.find(event.conversation_id)
        sid = event.source_message_id
        is_text = event.event_key.startswith(_TEXT_KEYS) and sid is not None
        if record is not None and (not is_text or self._conversations.has_entry(record, str(sid))):
            return resume_job(event, record)
        if not is_text:
            return None
        try:
            form = self._form(str(sid))
        except (ProviderError, UnavailableError) as error:
            self._log.event("reread.failed", reason=reason_of(error))
            return None
        return self._parsed(event, form) if form else None

    def _form(self, sid: str) -> dict[str, str] | None:
        for account in self._accounts():
            found = self._twilio.received(account, sid)
            if found is not None:
                return {"AccountSid": account, **found.form()}
        return None

    def _parsed(self, event: EventFacts, form: dict[str, str]) -> InboundMessage | None:
        """The job as the webhook's, with the same event key."""
        body = urlencode(form).encode()
        request = InboundRequest({}, body, event.received_at, event.event_key)
        try:
            job = twilio_webhook.parse_message(request, self._opaque())
        except PayloadError:
            return None
        known = {"trace_id": event.trace_id, "payload_sha256": event.payload_sha256}
        job = job.model_copy(update={**known, "payload_bytes": event.payload_bytes})
        return job if job.event_key == event.event_key else None
