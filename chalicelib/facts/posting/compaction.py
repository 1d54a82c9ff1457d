"""Compaction: once an hour the parts of each day and dimension become one, so that a query reads one.

::

    the writer's lease -> list -> a partition of several parts -> its whole part is written
        -> an hour later: what it has replaced is deleted

A past day is one part from two hours after its end.  Late and corrected facts add parts until the next
hour.  Replaced parts stay for `READ_SECONDS`, for readers that have listed them.  The
lease keeps the writer, corrections and erasures away, so that no row comes back from an older part.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from chalicelib.clock import iso
from chalicelib.errors import ProviderError, reason_of
from chalicelib.facts.model import TimeLeft
from chalicelib.facts.posting.ndjson import StoredRows
from chalicelib.facts.posting.parts import Partition
from chalicelib.facts.posting.writer import ENOUGH_SECONDS, FactWriter
from chalicelib.once.ports import Runtime

READ_SECONDS = 45 * 60
"""Longer than a query of Athena runs by default (30 minutes), and less than the hour between two runs."""
DONE = "compacted"


@dataclass(slots=True, kw_only=True)
class Compaction:
    """The hourly compaction of the archives, which merges the parts of a partition into one.

    Each container does it once an hour; a second container in that hour finds nothing to do.

    Attributes:
        writer: the fact writer, under whose lease the work is done.
    """

    writer: FactWriter
    archives: Sequence[StoredRows]
    runtime: Runtime
    _hour: str = field(default="", init=False)

    def __call__(self, *, time_left_seconds: TimeLeft) -> str | None:
        """Compact the archives' partitions, once an hour.

        Returns the outcome as a text, or None where nothing is to do now.  Partitions for which the
        time does not suffice are left to the next run.
        """
        hour = iso(self.runtime.clock.now())[:13]
        if hour == self._hour or time_left_seconds() < 2 * ENOUGH_SECONDS:
            return None
        if not any(self._listed()):
            self._hour = hour
            return None
        return self.writer.run_alone(
            DONE,
            lambda: self._compact_all(hour, time_left_seconds),
            time_left_seconds=time_left_seconds,
        )

    def _listed(self) -> Iterator[tuple[StoredRows, Partition]]:
        """The partitions that have several parts and so are to be compacted, each after its archive."""
        for archive in self.archives:
            yield from (
                (archive, partition)
                for partition in archive.partitions()
                if len(partition.parts) > 1
            )

    def _compact_all(self, hour: str, time_left: TimeLeft) -> None:
        before = self.runtime.clock.now().timestamp() - READ_SECONDS
        written, failed = 0, 0
        for archive, partition in self._listed():
            if time_left() < ENOUGH_SECONDS:
                break
            try:
                written += archive.compact(partition, before=before)
            except (ProviderError, FileNotFoundError) as error:
                # The partition keeps its parts, and the other partitions are still compacted.
                failed += 1
                why = reason_of(error) if isinstance(error, ProviderError) else "changed"
                self.runtime.log.event(
                    "facts.not_compacted", partition=partition.folder, reason=why
                )
        else:
            self._hour = hour
        self.runtime.log.event("facts.compacted", written=written, failed=failed)
