"""Finds sentences by which a draft agrees with something that only the recipient has said.

"Yes, that is right" states whatever it answers.  So the recipient's message is judged as if the
draft had written it: sources must support its values in their roles, and the promises and acts that
it mentions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from chalicelib.outreach.writing import phrasing
from chalicelib.outreach.writing.checks.claims import is_negated, kinds_in, unsupported_kinds
from chalicelib.outreach.writing.checks.contact_details import addresses, is_phone
from chalicelib.outreach.writing.checks.text import folded, sentences
from chalicelib.outreach.writing.checks.written_language import possible_languages
from chalicelib.outreach.writing.given import Given
from chalicelib.outreach.writing.right_role import Backing
from chalicelib.outreach.writing.said_values import SaidValue, stems_of
from chalicelib.outreach.writing.supported_values import Context, judged_values
from chalicelib.outreach.writing.values import ValueKind, values

_CLAUSE = re.compile(
    r"[,;:.!\u2013\u2014]\s+|\s(?:and|but|und|aber|y|pero|et|mais|e|ma|mas|en|maar)\s"
)
_ENOUGH = 0.5
"""Share of a statement's words that a source must contain to state it."""


def unproven_agreement(text: str, about: Given) -> str | None:
    """The first sentence of a draft that agrees with something that no source says; None without one."""
    if not stems_of(about.newest):
        return None  # a bare "yes" contains nothing to agree with
    languages = about.languages_of(text)
    found = list(sentences(text))
    has_strange = _names_strange_address(about)
    for place, sentence in enumerate(found):
        if has_strange and _acts_at_their_address(sentence, languages):
            return sentence
        is_noted = phrasing.acknowledges(sentence, languages)
        if not is_noted and not _agrees(sentence, about, languages):
            continue
        following = found[place + 1] if place + 1 < len(found) else ""
        rest = phrasing.rest_of_agreement(sentence, languages)
        said = [
            clause
            for clause in _CLAUSE.split(rest)
            if stems_of(clause) and not _is_name(clause, about)
        ]
        left = "; ".join(clause for clause in said if not _is_open(clause, languages))
        if phrasing.is_question(sentence) or (said and not left):
            continue
        if not said and _is_open(following, languages):
            continue
        if _is_granted(left, about, languages):
            continue
        if any(_unproven(about, text, rest or following)):
            return sentence
        if not is_noted and not _is_stated(left, following, about):
            return sentence
    return None


def _is_granted(left: str, about: Given, languages: frozenset[str]) -> bool:
    """Whether a draft only grants a recipient's harmless wish: to ask something, or how the machine writes.

    False where the recipient's message makes a statement that nothing supports.
    """
    if unsupported_kinds(about.newest, about.case, about.rules):
        return False
    if len(stems_of(left)) <= 1:
        return phrasing.says("asking", about.newest) or _is_about_reaching(about)
    return all(
        phrasing.says("writing", clause, languages) or phrasing.says("sparing", clause, languages)
        for clause in left.split("; ")
    )


def _is_about_reaching(about: Given) -> bool:
    """Whether the recipient only says how they want to be reached: no sum, no code, no address."""
    harmless = (ValueKind.DATE, ValueKind.TIME, ValueKind.SPAN, ValueKind.TEXT)
    is_plain = all(value.kind in harmless for value in values(about.newest))
    is_said = phrasing.says("reaching", about.newest, possible_languages(about.newest))
    return is_said and is_plain and not _names_strange_address(about)


def _agrees(sentence: str, about: Given, languages: frozenset[str]) -> bool:
    """Whether a draft's sentence agrees with the recipient.

    It does by a phrase ("that is right"), by a mere reference ("it is"), or by repeating the
    recipient's own words.
    """
    if phrasing.agrees(sentence, languages):
        return True
    clauses = [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
    left = [clause for clause in clauses if not _is_open(clause, languages)]
    if not left or is_negated(left[0]):
        return False
    if phrasing.points_back(left[0], languages):
        return not values(left[0])
    newest = _words(about.newest)
    if any(phrasing.is_bare(clause, languages) for clause in left):
        return True
    if phrasing.is_bare(left[0], languages, newest):
        return not phrasing.says("greeting", sentence, languages)
    words = stems_of(" ".join(left))
    is_echo = bool(words) and words <= stems_of(about.newest)
    return is_echo and not phrasing.says("greeting", sentence, languages)


def _words(text: str) -> frozenset[str]:
    return frozenset(re.findall(r"[^\W_]+", folded(text)))


def _names_strange_address(about: Given) -> bool:
    """Whether the recipient's message has a link, e-mail address or number that the company did not give."""
    theirs, known = addresses(about.newest), addresses(about.facts)
    hosts = {host for host, _ in known.links}
    is_link = any(host not in hosts for host, _ in theirs.links)
    phones = {phone for phone in theirs.phones if not is_phone(phone, known.phones)}
    return is_link or bool(theirs.emails - known.emails) or bool(phones)


def _acts_at_their_address(sentence: str, languages: frozenset[str]) -> bool:
    """Whether a draft's sentence announces an act at the address in the recipient's message.

    "I will send it there" does.  A sentence with an address of its own, a negation or a question
    does not.
    """
    own = addresses(sentence)
    if own.links or own.emails or own.phones or is_negated(sentence):
        return False
    if phrasing.is_question(sentence) or phrasing.is_theirs(sentence, languages):
        return False
    is_there = phrasing.says("there", sentence, languages)
    is_acting = phrasing.says("acting", sentence, languages)
    return is_there or (is_acting and phrasing.agrees(sentence, languages))


def _is_name(clause: str, about: Given) -> bool:
    """Whether a clause of a draft is only the recipient's first name."""
    named = about.sources.at("recipient.first_name")
    return named is not None and folded(clause.strip()) == folded(named.text)


def _is_open(clause: str, languages: frozenset[str]) -> bool:
    return phrasing.is_open(clause, languages) or phrasing.is_theirs(clause, languages)


def _unproven(about: Given, text: str, answer: str) -> Iterator[bool]:
    """Whether each value of the recipient's message, and at last its statements, are unproven.

    A value is unproven where no source supports it, the message does not negate it, and the draft
    does not give the same value with support.  Statements are promises, orders and the like.
    """
    context = Context("", possible_languages(about.newest))
    own = {
        said.value.readings
        for said, support in judged_values(
            text, about.sources, Context(about.newest, possible_languages(text))
        )
        if support is Backing.GIVEN
    }
    for said, support in judged_values(about.newest, about.sources, context):
        is_open = is_negated(said.text) or said.value.readings in own
        yield support is not Backing.GIVEN and not is_open and said.value.end > said.value.start
    yield bool(unsupported_kinds(about.newest, about.case, about.rules, answer))


def _is_stated(rest: str, following: str, about: Given) -> bool:
    """Whether a source states what a draft's sentence agrees with.

    That is `rest`, the sentence without its words of agreement; where nothing is left, the sentence
    `following`; where that is empty too, the recipient's message.
    """
    own = stems_of(rest)
    is_short = len(own) <= 1
    if len(own) == 1 and not values(rest):  # "it is complete": the recipient's message says what
        rest = f"{about.newest}\n{rest}"
    basis = rest if own else following if stems_of(following) else about.newest
    context = Context(about.newest, possible_languages(basis) or about.language)
    backed = [
        support
        for said, support in judged_values(basis, about.sources, context)
        if said.value.kind is not ValueKind.TEXT or _is_state(said, about)
    ]
    if (backed and all(backing is Backing.GIVEN for backing in backed)) or _has_addresses(
        basis, about
    ):
        return True
    words = stems_of(basis)
    shared = max((len(words & source.words) for source in about.sources.given), default=0)
    if kinds_in(basis) and own:
        return not unsupported_kinds(basis, about.case, about.rules, is_strict=is_short)
    return shared > _ENOUGH * len(words) or (bool(own) and 2 <= shared >= _ENOUGH * len(words))


def _is_state(said: SaidValue, about: Given) -> bool:
    """Whether a text value is a state or kind ("nights"), no name: some source has it in lower case."""
    return any(
        source.text.islower() and folded(source.text) in said.value.readings
        for source in about.sources.given
    )


def _has_addresses(basis: str, about: Given) -> bool:
    """Whether a draft's agreement or the recipient's message has addresses that the company gave.

    All links and e-mail addresses must be the company's; phone numbers are not compared.
    """
    found = addresses(f"{basis} {about.newest}")
    known = addresses(about.facts)
    has_any = bool(found.links or found.emails or found.phones)
    return has_any and found.links <= known.links and found.emails <= known.emails
