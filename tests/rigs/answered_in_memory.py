"""A conversation by SMS in memory: the product's flows and ledger, the simulated Twilio, a set writer."""

import contextlib
import json
from dataclasses import replace

import pytest

from chalicelib.errors import PermanentError
from chalicelib.once.effect import Executor
from chalicelib.outreach.company_events.event_names import TELLS
from chalicelib.outreach.conversations.records import Draft, Status
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.keys import reply
from chalicelib.outreach.project.companies import Companies
from chalicelib.outreach.resume import ResumeRebuilder
from chalicelib.outreach.sending.tool_calls import ToolCalls
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.tool_writer import ToolWriter
from local import company
from local.vendors import twilio as twilio_vendor
from tests.rigs.company_endpoint import Telling
from tests.rigs.conversation_samples import TEL, new
from tests.rigs.outreach_parts import CHANNELS

PROJECT = company.project("dev")


class SetWriter:
    """A writer that answers each message with the draft that the test has set."""

    def __init__(self):
        self.says, self.saw = Draft(text="Hello"), []

    def is_instant(self, _record):
        return False

    def opening(self, _record):
        raise AssertionError("no opening is written here")

    def answer(self, record, history):
        self.saw.append((record, [entry.content for entry in history]))
        self.history = history
        return self.says


class Killed(BaseException):
    """The process dies here; nothing catches it."""


class Answered(Telling):
    """One conversation whose opening was sent."""

    def __init__(self, vendor):
        self.calls, self.kill_at = 0, None
        self.writer = SetWriter()
        super().__init__(vendor.base_url)
        vendor.date_by(lambda: self.clock.now().timestamp())
        account = {
            "twilio_account_sid": twilio_vendor.ACCOUNT_SID,
            "twilio_auth_token": twilio_vendor.AUTH_TOKEN,
        }
        for name in list(self.secrets.texts):
            self.secrets.texts[name] = json.dumps(account)
        self._count(self.table)
        self._count(self.conversations_table)

    def converses(self, url, *, tools=(), tells=True):
        """Open the conversation of a company that declares these tools."""
        self.company(url, PROJECT["company_id"], PROJECT["project_id"])
        key = {name: PROJECT[name] for name in ("company_id", "project_id")}
        webhook = self.companies_table.get(key)["event_webhook"]
        project = {**PROJECT, "event_webhook": webhook, "ai_config": {"tools": list(tools)}}
        for item in (project, *company.sender_rows(project, twilio_vendor.ACCOUNT_SID)):
            self.companies_table.put(item)
        record = self.open(
            {
                **new(channel="sms"),
                **key,
                "channel_config": CHANNELS["sms"],
                "ai_config": {"api_key_reference": "ai-multi-comms/openai-api-key/sms-dev"},
                "quiet_hours": False,
                **({TELLS: True} if tells else {}),
            }
        )
        sent = {"conversation_status": Status.INITIAL_MESSAGE_SENT.value}
        self.conversations.change_while(record, {record.status}, sent)
        return record

    def sets(self, **more):
        """Other settings of the project."""
        key = {name: PROJECT[name] for name in ("company_id", "project_id")}
        self.companies_table.put({**self.companies_table.get(key), **more})

    def twilio_refuses(self, code):
        """Every send from now on is refused for good."""

        def refuses(*_, **__):
            raise PermanentError("twilio", "create_message", reason=code)

        self.texts._twilio.send = refuses

    def says(self, text, number=1):
        """The job of a message of the recipient."""
        message_id = f"SM{number:032d}"
        return InboundMessage(
            event_key=reply("sms", message_id),
            conversation_id="unknown",
            received_at="2026-11-20T12:00:00.000Z",
            source="twilio",
            trace_id="1f",
            channel="sms",
            account=twilio_vendor.ACCOUNT_SID,
            sender=CHANNELS["sms"]["company_sms_number"],
            recipient=TEL,
            message_id=message_id,
            text=text,
            sent_at=f"2026-11-20T12:00:0{number}.000Z",
            carrier_answers=True,
        )

    def hears(self, text, number=1):
        """A message of the recipient, worked on."""
        self.intake.put_back(self.says(text, number))
        self.run()

    def new_container(self):
        """See `Telling.new_container`; its calls are counted, and one may kill it."""
        super().new_container()
        writer = ToolWriter(
            writer=self.writer,
            drafts=self.conversations,
            current=Companies(self.companies_table).current,
        )
        self.composer = Composer(
            conversations=self.conversations, writer=writer, beating=contextlib.nullcontext
        )
        self.texts.parts = replace(self.texts.parts, composer=self.composer)
        self.emails.message_id_header = lambda _ref: None  # no e-mail is sent
        flow = self.flow()
        texts, companies = self.texts, Companies(self.companies_table)
        tool_calls = ToolCalls(
            conversations=self.conversations,
            events=self.events,
            ledger=self.ledger,
            current=companies.current,
            clock=self.clock,
        )
        executors = {
            "send_text": Executor(
                self._at_a_vendor(texts.send),
                texts.prepare,
                texts.last_look,
                texts.settle,
            ),
            "hand_off": Executor(self.hand_offs.perform),
            "call_tool": Executor(tool_calls.call, last_look=tool_calls.last_look),
            "tell_company": Executor(self._at_a_vendor(self.tell), self.teller.prepare),
        }
        tells = self.worker.handlers.flows["tell_company"]
        kinds = ("inbound_message", "outreach_resume", "handoff_release")
        resumes = ResumeRebuilder(self.conversations)
        self.rebuilders |= {"evt:reply": resumes, "evt:tool": resumes}
        self._works({**dict.fromkeys(kinds, flow), "tell_company": tells}, executors)

    def _at_a_vendor(self, execute):
        """An executor whose process may be killed before its request leaves, and after it was answered."""

        def executed(actions, *, deadline_seconds):
            self._called()
            done = execute(actions, deadline_seconds=deadline_seconds)
            self._called()
            return done

        return executed

    def _called(self):
        """Count a call; the chosen one kills the process."""
        self.calls += 1
        if self.calls == self.kill_at:
            raise Killed

    def _count(self, table):
        """Count the calls of a table, each transaction as one: it is done whole or not at all."""
        whole, inside = table.transact, []

        def called(_name):
            if not inside:
                self._called()

        def transact(writes):
            called("transact")
            inside.append(True)
            try:
                whole(writes)
            finally:
                inside.pop()

        table._enter, table.transact = called, transact


@pytest.fixture
def answered(telling_time, twilio):
    return telling_time(Answered(twilio))


__all__ = ["Answered", "Killed", "answered"]
