"""Lists of named things that people of a desk keep, such as saved replies: a row each, in no index.

::

    shelf#ci-aaa-001          replies   kept      {"8f3k...": {"name": "Opening hours", "at": "2026-...",
    shelf#ci-aaa-001          views                            "by": "lea@example.com", "form": "8f3k...",
    shelf#person#{digest}     views                            "holds": {"text": "Hello {customer_name}"}}}
                                        revision  17           changes with every write

A company's id has no ``#``, so no company has a person's shelf.  A row is small and is read by one key.
Each write replaces the whole row, on condition that its revision is the one that was read: so names stay
unique and their number bounded, even where two people write at once.
The row has no time to live: a thing stays until somebody removes it.

Each thing has the id of the form by which it was written last.  A form that comes again finds that id, or
the mark of its entry in the journal, and changes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once import keys
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import Item, TransactionConflict, TransactionRefused
from chalicelib.outreach.conversations import items


class ShelfRefusal(StrEnum):
    """Why a change of a list of saved things (replies, views) is refused."""

    NAME_TAKEN = "name_taken"
    FULL = "full"
    CHANGED = "changed"
    """Another person has changed or removed the thing since it was read."""


class ShelfRefusedError(Exception):
    """A change of a list of saved replies or views was refused, for reason `why`; nothing was written."""

    def __init__(self, why: ShelfRefusal) -> None:
        super().__init__(why.value)
        self.why = why


@dataclass(frozen=True, slots=True)
class ShelfPlace:
    """Which list of saved things: whose, of what kind, and its limit.

    Attributes:
        owner: a company's id, or a person's (see `owned_by`).
        what: the kind of thing it lists: ``replies`` or ``views``.
        most: the most things it may have.
    """

    owner: str
    what: str
    most: int

    @property
    def key(self) -> Item:
        """The key of the row that stores the list."""
        return {"primary_channel": f"shelf#{self.owner}", "conversation_id": self.what}


def owned_by(person: str) -> str:
    """A person's id as the owner of a list of saved things: a digest of their name in the journal."""
    return f"person#{keys.digest(person)[:32]}"


@dataclass(frozen=True, slots=True)
class ShelvedThing:
    """One saved thing of a list, such as a saved reply.

    Attributes:
        id: id of the form by which it was added.
        name: as people gave it; unique in the list, ignoring case.
        holds: its contents by name, such as ``text``.
        by: who wrote it last, as the journal names them.
        at: ISO time of that.
        form: id of the form by which it was written last.
    """

    id: str
    name: str
    holds: Mapping[str, str] = field(repr=False)
    by: str = ""
    at: str = ""
    form: str = ""


@dataclass(frozen=True, slots=True)
class Shelf:
    """One list of saved things (replies or views), by their ids, as it was read."""

    things: Mapping[str, ShelvedThing]
    most: int
    revision: int = 0

    @property
    def by_name(self) -> list[ShelvedThing]:
        """The saved things in alphabetical order of their names."""
        return sorted(self.things.values(), key=lambda thing: thing.name.casefold())

    def adding(self, new: ShelvedThing) -> Shelf:
        """The list with one more saved thing; the same list where a thing with that id is in it already.

        Raises:
            ShelfRefusedError: the list is full, or the name is taken.
        """
        if new.id in self.things:
            return self
        if len(self.things) >= self.most:
            raise ShelfRefusedError(ShelfRefusal.FULL)
        return self._with(new)

    def changing(self, new: ShelvedThing, seen: str) -> Shelf:
        """The list with one saved thing changed; the same list where this form changed it already.

        Args:
            new: the thing from now on, with the id of the one that it replaces.
            seen: id of the form by which the thing was last written when the person read it.

        Raises:
            ShelfRefusedError: another person has changed or removed it since, or the name is taken.
        """
        there = self.things.get(new.id)
        if there is not None and there.form == new.form:
            return self
        if there is None or there.form != seen:
            raise ShelfRefusedError(ShelfRefusal.CHANGED)
        return self._with(new)

    def removing(self, thing_id: str) -> Shelf:
        """The list without one saved thing; the same list where it is gone already."""
        if thing_id not in self.things:
            return self
        left = {name: thing for name, thing in self.things.items() if name != thing_id}
        return replace(self, things=left)

    def _with(self, new: ShelvedThing) -> Shelf:
        names = {thing.name.casefold() for thing in self.things.values() if thing.id != new.id}
        if new.name.casefold() in names:
            raise ShelfRefusedError(ShelfRefusal.NAME_TAKEN)
        return replace(self, things={**self.things, new.id: new})


class Shelves(items.OnTable):
    """Reads and writes lists of saved things, such as saved replies and views."""

    def shelves(self, places: Collection[ShelfPlace]) -> list[Shelf]:
        """The lists of saved things at the given places, in that order; empty where none is stored.

        One read fetches all of them.
        """
        rows = {
            (row["primary_channel"], row["conversation_id"]): row
            for row in self._table.get_all([place.key for place in places])
        }
        return [_shelf(place, rows.get(tuple(place.key.values()))) for place in places]

    def change_shelf(
        self,
        place: ShelfPlace,
        change: Callable[[Shelf], Shelf],
        journal: Sequence[Item],
    ) -> bool:
        """Change a list of saved things once, in one transaction with its journal entry.

        Args:
            place: which list.
            change: gives the changed list from the one that is read; called again where another
                writer was faster; raises `ShelfRefusedError` to refuse.
            journal: writes of the journal's entry, with the id of the form.

        Returns:
            False where the change was done before: nothing was written.

        Raises:
            ShelfRefusedError: `change` refused.
            TransientError: other writers interfered with every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(items.TRIES))
        while True:
            before = _shelf(place, self._table.get(place.key))
            after = change(before)
            if after == before:
                return False
            try:
                self._table.transact([self._writing(place, before, after), *journal])
            except TransactionRefused as refused:
                if refused.found[0] is None:
                    return False
                attempts.wait_or_raise(TransientError("dynamodb", "shelf", reason=CONTENDED))
            except TransactionConflict as conflict:
                attempts.wait_or_raise(conflict)
            else:
                return True

    def _writing(self, place: ShelfPlace, before: Shelf, after: Shelf) -> Item:
        was: dict[str, Any] = {"was": before.revision} if before.revision else {}
        return self._table.updating(
            place.key,
            set_={
                "kept": {thing_id: _item(thing) for thing_id, thing in after.things.items()},
                "revision": before.revision + 1,
                "updated_at": iso(self._clock.now()),
            },
            condition="#revision = :was" if was else "attribute_not_exists(#revision)",
            **was,
        )


def _shelf(place: ShelfPlace, row: Mapping[str, Any] | None) -> Shelf:
    if row is None:
        return Shelf({}, place.most)
    things = {
        str(thing_id): ShelvedThing(str(thing_id), **thing)
        for thing_id, thing in row["kept"].items()
    }
    return Shelf(things, place.most, int(row["revision"]))


def _item(thing: ShelvedThing) -> Item:
    return {
        "name": thing.name,
        "holds": dict(thing.holds),
        "by": thing.by,
        "at": thing.at,
        "form": thing.form,
    }
