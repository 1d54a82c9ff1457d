"""Once a night: changed names and shifts reach the report, and every sink is counted."""

from datetime import UTC, datetime

import pytest

from chalicelib.facts.dataset import DIM_AGENT, DIM_SHIFT, FACT_EVENT
from chalicelib.facts.drift import Mark
from chalicelib.facts.model import Agent, Happening
from chalicelib.facts.posting.comparison import FactCheck
from chalicelib.facts.posting.dataset_reader import DatasetReader
from chalicelib.facts.posting.ndjson import FileRows
from chalicelib.facts.posting.nightly import Nightly
from chalicelib.facts.shifts import shift_rows
from chalicelib.once.ports import Runtime
from local.vendors.powerbi import WORKSPACE
from tests.rigs.fact_writer import Crash, CrashingClient, fact
from tests.rigs.memory_stage import ON_BOTH

ADA = Agent("101", "Ada", "ada@example.com")
SHIFTS = b"AgentID,LocalDate,ShiftStartLocal,ShiftEndLocal\n101,2026-11-20,08:00,16:30\n"


@pytest.fixture
def archive(tmp_path):
    return FileRows(tmp_path)


@pytest.fixture
def night(writer_rig, archive):
    """Runs the writer and then the night's work in a new container; returns the outcome."""
    noon = datetime(2026, 11, 20, 12, tzinfo=UTC)
    writer_rig.clock.forward((noon - writer_rig.clock.now()).total_seconds())

    def run(client=None, *, is_archived=True):
        archives = [archive] if is_archived else []
        writer = writer_rig.writer(client, archives=archives)
        writer_rig.run(writer)
        reader = DatasetReader(writer_rig.sink().client, WORKSPACE, writer_rig.dataset)
        check = FactCheck(
            store=writer_rig.store(), archive=archive if is_archived else None, dataset=reader
        )
        return Nightly(
            ledger=writer_rig.ledger(client),
            writer=writer,
            check=lambda: check,
            runtime=Runtime(
                clock=writer_rig.clock, log=writer_rig.log, switches=writer_rig.switches
            ),
        )(time_left_seconds=lambda: 230.0)

    return run


def next_night(rig):
    rig.clock.forward(86_400)


def test_a_night_is_worked_once_by_whichever_container_comes_first(writer_rig, night):
    writer_rig.store().keep([fact(1)])
    assert night() == "checked:0_missing"
    assert night() is None
    next_night(writer_rig)
    assert night() == "checked:0_missing"


def test_a_renamed_agent_has_the_new_name_after_the_night(writer_rig, night, archive):
    writer_rig.agents = {"101": ADA}
    writer_rig.store().keep([fact(1), fact(2, agent_id="102")])
    night()
    before = writer_rig.powerbi.count()["clear_rows"]
    next_night(writer_rig)
    night()
    assert writer_rig.powerbi.count()["clear_rows"] == before, "nothing has changed"

    writer_rig.agents = {"101": Agent("101", "Ada Byron", "ada@example.org")}
    next_night(writer_rig)
    night()

    names = {row["AgentID"]: row["AgentName"] for row in writer_rig.rows(DIM_AGENT)}
    assert names == {"101": "Ada Byron", "102": "102"}
    assert len(writer_rig.rows(DIM_AGENT)) == 2
    assert writer_rig.powerbi.count()["clear_rows"] == before + 1
    newest = {row["AgentID"]: row["AgentName"] for row in archive.read(DIM_AGENT)}
    assert newest == names


@ON_BOTH
def test_a_crash_while_names_are_replaced_ends_with_each_key_once(writer_rig, night):
    writer_rig.agents = {"101": ADA}
    writer_rig.store().keep([fact(1)])
    night()
    crashes = 0
    for at in range(1, 80):
        next_night(writer_rig)
        writer_rig.agents = {"101": Agent("101", f"Ada {at}")}
        try:
            night(CrashingClient(writer_rig.client, at=at, is_after=bool(at % 2)))
        except Crash:
            crashes += 1
        for _ in range(3):
            writer_rig.clock.forward(1400)
            night()
        (row,) = writer_rig.rows(DIM_AGENT)
        assert row["AgentName"] == f"Ada {at}"
        if crashes < at:
            break
    assert crashes > 10


def test_shifts_reach_the_report_and_replace_those_of_before(writer_rig, night):
    writer_rig.shifts = shift_rows(SHIFTS)
    night()
    (row,) = writer_rig.rows(DIM_SHIFT)
    assert row["ShiftStartLocal"] == "2026-11-20T08:00:00"

    writer_rig.shifts = shift_rows(
        SHIFTS.replace(b"08:00", b"09:00") + b"102,2026-11-20,22:00,06:00"
    )
    next_night(writer_rig)
    night()
    starts = [row["ShiftStartLocal"][11:] for row in writer_rig.rows(DIM_SHIFT)]
    assert starts == ["09:00:00", "22:00:00"]

    writer_rig.shifts = None  # the file cannot be read tonight
    next_night(writer_rig)
    night()
    assert len(writer_rig.rows(DIM_SHIFT)) == 2


def test_shifts_of_unknown_outcome_are_there_once_in_the_end(writer_rig, night):
    writer_rig.shifts = shift_rows(SHIFTS)
    writer_rig.powerbi.fault("act_then_drop", operation="post_rows")
    night()
    for _ in range(3):
        writer_rig.clock.forward(1400)
        night()
    assert len(writer_rig.rows(DIM_SHIFT)) == 1


def test_facts_that_the_dataset_has_lost_are_counted_by_day(writer_rig, night):
    writer_rig.store().keep([fact(1), fact(2), fact(3, date="2026-11-19")])
    night()
    writer_rig.sink().clear(FACT_EVENT, deadline_seconds=5)
    next_night(writer_rig)

    assert night() == "checked:3_missing"
    (first, second) = writer_rig.log.of("facts.difference")
    assert (first["day"], first["known"], first["there"]) == ("2026-11-19", 1, 0)
    assert (second["day"], second["known"], second["there"]) == ("2026-11-20", 2, 0)


def test_facts_that_the_archive_lacks_are_counted_too(writer_rig, night, archive):
    writer_rig.store().keep([fact(1), fact(2)])
    night()
    for path in archive.folder.rglob("FactEvent/**/*.gz"):
        path.unlink()
    next_night(writer_rig)
    assert night() == "checked:2_missing"
    (entry,) = writer_rig.log.of("facts.difference")
    assert entry["sink"] == "archive"


def test_a_compacted_archive_is_counted_and_what_it_lost_is_missed(writer_rig, night, archive):
    for number in range(3):
        writer_rig.store().keep([fact(number)])
        writer_rig.run(writer_rig.writer(archives=[archive]))
    for _ in range(2):
        for partition in archive.partitions():
            archive.compact(partition, before=2e10)
    (day,) = archive.partitions(f"{FACT_EVENT}/")
    assert night() == "checked:0_missing"

    archive.delete(day.parts[0].name)
    next_night(writer_rig)
    assert night() == "checked:3_missing"


def test_a_dataset_that_may_not_be_queried_is_no_difference(writer_rig, night):
    writer_rig.powerbi.set_modes(queries_allowed=False)
    writer_rig.store().keep([fact(1)])
    assert night() == "checked:0_missing"


def test_a_night_whose_check_cannot_be_made_is_tried_again(writer_rig, night):
    writer_rig.store().keep([fact(1)])
    writer_rig.powerbi.fault("status", operation="execute_queries", status=503)
    assert night().startswith("waiting:powerbi")
    assert night() == "checked:0_missing"


def test_a_night_measures_the_share_of_a_day_that_had_another_form(writer_rig, night):
    changed = Happening(marks=(Mark.TIME_IN_OTHER_FORM, Mark.ZONE_MISSING))
    known = Happening(marks=(Mark.ZONE_MISSING,))
    writer_rig.store().keep([fact(n, happening=known) for n in range(100, 110)])
    writer_rig.store().keep([fact(n, happening=changed) for n in range(5)])
    night()
    assert ("mw.facts.drift_percent", 33, {"source": "ALOWARE"}) in writer_rig.log.metrics
    writer_rig.log.metrics.clear()
    next_night(writer_rig)
    night()
    assert "mw.facts.drift_percent" not in {name for name, *_ in writer_rig.log.metrics}
