"""`python -m bench.measures.archive`: files, bytes and dollars of the archive, before and after compaction.

A busy stage has a batch a minute of 23 facts for 28 days, about a million facts a month.  DuckDB counts
the files and bytes that a query reads, through the documented view.  Exit code 1 if a figure misses
its limit.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, ClassVar

from bench.rig import cost
from chalicelib.facts.dataset import FACT_EVENT, full_row
from chalicelib.facts.model import Fact, Happening, Metric
from chalicelib.facts.posting.compaction import READ_SECONDS
from chalicelib.facts.posting.ndjson import FileRows
from tests.rigs.fact_queries import FactQueries

DAYS, BATCHES, FACTS = 28, 1_440, 23
FIRST = datetime(2026, 11, 1, 6, tzinfo=UTC)
LISTED_AT_ONCE = 1_000
A_DAY = "SELECT count(*), sum(DurationSeconds) FROM fact_event WHERE day = '2026-11-14'"
A_MONTH = "SELECT MetricID, count(*) FROM fact_event GROUP BY MetricID"
ALL_HOURS = 26
"""The hours of a day, and two more until the replaced files are deleted."""


class CountedRows(FileRows):
    """The archive in files; counts requests as S3 would get them, at the measurement's own time."""

    requests: ClassVar[Counter[str]] = Counter()
    now: ClassVar[datetime] = FIRST

    def list_objects(self, prefix: str) -> Iterator[tuple[str, float]]:
        """List objects, as `StoredRows.list_objects`; counts one request for each 1,000 names."""
        found = list(super().list_objects(prefix))
        self.requests["list"] += 1 + len(found) // LISTED_AT_ONCE
        return iter(found)

    def open_object(self, name: str, version: str = "") -> IO[bytes]:
        """Open an object, as `StoredRows.open_object`; counts one request."""
        self.requests["read"] += 1
        return super().open_object(name, version)

    def put(self, name: str, body: IO[bytes]) -> None:
        """Write an object, as `StoredRows.put`; counts one request and sets the object's time."""
        self.requests["write"] += 1
        super().put(name, body)
        os.utime(self.folder / name, (CountedRows.now.timestamp(), CountedRows.now.timestamp()))


def main() -> int:
    """Measure and print."""
    with tempfile.TemporaryDirectory() as folder:
        archive, query = CountedRows(Path(folder)), FactQueries(folder)
        for day in range(DAYS):
            for minute in range(BATCHES):
                _post(archive, FIRST + timedelta(days=day, minutes=minute))
        facts = DAYS * BATCHES * FACTS
        print(f"a busy stage: {DAYS} days, {BATCHES} batches a day, {facts} facts")
        before = [_asked(query, f"{name}, before", sql) for name, sql in _QUESTIONS]
        started = time.process_time()
        for hour in range(2):
            _compact(archive, FIRST + timedelta(days=DAYS + 1, hours=hour))
        seconds = time.process_time() - started
        after = [_asked(query, f"{name}, after", sql) for name, sql in _QUESTIONS]
    print(f"  processor time of the compaction {seconds / DAYS:.2f} s a day of facts, twice read")
    posting, compaction = requests_of_a_day()
    million = 1e6 / (BATCHES * FACTS)
    print("dollars for a million facts, at list prices of us-east-1")
    print(f"  adding the batches   {million * dollars(posting):.2f}  {_shown(posting)} a day")
    print(f"  hourly compaction    {million * dollars(compaction):.2f}  {_shown(compaction)} a day")
    fits = [asked[0] for asked in after] == [1, DAYS] and before[0][0] == BATCHES
    return 0 if fits else 1


_QUESTIONS = ((f"one day of {DAYS}", A_DAY), (f"all {DAYS} days", A_MONTH))


def _asked(query: FactQueries, name: str, sql: str) -> tuple[int, int]:
    files, bytes_ = query.cost(sql)
    dollars = cost.athena_query(files=files, bytes_=bytes_)
    print(f"  {name:<24} {files:>6} files {bytes_ / 1e6:>6.2f} MB   Athena ${dollars:.6f}")
    return files, bytes_


def _post(archive: FileRows, moment: datetime) -> None:
    number = int(moment.timestamp() * 1_000)
    rows = [
        full_row(
            Fact(
                key=f"ALOWARE:{number // 1_000 * 100 + at}",
                source="ALOWARE",
                agent_id=str(101 + at % 7),
                date=f"{moment - timedelta(hours=6):%Y-%m-%d}",
                metric=list(Metric)[at % 4],
                notes="event=OutboundPhoneCall-DispositionCompleted;tz=America/Chicago",
                happening=Happening(moment, "America/Chicago", at * 37, "call", "completed"),
            )
        )
        for at in range(FACTS)
    ]
    archive.append(FACT_EVENT, number, rows, deadline_seconds=5)


def _compact(archive: FileRows, moment: datetime) -> None:
    """Run one hour's compaction, and set the time an hour later."""
    CountedRows.now = moment
    for partition in archive.partitions():
        if len(partition.parts) > 1:
            archive.compact(partition, before=moment.timestamp() - READ_SECONDS)
    CountedRows.now = moment + timedelta(hours=1)


def requests_of_a_day() -> tuple[Counter[str], Counter[str]]:
    """The requests of a day's batches, and of the compaction during the day and two hours after."""
    posting: Counter[str] = Counter()
    compaction: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        archive = CountedRows(Path(folder))
        for hour in range(ALL_HOURS):
            CountedRows.requests.clear()
            for minute in range(60 if hour < ALL_HOURS - 2 else 0):
                _post(archive, FIRST + timedelta(hours=hour, minutes=minute))
            posting += CountedRows.requests
            CountedRows.requests.clear()
            _compact(archive, FIRST + timedelta(hours=hour, minutes=59))
            compaction += CountedRows.requests
    return posting, compaction


def dollars(requests: Counter[str]) -> float:
    """The cost of requests, with the function's time for them."""
    return cost.archive_work(
        writes=requests["write"], lists=requests["list"], reads=requests["read"]
    )


def _shown(requests: Counter[str]) -> str:
    return ", ".join(f"{count} {name}s" for name, count in sorted(requests.items()))


if __name__ == "__main__":
    sys.exit(main())
