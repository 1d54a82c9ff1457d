"""Twilio's doors: received messages, and the delivery status of messages that we sent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chalicelib.errors import SignatureError
from chalicelib.once.door import Answer
from chalicelib.once.intake import Intake, as_list_parser
from chalicelib.outreach.doubtful import is_doubtful
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage
from chalicelib.outreach.twilio import webhook
from chalicelib.outreach.twilio.consent import ConsentAtTheDoor
from chalicelib.outreach.twilio.owners import Owners

MESSAGE_PATH = "/webhook/twilio"
STATUS_PATH = "/webhook/twilio/status"
PATIENCE_SECONDS = 4.0
"""Time limit for an answer: Twilio waits 15 s and repeats a request only a few times (`docs/retries.md`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TwilioDoor:
    """Answers `POST /webhook/twilio` and `POST /webhook/twilio/status`.

    Attributes:
        secret: reads the webhook secret, with accounts and their active tokens; None without one.
        base_url: our public URL that Twilio signs, without a path.
        consent: acts on STOP, START and possible STOPs; built for the first one.
        owners: finds which account a number belongs to; built for the first signed request.
    """

    intake: Intake
    secret: Callable[[], str | None]
    base_url: str
    consent: Callable[[], ConsentAtTheDoor]
    owners: Callable[[], Owners]

    def message(self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]) -> Answer:
        """Verify Twilio's request and queue the message received, after acting on a STOP or START in it."""
        return self.intake.receive(
            "twilio",
            headers,
            body,
            lambda low: self._verify(low, body, MESSAGE_PATH, query),
            lambda request: [self._heard(webhook.parse_message(request, self.intake.opaque()))],
            max_body_bytes=webhook.MAX_BODY_BYTES,
            patience_seconds=PATIENCE_SECONDS,
        )

    def status(self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]) -> Answer:
        """Verify Twilio's request and queue the delivery status of a message that we sent."""
        return self.intake.receive(
            "twilio_status",
            headers,
            body,
            lambda low: self._verify(low, body, STATUS_PATH, query),
            as_list_parser(lambda request: self._reported(webhook.parse_receipt(request, query))),
            max_body_bytes=webhook.MAX_BODY_BYTES,
            patience_seconds=PATIENCE_SECONDS,
        )

    def _heard(self, job: InboundMessage) -> InboundMessage:
        says_something = job.opt_out is not None or is_doubtful(job)
        heard = self.consent().apply(job) if says_something else job
        return self.owners().set_apart_unless_owned(heard)

    def _reported(self, job: DeliveryReceipt | None) -> DeliveryReceipt | None:
        return None if job is None else self.owners().set_apart_unless_owned(job)

    def _verify(
        self, headers: Mapping[str, str], body: bytes, path: str, query: Mapping[str, str]
    ) -> None:
        webhook.signature(headers)  # an unsigned request is refused before a secret is read
        secret = self.secret() or ""
        tokens, shared = webhook.auth_tokens(secret), webhook.shared_keys(secret)
        if not any(tokens.values()) and not any(shared.values()):
            raise SignatureError(
                "no_credential_configured", "no secret is configured for this door"
            )
        url = webhook.signed_url(self.base_url, path, query)
        webhook.verify(headers, body, url, tokens, shared)
