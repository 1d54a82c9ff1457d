"""A model's drafts, judged before anything is stored: sent, written once more, or left to a person.

A draft that breaks a rule of `review` is written again, and the model reads why.  If the second
draft breaks a rule too, a person answers; the error names the first broken rule.  Code, not the
model, adds the line that a machine writes: to the first message that code can extend, and whenever
the recipient asks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from chalicelib.errors import ProviderError
from chalicelib.once.ports import Clock, Log
from chalicelib.outreach.conversations.records import Draft, Entry, Record
from chalicelib.outreach.languages import Language
from chalicelib.outreach.messages.fixed import (
    machine_answer,
    machine_line,
    says_machine,
    with_machine_line,
    with_opt_out_line,
)
from chalicelib.outreach.project.ai_config import WriterSettings
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.message_time import MessageTime
from chalicelib.outreach.wishes.machine_question import asks_whether_a_machine
from chalicelib.outreach.writing import prompts
from chalicelib.outreach.writing.checks.claims import admits_a_machine
from chalicelib.outreach.writing.checks.segments import capacity
from chalicelib.outreach.writing.checks.written_language import (
    is_sure,
    language_of,
    possible_languages,
)
from chalicelib.outreach.writing.given import Given, given_for
from chalicelib.outreach.writing.model_writer import OpenAiWriter
from chalicelib.outreach.writing.rendering import rendered
from chalicelib.outreach.writing.review import broken_codes, broken_rules
from chalicelib.outreach.writing.template_writer import DraftRefusedError


@dataclass(frozen=True, slots=True)
class TriedDraft:
    """One draft of a message, and the rules that it breaks.

    Attributes:
        draft: as the model wrote it, without the lines that code adds.
        rules: codes of `review.RULES`; empty where the draft may be sent.
    """

    draft: Draft = field(repr=False)
    rules: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class JudgedMessage:
    """All drafts of one message, and the message that is sent.

    Attributes:
        tries: the drafts, one or two.
        sent: the message as it is sent; None where a person answers.
    """

    tries: tuple[TriedDraft, ...]
    sent: Draft | None = field(repr=False)


@dataclass(frozen=True, slots=True)
class DraftVerdict:
    """The judgement of one draft: send it, write another, or leave the message to a person.

    Attributes:
        verdict: ``send``, ``retry`` where another draft may be better, or ``person``.
        rule: the first rule that the draft breaks; None where it may be sent.
        span: the words that break the rule; None where the whole draft does.
        rendered: the text as it would be sent; None where it may not be.
        cost_usd: cost of the models that were asked, in US dollars.
    """

    verdict: str
    rule: str | None = None
    span: str | None = field(default=None, repr=False)
    rendered: str | None = field(default=None, repr=False)
    cost_usd: float = 0.0


_FOR_A_PERSON = frozenset({"instruction", "tool", "unsure"})
"""Rules that another draft would break too, so the verdict leaves the message to a person."""


class CheckedWriter:
    """A writer by a language model (`template_writer.Writer`) that returns only drafts that keep every rule.

    Args:
        model: writes the drafts.
        current: returns a record's project as it is now; an empty project where it was deleted.
        time: the deadline that all drafts and checks of one message share; `model` must have the
            same.
    """

    def __init__(
        self,
        *,
        model: OpenAiWriter,
        current: Callable[[Record], Project],
        clock: Clock,
        log: Log,
        time: MessageTime | None = None,
    ) -> None:
        self._model = model
        self._current = current
        self._clock = clock
        self._log = log
        self._time = time or MessageTime()

    def is_instant(self, record: Record) -> bool:
        """Whether writing needs no vendor call: never, as a language model writes."""
        del record
        return False

    def opening(self, record: Record) -> Draft:
        """The first message of a conversation, written and judged.

        Raises:
            DraftRefusedError: no draft may be sent.
            ProviderError: the model failed.
        """
        return self._message_to_send(self.judged_opening(record))

    def answer(self, record: Record, history: Sequence[Entry]) -> Draft:
        """The next message to the recipient, written and judged.

        Raises:
            DraftRefusedError: no draft may be sent.
            ProviderError: the model failed.
        """
        return self._message_to_send(self.judged_answer(record, history))

    def judged_opening(
        self, record: Record, settings: WriterSettings | None = None
    ) -> JudgedMessage:
        """Every draft of a first message with the rules that it breaks, and the message to send.

        `settings` replace the project's stored ones.  Raises `ProviderError`: the model failed.
        """
        settings = settings or self._settings(record)
        with self._time.of_one_message():
            return self._write_and_judge(
                record, settings, (), lambda advice: self._model.opening(record, settings, advice)
            )

    def judged_answer(
        self, record: Record, history: Sequence[Entry], settings: WriterSettings | None = None
    ) -> JudgedMessage:
        """Every draft of an answer with the rules that it breaks, and the message to send.

        `settings` replace the project's stored ones.  Raises `ProviderError`: the model failed.
        """
        settings = settings or self._settings(record)
        with self._time.of_one_message():
            return self._write_and_judge(
                record,
                settings,
                history,
                lambda advice: self._model.answer(record, history, settings, advice),
            )

    def verdict(
        self,
        record: Record,
        history: Sequence[Entry],
        draft: Draft,
        settings: WriterSettings,
        now: datetime,
    ) -> DraftVerdict:
        """The judgement of a draft that the caller supplies; nothing is stored or sent.

        Where the project's judge fails or is late, the draft counts as ``unsure``.
        """
        about = _given_for(record, settings, history, now)
        draft = _rendered(draft, about)
        final = _with_added_lines(record, about, draft, history)
        found = broken_rules(draft, about, record.channel, whole=final.text)
        if not found:
            try:
                judgement, cost = self._judgement(record, about, draft)
            except ProviderError:
                return DraftVerdict("person", "unsure")
            if judgement:
                return DraftVerdict("person", judgement, cost_usd=cost / 1e6)
            return DraftVerdict("send", rendered=final.text, cost_usd=cost / 1e6)
        first = found[0]
        verdict = "person" if first.rule in _FOR_A_PERSON else "retry"
        return DraftVerdict(verdict, first.rule, first.span or None)

    def _settings(self, record: Record) -> WriterSettings:
        return self._current(record).ai_config.writer

    def _message_to_send(self, judged: JudgedMessage) -> Draft:
        """The message to send, after logging the rules that its drafts broke.

        Raises:
            DraftRefusedError: no draft may be sent.
        """
        for number, tried in enumerate(judged.tries, 1):
            if tried.rules:
                self._log.event("draft.refused", number=number, rules=list(tried.rules))
        if judged.sent is None:
            last = judged.tries[-1]
            raise DraftRefusedError(last.draft, last.rules)
        return judged.sent

    def _write_and_judge(
        self,
        record: Record,
        settings: WriterSettings,
        history: Sequence[Entry],
        write: Callable[[str], Draft],
    ) -> JudgedMessage:
        about = _given_for(record, settings, history, self._clock.now())
        first = self._try_draft(record, about, write(""), history)
        if not first.rules:
            return JudgedMessage((first,), _with_added_lines(record, about, first.draft, history))
        most = None
        if "length" in first.rules:
            room = capacity(first.draft.text, settings.limits.sms_segments)
            most = max(room - _added_characters(record, about, first.draft, history), room // 2)
        second = self._try_draft(record, about, write(prompts.advice(first.rules, most)), history)
        tries = (first, replace(second, draft=_with_tokens_of(first.draft, second.draft)))
        if not second.rules:
            return JudgedMessage(tries, _with_added_lines(record, about, tries[1].draft, history))
        if second.rules == ("human",) and asks_whether_a_machine(about.newest):
            truth = replace(tries[1].draft, text=_machine_line(record, about))
            return JudgedMessage(tries, truth)
        return JudgedMessage(tries, None)

    def _try_draft(
        self, record: Record, about: Given, draft: Draft, history: Sequence[Entry]
    ) -> TriedDraft:
        draft = _rendered(replace(draft, revision=about.settings.revision), about)
        whole = _with_added_lines(record, about, draft, history).text
        rules = broken_codes(draft, about, record.channel, whole=whole)
        text = draft.text or " ".join((draft.variables or {}).values())
        if (
            not rules
            and text
            and about.settings.moderation
            and self._model.flagged_categories(record, text)
        ):
            rules = ("abuse",)
        judgement = None if rules else self._judgement(record, about, draft)[0]
        return TriedDraft(draft, (judgement,) if judgement else rules)

    def _judgement(self, record: Record, about: Given, draft: Draft) -> tuple[str | None, int]:
        """The rule ``unsure`` if the project's judge (a model) doubts a draft, else None; and its cost.

        The cost is in millionths of a US dollar.
        """
        if about.settings.judge_model is None or not draft.text:
            return None, 0
        said, cost = self._model.judge(record, about.settings, about.sources.given, draft.text)
        return (None if said == "supported" else "unsure"), cost


def _given_for(
    record: Record, settings: WriterSettings, history: Sequence[Entry], now: datetime
) -> Given:
    return given_for(
        record,
        settings,
        history,
        language=_expected_languages(record, settings, history),
        instructions=prompts.secret_instructions(settings),
        now=now,
    )


def _rendered(draft: Draft, about: Given) -> Draft:
    """The draft with values in place of the field paths that it names, as ``{{project_data.deposit}}``."""
    if "{{" not in draft.text:
        return draft
    languages = about.language or possible_languages(draft.text)
    language = min(languages) if len(languages) == 1 else "en"
    return replace(draft, text=rendered(draft.text, about.sources, language))


def _expected_languages(
    record: Record, settings: WriterSettings, history: Sequence[Entry]
) -> frozenset[str]:
    """The languages that the next message may be in; empty where any is allowed."""
    if settings.language != "recipient":
        return frozenset({settings.language.value})
    newest = history[::-1]
    said = [entry.content for entry in newest if entry.role == "user"]
    declared = record.item.get("language")
    given_language = frozenset({str(declared)} if declared else ())
    theirs = language_of(said)
    if theirs and not is_sure(" ".join(said)):
        return theirs | given_language
    ours = theirs or language_of(entry.content for entry in newest if entry.role == "assistant")
    return ours or given_language


def _with_added_lines(
    record: Record, about: Given, draft: Draft, history: Sequence[Entry]
) -> Draft:
    """The draft with the lines that code adds.

    One says that a machine writes, where the recipient asks or was not informed yet; in a first
    message, one says how to opt out.
    """
    final = draft
    if draft.text:
        has_asked = asks_whether_a_machine(about.newest) and not admits_a_machine(draft.text)
        ours = [entry.content for entry in history if entry.role == "assistant"]
        is_new = about.settings.say_machine and not any(says_machine(record, our) for our in ours)
        is_plain = admits_a_machine(draft.text)
        if has_asked or (is_new and not is_plain):
            line = _machine_line(record, about)
            final = with_machine_line(draft, line, record.channel, is_first=bool(history))
    return final if history else with_opt_out_line(record, final)


def _machine_line(record: Record, about: Given) -> str:
    """The line that says that a machine writes, to be added to a draft.

    It is in the language in which the newest message asks who writes, if that has an answer of its
    own; else in the draft's language, or the project's where that is not known.
    """
    return machine_answer(record, about.newest) or machine_line(record, _added_language(about))


def _added_characters(record: Record, about: Given, draft: Draft, history: Sequence[Entry]) -> int:
    return len(_with_added_lines(record, about, draft, history).text) - len(draft.text)


def _added_language(about: Given) -> Language | None:
    """The language of the lines that code adds to a message; None unless exactly one is possible."""
    names = about.language & {language.value for language in Language}
    return Language(min(names)) if len(names) == 1 else None


def _with_tokens_of(first: Draft, second: Draft) -> Draft:
    """The second draft of a message, with the token counts of both drafts added."""
    return replace(
        second,
        prompt_tokens=_sum(first.prompt_tokens, second.prompt_tokens),
        completion_tokens=_sum(first.completion_tokens, second.completion_tokens),
        total_tokens=_sum(first.total_tokens, second.total_tokens),
    )


def _sum(first: int | None, second: int | None) -> int:
    return (first or 0) + (second or 0)
