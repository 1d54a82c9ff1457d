"""Look-ups of people and of what companies hold: by any of a person's addresses, by a request alone.

Which addresses are one person is each company's own knowledge, so every company is asked: by keys that
derive from the address, a hundred a call. The companies are the settings' keys, read in one page.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from chalicelib.errors import ProviderError
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import distinct
from ops.companies import company
from ops.inspect.explain.found import Looking, LookupResult
from ops.inspect.explain.nothing import Unasked
from ops.session import Session
from ops.unreachable import REFUSED

_NOT_LISTED = Unasked(
    *("the companies, each for itself", "your role may not list them"),
    "`python -m ops explain` asks them, or paste company#request",
)
MOST_PROJECTS = 2_000
"""Settings whose companies are asked."""
_ALL_TIME = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
"""Not until now: the clock of the machine that asks may be behind."""
BY_MESSAGE = Unasked(
    *("messages and events of a company by their own id", "no index leads there"),
    "paste the whole message or event, or its conversation, request or address",
)


def companies(session: Session) -> tuple[list[str], tuple[Unasked, ...]]:
    """The ids of the companies that have settings, and which were left out.

    A console on AWS may scan nothing, so it asks none.
    """
    try:
        found, is_all = company.ids(session, at_most=MOST_PROJECTS)
    except ProviderError as error:
        if error.reason not in REFUSED:
            raise
        return [], (_NOT_LISTED,)
    more = Unasked(
        *("further companies", f"only the first {len(found)} were asked"),
        "paste company#request, or the conversation's id",
    )
    return found, () if is_all else (more,)


def subjects(session: Session, address: str, company_ids: Iterable[str]) -> list[Subject]:
    """What each company knows of the person of an address, in whichever form."""
    conversations = session.services.outreach.conversations
    places = [conversations.place(address, one) for one in company_ids]
    return distinct(conversations.subjects(places).values()) if places else []


def conversations_of(
    session: Session, address: str, *, of: Collection[str] | None = None
) -> tuple[list[Record], tuple[Unasked, ...]]:
    """Every conversation with the person of an address, on any of their addresses; the newest first.

    Its companies tell the person's other addresses; where no conversation is of the address itself, all
    companies are asked whose person it is.

    Args:
        session: the stage.
        address: in whichever form.
        of: only conversations of these companies, of which alone is asked; None for all.
    """
    every = _created_with(session, numbers.forms(address))
    found = [one for one in every if of is None or one.company_id in of]
    company_ids = sorted({one.company_id for one in found})
    unasked: tuple[Unasked, ...] = ()
    if not found:
        company_ids, unasked = companies(session) if of is None else (sorted(of), ())
    for subject in subjects(session, address, company_ids):
        known = [form for one in subject.members.values() if one for form in numbers.forms(one)]
        theirs = _created_with(session, [one for one in known if one not in numbers.forms(address)])
        found += [one for one in theirs if one.company_id == subject.company_id]
    each = {one.opaque_id: one for one in found}
    return sorted(each.values(), key=lambda one: str(one.item["created_at"]))[::-1], unasked


def _created_with(session: Session, addresses: Iterable[str]) -> list[Record]:
    conversations = session.services.outreach.conversations
    asked = (conversations.created_between(one, *_ALL_TIME) for one in addresses)
    return [record for records in asked for record in records]


def request(looking: Looking, request_id: str) -> LookupResult | None:
    """By a request's id alone: that of each company."""
    company_ids, unasked = companies(looking.session)
    rows = looking.reader.rows([outreach_keys.start(one, request_id) for one in company_ids])
    if not rows:
        return LookupResult("a request", unasked=unasked) if unasked else None
    events = {key for row in rows for key in looking.reader.events_of(str(row["conversation_id"]))}
    return LookupResult(request_id, frozenset(events | {row["event_id"] for row in rows}))


def company_event(_looking: Looking, _event_id: str) -> LookupResult:
    """By the id of an event that a company got: a digest, which only the event itself leads back from."""
    return LookupResult("an event of a company", unasked=(BY_MESSAGE,))
