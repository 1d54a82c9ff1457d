"""What a project's writer and its checks make of a moment under other settings; nothing is sent or stored.

Without a model, what was written then is judged.  With one, the answer is written again: its calls are
bounded by what the run may cost, and in no budget and no sum of the project.
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
from chalicelib.outreach.spending.budget import Budget, BudgetReachedError
from chalicelib.outreach.spending.message_time import MessageTime
from chalicelib.outreach.spending.models import Models
from chalicelib.outreach.spending.usage import Counted
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
"""Rules of moderation and judge."""
MAX_COST = "max_cost"
"""Reason where the run may cost no more: the model was not asked."""


@dataclass(frozen=True, slots=True)
class ReplayedAnswer:
    """What became, or would become, of one answer.

    Attributes:
        verdict: `SEND`; ``retry`` where another draft may be better; `PERSON`; `STOP` where it was heard
            as a wish to get no more; `FAILED`.
        rule: the first rule that the text breaks, or why the writer failed.
        span: the words that break it.
    """

    verdict: str
    rule: str | None = None
    text: str = field(default="", repr=False)
    span: str = field(default="", repr=False)


@dataclass(slots=True)
class ReplayPurse:
    """`spending.models.Purse` of one run, in millionths of a US dollar; it keeps nothing.

    Attributes:
        most: what the run may cost.
        spent: what it has cost, and may still cost.
        refused: what the requests that were not made would have cost at most.
    """

    most: int
    spent: int = 0
    refused: int = 0

    def begin(self, record: Record, budget: Budget | None, estimate: int) -> int:
        """Commit what a request may cost.

        Raises:
            BudgetReachedError: it may cost more than is left.
        """
        del record, budget
        if self.spent + estimate > self.most:
            self.refused += estimate
            raise BudgetReachedError(MAX_COST)
        self.spent += estimate
        return estimate

    def begin_conversation(self, record: Record, budget: Budget | None, estimate: int) -> None:
        """A replay is in no conversation's budget."""

    def give_back(self, record: Record, committed: int, of_conversation: int | None = None) -> None:
        """Take back what was committed for a request that surely cost nothing."""
        del record, of_conversation
        self.spent -= committed

    def count(self, record: Record, call: Counted) -> None:
        """What a call has cost, in place of its estimate."""
        del record
        self.spent += call.microusd - call.estimate


@dataclass(frozen=True, slots=True)
class Replayer:
    """Judges or writes answers under a project's settings.

    Args:
        project: whose settings.
        models: of the stage; None where none is asked.
    """

    project: Project
    models: Models | None
    session: Session

    @classmethod
    def of(cls, session: Session, project: Project, purse: ReplayPurse | None) -> Replayer:
        """One that writes, counted in a purse; or that judges, where there is none."""
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
        """Whether a model writes for the conversation under these settings."""
        return self.models is not None and self.models.writes_for(moment.record)

    def answer(self, moment: Moment) -> ReplayedAnswer | None:
        """What becomes of a moment's answer; None where nothing was said that can be judged."""
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
            return ended(writer.answer(moment.record, moment.history))
        except BudgetReachedError:
            raise
        except DraftRefusedError as error:
            return ended(error.draft)
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
    """The clock of one moment."""

    at: datetime

    def now(self) -> datetime:
        """The moment."""
        return self.at


def estimated(session: Session, project: Project, moments: Sequence[Moment]) -> int:
    """What one draft for each moment may cost at most, in millionths of a US dollar; no model is asked."""
    purse = ReplayPurse(0)
    replayer = Replayer.of(session, project, purse)
    for one in moments:
        with suppress(BudgetReachedError):
            replayer.answer(one)
    return purse.refused


def ended(written: Draft) -> ReplayedAnswer:
    """What becomes of an answer, by its draft."""
    if written.opts_out:
        return ReplayedAnswer(STOP)
    if written.refused is not None:
        return ReplayedAnswer(PERSON, written.refused.split(",")[0], written.text)
    return ReplayedAnswer(SEND if written.text else PERSON, None, written.text)


def is_said(written: Draft) -> bool:
    """Whether rules alone can judge a draft: a model's text, that no model has refused."""
    is_models = written.refused is not None and written.refused.split(",")[0] in _OF_MODELS
    has_text = bool(written.text) and not written.opts_out and written.tool is None
    return has_text and not is_models


def differ(one: ReplayedAnswer, other: ReplayedAnswer) -> bool:
    """Whether they end differently; another wording alone is no difference."""
    if one.verdict != other.verdict and {one.verdict, other.verdict} & {SEND, STOP, FAILED}:
        return True
    return one.rule != other.rule


def kinds(text: str) -> list[str]:
    """The kinds of values and addresses in a text."""
    found = addresses(text)
    named = {"link": found.links, "email": found.emails, "phone": found.phones}
    return sorted(
        {one.kind.value for one in values(text)} | {name for name, its in named.items() if its}
    )
