"""Amazon Bedrock's Converse API: one request, nothing stored, and the data stay in the account.

Facts (docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html, and the SDK's own
service model): ``messages`` begin with a user's turn and the roles alternate; instructions are
``system``.  A required form is a tool that must be called: its ``input`` is the object, under
``toolUse``; a model that answers in text all the same has not kept the form.  ``stopReason`` says
how it ended: ``max_tokens`` and ``model_context_window_exceeded`` are cut off,
``guardrail_intervened`` and ``content_filtered`` refused.  ``usage`` has the tokens.  No idempotency
key exists and none is needed: a repetition is a second generation.  429 is throttling or a model
that is not ready, 424 and 408 a failure or time-out of the model, 404 a model that is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import Annotated, Any

from botocore.awsrequest import AWSPreparedRequest, AWSResponse
from botocore.config import Config
from botocore.exceptions import (
    ClientError,
    NoCredentialsError,
    ParamValidationError,
    PartialCredentialsError,
)
from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.once.ports import Clock, Log
from chalicelib.vendors import reasons, signed
from chalicelib.vendors.breaker import ModelBreakers
from chalicelib.vendors.deadline import Watch
from chalicelib.vendors.language_model import (
    JsonSchema,
    ModelAnswer,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
    Usage,
    with_fallback,
)
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

PROVIDER = "bedrock"
OPERATION = "converse"
BEDROCK_RETRIES: Mapping[str, int] = {"total_max_attempts": 1}
"""A repeated generation is paid again; the queue repeats."""
BEDROCK_CONFIG = Config(retries=dict(BEDROCK_RETRIES))  # the SDK changes what it is given
BEGIN = "Begin."
"""The first turn where no person has written yet: the API wants one of the user's."""
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({"guardrail_intervened", "content_filtered"})
_TRANSIENT = frozenset(
    {
        HTTPStatus.REQUEST_TIMEOUT,
        HTTPStatus.FAILED_DEPENDENCY,
        HTTPStatus.TOO_MANY_REQUESTS,
    }
)


class Bedrock:
    """Implements `language_model.LanguageModel`.

    Args:
        client: ``bedrock-runtime``, with ``total_max_attempts`` 1: the queue repeats, not the SDK.
        clock: measures how long a call took.
        log: gets the same record for every call as `http` logs for other vendors'.
    """

    def __init__(self, *, client: Any, clock: Clock, log: Log) -> None:  # noqa: ANN401 - boto3's
        self._client = client
        client.meta.events.register("before-send", _sent_signed, unique_id="rp-mw-signed")
        self._clock = clock
        self._breakers = ModelBreakers(PROVIDER, clock)
        self._log = log

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """See `LanguageModel.respond`; an end user's id and an effort have no counterpart here."""
        body = _body(request)

        def ask(name: str, seconds: float) -> ModelAnswer:
            raw, request_id = self._converse({**body, "modelId": name}, seconds)
            return _answer(raw, name, request_id, request.schema)

        return with_fallback(ask, request, deadline_seconds, self._clock, self._breakers)

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """See `LanguageModel.moderate`: none here; an account's guardrails judge each generation."""
        del text, deadline_seconds
        return ()

    def _converse(self, request: Mapping[str, Any], seconds: float) -> tuple[_Response, str]:
        started, watch = self._clock.monotonic(), Watch(seconds)
        failure: ProviderError | None = None
        raw: Any = {}
        try:
            with watch.watching():
                raw = self._client.converse(**request)
            read = _Response.model_validate(raw)
        except ValidationError:
            failure = TransientError(PROVIDER, OPERATION, reason=reasons.UNEXPECTED_ANSWER)
        except Exception as error:  # noqa: BLE001 - a generation may be repeated, whatever happened
            failure = _translated(error, watch)
        self._report(failure, self._clock.monotonic() - started)
        if failure is not None:
            raise failure from None
        return read, str(raw.get("ResponseMetadata", {}).get("RequestId") or "")

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
        if failure.status == HTTPStatus.TOO_MANY_REQUESTS:
            self._log.metric("mw.vendor.rate_limited", provider=PROVIDER)
        else:
            outcome = type(failure).__name__
            self._log.metric("mw.vendor.failed", provider=PROVIDER, outcome=outcome)


def _body(request: ModelRequest) -> dict[str, Any]:
    given = [turn.text for turn in request.turns if turn.role == "developer"]
    body: dict[str, Any] = {
        "system": [{"text": text} for text in (request.instructions, *given)],
        "messages": _messages([turn for turn in request.turns if turn.role != "developer"]),
        "inferenceConfig": {"maxTokens": request.max_output_tokens},
    }
    if request.schema is not None:
        tool = {
            "name": request.schema.name,
            "description": "The only way to answer.",
            "inputSchema": {"json": dict(request.schema.schema)},
        }
        body["toolConfig"] = {
            "tools": [{"toolSpec": tool}],
            "toolChoice": {"tool": {"name": request.schema.name}},
        }
    return body


def _messages(turns: Sequence[ModelTurn]) -> list[dict[str, Any]]:
    """The turns, of which those of one role that follow each other are one; the first is the user's."""
    messages: list[dict[str, Any]] = []
    for turn in turns:
        part = {"text": turn.text or " "}  # an empty text is refused
        if messages and messages[-1]["role"] == turn.role:
            messages[-1]["content"].append(part)
        else:
            messages.append({"role": turn.role, "content": [part]})
    if not messages or messages[0]["role"] != "user":
        messages.insert(0, {"role": "user", "content": [{"text": BEGIN}]})
    if messages[-1]["role"] != "user":  # or it is continued
        messages.append({"role": "user", "content": [{"text": BEGIN}]})
    return messages


def _sent_signed(request: AWSPreparedRequest, **_: object) -> AWSResponse:
    """Botocore's hook: the response that it returns takes the place of botocore's own transport."""
    received = signed.send(request.method, request.url, dict(request.headers), request.body)
    return AWSResponse(request.url, received.status, received.headers, received)


def _translated(error: Exception, watch: Watch) -> ProviderError:
    if isinstance(error, ClientError):
        return _refusal(error)
    if isinstance(error, NoCredentialsError | PartialCredentialsError):
        return AuthError(PROVIDER, OPERATION, reason=reasons.NO_CREDENTIALS)
    if isinstance(error, ParamValidationError):
        return PermanentError(PROVIDER, OPERATION, reason=reasons.INVALID_REQUEST)
    if watch.is_over:
        reason = reasons.TIMEOUT if watch.was_sent else reasons.CONNECT_TIMEOUT
    else:
        reason = reasons.UNEXPECTED_ANSWER if watch.was_sent else reasons.CONNECT_FAILED
    return TransientError(PROVIDER, OPERATION, reason=reason)


def _refusal(error: ClientError) -> ProviderError:
    code = str(error.response.get("Error", {}).get("Code", "unknown"))
    about = error.response.get("ResponseMetadata", {})
    status, request_id = int(about.get("HTTPStatusCode", 0)), about.get("RequestId")
    kind: type[ProviderError] = PermanentError
    if status in _TRANSIENT or status >= HTTPStatus.INTERNAL_SERVER_ERROR or not status:
        kind = TransientError
    elif status in (HTTPStatus.UNAUTHORIZED, HTTPStatus.FORBIDDEN):
        kind = AuthError
    reason = reasons.MODEL_NOT_FOUND if status == HTTPStatus.NOT_FOUND else code
    return kind(PROVIDER, OPERATION, status=status, reason=reason, request_id=request_id)


# --- responses --------------------------------------------------------------------------------


class _ToolUse(BaseModel):
    model_config = LENIENT

    input: Annotated[dict[str, Any], BeforeValidator(as_object)] | None = Field(
        default=None, repr=False
    )


class _Part(BaseModel):
    model_config = LENIENT

    text: str = Field(default="", repr=False)
    toolUse: _ToolUse | None = None  # noqa: N815 - the vendor's name


class _Message(BaseModel):
    model_config = LENIENT

    content: Annotated[list[_Part], BeforeValidator(as_objects)]


class _Output(BaseModel):
    model_config = LENIENT

    message: _Message


class _Usage(BaseModel):
    model_config = LENIENT

    inputTokens: int = 0  # noqa: N815
    outputTokens: int = 0  # noqa: N815
    totalTokens: int = 0  # noqa: N815


class _Response(BaseModel):
    model_config = LENIENT

    output: _Output
    stopReason: str = ""  # noqa: N815
    usage: Annotated[_Usage, BeforeValidator(as_object)] = _Usage()


def _answer(raw: _Response, model: str, request_id: str, schema: JsonSchema | None) -> ModelAnswer:
    parts = raw.output.message.content
    text = "".join(part.text for part in parts)
    given = next((part.toolUse.input for part in parts if part.toolUse is not None), None)
    outcome, reason = ModelOutcome.COMPLETED, None
    if raw.stopReason in _REFUSED:
        outcome, reason, text, given = ModelOutcome.REFUSED, raw.stopReason, "", None
    elif raw.stopReason in _CUT_OFF:
        outcome, reason, given = ModelOutcome.INCOMPLETE, raw.stopReason, None
    elif schema is not None and (given is None or not set(schema.required) <= given.keys()):
        outcome, reason, given = ModelOutcome.MALFORMED, reasons.NOT_JSON, None
    return ModelAnswer(
        outcome=outcome,
        text=text,
        json=given if schema is not None else None,
        usage=Usage(raw.usage.inputTokens, raw.usage.outputTokens, raw.usage.totalTokens),
        response_id=request_id,
        model=model,
        reason=reason,
    )
