"""Removes single facts that should not have been sent, from OneLake and the archive, once and for good.

The ledger's row stays and says so, which keeps a repeated delivery from counting it again.  OneLake gets a
row that deletes the fact; each object of the archive that has it is written again without it, and former
versions go.  A push dataset cannot delete a row: its next rebuild leaves the fact out.  It holds the
writer's lease, and may be repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from io import BytesIO

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.posting.ndjson import StoredRows, packed
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.posting.writer import FactWriter
from chalicelib.once.ports import Clock

DEADLINE_SECONDS = 60.0


@dataclass(frozen=True, slots=True, kw_only=True)
class FactRemoval:
    """The removal of facts of one stage.

    Attributes:
        onelake: None where facts do not go to it.
        owner: who removes, for the row.
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
            ``removed``, or why not: ``busy``, ``open_batch`` where a sink may have one and another lacks
            it, ``held:<why>``, or ``waiting:<why>`` where a sink has one still.
        """
        return self.writer.alone(
            "removed",
            lambda: self._remove(sorted(set(keys))),
            time_left_seconds=time_left_seconds,
            unless_held=frozenset(keys),
        )

    def _remove(self, keys: Sequence[str]) -> None:
        """The ledger first, so that no batch has them; then the sinks, each of which may be repeated."""
        for key in keys:
            self.store.remove(key, by=self.owner)
        if self.onelake:
            rows = [{"EventID": key} for key in keys]
            number = int(self.clock.now().timestamp() * 1000)
            self.onelake.amend(FACT_EVENT, number, (), rows, deadline_seconds=DEADLINE_SECONDS)
        for archive in self.archives:
            remove_rows(archive, frozenset(keys))


def remove_rows(archive: StoredRows, keys: Collection[str]) -> None:
    """Write each object of an archive's facts without some, and delete former versions that have one.

    Raises:
        TransientError: it cannot be read or written now.
    """
    for name, _ in archive.listed(f"{FACT_EVENT}/"):
        rows = list(archive.rows(name))
        kept = [row for row in rows if row["EventID"] not in keys]
        if kept and kept != rows:
            archive.put(name, BytesIO(packed(kept)))
        elif not kept:
            archive.delete(name)
    for name, version in archive.versions():  # what was just replaced is one, too
        if name.startswith(f"{FACT_EVENT}/") and any(
            row["EventID"] in keys for row in archive.rows(name, version)
        ):
            archive.delete(name, version)
