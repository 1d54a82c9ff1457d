"""What the simulated vendors of models answer: scripts, then a function, then the least allowed."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from local.vendors import simulated
from local.vendors.model_behaviour import KeptPrompts, ModelBehaviour
from local.vendors.wire import Request, WireAnswer

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

HELP = f"""{simulated.HELP}
GET    /_sim/scripts               scripted answers still pending
POST   /_sim/scripts               {{"json": {{}}, "contains": "text of the request", "times": 1}};
                                   or text, refusal, incomplete in place of json
DELETE /_sim/scripts               remove all of them
"""


@dataclass(slots=True)
class Script:
    """One scripted response.

    Attributes:
        contains: only for requests whose instructions or input contain this.
        times: how many requests it is used for; None for all.
        incomplete: a reason, ``max_output_tokens`` or ``content_filter``; JSON is then cut in half.
    """

    json: Any = None
    text: str | None = None
    refusal: str | None = None
    incomplete: str | None = None
    contains: str = ""
    times: int | None = None

    def spend(self, shown: str) -> bool:
        """Whether it applies to this request; counts down."""
        if self.contains not in shown or self.times == 0:
            return False
        if self.times is not None:
            self.times -= 1
        return True


class ScriptedModels(simulated.Vendor):
    """A server of models; `_clear` of a vendor calls this one's."""

    modes: ModelBehaviour
    help_text = HELP

    def _clear(self) -> None:
        self._scripts: list[Script] = []
        self._function: Callable[[Mapping[str, Any]], Any] | None = None
        self._numbers = itertools.count(1)
        self._kept = KeptPrompts()

    def script(self, **settings: Any) -> Script:  # noqa: ANN401 - fields of Script
        """Add an answer; the newest one that matches is used."""
        script = Script(**settings)
        with self.lock:
            self._scripts.insert(0, script)
        return script

    def answer_by(self, function: Callable[[Mapping[str, Any]], Any] | None) -> None:
        """Answer unscripted requests by a function of OpenAI's body: an object (as JSON) or a text."""
        with self.lock:
            self._function = function

    def said(self, shown: str, body: Mapping[str, Any], schema: Mapping[str, Any] | None) -> Script:
        """What the model says to one request.

        Args:
            shown: the texts of the request, in which a script looks for its own.
            body: the request in OpenAI's shape.
            schema: of the answer; None for a sentence.
        """
        script = next((script for script in self._scripts if script.spend(shown)), None)
        if script is not None:
            return script
        if self.modes.refuses:
            return Script(refusal="I can't help with that.")
        if self._function is not None:
            given = self._function(body)
            return Script(text=given) if isinstance(given, str) else Script(json=given)
        if schema is not None:
            return Script(json=smallest(schema))
        return Script(text="Thank you for your message.")

    def admin(self, request: Request) -> WireAnswer:
        """Adds scripts to the paths of every vendor."""
        match (request.method, *request.segments[1:]):
            case ("GET", "scripts"):
                rows = [
                    {"contains": script.contains, "times": script.times} for script in self._scripts
                ]
                return WireAnswer(200, {"scripts": rows})
            case ("POST", "scripts"):
                self.script(**request.body)
                return WireAnswer(200, {"ok": True})
            case ("DELETE", "scripts"):
                self._scripts.clear()
                return WireAnswer(200, {"ok": True})
        return super().admin(request)


def smallest(schema: Mapping[str, Any]) -> Any:  # noqa: ANN401 - JSON, a case per type
    """The smallest value a schema allows."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    if "anyOf" in schema:
        return smallest(schema["anyOf"][0])
    kind = schema.get("type")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            return {name: smallest(member) for name, member in schema.get("properties", {}).items()}
        case "array":
            return [smallest(schema["items"]) for _ in range(schema.get("minItems", 0))]
        case "string":
            return "x" * int(schema.get("minLength", 1))
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
    return None
