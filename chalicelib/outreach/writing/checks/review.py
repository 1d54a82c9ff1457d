"""Judges a draft before it is sent: the rules it breaks, each as a fixed code; pure.

No rule asks a model, so that none can be talked out of it.  A draft that breaks a rule is wrong or
unproven; either way a person decides what is sent instead.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.writing.checks import days, figures
from chalicelib.outreach.writing.checks.claims import claims, claims_to_be_human
from chalicelib.outreach.writing.checks.contact_details import (
    Addresses,
    addresses,
    is_allowed,
    is_phone,
    without_addresses,
)
from chalicelib.outreach.writing.checks.given import Given
from chalicelib.outreach.writing.checks.instructing import instructs, may_call
from chalicelib.outreach.writing.checks.segments import segments
from chalicelib.outreach.writing.checks.wording import has_form, leaks_instructions, touches
from chalicelib.outreach.writing.checks.written_language import is_other_language
from chalicelib.redaction import identifiers

RULES = (
    "instruction", "tool", "link", "email", "phone", "amount", "date", "promise", "order", "language",
    "length", "personal", "prompt", "human", "form", "topic", "abuse",
)  # fmt: skip
"""Every code; `abuse` is the provider's own moderation."""


def broken(
    draft: Draft, about: Given, channel: Channel, *, whole: str | None = None
) -> tuple[str, ...]:
    """The rules that a draft breaks, in the order of `RULES`; none where it may be sent.

    Args:
        draft: as the model wrote it.
        about: what it may rest on.
        channel: that it is sent by.
        whole: its text with the lines that code adds, whose length counts.
    """
    # The subject of an answer is the project's own.
    subject = None if about.newest else draft.subject
    parts = (subject, draft.text, *(draft.variables or {}).values())
    text = "\n".join(one for one in parts if one)
    found = set(_of_message(draft, about))
    if text:
        found |= set(_of_text(text, about))
        most = about.settings.limits.sms_segments
        if channel.traits.counts_segments and segments(whole or draft.text) > most:
            found.add("length")
    return tuple(one for one in RULES if one in found)


def _of_message(draft: Draft, about: Given) -> Iterator[str]:
    """Rules about the message that a draft answers."""
    if instructs(about.newest) and (draft.text or draft.function_call):
        yield "instruction"
    function = draft.function_call
    if function and (function not in about.functions or not may_call(function, about.newest)):
        yield "tool"


def _of_text(text: str, about: Given) -> Iterator[str]:
    yield from _of_addresses(text, about)
    known = (text, about.facts, about.case, about.rules, about.said, about.newest)
    plain, facts, case, general, said, asked = (without_addresses(one) for one in known)
    yield from claims(plain, about.case, about.rules)
    rules: dict[str, Callable[[], bool]] = {
        "amount": lambda: figures.has_unknown_amount(plain, facts, said),
        "date": lambda: days.unsupported(plain, case, said, general, asked),
        "order": lambda: (
            figures.has_unknown_code(plain, about.facts, about.said)
            or figures.has_unknown_number(
                days.without_times(plain, is_dotted=True), about.facts, about.said
            )
        ),
        "language": lambda: is_other_language(plain, about.language, about.said),
        "personal": lambda: _has_personal(text, about.facts),
        "prompt": lambda: leaks_instructions(text, about.instructions, about.facts),
        "human": lambda: claims_to_be_human(plain),
        "form": lambda: has_form(text),
        "topic": lambda: touches(plain, about.settings.forbidden_topics),
    }
    yield from (name for name, is_broken in rules.items() if is_broken())


def _of_addresses(text: str, about: Given) -> Iterator[str]:
    found, known = addresses(text), addresses(about.facts) | addresses(about.said)
    hosts = {host for host, path in known.links if not path}
    if any(
        one not in known.links
        and one[0] not in hosts
        and not is_allowed(one, about.settings.allowed_links)
        for one in found.links
    ):
        yield "link"
    if found.emails - known.emails:
        yield "email"
    if found.has_spelled_phone or not _are_known(found, known):
        yield "phone"


def _are_known(found: Addresses, known: Addresses) -> bool:
    return all(is_phone(one, known.phones) for one in found.phones)


def _has_personal(text: str, facts: str) -> bool:
    known = "".join(one for one in facts.casefold() if one.isalnum())
    return any(
        "".join(one for one in found.casefold() if one.isalnum()) not in known
        for found in identifiers(text)
    )
