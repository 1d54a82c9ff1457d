"""Erases again after a restore: a backup holds persons who were erased since.

An erasing leaves keyed digests of the addresses and ids that it erased, and of those under which the
journal had words about them, in the journal and, as a table may
itself be the one that is restored, in the conversations' table::

    primary_channel  erasures     conversation_id  2026-11-20T09:00:00.000Z#{digest of the subject}
    hashed           {digest of an address or id} ...     ttl  1795251602        (a year)

Nothing of a person can be read from them, but a restored row that holds an address or id has its digest.
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
    """What is known of the erasings since a backup.

    Attributes:
        count: how many there were.
        digests: of every address and id that they erased.
    """

    count: int
    digests: frozenset[str]


def enter(session: Session, subject: str, subjects: Subjects) -> None:
    """Enter an erasing, without words and by digests alone, in both tables."""
    of = session.services.opaque_ids.of
    linked = (address for _, address in subjects.theirs.linked)
    known = {*(numbers.canonical(one) for one in (*subjects.addresses, *linked)), *subjects.ids}
    words = (of("about", *one) for one in erase_remarks.places(session, subjects))
    hashed = " ".join(sorted({*(of("person", one) for one in known), *words}))
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
    """What was erased since a backup, as far as a table has a record of it.

    Raises:
        OpsError: it is no time, or one that lies ahead, since when nothing was erased.
    """
    since = parsed(backup)
    if since is None:
        raise OpsError("--again is no time", code=EXIT_UNUSABLE)
    if since > session.services.clock.now():
        raise OpsError("--again lies ahead: give the backup's own time", code=EXIT_UNUSABLE)
    known = {text for text in _hashed(session, since) if text}  # one erasing is in both tables
    return ErasedSince(len(known), frozenset(one for text in known for one in text.split()))


def subjects_of(session: Session, erased: frozenset[str]) -> Subjects:
    """Those of the erased whom a table has again: every address and id in it is compared by its digest."""
    of = session.services.opaque_ids.of
    addresses: set[str] = set()
    ids: set[str] = set()
    about: set[str] = set()
    for name, key_names in erase.tables(session):
        for item in erase.scanned(session.services.table(name)):
            for one in _addresses_in(item):
                if of("person", numbers.canonical(one)) in erased:
                    addresses |= {form.lstrip("+") for form in numbers.forms(one)}
                    addresses |= {*numbers.forms(one)}
            parts = {part for key in key_names for part in _IN_KEYS.split(str(item[key]))}
            ids |= {one for one in parts if one and of("person", one) in erased}
            lead = str(item.get("conversation_id", "")).removeprefix(ABOUT_PREFIX)
            within = erase_remarks.company_of(str(item.get("story", "")))
            if {of("about", lead), of("about", lead, within)} & erased:
                about.add(lead)
    found = Subjects(tuple(sorted(addresses)), tuple(sorted(ids)), about=tuple(sorted(about)))
    return erase.whole(session, found)


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
    yield from (str(one["hashed"]) for one in rows)


def _addresses_in(item: Item) -> set[str]:
    found: set[str] = set()
    for text in texts_of(item):
        found |= {one.lower() for one in _MAILBOX.findall(text)}
        found |= {f"+{one}" for one in _NUMBER.findall(text)}
    return found
