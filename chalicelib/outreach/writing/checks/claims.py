"""Statements that a machine may not make by itself: promises, acts, states of orders.

Each kind is a row of ``statements.toml``.  A statement counts where its clause is not negated, and
its sentence is no question, no condition, and does not leave the matter to a person.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache

from chalicelib.outreach.value_roles import is_like, role_hits
from chalicelib.outreach.writing.checks.human_claims import claims_to_be_human
from chalicelib.outreach.writing.checks.text import (
    clause_before,
    content_stems,
    folded,
    plain,
    sentences,
)
from chalicelib.outreach.writing.checks.written_language import possible_languages
from chalicelib.tables import beside, read

FILE = beside(__file__, "statements.toml")
_STRICT = frozenset({"guarantee", "lifetime", "refund", "replacement"})
"""Kinds for which a source in another language must share the same words or numbers."""
_GENERAL = content_stems(
    "status state order current application request progress result payment booking amount date"
)
"""Words of fields' names that do not say what was approved, paid or sent."""
_ACT = "act"
"""The kind of every other act that somebody of the company is said to have done."""
_DONE = re.compile(r"(?:ed|en|paid|sent|won|transit|way)$")
_OWED = re.compile(r"\b(?:to be|still|not|un\w*) \w+$")
_NOT_DONE = frozenset({"false", "no", "none", "pending", "open", "0"})
_AMOUNT = re.compile(r"[\d.,' ]+")
_STATES = frozenset({"status"})
"""Roles that do not say what is in the state."""
_SOME, _NEARLY = 2, 0.8
_QUESTION = re.compile(r"\?\s*\W*$")


@dataclass(frozen=True, slots=True)
class StatementRow:
    """One kind of statement, such as a promise: a row of ``statements.toml``."""

    name: str
    rule: str
    words: tuple[str, ...]
    evidence: tuple[str, ...] = ()
    general: bool = False


@dataclass(frozen=True, slots=True)
class WordRow:
    """A list of patterns in ``statements.toml``, such as those of negations."""

    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StatementFile:
    """The content of ``statements.toml``: what a machine may not state by itself, such as promises."""

    statement: tuple[StatementRow, ...]
    negated: WordRow
    negated_after: WordRow
    tag: WordRow
    according: WordRow
    open: WordRow
    machine: WordRow


@cache
def _file() -> StatementFile:
    return read(FILE, StatementFile)


@cache
def _words(name: str) -> re.Pattern[str]:
    """One of the lists of words in ``statements.toml``, by its name, as one pattern."""
    return re.compile(plain("|".join(getattr(_file(), name).words)))


@dataclass(frozen=True, slots=True)
class StatementKind:
    """A kind of statement, such as a promise, with its patterns.

    Attributes:
        said: how a draft says it.
        given: how the company's data say it.
    """

    row: StatementRow
    said: re.Pattern[str]
    given: re.Pattern[str]


@cache
def _statements() -> Mapping[str, StatementKind]:
    return {
        row.name: StatementKind(
            row,
            re.compile("|".join(row.words)),
            re.compile(
                "|".join(
                    (*row.words, *(rf"(?<![a-z])(?:{words})(?![a-z])" for words in row.evidence))
                )
            ),
        )
        for row in _file().statement
    }


def claims(draft: str, case: str, rules: str, *, passes_on: bool = False) -> set[str]:
    """The codes of the rules that a draft breaks by statements that nothing supports.

    They are ``promise``, ``order`` and ``amount``.

    Args:
        draft: the text.
        case: what was given about this one case: the request's data, the company's earlier
            messages.
        rules: what the company states in general: its knowledge.
        passes_on: whether the draft notes or passes on what the recipient said, an act of every
            machine.
    """
    found = set()
    for sentence in map(folded, sentences(draft)):
        for name in _stated(sentence):
            if passes_on and name == _ACT:
                continue
            if not _is_known(name, sentence, case, rules, draft):
                found.add(_statements()[name].row.rule)
    return found


def unsupported_kinds(
    message: str, case: str, rules: str, answer: str = "", *, is_strict: bool = False
) -> set[str]:
    """The kinds of statement (promise, order, …) in a recipient's message that nothing supports.

    A question about such a statement counts like the statement itself.

    Args:
        message: the recipient's.
        case: as in `claims`.
        rules: as in `claims`.
        answer: the draft's answer; its words also say what the message is about.
        is_strict: whether a source in another language must share a role or a number with the
            message.
    """
    found = set()
    for sentence in map(folded, sentences(message)):
        for name, statement in _statements().items():
            hits = statement.said.finditer(sentence)
            is_said = any(
                not _words("negated").search(clause_before(sentence, hit.start())) for hit in hits
            )
            about = f"{sentence} {folded(answer)}"
            if is_said and not _is_known(name, about, case, rules, message, is_bare=is_strict):
                found.add(name)
    return found


def is_negated(sentence: str) -> bool:
    """Whether a sentence contains a negation, such as "not"; a tag ("isn't it?") is none."""
    return _words("negated").search(_words("tag").sub(" ", folded(sentence))) is not None


def kinds_in(text: str) -> frozenset[str]:
    """The kinds of statement (promise, act, order) that a text mentions, negated or not."""
    low = folded(text)
    return frozenset(name for name, kind in _statements().items() if kind.said.search(low))


def _is_known(
    name: str, sentence: str, case: str, rules: str, text: str, *, is_bare: bool = False
) -> bool:
    """Whether the company's data or knowledge makes the kind of statement that a sentence makes.

    It must be about the same thing as the sentence.
    """
    if _is_said_nearly(sentence, f"{case}\n{rules}"):
        return True
    pattern = _statements()[name].given
    if name == _ACT:
        return any(_is_about_act(sentence, line) for line in map(folded, sentences(case)))
    if not _statements()[name].row.general:
        lines = (folded(line) for line in sentences(case))
        return any(_says_act(sentence, line, pattern) for line in lines) or any(
            pattern.search(line) and _numbers(line) & _numbers(sentence)
            for line in map(folded, sentences(rules))
        )
    is_same_language = bool(
        possible_languages(text) & possible_languages(rules)
    ) or not possible_languages(rules)
    stated = (folded(source) for known in (case, rules) for source in sentences(known))
    is_strict = is_same_language or name in _STRICT
    return any(
        pattern.search(line)
        and (
            _is_about_same(sentence, line, pattern)
            if is_strict
            else (not is_bare and _roles(sentence) == _roles(line))
            or bool(_roles(sentence) & _roles(line))
            or bool(_numbers(sentence) & _numbers(line))
        )
        for line in stated
    )


def _is_said_nearly(sentence: str, given: str) -> bool:
    """Whether a sentence of what the company gave has nearly the same words as a draft's sentence."""
    words = content_stems(sentence)
    return len(words) >= _SOME and any(
        len(words & content_stems(folded(source))) >= _NEARLY * len(words)
        for source in sentences(given)
    )


def _says_act(sentence: str, line: str, pattern: re.Pattern[str]) -> bool:
    """Whether a line of the company's data says that the act of `pattern` was done, as a sentence states.

    The line must be about the thing that the sentence names.  A field's name alone says no act: a
    ``monthly_payment`` of 350 is no payment.  "the deposit that was paid: 240" says it of a deposit
    of 240 alone.
    """
    named, _, value = line.partition(": ")
    found = pattern.search(line)
    if found is None:
        return False
    if value and not pattern.search(value):
        is_done = _DONE.search(found.group()) is not None
        is_owed = _OWED.search(named[: found.end()]) is not None
        if not is_done or is_owed or value in _NOT_DONE:
            return False
        if _AMOUNT.fullmatch(value) and not _numbers(sentence) & _numbers(value):
            return False
    if value and not _is_plain(line, found):
        return False  # "the first day if the person is hired"
    thing = content_stems(pattern.sub(" ", line)) - _GENERAL
    if ":" not in line or not thing:
        return True
    if "en" in possible_languages(sentence):  # names of fields are mostly English
        return bool(thing & content_stems(sentence))
    own = content_stems(pattern.sub(" ", sentence))
    return len(own) < _SOME or _is_of_same_thing(sentence, line, pattern)


def _is_of_same_thing(sentence: str, line: str, pattern: re.Pattern[str]) -> bool:
    """Whether a sentence that is not English is about a field of the company's data.

    Both share a role or a number; a field without a role fits any sentence.
    """
    its = _roles(line.partition(": ")[0]) - _STATES
    its |= _roles(line.partition(": ")[2]) - _STATES
    own = _roles(pattern.sub(" ", sentence))
    is_alike = any(is_like(role, other) or is_like(other, role) for role in own for other in its)
    return not its or bool(own & its) or is_alike or bool(_numbers(sentence) & _numbers(line))


def _is_about_act(sentence: str, line: str) -> bool:
    """Whether a line of the request's data supports the act that a sentence states.

    It shares several words with the sentence, or its value is a state of the same role.
    """
    shared = content_stems(sentence) & (content_stems(line) - _GENERAL)
    state = line.partition(": ")[2]
    of_state = frozenset(hit.role for hit in role_hits(state, ("en",)))
    return len(shared) >= _SOME or bool(_roles(sentence) & of_state)


def _roles(text: str) -> frozenset[str]:
    return frozenset(hit.role for hit in role_hits(text))


def _is_about_same(sentence: str, other: str, pattern: re.Pattern[str]) -> bool:
    """Whether two sentences share a word or a number besides the statement itself."""
    mine, its = pattern.sub(" ", sentence), pattern.sub(" ", other)
    return bool(content_stems(mine) & content_stems(its)) or bool(_numbers(mine) & _numbers(its))


def _numbers(text: str) -> set[str]:
    return set(re.findall(r"\d+", text))


def _stated(sentence: str) -> Iterator[str]:
    """The kinds of statement, such as a promise, that a folded sentence makes; a question makes none."""
    if _QUESTION.search(sentence):
        return
    for name, statement in _statements().items():
        if any(_is_plain(sentence, found) for found in statement.said.finditer(sentence)):
            yield name


def _is_plain(sentence: str, found: re.Match[str]) -> bool:
    """Whether a statement found in a sentence is neither negated nor left open ("if", "must")."""
    before = clause_before(sentence, found.start())
    if _words("negated").search(before) or _words("negated_after").search(sentence[found.end() :]):
        return False
    return not _words("open").search(_words("according").sub(" ", sentence[: found.start()]))


def names_a_machine(text: str) -> bool:
    """Whether a text has a word for a machine, such as "bot"."""
    return _words("machine").search(folded(text)) is not None


def admits_a_machine(text: str) -> bool:
    """Whether a text admits that a machine writes: it names a machine and claims no human writer."""
    return not claims_to_be_human(text) and _words("machine").search(folded(text)) is not None
