"""The port of a language model: one request, one response, nothing stored at the vendor.

The caller owns the history and sends it whole, so a repeated request has no side effect but cost.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from http import HTTPStatus
from typing import Any, Literal, Protocol

from chalicelib.errors import BreakerOpenError, PermanentError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.vendors.breaker import MODEL_OPEN, ModelBreakers
from chalicelib.vendors.reasons import MODEL_NOT_FOUND

FIRST_SHARE = 0.6
"""The part of a request's time that the first model gets, if there is a fallback model."""
LEAST_SECONDS = 5.0
"""The fallback model is not asked if less time than this is left."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """One message of the conversation that a model is shown; the caller redacts it."""

    role: Literal["user", "assistant", "developer"]
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """The JSON object that a model must answer with.

    Attributes:
        name: at most 64 of ``A-Za-z0-9_-``.
        schema: strict: every object has ``additionalProperties: false`` and requires all of its
            properties; optional values are a union with null.
    """

    name: str
    schema: Mapping[str, Any]

    @property
    def required(self) -> Sequence[str]:
        """The names of the properties that the model's JSON object must have."""
        found: Sequence[str] = self.schema.get("required", ())
        return found


class Structured(StrEnum):
    """How a model is made to answer with a JSON object, where its provider has more than one way."""

    TOOL = "tool"
    """The model must call a tool, whose input is the object."""
    SCHEMA = "json_schema"
    """The schema of the answer is sent as the form of the model's output."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manner:
    """The settings with which one model is asked, whatever the question.

    Attributes:
        reasoning_effort: for models that reason, e.g. ``low``; ``none`` turns it off.
        reasoning_tokens: the most tokens for the reasoning, in addition to the answer's own.
        structured: how a JSON object is asked for.
        keeps_prefix: whether the vendor is asked to cache the instructions for the next request.
        timeout_seconds: of one request to this model.
    """

    reasoning_effort: str | None = None
    reasoning_tokens: int = 0
    structured: Structured = Structured.TOOL
    keeps_prefix: bool = False
    timeout_seconds: float = float("inf")


PLAIN = Manner()
"""The settings for a model without its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRequest:
    """One question to a language model.

    Attributes:
        model: its name at the vendor; always configuration.
        instructions: the task; sent first with every request, so that a vendor can cache it.
        turns: the conversation so far, oldest first, at least one.
        max_output_tokens: limit of the answer, apart from the reasoning.
        schema: request a JSON object of this form.
        fallback_model: asked where the first model is gone, throttled, down or too slow; see
            `with_fallback`.
        safety_identifier: an opaque id of the end user, never personal data.
        manners: by model name; `PLAIN` for others.
    """

    model: str
    instructions: str = field(repr=False)
    turns: Sequence[ModelTurn]
    max_output_tokens: int
    schema: JsonSchema | None = None
    fallback_model: str | None = None
    safety_identifier: str | None = None
    manners: Mapping[str, Manner] = field(default_factory=dict)

    def manner(self, model: str) -> Manner:
        """The settings with which a model is asked; `PLAIN` for a model without its own."""
        return self.manners.get(model, PLAIN)

    def most_tokens(self, model: str) -> int:
        """The most tokens that a model may generate: its reasoning and the answer."""
        return self.max_output_tokens + self.manner(model).reasoning_tokens


class ModelOutcome(StrEnum):
    """How a model's answer ended; only a `COMPLETED` answer may be used."""

    COMPLETED = "completed"
    REFUSED = "refused"
    INCOMPLETE = "incomplete"
    """The answer was cut off by the token limit or a content filter."""
    MALFORMED = "malformed"
    """A JSON object was requested and the answer's text is not one."""


@dataclass(frozen=True, slots=True)
class Usage:
    """The tokens that a model's vendor bills for one answer.

    Attributes:
        input_tokens: all that was sent, cached or not.
        output_tokens: all that was generated, reasoning included.
        cached_tokens: those of the input that were read from the vendor's cache.
        written_tokens: those of the input that were written to the vendor's cache.
    """

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0
    cached_tokens: int = 0
    written_tokens: int = 0


@dataclass(frozen=True, slots=True)
class ModelAnswer:
    """A language model's answer, with the tokens that it cost.

    Attributes:
        text: all message parts, joined; empty after a refusal.
        json: the parsed object, where a schema was requested and the answer is completed.
        reason: a fixed code for any other outcome than completed, e.g. ``max_output_tokens``.
        model: the model that answered, which may be the fallback.
    """

    outcome: ModelOutcome
    text: str = field(repr=False)
    json: Mapping[str, Any] | None = field(repr=False)
    usage: Usage
    response_id: str
    model: str
    reason: str | None = None


class LanguageModel(Protocol):
    """The port of a language model; implemented by `vendors.openai` and `vendors.bedrock`."""

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Ask the language model one question.

        Args:
            request: the question.
            deadline_seconds: total, including a second request to the fallback model.

        Raises:
            TransientError: down, slow or rate limited; a later retry may succeed.
            PermanentError: refused permanently; ``insufficient_quota`` and similar codes included.
            AuthError: the key is refused.
        """
        ...

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """The categories that the vendor's own moderation flags in a text; none where nothing is flagged.

        Raises:
            TransientError: down, slow or rate limited; a later retry may succeed.
            PermanentError: refused permanently.
            AuthError: the key is refused.
        """
        ...


def with_fallback(
    ask: Callable[[str, float], ModelAnswer],
    request: ModelRequest,
    deadline_seconds: float,
    clock: Clock,
    breakers: ModelBreakers,
) -> ModelAnswer:
    """Ask a model, then the fallback if the first is gone, throttled, down or too slow, or its breaker open.

    Args:
        ask: one request to a model by name, within so many seconds.
        request: names the first model, and the fallback, if there is any.
        deadline_seconds: total.
        clock: measures how much time is left.
        breakers: of the API key that the models are asked with.

    Raises:
        BreakerOpenError: the last model has timed out twice in a row, so it is not asked.
        ProviderError: of the last model that was asked.
    """

    def asked(name: str, seconds: float) -> ModelAnswer:
        with breakers.of(name).attempt("respond"):
            return ask(name, min(seconds, request.manner(name).timeout_seconds))

    model, fallback_model = request.model, request.fallback_model
    if fallback_model is None or fallback_model == model:
        return asked(model, deadline_seconds)
    ends = clock.monotonic() + deadline_seconds
    try:
        return asked(model, deadline_seconds * FIRST_SHARE)
    except PermanentError as error:
        if error.status != HTTPStatus.NOT_FOUND and error.reason != MODEL_NOT_FOUND:
            raise
    except BreakerOpenError as error:
        if error.reason != MODEL_OPEN:
            raise  # the vendor itself is down
    except TransientError:
        if ends - clock.monotonic() < LEAST_SECONDS:
            raise
    return asked(fallback_model, ends - clock.monotonic())
