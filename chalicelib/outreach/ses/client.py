"""Amazon SES v2: send one e-mail; what became of it comes as an event that carries our tag.

Vendor facts (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html): there is no client
token, so the SDK must not repeat a send; SES sets ``Message-ID`` and ``Date`` itself, the former to
``<{MessageId}@{region}.amazonses.com>`` (``@email.amazonses.com`` in us-east-1); tag values are
letters, digits, ``_`` and ``-``; nothing lists what was sent.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
    ProxyConnectionError,
)

from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UncertainError,
)
from chalicelib.once.ports import Clock, Log

PROVIDER = "ses"
OPERATION = "send_email"
TAG = "send"
"""Name of the tag that carries ``{opaque conversation id}_{entry id}``."""

_LATER = frozenset(
    {"TooManyRequestsException", "LimitExceededException", "ThrottlingException", "Throttling"}
)
_NEVER = frozenset(
    {
        "AccountSuspendedException",
        "SendingPausedException",
        "MessageRejected",
        "MailFromDomainNotVerifiedException",
        "BadRequestException",
        "NotFoundException",
        "ValidationException",
    }
)
_NOT_SENT = (ConnectTimeoutError, EndpointConnectionError, ProxyConnectionError)
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Email:
    """One e-mail to send.

    Attributes:
        sender: address, or ``Name <address>``.
        headers: In-Reply-To, References and the like; SES refuses those it sets itself.
        tag: what its events will carry.
    """

    to: str = field(repr=False)
    sender: str = field(repr=False)
    reply_to: str = field(repr=False)
    subject: str = field(repr=False)
    text: str = field(repr=False)
    html: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    tag: str = ""

    def request(self, configuration_set: str | None) -> dict[str, Any]:
        """As `sesv2.send_email` takes it."""
        body: dict[str, Any] = {"Text": {"Data": self.text, "Charset": "UTF-8"}}
        if self.html:
            body["Html"] = {"Data": self.html, "Charset": "UTF-8"}
        simple: dict[str, Any] = {
            "Subject": {"Data": self.subject, "Charset": "UTF-8"},
            "Body": body,
        }
        if self.headers:
            simple["Headers"] = [{"Name": n, "Value": v} for n, v in self.headers.items()]
        request: dict[str, Any] = {
            "FromEmailAddress": self.sender,
            "Destination": {"ToAddresses": [self.to]},
            "ReplyToAddresses": [self.reply_to],
            "Content": {"Simple": simple},
            "EmailTags": [{"Name": TAG, "Value": self.tag}],
        }
        if configuration_set:
            request["ConfigurationSetName"] = configuration_set
        return request


class Ses:
    """Sends by a boto3 client whose own retries are off.

    Args:
        client: ``sesv2``, with ``total_max_attempts`` 1.
        configuration_set: publishes the events that settle an unknown send.
        region: part of the Message-ID that SES gives.
        clock: measures how long a send took.
        log: hears of every send what `http` tells of the other vendors' calls.
    """

    def __init__(
        self,
        client: Any,  # noqa: ANN401 - boto3 builds it at run time
        *,
        configuration_set: str | None,
        region: str,
        clock: Clock,
        log: Log,
    ) -> None:
        self._client = client
        self._configuration_set = configuration_set
        self._region = region
        self._clock = clock
        self._log = log

    def send(self, email: Email) -> str:
        """Send one e-mail and return SES's id of it.

        A fresh connection every time: a kept one that has died would leave the outcome unknown.

        Raises:
            TransientError: surely not sent: throttled, or no connection was made.
            PermanentError: refused; its reason is SES's error code.
            UncertainError: may have been sent.
            AuthError: our role may not send.
        """
        started = self._clock.monotonic()
        message_id, failure = self._sent(email)
        self._report(failure, self._clock.monotonic() - started)
        if failure is not None:
            raise failure
        return message_id

    def _sent(self, email: Email) -> tuple[str, ProviderError | None]:
        self._client.close()
        try:
            answer = self._client.send_email(**email.request(self._configuration_set))
        except (ClientError, BotoCoreError) as error:
            return "", _translated(error)
        message_id = str(answer.get("MessageId") or "")
        if not message_id:
            return "", UncertainError(PROVIDER, OPERATION, reason="answer_without_id")
        return message_id, None

    def _report(self, failure: ProviderError | None, seconds: float) -> None:
        self._log.event(
            f"vendor.{PROVIDER}.{OPERATION}",
            http_status=failure.status if failure else HTTPStatus.OK.value,
            latency_ms=round(seconds * 1000),
            result="failed" if failure else "success",
            error_class=type(failure).__name__ if failure else None,
            reason=failure.reason if failure else None,
            request_id=failure.request_id if failure else None,
        )
        if failure is None:
            return
        if isinstance(failure, TransientError) and failure.status is not None:
            self._log.metric("mw.vendor.rate_limited", provider=PROVIDER)
        else:
            outcome = type(failure).__name__
            self._log.metric("mw.vendor.failed", provider=PROVIDER, outcome=outcome)

    def message_id_header(self, message_id: str) -> str:
        """The ``Message-ID`` that a sent e-mail has, as replies will refer to it."""
        host = "email" if self._region == "us-east-1" else self._region
        return f"<{message_id}@{host}.amazonses.com>"


def _translated(error: ClientError | BotoCoreError) -> ProviderError:
    if isinstance(error, _NOT_SENT):
        return TransientError(PROVIDER, OPERATION, reason="connect_failed")
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AuthError(PROVIDER, OPERATION, reason="no_credentials")
    if isinstance(error, ParamValidationError):
        return PermanentError(PROVIDER, OPERATION, reason="invalid_request")
    if not isinstance(error, ClientError):
        return UncertainError(PROVIDER, OPERATION, reason=type(error).__name__)
    code = str(error.response.get("Error", {}).get("Code", "unknown"))
    about = error.response.get("ResponseMetadata", {})
    status, request_id = int(about.get("HTTPStatusCode", 0)), about.get("RequestId")
    kind: type[ProviderError] = PermanentError
    if status >= _SERVER_ERROR or not status:
        kind = UncertainError
    elif code in _LATER or status == 429:  # noqa: PLR2004 - the standard status
        kind = TransientError
    elif status in (401, 403):
        kind = AuthError
    reason = code if code in _NEVER | _LATER else f"http_{status}"
    return kind(PROVIDER, OPERATION, status=status, reason=reason, request_id=request_id)
