"""A project's verdict set: examples of drafts that its checks must let through, or must stop.

::

    verdicts:{company_id}#{project_id}   {id of the example}   verdict, why, example, put_at, ttl

An example is kept for as long as a message of a conversation, from when it was last put: it may have
come from one, and an example that is not looked at for a year says little of what is written today.
The rows are in no index, and hold ``company_id`` so that erasing finds the company's linked addresses.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal, cast

from chalicelib.clock import iso
from chalicelib.once.ports import Clock
from chalicelib.once.store import Item, Store
from chalicelib.outreach.conversations import items

VerdictSaid = Literal["good", "bad"]
_PARTITION = "verdicts:"


@dataclass(frozen=True, slots=True)
class VerdictExample:
    """One example draft with the company's verdict: whether the checks must let it through or stop it.

    Attributes:
        id: the example's id, without personal data.
        said: ``good`` must be let through, ``bad`` must be stopped.
        why: the company's reason, in its words.
        is_invented: its writer says that it names no real person; any other example was redacted.
        example: a line of ``writer check`` without its id.
        ends: when it expires, in epoch seconds; set by the store.
    """

    id: str
    said: VerdictSaid
    why: str = field(repr=False)
    is_invented: bool
    example: Mapping[str, Any] = field(repr=False)
    ends: int = 0


class Verdicts:
    """Stores, lists and removes example drafts with their verdicts, by project."""

    def __init__(self, *, table: Store, clock: Clock, kept: timedelta) -> None:
        self._table = table
        self._clock = clock
        self._kept = kept

    def examples_of(self, company_id: str, project_id: str) -> list[VerdictExample]:
        """A project's example drafts in the order of their ids, without expired ones."""
        now = self._clock.now().timestamp()
        rows = self._table.query_pages(
            KeyConditionExpression="primary_channel = :p",
            values={"p": _partition(company_id, project_id)},
            ConsistentRead=True,
        )
        return [_read(row) for row in rows if row["ttl"] > now]

    def put(self, company_id: str, project_id: str, verdict: VerdictExample) -> None:
        """Store an example draft, replacing one with the same id; its time to live begins again."""
        now = self._clock.now()
        self._table.put(
            {
                **_key(company_id, project_id, verdict.id),
                "company_id": company_id,
                "verdict": verdict.said,
                "why": verdict.why,
                "is_invented": verdict.is_invented,
                "example": dict(verdict.example),
                "put_at": iso(now),
                "ttl": items.ttl_at(now, self._kept),
            }
        )

    def remove(self, company_id: str, project_id: str, example_id: str) -> bool:
        """Remove a project's example draft; False where there is none with this id."""
        key = _key(company_id, project_id, example_id)
        if self._table.get(key) is None:
            return False
        self._table.delete(key)
        return True


def is_verdict(row: Mapping[str, Any]) -> bool:
    """Whether a row of the conversations table is an example draft with its verdict."""
    return str(row.get("primary_channel", "")).startswith(_PARTITION)


def _partition(company_id: str, project_id: str) -> str:
    return f"{_PARTITION}{company_id}#{project_id}"


def _key(company_id: str, project_id: str, example_id: str) -> Item:
    return {
        "primary_channel": _partition(company_id, project_id),
        "conversation_id": example_id,
    }


def _read(row: Item) -> VerdictExample:
    return VerdictExample(
        id=str(row["conversation_id"]),
        said=cast("VerdictSaid", row["verdict"]),
        why=str(row["why"]),
        is_invented=bool(row["is_invented"]),
        example=row["example"],
        ends=int(row["ttl"]),
    )
