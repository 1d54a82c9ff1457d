"""Once an hour an archive's days become one part each, under the writer's lease."""

import os
from contextlib import suppress

import pytest

from chalicelib.facts.dataset import DIM_AGENT, FACT_EVENT, fact_row
from chalicelib.facts.model import Agent
from chalicelib.facts.posting.compaction import Compaction
from chalicelib.facts.posting.comparison import archive_counts_by_day
from chalicelib.facts.posting.ndjson import FileRows
from chalicelib.once.ports import Runtime, Switches
from ops.facts.commands import known_facts
from tests.rigs.fact_writer import Crash, CrashingClient, fact
from tests.rigs.memory_stage import ON_BOTH

HOUR = 3_600
DAY = "2026-11-20"


class RigArchive(FileRows):
    """An archive in a folder, whose files have the rig's time."""

    __slots__ = ("clock",)

    def put(self, name, body):
        super().put(name, body)
        epoch = self.clock.now().timestamp()
        os.utime(self.folder / name, (epoch, epoch))


@pytest.fixture
def archive(writer_rig, tmp_path):
    made = RigArchive(tmp_path)
    object.__setattr__(made, "clock", writer_rig.clock)
    return made


@pytest.fixture
def compaction(writer_rig, archive):
    """The compaction of one container."""
    return made(writer_rig, archive)


def made(rig, archive, client=None):
    runtime = Runtime(clock=rig.clock, log=rig.log, switches=rig.switches)
    writer = rig.writer(client, archives=[archive])
    return Compaction(writer=writer, archives=[archive], runtime=runtime)


def post(rig, archive, *facts):
    rig.store().keep(facts)
    rig.run(rig.writer(archives=[archive]))
    rig.clock.forward(60)


def run(compaction, seconds=230.0):
    return compaction(time_left_seconds=lambda: seconds)


def parts(archive, day=DAY):
    return [name for name, _ in archive.list_objects(f"{FACT_EVENT}/day={day}/")]


def test_a_day_is_one_part_two_hours_after_its_last_batch(writer_rig, archive, compaction):
    for number in range(5):
        post(writer_rig, archive, fact(number))
    assert len(parts(archive)) == 5
    assert run(compaction) == "compacted"
    assert len(parts(archive)) == 6, "a reader may be reading what it listed before"
    assert run(compaction) is None, "once an hour"

    writer_rig.clock.forward(HOUR)
    assert run(compaction) == "compacted"
    (name,) = parts(archive)
    assert "whole-" in name
    assert archive_counts_by_day(archive) == {DAY: 5}
    writer_rig.clock.forward(HOUR)
    assert run(compaction) is None, "nothing is left, so the lease is not asked for"


def test_a_late_fact_is_in_its_days_part_after_the_next_hour(writer_rig, archive, compaction):
    for number in range(3):
        post(writer_rig, archive, fact(number))
    for _ in range(3):
        run(compaction)
        writer_rig.clock.forward(HOUR)
    post(writer_rig, archive, fact(7), fact(8, date="2026-11-21"))
    assert len(parts(archive)) == 2
    assert archive_counts_by_day(archive) == {DAY: 4, "2026-11-21": 1}
    for _ in range(2):
        run(compaction)
        writer_rig.clock.forward(HOUR)
    assert len(parts(archive)) == 1
    assert archive_counts_by_day(archive) == {DAY: 4, "2026-11-21": 1}


def test_a_dimension_is_one_part_too_and_holds_no_former_name(writer_rig, archive, compaction):
    writer_rig.agents = {"101": Agent("101", "Ada", "ada@example.com")}
    post(writer_rig, archive, fact(1), fact(2, agent_id="102"))
    writer_rig.agents = {"101": Agent("101", "Ada Byron", "ada@example.org")}
    writer_rig.writer(archives=[archive]).refresh(time_left_seconds=lambda: 230.0)
    for _ in range(2):
        writer_rig.clock.forward(HOUR)
        run(compaction)
    ((name, _),) = archive.list_objects(f"{DIM_AGENT}/")
    assert "whole-" in name
    names = {row["AgentID"]: row["AgentName"] for row in archive.read(DIM_AGENT)}
    assert names == {"101": "Ada Byron", "102": "102"}


def test_what_there_is_no_time_for_is_done_by_the_next_run(writer_rig, archive, compaction):
    for number in range(4):
        post(writer_rig, archive, fact(number, date=f"2026-11-{18 + number // 2}"))
    left = iter([230.0, 230.0, 230.0, 59.0, 59.0, 59.0])
    compaction(time_left_seconds=lambda: next(left))
    assert [len(partition.parts) for partition in archive.partitions("FactEvent/")] == [3, 2]
    assert run(compaction, 100.0) is None
    assert run(compaction) == "compacted"
    assert [len(partition.parts) for partition in archive.partitions("FactEvent/")] == [3, 3]


def test_a_damaged_part_keeps_no_other_day_waiting(writer_rig, archive, compaction):
    for number in range(4):
        post(writer_rig, archive, fact(number, date=f"2026-11-{18 + number // 2}"))
    broken = parts(archive, "2026-11-18")[0]
    (archive.folder / broken).write_bytes(b"no gzip")
    assert run(compaction) == "compacted"
    (said,) = writer_rig.log.of("facts.not_compacted")
    assert said["partition"] == "FactEvent/day=2026-11-18/"
    assert [len(partition.parts) for partition in archive.partitions("FactEvent/")] == [2, 3]


def test_it_waits_while_the_lease_is_taken_and_while_a_switch_is_set(
    writer_rig, archive, compaction
):
    for number in range(2):
        post(writer_rig, archive, fact(number))
    writer_rig.switches.switches = Switches(kill_switch=True)
    assert run(compaction) == "held:kill_switch"
    writer_rig.switches.switches = Switches()
    with suppress(Crash):
        run(made(writer_rig, archive, CrashingClient(writer_rig.client, at=1, is_after=True)))
    assert run(compaction) == "busy"
    writer_rig.clock.forward(600)
    assert run(compaction) == "compacted"


def test_a_reader_that_listed_before_reads_to_its_end(writer_rig, archive, compaction):
    for number in range(4):
        post(writer_rig, archive, fact(number))
    (listed,) = archive.partitions("FactEvent/")
    run(compaction)
    rows = [row for part in listed.parts for row in archive._read(part)]
    assert len(rows) == 4


@ON_BOTH
def test_a_dataset_is_rebuilt_from_a_compacted_archive(writer_rig, archive, compaction):
    facts = [fact(number, date=f"2026-11-{18 + number % 2}") for number in range(6)]
    for item in facts:
        post(writer_rig, archive, item)
    for _ in range(2):
        writer_rig.clock.forward(HOUR)
        run(compaction)
    writer_rig.clock.forward(15 * 86_400)
    assert writer_rig.store().posted_facts() == [], "the ledger has forgotten them"
    found = sorted(known_facts([], [archive]), key=lambda fact: fact.key)
    assert [fact_row(fact) for fact in found] == [fact_row(fact) for fact in facts]


@ON_BOTH
def test_a_crash_of_the_container_leaves_the_same_facts(writer_rig, archive):
    for number in range(3):
        post(writer_rig, archive, fact(number))
    crashes = 0
    for at in range(1, 12):
        try:
            run(made(writer_rig, archive, CrashingClient(writer_rig.client, at=at)))
        except Crash:
            crashes += 1
        assert archive_counts_by_day(archive) == {DAY: 3 + at - 1}
        writer_rig.clock.forward(HOUR)
        post(writer_rig, archive, fact(100 + at))
        post(writer_rig, archive)
    assert crashes >= 2
    assert archive_counts_by_day(archive) == {DAY: 14}
