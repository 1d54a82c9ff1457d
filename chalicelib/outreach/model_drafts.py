"""Builds the language models of a stage, the record of their costs, and their checked drafts."""

from __future__ import annotations

from functools import cache, cached_property

from chalicelib.outreach.build import Outreach
from chalicelib.outreach.carriers import OutreachCarriers
from chalicelib.outreach.spending.cost_rows import Spending
from chalicelib.outreach.spending.counted_models import Accounting, Models
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from chalicelib.outreach.writing.model_writer import OpenAiWriter
from chalicelib.shared import Shared
from chalicelib.vendors import bedrock, openai
from chalicelib.vendors.guardrail import Guardrail

OPENAI_REQUESTS_PER_30_S = 60


class OutreachModels:
    """Builds the language models: an OpenAI client for each company's own key, one client for Bedrock."""

    def __init__(self, *, shared: Shared, outreach: Outreach, carriers: OutreachCarriers) -> None:
        self._shared = shared
        self._outreach = outreach
        self._carriers = carriers

    @cached_property
    def writer(self) -> CheckedWriter:
        """Writes drafts of messages by a language model, and returns only those that break no rule."""
        current = self._outreach.current_settings
        shared = self._shared
        return CheckedWriter(
            model=OpenAiWriter(models=self.models, clock=shared.clock),
            current=current,
            clock=shared.clock,
            log=shared.log,
            time=self.models.time,
        )

    @cached_property
    def models(self) -> Models:
        """Selects the language model for a conversation, and counts every call of it."""
        shared = self._shared
        return Models(
            providers=self._outreach.providers,
            openai=cache(self._openai),
            bedrock=cache(self._bedrock),
            accounting=Accounting(
                spending=self.spending,
                catalogue=self._outreach.catalogue,
                log=shared.log,
            ),
            shares=self._carriers.lane_shares,
        )

    @cached_property
    def spending(self) -> Spending:
        """Counts what calls of language models cost, and reserves it from the budgets."""
        shared = self._shared
        return Spending(
            table=self._outreach.conversations_table, clock=shared.clock, log=shared.log
        )

    def _openai(self, secret_id: str) -> openai.OpenAI:
        shared = self._shared
        client = shared.vendor(
            openai.PROVIDER,
            shared.settings.openai_base_url,
            openai.bearer(lambda refresh: shared.secrets.text(secret_id, refresh=refresh)),
            requests_per_window=OPENAI_REQUESTS_PER_30_S,
            error_code_at=openai.ERROR_CODE_AT,
        )
        return openai.OpenAI(client=client, clock=shared.clock)

    def _bedrock(self) -> bedrock.Bedrock:
        shared = self._shared
        client = shared.client("bedrock-runtime", bedrock.BEDROCK_CONFIG)
        guardrail = Guardrail.parsed(shared.settings.bedrock_guardrail)
        return bedrock.Bedrock(
            client=client, clock=shared.clock, log=shared.log, guardrail=guardrail
        )
