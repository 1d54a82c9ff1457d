"""Answers a past moment of a conversation again under other settings; nothing is sent or stored.

Without a model, the checks judge the text that was written then.  With one, the writer writes the
answer again.  The cost of the run is bounded, and counts in no budget or sum of the project.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import datetime

from chalicelib.clock import SystemClock
from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import Budget, BudgetReachedError
from chalicelib.outreach.spending.cost_rows import CountedCall
from chalicelib.outreach.spending.counted_models import Models
from chalicelib.outreach.spending.message_time import MessageTime
from chalicelib.outreach.writing.checked_writer import CheckedWriter
from chalicelib.outreach.writing.checks.contact_details import addresses
from chalicelib.outreach.writing.model_writer import OpenAiWriter
from chalicelib.outreach.writing.template_writer import DraftRefusedError
from chalicelib.outreach.writing.tool_writer import ToolWriter
from chalicelib.outreach.writing.values import values
from ops.companies.replay_moments import Moment
from ops.companies.writer_lines import without_models
from ops.session import Session

SEND, PERSON, STOP, FAILED = "send", "person", "stop", "failed"
_OF_MODELS = frozenset({"abuse", "unsure"})
"""Rules that a model applies: moderation's and the judge's."""
MAX_COST = "max_cost"
"""The reason of an answer whose model call the run's cost limit prevented."""


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """The verdict on one answer, written then or written again.

    Attributes:
        verdict: `SEND`; ``retry`` if another draft may pass; `PERSON`; `STOP` if the customer opts
            out; `FAILED`.
        rule: the first rule that the text breaks, or the reason of a failure.
        span: the words that break the rule.
    """

    verdict: str
    rule: str | None = None
    text: str = field(default="", repr=False)
    span: str = field(default="", repr=False)


@dataclass(slots=True)
class ReplayPurse:
    """A `spending.counted_models.Purse` in memory for one run, in millionths of a US dollar.

    Attributes:
        most: the run's cost limit.
        spent: the cost of finished calls and the estimates of open ones.
        refused: the sum of the estimates of refused requests.
    """

    most: int
    spent: int = 0
    refused: int = 0

    def reserve(self, record: Record, budget: Budget | None, estimate: int) -> int:
        """Commit a request's estimated cost and return it.

        Raises:
            BudgetReachedError: the estimate exceeds what is left.
        """
        del record, budget
        if self.spent + estimate > self.most:
            self.refused += estimate
            raise BudgetReachedError(MAX_COST)
        self.spent += estimate
        return estimate

    def reserve_for_conversation(
        self, record: Record, budget: Budget | None, estimate: int
    ) -> None:
        """Do nothing: a replay counts in no conversation's budget."""

    def release(self, record: Record, committed: int, of_conversation: int | None = None) -> None:
        """Release the estimate of a request that surely cost nothing."""
        del record, of_conversation
        self.spent -= committed

    def count(self, record: Record, call: CountedCall) -> None:
        """Replace a call's estimate by its cost."""
        del record
        self.spent += call.microusd - call.estimate


@dataclass(frozen=True, slots=True)
class Replayer:
    """Judges or writes answers under a project's settings.

    Args:
        project: supplies the settings.
        models: the stage's models; None to judge only.
    """

    project: Project
    models: Models | None
    session: Session

    @classmethod
    def of(cls, session: Session, project: Project, purse: ReplayPurse | None) -> Replayer:
        """A replayer that writes and counts cost in `purse`; without a purse, one that judges."""
        models = session.services.outreach_work.models
        if purse is None:
            return cls(project, None, session)
        own = replace(
            models,
            providers=replace(models.providers, current=lambda _: project),
            accounting=replace(models.accounting, spending=purse),
            shares=None,
            time=MessageTime(),
        )
        return cls(project, own, session)

    def writes_for(self, moment: Moment) -> bool:
        """Whether a model would write the answer at this moment under these settings."""
        return self.models is not None and self.models.writes_for(moment.record)

    def answer(self, moment: Moment) -> ReplayedAnswer | None:
        """Write or judge the answer of a moment; None if there is no text to judge."""
        return self._written(moment) if self.writes_for(moment) else self._judged(moment)

    def _judged(self, moment: Moment) -> ReplayedAnswer | None:
        if not is_said(moment.written):
            return None
        settings = without_models(self.project.ai_config.writer)
        writer = self._writer(moment.at)
        found = writer.verdict(moment.record, moment.history, moment.written, settings, moment.at)
        text = found.rendered or moment.written.text
        return ReplayedAnswer(found.verdict, found.rule, text, found.span or "")

    def _written(self, moment: Moment) -> ReplayedAnswer:
        writer = ToolWriter(
            writer=self._writer(moment.at),
            drafts=self.session.services.outreach.conversations,
            current=lambda _: self.project,
        )
        try:
            return verdict_on_written(writer.answer(moment.record, moment.history))
        except BudgetReachedError:
            raise
        except DraftRefusedError as error:
            return verdict_on_written(error.draft)
        except MiddlewareError as error:
            return ReplayedAnswer(FAILED, reason_of(error))

    def _writer(self, at: datetime) -> CheckedWriter:
        services, clock = self.session.services, StoppedClock(at)
        models = self.models or services.outreach_work.models
        return CheckedWriter(
            model=OpenAiWriter(models=models, clock=clock),
            current=lambda _: self.project,
            clock=clock,
            log=services.log,
            time=models.time,
        )


@dataclass(frozen=True, slots=True)
class StoppedClock(SystemClock):
    """A clock that always shows the same moment."""

    at: datetime

    def now(self) -> datetime:
        """The moment."""
        return self.at


def estimated_cost(session: Session, project: Project, moments: Sequence[Moment]) -> int:
    """The most that a draft for each moment may cost, in millionths of a US dollar; calls no model."""
    purse = ReplayPurse(0)
    replayer = Replayer.of(session, project, purse)
    for moment in moments:
        with suppress(BudgetReachedError):
            replayer.answer(moment)
    return purse.refused


def verdict_on_written(written: Draft) -> ReplayedAnswer:
    """The verdict on an answer that the writer has finished."""
    if written.opts_out:
        return ReplayedAnswer(STOP)
    if written.refused is not None:
        return ReplayedAnswer(PERSON, written.refused.split(",")[0], written.text)
    return ReplayedAnswer(SEND if written.text else PERSON, None, written.text)


def is_said(written: Draft) -> bool:
    """Whether rules alone can judge a draft: it has text to send, and no model has refused it."""
    is_models = written.refused is not None and written.refused.split(",")[0] in _OF_MODELS
    has_text = bool(written.text) and not written.opts_out and written.tool is None
    return has_text and not is_models


def differ(answer: ReplayedAnswer, other: ReplayedAnswer) -> bool:
    """Whether two answers end differently; wording alone is no difference."""
    if answer.verdict != other.verdict and {answer.verdict, other.verdict} & {SEND, STOP, FAILED}:
        return True
    return answer.rule != other.rule


def kinds(text: str) -> list[str]:
    """The kinds of values (amounts, dates and so on) and addresses in a text, sorted."""
    found = addresses(text)
    named = {"link": found.links, "email": found.emails, "phone": found.phones}
    return sorted(
        {value.kind.value for value in values(text)} | {name for name, its in named.items() if its}
    )
