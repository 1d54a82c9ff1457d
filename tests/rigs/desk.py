"""The desk over outreach in memory: the door, the inbox, the worker, and a simulated Twilio."""

import json
from contextlib import suppress
from dataclasses import replace
from types import SimpleNamespace

import pytest

from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import HttpRequest
from chalicelib.once.journal import Journal
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lazy import executors_of
from chalicelib.once.worker import HandedBackError
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.asked import parsed_act
from chalicelib.outreach.desk.door import DeskDoor
from chalicelib.outreach.desk.inbox import DeskInbox
from chalicelib.outreach.door.access import Access, DeskRole
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.outreach.resume import ResumeRebuilder
from chalicelib.outreach.sending.effects import KINDS
from chalicelib.wiring.jobs import decode
from local import company
from local.vendors import twilio as simulated
from tests.rigs.fakes import RecordingOutbox, SetSwitches
from tests.rigs.outreach_parts import CHANNELS, OutreachParts
from tests.rigs.people import IdentityProvider, people
from tests.rigs.worker import delivered
from tests.rigs.worker_parts import settlement_of, worker_of
from tests.simulation import tables

TEL = "+15550100001"
OURS, OTHERS = company.COMPANY_ID, "ci-bbb-001"
AGENT, LEAD, OTHER_AGENT = "agent-key-1", "lead-key-1", "agent-key-2"
ACCESS = {
    OURS: Access(
        api_keys=("router-key",), desk_keys=((AGENT, DeskRole.AGENT), (LEAD, DeskRole.LEAD))
    ),
    OTHERS: Access(desk_keys=((OTHER_AGENT, DeskRole.AGENT),)),
}


def bearer(token):
    """The header with a proof of the person."""
    return {"authorization": f"Bearer {token}"} if token else {}


class Queue(RecordingOutbox):
    """The lanes; a message that is handed back is dropped, and its test counts it."""

    def defer(self, *_given, **_named):
        """Drop a message that is handed back."""


class DeskRig(OutreachParts):
    """What persons at a desk do, and what the recipient sees of it."""

    def __init__(self, twilio):
        super().__init__(twilio.base_url)
        self.twilio, self.outbox = twilio, Queue()
        self.intake = replace(self.intake, outbox=self.outbox)
        account = {
            "twilio_account_sid": simulated.ACCOUNT_SID,
            "twilio_auth_token": simulated.AUTH_TOKEN,
            "twilio_template_sid": simulated.TEMPLATE_SID,
        }
        for name in self.secrets.texts:
            self.secrets.texts[name] = json.dumps(account)
        self.emails._ses = SimpleNamespace(message_id_header=lambda _ref: None)
        self.audit_table = tables.audit()
        self.switches = SetSwitches()
        new_id = self.intake.new_id
        self.journal = Journal(table=self.audit_table, clock=self.clock, new_id=new_id)
        self.handoffs = Handoffs(self.conversations_table)
        self.inbox = DeskInbox(
            kept=self.kept,
            handoffs=self.handoffs,
            intake=self.intake,
            journal=self.journal,
            clock=self.clock,
            current=self.current,
        )
        self.provider = IdentityProvider(self.clock)
        self.company_data = tables.companies()
        self.people = people(
            self.company_data, self.clock, OpaqueIds(b"rig"), fetch=self.provider.fetch
        )
        self.door = DeskDoor(
            access=lambda: ACCESS,
            inbox=self.inbox,
            people=self.people,
            shares=CallerShares(clock=self.clock, log=self.log),
            clock=self.clock,
            log=self.log,
        )
        self.worker = self._worker()
        self.asked = self.said = 0

    def _worker(self):
        executors = executors_of(KINDS, self)
        kinds = ("inbound_message", "outreach_resume", "handoff_release", "desk_reply")
        return worker_of(
            self,
            dict.fromkeys(kinds, self.flow()),
            executors,
            settlement=settlement_of(self, executors),
            audit_table=self.audit_table,
            send_later=lambda _job, _seconds: None,
            outbox=self.outbox,
            put_back=self.intake.put_back,
            jitter=lambda: 1.0,
        )

    # --- conversations ------------------------------------------------------------------------

    def begun(self, request_id="req1", channel="sms", company_id=OURS, tel=TEL, **more):
        """A conversation whose opening was sent."""
        config = CHANNELS[channel]
        conversation_id = f"{company_id}#{company.PROJECT_ID}#{request_id}#{tel.lstrip('+')}"
        record = self.open(
            {
                "primary_channel": tel,
                "conversation_id": conversation_id,
                "opaque_id": OpaqueIds(b"rig").of(conversation_id),
                "start_event": f"evt:start:{request_id}",
                "company_id": company_id,
                "project_id": company.PROJECT_ID,
                "request_id": request_id,
                "channel_method": channel,
                "channel_config": config,
                "recipient_tel": tel,
                "recipient_first_name": "Jo",
                "quiet_hours": False,
                **more,
            }
        )
        begun = {"conversation_status": "initial_message_sent", "task_complete": 1}
        return self.conversations.change_while(record, [record.status], begun)

    def says(self, record, text, **more):
        """The recipient writes, and the worker works."""
        self.hears(record, text, **more)
        self.work()
        return self.conversations.reread(record)

    def hears(self, record, text, **more):
        """The recipient writes; the worker has not worked yet."""
        self.said += 1
        self.clock.forward(60)
        config = record.channel_config
        sender = config.get("company_sms_number") or config.get("company_whatsapp_number")
        message = InboundMessage(
            event_key=f"evt:reply:{record.channel.value}:SM{self.said}",
            conversation_id=record.opaque_id,
            received_at=self.now(),
            source="twilio",
            trace_id="t",
            channel=record.channel,
            account=simulated.ACCOUNT_SID,
            sender=sender,
            recipient=record.primary_channel,
            message_id=f"SM{self.said}",
            text=text,
            sent_at=self.now(),
            **{"carrier_answers": True, **more},
        )
        self.intake.accept(message)

    def handed_off(self, request_id="req1", **more):
        """A conversation whose recipient asked for a person."""
        return self.says(self.begun(request_id, **more), "Can I talk to a human?")

    def in_doubt(self, record):
        """Have it asked whether the recipient's newest message was a wish to stop."""
        record = self.conversations.reread(record)
        at = record.messages[-1].message_timestamp
        self.conversations.doubt(record.primary_channel, record.company_id, said_at=at)

    def work(self):
        """Everything on the queue; returns how many messages were handed back."""
        back = 0
        while self.outbox.messages:
            body, _, _ = self.outbox.messages[0]
            with suppress(HandedBackError):
                self.worker.process(delivered(decode(body)))
                back -= 1
            back += 1
            self.outbox.messages.pop(0)
        return back

    def sweep(self):
        """What the sweep does with the rows that are due: their jobs are queued again."""
        rebuild = ResumeRebuilder(self.conversations)
        for row in self.ledger.stranded(due_by_epoch=self.clock.now().timestamp() + 3600, limit=50):
            stored = self.ledger.stored(row.event.event_key)
            self.intake.put_back(rebuild(stored.event))

    def now(self):
        return self.clock.now().isoformat().replace("+00:00", "Z")

    # --- the desk -----------------------------------------------------------------------------

    def asks(self, act, record, by="sam", *, key=None, version=None, lead=False, **fields):
        """An act as asked for, with a key of its own and the version as it is now."""
        self.asked += 1
        now = self.conversations.reread(record)
        return parsed_act(
            {"act": act, "by": by, "version": version or shown.version_of(now), **fields},
            conversation_id=record.opaque_id,
            key=key or f"key-{self.asked}",
            actor=record.company_id,
            company_id=record.company_id,
            role=DeskRole.LEAD if lead else DeskRole.AGENT,
        )

    def act(self, act, record, by="sam", **more):
        return self.inbox.act(self.asks(act, record, by, **more))

    def post(self, record, *, key=AGENT, token="", idempotency="k-1", **body):
        raw = json.dumps(body).encode()
        headers = {"x-api-key": key, "idempotency-key": idempotency, **bearer(token)}
        asked = HttpRequest("POST", "/desk", {}, headers, raw)
        return self.door.act(asked, record.opaque_id)

    def get(self, record, *, key=AGENT, token=""):
        return self.door.show_conversation(
            HttpRequest("GET", "/desk", {}, {"x-api-key": key, **bearer(token)}), record.opaque_id
        )

    def listed(self, *, key=AGENT, token="", **query):
        given = {
            name: [value] if isinstance(value, str) else value for name, value in query.items()
        }
        return self.door.list_handoffs(
            HttpRequest("GET", "/desk", given, {"x-api-key": key, **bearer(token)})
        )

    def sent(self, tel=TEL):
        return [message["body"] for message in self.twilio.sent_to(tel)]

    def state(self, record):
        """The state of its hand-off in the list; None where it is not listed as open."""
        page = self.inbox.list(company_id=record.company_id, states=shown.STATES)
        return next(
            (entry["state"] for entry in page.entries if entry["id"] == record.opaque_id), None
        )

    def entries(self, record):
        return [
            (entry.role, entry.note, entry.by, entry.content)
            for entry in self.conversations.history(self.conversations.reread(record))
        ]


@pytest.fixture
def desk(twilio):
    return DeskRig(twilio)
