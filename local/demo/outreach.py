"""The outreach part of `make demo`: conversations that a company starts, on three channels.

Each start is posted twice and must be sent once.  Then follow callbacks (twice and out of order),
replies, a hand-off that a person approves, a STOP that blocks a later start, a conversation written by
a language model, a hand-off that a person takes, answers and gives back, and a tool whose call the
company's endpoint receives.  `tests/outside` tries every other promise.
"""

from __future__ import annotations

import importlib
import json
import threading
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import requests

from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import MACHINE_LINE, OPT_OUT_LINE
from local import aligned, company, simulated_model
from local.vendors.company_endpoint import SECRET, CompanyEndpoint

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from local.stack.system import Stack
    from local.vendors.twilio import WebhookPost

TEL = "+15550143287"
OTHER_TEL = "+15550143288"
MODEL_TEL = "+15550143289"
TOOL_TEL = "+15550143294"
MAIL = "barnaby.finch@mail.example"
TOOL = {
    "name": "submit_application",
    "parameters": {
        "type": "object",
        "required": ["job_ref"],
        "properties": {"job_ref": {"type": "string", "maxLength": 20}},
    },
    "acknowledgement": "Thank you, your application is on its way.",
}
TOOL_ARGUMENTS = {"job_ref": "JR123"}
TOOL_QUESTION = "Please submit my application"
WORDS = ("saxophone", "rhubarb", "cello")
CANARIES = (
    TEL[1:],
    OTHER_TEL[1:],
    MODEL_TEL[1:],
    TOOL_TEL[1:],
    MAIL,
    "barnaby",
    *WORDS,
)
QUIET_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class ReportLine:
    """One line of the report.

    Attributes:
        what: the step.
        answered: statuses of the responses to the Router.
        state: the conversation's outcome as the Router reads it.
        sent: messages sent so far.
        expected: messages that should have been sent so far.
    """

    what: str
    answered: str
    state: str
    sent: int
    expected: int

    @property
    def is_right(self) -> bool:
        """As many messages were sent as expected."""
        return self.sent == self.expected


def play(stack: Stack) -> tuple[str, list[str]]:
    """Run it on a running stack; returns the report and a list of problems."""
    chapter = _Chapter(stack)
    report, problems = reported("Outreach: every start is posted twice at once", chapter.lines())
    return report, [*problems, *chapter.problems()]


def reported(title: str, steps: Iterable[ReportLine]) -> tuple[str, list[str]]:
    """Run a chapter's steps; returns their table and which of them sent another number of messages."""
    lines = list(steps)
    report = f"{title}\n\n" + aligned.aligned(
        ("step", "response", "outcome for the Router", "messages sent so far"),
        ((line.what, line.answered, line.state, str(line.sent)) for line in lines),
    )
    return report, [
        f"{line.what}: {line.sent} messages were sent, expected {line.expected}"
        for line in lines
        if not line.is_right
    ]


class _Chapter:
    def __init__(self, stack: Stack) -> None:
        self.stack = stack
        self.services = importlib.import_module("chalicelib.wiring").services()
        self.answers: list[tuple[int, dict[str, Any]]] = []
        self.refused: list[int] = []
        """Error statuses of posts by Twilio."""
        self.wrong: list[str] = []

    def lines(self) -> Iterator[ReportLine]:
        """Run the steps, one line each."""
        for number, channel in enumerate(("whatsapp", "sms", "email"), start=1):
            recipient = MAIL if channel == "email" else TEL
            self._start(f"demo-{channel}", channel, recipient)
            yield self._line(f"a start by {channel}", f"demo-{channel}", number)
        for post in reversed(self.stack.twilio.callbacks()):
            self._post(post)
            self._post(post)
        for event in self.stack.ses.events():
            self._mail(event)
        yield self._line("callbacks and events, out of order and twice", "demo-sms", 3)
        reply = self._says(f"Tell me about the {WORDS[0]}", whatsapp=True)
        self._post(reply)
        self._post(reply)
        yield self._line("a reply by whatsapp, delivered twice: answered", "demo-whatsapp", 4)
        token = self.stack.ses.sent_to(MAIL)[0]["reply_to"]
        self._mail(self.stack.ses.inbound(MAIL, token, f"And the {WORDS[1]}?"))
        yield self._line("a reply by e-mail: answered in its thread", "demo-email", 5)
        self._post(self._says("I want to talk to a human", whatsapp=True))
        yield self._line("a request for a person: handed off", "demo-whatsapp", 5)
        company.put_project(
            self.stack.stage, company.project("dev", auto_queue_initial_message=True)
        )
        self._start("demo-held", "sms", OTHER_TEL)
        yield self._line("a start that the project holds back", "demo-held", 5)
        for waiting in self.services.outreach.desk.waiting():
            if waiting.held == "start":
                self.services.outreach.desk.approve(waiting.opaque_id)
                self.services.outreach.desk.approve(waiting.opaque_id)
        yield self._line("approved by a person, twice: released", "demo-held", 6)
        self._post(self._says("STOP", whatsapp=False, from_=OTHER_TEL))
        company.put_project(self.stack.stage, company.project("dev"))
        yield self._line("STOP: never answered", "demo-held", 6)
        self._start("demo-late", "sms", OTHER_TEL)
        yield self._line("a later start to the sender of STOP", "demo-late", 6)
        by_model = {"company_data": {"project_id": company.MODEL_PROJECT_ID}}
        self._start("demo-written", "sms", MODEL_TEL, **by_model)
        yield self._line("a start that the model writes", "demo-written", 7)
        reply = self._says(f"What of the {WORDS[2]}?", whatsapp=False, from_=MODEL_TEL)
        self._post(reply)
        self._post(reply)
        yield self._line("a reply to it, delivered twice: the model answers", "demo-written", 8)
        for post in self.stack.twilio.callbacks():
            self._post(post)
        yield self._line("and its callbacks", "demo-written", 8)
        yield from self._answered_by_a_person(8)
        yield self._tool_called(12)

    def _answered_by_a_person(self, sent: int) -> Iterator[ReportLine]:
        """The conversation that asked for a person, over the Desk API; each act is asked for twice."""
        waiting = self._desk("").json()["conversations"]
        asked = next(known["id"] for known in waiting if known["channel"] == "whatsapp")
        self._acts(asked, "take")
        self._acts(asked, "reply", text="It is me, Sam.")
        yield self._line("a person takes it and answers, asked twice", "demo-whatsapp", sent + 1)
        self._post(self._says("Thanks, and when?", whatsapp=True))
        yield self._line("a reply to the person: the machine is silent", "demo-whatsapp", sent + 1)
        self._acts(asked, "give_back", hint="We call at nine")
        yield self._line("given back: the machine answers", "demo-whatsapp", sent + 2)

    def _acts(self, opaque_id: str, act: str, **fields: str) -> None:
        version = self._desk(f"/{opaque_id}").json()["version"]
        body = {"act": act, "by": "sam", "version": version, **fields}
        answers = [self._desk(f"/{opaque_id}/acts", body) for _ in range(2)]
        self.refused += [
            answer.status_code for answer in answers if answer.status_code != requests.codes.ok
        ]
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)

    def _desk(self, path: str, body: dict[str, str] | None = None) -> requests.Response:
        url = f"{self.stack.http.url}/desk/conversations{path}"
        headers = {"x-api-key": company.AGENT_KEY}
        if body is None:
            return requests.get(url, headers=headers, timeout=30)
        headers["idempotency-key"] = body["act"]
        return requests.post(url, json=body, headers=headers, timeout=30)

    def _tool_called(self, sent: int) -> ReportLine:
        """The model asks for a tool; the reply behind it is delivered three times."""
        with CompanyEndpoint() as endpoint:
            item = company.project(
                "dev",
                project_id="pi-tools",
                ai_config={**company.ai_config_of_models("dev"), "tools": [TOOL]},
                event_webhook={"url": endpoint.events_url},
            )
            company.put_project(self.stack.stage, item)
            company.put_signing_secret(self.stack.stage, SECRET)
            tools = {"company_data": {"project_id": "pi-tools"}}
            self._start("demo-tool", "sms", TOOL_TEL, **tools)
            self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
            call = {
                "text": "",
                "wants_no_more_messages": False,
                "function_call": TOOL["name"],
                "function_arguments": json.dumps(TOOL_ARGUMENTS),
            }
            self.stack.openai.script(json=call, contains=TOOL_QUESTION)
            reply = self._says(TOOL_QUESTION, whatsapp=False, from_=TOOL_TEL)
            for _ in range(3):
                self._post(reply)
            line = self._line(
                "a tool, asked for in three deliveries: called once", "demo-tool", sent
            )
            if endpoint.tools_called() != [(TOOL["name"], TOOL_ARGUMENTS)] or endpoint.forged:
                got, forged = len(endpoint.tools_called()), endpoint.forged
                self.wrong.append(
                    f"the endpoint got {got} tool calls and {forged} wrong signatures"
                )
            return line

    def problems(self) -> Iterator[str]:
        """Rejected posts, and differences between the model's texts and the messages sent."""
        yield from self.wrong
        if self.refused:
            yield f"posts of Twilio or of the desk got statuses {self.refused}"
        asked = self.stack.openai.calls_of("respond")
        if len(asked) != 4:  # noqa: PLR2004 - two openings, two answers
            yield f"the model got {len(asked)} requests, expected 4"
        if any(call.body["store"] is not False or MODEL_TEL in str(call.body) for call in asked):
            yield "a request asked the model to store data, or held the recipient's number"
        sent = [message["body"] for message in self.stack.twilio.sent_to(MODEL_TEL)]
        written = [simulated_model.answer(call.body)["text"] for call in asked[:2]]
        who = MACHINE_LINE[Language.EN].format(company=company.COMPANY_NAME)
        written[:1] = [f"{text} {who} {OPT_OUT_LINE[Language.EN]}" for text in written[:1]]
        if sent != written:
            yield "the messages sent are not the model's texts"
        if not all(text.startswith(company.BEGINNING) for text in sent):
            yield "the model did not follow the company's instructions"

    def _line(self, what: str, request_id: str, expected: int) -> ReportLine:
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
        outcome = requests.get(
            f"{self.stack.http.url}/conversations/{request_id}",
            headers={"x-api-key": company.API_KEY},
            timeout=30,
        ).json()
        state = [outcome.get("state", "?"), outcome.get("reason")]
        duplicates = sum(bool(body.get("duplicate")) for _, body in self.answers)
        answered = f"{len(self.answers)} x 200, {duplicates} duplicate" if self.answers else "-"
        wrong = [status for status, _ in self.answers if status != requests.codes.ok]
        self.answers = []
        sent = len(self.stack.twilio.messages) + len(self.stack.ses.emails)
        return ReportLine(
            what,
            f"{wrong}" if wrong else answered,
            " ".join(str(part) for part in state if part),
            sent,
            expected,
        )

    def _start(
        self,
        request_id: str,
        channel: str,
        recipient: str,
        **changes: Any,  # noqa: ANN401 - of any section
    ) -> None:
        person = {"recipient_first_name": "Barnaby", **changes.pop("recipient_data", {})}
        body = company.request(request_id, channel, recipient, recipient_data=person, **changes)

        def post() -> None:
            answer = requests.post(
                f"{self.stack.http.url}/initiate-conversation",
                json=body,
                headers={"x-api-key": company.API_KEY},
                timeout=30,
            )
            self.answers.append((answer.status_code, answer.json()))

        threads = [threading.Thread(target=post) for _ in range(2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

    def _says(
        self,
        text: str,
        *,
        whatsapp: bool,
        from_: str = TEL,
        **more: Any,  # noqa: ANN401 - further fields of the form
    ) -> WebhookPost:
        to = company.WHATSAPP_NUMBER if whatsapp else company.SMS_NUMBER
        return self.stack.twilio.inbound(from_, to, text, whatsapp=whatsapp, **more)

    def _post(self, post: WebhookPost) -> None:
        status = post.send()
        if not 200 <= status < 300:  # noqa: PLR2004
            self.refused.append(status)
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)

    def _mail(self, event: dict[str, Any]) -> None:
        self.stack.on_mail(event)
        self.stack.pump.wait_until_quiet(timeout_seconds=QUIET_SECONDS)
