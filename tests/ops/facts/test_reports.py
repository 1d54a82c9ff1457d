"""`ops facts create`: the tables in OneLake and the push dataset, each made once."""

import os

import pytest

from chalicelib import settings
from chalicelib.wiring import Services
from ops.facts import commands as ops_facts
from ops.running import run as run_app


@pytest.fixture
def run(facts_rig, app_environment, capsys):
    """A command of `python -m ops facts`; returns code and output."""

    def command(*words):
        parts = Services(settings.load({**app_environment, **os.environ}))
        code = run_app(ops_facts.app, list(words), parts)
        said = capsys.readouterr()
        return code, said.out + said.err

    return command


def test_tables_are_made_once_and_facts_are_posted_without_a_dataset(mirrored, facts_rig, run):
    number = facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["outcome"] == "waiting:onelake_no_table"

    code, text = run("create")
    assert (code, "DimAgent" in text, "FactEvent" in text) == (0, True, True)
    assert "tables made in OneLake: none, all are there" in run("create")[1]
    assert facts_rig.post()["outcome"] == "posted"

    (row,) = mirrored.rows("FactEvent")
    assert row["EventID"] == f"ALOWARE:{number}"
    assert [row["EventID"] for row in facts_rig.files.read("FactEvent")] == [f"ALOWARE:{number}"]
    assert facts_rig.powerbi.calls == ()
    assert mirrored.stopped() == {}


def test_without_a_database_facts_wait_and_say_why(mirrored, facts_rig, monkeypatch):
    monkeypatch.setenv("FABRIC_DATABASE_ID", "")
    facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["outcome"] == "held:no_onelake"


def test_a_dataset_that_power_bi_makes_no_more_is_said_with_the_way_out(facts_rig, run):
    facts_rig.powerbi.set_modes(makes_datasets=False)
    code, text = run("create", "--again")
    assert code != 0
    assert "FACTS_REPORT=onelake" in text
    assert "2027-10-31" in text


def test_an_application_that_is_no_member_of_the_workspace_is_sent_there(facts_rig, run):
    facts_rig.powerbi.set_modes(allowed=False)
    code, text = run("create")
    assert (code, "POWERBI_WORKSPACE_ID" in text, "secret" in text) == (1, True, False)


def test_without_a_workspace_the_variable_is_named(facts_rig, run, monkeypatch):
    monkeypatch.setenv("POWERBI_WORKSPACE_ID", "")
    code, text = run("create")
    assert (code, "POWERBI_WORKSPACE_ID is not set" in text) == (2, True)


def test_a_table_whose_folder_was_deleted_is_made_and_filled_again(mirrored, facts_rig, run):
    run("create")
    keys = {f"ALOWARE:{facts_rig.aloware.call()}" for _ in range(3)}
    facts_rig.work()
    facts_rig.post()
    mirrored.drop("FactEvent")
    code, text = run("check")
    assert (code, "onelake     FactEvent: no_table" in text) == (1, True)

    assert "tables made in OneLake: FactEvent\n" in run("create")[1]
    assert run("rebuild", "--to", "onelake", "--apply")[0] == 0
    assert {row["EventID"] for row in mirrored.rows("FactEvent")} == keys
    assert run("check")[0] == 0
