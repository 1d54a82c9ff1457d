"""Amazon Bedrock: one request, nothing stored, and the data stay in the account.

Models are asked by Converse (`converse` has the bodies).  No idempotency key exists and none is
needed: a repetition is a second generation.  429 is throttling or a model that is not ready, 424 and
408 a failure or time-out of the model, 404 a model that is gone.

Texts are moderated by a guardrail of the account, if the stage names one, by ``ApplyGuardrail``
(docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ApplyGuardrail.html): ``action`` says
whether it intervened, and ``assessments`` by which of its policies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from http import HTTPStatus
from typing import Any, TypeVar

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from pydantic import BaseModel, ValidationError

from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.once.ports import Clock, Log
from chalicelib.vendors import converse, reasons, signed
from chalicelib.vendors.breaker import ModelBreakers
from chalicelib.vendors.deadline import Watch
from chalicelib.vendors.guardrail import Guardrail, GuardrailResponse
from chalicelib.vendors.language_model import ModelAnswer, ModelRequest, with_fallback

PROVIDER = "bedrock"
CONVERSE, APPLY = "converse", "apply_guardrail"
BEDROCK_RETRIES: Mapping[str, int] = {"total_max_attempts": 1}
"""Keeps botocore from repeating a call: a repeated generation is paid again, and the queue repeats
the job."""
BEDROCK_CONFIG = Config(retries=dict(BEDROCK_RETRIES))  # the SDK changes what it is given
_TRANSIENT = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.FAILED_DEPENDENCY,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)
_Read = TypeVar("_Read", bound=BaseModel)


class Bedrock:
    """A language model on Amazon Bedrock; implements `language_model.LanguageModel`.

    Args:
        client: ``bedrock-runtime``, with ``total_max_attempts`` 1: the queue repeats, not the SDK.
        clock: measures how long a call took.
        log: gets the same record for every call as `http` logs for other vendors'.
        guardrail: moderates texts; without one nothing is flagged.
    """

    def __init__(
        self,
        *,
        client: Any,  # noqa: ANN401 - boto3's
        clock: Clock,
        log: Log,
        guardrail: Guardrail | None = None,
    ) -> None:
        self._client = client
        client.meta.events.register("before-send", _sent_signed, unique_id="rp-mw-signed")
        self._clock = clock
        self._breakers = ModelBreakers(PROVIDER, clock)
        self._log = log
        self._guardrail = guardrail

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Ask the model by Bedrock's Converse API, then the request's fallback model.

        The request's `safety_identifier` is not sent: Converse has no field for it.
        """

        def ask(name: str, seconds: float) -> ModelAnswer:
            call = partial(self._client.converse, modelId=name, **converse.body(request, name))
            raw, request_id = self._call(CONVERSE, call, converse.ConverseResponse, seconds)
            return converse.answer(raw, request, name, request_id)

        return with_fallback(ask, request, deadline_seconds, self._clock, self._breakers)

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """The categories that the stage's Bedrock guardrail flags in a text; none without a guardrail."""
        if self._guardrail is None:
            return ()
        call = partial(self._client.apply_guardrail, **self._guardrail.request(text))
        raw, _ = self._call(APPLY, call, GuardrailResponse, deadline_seconds)
        return raw.flagged

    def _call(
        self, operation: str, call: Callable[[], Any], form: type[_Read], seconds: float
    ) -> tuple[_Read, str]:
        started, watch = self._clock.monotonic(), Watch(seconds)
        failure: ProviderError | None = None
        raw: Any = {}
        try:
            with watch.watching():
                raw = call()
            read = form.model_validate(raw)
        except ValidationError:
            failure = TransientError(PROVIDER, operation, reason=reasons.UNEXPECTED_ANSWER)
        except Exception as error:  # noqa: BLE001 - a call may be repeated, whatever happened
            failure = _vendor_error(operation, error, watch)
        self._report(operation, failure, self._clock.monotonic() - started)
        if failure is not None:
            raise failure from None
        return read, str(raw.get("ResponseMetadata", {}).get("RequestId") or "")

    def _report(self, operation: str, failure: ProviderError | None, seconds: float) -> None:
        self._log.event(
            f"vendor.{PROVIDER}.{operation}",
            http_status=failure.status if failure else HTTPStatus.OK.value,
            latency_ms=round(seconds * 1000),
            result="failed" if failure else "success",
            error_class=type(failure).__name__ if failure else None,
            reason=failure.reason if failure else None,
            request_id=failure.request_id if failure else None,
        )
        if failure is None:
            return
        if failure.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._log.metric("mw.vendor.rate_limited", provider=PROVIDER)
        else:
            outcome = type(failure).__name__
            self._log.metric("mw.vendor.failed", provider=PROVIDER, outcome=outcome)


def _sent_signed(request: AWSPreparedRequest, **_: object) -> AWSResponse:
    """Send a request that botocore has built and signed, in place of botocore's own transport.

    Registered as botocore's ``before-send`` hook, whose response botocore uses.
    """
    received = signed.send(request.method, request.url, dict(request.headers), request.body)
    return AWSResponse(request.url, received.status, received.headers, received)


def _vendor_error(operation: str, error: Exception, watch: Watch) -> ProviderError:
    if isinstance(error, ClientError):
        return _refusal(operation, error)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AuthError(PROVIDER, operation, reason=reasons.NO_CREDENTIALS)
    if isinstance(error, ParamValidationError):
        return PermanentError(PROVIDER, operation, reason=reasons.INVALID_REQUEST)
    if watch.is_over:
        reason = reasons.TIMEOUT if watch.was_sent else reasons.CONNECT_TIMEOUT
    else:
        reason = reasons.UNEXPECTED_ANSWER if watch.was_sent else reasons.CONNECT_FAILED
    return TransientError(PROVIDER, operation, reason=reason)


def _refusal(operation: str, error: ClientError) -> ProviderError:
    code = str(error.response.get("Error", {}).get("Code", "unknown"))
    about = error.response.get("ResponseMetadata", {})
    status, request_id = int(about.get("HTTPStatusCode", 0)), about.get("RequestId")
    kind: type[ProviderError] = PermanentError
    if status in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR or not status:
        kind = TransientError
    elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        kind = AuthError
    is_gone = status == HTTPStatus.NOT_FOUND and operation == CONVERSE
    reason = reasons.MODEL_NOT_FOUND if is_gone else code
    return kind(PROVIDER, operation, status=status, reason=reason, request_id=request_id)
