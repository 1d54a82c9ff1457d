"""Builds the tables of outreach that worker, sweep and operators have in common, and the desk.

Some doors use them too (`doors`). `work` builds the lanes of messages, `telling` what companies are
sent, `sweep` the search for lost messages.
"""

from __future__ import annotations

from datetime import timedelta
from functools import cached_property
from typing import TYPE_CHECKING

from chalicelib.once.store import Store
from chalicelib.outreach.company_events.outbox import EventRows
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.parcels import Parcels
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.project.admission import ConversationStores, Starts
from chalicelib.outreach.project.companies import CachedSettings, Companies
from chalicelib.outreach.senders import Senders
from chalicelib.outreach.spending.providers import ModelPair, Providers
from chalicelib.shared import Shared

if TYPE_CHECKING:
    from chalicelib.outreach.desk.inbox import DeskInbox
    from chalicelib.outreach.desk.operators import OperatorsDesk
    from chalicelib.outreach.people.team_rows import TeamRows
    from chalicelib.outreach.spending.model_catalogue import ModelCatalogue


class Outreach:
    """Builds outreach's stores and settings, each at its first use."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def conversations_table(self) -> Store:
        """The `conversations` table as a raw store: conversations, registers, drafts, outbox rows."""
        return self._shared.table(self._shared.settings.conversations_table)

    @cached_property
    def conversations(self) -> Conversations:
        """The store of conversations, over the `conversations` table."""
        shared = self._shared
        return Conversations(
            table=self.conversations_table,
            clock=shared.clock,
            opaque=shared.opaque,
            kept=timedelta(days=shared.settings.conversations_retention_days),
        )

    @cached_property
    def parcels(self) -> Parcels:
        """The store of parcels: copies of the jobs of starts whose conversations are not open yet."""
        return Parcels(table=self.conversations_table, clock=self._shared.clock)

    @cached_property
    def starts(self) -> Starts:
        """The store of starts (requests to open a conversation), in table A, which is the ledger's table."""
        shared = self._shared
        table = shared.table(shared.settings.idempotency_table)
        return Starts(table=table, ledger=shared.ledger, clock=shared.clock)

    @cached_property
    def kept(self) -> ConversationStores:
        """The stores that the flows of events read and write: conversations, starts, ledger."""
        return ConversationStores(
            conversations=self.conversations, starts=self.starts, ledger=self._shared.ledger
        )

    @cached_property
    def companies(self) -> Companies:
        """The store of the companies' projects, over the table `company-data`."""
        return Companies(self._shared.table(self._shared.settings.company_data_table))

    @cached_property
    def current_settings(self) -> CachedSettings:
        """Returns the current settings of a conversation's project, at most `CACHED_SECONDS` old."""
        return CachedSettings(self.companies.current, self._shared.clock)

    @cached_property
    def providers(self) -> Providers:
        """The stage's language models, and which provider's model writes for a project, if any does."""
        settings = self._shared.settings
        return Providers(
            current=self.current_settings,
            openai=ModelPair(settings.openai_model, settings.openai_fallback_model or None),
            bedrock=ModelPair(settings.bedrock_model, settings.bedrock_fallback_model or None),
        )

    @cached_property
    def catalogue(self) -> ModelCatalogue:
        """The language models that this stage may use, with their prices."""
        from chalicelib.outreach.spending.model_catalogue import (  # noqa: PLC0415 - of few events
            ModelCatalogue,
        )

        return ModelCatalogue.declared(self._shared.settings.model_prices)

    @cached_property
    def senders(self) -> Senders:
        """Finds which company a sending number or address belongs to, in the map of senders."""
        return Senders(self._shared.table(self._shared.settings.company_data_table))

    @cached_property
    def company_events(self) -> CompanyEvents:
        """Writes each event of a conversation once, and queues its webhook to the company."""
        shared = self._shared
        return CompanyEvents(
            rows=EventRows(table=self.conversations_table, clock=shared.clock),
            intake=shared.intake_without_row,
            ledger=lambda: shared.ledger,
            clock=shared.clock,
        )

    # --- the desk, imported late: it loads half of `events`, 120 ms that no other door needs ------

    @cached_property
    def inbox(self) -> DeskInbox:
        """The conversations that wait for a company's persons, and the acts of persons on them."""
        from chalicelib.outreach.desk.inbox import DeskInbox  # noqa: PLC0415 - loads much

        shared = self._shared
        return DeskInbox(
            kept=self.kept,
            handoffs=Handoffs(self.conversations_table),
            intake=shared.intake,
            journal=shared.journal,
            clock=shared.clock,
            current=self.companies.current,
        )

    @cached_property
    def team(self) -> TeamRows:
        """The store of each company's team members, and of who is away."""
        from chalicelib.outreach.people.team_rows import TeamRows  # noqa: PLC0415 - of the console

        return TeamRows(table=self.conversations_table, clock=self._shared.clock)

    @cached_property
    def desk(self) -> OperatorsDesk:
        """The operators' acts on conversations that were handed off: list, show, approve, take."""
        from chalicelib.outreach.desk.operators import OperatorsDesk  # noqa: PLC0415 - loads much

        return OperatorsDesk(inbox=self.inbox, handoffs=Handoffs(self.conversations_table))
