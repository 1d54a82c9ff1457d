"""Builds the lanes of messages: the flows, the senders and the writers; `model_drafts` builds the models."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from chalicelib.once.allowances import Allowances
from chalicelib.once.flow import Flow
from chalicelib.once.job import by_kind
from chalicelib.once.keyring import KeyPurpose
from chalicelib.once.lazy import Lazy
from chalicelib.outreach.build import Outreach
from chalicelib.outreach.carriers import OutreachCarriers
from chalicelib.outreach.consent.unsubscribe import LinkKeys
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.events.flow import OutreachFlow
from chalicelib.outreach.events.handlers import (
    CompanySide,
    FlowRun,
    Incoming,
    Outgoing,
    outreach_flow,
)
from chalicelib.outreach.events.receipt import ReceiptFlow
from chalicelib.outreach.hearing.ownership import Ownership
from chalicelib.outreach.jobs import KINDS, TO_COMPANIES
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.resume import resume_through
from chalicelib.outreach.sending.emails import EmailSender
from chalicelib.outreach.sending.prepared import MessageSender, SenderParts
from chalicelib.outreach.sending.texts import TextSender
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.template_writer import ChosenWriter, TemplateWriter
from chalicelib.outreach.writing.tool_writer import ToolWriter
from chalicelib.shared import Shared

if TYPE_CHECKING:  # loaded where a language model writes
    from chalicelib.outreach.model_drafts import OutreachModels
    from chalicelib.outreach.spending.cost_rows import Spending
    from chalicelib.outreach.spending.counted_models import Models
    from chalicelib.outreach.writing.checked_writer import CheckedWriter


class OutreachWork:
    """Builds what writes to recipients and processes their answers.

    Args:
        by_model: builds the language models; called only where one writes.
    """

    def __init__(
        self,
        *,
        shared: Shared,
        outreach: Outreach,
        carriers: OutreachCarriers,
        by_model: Callable[[], OutreachModels],
    ) -> None:
        self._shared = shared
        self._outreach = outreach
        self._carriers = carriers
        self._by_model = by_model

    @cached_property
    def flows(self) -> Mapping[str, Flow]:
        """The flows that handle the worker's jobs, by kind: one for delivery receipts, one for the others.

        Jobs that post to companies have flows of their own.
        """
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
            kept=outreach.kept,
            company=CompanySide(
                current=outreach.current_settings,
                events=outreach.company_events,
                follow_ups=self._follow_ups,
            ),
            outgoing=Outgoing(
                composer=self.composer,
                check_secrets=lambda record: self.messages_of(record).check(record),
                message_id_header=self._message_id_header,
            ),
            incoming=Incoming(
                ownership=self._ownership,
                allowances=Allowances(
                    table=shared.table(shared.settings.idempotency_table), clock=shared.clock
                ),
                opaque=shared.opaque,
            ),
            run=FlowRun(
                clock=shared.clock,
                receive_count=lambda: shared.heartbeat.receive_count,
                release=shared.settings.release,
            ),
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

    # --- senders, by vendor -------------------------------------------------------------------

    def messages_of(self, record: Record) -> MessageSender[Any]:
        """The sender of a conversation's messages, by its channel's vendor."""
        return self._messages[record.channel.traits.carrier.vendor]

    @cached_property
    def _messages(self) -> Mapping[str, MessageSender[Any]]:
        return Lazy({"twilio": lambda: self.texts, "ses": lambda: self.emails})

    @cached_property
    def texts(self) -> TextSender:
        """Sends SMS and WhatsApp messages, and finds out whether those of unknown outcome were sent."""
        return TextSender(parts=self._message_parts, twilio=self._carriers.twilio)

    @cached_property
    def emails(self) -> EmailSender:
        """Sends e-mails, and finds out whether those of unknown outcome were sent."""
        return EmailSender(parts=self._message_parts, ses=self._carriers.ses())

    def _message_id_header(self, ref: str) -> str:
        return self.emails.message_id_header(ref)  # built only where an e-mail is sent

    @cached_property
    def _message_parts(self) -> SenderParts:
        shared = self._shared
        return SenderParts(
            conversations=self._outreach.conversations,
            composer=self.composer,
            clock=shared.clock,
            links=LinkKeys(shared.opaque, shared.keys_of(KeyPurpose.UNSUBSCRIBE)),
            public_base_url=shared.settings.public_base_url,
            shares=self._carriers.lane_shares,
        )

    # --- writers ------------------------------------------------------------------------------

    @cached_property
    def composer(self) -> Composer:
        """Writes messages; each draft is stored first, so that a retry sends the same text."""
        conversations = self._outreach.conversations
        writer = ChosenWriter(
            plain=TemplateWriter(),
            model=lambda: self._by_model().writer,
            is_written_by_model=self._outreach.providers.writes_for,
        )
        offering = ToolWriter(
            writer=writer, drafts=conversations, current=self._outreach.current_settings
        )
        return Composer(
            conversations=conversations, writer=offering, beating=self._shared.heartbeat.beating
        )

    # --- for operators ------------------------------------------------------------------------

    def checked_writer(self) -> CheckedWriter:
        """The writer by a language model that returns only drafts that break no rule."""
        return self._by_model().writer

    @property
    def models(self) -> Models:
        """Selects the language model for a conversation, and counts every call of it."""
        return self._by_model().models

    @property
    def spending(self) -> Spending:
        """Counts what calls of language models cost, and reserves it from the budgets."""
        return self._by_model().spending
