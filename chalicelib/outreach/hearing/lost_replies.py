"""Resumes replies whose worker died before it stored their text: the text is fetched again.

A ledger row holds no text, so it cannot make a job; until a worker stores the message, only the
provider has it.  Twilio shows every message that it received
(https://www.twilio.com/docs/messaging/api/message-resource#fetch-a-message-resource).  SES shows
none, so such an e-mail is handed to a person.  For a reply whose conversation no worker has found yet,
see `lost_texts`, which finds it in Twilio's list.
"""

from __future__ import annotations

from collections.abc import Callable

from chalicelib.errors import PayloadError, ProviderError, UnavailableError, reason_of
from chalicelib.once import keys
from chalicelib.once.event import EventFacts
from chalicelib.once.ports import Log
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import LISTED_CHANNELS
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.hearing.lost_texts import inbound_job
from chalicelib.outreach.jobs import InboundMessage, OutreachResume
from chalicelib.outreach.resume import resume_job
from chalicelib.outreach.twilio.client import Twilio
from chalicelib.outreach.twilio.credentials import secret_name_of

_TEXT_KEYS = tuple(outreach_keys.reply(channel, "") for channel in LISTED_CHANNELS)


class LostReplies:
    """Makes the queue job of a recipient's reply again from its ledger row, where the first job was lost."""

    def __init__(
        self,
        *,
        conversations: Conversations,
        twilio: Twilio,
        opaque: Callable[[], keys.OpaqueIds],
        log: Log,
    ) -> None:
        self._conversations = conversations
        self._twilio = twilio
        self._opaque = opaque
        self._log = log

    def __call__(self, event: EventFacts) -> OutreachResume | InboundMessage | None:
        """The new job of a recipient's reply: it resumes a stored reply, else carries the text from Twilio.

        An e-mail is resumed even if it is not stored, and is then handed to a person.  None where
        the conversation is unknown, or Twilio does not give the message.
        """
        record = self._conversations.find(event.conversation_id)
        if record is None:
            return None
        sid = event.source_message_id
        is_text = event.event_key.startswith(_TEXT_KEYS) and sid is not None
        if not is_text or self._conversations.has_entry(record, str(sid)):
            return resume_job(event, record)
        try:
            return self._fetched(event, record, str(sid))
        except (ProviderError, UnavailableError, PayloadError) as error:
            self._log.event("reread.failed", reason=reason_of(error))
            return None

    def _fetched(self, event: EventFacts, record: Record, sid: str) -> InboundMessage | None:
        """The job of a recipient's reply as its webhook made it, with the text read from Twilio again.

        None where Twilio has no such message, or the job's event key would differ from the event's.
        """
        found = self._twilio.fetch_received(secret_name_of(record), sid)
        if found is None:
            return None
        job = inbound_job(
            found, self._opaque(), received_at=event.received_at, trace_id=event.trace_id
        )
        known = {"payload_sha256": event.payload_sha256, "payload_bytes": event.payload_bytes}
        return job.model_copy(update=known) if job.event_key == event.event_key else None
