"""Replies that were received and never queued, read again from the provider that keeps them.

A row of the ledger has no text, so it cannot be made a job by itself; as long as no worker has
heard the message, nobody but its provider has it.  Twilio shows every message that came in
(https://www.twilio.com/docs/messaging/api/message-resource#fetch-a-message-resource).  SES shows
none: such a row stays as it is, and its sender's repetition is taken.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from urllib.parse import urlencode

from chalicelib.errors import PayloadError, ProviderError, UnavailableError
from chalicelib.once import keys
from chalicelib.once.door import InboundRequest
from chalicelib.once.event import EventFacts
from chalicelib.once.ports import Log
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import InboundMessage, OutreachResume
from chalicelib.outreach.receipts import resumed
from chalicelib.outreach.twilio import webhook as twilio_webhook
from chalicelib.outreach.twilio.client import Twilio

_TEXT_KEYS = ("evt:reply:sms:", "evt:reply:whatsapp:")


class Reread:
    """`rebuild.Rebuilder` of replies.

    Args:
        twilio: by account: the secret that signs an account's webhooks also reads its messages.
        accounts: those of Twilio's accounts that may post to us.
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
        """The reply goes on from its conversation, or else as it came; None where nobody has it.

        An e-mail that a worker had and did not keep goes on too: a person is asked.
        """
        record = self._conversations.find(event.conversation_id)
        sid = event.source_message_id
        is_text = event.event_key.startswith(_TEXT_KEYS) and sid is not None
        if record is not None and (not is_text or self._conversations.has_entry(record, str(sid))):
            return resumed(event, record)
        if not is_text:
            return None
        try:
            form = self._form(str(sid))
        except (ProviderError, UnavailableError) as error:
            self._log.event("reread.failed", reason=type(error).__name__)
            return None
        return self._parsed(event, form) if form else None

    def _form(self, sid: str) -> dict[str, str] | None:
        for account in self._accounts():
            found = self._twilio.received(account, sid)
            if found is not None:
                return {"AccountSid": account, **found.form()}
        return None

    def _parsed(self, event: EventFacts, form: dict[str, str]) -> InboundMessage | None:
        """As the webhook was parsed, under the key that the webhook had."""
        body = urlencode(form).encode()
        request = InboundRequest({}, body, event.received_at, event.event_key)
        try:
            job = twilio_webhook.parse_message(request, self._opaque())
        except PayloadError:
            return None
        known = {"trace_id": event.trace_id, "payload_sha256": event.payload_sha256}
        job = job.model_copy(update={**known, "payload_bytes": event.payload_bytes})
        return job if job.event_key == event.event_key else None
