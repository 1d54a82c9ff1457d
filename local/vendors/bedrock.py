"""A simulated Amazon Bedrock: `Converse` and `ApplyGuardrail` as the REST-JSON of the real API.

Answers are scripted, newest script first; without a script the answer is the smallest object that
the forced tool allows, or a sentence::

    with Bedrock() as bedrock:
        bedrock.script(json={"1": "Ada"}, contains="recruitment")
        bedrock.script(incomplete="max_tokens")
        bedrock.answer_by(simulated_model.answer)     # any function of the request

A function gets the request in the shape of `local.vendors.openai`, so one model serves both.  Like the
real API it checks for a SigV4 signature of the service, the parameters, the model, that roles
alternate and begin with the user's, that a forced tool is declared, and that a model knows the form of
answer that it is asked for.  What is before a ``cachePoint`` is kept, and what is reasoned counts against
``maxTokens`` (`ModelBehaviour.thinks`).  The guardrail judges as the simulated moderation does.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.vendors import openai_moderation
from local.vendors.model_behaviour import ModelBehaviour, counted
from local.vendors.scripted_models import Script, ScriptedModels
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MODELS = (
    "amazon.nova-lite-v1:0",
    "amazon.nova-micro-v1:0",
    "anthropic.claude-haiku-4-5-20251001-v1:0",
    "anthropic.claude-haiku-5-5",
)
GUARDRAIL = "simulatedguardrail"
KEPT_FROM = 1000
"""Tokens from which the beginning of a prompt is kept; the real Claude models need more."""
_FILTERS = {
    "harassment": "INSULTS",
    "harassment/threatening": "VIOLENCE",
    "sexual": "SEXUAL",
    "self-harm": "MISCONDUCT",
    "violence": "VIOLENCE",
    "hate": "HATE",
}
"""A guardrail's filters, by the category of the simulated moderation."""
_SIGNED = "AWS4-HMAC-SHA256 Credential="
_PARAMETERS = frozenset(
    {
        *("messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig"),
        *("additionalModelRequestFields", "promptVariables", "additionalModelResponseFieldPaths"),
        *("requestMetadata", "performanceConfig", "serviceTier", "outputConfig"),
    }
)
"""The members of `ConverseRequest` in the SDK's service model, but the model's id in the path."""
_UNITS = (
    *("topicPolicyUnits", "contentPolicyUnits", "wordPolicyUnits"),
    *("sensitiveInformationPolicyUnits", "sensitiveInformationPolicyFreeUnits"),
    "contextualGroundingPolicyUnits",
)
_ERRORS: Mapping[int, str] = {
    400: "ValidationException",
    403: "AccessDeniedException",
    404: "ResourceNotFoundException",
    408: "ModelTimeoutException",
    424: "ModelErrorException",
    429: "ThrottlingException",
    500: "InternalServerException",
    503: "ServiceUnavailableException",
}


class SimulatedBedrock(ScriptedModels):
    """The server.

    Args:
        port: 0 for any free port.
        models: the models that the account may invoke.

    Its `base_url` is the value for ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``.
    """

    name = "bedrock"
    modes_type = ModelBehaviour
    modes: ModelBehaviour

    def __init__(self, port: int = 0, *, models: Iterable[str] = MODELS) -> None:
        self._first = tuple(models)
        super().__init__(port)

    def _clear(self) -> None:
        super()._clear()
        self.models = list(self._first)

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``converse``, ``apply_guardrail`` or ``unknown``."""
        match (request.method, *request.segments):
            case ("POST", "model", _, "converse"):
                return "converse"
            case ("POST", "guardrail", _, "version", _, "apply"):
                return "apply_guardrail"
        return "unknown"

    def refusal(self, request: Request, operation: str) -> WireAnswer | None:  # noqa: ARG002
        """403 without a signature for the service."""
        signature = request.headers.get("authorization", "")
        if not signature.startswith(_SIGNED) or "/bedrock/aws4_request" not in signature:
            return self._error(403, "Missing Authentication Token")
        return None

    def error_body(self, status: int) -> dict[str, Any]:
        """The service's error."""
        code = _ERRORS.get(status, "ValidationException")
        return {"__type": code, "message": f"status {status}"}

    def answer(self, request: Request, operation: str) -> WireAnswer:
        """Perform the operation."""
        if operation == "apply_guardrail":
            return self._judged(request)
        if operation != "converse":
            return self._error(404, "unknown operation")
        model, body = unquote(request.segments[1]), request.body
        if model not in self.models:
            return self._error(404, "The model does not exist.")
        flaw = _flaw_of(body, model)
        if flaw is not None:
            return self._error(400, flaw)
        shown = json.dumps([body.get("system"), body["messages"]], ensure_ascii=False)
        form, number = _form(body), next(self._numbers)
        said = self.said(shown, as_responses(body), form["schema"] if form else None)
        answer = self._response(model, body, said)
        return WireAnswer(200, answer, {"x-amzn-requestid": f"bedrock-{number:08d}"})

    def _judged(self, request: Request) -> WireAnswer:
        if unquote(request.segments[1]) != GUARDRAIL:
            return self._error(404, "The guardrail does not exist.")
        body = request.body
        if body.get("source") not in ("INPUT", "OUTPUT") or not body.get("content"):
            return self._error(400, "source and content are required")
        found = [openai_moderation.judged(part["text"]["text"]) for part in body["content"]]
        kinds = {
            _FILTERS[name]
            for verdict in found
            for name, is_so in verdict["categories"].items()
            if is_so
        }
        filters = [
            {"type": kind, "confidence": "HIGH", "action": "BLOCKED"} for kind in sorted(kinds)
        ]
        answer = {
            "action": "GUARDRAIL_INTERVENED" if filters else "NONE",
            "outputs": [{"text": "Blocked."}] if filters else [],
            "assessments": [{"contentPolicy": {"filters": filters}}] if filters else [],
            "usage": dict.fromkeys(_UNITS, 1),
        }
        return WireAnswer(200, answer)

    def _error(self, status: int, message: str) -> WireAnswer:
        return WireAnswer(status, {**self.error_body(status), "message": message})

    def _response(self, model: str, body: Mapping[str, Any], script: Script) -> dict[str, Any]:
        tool = _forced(body)
        reason = "end_turn"
        content: list[dict[str, Any]] = []
        if script.refusal is not None:
            reason = "content_filtered"
            content = [{"text": script.refusal}]
        elif script.text is not None:
            content = [{"text": script.text}]
        elif tool is not None:
            use = {"toolUseId": "tooluse_1", "name": tool["name"], "input": script.json}
            reason, content = "tool_use", [{"toolUse": use}]
        else:
            content = [{"text": json.dumps(script.json)}]
        reason = script.incomplete or reason
        said, most = counted(json.dumps(content)), body.get("inferenceConfig", {}).get("maxTokens")
        reasoned = self.modes.reasoned(_effort(body))
        if most is not None and reasoned and reasoned + said > most:
            content, reason, reasoned, said = [], "max_tokens", most, 0
        return {
            "output": {"message": {"role": "assistant", "content": content}},
            "stopReason": reason,
            "usage": self._usage(model, body, said + reasoned),
            "metrics": {"latencyMs": 12},
        }

    def _usage(self, model: str, body: Mapping[str, Any], said: int) -> dict[str, int]:
        """The tokens; those before a ``cachePoint`` are counted apart, where they are enough."""
        system = body.get("system", [])
        at = next((n for n, part in enumerate(system) if "cachePoint" in part), 0)
        prefix = json.dumps([body.get("toolConfig"), system[:at]], ensure_ascii=False) if at else ""
        whole = [body.get("toolConfig"), system, body["messages"]]
        asked = counted(json.dumps(whole, ensure_ascii=False))
        kept = counted(prefix) if at else 0
        kept = kept if kept >= KEPT_FROM else 0
        is_read = kept > 0 and self._kept.has(model, prefix)
        return {
            "inputTokens": asked - kept,
            "outputTokens": said,
            "totalTokens": asked + said,
            "cacheReadInputTokens": kept if is_read else 0,
            "cacheWriteInputTokens": 0 if is_read else kept,
        }


def as_responses(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request in the shape of OpenAI's Responses API."""
    texts = [part["text"] for part in body.get("system", []) if "text" in part]
    instructions, *given = texts or [""]
    turns = [{"role": "developer", "content": text} for text in given]
    for message in body["messages"]:
        turns += [{"role": message["role"], "content": part["text"]} for part in message["content"]]
    form = _form(body)
    asked = {"type": "text"} if form is None else {"type": "json_schema", **form}
    return {"instructions": instructions, "input": turns, "text": {"format": asked}}


def _form(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The form that the answer must have, by its name and its schema."""
    tool = _forced(body)
    if tool is not None:
        return {"name": tool["name"], "schema": tool["inputSchema"]["json"]}
    asked = (body.get("outputConfig") or {}).get("textFormat")
    if asked is None:
        return None
    written = asked["structure"]["jsonSchema"]
    return {"name": written["name"], "schema": json.loads(written["schema"])}


def _effort(body: Mapping[str, Any]) -> str:
    """How much the model reasons: Nova not by itself, Claude at medium effort."""
    more = body.get("additionalModelRequestFields") or {}
    if more.get("thinking") == {"type": "disabled"}:
        return "none"
    nova = more.get("reasoningConfig", {}).get("maxReasoningEffort")
    return str((body.get("outputConfig") or {}).get("effort") or nova or "none")


def _forced(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tool that must be called."""
    config = body.get("toolConfig") or {}
    name = (config.get("toolChoice") or {}).get("tool", {}).get("name")
    specs = [tool["toolSpec"] for tool in config.get("tools", [])]
    return next((spec for spec in specs if spec["name"] == name), None)


def _flaw_of(body: Any, model: str) -> str | None:  # noqa: ANN401 - any JSON
    """Why the real API would refuse a request, or None."""
    if not isinstance(body, dict) or not body.get("messages"):
        return "messages is required"
    unknown = sorted(body.keys() - _PARAMETERS)
    if unknown:
        return f"unknown parameter {unknown[0]}"
    roles = [message.get("role") for message in body["messages"]]
    if roles[0] != "user":
        return "A conversation must start with a user message."
    if any(role == other for role, other in itertools.pairwise(roles)):
        return "Conversation roles must alternate between user and assistant."
    parts = [part for message in body["messages"] for part in message["content"]]
    system = [part for part in body.get("system", []) if "cachePoint" not in part]
    if any(not part.get("text") for part in (*parts, *system)):
        return "The text field in the ContentBlock object is blank."
    if (body.get("toolConfig") or {}).get("toolChoice") and _forced(body) is None:
        return "The tool in toolChoice is not in tools."
    if (body.get("outputConfig") or {}).get("textFormat") and not model.startswith("anthropic."):
        return "This model doesn't support the outputConfig.textFormat field."
    return None
