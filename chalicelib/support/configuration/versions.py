"""The stored versions of the settings document, in table A; none is ever changed.

::

    event_id    cfg:support:current     version  3
    event_id    cfg:support:3           version  3    document  {"shop": {...}}    by  Operators/jo

Publishing writes the next version and moves the pointer in one transaction, so that two operators
never publish the same version and the pointer never names a missing version.  The rows do not expire: a
stored plan of any age finds the version that it was made with.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from chalicelib.clock import iso
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store, TransactionRefused
from chalicelib.redaction.redactor import redact

MAX_BYTES = 200_000
"""Limit for a stored document; a row holds 400 KB."""


class PublishedMeanwhileError(Exception):
    """The settings are not published: another version was published since the caller read the current one."""


@dataclass(frozen=True, slots=True)
class Version:
    """One stored version of the settings document.

    Attributes:
        document: the document as it was published, as plain data.
        by: the person who published it.
        at: ISO time of its publication.
        note: the remark with which the person published it.
    """

    number: int
    document: Mapping[str, Any]
    by: str
    at: str
    note: str = ""


class Versions:
    """The store of all versions of one stage's settings document, in table A."""

    def __init__(self, *, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def current(self, *, consistent: bool = False) -> int:
        """The number of the current version of the settings document; 0 while there is none."""
        row = self._table.get({"event_id": _key("current")}, consistent=consistent)
        return 0 if row is None else int(row["version"])

    def read(self, number: int) -> Version | None:
        """Read one version of the settings document, by its number; None where there is none."""
        row = self._table.get({"event_id": _key(str(number))})
        return None if row is None else _version(row)

    def newest(self, *, limit: int) -> Sequence[Version]:
        """Read the last published versions of the settings document, the newest first."""
        last = self.current(consistent=True)
        wanted = [
            {"event_id": _key(str(number))} for number in range(last, max(0, last - limit), -1)
        ]
        names = ("version", "document", "by", "created_at", "note")
        found = self._table.get_all(wanted, attributes=names) if wanted else []
        return sorted(map(_version, found), key=lambda version: -version.number)

    def publish(self, document: Mapping[str, Any], *, by: str, note: str, after: int) -> int:
        """Store a settings document as the next version, make it the current one, and return its number.

        Args:
            document: a valid document, as plain data.
            by: the person who publishes it.
            note: a remark of that person about it.
            after: the number of the version that the caller read as the current one.

        Raises:
            PublishedMeanwhileError: another version is current by now.
        """
        now, number = iso(self._clock.now()), after + 1
        stored: Item = {
            "event_id": _key(str(number)),
            "version": number,
            "document": encoded(document),
            "by": by,
            "note": redact(note) or None,
            "created_at": now,
        }
        pointer = {"event_id": _key("current")}
        moved = {"version": number, "by": by, "last_processed_at": now}
        is_next = "#version = :after" if after else "attribute_not_exists(#event_id)"
        change: dict[str, Any] = {"condition": is_next} | ({"after": after} if after else {})
        try:
            self._table.transact(
                [
                    self._table.putting(stored, condition="attribute_not_exists(#event_id)"),
                    self._table.updating(pointer, set_=moved, **change),
                ]
            )
        except TransactionRefused:
            raise PublishedMeanwhileError from None
        return number


def encoded(document: Mapping[str, Any]) -> str:
    """The JSON text in which a settings document is stored."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def _version(row: Item) -> Version:
    return Version(
        number=int(row["version"]),
        document=json.loads(row["document"]),
        by=str(row["by"]),
        at=str(row["created_at"]),
        note=str(row.get("note") or ""),
    )


def _key(name: str) -> str:
    return keys.joined("cfg", "support", name)
