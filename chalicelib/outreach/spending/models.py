"""Which provider writes for a project, and its language model with every call counted.

A project chooses by ``ai_config.provider``: ``openai``, with the key that its channel names, or
``bedrock``, with the account's own rights.  Whatever asks a model for a conversation asks one of
these, so that no call is free of the budget.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from chalicelib.errors import ProviderError, TransientError
from chalicelib.once.ports import Log
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.lane_shares import LaneShares, held_by
from chalicelib.outreach.project.item import BEDROCK
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget import Budget
from chalicelib.outreach.spending.prices import Prices
from chalicelib.outreach.spending.usage import Counted, Spending
from chalicelib.vendors.language_model import LanguageModel, ModelAnswer, ModelRequest

_MAYBE_CHARGED = frozenset(
    {"timeout", "connection_broken", "unexpected_answer", "answer_too_large"}
)
"""Reasons of failures after which the provider may have generated, and charges for that."""


@dataclass(frozen=True, slots=True)
class Named:
    """The models of a stage with one provider; the first is empty where the stage has none."""

    model: str
    fallback: str | None = None


class Choice(Protocol):
    """Which language model writes for a conversation."""

    def named(self, record: Record) -> Named:
        """The names of its models, where its project has none of its own."""
        ...

    def of(self, record: Record) -> LanguageModel:
        """The model itself."""
        ...


@dataclass(frozen=True, slots=True)
class Models:
    """`Choice` by the projects' settings: the language models that write for conversations.

    Attributes:
        current: a project's settings as they are now.
        openai: the client for a company's key, by its secret's name.
        bedrock: the client of the account's own Bedrock.
        of_openai: the stage's models with OpenAI.
        of_bedrock: the stage's models with Bedrock.
    """

    current: Callable[[Record], Project]
    openai: Callable[[str], LanguageModel]
    bedrock: Callable[[], LanguageModel]
    of_openai: Named
    of_bedrock: Named
    spending: Spending
    prices: Prices
    log: Log
    shares: LaneShares | None = None

    def writes_for(self, record: Record) -> bool:
        """Whether a model writes for a conversation; else fixed wordings are sent.

        Raises:
            PermanentError: the project's `ai_config`, which may name a key, cannot be read.
        """
        _ = self.current(record).ai_config
        if self.provider(record) == BEDROCK:
            return bool(self.of_bedrock.model)
        return bool(self.of_openai.model and record.ai_config.get("api_key_reference"))

    def provider(self, record: Record) -> str:
        """Whose model writes; see `Project.provider`."""
        return self.current(record).provider

    def named(self, record: Record) -> Named:
        """The stage's models of a conversation's provider."""
        return self.of_bedrock if self.provider(record) == BEDROCK else self.of_openai

    def of(self, record: Record) -> LanguageModel:
        """The model that writes for a conversation."""
        provider = self.provider(record)
        if provider == BEDROCK:
            model = self.bedrock()
        else:
            model = self.openai(str(record.ai_config["api_key_reference"]))
        project = self.current(record)
        return Counting(
            model,
            record,
            Budget.of(project),
            provider,
            self.spending,
            self.prices,
            self.log,
            Budget.of_conversation(project),
            self.shares,
        )


@dataclass(frozen=True, slots=True)
class Counting:
    """A language model for one conversation; every request is counted, and bounded by the budgets."""

    model: LanguageModel
    record: Record
    budget: Budget | None
    provider: str
    spending: Spending
    prices: Prices
    log: Log
    of_conversation: Budget | None = None
    shares: LaneShares | None = None

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """See `LanguageModel.respond`.

        Raises:
            BudgetReachedError: the project's budget of the day, or the conversation's, is spent.
            PacedError: the company holds its share of the lane's workers; nothing was asked.
        """
        with held_by(self.shares, self.record, deadline_seconds):
            return self._counted(request, deadline_seconds)

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """See `LanguageModel.moderate`; it is free of charge at the vendors that have it."""
        return self.model.moderate(text, deadline_seconds=deadline_seconds)

    def _counted(self, request: ModelRequest, deadline_seconds: float) -> ModelAnswer:
        characters = len(request.instructions) + sum(len(turn.text) for turn in request.turns)
        names = (request.model, request.fallback_model or request.model)
        tokens = request.max_output_tokens
        most = max(self.prices.most(name, characters, tokens) for name in names)
        own = self.spending.begin_conversation(self.record, self.of_conversation, most)
        try:
            committed = self.spending.begin(self.record, self.budget, most)
        except ProviderError:
            self.spending.give_back(self.record, 0, own)
            raise
        try:
            answer = self.model.respond(request, deadline_seconds=deadline_seconds)
        except ProviderError as error:
            self._note("failed")
            if not (isinstance(error, TransientError) and error.reason in _MAYBE_CHARGED):
                self.spending.give_back(self.record, committed, own)
            raise
        self._note("fallback" if answer.model != request.model else answer.outcome.value)
        cost = self.prices.cost(answer.model, answer.usage)
        call = Counted(answer.response_id, answer.model, answer.usage, cost, committed, own)
        self.spending.count(self.record, call)
        self.log.metric("mw.model.microusd", cost)
        return answer

    def _note(self, outcome: str) -> None:
        self.log.metric("mw.model.calls", provider=self.provider, outcome=outcome)
