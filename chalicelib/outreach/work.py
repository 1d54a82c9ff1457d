"""The lanes of messages, built: the flows, the executors, the writers and their language models."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

from chalicelib.once.allowances import Allowances
from chalicelib.once.flow import Flow
from chalicelib.once.job import by_kind
from chalicelib.once.lazy import Lazy
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.company_events.teller import Teller
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handlers import outreach_flow
from chalicelib.outreach.events.receipt import ReceiptFlow
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.jobs import KINDS, TO_COMPANIES
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.resume import resume_through
from chalicelib.outreach.sending.emails import Emails
from chalicelib.outreach.sending.hand_off import HandOffs
from chalicelib.outreach.sending.notices import Notices
from chalicelib.outreach.sending.prepared import Messages, Parts
from chalicelib.outreach.sending.texts import Texts
from chalicelib.outreach.sending.tool_calls import ToolCalls
from chalicelib.outreach.spending.models import Models, Named
from chalicelib.outreach.spending.prices import Prices
from chalicelib.outreach.spending.usage import Spending
from chalicelib.outreach.sweep import OutreachSweep
from chalicelib.outreach.telling import OutreachTelling
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.model_writer import ChosenWriter, OpenAiWriter
from chalicelib.outreach.writing.template_writer import TemplateWriter
from chalicelib.outreach.writing.tool_writer import ToolWriter
from chalicelib.shared import Shared
from chalicelib.vendors import bedrock, openai

OPENAI_REQUESTS_PER_30_S = 60


class OutreachWork:
    """What writes to recipients, and hears what they answer."""

    def __init__(
        self,
        shared: Shared,
        outreach: Outreach,
        sweep: OutreachSweep,
        telling: OutreachTelling,
    ) -> None:
        self._shared = shared
        self._outreach = outreach
        self._sweep = sweep
        self._telling = telling

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """By kind of job: one for all of them but receipts, and what companies are sent."""
        kinds = set(by_kind(KINDS)) - set(by_kind(TO_COMPANIES))
        return Lazy(
            {
                **dict.fromkeys(kinds, lambda: self._flow),
                "delivery_receipt": lambda: self._receipt_flow,
            }
        )

    @cached_property
    def _flow(self) -> Flow:
        shared, outreach = self._shared, self._outreach
        return outreach_flow(
            OutreachFlow,
            outreach.conversations,
            self.composer,
            outreach.starts,
            shared.ledger,
            shared.clock,
            self._ownership,
            Allowances(shared.table(shared.settings.idempotency_table), shared.clock),
            opaque=shared.opaque,
            check_secrets=lambda record: self.messages_of(record).check(record),
            current=outreach.current_settings,
            message_id_header=self._message_id_header,
            receive_count=lambda: shared.heartbeat.receive_count,
            processor_version=shared.settings.release,
            events=outreach.company_events,
            follow_ups=self._follow_ups,
        )

    @cached_property
    def _receipt_flow(self) -> Flow:
        outreach = self._outreach
        return ReceiptFlow(
            kept=outreach.kept,
            resume=resume_through(self._shared.intake),
            ownership=self._ownership,
            events=outreach.company_events,
            follow_ups=self._follow_ups,
        )

    @cached_property
    def _follow_ups(self) -> FollowUps:
        shared, outreach = self._shared, self._outreach
        return FollowUps(
            kept=outreach.kept,
            clock=shared.clock,
            opaque=shared.opaque,
            current=outreach.current_settings,
            put_later=shared.put_later,
            events=outreach.company_events,
        )

    @cached_property
    def _ownership(self) -> Ownership:
        return Ownership(
            self._outreach.senders, lambda record: self.messages_of(record).account_of(record)
        )

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
        return Texts(self._message_parts, self._sweep.twilio)

    @cached_property
    def emails(self) -> Emails:
        """Sends e-mails, and settles them."""
        return Emails(self._message_parts, self._telling.ses())

    def _message_id_header(self, ref: str) -> str:
        return self.emails.message_id_header(ref)  # built only where an e-mail is sent

    @cached_property
    def _message_parts(self) -> Parts:
        shared = self._shared
        return Parts(
            self._outreach.conversations,
            self.composer,
            shared.clock,
            shared.opaque,
            shared.settings.public_base_url,
            self._telling.lane_shares,
        )

    # --- other effects ------------------------------------------------------------------------

    @cached_property
    def hand_offs(self) -> HandOffs:
        """Hands conversations over."""
        outreach = self._outreach
        return HandOffs(outreach.conversations, outreach.company_events, self.notices)

    @cached_property
    def tool_calls(self) -> ToolCalls:
        """Calls tools."""
        shared, outreach = self._shared, self._outreach
        return ToolCalls(
            outreach.conversations,
            outreach.company_events,
            shared.ledger,
            outreach.current_settings,
            shared.clock,
        )

    @property
    def notices(self) -> Notices:
        """Asks for the notices of hand-offs, and sends them."""
        return self._telling.notices

    @property
    def teller(self) -> Teller:
        """Posts events to the companies' endpoints."""
        return self._telling.teller

    # --- what is written ----------------------------------------------------------------------

    @cached_property
    def composer(self) -> Composer:
        """The writers behind the store of drafts."""
        conversations = self._outreach.conversations
        writer = ChosenWriter(TemplateWriter(), self.checked_writer(), self.models.writes_for)
        offering = ToolWriter(writer, conversations, self._outreach.current_settings)
        return Composer(conversations, offering, self._shared.heartbeat.beating)

    def checked_writer(self) -> CheckedWriter:
        """The language model's drafts that may be sent."""
        current = self._outreach.current_settings
        return CheckedWriter(OpenAiWriter(self.models), current, self._shared.log)

    @cached_property
    def models(self) -> Models:
        """The language models; one client for each company's own key, one for the account's Bedrock."""
        settings = self._shared.settings
        return Models(
            current=self._outreach.current_settings,
            openai=cache(self._openai),
            bedrock=cache(self._bedrock),
            of_openai=Named(settings.openai_model, settings.openai_fallback_model or None),
            of_bedrock=Named(settings.bedrock_model, settings.bedrock_fallback_model or None),
            spending=self.spending,
            prices=Prices.parsed(settings.model_prices),
            log=self._shared.log,
            shares=self._telling.lane_shares,
        )

    @cached_property
    def spending(self) -> Spending:
        """What language models cost."""
        shared = self._shared
        return Spending(self._outreach.conversations_table, shared.clock, shared.log)

    def _openai(self, secret_id: str) -> openai.OpenAI:
        shared = self._shared
        client = shared.vendor(
            openai.PROVIDER,
            shared.settings.openai_base_url,
            openai.bearer(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        return openai.OpenAI(client, shared.clock)

    def _bedrock(self) -> bedrock.Bedrock:
        shared = self._shared
        client = shared.client("bedrock-runtime", bedrock.BEDROCK_CONFIG)
        return bedrock.Bedrock(client, shared.clock, shared.log)
