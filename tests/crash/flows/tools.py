"""A model writes: a tool called at once, after a yes, with what it gives back; a budget that is spent."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from chalicelib.outreach import keys as outreach_keys
from local import company
from local.vendors.company_endpoint import SECRET
from local.vendors.openai import MODELS
from tests.crash.flow import STRAY, Arrival, Row, Step, http_event
from tests.crash.flows.companies import Told
from tests.crash.flows.outreach import CANARY
from tests.crash.run import Run

TOOL = "submit_application"
REQUEST = "Please submit my application"
RESULT = "/conversations/{request_id}/tools/{call_id}/result"
_NOTHING = {"hand_off_reason": None, "wants_no_more_messages": False}


class ToolCalled(Told):
    """A model writes, and asks for the tool when the recipient does."""

    name = "tools: SMS, a tool is called at once"
    counted_from = 2
    functions = ("outreach_worker", "later", "reconcile")
    is_irreversible = False
    more: Mapping[str, Any] = MappingProxyType({})

    def variables(self, run: Run) -> Mapping[str, str]:
        model = {"OPENAI_BASE_URL": run.rig.proxy.url("openai"), "OPENAI_MODEL": MODELS[0]}
        return {**super().variables(run), **model}

    def prepare(self, run: Run) -> None:
        super().prepare(run)
        declared = {
            "name": TOOL,
            "irreversible": self.is_irreversible,
            "acknowledgement": "Thank you, your application is on its way.",
            "parameters": {
                "type": "object",
                "required": ["job_ref"],
                "properties": {"job_ref": {"type": "string", "maxLength": 8}},
            },
            "result": {"type": "object", "properties": {"reference": {"type": "string"}}},
        }
        config = {**company.ai_config_of_models(run.stage.name), "tools": [declared]}
        url = f"{run.rig.proxy.url('company')}/events"
        company.create(run.stage, event_webhook={"url": url}, ai_config=config, **self.more)
        company.put_signing_secret(run.stage, SECRET)
        company.put_model_keys(run.stage)
        run.rig.twilio.set_modes(fates=[])  # `Told` has the reports
        run.rig.openai.answer_by(_answer)

    def steps(self, run: Run) -> Iterator[Step]:
        yield [self.start()]
        yield [self.writes(run, f"{REQUEST}, {CANARY}")]

    def landed(self, run: Run, actions: Mapping[str, Row]) -> Counter[str]:
        """A call by the message that acknowledges it, once for each id under which it was posted."""
        found = super().landed(run, actions)
        heard = Counter(
            outreach_keys.tool_action(call_data["conversation"], call_data["message_id"])
            for call_data in (event["data"] for event in run.rig.company.received.values())
            if "tool" in call_data
        )
        for key, row in actions.items():
            if row.get("action_kind") == "call_tool":
                found[key] = heard.pop(key, 0)
        for key, count in heard.items():
            found[STRAY + key] = count
        return found


class ToolConfirmed(ToolCalled):
    """The recipient is asked first, and says yes."""

    name = "tools: SMS, a tool is called after a yes"
    counted_from = 3
    is_irreversible = True

    def steps(self, run: Run) -> Iterator[Step]:
        yield from super().steps(run)
        yield [self.writes(run, "Yes")]


class ToolAnswered(ToolCalled):
    """The company gives back what its tool has done; the recipient hears of it."""

    name = "tools: SMS, what a tool has done is answered"
    counted_from = 3
    functions = ("api", *ToolCalled.functions)
    status = "done"

    def steps(self, run: Run) -> Iterator[Step]:
        yield from super().steps(run)
        called = [event["data"] for event in run.rig.company.received.values()]
        yield [self.gives_back(call) for call in called if "tool" in call]

    def gives_back(self, called: Mapping[str, Any]) -> Arrival:
        """The company posts the result of one call."""
        way, names = called["result"], {"request_id": called["request_id"]}
        headers = {"authorization": f"Bearer {way['token']}"}
        body = {"status": self.status, "data": {"reference": "A-17"}}

        def posted() -> dict[str, Any]:
            event = http_event(RESULT, headers, body)
            event["pathParameters"] = names | {"call_id": way["call_id"]}
            event["path"] = RESULT.format(**event["pathParameters"])
            return event

        key = outreach_keys.tool(way["token"].partition(".")[0], way["call_id"])
        return Arrival("api", posted, (key,))


class ToolFailed(ToolAnswered):
    """The company says that its tool has failed: a person gets the conversation."""

    name = "tools: SMS, a tool that failed is a person's"
    status = "failed"


class BudgetSpent(ToolCalled):
    """The opening has cost the conversation's whole budget: an answer says that a person comes."""

    name = "outreach: SMS, a budget is spent and a person is announced"
    more: Mapping[str, Any] = MappingProxyType({"model_budget": {"cents_per_conversation": 1}})

    def variables(self, run: Run) -> Mapping[str, str]:
        return {**super().variables(run), "MODEL_PRICES": json.dumps({MODELS[0]: (1_000, 1_000)})}


def _answer(body: Mapping[str, Any]) -> Any:
    """The model's answer: the tool where the recipient's newest message asks for it."""
    known = body["text"]["format"]["schema"]["properties"]
    call: dict[str, Any] = {"text": "Thank you for your message."}
    if REQUEST in json.dumps(body["input"][-1]):
        call = {
            "text": "",
            "function_call": TOOL,
            "function_arguments": json.dumps({"job_ref": "JR123"}),
        }
    return dict.fromkeys(known) | {
        name: v for name, v in (_NOTHING | call).items() if name in known
    }
