"""`ops facts rebuild --to onelake`: every stored fact again, once, and nothing cleared meanwhile."""

import os

import pytest

from chalicelib import settings
from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.wiring import Services
from ops.facts import commands as ops_facts
from ops.facts import republish
from ops.running import run as run_app
from tests.rigs.fact_writer import fact


@pytest.fixture
def run(facts_rig, mirrored, app_environment, capsys):
    """A command of `python -m ops facts` after three facts were posted; returns code and output."""

    def command(*words):
        parts = Services(settings.load({**app_environment, **os.environ}))
        code = run_app(ops_facts.app, list(words), parts)
        said = capsys.readouterr()
        return code, said.out + said.err

    command("create")
    for _ in range(3):
        facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()
    return command


def test_a_plan_changes_nothing(run, mirrored):
    mirrored.forget_calls()
    code, text = run("rebuild", "--to", "onelake")
    assert (code, "to be published 3\nnothing was changed" in text) == (0, True)
    assert "rename" not in mirrored.count()


def test_every_fact_and_dimension_is_there_once_after_a_rebuild(run, mirrored, facts_rig):
    before = {table: mirrored.rows(table) for table in ("FactEvent", "DimAgent", "DimMetric")}
    assert run("rebuild", "--to", "onelake", "--apply")[0] == 0

    assert {table: mirrored.rows(table) for table in before if table != "DimMetric"} == {
        table: rows for table, rows in before.items() if table != "DimMetric"
    }
    assert len(mirrored.rows("DimMetric")) == 4
    assert mirrored.stopped() == {}
    facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["outcome"] == "posted"


def test_facts_that_only_the_archive_remembers_are_put_back(run, mirrored, facts_rig):
    rows = mirrored.rows("FactEvent")
    table = facts_rig.stage.tables["QuillLedgerTable"]
    client = facts_rig.stage.aws.client("dynamodb")
    for row in rows:
        client.delete_item(TableName=table, Key={"pk": {"S": row["EventID"]}})
    mirrored.drop("FactEvent")
    run("create")

    assert run("rebuild", "--to", "onelake", "--apply")[0] == 0
    assert mirrored.rows("FactEvent") == rows


def test_an_interrupted_rebuild_is_run_again(onelake_rig, onelake, monkeypatch):
    monkeypatch.setattr(republish, "ROWS_PER_FILE", 2)
    facts = [fact(number) for number in range(5)]
    sink = onelake_rig.onelake_sink()

    def rebuild():
        return republish.Republish(
            ledger=onelake_rig.ledger(),
            registry=onelake_rig.store(),
            sink=sink,
            runtime=onelake_rig.writer(onelake=True).runtime,
        ).run(lambda: facts, time_left_seconds=lambda: 300.0)

    onelake.fault("act_then_drop", operation="rename", skip=1)
    assert rebuild().outcome.startswith("failed:onelake")
    assert rebuild() == republish.Republished(facts=5, files=3)
    assert len(onelake.rows(FACT_EVENT)) == 5
    assert onelake.stopped() == {}


def test_a_rebuild_waits_for_an_open_batch(onelake_rig, onelake):
    onelake_rig.store().keep([fact(1)])
    onelake_rig.run(onelake_rig.writer(onelake=True))
    onelake_rig.store().keep([fact(2)])
    onelake.fault("status", operation="rename", status=503, times=None)
    onelake_rig.run(onelake_rig.writer(onelake=True))
    done = republish.Republish(
        ledger=onelake_rig.ledger(),
        registry=onelake_rig.store(),
        sink=onelake_rig.onelake_sink(),
        runtime=onelake_rig.writer(onelake=True).runtime,
    ).run(list, time_left_seconds=lambda: 300.0)
    assert done.outcome == "open_batch"
