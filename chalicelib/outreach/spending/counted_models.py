"""The language model that writes for a conversation, with every call counted.

All code that calls a model for a conversation calls it through `Models`, so the budget bounds every call.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import monotonic
from typing import Protocol

from chalicelib.errors import ProviderError, TransientError
from chalicelib.once.ports import Log
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.lane_shares import LaneShares, share_of_call
from chalicelib.outreach.project.item import BEDROCK
from chalicelib.outreach.spending import asking
from chalicelib.outreach.spending.budget_limits import Budget, Budgets
from chalicelib.outreach.spending.cost_rows import CountedCall
from chalicelib.outreach.spending.message_time import LEAST_SECONDS, MessageTime
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue
from chalicelib.outreach.spending.providers import ModelPair, Providers
from chalicelib.vendors.language_model import LanguageModel, ModelAnswer, ModelRequest

_MAYBE_CHARGED = frozenset(
    {"timeout", "connection_broken", "unexpected_answer", "answer_too_large"}
)
"""Reasons of failed calls after which the provider may have made an answer and charge for it."""


class Purse(Protocol):
    """Interface that reserves budget for calls of models and counts them; see `cost_rows.Spending`."""

    def reserve(self, record: Record, budget: Budget | None, estimate: int) -> int:
        """Reserve what a request may cost from the project's budget of the day; returns the amount reserved.

        The amount is 0 for a project without such a budget.

        Raises:
            BudgetReachedError: the budget is spent.
        """
        ...

    def reserve_for_conversation(
        self, record: Record, budget: Budget | None, estimate: int
    ) -> int | None:
        """Reserve what a request may cost from the conversation's own budget; returns the amount reserved.

        None for a conversation without a budget of its own.

        Raises:
            BudgetReachedError: the budget is spent.
        """
        ...

    def release(self, record: Record, committed: int, of_conversation: int | None = None) -> None:
        """Release the amounts reserved from both budgets, for a request that surely cost nothing."""
        ...

    def count(self, record: Record, call: CountedCall) -> None:
        """Count one call of a model and its cost; idempotent by the call's id."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Accounting:
    """What every call of a model is counted with: the budgets' sums, the prices and the log's metrics."""

    spending: Purse
    catalogue: ModelCatalogue
    log: Log


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """The language models that write for conversations, chosen by the projects' settings.

    Attributes:
        openai: makes the client for a company's own key, by the secret's name.
        bedrock: makes the client of our AWS account's Bedrock.
        shares: counts slow calls against the companies' shares; None outside a worker.
        time: the time left for each message.
    """

    providers: Providers
    openai: Callable[[str], LanguageModel]
    bedrock: Callable[[], LanguageModel]
    accounting: Accounting
    shares: LaneShares | None = None
    time: MessageTime = field(default_factory=MessageTime)

    def writes_for(self, record: Record) -> bool:
        """Whether a language model writes for a conversation; otherwise fixed texts are sent.

        Raises:
            PermanentError: the project's `ai_config` cannot be read.
        """
        return self.providers.writes_for(record)

    def model_names(self, record: Record) -> ModelPair:
        """The names of the stage's models at a conversation's provider, for projects that name none."""
        return self.providers.model_names(record)

    def cost(self, answer: ModelAnswer) -> int:
        """The cost of a model's answer, in millionths of a US dollar; 0 for an unknown model."""
        row = self.accounting.catalogue.find(answer.model)
        return 0 if row is None else row.cost(answer.usage)

    def model_of(self, record: Record) -> LanguageModel:
        """The language model that writes for a conversation; budgets bound its calls, and each is counted."""
        provider = self.providers.provider_of(record)
        if provider == BEDROCK:
            model = self.bedrock()
        else:
            model = self.openai(str(record.ai_config["api_key_reference"]))
        return CountedModel(
            model=model,
            record=record,
            budgets=Budgets.of(self.providers.current(record)),
            accounting=self.accounting,
            shares=self.shares,
            time=self.time,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class CountedModel:
    """The language model of one conversation: budgets limit its requests, and each request is counted."""

    model: LanguageModel
    record: Record
    budgets: Budgets
    accounting: Accounting
    shares: LaneShares | None = None
    time: MessageTime = field(default_factory=MessageTime)

    def respond(self, request: ModelRequest, *, deadline_seconds: float) -> ModelAnswer:
        """Ask the model, and after an unusable answer once more or the fallback model (`asking.requests`).

        Raises:
            BudgetReachedError: the budget of the day or of the conversation is spent.
            PacedError: the company already holds its share of the lane's workers; nothing was asked.
            UnwrittenError: a model is not in the catalogue, or the message's time is over.
            ProviderError: the request failed.
        """
        catalogue = self.accounting.catalogue
        ends = monotonic() + self.time.seconds_left(deadline_seconds)
        first, *others = asking.requests(request, catalogue)
        answer = self._within_share(first, ends - monotonic())
        for other in others:
            if asking.is_final(answer, request, catalogue) or ends - monotonic() < LEAST_SECONDS:
                break
            answer = self._within_share(other, ends - monotonic())
        return answer

    def moderate(self, text: str, *, deadline_seconds: float) -> Sequence[str]:
        """The categories in which the vendor's moderation flags a text; not counted, as OpenAI's is free."""
        return self.model.moderate(text, deadline_seconds=self.time.seconds_left(deadline_seconds))

    def _within_share(self, request: ModelRequest, seconds: float) -> ModelAnswer:
        with share_of_call(self.shares, self.record, seconds):
            return self._counted(request, seconds)

    def _counted(self, request: ModelRequest, deadline_seconds: float) -> ModelAnswer:
        spending, catalogue = self.accounting.spending, self.accounting.catalogue
        rows = {
            name: asking.row_of(catalogue, name)
            for name in (request.model, request.fallback_model or request.model)
        }
        most = max(row.highest_cost(request, name) for name, row in rows.items())
        own = spending.reserve_for_conversation(self.record, self.budgets.conversation, most)
        try:
            committed = spending.reserve(self.record, self.budgets.day, most)
        except ProviderError:
            spending.release(self.record, 0, own)
            raise
        provider = rows[request.model].provider
        try:
            answer = self.model.respond(request, deadline_seconds=deadline_seconds)
        except ProviderError as error:
            self._log_outcome(provider, "failed")
            if not (isinstance(error, TransientError) and error.reason in _MAYBE_CHARGED):
                spending.release(self.record, committed, own)
            raise
        row = catalogue.find(answer.model) or rows[request.model]
        is_first = row is rows[request.model]
        self._log_outcome(provider, answer.outcome.value if is_first else "fallback")
        cost = row.cost(answer.usage)
        call = CountedCall(answer.response_id, answer.model, answer.usage, cost, committed, own)
        spending.count(self.record, call)
        self.accounting.log.metric("mw.model.microusd", cost)
        return answer

    def _log_outcome(self, provider: str, outcome: str) -> None:
        self.accounting.log.metric("mw.model.calls", provider=provider, outcome=outcome)
