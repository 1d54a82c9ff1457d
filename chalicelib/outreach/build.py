"""Outreach, built: the tables that worker, sweep and operators have in common, and the desk.

Some doors use it too (`doors`); the lanes of messages are `work`, what companies are sent `telling`,
what the sweep looks for `sweep`.
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
from chalicelib.outreach.spending.providers import Named, Providers
from chalicelib.shared import Shared

if TYPE_CHECKING:
    from chalicelib.outreach.desk.inbox import DeskInbox
    from chalicelib.outreach.desk.operators import Desk
    from chalicelib.outreach.people.team_rows import TeamRows
    from chalicelib.outreach.spending.model_catalogue import ModelCatalogue


class Outreach:
    """Conversations that a company starts."""

    def __init__(self, shared: Shared) -> None:
        self._shared = shared

    @cached_property
    def conversations_table(self) -> Store:
        """The conversations and what belongs to them."""
        return self._shared.table(self._shared.settings.conversations_table)

    @cached_property
    def conversations(self) -> Conversations:
        """The conversations table as conversations."""
        shared = self._shared
        return Conversations(
            table=self.conversations_table,
            clock=shared.clock,
            opaque=shared.opaque,
            kept=timedelta(days=shared.settings.conversations_retention_days),
        )

    @cached_property
    def parcels(self) -> Parcels:
        """What a start brings along, until it is opened."""
        return Parcels(table=self.conversations_table, clock=self._shared.clock)

    @cached_property
    def starts(self) -> Starts:
        """Starts in table A."""
        shared = self._shared
        table = shared.table(shared.settings.idempotency_table)
        return Starts(table=table, ledger=shared.ledger, clock=shared.clock)

    @cached_property
    def kept(self) -> ConversationStores:
        """Where conversations, their starts and their events are kept."""
        return ConversationStores(
            conversations=self.conversations, starts=self.starts, ledger=self._shared.ledger
        )

    @cached_property
    def companies(self) -> Companies:
        """The companies' projects."""
        return Companies(self._shared.table(self._shared.settings.company_data_table))

    @cached_property
    def current_settings(self) -> CachedSettings:
        """The settings of conversations' projects."""
        return CachedSettings(self.companies.current, self._shared.clock)

    @cached_property
    def providers(self) -> Providers:
        """Which provider's language model writes for a project, if one does."""
        settings = self._shared.settings
        return Providers(
            current=self.current_settings,
            openai=Named(settings.openai_model, settings.openai_fallback_model or None),
            bedrock=Named(settings.bedrock_model, settings.bedrock_fallback_model or None),
        )

    @cached_property
    def catalogue(self) -> ModelCatalogue:
        """The language models that may write, with what each costs."""
        from chalicelib.outreach.spending.model_catalogue import (  # noqa: PLC0415 - of few events
            ModelCatalogue,
        )

        return ModelCatalogue.declared(self._shared.settings.model_prices)

    @cached_property
    def senders(self) -> Senders:
        """Which company a number or address belongs to."""
        return Senders(self._shared.table(self._shared.settings.company_data_table))

    @cached_property
    def company_events(self) -> CompanyEvents:
        """Writes what happened in a conversation, once, and has it posted to the company."""
        shared = self._shared
        return CompanyEvents(
            rows=EventRows(table=self.conversations_table, clock=shared.clock),
            intake=shared.intake_without_row,
            ledger=lambda: shared.ledger,
            clock=shared.clock,
        )

    # --- the desk, late: it loads half of the events' modules, 120 ms that no other door needs ---

    @cached_property
    def inbox(self) -> DeskInbox:
        """What persons see of hand-offs, and what they do with them."""
        from chalicelib.outreach.desk.inbox import DeskInbox  # noqa: PLC0415 - as said

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
        """Who works for a company, and who is away."""
        from chalicelib.outreach.people.team_rows import TeamRows  # noqa: PLC0415 - of the console

        return TeamRows(table=self.conversations_table, clock=self._shared.clock)

    @cached_property
    def desk(self) -> Desk:
        """Where operators see and release conversations that were handed off."""
        from chalicelib.outreach.desk.operators import Desk  # noqa: PLC0415 - as said

        return Desk(inbox=self.inbox, handoffs=Handoffs(self.conversations_table))
