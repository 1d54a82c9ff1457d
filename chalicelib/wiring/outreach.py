"""Outreach: the doors of Router, Twilio and SES, the flows and executors, the vendors they call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, cached_property
from typing import TYPE_CHECKING

from botocore.config import Config

from chalicelib.wiring.core import Core, new_id

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.once.action import Executor, LastLook, Preparer, Settler
    from chalicelib.once.door import Answer
    from chalicelib.once.flow import Flow
    from chalicelib.once.recovery.rebuild import Rebuilder
    from chalicelib.once.recovery.sweep import SweepPart
    from chalicelib.outreach.companies import CachedSettings
    from chalicelib.outreach.conversations.store import Conversations
    from chalicelib.outreach.door.admission import Starts
    from chalicelib.outreach.door.initiate import Initiate
    from chalicelib.outreach.handoff import Desk
    from chalicelib.outreach.ownership import Ownership
    from chalicelib.outreach.senders import Senders
    from chalicelib.outreach.sending import Sender
    from chalicelib.outreach.ses.client import Ses
    from chalicelib.outreach.spending.models import Models
    from chalicelib.outreach.spending.usage import Spending
    from chalicelib.outreach.twilio.client import Credentials, Twilio
    from chalicelib.outreach.twilio.consent import ConsentAtTheDoor
    from chalicelib.outreach.twilio.door import TwilioDoor
    from chalicelib.outreach.unsubscribe import UnsubscribeDoor
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

    def unsubscribe_page(self, token: str) -> Answer:
        """Show the page behind an unsubscribe link."""
        return self._unsubscribe_door.page(token)

    def unsubscribe(self, token: str) -> Answer:
        """Unsubscribe the recipient of a link."""
        return self._unsubscribe_door.unsubscribe(token)

    @cached_property
    def _unsubscribe_door(self) -> UnsubscribeDoor:
        from chalicelib.outreach.unsubscribe import UnsubscribeDoor

        return UnsubscribeDoor(self.conversations, lambda: self.opaque_ids, self.log)

    @cached_property
    def _initiate(self) -> Initiate:
        from chalicelib.outreach.companies import Companies
        from chalicelib.outreach.door import access
        from chalicelib.outreach.door.initiate import Initiate

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
        )

    @cached_property
    def _twilio_door(self) -> TwilioDoor:
        from chalicelib.outreach.twilio.door import TwilioDoor

        name = self.settings.twilio_webhook_secret_id
        return TwilioDoor(
            self.intake,
            lambda: self.secrets.text_or_none(name),
            self.settings.public_base_url,
            lambda: self._consent_at_door,
        )

    @cached_property
    def _consent_at_door(self) -> ConsentAtTheDoor:
        from chalicelib.outreach.conversations.do_not_contact import DoNotContact
        from chalicelib.outreach.twilio.consent import ConsentAtTheDoor

        return ConsentAtTheDoor(DoNotContact(self._conversations_table, self.clock), self.senders)

    # --- parts by kind ------------------------------------------------------------------------

    def outreach_flows(self) -> Mapping[str, Callable[[], Flow]]:
        """By kind of job."""
        kinds = ("start_conversation", "inbound_message", "outreach_resume", "handoff_release")
        return {
            **dict.fromkeys(kinds, lambda: self._outreach_flow),
            "delivery_receipt": self._receipt_flow,
        }

    def outreach_executors(self) -> Mapping[str, Callable[[], Executor]]:
        """By kind of action."""
        return {
            "send_text": lambda: self.sender.send_text,
            "confirm_stop": lambda: self.sender.send_text,
            "answer_help": lambda: self.sender.send_text,
            "send_email": lambda: self.sender.send_email,
            "hand_off": lambda: self.sender.hand_off,
        }

    def outreach_preparers(self) -> Mapping[str, Callable[[], Preparer]]:
        """By kind of action, of those whose request needs something read first."""
        kinds = ("send_text", "confirm_stop", "answer_help", "send_email")
        return dict.fromkeys(kinds, lambda: self.sender.prepare)

    def outreach_last_looks(self) -> Mapping[str, Callable[[], LastLook]]:
        """By kind of action, of those that a recipient may forbid until their request leaves."""
        return dict.fromkeys(("send_text", "send_email"), lambda: self.sender.last_look)

    def outreach_settlers(self) -> Mapping[str, Callable[[], Settler]]:
        """By kind of action, of those whose outcome the provider can show."""
        return {
            "send_text": lambda: self.sender.settle_text,
            "confirm_stop": lambda: self.sender.settle_text,
            "answer_help": lambda: self.sender.settle_text,
            "send_email": lambda: self.sender.settle_email,
        }

    def outreach_rebuilders(self) -> Mapping[str, Callable[[], Rebuilder]]:
        """By the first two parts of an event key."""
        kinds = ("evt:start", "evt:release", "evt:receipt")
        return {
            **dict.fromkeys(kinds, lambda: self._resume_rebuilder),
            "evt:reply": self._lost_replies,
        }

    def outreach_sweeps(self) -> Sequence[SweepPart]:
        """What reconciliation looks for at Twilio."""
        from chalicelib.outreach.companies import Companies
        from chalicelib.outreach.lost_texts import LostTexts

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
        from chalicelib.outreach.flow import OutreachFlow

        return OutreachFlow(
            self.conversations,
            self.composer,
            self.starts,
            self.ledger,
            self.clock,
            self._ownership,
            Allowances(self.table(self.settings.idempotency_table), self.clock),
            opaque=lambda: self.opaque_ids,
            check_secrets=self.sender.check,
            current=self.current_settings,
            message_id_header=self.sender.message_id_header,
            receive_count=lambda: self.heartbeat.receive_count,
            processor_version=self.settings.release,
        )

    @cached_property
    def current_settings(self) -> CachedSettings:
        """The settings of conversations' projects."""
        from chalicelib.outreach.companies import CachedSettings, Companies

        companies = Companies(self.table(self.settings.company_data_table))
        return CachedSettings(companies.current, self.clock)

    def _receipt_flow(self) -> Flow:
        from chalicelib.outreach.receipts import ReceiptFlow, resume_through

        resume = resume_through(self.intake)
        return ReceiptFlow(self.conversations, self.starts, self.ledger, resume, self._ownership)

    @cached_property
    def _ownership(self) -> Ownership:
        from chalicelib.outreach.ownership import Ownership

        return Ownership(self.senders, self.sender.account_of)

    @cached_property
    def senders(self) -> Senders:
        """Which company a number or address belongs to."""
        from chalicelib.outreach.senders import Senders

        return Senders(self.table(self.settings.company_data_table))

    @cached_property
    def _resume_rebuilder(self) -> Rebuilder:
        from chalicelib.outreach.receipts import ResumeRebuilder

        return ResumeRebuilder(self.conversations)

    def _lost_replies(self) -> Rebuilder:
        from chalicelib.outreach.lost_replies import LostReplies

        return LostReplies(self.conversations, self.twilio, lambda: self.opaque_ids, self.log)

    @cached_property
    def conversations(self) -> Conversations:
        """The conversations table."""
        from chalicelib.outreach.conversations.store import Conversations

        return Conversations(self._conversations_table, self.clock, lambda: self.opaque_ids)

    @cached_property
    def desk(self) -> Desk:
        """Where operators see and release conversations that were handed off."""
        from chalicelib.outreach.conversations.handoffs import Handoffs
        from chalicelib.outreach.handoff import Desk

        handoffs = Handoffs(self._conversations_table)
        return Desk(self.conversations, handoffs, self.intake, self.clock)

    @cached_property
    def starts(self) -> Starts:
        """Starts in table A."""
        from chalicelib.outreach.door.admission import Starts

        return Starts(self.table(self.settings.idempotency_table), self.ledger, self.clock)

    @cached_property
    def composer(self) -> Composer:
        """The writers behind the store of drafts."""
        from chalicelib.outreach.writing.composer import Composer
        from chalicelib.outreach.writing.model_writer import ChosenWriter, OpenAiWriter
        from chalicelib.outreach.writing.template_writer import TemplateWriter

        models = self._models
        writer = ChosenWriter(TemplateWriter(), OpenAiWriter(models), models.writes_for)
        return Composer(self.conversations, writer, self.heartbeat.beating)

    @cached_property
    def sender(self) -> Sender:
        """The executors."""
        from chalicelib.outreach.sending import Sender

        return Sender(
            self.conversations,
            self.composer,
            self.twilio,
            self._ses(),
            self.clock,
            opaque=lambda: self.opaque_ids,
            public_base_url=self.settings.public_base_url,
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

    @cached_property
    def spending(self) -> Spending:
        """What language models cost."""
        from chalicelib.outreach.spending.usage import Spending

        return Spending(self._conversations_table, self.clock, self.log)

    @cached_property
    def _models(self) -> Models:
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
