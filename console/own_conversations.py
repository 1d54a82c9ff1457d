"""Finds the conversations that a text names, in the reader's own companies only.

By key: a conversation's id, a request's id, and an address in any written form, with the other
addresses of its person.  No index leads from a first name, or from a value of the request such as
an order's number, to a conversation: for those, the open conversations are searched, in the inbox's
order, up to `LOOKED_THROUGH` of each company.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.desk import shown
from console.request_data import request_data
from console.rights import Person
from ops.inspect.explain import people
from ops.inspect.explain.subjects import SubjectKind, candidates
from ops.session import Session

MOST_FOUND = 20
LOOKED_THROUGH = 1_000
_AT_ONCE = 200
_OPEN = shown.STATES[:4]


@dataclass(frozen=True, slots=True)
class OwnFound:
    """The conversations that a text names.

    Attributes:
        records: those found by key first, then in the inbox's order; at most `MOST_FOUND`.
        is_all: whether nothing was left out.
    """

    records: Sequence[Record]
    is_all: bool


def look_up(session: Session, text: str, reader: Person) -> OwnFound:
    """The conversations that a text names.

    Args:
        session: the stage.
        text: an id, an address, a first name or a value of the request.
        reader: the person whose companies are searched.
    """
    by_key = [record for record in _by_key(session, text, reader) if reader.sees(record.company_id)]
    looking = _Looking(session, text)
    if not by_key:
        asked = (None,) if reader.companies is None else sorted(reader.companies)
        looking.through(asked)
    found = {record.opaque_id: record for record in (*by_key, *looking.found)}
    is_all = looking.is_all and len(found) <= MOST_FOUND
    return OwnFound(list(found.values())[:MOST_FOUND], is_all)


def _by_key(session: Session, text: str, reader: Person) -> Iterator[Record]:
    conversations = session.services.outreach.conversations
    for candidate in candidates(text):
        match candidate.kind:
            case SubjectKind.CONVERSATION:
                record = conversations.find(candidate.value)
                yield from (record,) if record else ()
            case SubjectKind.ADDRESS:
                yield from people.conversations_of(session, candidate.value, of=reader.companies)[0]
            case SubjectKind.START:
                company_id, *rest = candidate.value.split("#")
                yield from _started(session, [company_id], rest[0] if len(rest) == 1 else rest[1])
            case SubjectKind.REQUEST:
                yield from _started(session, _companies(session, reader), candidate.value)


def _started(session: Session, company_ids: Iterable[str], request_id: str) -> Iterable[Record]:
    """The conversations that a request with this id began, at any of some companies."""
    wanted = [{"event_id": outreach_keys.start(id_, request_id)} for id_ in company_ids]
    rows = session.ledger_table.get_all(wanted)
    ids = [str(row["conversation_id"]) for row in rows]
    return session.services.outreach.conversations.find_all(ids).values()


def _companies(session: Session, reader: Person) -> Collection[str]:
    return people.companies(session)[0] if reader.companies is None else reader.companies


class _Looking:
    """Searches open conversations for a first name or a value of the request."""

    def __init__(self, session: Session, text: str) -> None:
        self._outreach = session.services.outreach
        self._words = " ".join(text.split()).casefold()
        self.found: list[Record] = []
        self.is_all = True

    def through(self, company_ids: Iterable[str | None]) -> None:
        """Search the lists of companies; None means every company."""
        for id_ in company_ids:
            self._through(id_)

    def _through(self, company_id: str | None) -> None:
        after = ""
        for _ in range(LOOKED_THROUGH // _AT_ONCE):
            page = self._outreach.inbox.list(
                company_id=company_id, states=_OPEN, limit=_AT_ONCE, after=after
            )
            ids = [entry["id"] for entry in page.entries]
            records = self._outreach.conversations.find_all(ids)
            self.found += [
                records[id_] for id_ in ids if id_ in records and self._fits(records[id_])
            ]
            after = page.after
            if not after or len(self.found) > MOST_FOUND:
                break
        self.is_all = self.is_all and not after

    def _fits(self, record: Record) -> bool:
        name = str(record.item.get("recipient_first_name") or "").casefold()
        number = self._words.lstrip("#")
        values = (value.casefold().lstrip("#") for _, value in request_data(record))
        return self._words in name or number in values
