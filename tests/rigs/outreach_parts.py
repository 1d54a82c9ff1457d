"""Outreach's own parts over tables in memory, and Twilio's client against a scripted server."""

import contextlib
import itertools
import json

import pytest

from chalicelib.once.allowances import Allowances
from chalicelib.once.intake import Intake
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import Ledger
from chalicelib.outreach.company_events.outbox import EventRows
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.consent.unsubscribe import LinkKeys
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handlers import (
    CompanySide,
    FlowRun,
    Incoming,
    Outgoing,
    outreach_flow,
)
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.project.admission import ConversationStores, Starts
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.senders import Senders
from chalicelib.outreach.sending.emails import EmailSender
from chalicelib.outreach.sending.hand_off import HandOffs
from chalicelib.outreach.sending.prepared import SenderParts
from chalicelib.outreach.sending.texts import TextSender
from chalicelib.outreach.twilio import credentials
from chalicelib.outreach.twilio.client import Twilio, basic_auth_header
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.template_writer import TemplateWriter
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local import company
from tests.rigs import vendor_server
from tests.rigs.fakes import ManualClock, NamedSecrets, RecordingLog, RecordingOutbox
from tests.rigs.keys import one_key
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

ACCOUNT = {
    "twilio_account_sid": "AC1",
    "twilio_auth_token": "token",
    "twilio_template_sid": "HX1",
}
CHANNELS = company.project("dev")["channel_config"]


class OutreachParts:
    """Conversations, starts, ledger, intake and sender of one container.

    Attributes:
        secrets: holds the Twilio account of each channel's secret.
        outbox: what was queued.
    """

    def __init__(self, twilio_url):
        self.clock, self.log, self.outbox = ManualClock(), RecordingLog(), RecordingOutbox()
        self.secrets = NamedSecrets(
            **{
                CHANNELS[name][f"{name}_credentials_id"]: json.dumps(ACCOUNT)
                for name in ("sms", "whatsapp")
            }
        )
        self.table = FaultyTable(tables.ledger())
        self.conversations_table = FaultyTable(tables.conversations())
        owners = (f"owner-{n}" for n in itertools.count(1))
        self.ledger = Ledger(table=self.table, clock=self.clock, new_owner=lambda: next(owners))
        self.conversations = Conversations(
            table=self.conversations_table,
            clock=self.clock,
            opaque=lambda: OpaqueIds(b"a key of the stage"),
        )
        self.starts = Starts(table=self.table, ledger=self.ledger, clock=self.clock)
        self.kept = ConversationStores(
            conversations=self.conversations, starts=self.starts, ledger=self.ledger
        )
        ids = (f"id-{n}" for n in itertools.count(1))
        self.intake = Intake(
            outbox=self.outbox,
            opaque=lambda: OpaqueIds(b"a key of the stage"),
            clock=self.clock,
            log=self.log,
            new_id=lambda: next(ids),
        )
        self.events = CompanyEvents(
            rows=EventRows(table=self.conversations_table, clock=self.clock),
            intake=self.intake,
            ledger=lambda: self.ledger,
            clock=self.clock,
        )
        self.composer = Composer(
            conversations=self.conversations,
            writer=TemplateWriter(),
            beating=contextlib.nullcontext,
        )
        sending = SenderParts(
            conversations=self.conversations,
            composer=self.composer,
            clock=self.clock,
            links=LinkKeys(lambda: OpaqueIds(b"a key of the stage"), one_key),
            public_base_url="https://x.example",
        )
        twilio = Twilio(self._credentials, lambda name: self._client(name, twilio_url))
        self.texts = TextSender(parts=sending, twilio=twilio)
        self.emails = EmailSender(parts=sending, ses=None)  # none is sent
        self.hand_offs = HandOffs(conversations=self.conversations, events=self.events)
        self.companies_table = tables.companies()
        self.ownership = Ownership(Senders(self.companies_table), self.texts.account_of)

    def flow(self):
        return outreach_flow(
            OutreachFlow,
            kept=self.kept,
            company=CompanySide(
                current=self.current, events=self.events, follow_ups=self.follow_ups()
            ),
            outgoing=Outgoing(
                composer=self.composer,
                check_secrets=self.check,
                message_id_header=self.emails.message_id_header,
            ),
            incoming=Incoming(
                ownership=self.ownership,
                allowances=Allowances(table=self.table, clock=self.clock),
                opaque=lambda: OpaqueIds(b"a key of the stage"),
            ),
            run=FlowRun(clock=self.clock, receive_count=lambda: 10, release="1"),
        )

    def check(self, record):
        """What is checked before a message is composed."""
        of = {"twilio": self.texts, "ses": self.emails}
        of[record.channel.traits.carrier.vendor].check(record)

    def follow_ups(self):
        return FollowUps(
            kept=self.kept,
            clock=self.clock,
            opaque=lambda: OpaqueIds(b"a key of the stage"),
            current=self.current,
            put_later=lambda job, _seconds: self.intake.put_back(job),
            events=self.events,
        )

    def current(self, record):
        """A project's settings; replies are answered at once unless it says otherwise."""
        key = {"company_id": record.company_id, "project_id": record.project_id}
        item = self.companies_table.get(key, consistent=False) or {}
        return Project({"answering": {"quiet_period_seconds": 0}, **item})

    def open(self, attributes, *drafts):
        """A conversation with its drafts, each an entry id and a draft."""
        record = self.conversations.open(attributes).record
        for entry_id, draft in drafts:
            self.conversations.keep_draft(record, entry_id, draft)
        return record

    def _credentials(self, name, refresh):
        return credentials.of_company(self.secrets.text(name, refresh=refresh))

    def _client(self, name, url):
        return VendorClient(
            api=VendorApi(
                provider="twilio",
                base_url=url,
                authorize=lambda refresh: basic_auth_header(self._credentials(name, refresh)),
            ),
            clock=self.clock,
            log=self.log,
            rate_limit=RateLimit(provider="twilio", clock=self.clock, pace=LevelPace(1000)),
            breaker=Breaker("twilio", self.clock, failures_to_open=100),
        )


@pytest.fixture
def twilio_server():
    """A scripted Twilio."""
    with vendor_server.running() as vendor:
        yield vendor


@pytest.fixture
def outreach_parts(twilio_server):
    return OutreachParts(twilio_server.url)
