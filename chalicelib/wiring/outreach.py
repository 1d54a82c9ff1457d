"""Outreach: the doors of Router, Twilio and SES, the flows and executors, the vendors they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any

from botocore.config import Config

from chalicelib.wiring.core import Core, new_id, new_owner
from chalicelib.wiring.lazy import Lazy

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.once.door import Answer
    from chalicelib.once.flow import Flow
    from chalicelib.once.lanes import Lane
    from chalicelib.once.recovery.rebuilders import Rebuilder
    from chalicelib.once.recovery.sweep import SweepPart
    from chalicelib.outreach.company_events.endpoint import Endpoint
    from chalicelib.outreach.company_events.recorder import CompanyEvents
    from chalicelib.outreach.company_events.telling import Teller
    from chalicelib.outreach.consent.unsubscribe import UnsubscribeDoor
    from chalicelib.outreach.conversations.parcels import Parcels
    from chalicelib.outreach.conversations.records import Record
    from chalicelib.outreach.conversations.store import Conversations
    from chalicelib.outreach.desk.door import DeskDoor
    from chalicelib.outreach.desk.inbox import DeskInbox
    from chalicelib.outreach.desk.operators import Desk
    from chalicelib.outreach.door.initiate import Initiate
    from chalicelib.outreach.door.shares import Shares
    from chalicelib.outreach.hearing.ownership import Ownership
    from chalicelib.outreach.lane_shares import LaneShares
    from chalicelib.outreach.messages.following import FollowUps
    from chalicelib.outreach.project.admission import Starts
    from chalicelib.outreach.project.companies import CachedSettings
    from chalicelib.outreach.senders import Senders
    from chalicelib.outreach.sending.emails import Emails
    from chalicelib.outreach.sending.hand_off import HandOffs
    from chalicelib.outreach.sending.notices import Notices
    from chalicelib.outreach.sending.prepared import Messages, Parts
    from chalicelib.outreach.sending.texts import Texts
    from chalicelib.outreach.sending.tool_calls import ToolCalls
    from chalicelib.outreach.ses.client import Ses
    from chalicelib.outreach.spending.models import Models
    from chalicelib.outreach.spending.usage import Spending
    from chalicelib.outreach.twilio.client import Credentials, Twilio
    from chalicelib.outreach.twilio.consent import ConsentAtTheDoor
    from chalicelib.outreach.twilio.door import TwilioDoor
    from chalicelib.outreach.twilio.owners import Owners
    from chalicelib.outreach.writing.checked_writer import CheckedWriter
    from chalicelib.outreach.writing.composer import Composer
    from chalicelib.vendors.bedrock import Bedrock
    from chalicelib.vendors.http import VendorClient
    from chalicelib.vendors.openai import OpenAI

TWILIO_REQUESTS_PER_30_S = 300
"""Per account and container; Twilio queues what exceeds a sender's own pace."""
OPENAI_REQUESTS_PER_30_S = 60
SES_RETRIES: Mapping[str, int] = {"total_max_attempts": 1}
"""SES takes no client token: a send that the SDK repeats is sent twice."""
BEDROCK_RETRIES: Mapping[str, int] = {"total_max_attempts": 1}
"""A repeated generation is paid again; the queue repeats."""
BEDROCK_CONFIG = Config(retries=dict(BEDROCK_RETRIES))
SES_CONFIG = Config(retries=dict(SES_RETRIES))  # the SDK changes what it is given


class Outreach(Core):
    """Conversations that a company starts."""

    # --- the way in ---------------------------------------------------------------------------

    def initiate(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer the Channel Router."""
        return self._initiate.start(headers, body)

    def start_outcome(self, headers: Mapping[str, str], body: bytes, request_id: str) -> Answer:
        """Answer the Channel Router's question about a start."""
        return self._initiate.outcome(headers, request_id, body)

    def desk_list(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer a company's desk: what waits for a person."""
        return self._desk_door.listed(headers, body, query)

    def desk_conversation(self, headers: Mapping[str, str], body: bytes, opaque_id: str) -> Answer:
        """Answer a company's desk: one conversation."""
        return self._desk_door.shown(headers, body, opaque_id)

    def desk_act(self, headers: Mapping[str, str], body: bytes, opaque_id: str) -> Answer:
        """Do what a person at a company's desk asks for."""
        return self._desk_door.act(headers, body, opaque_id)

    def start_messages(
        self, headers: Mapping[str, str], body: bytes, request_id: str, query: Mapping[str, str]
    ) -> Answer:
        """Answer the Channel Router's question about a conversation's messages."""
        return self._initiate.messages(headers, request_id, query, body)

    def twilio_message(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer Twilio's webhook of a message that came in."""
        return self._twilio_door.message(headers, body, query)

    def twilio_status(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer Twilio's callback on a message that went out."""
        return self._twilio_door.status(headers, body, query)

    def mail(self, message: str) -> None:
        """Take one SNS message of SES; raises `UnavailableError` where its job was not kept."""
        from chalicelib.outreach.ses import door

        door.receive(message, self.intake)

    def tool_result(
        self, headers: Mapping[str, str], body: bytes, request_id: str, call_id: str
    ) -> Answer:
        """Take the result of a tool's call."""
        from chalicelib.outreach.door.results import ResultDoor

        door = ResultDoor(
            self.conversations,
            self.intake,
            lambda: self.opaque_ids,
            self.current_settings,
            self.clock,
            self.log,
        )
        return door.result(headers, body, request_id, call_id)

    def unsubscribe_page(self, token: str) -> Answer:
        """Show the page behind an unsubscribe link."""
        return self._unsubscribe_door.page(token)

    def unsubscribe(self, token: str) -> Answer:
        """Unsubscribe the recipient of a link."""
        return self._unsubscribe_door.unsubscribe(token)

    @cached_property
    def _unsubscribe_door(self) -> UnsubscribeDoor:
        from chalicelib.outreach.consent.unsubscribe import UnsubscribeDoor

        return UnsubscribeDoor(
            self.conversations, lambda: self.opaque_ids, self.log, self.intake, self.ledger
        )

    @cached_property
    def _desk_door(self) -> DeskDoor:
        from chalicelib.outreach.desk.door import DeskDoor
        from chalicelib.outreach.door import access

        secret_id = self.settings.router_keys_secret_id
        return DeskDoor(
            access=lambda: access.access(self.secrets.text_or_none(secret_id) or ""),
            inbox=self.inbox,
            clock=self.clock,
            log=self.log,
        )

    @cached_property
    def _initiate(self) -> Initiate:
        from chalicelib.outreach.door import access
        from chalicelib.outreach.door.initiate import Initiate
        from chalicelib.outreach.project.companies import Companies

        secret_id = self.settings.router_keys_secret_id
        return Initiate(
            access=lambda: access.access(self.secrets.text_or_none(secret_id) or ""),
            companies=Companies(self.table(self.settings.company_data_table)),
            starts=self.starts,
            ledger=self.ledger,
            intake=self.intake,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
            conversations=lambda: self.conversations,
            outbox=lambda: self.company_events.rows,
            shares=self._shares,
            parcels=lambda: self._parcels,
            aside=self.aside,
        )

    @cached_property
    def _parcels(self) -> Parcels:
        from chalicelib.outreach.conversations.parcels import Parcels

        return Parcels(self._conversations_table, self.clock)

    @cached_property
    def _shares(self) -> Shares:
        from chalicelib.outreach.door.shares import Shares
        from chalicelib.vendors.shared_level import SharedLevel

        table = self.table(self.settings.idempotency_table)

        @cache
        def level(name: str) -> SharedLevel:
            return SharedLevel(table, name, self.clock)

        return Shares(level, self.clock, self.settings.lane_concurrency)

    @cached_property
    def _lane_shares(self) -> LaneShares:
        from chalicelib.once.share import LaneShare
        from chalicelib.outreach.lane_shares import LaneShares

        table = self.table(self.settings.idempotency_table)

        @cache
        def share(lane: Lane) -> LaneShare:
            workers = self.settings.lane_concurrency
            return LaneShare(table, lane.name, workers, self.clock, new_owner)

        return LaneShares(share, self.current_job)

    @cached_property
    def _twilio_door(self) -> TwilioDoor:
        from chalicelib.outreach.twilio.door import TwilioDoor

        name = self.settings.twilio_webhook_secret_id
        return TwilioDoor(
            self.intake,
            lambda: self.secrets.text_or_none(name),
            self.settings.public_base_url,
            lambda: self._consent_at_door,
            lambda: self._owners,
        )

    @cached_property
    def _owners(self) -> Owners:
        from chalicelib.outreach.twilio.owners import Owners

        return Owners(self.senders, self.clock)

    @cached_property
    def _consent_at_door(self) -> ConsentAtTheDoor:
        from chalicelib.outreach.conversations.do_not_contact import DoNotContact
        from chalicelib.outreach.twilio.consent import ConsentAtTheDoor

        return ConsentAtTheDoor(DoNotContact(self._conversations_table, self.clock), self.senders)

    # --- parts by kind ------------------------------------------------------------------------

    def outreach_flows(self) -> Mapping[str, Callable[[], Flow]]:
        """By kind of job."""
        kinds = (
            *("start_conversation", "inbound_message", "outreach_resume"),
            *("handoff_release", "desk_reply", "unsubscribed"),
        )
        return {
            **dict.fromkeys(kinds, lambda: self._outreach_flow),
            "delivery_receipt": self._receipt_flow,
            "handoff_notice": self._notice_flow,
            "tell_company": self._tell_flow,
        }

    def outreach_rebuilders(self) -> Mapping[str, Callable[[], Rebuilder]]:
        """By the first two parts of an event key."""
        kinds = (
            *("evt:release", "evt:desk", "evt:follow", "evt:receipt"),
            *("evt:unsubscribe", "evt:tool"),
        )
        return {
            **dict.fromkeys(kinds, lambda: self._resume_rebuilder),
            "evt:start": self._start_rebuilder,
            "evt:reply": self._lost_replies,
            "evt:tell": self._tell_rebuilder,
            "evt:notice": self._notice_rebuilder,
        }

    def outreach_sweeps(self) -> Sequence[SweepPart]:
        """What reconciliation looks for at Twilio."""
        if "outreach" not in self.settings.systems:
            return ()
        from chalicelib.outreach.hearing.lost_texts import LostTexts
        from chalicelib.outreach.project.companies import Companies

        found = LostTexts(
            Companies(self.table(self.settings.company_data_table)),
            self.conversations,
            self.twilio,
            self.ledger,
            self.sweeps,
            lambda: self.opaque_ids,
            self.clock,
            self.log,
        )
        return (found,)

    # --- the parts ----------------------------------------------------------------------------

    @cached_property
    def _outreach_flow(self) -> Flow:
        from chalicelib.once.allowances import Allowances
        from chalicelib.outreach.events.flow import OutreachFlow
        from chalicelib.outreach.events.handlers import outreach_flow

        return outreach_flow(
            OutreachFlow,
            self.conversations,
            self.composer,
            self.starts,
            self.ledger,
            self.clock,
            self._ownership,
            Allowances(self.table(self.settings.idempotency_table), self.clock),
            opaque=lambda: self.opaque_ids,
            check_secrets=lambda record: self.messages_of(record).check(record),
            current=self.current_settings,
            message_id_header=self._message_id_header,
            receive_count=lambda: self.heartbeat.receive_count,
            processor_version=self.settings.release,
            events=self.company_events,
            follow_ups=self._follow_ups,
        )

    @cached_property
    def _follow_ups(self) -> FollowUps:
        from chalicelib.outreach.messages.following import FollowUps

        return FollowUps(
            self.conversations,
            self.starts,
            self.ledger,
            self.clock,
            lambda: self.opaque_ids,
            self.current_settings,
            self._put_later,
            self.company_events,
        )

    @cached_property
    def current_settings(self) -> CachedSettings:
        """The settings of conversations' projects."""
        from chalicelib.outreach.project.companies import CachedSettings, Companies

        companies = Companies(self.table(self.settings.company_data_table))
        return CachedSettings(companies.current, self.clock)

    def _receipt_flow(self) -> Flow:
        from chalicelib.outreach.events.receipt import ReceiptFlow
        from chalicelib.outreach.resume import resume_through

        resume = resume_through(self.intake)
        return ReceiptFlow(
            self.conversations,
            self.starts,
            self.ledger,
            resume,
            self._ownership,
            self.company_events,
            self._follow_ups,
        )

    # --- notices of hand-offs -----------------------------------------------------------------

    @cached_property
    def notices(self) -> Notices:
        """Asks for the notices of hand-offs, and sends them."""
        from chalicelib.outreach.sending.notices import Notices

        return Notices(
            self.conversations,
            self._ses,
            self.current_settings,
            self.ledger,
            self._put_later,
            self.clock,
        )

    def _notice_flow(self) -> Flow:
        from chalicelib.outreach.events.notice import NoticeFlow

        return NoticeFlow(self.conversations, self.current_settings, self.clock)

    def _notice_rebuilder(self) -> Rebuilder:
        from chalicelib.outreach.sending.notices import rebuilt

        return rebuilt

    # --- events to companies ------------------------------------------------------------------

    @cached_property
    def company_events(self) -> CompanyEvents:
        """Writes what happened in a conversation, once, and has it posted to the company."""
        from chalicelib.once.intake import Intake
        from chalicelib.outreach.company_events.outbox import EventRows
        from chalicelib.outreach.company_events.recorder import CompanyEvents

        intake = Intake(  # never with a row at ingress: the outbox has one
            outbox=self.outbox,
            opaque=lambda: self.opaque_ids,
            clock=self.clock,
            log=self.log,
            new_id=new_id,
        )
        return CompanyEvents(
            EventRows(self._conversations_table, self.clock),
            intake,
            lambda: self.ledger,
            self.clock,
        )

    @cached_property
    def teller(self) -> Teller:
        """Posts events to the companies' endpoints."""
        from chalicelib.outreach.company_events.endpoint import secret_id
        from chalicelib.outreach.company_events.telling import Teller
        from chalicelib.vendors import posting

        def secret(company_id: str, refresh: bool) -> str:  # noqa: FBT001 - as it is asked
            return self.secrets.text(secret_id(self.settings.stage, company_id), refresh=refresh)

        loopback = self.settings.company_webhooks_on_loopback
        return Teller(
            self.company_events.rows,
            self.conversations,
            self._endpoint,
            secret,
            lambda one: posting.post(one, allows_loopback=loopback),
            self.clock,
            self.log,
            lambda: self.opaque_ids,
            self._lane_shares,
        )

    @cached_property
    def tool_calls(self) -> ToolCalls:
        """Calls tools."""
        from chalicelib.outreach.sending.tool_calls import ToolCalls

        return ToolCalls(
            self.conversations, self.company_events, self.ledger, self.current_settings, self.clock
        )

    def _tell_flow(self) -> Flow:
        from chalicelib.outreach.events.company_event import TellFlow

        return TellFlow(self.company_events, self._endpoint, self.clock, self.log)

    def _tell_rebuilder(self) -> Rebuilder:
        from chalicelib.outreach.events.company_event import TellRebuilder

        return TellRebuilder()

    def _endpoint(self, company_id: str, project_id: str) -> Endpoint | None:
        from chalicelib.outreach.project.companies import Companies

        companies = Companies(self.table(self.settings.company_data_table))
        project = companies.project(company_id, project_id)
        loopback = self.settings.company_webhooks_on_loopback
        return project.endpoint(allows_loopback=loopback) if project else None

    @cached_property
    def _ownership(self) -> Ownership:
        from chalicelib.outreach.hearing.ownership import Ownership

        return Ownership(self.senders, lambda record: self.messages_of(record).account_of(record))

    @cached_property
    def senders(self) -> Senders:
        """Which company a number or address belongs to."""
        from chalicelib.outreach.senders import Senders

        return Senders(self.table(self.settings.company_data_table))

    @cached_property
    def _resume_rebuilder(self) -> Rebuilder:
        from chalicelib.outreach.resume import ResumeRebuilder

        return ResumeRebuilder(self.conversations)

    def _start_rebuilder(self) -> Rebuilder:
        from chalicelib.outreach.resume import StartRebuilder

        return StartRebuilder(self.conversations, self._parcels)

    def _lost_replies(self) -> Rebuilder:
        from chalicelib.outreach.hearing.lost_replies import LostReplies

        return LostReplies(self.conversations, self.twilio, lambda: self.opaque_ids, self.log)

    @cached_property
    def conversations(self) -> Conversations:
        """The conversations table."""
        from chalicelib.outreach.conversations.store import Conversations

        return Conversations(
            self._conversations_table,
            self.clock,
            lambda: self.opaque_ids,
            kept=timedelta(days=self.settings.conversations_retention_days),
        )

    @cached_property
    def desk(self) -> Desk:
        """Where operators see and release conversations that were handed off."""
        from chalicelib.outreach.conversations.handoffs import Handoffs
        from chalicelib.outreach.desk.operators import Desk

        return Desk(self.inbox, Handoffs(self._conversations_table))

    @cached_property
    def inbox(self) -> DeskInbox:
        """What persons see of hand-offs, and what they do with them."""
        from chalicelib.outreach.conversations.handoffs import Handoffs
        from chalicelib.outreach.desk.inbox import DeskInbox
        from chalicelib.outreach.project.companies import Companies

        return DeskInbox(
            self.conversations,
            Handoffs(self._conversations_table),
            self.intake,
            self.ledger,
            self.starts,
            self.journal,
            self.clock,
            Companies(self.table(self.settings.company_data_table)).current,
        )

    @cached_property
    def starts(self) -> Starts:
        """Starts in table A."""
        from chalicelib.outreach.project.admission import Starts

        return Starts(self.table(self.settings.idempotency_table), self.ledger, self.clock)

    @cached_property
    def composer(self) -> Composer:
        """The writers behind the store of drafts."""
        from chalicelib.outreach.writing.composer import Composer
        from chalicelib.outreach.writing.model_writer import ChosenWriter
        from chalicelib.outreach.writing.template_writer import TemplateWriter
        from chalicelib.outreach.writing.tool_writer import ToolWriter

        writer = ChosenWriter(TemplateWriter(), self.checked_writer(), self.models.writes_for)
        offering = ToolWriter(writer, self.conversations, self.current_settings)
        return Composer(self.conversations, offering, self.heartbeat.beating)

    # --- what leaves, by vendor ---------------------------------------------------------------

    def messages_of(self, record: Record) -> Messages[Any]:
        """What sends the messages of a conversation's channel."""
        return self._messages[record.channel.traits.carrier.vendor]

    @cached_property
    def _messages(self) -> Mapping[str, Messages[Any]]:
        return Lazy({"twilio": lambda: self.texts, "ses": lambda: self.emails})

    @cached_property
    def texts(self) -> Texts:
        """Sends texts, and settles them."""
        from chalicelib.outreach.sending.texts import Texts

        return Texts(self._message_parts, self.twilio)

    @cached_property
    def emails(self) -> Emails:
        """Sends e-mails, and settles them."""
        from chalicelib.outreach.sending.emails import Emails

        return Emails(self._message_parts, self._ses())

    def _message_id_header(self, ref: str) -> str:
        return self.emails.message_id_header(ref)  # built only where an e-mail is sent

    @cached_property
    def hand_offs(self) -> HandOffs:
        """Hands conversations over."""
        from chalicelib.outreach.sending.hand_off import HandOffs

        return HandOffs(self.conversations, self.company_events, self.notices)

    @cached_property
    def _message_parts(self) -> Parts:
        from chalicelib.outreach.sending.prepared import Parts

        return Parts(
            self.conversations,
            self.composer,
            self.clock,
            lambda: self.opaque_ids,
            self.settings.public_base_url,
            self._lane_shares,
        )

    @cached_property
    def _conversations_table(self) -> Table:
        return self.table(self.settings.conversations_table)

    # --- vendors ------------------------------------------------------------------------------

    @cached_property
    def twilio(self) -> Twilio:
        """Twilio by the name of a company's secret; one client each."""
        from chalicelib.outreach.twilio import client as twilio
        from chalicelib.outreach.twilio import credentials as of

        def credentials(name: str, refresh: bool) -> Credentials:  # noqa: FBT001 - as it is asked
            return of.of_company(self.secrets.text(name, refresh=refresh))

        def client(name: str) -> VendorClient:
            return self.vendor(
                twilio.PROVIDER,
                self.settings.twilio_base_url,
                lambda refresh: twilio.basic(credentials(name, refresh)),
                requests_per_window=TWILIO_REQUESTS_PER_30_S,
                error_code_at=twilio.ERROR_CODE_AT,
            )

        return twilio.Twilio(credentials, client)

    def _twilio_webhook_secret(self) -> str:
        return self.secrets.text(self.settings.twilio_webhook_secret_id)

    def _ses(self) -> Ses:
        from chalicelib.outreach.ses.client import Ses

        client = self.client("sesv2", SES_CONFIG)
        return Ses(
            client,
            configuration_set=self.settings.ses_configuration_set or None,
            region=str(client.meta.region_name),
            clock=self.clock,
            log=self.log,
        )

    def checked_writer(self) -> CheckedWriter:
        """The language model's drafts that may be sent."""
        from chalicelib.outreach.writing.checked_writer import CheckedWriter
        from chalicelib.outreach.writing.model_writer import OpenAiWriter

        return CheckedWriter(OpenAiWriter(self.models), self.current_settings, self.log)

    @cached_property
    def spending(self) -> Spending:
        """What language models cost."""
        from chalicelib.outreach.spending.usage import Spending

        return Spending(self._conversations_table, self.clock, self.log)

    @cached_property
    def models(self) -> Models:
        """The language models; one client for each company's own key, one for the account's Bedrock."""
        from chalicelib.outreach.spending.models import Models, Named
        from chalicelib.outreach.spending.prices import Prices

        settings = self.settings
        return Models(
            current=self.current_settings,
            openai=cache(self._openai),
            bedrock=cache(self._bedrock),
            of_openai=Named(settings.openai_model, settings.openai_fallback_model or None),
            of_bedrock=Named(settings.bedrock_model, settings.bedrock_fallback_model or None),
            spending=self.spending,
            prices=Prices.parsed(settings.model_prices),
            log=self.log,
            shares=self._lane_shares,
        )

    def _openai(self, secret_id: str) -> OpenAI:
        from chalicelib.vendors import openai

        client = self.vendor(
            openai.PROVIDER,
            self.settings.openai_base_url,
            openai.bearer(lambda refresh: self.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        return openai.OpenAI(client, self.clock)

    def _bedrock(self) -> Bedrock:
        from chalicelib.vendors.bedrock import Bedrock

        return Bedrock(self.client("bedrock-runtime", BEDROCK_CONFIG), self.clock, self.log)
