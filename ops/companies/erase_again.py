"""Repeats erasures after a restore: a backup holds people who were erased after it was made.

An erasure leaves keyed digests of the erased addresses and ids, and of the keys under which the
journal had reasons about the person.  It writes them to the journal and to the conversations'
table, because one of the two may itself be restored::

    primary_channel  erasures     conversation_id  2026-11-20T09:00:00.000Z#{digest of the subject}
    hashed           {digest of an address or id} ...     ttl  1795251602        (a year)

The digests reveal nothing of a person, but match the addresses and ids of a restored row.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from chalicelib.clock import iso, parsed
from chalicelib.once.journal import ABOUT_PREFIX, RETENTION
from chalicelib.once.store import Item
from chalicelib.outreach import numbers
from ops.companies import erase, erase_remarks
from ops.companies.erase import Subjects
from ops.companies.erase_canaries import texts_of
from ops.session import EXIT_UNUSABLE, OpsError, Session

PARTITION = "erasures"
NONE_KNOWN = (
    "No erasing since then is known. If there was one, a restore of both tables that keep them has lost it:"
    " erase its person by --subject."
)
ERASE = "erase"
_MAILBOX = re.compile(r"[\w.+'%-]+@[\w-]+(?:\.[\w-]+)+")
_NUMBER = re.compile(r"(?<!\d)\d{7,15}(?!\d)")
_IN_KEYS = re.compile(r"[#:]")


@dataclass(frozen=True, slots=True)
class ErasedSince:
    """The known erasures since a backup.

    Attributes:
        count: the number of erasures.
        digests: keyed digests of every erased address and id.
    """

    count: int
    digests: frozenset[str]


def enter(session: Session, subject: str, subjects: Subjects) -> None:
    """Enter an erasure in the journal and the conversations' table, by digests alone."""
    of = session.services.opaque_ids.of
    linked = (address for _, address in subjects.theirs.linked)
    known = {
        *(numbers.canonical_spelling(address) for address in (*subjects.addresses, *linked)),
        *subjects.ids,
    }
    words = (of("about", *place) for place in erase_remarks.places(session, subjects))
    hashed = " ".join(sorted({*(of("person", identifier) for identifier in known), *words}))
    erase.enter(session, subject, hashed=hashed)
    now = session.services.clock.now()
    session.services.table(session.services.settings.conversations_table).put(
        {
            "primary_channel": PARTITION,
            "conversation_id": f"{iso(now)}#{of('person', subject.strip().lower())}",
            "hashed": hashed,
            "ttl": int((now + RETENTION).timestamp()),
        }
    )


def erased_since(session: Session, backup: str) -> ErasedSince:
    """Return the erasures since a backup of which a table has a record.

    Raises:
        OpsError: `backup` is not a time, or lies in the future.
    """
    since = parsed(backup)
    if since is None:
        raise OpsError("--again is not an ISO time", code=EXIT_UNUSABLE)
    if since > session.services.clock.now():
        raise OpsError("--again is in the future: give the backup's time", code=EXIT_UNUSABLE)
    known = {text for text in _hashed(session, since) if text}  # both tables record each erasure
    return ErasedSince(len(known), frozenset(digest for text in known for digest in text.split()))


def subjects_of(session: Session, erased: frozenset[str]) -> Subjects:
    """Find the erased persons whom a table holds again, by comparing digests of every address and id."""
    of = session.services.opaque_ids.of
    addresses: set[str] = set()
    ids: set[str] = set()
    about: set[str] = set()
    for name, key_names in erase.tables(session):
        for item in erase.scanned(session.services.table(name)):
            for address in _addresses_in(item):
                if of("person", numbers.canonical_spelling(address)) in erased:
                    addresses |= {form.lstrip("+") for form in numbers.spellings(address)}
                    addresses |= {*numbers.spellings(address)}
            parts = {part for key in key_names for part in _IN_KEYS.split(str(item[key]))}
            ids |= {part for part in parts if part and of("person", part) in erased}
            lead = str(item.get("conversation_id", "")).removeprefix(ABOUT_PREFIX)
            within = erase_remarks.company_of(str(item.get("story", "")))
            if {of("about", lead), of("about", lead, within)} & erased:
                about.add(lead)
    found = Subjects(tuple(sorted(addresses)), tuple(sorted(ids)), about=tuple(sorted(about)))
    return erase.with_linked(session, found)


def _hashed(session: Session, since: datetime) -> Iterator[str]:
    for entry in session.services.journal.since(since):
        if entry["action_type"] == ERASE:
            yield str(json.loads(entry["action_payload_redacted"]).get("hashed", ""))
    rows: Iterable[Item] = session.services.table(
        session.services.settings.conversations_table
    ).query_pages(
        KeyConditionExpression="primary_channel = :p AND conversation_id >= :from",
        values={"p": PARTITION, "from": iso(since)},
        ConsistentRead=True,
    )
    yield from (str(row["hashed"]) for row in rows)


def _addresses_in(item: Item) -> set[str]:
    found: set[str] = set()
    for text in texts_of(item):
        found |= {address.lower() for address in _MAILBOX.findall(text)}
        found |= {f"+{number}" for number in _NUMBER.findall(text)}
    return found
