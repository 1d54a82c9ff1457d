"""Erases a person from every table of a stage.

A subject is an e-mail address, a phone number with its plus sign, a ticket id or a conversation id.
The tables know tickets only, so Richpanel is asked which tickets belong to an address.  Every item
that holds the address or belongs to one of those ids is deleted.  Ledger rows become tombstones,
because a deleted key would let its action run again: they keep the key, status and expiry, and
nothing else about the person.  Addresses that a company has linked to the subject's are erased in
that company.  The keyed row that blocks contact with the subject stays (`erase_subject`).  Another
person's conversation loses the messages that mention the address.  A company's settings lose the
list entries that mention it.  Verdict set examples that name the person are deleted
(`erase_verdicts`).  Bodies on queues expire within 14 days; the subject's dead letters are deleted
at once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from chalicelib.aws.dynamo import Table
from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventStatus
from chalicelib.once.journal import is_entry
from chalicelib.once.store import ConditionFailed, Item
from chalicelib.outreach import numbers
from chalicelib.outreach.channels import ADDRESSES, Channel, address_of
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.conversations import items as layout
from chalicelib.outreach.conversations.former import pair_ids
from chalicelib.outreach.project.project import Project
from ops import journal
from ops.companies import erase_subject
from ops.companies.erase_subject import TheirSubjects
from ops.companies.erase_verdicts import TheirNames
from ops.inspect.ledger_rows import PAGE
from ops.session import OpsError, Session

ERASED = "erased"
_KEPT = frozenset(
    {
        *("event_id", "status", "reason", "created_at", "received_at", "last_processed_at"),
        *("expires_at", "mode", "safe_mode", "automation_enabled", "conversation_id"),
        *("owner", "fence", "lease_until", "attempts", "event_key", "action_kind", "action_type"),
        *("payload_sha256", "payload_bytes", "source", "started", "finished_at", "erased_at"),
        *("action_key", "until"),
    }
)
"""Attributes a tombstone keeps, so that a repeated key still has no effect."""
_UNFINISHED_EVENTS = {EventStatus.RECEIVED, EventStatus.PARKED}
_SHORTEST = 3
_SHORTEST_PHONE = 7


@dataclass(slots=True)
class Erased:
    """The result of an erasure.

    Attributes:
        tables: per table, how many items were deleted (in the ledger: made tombstones).
        dead_letters: messages of the dead-letter queues that were deleted.
        remarks: journal entries whose reason text was removed.
        notes: what could not be done.
        warnings: consequences that the operator must know.
    """

    tables: dict[str, int] = field(default_factory=dict)
    dead_letters: int = 0
    remarks: int = 0
    notes: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """The number of items, dead letters and journal entries found."""
        return sum(self.tables.values()) + self.dead_letters + self.remarks


@dataclass(frozen=True, slots=True)
class Subjects:
    """The identifiers of the person to erase.

    Attributes:
        addresses: e-mail addresses and phone numbers, in lower case; found in any text.
        ids: ticket and conversation ids; found as whole ids only, because they may be short.
        theirs: the person's consent rows in each company, and the addresses that companies have
            linked.
        names: the person's name in each company's conversations; searched in examples of verdict
            sets.
        about: keyed ids under which a restored journal holds reasons about the person.
    """

    addresses: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()
    theirs: TheirSubjects = field(default_factory=TheirSubjects)
    names: TheirNames = field(default_factory=TheirNames)
    about: tuple[str, ...] = ()

    def holds(self, item: Item) -> bool:
        """Whether an item belongs to the person, mentions an address, or is an example with their name."""
        if self.is_own(item) or self.names.are_in(item):
            return True
        return _mentions(item, self.addresses_in(item))

    def addresses_in(self, item: Item) -> tuple[str, ...]:
        """The addresses to look for in an item, with those that the item's company has linked."""
        company_id = item.get("company_id")
        partition = str(item.get("primary_channel", ""))
        linked = (
            address
            for company, address in self.theirs.linked
            if company == company_id
            or partition
            in (layout.internal_partition(address, company), handoffs.partition(company))
        )
        return (*self.addresses, *linked)

    def is_own(self, item: Item) -> bool:
        """Whether an item belongs to the person; the text of its messages does not count."""
        own, partition = str(item.get("conversation_id", "")), str(item.get("primary_channel", ""))
        parts = {own, *own.split("#"), partition, partition.removeprefix("opaque#")}
        parts |= {str(item.get("opaque_id", "")), str(item.get("newest", ""))}
        parts |= item.get(layout.CONVERSATIONS) or set()
        facts = {name: value for name, value in item.items() if name != "messages"}
        is_one = self.theirs.is_own(item) if "primary_channel" in item else False
        return is_one or not parts.isdisjoint(self.ids) or _mentions(facts, self.addresses_in(item))

    def is_in_body(self, body: str) -> bool:
        """Whether a queue body belongs to the person or mentions an address."""
        raw = json.loads(body) if body.startswith("{") else body
        return self.holds(raw) if isinstance(raw, dict) else _mentions(raw, self.addresses)


def subjects_of(session: Session, subject: str) -> tuple[Subjects, list[str]]:
    """Return the subject in all spellings with its tickets, and notes on lookups that failed.

    Raises:
        OpsError: the subject is too short to identify a person, or is a company's own address.
    """
    subject = subject.strip()
    if len(subject) < _SHORTEST:
        raise OpsError(f"a subject has at least {_SHORTEST} characters", code=2)
    digits = re.sub(r"\D", "", subject)
    kind: Literal["email", "phone"] | None = None
    if "@" in subject and not subject.startswith("<"):
        kind, addresses = "email", [subject.lower()]
    elif subject.startswith("+") and len(digits) >= _SHORTEST_PHONE:
        variants = numbers.spellings(f"+{digits}")
        kind, addresses = "phone", [*variants, *(variant.lstrip("+") for variant in variants)]
    elif not subject.startswith("<") and (known := address_of(subject)):
        addresses = [known.lower()]  # an address of a channel that tickets never use
    else:
        return with_linked(session, Subjects(ids=(subject,))), []
    _refuse_companies_own(session, addresses[0])
    ids: list[str] = []
    notes: list[str] = []
    try:
        if kind is not None:
            ids += session.services.support.richpanel.ticket_ids_of_customer(kind, addresses[0])
    except MiddlewareError as error:
        notes.append(f"Richpanel was not asked for tickets ({type(error).__name__}): run again")
    return with_linked(session, Subjects(tuple(addresses), tuple(dict.fromkeys(ids)))), notes


def _refuse_companies_own(session: Session, address: str) -> None:
    """Refuse a company's sender address: every conversation of the company holds it."""
    for item in scanned(session.services.table(session.services.settings.company_data_table)):
        project = Project(item)
        if address in {project.sender(channel).lower() for channel in Channel}:
            raise OpsError("that is a company's own address, not a person's")


def items(session: Session, subjects: Subjects) -> Iterator[tuple[Table, Item, Item]]:
    """Yield every item about the subject as (table, key, item), the ledger's last."""
    for name, key_names in tables(session):
        table = session.services.table(name)
        for item in scanned(table):
            is_other = is_entry(item) and not _mentions(item, subjects.addresses)
            # `erase_reports` corrects the report's agents.  Without these records the writer would
            # insert the agents a second time.
            is_other |= any(str(item[key]).startswith("DIM:") for key in key_names)
            if "erased_at" not in item and not is_other and subjects.holds(item):
                yield table, {key: item[key] for key in key_names}, item


def enter(session: Session, subject: str, **evidence: str) -> None:
    """Enter an erasure in the journal: the subject as a keyed hash, without a reason text."""
    key = f"person:{session.services.opaque_ids.of('person', subject.strip().lower())}"
    journal.enter(session, "erase", key, **evidence)


def with_linked(session: Session, subjects: Subjects) -> Subjects:
    """Add linked addresses, and the ids under which other items refer to the person's conversations.

    Other tables name a conversation by its opaque id; its pages, drafts and marks by a digest.
    Neither contains an address.
    """
    ids: list[str] = []
    names = TheirNames()
    table = session.services.table(session.services.settings.conversations_table)
    rows = (row for row in scanned(table) if layout.member_of(row))
    subjects = replace(
        subjects, theirs=erase_subject.find_subjects(session, rows, subjects.addresses)
    )
    for item in scanned(table):
        if isinstance(item.get("opaque_id"), str) and subjects.is_own(item):
            ids.append(item["opaque_id"])
            if "start_event" in item:
                names = names.with_those_of(item)
                ids.append(layout.digest_of(str(item["conversation_id"])))
    ids += _pairs(session, subjects)
    return replace(subjects, ids=tuple(dict.fromkeys((*subjects.ids, *ids))), names=names)


def _pairs(session: Session, subjects: Subjects) -> Iterator[str]:
    """Yield the opaque ids of each pair of sender and subject: pair rows outlive a conversation."""
    opaque = session.services.opaque_ids
    senders = {
        (channel, project.sender(channel), str(item.get("company_id")))
        for item in scanned(session.services.table(session.services.settings.company_data_table))
        for project in (Project(item),)
        for channel in Channel
        if project.sender(channel)
    }
    for channel, sender, company_id in sorted(senders):
        linked = [address for company, address in subjects.theirs.linked if company == company_id]
        for address in (*subjects.addresses, *linked):
            yield from pair_ids(opaque, channel, sender, address)


def scanned(table: Table) -> Iterator[Item]:
    """Yield every item of a table."""
    start = None
    while True:
        found, start = table.scan_page(limit=PAGE, start=start)
        yield from found
        if start is None:
            return


def tables(session: Session) -> list[tuple[str, list[str]]]:
    """The declared tables that exist, with the names of their key attributes; the ledger last."""
    dynamodb = session.client("dynamodb")
    found = []
    for resource in session.template.resources("AWS::DynamoDB::Table"):
        name = resource.properties["TableName"]
        try:
            keys = dynamodb.describe_table(TableName=name)["Table"]["KeySchema"]
        except dynamodb.exceptions.ResourceNotFoundException:
            continue
        found.append((name, [key["AttributeName"] for key in keys]))
    ledger = session.services.settings.idempotency_table
    return sorted(found, key=lambda table: table[0] == ledger)


def purge(
    session: Session,
    table: Table,
    key: Item,
    item: Item,
    subjects: Subjects,
    done: Erased,
    *,
    dry_run: bool = False,
) -> bool:
    """Erase one item in the way its table needs; return False if the item is already gone.

    Args:
        session: the stage.
        table: where the item is.
        key: its key.
        item: the item as read.
        subjects: who is erased.
        done: receives the notes and warnings.
        dry_run: write nothing; notes and warnings as a real run gives them.
    """
    settings = session.services.settings
    if table.name == settings.idempotency_table:
        return dry_run or _make_tombstone(session, table, key, item)
    if table.name == settings.company_data_table:
        return _remove_entries(table, key, item, subjects, done, dry_run=dry_run)
    is_record = table.name == settings.conversations_table and "messages" in item
    if is_record and not subjects.is_own(item):
        sought = subjects.addresses_in(item)
        kept = [message for message in item["messages"] if not _mentions(message, sought)]
        if not dry_run:
            table.update(key, set_={"messages": kept})
        return True
    if table.name == settings.conversations_table and subjects.theirs.is_own(item):
        if layout.member_of(item) in subjects.theirs.blocking:
            done.warnings.append(
                "a do-not-contact mark is kept under the address's keyed id only, and still blocks"
            )
        return erase_subject.purge(session, table, key, item, subjects.theirs, dry_run=dry_run)
    if not dry_run:
        table.delete(key)
    others = {item.get(address.field) for address in ADDRESSES} - {None}
    if any(str(other).lower() not in subjects.addresses_in(item) for other in others):
        done.warnings.append(
            "a deleted item held another address of the person: erase that one too"
        )
    return True


def part_about(
    session: Session, table: Table, key: Item, item: Item, subjects: Subjects
) -> dict[str, Any]:
    """The part of an item that `purge` would erase, for an export."""
    settings = session.services.settings
    if table.name == settings.company_data_table:
        return dict(key)
    is_record = table.name == settings.conversations_table and "messages" in item
    if is_record and not subjects.is_own(item):
        sought = subjects.addresses_in(item)
        return {"messages": [message for message in item["messages"] if _mentions(message, sought)]}
    return dict(item)


def _remove_entries(
    table: Table, key: Item, item: Item, subjects: Subjects, done: Erased, *, dry_run: bool
) -> bool:
    """Remove the list entries that mention the person's address from a project's settings."""
    sought = subjects.addresses_in(item)
    changed = {
        name: [element for element in value if not _mentions(element, sought)]
        for name, value in item.items()
        if isinstance(value, list) and _mentions(value, sought)
    }
    if changed and not dry_run:
        table.update(key, set_=changed)
    if _mentions({**item, **changed}, sought):
        named = "/".join(str(value) for value in key.values())
        done.notes.append(f"{named} still mentions the address: correct it with `company put`")
    return bool(changed)


def _make_tombstone(session: Session, table: Table, key: Item, item: Item) -> bool:
    """Remove everything about the person from a ledger row; end an unfinished row as erased."""
    status = item["status"]
    ends: Mapping[str, Any] = {}
    if status in _UNFINISHED_EVENTS:
        ends = {"status": EventStatus.SKIPPED.value, "reason": ERASED}
    elif status == ActionStatus.UNKNOWN:
        ends = {"status": ActionStatus.ABANDONED.value, "reason": ERASED}
    try:
        table.update(
            key,
            set_={"erased_at": iso(session.services.clock.now()), **ends},
            remove=sorted(name for name in item if name not in _KEPT),
            condition="#status = :was AND attribute_not_exists(#erased_at)",
            was=status,
        )
    except ConditionFailed:
        return False
    return True


def _mentions(value: Any, addresses: tuple[str, ...]) -> bool:  # noqa: ANN401 - any stored value
    """Whether one of the addresses occurs anywhere in a nested value."""
    match value:
        case str():
            text = value.lower()
            return any(_occurs_in(text, address) for address in addresses)
        case dict():
            return any(_mentions(part, addresses) for part in (*value, *value.values()))
        case list() | set() | frozenset() | tuple():
            return any(_mentions(part, addresses) for part in value)
        case _:
            return False


def _occurs_in(text: str, address: str) -> bool:
    """Whether an address occurs whole: ``+15550100`` in ``whatsapp:+15550100``, not in ``+155501001``."""
    start = text.find(address)
    while start >= 0:
        before, after = (
            text[max(0, start - 1) : start],
            text[start + len(address) : start + len(address) + 1],
        )
        if not before.isalnum() and not after.isalnum():
            return True
        start = text.find(address, start + 1)
    return False
