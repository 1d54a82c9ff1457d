"""The running stack as its users see it: doors, vendors, commands, and a clock that can be moved.

Nothing of the product is imported here, so what these tests say holds for any inside.
"""

import contextlib
import itertools
import json
import shlex
import subprocess
import sys
import time
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cached_property
from urllib.parse import urlsplit

import requests

from tests.outside.aws import is_empty, queues
from tests.outside.commands import ROOT, Operator, own_environment

LOOP = 17
"""The round in which Lambda stops a chain of a function and its queue."""
VENDORS = {
    "richpanel": "RICHPANEL_BASE_URL",
    "twilio": "TWILIO_BASE_URL",
    "ses": "LOCAL_SES_URL",
    "openai": "OPENAI_BASE_URL",
    "shopify": "SHOPIFY_BASE_URL",
    "powerbi": "POWERBI_BASE_URL",
    "onelake": "FABRIC_BASE_URL",
    "company": "COMPANY_ENDPOINT_URL",
}


@dataclass(frozen=True)
class Company:
    """A company that the stack knows, as it would write itself down."""

    id: str
    project: str
    router_key: str
    lead_key: str
    sms: str
    whatsapp: str


FIRST = Company(
    *("ci-aaa-001", "pi-aaa-001", "local-router-key", "local-desk-lead-key"),
    *("+15550109002", "+15550109001"),
)
SECOND = Company(
    *("ci-bbb-002", "pi-bbb-002", "second-router-key", "second-desk-lead-key"),
    *("+15550109052", "+15550109051"),
)
WRITTEN_BY_A_MODEL = "pi-aaa-002"
"""The first company's second project."""
AGENT_KEY = "local-desk-agent-key"
"""Of the first company's desk; an agent may do less than a lead."""


class Vendor:
    """The controls of a simulated vendor: `GET /_sim` on its port lists them."""

    def __init__(self, url):
        self.url = url.rstrip("/")
        self._session = requests.Session()
        self._is_disturbed = False

    def get(self, path):
        answer = self._session.get(f"{self.url}/_sim/{path}", timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    def post(self, path, **body):
        answer = self._session.post(f"{self.url}/_sim/{path}", json=body, timeout=60)
        assert answer.ok, answer.text
        return answer.json()

    def fails(self, kind="status", **settings):
        """Disturb the next request, or `times` of them, or all (`times=None`)."""
        self._is_disturbed = True
        self.post("faults", kind=kind, **settings)

    def modes(self, **changes):
        """Change settings of the vendor until the test ends."""
        self._is_disturbed = True
        answer = self._session.patch(f"{self.url}/_sim/modes", json=changes, timeout=60)
        assert answer.ok, answer.text

    def recovers(self):
        """Take back every fault."""
        self.forget("faults")

    def forget(self, path):
        """Remove all of something, e.g. the scripts of a model."""
        answer = self._session.delete(f"{self.url}/_sim/{path}", timeout=60)
        assert answer.ok, answer.text

    def requests(self, operation=None, after=0):
        """The requests that it has received."""
        query = f"?after={after}" + (f"&operation={operation}" if operation else "")
        return self.get(f"requests{query}")["requests"]

    def close(self):
        self._session.close()

    def tidy(self, modes):
        """Take back the test's faults and modes; returns whether the test had disturbed it."""
        was_disturbed = self._is_disturbed
        if was_disturbed:
            self.recovers()
            self.modes(**modes)
            self._is_disturbed = False
        return was_disturbed


class Running:
    """One running stack.

    Attributes:
        hints: the variables that `make run` writes for a second terminal.
        output: the file of everything that it has printed: log lines, a JSON object each.

    A test makes its own tickets, recipients and requests (`number`, `tel`, `mail`), so that no test
    sees what another one did.
    """

    def __init__(self, hints, output):
        self.hints, self.output = hints, output
        self.url = hints["PUBLIC_BASE_URL"]
        self._session = requests.Session()
        self._numbers = itertools.count(1)
        self._operator = Operator(hints)
        for name, variable in VENDORS.items():
            server = urlsplit(hints[variable])
            setattr(self, name, Vendor(f"{server.scheme}://{server.netloc}"))
        self._modes = {name: getattr(self, name).get("modes") for name in VENDORS}

    @cached_property
    def _queues(self):
        return queues(self)

    # --- who and when -----------------------------------------------------------------------------

    def number(self):
        """A number that no other test has."""
        return next(self._numbers)

    def tel(self):
        """A recipient who has got no message yet."""
        return f"+1555012{self.number():04d}"

    def mail(self):
        """Likewise by e-mail."""
        return f"someone{self.number()}@mail.example"

    def now(self):
        """The stack's time."""
        return _time(self._control("GET", "clock")["now"])

    def forward(self, **duration):
        """Let time pass, and run everything that is due then."""
        seconds = timedelta(**duration).total_seconds()
        assert self._control("POST", "clock", {"forward_seconds": seconds})["settled"]

    def passes(self, **duration):
        """Let time pass in four steps: work behind other work, or behind a vendor's probe, gets its turn."""
        for _ in range(4):
            self.forward(seconds=timedelta(**duration).total_seconds() / 4)

    def passes_until(self, condition, **step):
        """Let time pass step by step until the condition holds; other tests' work may have its turn first."""
        for _ in range(60):
            self.forward(**step)
            if condition():
                return
        raise AssertionError("it has not come to that")

    def forward_to(self, hour, minute=0):
        """Let time pass until it is so late in UTC."""
        now = self.now()
        then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
        if then <= now:
            then += timedelta(days=1)
        self.forward(seconds=(then - now).total_seconds())

    def settle(self):
        """Run everything that is due: the queues' messages, and what these cause."""
        assert self._control("POST", "settle", {})["settled"]

    def chains(self):
        """The rounds of each queue's function in the longest chain so far; 17 where one was stopped."""
        return self._control("GET", "chains")

    def console(self):
        """Start the console; returns the link that signs in, once."""
        return self._control("POST", "console", {})["url"]

    def _control(self, method, path, body=None):
        url = f"{self.hints['CONTROL_URL']}/{path}"
        answer = self._session.request(method, url, json=body, timeout=120)
        assert answer.ok, answer.text
        return answer.json()

    # --- doors ------------------------------------------------------------------------------------

    def request(self, method, path, *, headers=None, **how):
        """Send a request to the application, from an address of its own unless it names one."""
        url = f"{self.url}{path}"
        headers = {
            "x-forwarded-for": f"198.18.{self.number() % 65_536 // 256}.{self.number() % 256}",
            **(headers or {}),
        }
        return self._session.request(method, url, headers=headers, timeout=60, **how)

    def webhook(self, *, token=None, settles=True, **body):
        """Richpanel posts a webhook; its work is done when this returns."""
        headers = {"x-richpanel-webhook-token": token or self.hints["WEBHOOK_TOKEN"]}
        answer = self.request("POST", "/webhook/richpanel", headers=headers, json=body)
        if settles:
            self.settle()
        return answer

    def ticket(self, *texts, **fields):
        """A new ticket with these comments of the customer; returns its id."""
        ticket_id = str(700_000 + self.number())
        comments = [{"id": f"c-{n}", "body": text} for n, text in enumerate(texts, start=1)]
        self.richpanel.post("tickets", id=ticket_id, comments=comments, **fields)
        return ticket_id

    def start(self, to, channel="sms", *, of=FIRST, settles=True, **changes):
        """The Channel Router starts a conversation; `changes` are merged into the body's sections.

        Returns the answer; `request_id` is new, unless `request_data` has one.
        """
        body = self.start_body(to, channel, of=of, **changes)
        answer = self.request(
            "POST", "/initiate-conversation", headers={"x-api-key": of.router_key}, json=body
        )
        if settles:
            self.forward(seconds=1)  # a company's starts beyond ten leave one a second
        return answer

    def start_body(self, to, channel="sms", *, of=FIRST, **changes):
        """The body of a start."""
        address = "recipient_email" if channel == "email" else "recipient_tel"
        body = {
            "company_data": {"company_id": of.id, "project_id": of.project},
            "recipient_data": {
                "recipient_first_name": "Jo",
                address: to,
                "comms_consent": True,
            },
            "project_data": {"job_ref": "JR123"},
            "request_data": {
                "request_id": f"req-{self.number()}",
                "channel_method": channel,
                "initial_request_timestamp": "2026-11-20T09:00:00.000Z",
            },
        }
        for section, fields in changes.items():
            body[section] = {**body.get(section, {}), **fields}
        return body

    def outcome(self, request_id, *, of=FIRST):
        """What the Router reads about a start."""
        headers = {"x-api-key": of.router_key}
        return self.request("GET", f"/conversations/{request_id}", headers=headers).json()

    def said(self, request_id, *, of=FIRST):
        """The conversation's messages as the Router reads them, oldest first."""
        path = f"/conversations/{request_id}/messages"
        return self.request("GET", path, headers={"x-api-key": of.router_key}).json()["messages"]

    def desk(self, method, path, body=None, *, key=FIRST.lead_key, once="k"):
        """A person at a company's desk; `once` is the idempotency key of an act."""
        headers = {"x-api-key": key}
        if body is not None:
            headers["idempotency-key"] = f"{once}-{self.number()}" if once == "k" else once
        answer = self.request(method, path, headers=headers, json=body)
        self.settle()
        return answer

    # --- the vendors' side ------------------------------------------------------------------------

    def texts_to(self, to):
        """The texts that a recipient got by SMS and WhatsApp, oldest first."""
        messages = self.twilio.get("messages")["messages"]
        return [message for message in messages if message["to"].removeprefix("whatsapp:") == to]

    def mails_to(self, to):
        """The e-mails that a recipient got, oldest first."""
        return [email for email in self.ses.get("emails")["emails"] if email["to"] == to]

    def says(self, sender, text, *, to=FIRST.sms, whatsapp=False, settles=True, **more):
        """A recipient writes by SMS or WhatsApp, and Twilio posts it; returns our status.

        `more` is what Twilio's `/_sim` names: `media=1`, `sid=...`, `lost=True` ...
        """
        posted = self.twilio.post(
            "inbound", **{"from": sender, "to": to, "body": text, "whatsapp": whatsapp, **more}
        )
        if settles:
            self.settle()
        return posted["status"]

    def writes(self, sender, to, text, **headers):
        """A recipient writes an e-mail; `In_Reply_To=...` and the like are headers."""
        self.ses.post("inbound", **{"from": sender, "to": to, "text": text, "headers": headers})
        self.settle()

    def carriers_report(self):
        """Twilio and SES deliver every status that is due."""
        self.twilio.post("callbacks")
        self.ses.post("events")
        self.settle()

    # --- commands ---------------------------------------------------------------------------------

    def ops(self, *arguments, code=0, typed=""):
        """An operator types `python -m ops ...`; see `Operator.types`."""
        return self._operator.types(*arguments, code=code, typed=typed)

    def put_project(self, file=None, **changes):
        """A project of the first company with settings of its own; returns its `Company`.

        Args:
            file: where the item is written, e.g. `tmp_path / "project.json"`; without it the item
                is stored as it is, as another program would, and no operator's command checks it.
        """
        project_id = changes.pop("project_id", f"pi-{self.number()}")
        item = {**PROJECT, "project_id": project_id, **changes}
        if file is None:
            self._control("POST", "company-data", item)
        else:
            file.write_text(json.dumps(item))
            self.ops("company", "put", file, "--yes")
        return Company(**{**FIRST.__dict__, "project": project_id})

    @contextlib.contextmanager
    def switched(self, name, value):
        """Set a switch, and run the block once every container has read it."""
        self._switch(name, value)
        try:
            yield
        finally:
            before = "on" if name == "automation_enabled" else "off"
            self._switch(name, before)

    def _switch(self, name, value):
        self.ops("switch", "set", name, value, "--yes")
        self.forward(seconds=60)

    def tidy(self):
        """Make the stack ready for the next test: no faults, empty queues, the middle of a working day.

        After faults, enough time passes for each vendor's probe and for each pause that it asked for:
        a circuit breaker's longest one takes 15 minutes.
        """
        disturbed = [getattr(self, name).tidy(modes) for name, modes in self._modes.items()]
        self.twilio.forget("callbacks")
        self.ses.forget("events")
        if any(disturbed):
            self.forward(minutes=16)
            self.forward(minutes=4)  # what waited behind a probe
        for _ in range(12):  # a later retry would run in the middle of the next test
            if all(is_empty(self, queue) for queue in self._queues):
                break
            self.forward(minutes=20)
        now = self.now()
        if not 14 <= now.hour < 19 or now.weekday() > 4:
            self.forward_to(15)
            while self.now().weekday() > 4:
                self.forward_to(15)

    def stop(self):
        self._session.close()
        for name in VENDORS:
            getattr(self, name).close()
        self._operator.close()


PROJECT = {
    "company_id": FIRST.id,
    "company_name": "Cucumber Recruitment",
    "project_name": "Clarify CV",
    "project_status": "active",
    "allowed_channels": ["whatsapp", "sms", "email"],
    "rate_limits": {
        "requests_per_minute": 600,
        "requests_per_day": 20000,
        "concurrent_conversations": 300,
        "max_message_length": 4096,
    },
    "company_rep": {"company_rep_1": "Ana"},
    "auto_queue_initial_message": False,
    "auto_queue_reply_message": False,
    "company_contact": "+1 555 010 9000",
    "company_address": "1 Main Street, Springfield, IL 62701, USA",
    "answering": {"quiet_period_seconds": 0},
    "quiet_hours": False,
    "jurisdictions": {"enforced": False},
    "channel_config": {
        "whatsapp": {
            "company_whatsapp_number": FIRST.whatsapp,
            "whatsapp_credentials_id": (
                "ai-multi-comms/whatsapp-credentials/cucumber/clarify-cv/twilio-dev"
            ),
            "template_opt_out": "text",
        },
        "sms": {
            "company_sms_number": FIRST.sms,
            "sms_credentials_id": "ai-multi-comms/sms-credentials/cucumber/clarify-cv/twilio-dev",
        },
        "email": {
            "company_email": "replies@company.example",
            "email_from_name": "Cucumber Recruitment",
            "default_subject_line": "About your application",
        },
    },
}
"""The first company's project, as an operator would enter it."""


@contextlib.contextmanager
def running_stack(folder):
    """Start the stack as a process of its own; what it prints is in the folder, in `output`."""
    output = folder / "output"
    with output.open("wb") as opened:
        process = subprocess.Popen(
            [sys.executable, "-m", "local", "trial"],
            cwd=ROOT,
            env={**own_environment(), "LOCAL_RUN_DIR": str(folder)},
            stdout=opened,
            stderr=subprocess.STDOUT,
        )
    try:
        while "\nrunning; " not in output.read_text():
            assert process.poll() is None, output.read_text()
            time.sleep(0.05)
        made = Running(_hints(folder / "env"), output)
        yield made
        made.stop()
    finally:
        process.terminate()
        process.wait(60)


def _hints(file):
    lines = (line.split("=", 1) for line in file.read_text().splitlines())
    return {name: "".join(shlex.split(value)) for name, value in lines}


def _time(text):
    return datetime.fromisoformat(text).astimezone(UTC)
