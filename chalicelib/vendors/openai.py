"""OpenAI's Responses API: one request, nothing stored at the vendor.

Vendor facts (developers.openai.com/api/reference, and the SDK's own types): ``POST /v1/responses``
with a bearer key; ``store`` defaults to true; a top-level ``output_text`` exists only in the SDK,
over HTTP the text is in ``output[type=message].content[type=output_text]`` and ``output[0]`` is
often a reasoning item; HTTP 200 does not mean text: ``status`` may be incomplete or failed, and a
content part may be a refusal.  No idempotency key is honoured, and none is needed: a repetition is
a second generation.  429 means either slow down or quota exhausted.

What a model reasons counts against ``max_output_tokens`` and is billed as output.  A prompt of 1,024
tokens or more is cached by its beginning, without being asked; requests with the same
``prompt_cache_key`` reach the same cache (developers.openai.com/api/docs/guides/prompt-caching), and
``input_tokens`` includes what was read from it and written to it.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field, ValidationError

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.vendors import reasons
from chalicelib.vendors.breaker import ModelBreakers
from chalicelib.vendors.http import Call, VendorClient
from chalicelib.vendors.language_model import (
    JsonSchema,
    ModelAnswer,
    ModelOutcome,
    ModelRequest,
    Usage,
    with_fallback,
)
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

PROVIDER = "openai"
MODERATION_MODEL = "omni-moderation-latest"
"""OpenAI's name for its newest moderation model; free of charge."""
ERROR_CODE_AT = ("error", "code")
"""Where OpenAI's own error code is in the JSON body of an error, for `VendorClient`."""

_SPENT = frozenset(
    {
        "insufficient_quota",
        "credit_balance_exhausted",
        "organization_spend_limit_exceeded",
        "project_spend_limit_exceeded",
        "organization_usage_limit_exceeded",
    }
)
"""OpenAI's error codes under 429 for which waiting does not help."""
_TRANSIENT_FAILURES = frozenset({"server_error", "rate_limit_exceeded", "server_is_overloaded"})


def bearer(secret: Callable[[bool], str]) -> Callable[[bool], Mapping[str, str]]:
    """A function that makes the authentication header of OpenAI from a secret.

    The secret is the key, or JSON with ``ai_api_key``.
    """
    return lambda refresh: {"authorization": f"Bearer {_key(secret(refresh))}"}


class OpenAI:
    """A language model of OpenAI; implements `language_model.LanguageModel`.

    Args:
        client: calls OpenAI, with `error_code_at` set to `ERROR_CODE_AT`.
    """

    def __init__(self, *, client: VendorClient, clock: Clock) -> None:
        self._client = client
        self._clock = clock
        self._breakers = ModelBreakers(PROVIDER, clock)

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Ask the model by OpenAI's Responses API, then the fallback model; OpenAI stores nothing."""
        body: dict[str, Any] = {
            "instructions": request.instructions,
            "input": [{"role": turn.role, "content": turn.text} for turn in request.turns],
            "store": False,
            "prompt_cache_key": hashlib.sha256(request.instructions.encode()).hexdigest()[:32],
        }
        if request.schema is not None:
            body["text"] = {"format": _format(request.schema)}
        if request.safety_identifier is not None:
            body["safety_identifier"] = request.safety_identifier

        def ask(name: str, seconds: float) -> ModelAnswer:
            own: dict[str, Any] = {"model": name, "max_output_tokens": request.most_tokens(name)}
            effort = request.manner(name).reasoning_effort
            if effort is not None:
                own["reasoning"] = {"effort": effort}
            return _answer(self._ask(body | own, seconds), wants_json=request.schema is not None)

        return with_fallback(ask, request, deadline_seconds, self._clock, self._breakers)

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """The categories that OpenAI's `MODERATION_MODEL` flags in a text; none where nothing is flagged."""
        body = {"model": MODERATION_MODEL, "input": text}
        call = Call("moderate", "POST", "/v1/moderations", is_repeatable=True, body=body)
        raw = self._client.send(call, deadline_seconds=deadline_seconds)
        try:
            found = _Moderation.model_validate(raw)
        except ValidationError:
            found = _Moderation()
        if not found.results:
            raise TransientError(PROVIDER, "moderate", reason=reasons.UNEXPECTED_ANSWER)
        flagged = [result for result in found.results if result.flagged]
        names = {
            name for result in flagged for name, is_so in result.categories.items() if is_so is True
        }
        return sorted(names) or (["flagged"] if flagged else [])

    def _ask(self, body: Mapping[str, Any], deadline_seconds: float) -> _Response:
        call = Call("respond", "POST", "/v1/responses", is_repeatable=True, body=body)
        try:
            raw = self._client.send(call, deadline_seconds=deadline_seconds)
        except TransientError as error:
            if error.reason in _SPENT:
                raise PermanentError.of(error) from None
            raise
        try:
            return _Response.model_validate(raw)
        except ValidationError:
            pass
        raise TransientError(PROVIDER, "respond", reason=reasons.UNEXPECTED_ANSWER)


def _format(schema: JsonSchema) -> dict[str, Any]:
    return {"type": "json_schema", "name": schema.name, "schema": schema.schema, "strict": True}


def _key(text: str) -> str:
    """The API key in a secret's text, which is the key itself or JSON with ``ai_api_key``.

    Empty where the JSON lacks that name.
    """
    try:
        raw = json.loads(text)
    except ValueError:
        return text.strip()
    return str(raw.get("ai_api_key", "")).strip() if isinstance(raw, dict) else text.strip()


# --- responses --------------------------------------------------------------------------------


class _Part(BaseModel):
    model_config = LENIENT

    type: str = ""


class _Content(_Part):
    text: str = Field(default="", repr=False)


class _Item(_Part):
    content: Annotated[list[_Content], BeforeValidator(as_objects)] = []


class _Cached(_Part):
    cached_tokens: int = 0
    cache_write_tokens: int = 0


class _Usage(_Part):
    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    input_tokens_details: Annotated[_Cached, BeforeValidator(as_object)] = _Cached()


class _Details(_Part):
    reason: str = "unknown"


class _Failure(_Part):
    code: str = "unknown"


class _Response(_Part):
    id: str = ""
    model: str = ""
    status: str = "completed"
    output: Annotated[list[_Item], BeforeValidator(as_objects)] = []
    usage: Annotated[_Usage, BeforeValidator(as_object)] = _Usage()
    incomplete_details: Annotated[_Details, BeforeValidator(as_object)] = _Details()
    error: Annotated[_Failure, BeforeValidator(as_object)] = _Failure()


class _Judged(_Part):
    flagged: bool = False
    categories: Annotated[dict[str, Any], BeforeValidator(as_object)] = {}


class _Moderation(_Part):
    results: Annotated[list[_Judged], BeforeValidator(as_objects)] = []


def _answer(raw: _Response, *, wants_json: bool) -> ModelAnswer:
    """The `ModelAnswer` that OpenAI's response means.

    Raises:
        ProviderError: the response's status is neither completed nor incomplete.
    """
    if raw.status not in {"completed", "incomplete"}:
        code = raw.error.code if raw.status == "failed" else raw.status
        kind = TransientError if code in _TRANSIENT_FAILURES else PermanentError
        raise kind(PROVIDER, "respond", reason=code)
    parts = [part for item in raw.output if item.type == "message" for part in item.content]
    text = "".join(part.text for part in parts if part.type == "output_text")
    reason: str | None = None
    outcome = ModelOutcome.COMPLETED
    parsed: Mapping[str, Any] | None = None
    if any(part.type == "refusal" for part in parts):
        outcome, reason, text = ModelOutcome.REFUSED, reasons.REFUSAL, ""
    elif raw.status == "incomplete":
        outcome, reason = ModelOutcome.INCOMPLETE, raw.incomplete_details.reason
    elif wants_json:
        parsed = _json_object(text)
        if parsed is None:
            outcome, reason = ModelOutcome.MALFORMED, reasons.NOT_JSON
    return ModelAnswer(
        outcome=outcome,
        text=text,
        json=parsed,
        usage=Usage(
            raw.usage.input_tokens,
            raw.usage.output_tokens,
            raw.usage.total_tokens,
            raw.usage.input_tokens_details.cached_tokens,
            raw.usage.input_tokens_details.cache_write_tokens,
        ),
        response_id=raw.id,
        model=raw.model,
        reason=reason,
    )


def _json_object(text: str) -> Mapping[str, Any] | None:
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None
