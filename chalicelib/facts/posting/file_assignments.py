"""Which file of a landing zone a batch of rows was assigned to, in the facts' table.

Row of one table of one mirrored database; it does not expire, as a number is never used twice::

    pk         FILE:FactEvent:onelake:<database>
    file       42               the last file's number that was assigned
    batch      1763629452123    the batch it was assigned to
    tried      {"<sha256>": 17} what is or may be published under it, and the digest of its rows
    is_open    True             it is not known to be published
    rows       120034           rows in the files known to be published
    version    97               grows with every write
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from chalicelib.clock import iso
from chalicelib.errors import LeaseLostError
from chalicelib.facts import reasons as why
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Store


@dataclass(frozen=True, slots=True)
class Assignment:
    """For one table of OneLake: the last file number that was assigned, and the batch that it is for.

    Attributes:
        file: the last assigned file number; 0 before the first.
        batch: number of the batch that the file is for.
        tried: for each content that may be published under the number, by the sha256 of the file:
            the digest of its rows.
        is_open: the file is not known to be published.
        rows: number of rows in the files known to be published.
        version: version of the stored row; 0 where there is none.
    """

    file: int = 0
    batch: int = 0
    tried: Mapping[str, int] = field(default_factory=dict)
    is_open: bool = False
    rows: int = 0
    version: int = 0

    def published(self, digest: str, rows: int) -> Assignment:
        """The assignment after its file, of this digest, was published: no longer open.

        The file's rows are added to the number of published rows.
        """
        return replace(
            self, tried={digest: self.tried[digest]}, is_open=False, rows=self.rows + rows
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FileAssignments:
    """The stored assignments of file numbers to batches, for one landing zone in OneLake.

    Attributes:
        table: the facts' table.
        target: name of the sink.
    """

    table: Store
    clock: Clock
    target: str

    def read(self, table: str) -> Assignment:
        """The last assignment of a table's file number to a batch; an empty one where none is stored."""
        row = self.table.get({"event_id": self._key(table)})
        if row is None:
            return Assignment()
        return Assignment(
            row["file"], row["batch"], row["tried"], row["is_open"], row["rows"], row["version"]
        )

    def note(self, table: str, assignment: Assignment) -> Assignment:
        """Store a table's new assignment, if the stored one still has the version that was read.

        Returns the assignment as stored, with the next version.

        Raises:
            LeaseLostError: another writer has stored an assignment since.
        """
        item = {
            "event_id": self._key(table),
            "created_at": iso(self.clock.now()),
            "source": "WRITER",
            "file": assignment.file,
            "batch": assignment.batch,
            "tried": dict(assignment.tried),
            "is_open": assignment.is_open,
            "rows": assignment.rows,
            "version": assignment.version + 1,
        }
        read = assignment.version
        condition = "#version = :read" if read else "attribute_not_exists(#version)"
        try:
            self.table.put(item, condition=condition, **({"read": read} if read else {}))
        except ConditionFailed as found:
            if found.item != item:  # else the SDK repeated a write that had succeeded
                raise LeaseLostError(why.ASSIGNMENT_TAKEN) from None
        return replace(assignment, version=read + 1)

    def _key(self, table: str) -> str:
        return f"FILE:{table}:{self.target}"
