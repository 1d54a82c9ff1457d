"""A simulated OpenAI: the Responses API, moderation, models, and errors for APIs that were shut down.

Responses are scripted, newest script first; without a script the response is the smallest object
that the requested schema allows, or a sentence::

    with OpenAI() as openai:
        openai.script(json={"1": "Ada"}, contains="recruitment")
        openai.script(refusal="I can't help with that.", times=1)
        openai.answer_by(lambda body: {"greeting": "Hello"})      # any function of the request

Like the real API it checks the bearer key, the parameters, the model and the strictness of a
schema.  The first item of a response's output is a reasoning item, as it often is; what is reasoned
counts against ``max_output_tokens`` (`ModelBehaviour.thinks`), and the beginnings of prompts are kept.
"""

from __future__ import annotations

import json
import re
import sys
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from local.vendors import openai_moderation
from local.vendors.model_behaviour import FIRST_STEP, ModelBehaviour, counted
from local.vendors.scripted_models import Script, ScriptedModels
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

API_KEY = "simulated-openai-key"
MODELS = ("gpt-6-luna", "gpt-5.6-luna")
QUOTA_BODY = {
    "error": {
        "message": "You exceeded your current quota.",
        "type": "insufficient_quota",
        "param": None,
        "code": "insufficient_quota",
    }
}
"""For ``fault("status", status=429, body=QUOTA_BODY)``: waiting does not help."""
MIN_OUTPUT_TOKENS = 16
"""The least that `max_output_tokens` may be."""
_ROLES = frozenset({"user", "assistant", "system", "developer"})
_EFFORTS = frozenset({"none", "minimal", "low", "medium", "high", "xhigh"})
_MESSAGE_FIELDS = frozenset({"type", "role", "content", "id", "status", "phase"})
_PARAMETERS = frozenset(
    {
        "background",
        "conversation",
        "include",
        "input",
        "instructions",
        "max_output_tokens",
        "max_tool_calls",
        "metadata",
        "model",
        "parallel_tool_calls",
        "previous_response_id",
        "prompt_cache_key",
        "reasoning",
        "safety_identifier",
        "service_tier",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "text",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "truncation",
        "user",
    }
)
"""The parameters of ``responses.create`` in the vendor's SDK; another one is refused."""
_SHUT_DOWN = frozenset({"assistants", "threads", "prompts"})
_PAYS_FOR_WRITING = re.compile(r"gpt-(?:5\.6|6)")
"""Models whose prompts cost more where they are kept."""
_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@dataclass(slots=True)
class OpenAiBehaviour(ModelBehaviour):
    """How this account behaves.

    Attributes:
        conversation_locked: another request holds every conversation: 400, which may be retried.
        reasoning_item: a reasoning item comes first in ``output``.
        status: the status in every response: completed, failed, in_progress ...
    """

    conversation_locked: bool = False
    reasoning_item: bool = True
    status: str = "completed"


class SimulatedOpenAI(ScriptedModels):
    """The server.

    Args:
        port: 0 for any free port.
        api_keys: valid keys.
        models: the account's models.

    Its `base_url` is the value for ``OPENAI_BASE_URL`` (the vendor's own SDK needs ``/v1`` added).
    """

    name = "openai"
    modes_type = OpenAiBehaviour
    modes: OpenAiBehaviour

    def __init__(
        self, port: int = 0, *, api_keys: Iterable[str] = (API_KEY,), models: Iterable[str] = MODELS
    ) -> None:
        self._first = (tuple(api_keys), tuple(models))
        super().__init__(port)

    def _clear(self) -> None:
        super()._clear()
        self.api_keys, self.models = list(self._first[0]), list(self._first[1])

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``respond``, ``moderate``, ``list_models``, ``read_model`` or ``unknown``."""
        match (request.method, *request.segments):
            case ("POST", "v1", "responses"):
                return "respond"
            case ("POST", "v1", "moderations"):
                return "moderate"
            case ("GET", "v1", "models"):
                return "list_models"
            case ("GET", "v1", "models", _):
                return "read_model"
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:  # noqa: ARG002
        """401 without a known key."""
        kind, _, key = request.headers.get("authorization", "").partition(" ")
        if kind.lower() != "bearer" or key not in self.api_keys:
            return WireAnswer(401, _error("Incorrect API key provided.", "invalid_api_key"))
        return None

    def error_body(self, status: int) -> dict[str, Any]:
        """The vendor's envelope."""
        code, kind = _ERRORS.get(status, ("invalid_request", "invalid_request_error"))
        return _error(f"status {status}", code, kind=kind)

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
        number = next(self._numbers)
        headers = {"x-request-id": f"req_{number:08d}", "openai-processing-ms": "12"}
        match operation:
            case "list_models":
                rows = [_model(model) for model in self.models]
                answer = WireAnswer(200, {"object": "list", "data": rows})
            case "read_model":
                answer = self._read_model(request.segments[2])
            case "respond":
                answer = self._respond(request.body, number)
            case "moderate":
                answer = _moderated(request.body, number)
            case _:
                old = request.segments[1:2] and request.segments[1] in _SHUT_DOWN
                message = "This API was shut down." if old else "Invalid URL"
                answer = WireAnswer(404, _error(message, "not_found"))
        return WireAnswer(answer.status, answer.body, {**headers, **answer.headers})

    def _read_model(self, name: str) -> WireAnswer:
        if name not in self.models:
            return WireAnswer(404, _error(f"The model '{name}' does not exist.", "model_not_found"))
        return WireAnswer(200, _model(name))

    def _respond(self, body: Any, number: int) -> WireAnswer:  # noqa: ANN401
        problem = self._problem(body)
        if problem is not None:
            return problem
        shown = json.dumps([body.get("instructions"), body["input"]], ensure_ascii=False)
        form = (body.get("text") or {}).get("format") or {}
        schema = form["schema"] if form.get("type") == "json_schema" else None
        return WireAnswer(200, self._response(body, self.said(shown, body, schema), number))

    def _problem(self, body: Any) -> WireAnswer | None:  # noqa: ANN401
        """The error response to a request that the real API would reject."""
        if not isinstance(body, dict) or not body.get("model"):
            return WireAnswer(
                400, _error("you must provide a model parameter", "missing_parameter")
            )
        refused = _parameter_flaw(body)
        if refused is not None:
            return refused
        if body["model"] not in self.models:
            return WireAnswer(404, _error("The model does not exist.", "model_not_found"))
        if not isinstance(body.get("input"), str | list) or not body["input"]:
            return WireAnswer(400, _error("input is required", "missing_parameter", param="input"))
        form = (body.get("text") or {}).get("format") or {"type": "text"}
        flaw = _flaw_of(form) if form.get("type") == "json_schema" else None
        if flaw:
            return WireAnswer(400, _error(flaw, "invalid_json_schema", param="text.format.schema"))
        return self._conversation_problem(body)

    def _conversation_problem(self, body: Mapping[str, Any]) -> WireAnswer | None:
        if body.get("conversation") and body.get("previous_response_id"):
            return WireAnswer(400, _error("mutually exclusive", "mutually_exclusive_parameters"))
        if body.get("conversation") and self.modes.conversation_locked:
            message = "Another process is currently operating on this conversation."
            return WireAnswer(400, _error(message, "conversation_locked", param="conversation"))
        return None

    def _response(self, body: Mapping[str, Any], script: Script, number: int) -> dict[str, Any]:
        text = script.text
        if text is None:
            text = json.dumps(script.json)
            text = text[: len(text) // 2] if script.incomplete else text
        part: dict[str, Any] = {"type": "output_text", "text": text, "annotations": []}
        if script.refusal is not None:
            part = {"type": "refusal", "refusal": script.refusal}
        reasoned = self.modes.reasoned((body.get("reasoning") or {}).get("effort"))
        most = body.get("max_output_tokens") or sys.maxsize
        has_thought_only = reasoned > 0 and reasoned + counted(text) > most
        if has_thought_only:
            script, reasoned, text = replace(script, incomplete="max_output_tokens"), most, ""
        status = "incomplete" if script.incomplete else self.modes.status
        message = {
            "type": "message",
            "id": f"msg_{number:08d}",
            "role": "assistant",
            "status": "incomplete" if status == "incomplete" else "completed",
            "content": [part],
        }
        reasoning = {"type": "reasoning", "id": f"rs_{number:08d}", "summary": []}
        now = int(time.time())
        failed = status == "failed"
        return {
            "id": f"resp_{number:08d}",
            "object": "response",
            "created_at": now,
            "completed_at": now if status == "completed" else None,
            "status": status,
            "error": {"code": "server_error", "message": "The model failed."} if failed else None,
            "incomplete_details": {"reason": script.incomplete} if script.incomplete else None,
            "instructions": body.get("instructions"),
            "model": body["model"],
            "output": []
            if failed
            else [
                *([reasoning] if self.modes.reasoning_item else []),
                *([] if has_thought_only else [message]),
            ],
            "parallel_tool_calls": True,
            "tool_choice": "auto",
            "tools": [],
            "temperature": 1.0,
            "top_p": 1.0,
            "max_output_tokens": body.get("max_output_tokens"),
            "previous_response_id": body.get("previous_response_id"),
            "conversation": body.get("conversation"),
            "store": body.get("store", True),
            "text": body.get("text") or {"format": {"type": "text"}},
            "truncation": "disabled",
            "metadata": body.get("metadata") or {},
            "service_tier": "default",
            "usage": None if failed else self._usage(body, text, reasoned),
        }

    def _usage(self, body: Mapping[str, Any], text: str, reasoned: int) -> dict[str, Any]:
        """The tokens of a response; of the prompt those that were kept of an earlier one."""
        form = (body.get("text") or {}).get("format") or {}
        whole = [form.get("schema"), body.get("instructions"), body["input"]]
        prompt = json.dumps(whole, ensure_ascii=False)
        read = self._kept.read(f"{body['model']} {body.get('prompt_cache_key')}", prompt)
        asked, said = counted(prompt), (counted(text) if text else 0) + reasoned
        is_paid_for = _PAYS_FOR_WRITING.match(body["model"]) and asked >= FIRST_STEP
        return {
            "input_tokens": asked,
            "input_tokens_details": {
                "cached_tokens": read,
                "cache_write_tokens": asked - read if is_paid_for else 0,
            },
            "output_tokens": said,
            "output_tokens_details": {"reasoning_tokens": reasoned},
            "total_tokens": asked + said,
        }

    # --- driven from another process ------------------------------------------------------------


def _moderated(body: Any, number: int) -> WireAnswer:  # noqa: ANN401 - any JSON value
    """The answer of the moderation endpoint."""
    given = body.get("input") if isinstance(body, dict) else None
    texts = [given] if isinstance(given, str) else given
    if not isinstance(texts, list) or not all(isinstance(text, str) for text in texts) or not texts:
        return WireAnswer(400, _error("input is required", "missing_parameter", param="input"))
    model = body.get("model", openai_moderation.MODELS[0])
    if model not in openai_moderation.MODELS:
        return WireAnswer(404, _error("The model does not exist.", "model_not_found"))
    results = [openai_moderation.judged(text) for text in texts]
    return WireAnswer(200, {"id": f"modr-{number:08d}", "model": model, "results": results})


def _error(
    message: str, code: str, *, param: str | None = None, kind: str = "invalid_request_error"
) -> dict[str, Any]:
    return {"error": {"message": message, "type": kind, "param": param, "code": code}}


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 1760000000, "owned_by": "openai"}


def _flaw_of(form: Mapping[str, Any]) -> str | None:
    """Why a format is rejected, or None."""
    name = form.get("name")
    if not isinstance(name, str) or not _NAME.fullmatch(name):
        return "Invalid 'text.format.name'"
    if not isinstance(form.get("schema"), dict):
        return "Missing 'text.format.schema'"
    return _looseness(form["schema"], "root") if form.get("strict") else None


def _parameter_flaw(body: Mapping[str, Any]) -> WireAnswer | None:
    """The error response to a parameter that is unknown or has a value out of range."""

    def wrong(message: str, code: str, param: str) -> WireAnswer:
        return WireAnswer(400, _error(message, code, param=param))

    unknown = sorted(body.keys() - _PARAMETERS)
    if unknown:
        return wrong(f"Unknown parameter: '{unknown[0]}'.", "unknown_parameter", unknown[0])
    most = body.get("max_output_tokens")
    if most is not None and (not isinstance(most, int) or isinstance(most, bool)):
        return wrong("Expected an integer.", "invalid_type", "max_output_tokens")
    if most is not None and most < MIN_OUTPUT_TOKENS:
        message = f"Expected a value >= {MIN_OUTPUT_TOKENS}."
        return wrong(message, "integer_below_min_value", "max_output_tokens")
    effort = (body.get("reasoning") or {}).get("effort")
    if effort is not None and effort not in _EFFORTS:
        return wrong("Invalid value for effort.", "invalid_value", "reasoning.effort")
    given = body.get("input")
    for number, item in enumerate(given if isinstance(given, list) else ()):
        where = f"input[{number}]"
        if not isinstance(item, dict) or item.get("type", "message") != "message":
            continue
        if item.get("role") not in _ROLES:
            return wrong("Invalid value for role.", "invalid_value", f"{where}.role")
        if item.keys() - _MESSAGE_FIELDS:
            return wrong("Unknown parameter.", "unknown_parameter", where)
        if not isinstance(item.get("content"), str | list):
            return wrong("Invalid type for content.", "invalid_type", f"{where}.content")
    return None


def _looseness(schema: Mapping[str, Any], where: str) -> str | None:
    """Where a strict schema is not strict."""
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False:
            return f"{where}: 'additionalProperties' is required to be false"
        if set(schema.get("required", ())) != set(properties):
            return f"{where}: 'required' must name every property"
        inner = properties.items()
    elif isinstance(schema.get("items"), dict):
        inner = [("items", schema["items"])]
    else:
        inner = [
            (f"anyOf {number}", choice) for number, choice in enumerate(schema.get("anyOf", ()))
        ]
    flaws = (_looseness(member, f"{where}.{name}") for name, member in inner)
    return next((flaw for flaw in flaws if flaw), None)


_ERRORS = {
    401: ("invalid_api_key", "invalid_request_error"),
    403: ("unsupported_country_region_territory", "request_forbidden"),
    404: ("model_not_found", "invalid_request_error"),
    429: ("rate_limit_exceeded", "requests"),
    500: ("server_error", "server_error"),
    503: ("server_is_overloaded", "server_error"),
}
