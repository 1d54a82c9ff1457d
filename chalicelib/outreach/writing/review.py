"""Judges a draft before it is sent: the rules it breaks, each as a fixed code with its place; pure.

No rule asks a model, so no text can talk a rule out of its verdict.  A draft that breaks a rule is
wrong or unproven; either way it is not sent.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.trust import Trust
from chalicelib.outreach.wishes.confirming import promises_unkept
from chalicelib.outreach.wishes.machine_question import asks_whether_a_machine
from chalicelib.outreach.writing.agreeing import unproven_agreement
from chalicelib.outreach.writing.checks.claims import (
    admits_a_machine,
    claims,
    names_a_machine,
)
from chalicelib.outreach.writing.checks.contact_details import (
    Addresses,
    addresses,
    is_allowed,
    is_phone,
)
from chalicelib.outreach.writing.checks.human_claims import claims_to_be_human
from chalicelib.outreach.writing.checks.instructing import instructs, may_call
from chalicelib.outreach.writing.checks.segments import segments
from chalicelib.outreach.writing.checks.text import Folded, folded, sentences
from chalicelib.outreach.writing.checks.wording import has_form, leaks_instructions, touches
from chalicelib.outreach.writing.checks.written_language import (
    is_other_language,
    possible_languages,
)
from chalicelib.outreach.writing.form_names import addresses_by_no_name
from chalicelib.outreach.writing.given import Given
from chalicelib.outreach.writing.phrasing import agrees as opens_with_agreement
from chalicelib.outreach.writing.phrasing import is_open, is_theirs, says
from chalicelib.outreach.writing.right_address import is_swapped
from chalicelib.outreach.writing.right_role import Backing
from chalicelib.outreach.writing.said_values import SaidValue
from chalicelib.outreach.writing.same_value import can_be_same, kinds_for
from chalicelib.outreach.writing.supported_values import Context, judged_values
from chalicelib.outreach.writing.values import ValueKind
from chalicelib.redaction import identifiers

RULES = (
    "instruction", "tool", "link", "email", "phone", "amount", "date", "promise", "order", "role",
    "agreement", "claim", "unsure", "language", "length", "personal", "prompt", "human", "form", "topic", "abuse",
)  # fmt: skip
"""The codes of all rules.  `abuse` comes from the vendor's moderation, `unsure` from the project's judge."""
_RULE_OF = {
    ValueKind.MONEY: "amount",
    ValueKind.PERCENT: "amount",
    ValueKind.DATE: "date",
    ValueKind.TIME: "date",
    ValueKind.SPAN: "date",
    ValueKind.NUMBER: "order",
    ValueKind.CODE: "order",
    ValueKind.TEXT: "role",
}


Claims = Sequence[Mapping[str, str]] | None
_WHOLE = 3
"""A field with at most so many words is itself an address, not a text that contains one."""


@dataclass(frozen=True, slots=True)
class RuleBreak:
    """A rule that a draft breaks, and the words that break it.

    Attributes:
        rule: a code of `RULES`.
        span: the words that break it; empty where the whole draft does.
    """

    rule: str
    span: str = field(default="", repr=False)


def broken_rules(
    draft: Draft, about: Given, channel: Channel, *, whole: str | None = None
) -> tuple[RuleBreak, ...]:
    """The rules that a draft breaks, in the order of `RULES`; empty where it may be sent.

    Args:
        draft: as the model wrote it.
        about: everything that the draft is judged against.
        channel: the channel that the draft is sent by.
        whole: the draft's text with the lines that code adds; its length is what counts.
    """
    # The project sets an answer's subject, so it is not judged.
    subject = None if about.newest else draft.subject
    parts = (subject, draft.text, *(draft.variables or {}).values())
    text = "\n".join(part for part in parts if part)
    found = list(_broken_by_message(draft, about))
    if text:
        found += _broken_in_text(text, about, draft.claims)
        most = about.settings.limits.sms_segments
        if channel.traits.counts_segments and segments(whole or draft.text) > most:
            found.append(RuleBreak("length"))
    first = {breach.rule: breach for breach in reversed(found)}
    return tuple(first[rule] for rule in RULES if rule in first)


def broken_codes(
    draft: Draft, about: Given, channel: Channel, *, whole: str | None = None
) -> tuple[str, ...]:
    """The codes of the rules that `broken_rules` finds broken."""
    return tuple(breach.rule for breach in broken_rules(draft, about, channel, whole=whole))


def _broken_by_message(draft: Draft, about: Given) -> Iterator[RuleBreak]:
    """The rules that a draft breaks because of the message that it answers: ``instruction``, ``tool``."""
    if instructs(about.newest) and (draft.text or draft.function_call):
        yield RuleBreak("instruction")
    function = draft.function_call
    if function and (function not in about.functions or not may_call(function, about.newest)):
        yield RuleBreak("tool")


def _broken_in_text(text: str, about: Given, claims_of: Claims) -> Iterator[RuleBreak]:
    yield from _broken_by_addresses(text, about)
    yield from _broken_by_values(text, about, claims_of)
    yield from (
        RuleBreak("role", representative) for representative in _other_representatives(text, about)
    )
    for sentence in sentences(text):
        passes_on = is_theirs(sentence, possible_languages(sentence))
        stated = claims(sentence, about.case, about.rules, passes_on=passes_on)
        yield from (RuleBreak(rule, sentence) for rule in stated)
        if not passes_on and promises_unkept(sentence, about.preferences, about.facts):
            yield RuleBreak("promise", sentence)
    if (agreed := unproven_agreement(text, about)) is not None:
        yield RuleBreak("agreement", agreed)
    whole = {
        "language": is_other_language(text, about.language, about.recipient_text),
        "personal": _has_personal(text, about.facts),
        "prompt": leaks_instructions(text, about.instructions, about.facts),
        "human": claims_to_be_human(text)
        or _denies_a_machine(text, about)
        or _introduces_itself(text, about),
        "form": has_form(text) or addresses_by_no_name(text, about.recipient_name),
        "topic": touches(text, about.settings.forbidden_topics),
    }
    yield from (RuleBreak(name) for name, is_broken in whole.items() if is_broken)


def _denies_a_machine(text: str, about: Given) -> bool:
    """Whether a draft's first sentence answers yes to "are you human?", or no to "are you a bot?"."""
    if not asks_whether_a_machine(about.newest) or admits_a_machine(text):
        return False
    first = next(iter(sentences(text)), "")
    is_named = names_a_machine(about.newest)
    return says("denying", first) if is_named else opens_with_agreement(first)


def _introduces_itself(text: str, about: Given) -> bool:
    """Whether a draft answers "are you human?" by the machine's name, not saying that a machine writes."""
    persona = folded(about.settings.persona or "")
    if not persona or not asks_whether_a_machine(about.newest) or admits_a_machine(text):
        return False
    return re.search(rf"(?<!\w){re.escape(persona)}(?!\w)", folded(text)) is not None


def _other_representatives(text: str, about: Given) -> Iterator[str]:
    """The company's people whom a draft names in place of the one whom the conversation is about.

    That one is named in the request's data or in the conversation; if none is, this is empty.
    """
    of_case = {folded(source.text) for source in about.sources.given if source.is_text}
    spoken_of = "\n".join(
        folded(source.text)
        for source in about.sources.given
        if source.path.startswith("conversation.")
    )
    staff = [
        source.text
        for source in about.sources.given
        if source.path.startswith("company.representative") and source.text.strip()
    ]
    of_case |= {folded(name) for name in staff if folded(name) in spoken_of}
    if not any(folded(name) in of_case for name in staff):
        return
    for sentence in sentences(text):
        low, languages = folded(sentence), about.languages_of(sentence)
        if is_theirs(sentence, languages) or is_open(sentence, languages):
            continue
        if any(folded(name) in low for name in staff if folded(name) in of_case):
            continue
        yield from (name for name in staff if folded(name) in low and folded(name) not in of_case)


def _broken_by_values(text: str, about: Given, claims_of: Claims) -> Iterator[RuleBreak]:
    languages = about.languages_of(text)
    context = Context(about.newest, languages)
    claimed = list(_judged_claims(text, about, claims_of, context))
    yield from (item for item in claimed if isinstance(item, RuleBreak))
    proven = {item for item in claimed if not isinstance(item, RuleBreak)}
    for said, support in judged_values(text, about.sources, context):
        is_proven = (said.text, said.value.start, said.value.end) in proven
        if support is Backing.GIVEN or is_proven or _is_theirs(said, about, languages):
            continue
        rule = "role" if support is Backing.OTHER else _RULE_OF[said.value.kind]
        yield RuleBreak(rule, _words_of(said))


def _words_of(said: SaidValue) -> str:
    return Folded(said.text).cut(said.value.start, said.value.end)


def _judged_claims(
    text: str, about: Given, claims_of: Claims, context: Context
) -> Iterator[RuleBreak | tuple[str, int, int]]:
    """The values that a draft's own claims prove, and a broken rule for each claim that is wrong.

    A claim is wrong if its words are not the draft's, its source does not support drafts, or says
    something else.
    """
    for claim in claims_of or ():
        words, source = claim["text"], about.sources.at(claim["source"])
        if not words.strip() or folded(words) not in folded(text):
            yield RuleBreak("claim", words)
            continue
        if source is None or not source.supports:
            yield RuleBreak("claim", words)
            continue
        yield from _judged_claim(words, judged_values(text, about.sources, context, [source]))
        if claims(words, source.text, source.text):
            yield RuleBreak("claim", words)


def _judged_claim(
    words: str, found: Iterator[tuple[SaidValue, Backing]]
) -> Iterator[RuleBreak | tuple[str, int, int]]:
    """Each value in the words of a draft's claim, judged by the source that the claim names.

    A proven one is yielded as its sentence, start and end; any other as the rule that it breaks.
    """
    for said, support in found:
        own = re.escape(folded(_words_of(said)))
        is_whole = re.search(rf"(?<![\w.,]){own}(?!\w|[.,]\d)", folded(words))
        if not is_whole or folded(words) not in folded(said.text):
            continue
        if support is Backing.GIVEN:
            yield said.text, said.value.start, said.value.end
        else:
            yield RuleBreak("role" if support is Backing.OTHER else "claim", _words_of(said))


def _is_theirs(said: SaidValue, about: Given, languages: frozenset[str]) -> bool:
    """Whether a draft repeats a value as the recipient's, and the recipient or a form named that value."""
    is_time = said.value.kind in (ValueKind.DATE, ValueKind.TIME, ValueKind.SPAN)
    may_be = "heard" if is_time else "open" if said.is_count else None
    is_answer = may_be is not None and says(may_be, said.text, languages)
    if not is_theirs(said.text, languages) and not is_answer:
        return False
    return any(
        their.value.kind in kinds_for(said.value.kind)
        and can_be_same(said, their, about.sources.clock)
        for their in about.sources.recipients_values
    )


def _broken_by_addresses(text: str, about: Given) -> Iterator[RuleBreak]:
    found, known = addresses(text), _addresses_given(about)
    theirs = addresses(about.recipient_text)
    hosts = {host for host, path in known.links if not path}
    languages = about.languages_of(text)
    repeated = [
        part
        for part in sentences(text)
        if is_theirs(part, languages) and not says("acting", part, languages)
    ]
    own = addresses("\n".join(repeated))
    for link in sorted(found.links):
        is_known = link in known.links or link[0] in hosts or link in theirs.links & own.links
        if not is_known and not is_allowed(link, about.settings.allowed_links):
            yield RuleBreak("link", "".join(link))
    for email in sorted(found.emails - known.emails):
        if email not in theirs.emails or email not in own.emails:
            yield RuleBreak("email", email)
    for phone in sorted(found.phones):
        if not is_phone(phone, known.phones) and not (
            is_phone(phone, theirs.phones) and phone in own.phones
        ):
            yield RuleBreak("phone", phone)
    if found.has_spelled_phone:
        yield RuleBreak("phone")
    for sentence in sentences(text):
        yield from (RuleBreak("role", words) for words in _swapped_addresses(sentence, about))


def _swapped_addresses(sentence: str, about: Given) -> Iterator[str]:
    """The links, e-mail addresses and phone numbers that a draft's sentence gives for a wrong person or use."""
    found = addresses(sentence)
    for kind, its in (
        ("links", {"".join(link) for link in found.links}),
        ("emails", found.emails),
        ("phones", found.phones),
    ):
        for address in sorted(its):
            if is_swapped(address, kind, sentence, about.newest, about.sources):
                yield address


def _addresses_given(about: Given) -> Addresses:
    """The links, e-mail addresses and numbers that the company gave; not those inside a field's long text."""
    found = Addresses()
    for source in about.sources.given:
        its = addresses(source.text)
        is_whole = not source.is_field or len(source.text.split()) <= _WHOLE or its.phones
        if source.author is not Trust.TOOL or source.is_field:
            found |= its if is_whole else Addresses()
    return found


def _has_personal(text: str, facts: str) -> bool:
    known = "".join(character for character in facts.casefold() if character.isalnum())
    return any(
        "".join(character for character in found.casefold() if character.isalnum()) not in known
        for found in identifiers(text)
    )
