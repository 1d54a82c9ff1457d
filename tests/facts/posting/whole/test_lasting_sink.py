"""A thousand facts in both sinks, each once, under crashes and unknown outcomes.

The archive is queried as a company queries it: the view of `docs/facts-operating.md` runs in DuckDB over the
files that the writer wrote.
"""

# ruff: noqa: S608 - the statements are made of this test's own files and columns

import random
import re
from collections import Counter

import pytest

from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT, FULL_TABLES, full_row
from chalicelib.facts.model import Metric
from chalicelib.facts.posting.ndjson import FileRows
from chalicelib.facts.posting.parts import MOVED_TO, moved_row
from tests.rigs.fact_queries import COLUMNS, FactQueries, as_read, statement
from tests.rigs.fact_writer import Crash, CrashingClient, fact
from tests.rigs.memory_stage import ON_BOTH

LANDED = 1400
FACTS = [
    fact(
        number,
        agent_id=str(101 + number % 7),
        date=f"2026-11-{1 + number % 20:02}",
        metric=list(Metric)[number % 4],
    )
    for number in range(1000)
]


@pytest.fixture
def archive(tmp_path):
    return FileRows(tmp_path / "archive")


@pytest.fixture
def query(archive):
    """Queries the archive through the documented view."""
    return FactQueries(archive.folder)


def as_stored(facts):
    """The rows of the report, as a query returns them."""
    return sorted(as_read(full_row(fact)) for fact in facts)


class Flaky:
    """An archive that dies or fails before or after it has written."""

    def __init__(self, archive, random_):
        self._archive, self._random, self.failures = archive, random_, Counter()
        self.is_flaky = True

    @property
    def target(self):
        return self._archive.target

    def append(self, table, number, rows, *, deadline_seconds):
        how = self._random.choice(("works", "dies", "dies after")) if self.is_flaky else "works"
        self.failures[how] += 1
        if how == "dies":
            raise Crash(how)
        self._archive.append(table, number, rows, deadline_seconds=deadline_seconds)
        if how == "dies after":
            raise Crash(how)

    replace = append


@ON_BOTH
@pytest.mark.parametrize("is_numbered", [True, False])
def test_a_thousand_facts_are_once_in_both_sinks_whatever_fails(
    writer_rig, archive, query, is_numbered
):
    chance = random.Random(7)
    flaky = Flaky(archive, chance)
    crashes = 0
    for start in range(0, 1000, 50):
        writer_rig.store().keep(FACTS[start : start + 50])
        kind = chance.choice(("act_then_drop", "drop", "status"))
        writer_rig.powerbi.fault(kind, operation="post_rows", skip=chance.randrange(3))
        client = CrashingClient(
            writer_rig.client, at=chance.randrange(5, 60), is_after=chance.random() < 0.5
        )
        for used in (client, None):
            writer = writer_rig.writer(
                used, is_numbered=is_numbered, rows_per_post=20, archives=[flaky]
            )
            try:
                writer_rig.run(writer)
            except Crash:
                crashes += 1
            writer_rig.clock.forward(LANDED)
    writer_rig.powerbi.clear_faults()
    flaky.is_flaky = False
    for _ in range(6):
        writer_rig.run(
            writer_rig.writer(is_numbered=is_numbered, rows_per_post=20, archives=[flaky])
        )
        writer_rig.clock.forward(LANDED)

    assert crashes > 10
    assert set(flaky.failures) == {"works", "dies", "dies after"}
    keys = [fact.key for fact in FACTS]
    assert set(writer_rig.statuses(keys).values()) == {"posted"}
    assert query(f"SELECT {COLUMNS} FROM fact_event ORDER BY EventID") == as_stored(FACTS)
    assert set(writer_rig.ids()) == set(keys)
    if is_numbered:
        assert set(writer_rig.ids().values()) == {1}
    wanted = {str(101 + number) for number in range(7)}
    assert {row["AgentID"] for row in archive.read(DIM_AGENT)} == wanted
    assert sorted(row["AgentID"] for row in writer_rig.rows(DIM_AGENT)) == sorted(wanted)


def test_the_view_takes_a_corrected_fact_on_its_new_day_alone(archive, query):
    now = fact(0, agent_id="999", date="2026-10-31")
    archive.append(FACT_EVENT, 1_000, [full_row(fact) for fact in FACTS[:3]], deadline_seconds=5)
    archive.append(
        FACT_EVENT,
        999,
        [full_row(fact(1, agent_id="older", date=FACTS[1].date))],
        deadline_seconds=5,
    )
    rows = [full_row(now), moved_row(now, FACTS[0].date)]
    archive.append(FACT_EVENT, 10_000, rows, deadline_seconds=5)

    assert query(f"SELECT {COLUMNS} FROM fact_event ORDER BY EventID") == as_stored(
        [now, *FACTS[1:3]]
    )
    counted = "SELECT day, count(*) FROM fact_event GROUP BY day ORDER BY day"
    assert query(counted) == [("2026-10-31", 1), ("2026-11-02", 1), ("2026-11-03", 1)]


def test_a_question_reads_the_files_of_its_days_alone(archive, query):
    for number, item in enumerate(FACTS[:200]):
        archive.append(FACT_EVENT, 1_000 + number, [full_row(item)], deadline_seconds=5)
    day = "SELECT count(*) FROM fact_event WHERE day = '2026-11-07'"
    week = "SELECT count(*) FROM fact_event WHERE day BETWEEN '2026-11-07' AND '2026-11-13'"
    assert (query.cost(day)[0], query.cost(week)[0]) == (10, 70)

    for _ in range(2):
        for partition in archive.partitions():
            archive.compact(partition, before=2e10)
    assert (query.cost(day)[0], query.cost(week)[0]) == (1, 7)
    assert query(day) == [(10,)]


def test_the_view_becomes_parquet(archive, query, tmp_path):
    archive.append(FACT_EVENT, 1, [full_row(fact) for fact in FACTS[:40]], deadline_seconds=5)
    archive.append(FACT_EVENT, 2, [full_row(fact) for fact in FACTS[:3]], deadline_seconds=5)
    made = tmp_path / "fact_event.parquet"
    query(f"COPY (SELECT * FROM fact_event) TO '{made}' (FORMAT parquet)")
    read = query(f"SELECT {COLUMNS} FROM read_parquet('{made}') ORDER BY EventID")
    assert read == as_stored(FACTS[:40])


def test_the_external_table_has_the_columns_of_the_rows():
    table = statement("CREATE EXTERNAL TABLE")
    columns = re.search(r"fact_event_rows \((.*?)\)", table, re.DOTALL)[1]
    assert {column.split()[0] for column in columns.split(",")} == {
        *FULL_TABLES[FACT_EVENT],
        MOVED_TO,
    }
