"""The port of a language model: one question, one answer, nothing kept at the vendor.

Whoever asks owns the history and sends it whole, so that asking again has no side effect but cost.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Literal, Protocol


@dataclass(frozen=True, slots=True)
class Turn:
    """One message of what the model is shown; redaction is the asker's duty."""

    role: Literal["user", "assistant", "developer"]
    text: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class JsonSchema:
    """The form the answer must have.

    Attributes:
        name: at most 64 of ``A-Za-z0-9_-``.
        schema: strict: every object has ``additionalProperties: false`` and requires all of its
            properties; what is optional is a union with null.
    """

    name: str
    schema: Mapping[str, Any]


class Outcome(StrEnum):
    """How a model's answer came out; only `COMPLETED` may be used."""

    COMPLETED = "completed"
    REFUSED = "refused"
    INCOMPLETE = "incomplete"
    """Cut off: too many tokens, or a content filter."""
    MALFORMED = "malformed"
    """A schema was asked for and the text is no JSON object."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens, as they are billed; the old names are prompt and completion tokens."""

    input_tokens: int = 0
    output_tokens: int = 0
    total_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: of all message parts, joined; empty where it refused.
        json: the parsed object where a schema was asked for and the answer is completed.
        reason: a fixed word for anything but completed, e.g. ``max_output_tokens``.
        model: the model that answered, which may be the fallback.
    """

    outcome: Outcome
    text: str = field(repr=False)
    json: Mapping[str, Any] | None = field(repr=False)
    usage: Usage
    response_id: str
    model: str
    reason: str | None = None


class LanguageModel(Protocol):
    """Answers; implemented by `adapters.openai`."""

    def respond(
        self,
        *,
        model: str,
        instructions: str,
        turns: Sequence[Turn],
        max_output_tokens: int,
        deadline_seconds: float,
        schema: JsonSchema | None = None,
        fallback_model: str | None = None,
        safety_identifier: str | None = None,
        reasoning_effort: str | None = None,
    ) -> Answer:
        """Ask once.

        Args:
            model: its name at the vendor; always configuration.
            instructions: what to do; sent each time.
            turns: the conversation so far, oldest first, at least one.
            max_output_tokens: reasoning included.
            deadline_seconds: for everything, a second question to the fallback included.
            schema: ask for a JSON object of this form.
            fallback_model: asked when the vendor no longer has the first one.
            safety_identifier: an opaque id of the end user, never personal data.
            reasoning_effort: for models that reason, e.g. ``low``.

        Raises:
            TransientError: down, slow or too many requests; asking again later may help.
            PermanentError: refused for good; ``insufficient_quota`` and its kin among them.
            AuthError: the key is refused.
        """
        ...
