"""Look-ups in every company: a person by any of their addresses, a request by its id alone.

Each company knows for itself which addresses are one person.  So every company is asked, by keys
derived from the address, a hundred a call.  The companies come from one page of stored settings.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from datetime import UTC, datetime

from chalicelib.errors import ProviderError
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import numbers
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.conversations.subject_rows import distinct_subjects
from ops.companies import company
from ops.inspect.explain.found import Looking, LookupResult
from ops.inspect.explain.nothing import Unasked
from ops.session import Session
from ops.unreachable import REFUSED

_NOT_LISTED = Unasked(
    *("every company's own data", "your role may not list them"),
    "`python -m ops explain` asks them, or paste company#request",
)
MOST_PROJECTS = 2_000
"""The most stored settings whose companies are asked."""
_ALL_TIME = (datetime(2000, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC))
"""Every time of creation; ends far ahead, because the clock of this machine may be slow."""
BY_MESSAGE = Unasked(
    *("messages and events of a company by their own id", "no index leads there"),
    "paste the whole message or event, or its conversation, request or address",
)


def companies(session: Session) -> tuple[list[str], tuple[Unasked, ...]]:
    """The ids of the companies with settings, and what was left out.

    A console on AWS may not scan, so it gets no company.
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
    """The subject that each company has for an address, in whichever form."""
    conversations = session.services.outreach.conversations
    places = [conversations.place(address, id_) for id_ in company_ids]
    return distinct_subjects(conversations.subjects(places).values()) if places else []


def conversations_of(
    session: Session, address: str, *, of: Collection[str] | None = None
) -> tuple[list[Record], tuple[Unasked, ...]]:
    """Every conversation with an address's person, on any of the person's addresses; newest first.

    The person's other addresses come from the companies of the address's own conversations.  If it
    has none, every company is asked.

    Args:
        session: the stage.
        address: in whichever form.
        of: the only companies to ask; None for all.
    """
    every = _created_with(session, numbers.spellings(address))
    found = [record for record in every if of is None or record.company_id in of]
    company_ids = sorted({record.company_id for record in found})
    unasked: tuple[Unasked, ...] = ()
    if not found:
        company_ids, unasked = companies(session) if of is None else (sorted(of), ())
    for subject in subjects(session, address, company_ids):
        known = [
            form
            for member in subject.members.values()
            if member
            for form in numbers.spellings(member)
        ]
        theirs = _created_with(
            session, [form for form in known if form not in numbers.spellings(address)]
        )
        found += [record for record in theirs if record.company_id == subject.company_id]
    by_id = {record.opaque_id: record for record in found}
    return sorted(by_id.values(), key=lambda record: str(record.item["created_at"]))[::-1], unasked


def _created_with(session: Session, addresses: Iterable[str]) -> list[Record]:
    conversations = session.services.outreach.conversations
    asked = (conversations.created_between(address, *_ALL_TIME) for address in addresses)
    return [record for records in asked for record in records]


def request(looking: Looking, request_id: str) -> LookupResult | None:
    """Look up a request's id in each company."""
    company_ids, unasked = companies(looking.session)
    rows = looking.reader.rows([outreach_keys.start(id_, request_id) for id_ in company_ids])
    if not rows:
        return LookupResult("a request", unasked=unasked) if unasked else None
    events = {key for row in rows for key in looking.reader.events_of(str(row["conversation_id"]))}
    return LookupResult(request_id, frozenset(events | {row["event_id"] for row in rows}))


def company_event(_looking: Looking, _event_id: str) -> LookupResult:
    """Refuse to look up a company event's id: it is a digest, which no index has."""
    return LookupResult("an event of a company", unasked=(BY_MESSAGE,))
