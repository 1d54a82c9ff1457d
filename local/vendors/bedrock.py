"""A simulated Amazon Bedrock: `Converse` as the REST-JSON of the real API, so boto3 is the client.

Answers are scripted, newest script first; without a script the answer is the smallest object that
the forced tool allows, or a sentence::

    with Bedrock() as bedrock:
        bedrock.script(json={"1": "Ada"}, contains="recruitment")
        bedrock.script(incomplete="max_tokens")
        bedrock.answer_by(simulated_model.answer)     # any function of the request

A function gets the request in the shape of `local.vendors.openai`, so one model serves both.  Like the
real API it checks for a SigV4 signature of the service, the parameters, the model, that roles
alternate and begin with the user's, and that a forced tool is declared.
"""

from __future__ import annotations

import itertools
import json
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from local.vendors import simulated
from local.vendors.openai import Script, smallest
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

MODELS = ("amazon.nova-lite-v1:0", "amazon.nova-micro-v1:0")
_SIGNED = "AWS4-HMAC-SHA256 Credential="
_PARAMETERS = frozenset(
    {
        *("messages", "system", "inferenceConfig", "toolConfig", "guardrailConfig"),
        *("additionalModelRequestFields", "promptVariables", "additionalModelResponseFieldPaths"),
        *("requestMetadata", "performanceConfig", "serviceTier", "outputConfig"),
    }
)
"""The members of `ConverseRequest` in the SDK's service model, but the model's id in the path."""
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


class SimulatedBedrock(simulated.Vendor):
    """The server.

    Args:
        port: 0 for any free port.
        models: the models that the account may invoke.

    Its `base_url` is the value for ``AWS_ENDPOINT_URL_BEDROCK_RUNTIME``.
    """

    name = "bedrock"

    def __init__(self, port: int = 0, *, models: Iterable[str] = MODELS) -> None:
        self._first = tuple(models)
        super().__init__(port)

    def _clear(self) -> None:
        self._scripts: list[Script] = []
        self._function: Callable[[Mapping[str, Any]], Any] | None = None
        self._numbers = itertools.count(1)
        self.models = list(self._first)

    def script(self, **settings: Any) -> Script:  # noqa: ANN401 - fields of Script
        """Add an answer; the newest one that matches is used."""
        one = Script(**settings)
        with self.lock:
            self._scripts.insert(0, one)
        return one

    def answer_by(self, function: Callable[[Mapping[str, Any]], Any] | None) -> None:
        """Answer unscripted requests by a function of the request."""
        with self.lock:
            self._function = function

    # --- the API --------------------------------------------------------------------------------

    def operation_of(self, request: Request) -> str:
        """``converse`` or ``unknown``."""
        match (request.method, *request.segments):
            case ("POST", "model", _, "converse"):
                return "converse"
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
        if operation != "converse":
            return self._error(404, "unknown operation")
        model, body = unquote(request.segments[1]), request.body
        if model not in self.models:
            return self._error(404, "The model does not exist.")
        flaw = _flaw_of(body)
        if flaw is not None:
            return self._error(400, flaw)
        shown = json.dumps([body.get("system"), body["messages"]], ensure_ascii=False)
        script = next((one for one in self._scripts if one.spend(shown)), None)
        number = next(self._numbers)
        answer = _response(body, script or self._unscripted(body), shown)
        return WireAnswer(200, answer, {"x-amzn-requestid": f"bedrock-{number:08d}"})

    def _error(self, status: int, message: str) -> WireAnswer:
        return WireAnswer(status, {**self.error_body(status), "message": message})

    def _unscripted(self, body: Mapping[str, Any]) -> Script:
        tool = _forced(body)
        if self._function is not None:
            given = self._function(as_responses(body))
            return Script(text=given) if isinstance(given, str) else Script(json=given)
        if tool is not None:
            return Script(json=smallest(tool["inputSchema"]["json"]))
        return Script(text="Thank you for your message.")


def as_responses(body: Mapping[str, Any]) -> dict[str, Any]:
    """A request in the shape of OpenAI's Responses API."""
    instructions, *given = [part["text"] for part in body.get("system", [{"text": ""}])]
    turns = [{"role": "developer", "content": text} for text in given]
    for message in body["messages"]:
        turns += [{"role": message["role"], "content": one["text"]} for one in message["content"]]
    tool = _forced(body)
    form: dict[str, Any] = {"type": "text"}
    if tool is not None:
        form = {
            "type": "json_schema",
            "name": tool["name"],
            "schema": tool["inputSchema"]["json"],
        }
    return {"instructions": instructions, "input": turns, "text": {"format": form}}


def _forced(body: Mapping[str, Any]) -> dict[str, Any] | None:
    """The tool that must be called."""
    config = body.get("toolConfig") or {}
    name = (config.get("toolChoice") or {}).get("tool", {}).get("name")
    specs = [one["toolSpec"] for one in config.get("tools", [])]
    return next((one for one in specs if one["name"] == name), None)


def _flaw_of(body: Any) -> str | None:  # noqa: ANN401 - any JSON
    """Why the real API would refuse a request, or None."""
    if not isinstance(body, dict) or not body.get("messages"):
        return "messages is required"
    unknown = sorted(body.keys() - _PARAMETERS)
    if unknown:
        return f"unknown parameter {unknown[0]}"
    roles = [one.get("role") for one in body["messages"]]
    if roles[0] != "user":
        return "A conversation must start with a user message."
    if any(one == other for one, other in itertools.pairwise(roles)):
        return "Conversation roles must alternate between user and assistant."
    parts = [part for one in body["messages"] for part in one["content"]]
    if any(not part.get("text") for part in (*parts, *body.get("system", []))):
        return "The text field in the ContentBlock object is blank."
    if (body.get("toolConfig") or {}).get("toolChoice") and _forced(body) is None:
        return "The tool in toolChoice is not in tools."
    return None


def _response(body: Mapping[str, Any], script: Script, shown: str) -> dict[str, Any]:
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
    asked, said = len(shown) // 4 + 1, len(json.dumps(content)) // 4 + 1
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": reason,
        "usage": {"inputTokens": asked, "outputTokens": said, "totalTokens": asked + said},
        "metrics": {"latencyMs": 12},
    }
