"""Finds what journal entries say about a person, and forgets it.

An entry is about its story (a conversation, a ticket, an event) and about the persons whose keyed
ids its act or its words name (`mentions`).  Each of those has a row beside the entry, which says
where the entry is::

    conversation_id  about#5f3a...        ts_action_id  2026-11-20T09:00:02.000Z#do-not-contact add:77b0...
    story            company:ci-aaa-001   expires_at    1795251602

So the words about a person are read by key.  Forgetting removes the words and leaves who did what, and
when.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from chalicelib.clock import iso
from chalicelib.once.journal import ABOUT_PREFIX, DAY_PREFIX, is_entry
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Item, Store


@dataclass(frozen=True, slots=True)
class Remark:
    """The words of one journal entry that are about a person.

    Attributes:
        story: the partition of the entry.
        entry: its sort key, which begins with its time.
        by: who said it.
        said: the words, redacted when they were written.
    """

    story: str
    entry: str
    by: str
    said: str = field(repr=False)


class Remarks:
    """Finds the words of journal entries that are about a person, and removes them."""

    def __init__(self, *, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def about(self, ids: Iterable[str]) -> list[Remark]:
        """The words of journal entries about any of these conversations or keyed ids, oldest first.

        Each entry is listed once.
        """
        found: dict[tuple[str, str], Remark] = {}
        for fromkey in dict.fromkeys(ids):
            for entry in self._entries(fromkey):
                if entry["reason"]:
                    key = (str(entry["story"]), str(entry["ts_action_id"]))
                    found[key] = Remark(*key, str(entry["actor"]), str(entry["reason"]))
        return sorted(found.values(), key=lambda remark: remark.entry)

    def forget(self, remark: Remark) -> None:
        """Remove a remark's words from both copies of its journal entry: in its story and in its day."""
        for partition in (remark.story, f"{DAY_PREFIX}{remark.entry[:10]}"):
            try:
                self._table.update(
                    {"conversation_id": partition, "ts_action_id": remark.entry},
                    set_={"reason": "", "forgotten_at": iso(self._clock.now())},
                    condition="attribute_exists(#conversation_id)",
                )
            except ConditionFailed:  # the entry has expired meanwhile
                continue

    def _entries(self, about: str) -> Iterator[Item]:
        yield from filter(is_entry, self._partition(about))
        for pointer in self._partition(f"{ABOUT_PREFIX}{about}"):
            key = {"conversation_id": pointer["story"], "ts_action_id": pointer["ts_action_id"]}
            entry = self._table.get(key)
            if entry is not None:
                yield entry

    def _partition(self, name: str) -> Iterator[Item]:
        return self._table.query_pages(
            KeyConditionExpression="conversation_id = :c", values={"c": name}, ConsistentRead=True
        )
