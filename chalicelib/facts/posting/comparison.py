"""Compares the facts by day in the ledger, the archive and the dataset.

A fact that the ledger calls posted is in every sink, so by day::

    ledger (posted, as long as it remembers) <= archive, and <= dataset
    archive <= dataset, where the archive is not the report itself

Only days that the ledger knows are compared, as it forgets facts after `DYNAMO_TTL_DAYS`.  A
dataset may hold more than an archive that was added later: that is no loss, and no difference here.

OneLake's tables cannot be counted over the landing zone, so its files are compared: the last file of
each table must be the one that the ledger notes as its last.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.facts.drift import Drift
from chalicelib.facts.ledger import FactLedger
from chalicelib.facts.posting.dataset_reader import DatasetReader
from chalicelib.facts.posting.ndjson import Archive
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.posting.powerbi import target_of

DEADLINE_SECONDS = 20.0


@dataclass(frozen=True, slots=True)
class Difference:
    """A day on which a sink has fewer facts than it must have.

    The archive must have the facts that the ledger calls posted; the dataset also those of the
    archive.

    Attributes:
        day: ``YYYY-MM-DD``, the day of the facts.
        sink: ``archive`` or ``dataset``.
        known: number of that day's facts that the sink must have, each counted once.
        there: number of that day's facts in the sink.
    """

    day: str
    sink: str
    known: int
    there: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The numbers of facts by day in ledger, archive and dataset; None for a place that cannot be counted.

    Attributes:
        newest_seconds: by source: age in seconds of the newest stored fact that counts.
        corrected: keys of corrected facts whose former values the dataset has until it is rebuilt.
        troubles: by table: why OneLake's files are not those that the ledger notes.
        drift: by source: the drift of the last day's facts.
    """

    ledger: Mapping[str, int]
    archive: Mapping[str, int] | None
    dataset: Mapping[str, int] | None
    newest_seconds: Mapping[str, int]
    corrected: Sequence[str] = ()
    troubles: Mapping[str, str] = field(default_factory=dict)
    drift: Mapping[str, Drift] = field(default_factory=dict)

    @property
    def differences(self) -> Sequence[Difference]:
        """The days on which a sink has fewer facts than it must have, oldest first."""
        known = {
            day: max(self.ledger.get(day, 0), (self.archive or {}).get(day, 0))
            for day in {*self.ledger, *(self.archive or {})}
        }
        found = []
        for sink, there, wanted in (
            ("archive", self.archive, self.ledger),
            ("dataset", self.dataset, known),
        ):
            if there is not None:
                found += [
                    Difference(day, sink, count, there.get(day, 0))
                    for day, count in wanted.items()
                    if there.get(day, 0) < count
                ]
        return sorted(found, key=lambda difference: (difference.day, difference.sink))


@dataclass(frozen=True, slots=True, kw_only=True)
class FactCheck:
    """Compares the facts of one stage, as the ledger has them, with those in the sinks.

    Attributes:
        archive: the archive; None where none is configured.
        dataset: reader of the Power BI dataset; None where facts do not go to one.
        onelake: the sink in OneLake; None where facts do not go to it.
    """

    store: FactLedger
    archive: Archive | None
    dataset: DatasetReader | None
    onelake: OneLake | None = None

    def compare(self) -> Comparison:
        """Count the facts by day in the ledger and in every sink, and return the counts.

        The ledger is counted first, so that a fact that is posted during the count is no
        difference.

        Raises:
            ProviderError: the ledger or a sink could not be read.
        """
        survey = self.store.survey()
        posted = counts_by_day((fact.key, fact.date) for fact in survey.posted)
        archived = archive_counts_by_day(self.archive, sorted(posted)) if self.archive else None
        counted = (
            self.dataset.counts_by_day(deadline_seconds=DEADLINE_SECONDS) if self.dataset else None
        )
        target = target_of(self.dataset.dataset_id) if self.dataset else ""
        corrected = tuple(survey.stale.get(target, ()))
        return Comparison(
            posted,
            archived,
            counted,
            survey.newest_seconds,
            corrected,
            self._troubles(),
            survey.drift,
        )

    def _troubles(self) -> dict[str, str]:
        if self.onelake is None:
            return {}
        found = {
            table: self.onelake.files_trouble(table, deadline_seconds=DEADLINE_SECONDS)
            for table in self.onelake.tables
        }
        return {table: why for table, why in found.items() if why}


def archive_counts_by_day(archive: Archive, days: Sequence[str] | None = None) -> dict[str, int]:
    """The number of facts in an archive for each day, each fact counted once.

    With `days`, only the facts of these days are counted.
    """
    rows = archive.read(FACT_EVENT, days)
    return counts_by_day((row["EventID"], row["FactDateKey"][:10]) for row in rows)


def counts_by_day(facts: Iterable[tuple[str, str]]) -> dict[str, int]:
    """The number of facts for each day, from pairs of a fact's key and its day.

    A fact whose key comes with two days counts for the later pair's day.
    """
    return dict(Counter(dict(facts).values()))
