"""Bodies of Bedrock's Converse API: what a request becomes, and what an answer means; pure.

Facts, from the SDK's own service model and these pages of docs.aws.amazon.com:

- bedrock/latest/APIReference/API_runtime_Converse.html: ``messages`` begin with a user's turn and the
  roles alternate; instructions are ``system``.  ``stopReason`` says how it ended.
- bedrock/latest/userguide/structured-output.html: a required form is ``outputConfig.textFormat`` where
  the model knows it; else it is a tool that must be called, whose ``input`` is the object
  (nova/latest/userguide/concept-chapter-servicename.html).  A model that answers in text all the same
  has not kept the form.
- bedrock/latest/userguide/prompt-caching.html: what comes before a ``cachePoint`` is kept for five
  minutes; ``inputTokens`` counts neither what was read from the cache nor what was written to it.
- nova/latest/nova2-userguide/extended-thinking.html: Nova reasons by ``reasoningConfig``, and not by
  itself; Claude by ``outputConfig.effort``, and by itself unless ``thinking`` is disabled
  (bedrock/latest/userguide/model-card-anthropic-claude-haiku-5-5.html).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, Field

from chalicelib.vendors import reasons
from chalicelib.vendors.language_model import (
    JsonSchema,
    Manner,
    ModelAnswer,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
    Structured,
    Usage,
)
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

BEGIN = "Begin."
"""The text of a user's turn that is added where none is first or last: the API requires one."""
NO_REASONING = "none"
_CUT_OFF = frozenset({"max_tokens", "model_context_window_exceeded"})
_REFUSED = frozenset({"guardrail_intervened", "content_filtered"})


def body(request: ModelRequest, model: str) -> dict[str, Any]:
    """The arguments of a Converse request to one model, without the model's id."""
    manner = request.manner(model)
    given = [turn.text for turn in request.turns if turn.role == "developer"]
    kept = [{"cachePoint": {"type": "default"}}] if manner.keeps_prefix else []
    made: dict[str, Any] = {
        "system": [{"text": request.instructions}, *kept, *({"text": text} for text in given)],
        "messages": _messages([turn for turn in request.turns if turn.role != "developer"]),
        "inferenceConfig": {"maxTokens": request.most_tokens(model)},
    }
    output: dict[str, Any] = {}
    if request.schema is not None and manner.structured is Structured.SCHEMA:
        output["textFormat"] = _format(request.schema)
    elif request.schema is not None:
        made["toolConfig"] = _tool(request.schema)
    effort = manner.reasoning_effort
    if effort is not None and _is_claude(model):
        if effort == NO_REASONING:
            made["additionalModelRequestFields"] = {"thinking": {"type": "disabled"}}
        else:
            output["effort"] = effort
    elif effort not in (None, NO_REASONING):
        config = {"type": "enabled", "maxReasoningEffort": effort}
        made["additionalModelRequestFields"] = {"reasoningConfig": config}
    return made | ({"outputConfig": output} if output else {})


def _is_claude(model: str) -> bool:
    return "anthropic." in model


def _format(schema: JsonSchema) -> dict[str, Any]:
    written = {"name": schema.name, "schema": json.dumps(schema.schema)}
    return {"type": "json_schema", "structure": {"jsonSchema": written}}


def _tool(schema: JsonSchema) -> dict[str, Any]:
    tool = {
        "name": schema.name,
        "description": "The only way to answer.",
        "inputSchema": {"json": dict(schema.schema)},
    }
    return {"tools": [{"toolSpec": tool}], "toolChoice": {"tool": {"name": schema.name}}}


def _messages(turns: Sequence[ModelTurn]) -> list[dict[str, Any]]:
    """The turns of a conversation as Converse requires them: alternating, the first and last a user's.

    Successive turns of one role are joined.
    """
    messages: list[dict[str, Any]] = []
    for turn in turns:
        part = {"text": turn.text or " "}  # an empty text is refused
        if messages and messages[-1]["role"] == turn.role:
            messages[-1]["content"].append(part)
        else:
            messages.append({"role": turn.role, "content": [part]})
    if not messages or messages[0]["role"] != "user":
        messages.insert(0, {"role": "user", "content": [{"text": BEGIN}]})
    if messages[-1]["role"] != "user":  # else the model would continue its own last turn
        messages.append({"role": "user", "content": [{"text": BEGIN}]})
    return messages


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
    cacheReadInputTokens: int = 0  # noqa: N815
    cacheWriteInputTokens: int = 0  # noqa: N815

    @property
    def counted(self) -> Usage:
        read, written = self.cacheReadInputTokens, self.cacheWriteInputTokens
        sent = self.inputTokens + read + written
        return Usage(sent, self.outputTokens, sent + self.outputTokens, read, written)


class ConverseResponse(BaseModel):
    """The response of Bedrock's Converse API, as far as it is read."""

    model_config = LENIENT

    output: _Output
    stopReason: str = ""  # noqa: N815
    usage: Annotated[_Usage, BeforeValidator(as_object)] = _Usage()


def answer(
    raw: ConverseResponse, request: ModelRequest, model: str, request_id: str
) -> ModelAnswer:
    """The `ModelAnswer` made from a Converse response; malformed where the requested JSON is missing."""
    parts = raw.output.message.content
    text = "".join(part.text for part in parts)
    outcome, reason = ModelOutcome.COMPLETED, None
    given: Mapping[str, Any] | None = None
    if raw.stopReason in _REFUSED:
        outcome, reason, text = ModelOutcome.REFUSED, raw.stopReason, ""
    elif raw.stopReason in _CUT_OFF:
        outcome, reason = ModelOutcome.INCOMPLETE, raw.stopReason
    elif request.schema is not None:
        given = _json_object(parts, request.schema, request.manner(model))
        if given is None:
            outcome, reason = ModelOutcome.MALFORMED, reasons.NOT_JSON
    return ModelAnswer(
        outcome=outcome,
        text=text,
        json=given,
        usage=raw.usage.counted,
        response_id=request_id,
        model=model,
        reason=reason,
    )


def _json_object(
    parts: Sequence[_Part], schema: JsonSchema, manner: Manner
) -> Mapping[str, Any] | None:
    """The JSON object in a model's answer; None where it or one of its required properties is missing."""
    found: Any = None
    if manner.structured is Structured.SCHEMA:
        try:
            found = json.loads("".join(part.text for part in parts))
        except (ValueError, RecursionError):
            return None
    else:
        found = next((part.toolUse.input for part in parts if part.toolUse is not None), None)
    is_whole = isinstance(found, dict) and set(schema.required) <= found.keys()
    return found if is_whole else None
