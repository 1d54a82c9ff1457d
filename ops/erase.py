"""A person, out of every table of a stage that there is.

A subject is an e-mail address, a phone number with its plus sign, a ticket id or a conversation id.
Richpanel is asked which tickets an address has, because the tables know tickets only.  Whatever
item holds the address or belongs to one of those ids is deleted; rows of the ledger become
tombstones, because a key that was forgotten would act again: they keep their key, their status and
their end date, and nothing else that tells of the person.  Queue bodies end by themselves within
14 days; the dead letters of the subject are deleted now.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from botocore.exceptions import ClientError

from chalicelib.clock import iso
from chalicelib.dynamo import ConditionFailed, Item, Table
from chalicelib.errors import MiddlewareError
from chalicelib.ports import ActionStatus, EventStatus
from ops.events import PAGE
from ops.session import OpsError, Session

ERASED = "erased"
_KEPT = frozenset(
    {
        *("event_id", "status", "reason", "created_at", "received_at", "last_processed_at"),
        *("expires_at", "mode", "safe_mode", "automation_enabled", "conversation_id"),
        *("owner", "fence", "lease_until", "attempts", "event_key", "action_kind", "action_type"),
        *("payload_sha256", "payload_bytes", "source", "started", "finished_at", "erased_at"),
        *("action_key", "queued_at"),
    }
)
"""What a tombstone keeps: whatever makes a repeated key still do nothing."""
_UNFINISHED_EVENTS = {EventStatus.RECEIVED, EventStatus.PARKED}
_SHORTEST = 3
_SHORTEST_PHONE = 7


@dataclass(slots=True)
class Erased:
    """What was done.

    Attributes:
        tables: items deleted, or for the ledger made tombstones, by table.
        dead_letters: messages deleted from the dead-letter queue.
        notes: what could not be done.
    """

    tables: dict[str, int] = field(default_factory=dict)
    dead_letters: int = 0
    notes: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        """Everything that was found."""
        return sum(self.tables.values()) + self.dead_letters


@dataclass(frozen=True, slots=True)
class Subjects:
    """What is looked for.

    Attributes:
        addresses: e-mail addresses and phone numbers, in lower case; found in any text.
        ids: ticket and conversation ids; found as whole ids only, because they may be short.
    """

    addresses: tuple[str, ...] = ()
    ids: tuple[str, ...] = ()

    def holds(self, item: Item) -> bool:
        """The item is about one of them."""
        own = str(item.get("conversation_id", ""))
        parts = {own, *own.split("#"), str(item.get("primary_channel", ""))}
        return not parts.isdisjoint(self.ids) or _mentions(item, self.addresses)

    def in_body(self, body: str) -> bool:
        """A queue body is about one of them."""
        raw = json.loads(body) if body.startswith("{") else body
        return self.holds(raw) if isinstance(raw, dict) else _mentions(raw, self.addresses)


def subjects_of(session: Session, subject: str) -> tuple[Subjects, list[str]]:
    """The subject in its spellings with its tickets, and what could not be asked.

    Raises:
        OpsError: too short to be anybody's.
    """
    subject = subject.strip()
    if len(subject) < _SHORTEST:
        raise OpsError(f"a subject has at least {_SHORTEST} characters", code=2)
    digits = re.sub(r"\D", "", subject)
    kind: Literal["email", "phone"]
    if "@" in subject and not subject.startswith("<"):
        kind, addresses = "email", [subject.lower()]
    elif subject.startswith("+") and len(digits) >= _SHORTEST_PHONE:
        kind, addresses = "phone", [f"+{digits}", digits]
    else:
        return Subjects(ids=(subject,)), []
    ids: list[str] = []
    notes: list[str] = []
    try:
        ids += session.services.richpanel.conversations_of(kind, addresses[0])
    except MiddlewareError as error:
        notes.append(f"Richpanel was not asked for tickets ({type(error).__name__}): run again")
    return Subjects(tuple(addresses), tuple(dict.fromkeys(ids))), notes


def items(session: Session, subjects: Subjects) -> Iterator[tuple[Table, Item, Item]]:
    """Every item about a subject: its table, its key, itself; the ledger comes last.

    An item that names a conversation by an opaque id makes that id a subject too: the ledger knows
    such conversations by nothing else.
    """
    for name, key_names in tables(session):
        table = session.services.table(name)
        start = None
        while True:
            found, start = table.scan_page(limit=PAGE, start=start)
            for item in found:
                if "erased_at" not in item and subjects.holds(item):
                    yield table, {key: item[key] for key in key_names}, item
                    opaque = _opaque_ids(item)
                    subjects = replace(subjects, ids=(*subjects.ids, *opaque))
            if start is None:
                break


def tables(session: Session) -> list[tuple[str, list[str]]]:
    """The declared tables that exist, with the names of their keys."""
    dynamodb = session.client("dynamodb")
    found = []
    for resource in session.template.resources("AWS::DynamoDB::Table"):
        name = resource.properties["TableName"]
        try:
            keys = dynamodb.describe_table(TableName=name)["Table"]["KeySchema"]
        except ClientError:
            continue
        found.append((name, [one["AttributeName"] for one in keys]))
    ledger = session.services.settings.idempotency_table
    return sorted(found, key=lambda one: one[0] == ledger)


def purge(session: Session, table: Table, key: Item, item: Item) -> bool:
    """Delete an item, or make a row of the ledger a tombstone; False when it is gone already."""
    if table.name != session.services.settings.idempotency_table:
        table.delete(key)
        return True
    return _bury(session, table, key, item)


def _bury(session: Session, table: Table, key: Item, item: Item) -> bool:
    """Take away everything that tells of the person; what is unfinished ends here."""
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


def _opaque_ids(item: Item) -> tuple[str, ...]:
    marked = [one for one in item.values() if isinstance(one, str) and one.startswith("opaque#")]
    plain = [item["opaque_id"]] if isinstance(item.get("opaque_id"), str) else []
    return (*plain, *(one.removeprefix("opaque#") for one in marked))


def _mentions(value: Any, addresses: tuple[str, ...]) -> bool:  # noqa: ANN401 - any stored value
    """One of the addresses stands somewhere in the value."""
    match value:
        case str():
            text = value.lower()
            return any(_stands_in(text, one) for one in addresses)
        case dict():
            return any(_mentions(one, addresses) for one in (*value, *value.values()))
        case list() | set() | frozenset() | tuple():
            return any(_mentions(one, addresses) for one in value)
        case _:
            return False


def _stands_in(text: str, one: str) -> bool:
    """As a whole: ``+15550100`` stands in ``whatsapp:+15550100`` and not in ``+155501001``."""
    start = text.find(one)
    while start >= 0:
        before, after = (
            text[max(0, start - 1) : start],
            text[start + len(one) : start + len(one) + 1],
        )
        if not before.isalnum() and not after.isalnum():
            return True
        start = text.find(one, start + 1)
    return False
