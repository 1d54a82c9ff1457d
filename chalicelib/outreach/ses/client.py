"""Amazon SES v2: send one e-mail; its delivery status arrives as events with our tag.

Vendor facts (docs.aws.amazon.com/ses/latest/APIReference-V2/API_SendEmail.html): there is no client
token, so the SDK must not retry a send; SES sets ``Message-ID`` and ``Date`` itself, the former to
``<{MessageId}@{region}.amazonses.com>`` (``@email.amazonses.com`` in us-east-1); tag values are
letters, digits, ``_`` and ``-``; no API lists sent e-mails.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)

from chalicelib.errors import (
    AuthError,
    PermanentError,
    ProviderError,
    TransientError,
    UncertainError,
)
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach import reasons
from chalicelib.vendors import signed
from chalicelib.vendors.deadline import Watch
from chalicelib.vendors.reasons import (
    CONNECT_FAILED,
    CONNECT_TIMEOUT,
    CONNECTION_BROKEN,
    INVALID_REQUEST,
    NO_CREDENTIALS,
    TIMEOUT,
)

PROVIDER = "ses"
OPERATION = "send_email"
SES_RETRIES: Mapping[str, int] = {"total_max_attempts": 1}
"""No retries by the SDK: SES takes no client token, so a repeated send would be a second e-mail."""
SES_CONFIG = Config(retries=dict(SES_RETRIES))  # a copy: the SDK changes the dict that it is given
TAG = "send"
"""Name of the e-mail's tag that carries ``{opaque conversation id}_{entry id}``."""

_RETRYABLE_CODES = frozenset(
    {"TooManyRequestsException", "LimitExceededException", "ThrottlingException", "Throttling"}
)
_PERMANENT_CODES = frozenset(
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
_SERVER_ERROR = 500


@dataclass(frozen=True, slots=True)
class Email:
    """One e-mail to send.

    Attributes:
        sender: address, or ``Name <address>``.
        headers: In-Reply-To, References, ...; SES refuses headers that it sets itself.
        tag: the tag that SES's events about the e-mail carry.
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
        """The arguments of `sesv2.send_email` for the e-mail."""
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
    """Sends e-mails by a boto3 client without retries, whose transport is `vendors.signed`.

    Args:
        client: boto3's ``sesv2``, with ``total_max_attempts`` 1.
        configuration_set: publishes the events that settle a send of unknown outcome.
        region: part of the Message-ID that SES sets.
        clock: measures how long a send took.
        log: gets the same record for every send as for other vendors' calls.
    """

    def __init__(
        self,
        *,
        client: Any,  # noqa: ANN401 - boto3 builds it at run time
        configuration_set: str | None,
        region: str,
        clock: Clock,
        log: Log,
    ) -> None:
        self._client = client
        # The id registers the hook once, however many `Ses` share the client.
        client.meta.events.register("before-send", _sent_signed, unique_id="rp-mw-signed")
        self._configuration_set = configuration_set
        self._region = region
        self._clock = clock
        self._log = log

    def send(
        self,
        email: Email,
        *,
        deadline_seconds: float,
        guard: Callable[[], None] | None = None,
    ) -> str:
        """Send one e-mail and return SES's id of it.

        Args:
            email: what to send.
            deadline_seconds: total, for connecting, sending and reading.
            guard: called right before the request leaves; if it raises, nothing is sent.

        Raises:
            TransientError: surely not sent: throttled, or the request did not leave the machine.
            PermanentError: SES refused the e-mail; the error's reason is SES's error code.
            UncertainError: the e-mail may have been sent.
            AuthError: our IAM role may not send.
        """
        if guard is not None:
            guard()
        started = self._clock.monotonic()
        message_id, failure = self._try_send(email, Watch(deadline_seconds))
        self._report(failure, self._clock.monotonic() - started)
        if failure is not None:
            raise failure
        return message_id

    def _try_send(self, email: Email, watch: Watch) -> tuple[str, ProviderError | None]:
        request = email.request(self._configuration_set)
        try:
            with watch.watching():
                answer = self._client.send_email(**request)
        except Exception as error:  # noqa: BLE001 - what it means depends on what was sent
            return "", _translated(error, watch)
        message_id = str(answer.get("MessageId") or "")
        if not message_id:
            return "", UncertainError(PROVIDER, OPERATION, reason=reasons.ANSWER_WITHOUT_ID)
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
        """The header ``Message-ID`` that SES gives a sent e-mail, made from SES's id; replies refer to it."""
        host = "email" if self._region == "us-east-1" else self._region
        return f"<{message_id}@{host}.amazonses.com>"


def _sent_signed(request: AWSPreparedRequest, **_: object) -> AWSResponse:
    """Hook ``before-send`` of botocore: send its request by `vendors.signed`, and return the response."""
    received = signed.send(request.method, request.url, dict(request.headers), request.body)
    return AWSResponse(request.url, received.status, received.headers, received)


def _translated(error: Exception, watch: Watch) -> ProviderError:
    if isinstance(error, ClientError):
        return _refusal(error)
    if watch.was_sent:
        reason = TIMEOUT if watch.is_over else CONNECTION_BROKEN
        return UncertainError(PROVIDER, OPERATION, reason=reason)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AuthError(PROVIDER, OPERATION, reason=NO_CREDENTIALS)
    if isinstance(error, ParamValidationError):
        return PermanentError(PROVIDER, OPERATION, reason=INVALID_REQUEST)
    reason = CONNECT_TIMEOUT if watch.is_over else CONNECT_FAILED
    return TransientError(PROVIDER, OPERATION, reason=reason)


def _refusal(error: ClientError) -> ProviderError:
    """The error to raise for SES's refusal of an e-mail, by its HTTP status and code.

    Without a status the answer may not be SES's, and the outcome is uncertain.
    """
    code = str(error.response.get("Error", {}).get("Code", "unknown"))
    about = error.response.get("ResponseMetadata", {})
    status, request_id = int(about.get("HTTPStatusCode", 0)), about.get("RequestId")
    kind: type[ProviderError] = PermanentError
    if status >= _SERVER_ERROR or not status:
        kind = UncertainError
    elif code in _RETRYABLE_CODES or status == 429:  # noqa: PLR2004 - the standard status
        kind = TransientError
    elif status in (401, 403):
        kind = AuthError
    reason = code if code in _PERMANENT_CODES | _RETRYABLE_CODES else f"http_{status}"
    return kind(PROVIDER, OPERATION, status=status, reason=reason, request_id=request_id)
