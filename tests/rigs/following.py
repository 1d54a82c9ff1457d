"""What follows an opening, in memory: the Router's door, the worker, receipts, the sweep, and Twilio."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.errors import UnavailableError
from chalicelib.once.caller_shares import CallerShares
from chalicelib.once.door import HttpRequest
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lazy import executors_of
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.once.settlement import Settlement
from chalicelib.outreach.conversations.parcels import Parcels
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.door.access import Access
from chalicelib.outreach.door.initiate import Callers, Initiate, StartIds, StartLane, StartStores
from chalicelib.outreach.door.shares import StartShares
from chalicelib.outreach.events.receipt import ReceiptFlow
from chalicelib.outreach.jobs import DeliveryReceipt
from chalicelib.outreach.project.companies import Companies
from chalicelib.outreach.resume import ResumeRebuilder, resume_through
from chalicelib.outreach.sending.effects import KINDS
from chalicelib.vendors.level import OwnLevel
from local import company
from local.vendors import twilio as simulated
from tests.rigs.desk import OTHERS, OURS, TEL, DeskRig

MAIL, THEIR_NUMBER = "jo@example.com", "+15550109012"
KEYS = {OURS: "our-key", OTHERS: "their-key"}
REOPENING = "HX" + "a" * 32
REMINDER, END = "Did you see our message?", "We close this for now."
DAY = {"reminder": {"after_minutes": 1440, "text": REMINDER}}
CHAIN = {**DAY, "end": {"after_minutes": 2880, "text": END}}


class FollowRig(DeskRig):
    """Conversations of two companies, and what follows their openings.

    Attributes:
        queue_is_away: the queue `later` accepts nothing.
    """

    queue_is_away = False

    def __init__(self, twilio):
        super().__init__(twilio)
        self.posted = 0
        for company_id in KEYS:
            self.project(company_id)

    def project(self, company_id=OURS, **changes):
        """Store a project, and its senders' rows of the map."""
        item = company.project("dev", company_id=company_id, **changes)
        if company_id == OTHERS:
            channels = item["channel_config"]
            channels["sms"]["company_sms_number"] = THEIR_NUMBER
            channels["whatsapp"]["company_whatsapp_number"] = THEIR_NUMBER
        for row in (item, *company.sender_rows(item, simulated.ACCOUNT_SID)):
            self.companies_table.put(row)

    @staticmethod
    def whatsapp(**changes):
        """The settings of every channel, with changes to those of WhatsApp."""
        channels = company.project("dev")["channel_config"]
        return {**channels, "whatsapp": {**channels["whatsapp"], **changes}}

    def follow_ups(self):
        """The receipts' other queue, which accepts nothing while `queue_is_away`."""

        def put_later(job, _seconds):
            if self.queue_is_away:
                raise UnavailableError("enqueue_failed")
            self.intake.put_back(job)

        return replace(super().follow_ups(), put_later=put_later)

    def _worker(self):
        worker = super()._worker()
        receipts = ReceiptFlow(
            kept=self.kept,
            resume=resume_through(self.intake),
            ownership=self.ownership,
            events=self.events,
            follow_ups=self.follow_ups(),
        )
        flow = worker.handlers.flows["outreach_resume"]
        more = {"start_conversation": flow, "delivery_receipt": receipts}
        handlers = replace(worker.handlers, flows={**worker.handlers.flows, **more})
        return replace(worker, handlers=handlers)

    @property
    def router(self):
        """The Router's door."""
        return Initiate(
            callers=Callers(
                access=lambda: {id_: Access(api_keys=(key,)) for id_, key in KEYS.items()},
                companies=Companies(self.companies_table),
                shares=CallerShares(clock=self.clock, log=self.log),
            ),
            stores=StartStores(
                starts=self.starts,
                ledger=self.ledger,
                parcels=lambda: Parcels(table=self.conversations_table, clock=self.clock),
                outbox=lambda: self.events.rows,
                conversations=lambda: self.conversations,
            ),
            lane=StartLane(
                intake=self.intake,
                aside=self.worker.postponing.aside,
                shares=StartShares(levels=lambda _: OwnLevel(), clock=self.clock, workers=2),
            ),
            ids=StartIds(opaque=lambda: OpaqueIds(b"a key of the stage"), new=self.intake.new_id),
            clock=self.clock,
            log=self.log,
        )

    def post(self, request_id="req1", channel="sms", company_id=OURS, tel=TEL, **changes):
        """Ask the door for a start."""
        body = company.request(request_id, channel, tel, **changes)
        body["company_data"]["company_id"] = company_id
        headers = {"x-api-key": KEYS[company_id]}
        return self.router.start(HttpRequest("POST", "/", {}, headers, json.dumps(body).encode()))

    def started(self, request_id="req1", channel="sms", company_id=OURS, tel=TEL, **changes):
        """Ask for a start, and work; the conversation."""
        answer = self.post(request_id, channel, company_id, tel, **changes)
        assert answer.status in (200, 202), answer.body
        self.work()
        return self.record(request_id, company_id)

    def record(self, request_id="req1", company_id=OURS):
        """The conversation of a request."""
        (found,) = [
            record
            for record in self.all_records()
            if (record.request_id, record.company_id) == (request_id, company_id)
        ]
        return found

    def all_records(self):
        """Every conversation, in the order in which they were opened."""
        rows = self.conversations_table.rows.values()
        return [Record(row) for row in rows if "conversation_status" in row]

    def fate(self, request_id="req1", company_id=OURS):
        """What the Router reads."""
        return self.router.outcome(
            HttpRequest("GET", "/", {}, {"x-api-key": KEYS[company_id]}), request_id
        ).body

    def reported(self, record, status, code=None):
        """The carrier reports on the opening of a conversation, and the worker works."""
        self.posted += 1
        (sent,) = [
            row
            for row in self.table.rows.values()
            if row["event_id"].startswith(f"act:send:{record.opaque_id}:")
        ]
        self.intake.accept(
            DeliveryReceipt(
                event_key=f"evt:receipt:{sent['ref']}:{status}",
                conversation_id=record.opaque_id,
                received_at=self.now(),
                source="twilio",
                trace_id="t",
                channel="text",
                account=simulated.ACCOUNT_SID,
                sender=record.sender,
                recipient=record.primary_channel,
                entry_id=sent["probe"]["entry_id"],
                provider_id=sent["ref"],
                status=status,
                rank=5,
                reason=code,
            )
        )
        self.work()

    def passes(self, **time):
        """Let time pass; run sweep and worker twice, as the first run can make work for the second."""
        self.clock.forward(timedelta(**time).total_seconds())
        for _ in range(2):
            found = self.sweep()
            self.work()
        return found

    def sweep(self):
        summary = Summary()
        actions = SweepActions(
            ledger=self.ledger, intake=self.intake, summary=summary, time_left_seconds=lambda: 240.0
        )
        resume = ResumeRebuilder(self.conversations)
        kinds = ("evt:start", "evt:follow", "evt:reply", "evt:receipt", "evt:release")
        settlement = Settlement(
            ledger=self.ledger, executors=executors_of(KINDS, self), clock=self.clock
        )
        RowSweep(
            ledger=self.ledger,
            settlement=settlement,
            rebuilders=dict.fromkeys(kinds, resume),
            clock=self.clock,
            sweep=actions,
        ).run()
        assert not summary.problems, summary.problems
        return summary

    def ended(self, prefix):
        """Status and reason of each event whose key begins so."""
        return [
            (row["status"], row.get("reason"))
            for row in self.table.rows.values()
            if row["event_id"].startswith(prefix)
        ]

    def channels(self, tel=TEL):
        """The channel of each message that was sent, in their order."""
        found = self.twilio.sent_to(tel)
        return ["whatsapp" if message["to"].startswith("whatsapp:") else "sms" for message in found]


def refused(times=1, code=63024):
    """A fault of Twilio: the next requests are refused for certain."""
    body = {"code": code, "message": "refused", "status": 400}
    return {"operation": "create_message", "status": 400, "body": body, "times": times}


@pytest.fixture
def following(twilio):
    usual = twilio._now
    rig = FollowRig(twilio)
    twilio._now = lambda: rig.clock.now().timestamp()  # what it shows is dated by one clock
    twilio.templates[REOPENING] = "Hi {{1}}: {{2}}"
    yield rig
    twilio._now = usual
    del twilio.templates[REOPENING]
