"""A thousand facts in every sink, each once, under crashes, lost answers and refusals."""

import random
from collections import Counter
from datetime import UTC, datetime

import pytest

from chalicelib.errors import TransientError
from chalicelib.facts.dataset import (
    DIM_AGENT,
    DIM_DATE,
    DIM_METRIC,
    FACT_EVENT,
    fact_row,
    full_row,
)
from chalicelib.facts.model import Agent, Happening, Metric
from chalicelib.facts.posting import writer_state
from chalicelib.facts.posting.ndjson import FileRows
from tests.rigs.fact_writer import Crash, CrashingClient, fact
from tests.rigs.memory_stage import ON_BOTH

LANDED = 1400
STEPS = ("look", "create_file", "append", "flush", "rename", "read", "list", "token")
FACTS = [
    fact(
        number,
        agent_id=str(101 + number % 7),
        date=f"2026-11-{1 + number % 20:02}",
        metric=list(Metric)[number % 4],
        happening=Happening(
            at=datetime(2026, 11, 1 + number % 20, 17, 29, number % 60, tzinfo=UTC),
            timezone="America/Denver",
            seconds=number,
            channel="call",
            outcome="completed" if number % 3 else "",
        ),
    )
    for number in range(1000)
]


def alike(row):
    """A row in the form that all lasting sinks share: without empty values, with times in seconds."""
    shown = {name: value for name, value in row.items() if value not in ("", None)}
    if "OccurredAt" in shown:
        shown["OccurredAt"] = shown["OccurredAt"][:19]
    return shown


ROWS = {fact.key: alike(full_row(fact)) for fact in FACTS}


def archived(archive):
    return {row["EventID"]: alike(row) for row in archive.read(FACT_EVENT)}


def mirrored(onelake, table=FACT_EVENT, key="EventID"):
    found = onelake.rows(table)
    assert len(found) == len({row[key] for row in found})
    return {row[key]: alike(row) for row in found}


@ON_BOTH
@pytest.mark.parametrize("with_dataset", [True, False], ids=["with a dataset", "without"])
def test_a_thousand_facts_are_once_in_every_sink_whatever_fails(
    writer_rig, onelake, tmp_path, with_dataset
):
    """In each run the dataset, OneLake or the process fails somewhere; the next run goes on."""
    writer_rig.onelake = onelake
    writer_rig.make_tables()
    if not with_dataset:
        writer_rig.dataset = None
    archive, chance = FileRows(tmp_path / "archive"), random.Random(11)
    crashes, stolen = 0, Counter()

    def run(client=None):
        made = writer_rig.writer(client, rows_per_post=20, archives=[archive], onelake=True)
        return writer_rig.run(made)

    for start in range(0, 1000, 50):
        writer_rig.store().keep(FACTS[start : start + 50])
        for operation in chance.sample(STEPS, 3):
            kind = chance.choice(("drop", "act_then_drop", "status", "act_then_status"))
            status = chance.choice((429, 503, 500))
            onelake.fault(kind, operation=operation, status=status, skip=chance.randrange(3))
            stolen[kind] += 1
        writer_rig.powerbi.fault(
            chance.choice(("act_then_drop", "drop", "status")),
            operation="post_rows",
            skip=chance.randrange(3),
        )
        dying = CrashingClient(
            writer_rig.client, at=chance.randrange(5, 50), is_after=chance.random() < 0.5
        )
        for client in (dying, None):
            try:
                run(client)
            except Crash:
                crashes += 1
            writer_rig.clock.forward(LANDED)
    onelake.clear_faults()
    writer_rig.powerbi.clear_faults()
    for _ in range(8):
        run()
        writer_rig.clock.forward(LANDED)

    assert crashes > 8
    assert len(stolen) == 4
    assert onelake.stopped() == {}
    assert set(writer_rig.statuses(ROWS).values()) == {"posted"}
    assert mirrored(onelake) == archived(archive) == ROWS
    if with_dataset:
        there = {row["EventID"]: row for row in writer_rig.rows()}
        assert there == {fact.key: fact_row(fact) for fact in FACTS}
    assert set(mirrored(onelake, DIM_AGENT, "AgentID")) == {str(101 + n) for n in range(7)}
    assert set(mirrored(onelake, DIM_METRIC, "MetricID")) == {metric.value for metric in Metric}
    assert len(mirrored(onelake, DIM_DATE, "Date")) == 365


@ON_BOTH
def test_a_crash_at_any_call_leaves_each_batch_in_onelake_once_and_in_order(onelake_rig, tmp_path):
    archive, onelake, crashes, made = FileRows(tmp_path), onelake_rig.onelake, 0, set()
    for at in range(1, 200):
        finished = 0
        for is_after in (False, True):
            key = f"{at}-{is_after}"
            made.add(f"ALOWARE:{key}")
            onelake_rig.store().keep([fact(key)])
            client = CrashingClient(onelake_rig.client, at=at, is_after=is_after)
            try:
                onelake_rig.run(onelake_rig.writer(client, archives=[archive], onelake=True))
                finished += 1
            except Crash:
                crashes += 1
            for wait in (600, LANDED, 0):
                onelake_rig.clock.forward(wait)
                onelake_rig.run(onelake_rig.writer(archives=[archive], onelake=True))
            assert set(mirrored(onelake)) == set(archived(archive)) == made
            assert onelake.last_file(FACT_EVENT) == len(made)
        if finished == 2:
            break
    assert crashes > 20
    assert onelake.stopped() == {}


@ON_BOTH
def test_a_row_that_the_dataset_refuses_is_in_no_other_sink(writer_rig, onelake, tmp_path):
    writer_rig.onelake = onelake
    writer_rig.make_tables()
    archive = FileRows(tmp_path)
    writer_rig.store().keep([fact(1), fact(2, notes="x" * 5000), fact(3)])
    for _ in range(4):
        writer_rig.run(writer_rig.writer(archives=[archive], onelake=True))
        writer_rig.clock.forward(LANDED)

    assert set(mirrored(onelake)) == set(archived(archive)) == {"ALOWARE:1", "ALOWARE:3"}
    assert writer_rig.statuses(["ALOWARE:2"]) == {"ALOWARE:2": "failed"}


@ON_BOTH
def test_facts_wait_while_onelake_is_away_and_then_go_on(onelake_rig, tmp_path):
    onelake = onelake_rig.onelake
    onelake_rig.store().keep([fact(1)])
    onelake.set_modes(has_database=False)
    writer = onelake_rig.writer(archives=[FileRows(tmp_path)], onelake=True)
    assert onelake_rig.run(writer).outcome == "waiting:onelake_no_table"
    onelake.set_modes(has_database=True)
    onelake.set_modes(allowed=False)
    assert onelake_rig.run(writer).outcome.startswith("waiting:onelake")
    onelake.set_modes(allowed=True)
    onelake_rig.run(writer)

    assert set(mirrored(onelake)) == {"ALOWARE:1"}
    assert onelake_rig.statuses(["ALOWARE:1"]) == {"ALOWARE:1": "posted"}


@ON_BOTH
def test_a_name_that_no_directory_has_any_more_is_gone_from_onelake_after_the_night(
    onelake_rig, tmp_path
):
    archives, onelake = [FileRows(tmp_path)], onelake_rig.onelake
    onelake_rig.agents = {"101": Agent("101", "Ada Example", "ada@example.com")}
    onelake_rig.store().keep([fact(1)])
    onelake_rig.run(onelake_rig.writer(archives=archives, onelake=True))
    assert mirrored(onelake, DIM_AGENT, "AgentID")["101"]["AgentName"] == "Ada Example"

    onelake_rig.agents = {}
    writer = onelake_rig.writer(archives=archives, onelake=True)
    assert writer.refresh(time_left_seconds=lambda: 230.0) == "refreshed"

    found = mirrored(onelake, DIM_AGENT, "AgentID")["101"]
    assert (found["AgentName"], "Email" in found) == ("101", False)
    assert mirrored(onelake).keys() == {"ALOWARE:1"}


class Away(FileRows):
    """An archive whose storage answers nothing while `is_away`, and takes `seconds` for a file of facts."""

    is_away = False
    seconds, clock = 0.0, None

    def put(self, name, body):
        if self.seconds and name.startswith(FACT_EVENT):
            self.clock.forward(self.seconds)
        if self.is_away:
            raise TransientError("s3", "put_object", reason="SlowDown")
        super().put(name, body)


def all_sinks(rig, onelake, folder):
    """The archive, and a function that runs a writer of 20 rows a batch into every sink."""
    rig.onelake = onelake
    rig.make_tables()
    archive = Away(folder)

    def run():
        made = rig.writer(rows_per_post=20, archives=[archive], onelake=True)
        return rig.run(made)

    return archive, run


@ON_BOTH
@pytest.mark.parametrize("away", ["onelake", "archive"])
def test_a_sink_that_is_away_owes_its_batches_and_holds_up_no_other(
    writer_rig, onelake, tmp_path, monkeypatch, away
):
    archive, run = all_sinks(writer_rig, onelake, tmp_path)
    writer_rig.store().keep(FACTS[:10])
    assert run().outcome == "posted"
    monkeypatch.setattr(Away, "is_away", away == "archive")
    if away == "onelake":
        onelake.fault("status", status=503, times=None)

    for start in range(10, 310, 50):
        writer_rig.store().keep(FACTS[start : start + 50])
        assert (
            run().outcome == f"waiting:{'s3_SlowDown' if away == 'archive' else 'onelake_http_503'}"
        )
        writer_rig.clock.forward(120)

    keys = {fact.key for fact in FACTS[:310]}
    before = {fact.key for fact in FACTS[:10]}
    assert set(writer_rig.ids()) == keys
    assert set(archived(archive)) == (before if away == "archive" else keys)
    assert set(mirrored(onelake)) == (before if away == "onelake" else keys)
    owed = writer_rig.statuses(keys - before)
    assert set(owed.values()) == {"pending"}, "no fact is final that a sink lacks"

    monkeypatch.setattr(Away, "is_away", False)
    onelake.clear_faults()
    calls = len(writer_rig.powerbi.calls_of("post_rows"))
    writer_rig.clock.forward(LANDED)
    assert (run().posted, run().outcome) == (300, "idle")
    assert len(writer_rig.powerbi.calls_of("post_rows")) == calls
    assert set(archived(archive)) == set(mirrored(onelake)) == keys
    assert set(writer_rig.ids().values()) == {1}
    assert onelake.last_file(FACT_EVENT) == 1 + 6 * 3, "each batch is one file"
    assert set(writer_rig.statuses(keys).values()) == {"posted"}


@ON_BOTH
def test_what_is_owed_is_bounded_by_the_writers_row_and_then_every_sink_waits(
    writer_rig, onelake, tmp_path, monkeypatch
):
    archive, run = all_sinks(writer_rig, onelake, tmp_path)
    monkeypatch.setattr(writer_state, "_PLAN_CHARACTERS", 600)
    onelake.fault("status", status=503, times=None)
    writer_rig.store().keep(FACTS[:200])
    for _ in range(3):
        assert run().outcome.startswith("waiting:onelake")
        writer_rig.clock.forward(120)
    assert 20 <= len(archived(archive)) < 200
    assert set(writer_rig.ids()) == set(archived(archive))

    onelake.clear_faults()
    for _ in range(8):
        writer_rig.clock.forward(LANDED)
        run()
    assert len(mirrored(onelake)) == len(archived(archive)) == 200
    assert set(writer_rig.ids().values()) == {1}


@ON_BOTH
def test_a_sink_that_asked_for_no_calls_gets_none_until_then(writer_rig, onelake, tmp_path):
    archive, run = all_sinks(writer_rig, onelake, tmp_path)
    onelake.fault("status", status=503, headers={"Retry-After": "600"}, times=None)
    writer_rig.store().keep(FACTS[:5])
    run()
    onelake.forget_calls()
    writer_rig.clock.forward(60)
    writer_rig.store().keep(FACTS[5:10])
    assert run().outcome == "waiting:asked_to"
    assert onelake.calls == ()
    assert len(archived(archive)) == 10


@ON_BOTH
def test_small_batches_that_a_sink_owes_become_few(writer_rig, onelake, tmp_path):
    archive, run = all_sinks(writer_rig, onelake, tmp_path)
    onelake.fault("status", status=503, times=None)
    for item in FACTS[:30]:
        writer_rig.store().keep([item])
        run()
        writer_rig.clock.forward(60)
    assert len(archived(archive)) == 30
    onelake.clear_faults()
    writer_rig.clock.forward(LANDED)
    assert run().posted == 30
    assert set(mirrored(onelake)) == set(archived(archive))
    assert onelake.last_file(FACT_EVENT) == 3, "1, 20 and 9 facts"
    assert set(writer_rig.ids().values()) == {1}


@ON_BOTH
def test_a_run_keeps_half_its_time_for_new_facts_while_a_sink_catches_up(
    writer_rig, onelake, tmp_path, monkeypatch
):
    archive, run = all_sinks(writer_rig, onelake, tmp_path)
    facts = [fact(number) for number in range(320)]
    run()
    monkeypatch.setattr(Away, "is_away", True)
    for start in range(0, 240, 20):
        writer_rig.store().keep(facts[start : start + 20])
        run()
        writer_rig.clock.forward(60)
    monkeypatch.setattr(Away, "is_away", False)
    monkeypatch.setattr(Away, "seconds", 20.0)
    monkeypatch.setattr(Away, "clock", writer_rig.clock)
    writer_rig.store().keep(facts[240:])

    ends = writer_rig.clock.monotonic() + 230
    writer = writer_rig.writer(rows_per_post=20, archives=[archive], onelake=True)
    summary = writer.run(time_left_seconds=lambda: ends - writer_rig.clock.monotonic())

    assert summary.outcome == "waiting:behind"
    assert set(writer_rig.ids()) == set(mirrored(onelake)) == {fact.key for fact in facts}
    assert ends - writer_rig.clock.monotonic() > 0
    assert len(archived(archive)) == 180, "six batches before the new facts, three after them"

    monkeypatch.setattr(Away, "seconds", 0.0)
    run()
    assert set(archived(archive)) == {fact.key for fact in facts}
    assert set(writer_rig.ids().values()) == {1}
