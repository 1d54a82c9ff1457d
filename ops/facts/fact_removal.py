"""Removes facts for good from OneLake and the archive, if they should never have been sent.

The ledger's row stays, marked removed, so that a repeated delivery does not count.  OneLake gets a
row that deletes the fact.  Each object of the archive that holds it is rewritten without it, and
its former versions are deleted.  A push dataset cannot delete a row: its next rebuild leaves the
fact out.  The removal holds the writer's lease.  Idempotent.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from io import BytesIO

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.posting.ndjson import StoredRows, packed_rows
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.posting.writer import FactWriter
from chalicelib.once.ports import Clock

DEADLINE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRemoval:
    """Removes facts of one stage for one operator.

    Attributes:
        onelake: None if facts do not go there.
        owner: the operator's name, for the row.
    """

    store: FactLedger
    archives: Sequence[StoredRows]
    onelake: OneLake | None
    writer: FactWriter
    clock: Clock
    owner: str

    def run(self, keys: Collection[str], *, time_left_seconds: Callable[[], float]) -> str:
        """Remove facts.

        Returns:
            ``removed``, or why not: ``busy``, ``open_batch`` if an unfinished batch holds one of
            the facts, ``held:<why>``, or ``waiting:<why>`` if a sink still has one.
        """
        return self.writer.run_alone(
            "removed",
            lambda: self._remove(sorted(set(keys))),
            time_left_seconds=time_left_seconds,
            unless_unfinished=frozenset(keys),
        )

    def _remove(self, keys: Sequence[str]) -> None:
        """Mark the ledger's rows first, so that no batch takes them; then remove from each sink."""
        for key in keys:
            self.store.remove(key, by=self.owner)
        if self.onelake:
            rows = [{"EventID": key} for key in keys]
            number = int(self.clock.now().timestamp() * 1000)
            self.onelake.amend(FACT_EVENT, number, (), rows, deadline_seconds=DEADLINE_SECONDS)
        for archive in self.archives:
            remove_rows(archive, frozenset(keys))


def remove_rows(archive: StoredRows, keys: Collection[str]) -> None:
    """Rewrite an archive's objects without some facts; delete former versions that hold one.

    Raises:
        TransientError: the archive cannot be read or written now.
    """
    for name, _ in archive.list_objects(f"{FACT_EVENT}/"):
        rows = list(archive.rows_of_object(name))
        kept = [row for row in rows if row["EventID"] not in keys]
        if kept and kept != rows:
            archive.put(name, BytesIO(packed_rows(kept)))
        elif not kept:
            archive.delete(name)
    for name, version in archive.former_versions():  # includes the objects just replaced
        if name.startswith(f"{FACT_EVENT}/") and any(
            row["EventID"] in keys for row in archive.rows_of_object(name, version)
        ):
            archive.delete(name, version)
