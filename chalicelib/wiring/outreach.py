"""Outreach's parts: the Router's door, Twilio's and SES's, the flows and their executors."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.clock import iso
from chalicelib.errors import RequestError
from chalicelib.once import door
from chalicelib.once.action import Executor, Preparer, Settler
from chalicelib.once.door import Answer
from chalicelib.once.intake import listed
from chalicelib.once.job import Recovery
from chalicelib.wiring.core import Core, new_id

if TYPE_CHECKING:
    from chalicelib.aws.dynamo import Table
    from chalicelib.once.flow import Flow
    from chalicelib.once.heartbeat import Heartbeat
    from chalicelib.once.recovery.rebuild import Rebuilder
    from chalicelib.outreach.conversations.records import Record
    from chalicelib.outreach.conversations.store import Conversations
    from chalicelib.outreach.door.admission import Starts
    from chalicelib.outreach.door.initiate import Initiate
    from chalicelib.outreach.handoff import Desk
    from chalicelib.outreach.lost_replies import Reread
    from chalicelib.outreach.sending import Sender
    from chalicelib.outreach.writing.composer import Composer


class Outreach(Core):
    """Conversations that a company starts."""

    # --- doors --------------------------------------------------------------------------------

    def initiate(self, headers: Mapping[str, str], body: bytes) -> Answer:
        """Answer the Channel Router."""
        return self._initiate.start(headers, body)

    def fate(self, headers: Mapping[str, str], request_id: str) -> Answer:
        """Tell the Channel Router what became of a start."""
        return self._initiate.fate(headers, request_id)

    def twilio_message(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer Twilio's webhook of a message that came in."""
        from chalicelib.outreach.twilio import webhook as twilio_webhook

        return self.intake.receive(
            "twilio",
            headers,
            body,
            lambda low: self._verify_twilio(low, body, "/webhook/twilio", query),
            listed(lambda request: twilio_webhook.parse_message(request, self.opaque_ids)),
        )

    def twilio_status(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer Twilio's callback on a message of ours."""
        from chalicelib.outreach.twilio import webhook as twilio_webhook

        return self.intake.receive(
            "twilio_status",
            headers,
            body,
            lambda low: self._verify_twilio(low, body, "/webhook/twilio/status", query),
            listed(lambda request: twilio_webhook.parse_receipt(request, query)),
        )

    def mail(self, message: str) -> None:
        """Take one SNS message of SES: an e-mail that came in, or an event of one of ours.

        A message that is none of these can never become one: it is reported and dropped.

        Raises:
            UnavailableError: the job was not kept; Lambda hands the message over again.
        """
        from chalicelib.outreach.ses import webhook as ses_webhook

        try:
            job = ses_webhook.parse(
                message,
                received_at=iso(self.clock.now()),
                delivery_id=new_id(),
                opaque=self.opaque_ids,
            )
        except RequestError as error:
            door.rejected(self.log, "ses", error.code)
            return
        if job is not None:
            self.intake.accept(job)
            door.accepted(self.log, "ses", mw_trace_id=job.trace_id)

    # --- the worker's parts -------------------------------------------------------------------

    def outreach_flows(self) -> Mapping[str, Flow]:
        """The flow of each kind of job."""
        from chalicelib.outreach.flow import OutreachFlow
        from chalicelib.outreach.receipts import ReceiptFlow

        flow = OutreachFlow(
            self.conversations,
            self.composer,
            self.starts,
            self.clock,
            check_secrets=self.sender.check,
            message_id_header=self.sender.message_id_header,
            receive_count=lambda: self.heartbeat.receive_count,
            processor_version=self.settings.release,
        )
        kinds = ("start_conversation", "inbound_message", "outreach_resume", "handoff_release")
        receipts = ReceiptFlow(self.conversations, self.starts, self.ledger, self._resume)
        return {**dict.fromkeys(kinds, flow), "delivery_receipt": receipts}

    def outreach_executors(self) -> Mapping[str, Executor]:
        """Who performs each kind of action."""
        return {
            "send_text": self.sender.send_text,
            "send_email": self.sender.send_email,
            "hand_off": self.sender.hand_off,
        }

    def outreach_preparers(self) -> Mapping[str, Preparer]:
        """Who reads what a request needs."""
        return dict.fromkeys(("send_text", "send_email"), self.sender.prepare)

    def outreach_settlers(self) -> Mapping[str, Settler]:
        """Who learns whether a message was sent."""
        return {"send_text": self.sender.settle_text, "send_email": self.sender.settle_email}

    def outreach_rebuilders(self) -> Mapping[str, Rebuilder]:
        """Who makes a job from a row: the conversation holds what the first job brought."""
        from chalicelib.outreach.receipts import Resumed

        kinds = ("evt:start", "evt:release", "evt:receipt")
        resumed = Resumed(self.conversations)
        return {**dict.fromkeys(kinds, resumed), "evt:reply": self._reread}

    @cached_property
    def _reread(self) -> Reread:
        from chalicelib.outreach.lost_replies import Reread
        from chalicelib.wiring import outreach_vendors

        accounts = outreach_vendors.twilio_accounts
        return Reread(
            self.conversations,
            outreach_vendors.twilio_of_accounts(self),
            lambda: [account for account, tokens in accounts(self).items() if tokens],
            lambda: self.opaque_ids,
            self.log,
        )

    @cached_property
    def conversations(self) -> Conversations:
        """The conversations table."""
        from chalicelib.outreach.conversations.store import Conversations

        return Conversations(self._conversations_table, self.clock)

    @cached_property
    def desk(self) -> Desk:
        """Persons' side of hand-off."""
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
    def heartbeat(self) -> Heartbeat:
        """Keeps the message at work invisible during slow calls."""
        from chalicelib.once.heartbeat import Heartbeat

        return Heartbeat(self.outbox, self.log)

    @cached_property
    def composer(self) -> Composer:
        """The writer behind the store of drafts."""
        from chalicelib.outreach.writing.composer import Composer
        from chalicelib.outreach.writing.model_writer import ChosenWriter, OpenAiWriter
        from chalicelib.outreach.writing.template_writer import TemplateWriter
        from chalicelib.wiring import outreach_vendors

        model = None
        if self.settings.openai_model:
            model = OpenAiWriter(
                outreach_vendors.models(self),
                model=self.settings.openai_model,
                fallback_model=self.settings.openai_fallback_model or None,
            )
        writer = ChosenWriter(TemplateWriter(), model)
        return Composer(self.conversations, writer, self.heartbeat.beating)

    @cached_property
    def sender(self) -> Sender:
        """The executors."""
        from chalicelib.outreach.sending import Sender
        from chalicelib.wiring import outreach_vendors

        return Sender(
            self.conversations,
            self.composer,
            outreach_vendors.twilio_of_companies(self),
            outreach_vendors.ses(self),
            self.clock,
            public_base_url=self.settings.public_base_url,
        )

    # --- behind them --------------------------------------------------------------------------

    @cached_property
    def _initiate(self) -> Initiate:
        from chalicelib.outreach.companies import Companies
        from chalicelib.outreach.door import access
        from chalicelib.outreach.door.initiate import Initiate

        secret_id = self.settings.router_keys_secret_id
        return Initiate(
            access=lambda: access.access(self.secrets.text(secret_id)),
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
    def _conversations_table(self) -> Table:
        return self.table(self.settings.conversations_table)

    def _verify_twilio(
        self, headers: Mapping[str, str], body: bytes, path: str, query: Mapping[str, str]
    ) -> None:
        from chalicelib.outreach.twilio import webhook as twilio_webhook

        text = self.secrets.text(self.settings.twilio_webhook_secret_id)
        url = twilio_webhook.signed_url(self.settings.public_base_url, path, query)
        twilio_webhook.verify(headers, body, url, twilio_webhook.accounts(text))

    def _resume(self, record: Record, event_key: str) -> None:
        from chalicelib.outreach.receipts import resumption

        job = resumption(record, event_key, iso(self.clock.now()))
        self.intake.accept(job, recovery=Recovery.SETTLED)
