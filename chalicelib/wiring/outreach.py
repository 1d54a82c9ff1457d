"""Outreach's parts: the Router's door, Twilio's and SES's, the flows and their executors."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING

from botocore.config import Config

from chalicelib import sources
from chalicelib.clock import iso
from chalicelib.errors import PermanentError, RequestError, UnavailableError
from chalicelib.intake import Answer
from chalicelib.jobs import Recovery
from chalicelib.ports import Executor, Preparer, Settler
from chalicelib.secrets import SecretsManager
from chalicelib.wiring.core import Core, new_id

if TYPE_CHECKING:
    from chalicelib.adapters.http import VendorClient
    from chalicelib.adapters.openai import OpenAI
    from chalicelib.adapters.ses import Ses
    from chalicelib.adapters.twilio import Credentials
    from chalicelib.composing import Composer
    from chalicelib.conversations.records import Record
    from chalicelib.conversations.store import Conversations
    from chalicelib.dynamo import Table
    from chalicelib.flows import Flow
    from chalicelib.handoff import Desk
    from chalicelib.heartbeat import Heartbeat
    from chalicelib.initiate import Initiate
    from chalicelib.rebuild import Rebuilder
    from chalicelib.reread import Reread
    from chalicelib.sending import Sender
    from chalicelib.starts import Starts

TWILIO_REQUESTS_PER_30_S = 300
"""Per account and container; Twilio queues what exceeds a sender's own pace."""
OPENAI_REQUESTS_PER_30_S = 60
_ONCE = Config(
    connect_timeout=3,
    read_timeout=15,
    retries={"total_max_attempts": 1},
)
"""SES takes no client token: a send that the SDK repeats is sent twice."""


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
        from chalicelib.sources import twilio as twilio_source

        return self.intake.receive(
            "twilio",
            headers,
            body,
            lambda low: self._verify_twilio(low, body, "/webhook/twilio", query),
            lambda request: twilio_source.parse_message(request, self.opaque_ids),
        )

    def twilio_status(
        self, headers: Mapping[str, str], body: bytes, query: Mapping[str, str]
    ) -> Answer:
        """Answer Twilio's callback on a message of ours."""
        from chalicelib.sources import twilio as twilio_source

        low = {name.lower(): value for name, value in headers.items()}
        try:
            self._verify_twilio(low, body, "/webhook/twilio/status", query)
            request = sources.InboundRequest(low, body, iso(self.clock.now()), new_id())
            job = twilio_source.parse_receipt(request, query)
            if job is not None:
                self.intake.accept(job)
        except RequestError as error:
            self.log.event("ingress.request.rejected", source="twilio_status", code=error.code)
            self.log.metric("mw.ingress.rejected", source="twilio_status", code=error.code)
            return Answer(error.status, {"status": "error", "code": error.code})
        except UnavailableError as error:
            self.log.event("ingress.failed", source="twilio_status", code=error.code)
            self.log.metric("mw.ingress.failed", source="twilio_status", code=error.code)
            return Answer(503, {"status": "error", "code": error.code})
        self.log.metric("mw.ingress.accepted", source="twilio_status")
        return Answer(200, {"status": "accepted"})

    def mail(self, message: str) -> None:
        """Take one SNS message of SES: an e-mail that came in, or an event of one of ours.

        A message that is none of these can never become one: it is reported and dropped.

        Raises:
            UnavailableError: the job was not kept; Lambda hands the message over again.
        """
        from chalicelib.sources import ses as ses_source

        try:
            job = ses_source.parse(
                message,
                received_at=iso(self.clock.now()),
                delivery_id=new_id(),
                opaque=self.opaque_ids,
            )
        except RequestError as error:
            self.log.event("ingress.request.rejected", source="ses", code=error.code)
            self.log.metric("mw.ingress.rejected", source="ses", code=error.code)
            return
        if job is not None:
            self.intake.accept(job)
            self.log.event("ingress.accepted", source="ses", mw_trace_id=job.trace_id)
            self.log.metric("mw.ingress.accepted", source="ses")

    # --- the worker's parts -------------------------------------------------------------------

    def outreach_flows(self) -> Mapping[str, Flow]:
        """The flow of each kind of job."""
        from chalicelib.flows.outreach import OutreachFlow
        from chalicelib.flows.outreach.receipts import ReceiptFlow

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
        """Who learns whether a text was sent; an e-mail's events come by themselves."""
        return {"send_text": self.sender.settle_text}

    def outreach_rebuilders(self) -> Mapping[str, Rebuilder]:
        """Who makes a job from a row: the conversation holds what the first job brought."""
        from chalicelib.flows.outreach.receipts import resumed

        kinds = ("evt:start", "evt:release", "evt:receipt")
        return {**dict.fromkeys(kinds, resumed), "evt:reply": self._reread}

    @cached_property
    def _reread(self) -> Reread:
        from chalicelib.adapters.twilio import Credentials, Twilio
        from chalicelib.reread import Reread
        from chalicelib.sources import twilio as twilio_source

        name = self.settings.twilio_webhook_secret_id

        def accounts() -> Mapping[str, tuple[str, ...]]:
            return twilio_source.accounts(self.secrets.text(name))

        def credentials(account: str, refresh: bool) -> Credentials:  # noqa: FBT001 - a port
            text = self.secrets.text(name, refresh=refresh)
            tokens = twilio_source.accounts(text).get(account)
            if not tokens:
                raise PermanentError("secrets", "read", reason="credentials_malformed")
            return Credentials(account, tokens[0])

        def client(account: str) -> VendorClient:
            return self._twilio_client(lambda refresh: credentials(account, refresh))

        return Reread(
            self.conversations,
            Twilio(credentials, client),
            lambda: [account for account, tokens in accounts().items() if tokens],
            lambda: self.opaque_ids,
            self.log,
        )

    @cached_property
    def conversations(self) -> Conversations:
        """The conversations table."""
        from chalicelib.conversations.store import Conversations

        return Conversations(self._conversations_table, self.clock)

    @cached_property
    def desk(self) -> Desk:
        """Persons' side of hand-off."""
        from chalicelib.conversations.handoffs import Handoffs
        from chalicelib.handoff import Desk

        handoffs = Handoffs(self._conversations_table)
        return Desk(self.conversations, handoffs, self.intake, self.clock)

    @cached_property
    def starts(self) -> Starts:
        """Starts in table A."""
        from chalicelib.starts import Starts

        return Starts(self.table(self.settings.idempotency_table), self.ledger, self.clock)

    @cached_property
    def heartbeat(self) -> Heartbeat:
        """Keeps the message at work invisible during slow calls."""
        from chalicelib.heartbeat import Heartbeat

        return Heartbeat(self.outbox, self.log)

    @cached_property
    def composer(self) -> Composer:
        """The writer behind the store of drafts."""
        from chalicelib.composing import Composer
        from chalicelib.openai_writer import ChosenWriter, OpenAiWriter
        from chalicelib.writers import TemplateWriter

        model = None
        if self.settings.openai_model:
            model = OpenAiWriter(
                self._openai,
                model=self.settings.openai_model,
                fallback_model=self.settings.openai_fallback_model or None,
            )
        writer = ChosenWriter(TemplateWriter(), model)
        return Composer(self.conversations, writer, self.heartbeat.beating)

    @cached_property
    def sender(self) -> Sender:
        """The executors."""
        from chalicelib.adapters.twilio import Twilio
        from chalicelib.sending import Sender

        return Sender(
            self.conversations,
            self.composer,
            Twilio(self._twilio_credentials, self._company_twilio_client),
            self._ses,
            self.clock,
            public_base_url=self.settings.public_base_url,
        )

    # --- behind them --------------------------------------------------------------------------

    @cached_property
    def _initiate(self) -> Initiate:
        from chalicelib.companies import Companies
        from chalicelib.initiate import Initiate
        from chalicelib.sources import router

        secret_id = self.settings.router_keys_secret_id
        return Initiate(
            access=lambda: router.access(self.secrets.text(secret_id)),
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

    @cached_property
    def _ses(self) -> Ses:
        from chalicelib.adapters.ses import Ses

        client = self.client("sesv2", _ONCE)
        return Ses(
            client,
            configuration_set=self.settings.ses_configuration_set or None,
            region=str(client.meta.region_name),
        )

    def _verify_twilio(
        self, headers: Mapping[str, str], body: bytes, path: str, query: Mapping[str, str]
    ) -> None:
        from chalicelib.sources import twilio as twilio_source

        text = self.secrets.text(self.settings.twilio_webhook_secret_id)
        url = twilio_source.signed_url(self.settings.public_base_url, path, query)
        twilio_source.verify(headers, body, url, twilio_source.accounts(text))

    def _twilio_credentials(self, secret_id: str, refresh: bool) -> Credentials:  # noqa: FBT001 - a port
        return _credentials(self.secrets, secret_id, refresh=refresh)

    def _company_twilio_client(self, secret_id: str) -> VendorClient:
        return self._twilio_client(lambda refresh: self._twilio_credentials(secret_id, refresh))

    def _twilio_client(self, credentials: Callable[[bool], Credentials]) -> VendorClient:
        from chalicelib.adapters import twilio as twilio_adapter
        from chalicelib.adapters.breaker import Breaker
        from chalicelib.adapters.http import VendorClient
        from chalicelib.adapters.rate_limit import RateLimit

        def authorize(refresh: bool) -> Mapping[str, str]:  # noqa: FBT001 - the client's port
            return twilio_adapter.basic(credentials(refresh))

        provider = twilio_adapter.PROVIDER
        return VendorClient(
            provider=provider,
            base_url=self.settings.twilio_base_url,
            authorize=authorize,
            clock=self.clock,
            log=self.log,
            rate_limit=RateLimit(
                provider,
                self.clock,
                self.clock.sleep,
                requests_per_window=TWILIO_REQUESTS_PER_30_S,
            ),
            breaker=Breaker(provider, self.clock),
            error_code_at=twilio_adapter.ERROR_CODE_AT,
        )

    def _openai(self, secret_id: str) -> OpenAI:
        """The language model under a company's own key; one client a key."""
        from chalicelib.adapters import openai as openai_adapter
        from chalicelib.adapters.breaker import Breaker
        from chalicelib.adapters.http import VendorClient
        from chalicelib.adapters.openai import OpenAI
        from chalicelib.adapters.rate_limit import RateLimit

        known = self._openai_clients
        if secret_id not in known:
            provider = openai_adapter.PROVIDER
            client = VendorClient(
                provider=provider,
                base_url=self.settings.openai_base_url,
                authorize=openai_adapter.bearer(
                    lambda refresh: self.secrets.text(secret_id, refresh=refresh)
                ),
                clock=self.clock,
                log=self.log,
                rate_limit=RateLimit(
                    provider,
                    self.clock,
                    self.clock.sleep,
                    requests_per_window=OPENAI_REQUESTS_PER_30_S,
                ),
                breaker=Breaker(provider, self.clock),
                error_code_at=openai_adapter.ERROR_CODE_AT,
            )
            known[secret_id] = OpenAI(client, self.clock)
        return known[secret_id]

    @cached_property
    def _openai_clients(self) -> dict[str, OpenAI]:
        return {}

    def _resume(self, record: Record, event_key: str) -> None:
        from chalicelib.flows.outreach.receipts import resumption

        job = resumption(record, event_key, iso(self.clock.now()))
        self.intake.accept(job, recovery=Recovery.SETTLED)


def _credentials(secrets: SecretsManager, secret_id: str, *, refresh: bool) -> Credentials:
    """A company's Twilio secret.

    Raises:
        PermanentError: it is not the JSON it must be.
        UnavailableError: it cannot be read.
    """
    from chalicelib.adapters.twilio import Credentials

    try:
        raw = json.loads(secrets.text(secret_id, refresh=refresh))
        return Credentials(
            account_sid=raw["twilio_account_sid"],
            auth_token=raw["twilio_auth_token"],
            template_sid=raw.get("twilio_template_sid"),
        )
    except (ValueError, KeyError, TypeError, AttributeError):
        raise PermanentError("secrets", "read", reason="credentials_malformed") from None
