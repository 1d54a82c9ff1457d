"""The operator's commands of the facts."""

import os

import pytest

from chalicelib import settings
from chalicelib.facts.dataset import DIM_METRIC, definition
from chalicelib.wiring import Services
from ops.facts import commands as ops_facts
from ops.running import run as run_app


def test_the_operator_commands_of_facts(facts_rig, app_environment, capsys, tmp_path):
    parts = Services(settings.load(app_environment))
    number = facts_rig.aloware.call()
    facts_rig.work()
    run = lambda *words: run_app(ops_facts.app, list(words), parts)  # noqa: E731

    assert run("pending") == 0
    assert f"1 facts pending; the oldest is ALOWARE:{number}" in capsys.readouterr().out
    facts_rig.post()
    assert run("create") == 0
    assert "Quill_Agent_Realtime exists" in capsys.readouterr().out
    assert run("create", "--again") == 0
    made = capsys.readouterr().out.strip().splitlines()[-1].removeprefix("POWERBI_DATASET_ID=")
    assert run("rebuild", "--dataset", made) == 0
    assert "nothing was changed; --apply does it" in capsys.readouterr().out
    assert facts_rig.powerbi.rows(made, "FactEvent") == []
    assert run("rebuild", "--dataset", made, "--apply") == 0
    assert [row["EventID"] for row in facts_rig.powerbi.rows(made, "FactEvent")] == [
        f"ALOWARE:{number}"
    ]
    archive = app_environment["FACTS_FOLDER"]
    assert run("rebuild", "--dataset", made, "--apply", "--archive", archive) == 0
    assert len(facts_rig.powerbi.rows(made, "FactEvent")) == 1
    assert run("seed") == 0
    assert len(facts_rig.rows(DIM_METRIC)) == 4
    acts = [act["action_type"] for act in parts.journal.story("facts:dataset")]
    assert acts == ["facts create", "facts rebuild", "facts rebuild", "facts seed"]
    capsys.readouterr()
    assert run("explain", f"ALOWARE:{number}") == 0
    assert "posted" in capsys.readouterr().out
    assert run("explain", "ALOWARE:none") == 1


@pytest.fixture
def run(facts_rig, app_environment, capsys):
    """A command of `python -m ops facts` after one fact was posted; returns code and output."""
    facts_rig.aloware.call()
    facts_rig.work()
    facts_rig.post()

    def command(*words):
        parts = Services(settings.load({**app_environment, **os.environ}))
        code = run_app(ops_facts.app, list(words), parts)
        return code, capsys.readouterr().out

    return command


def test_a_typo_in_the_dataset_changes_nothing(facts_rig, run):
    """It blocked the writer: the rebuild was noted before anything had looked at the dataset."""
    code, text = run("rebuild", "--apply", "--dataset", "typo")

    assert code == 1
    assert "the workspace has no such dataset" in text
    facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["posted"] == 1


def test_facts_that_cannot_be_put_back_are_not_deleted_unless_the_loss_is_accepted(
    facts_rig, run, tmp_path
):
    """The ledger forgets after its retention, and this stage's archive was lost."""
    lost = {**facts_rig.rows()[0], "EventID": "ALOWARE:forgotten"}
    client = facts_rig.app.services().posting.powerbi(facts_rig.dataset)
    client.append("FactEvent", 1, [lost], deadline_seconds=5)

    code, text = run("rebuild", "--apply")
    assert code == 1
    assert "1 facts of the dataset could not be put back" in text
    assert len(facts_rig.rows()) == 2

    code, _ = run("rebuild", "--apply", "--accept-loss")
    assert code == 0
    assert len(facts_rig.rows()) == 1


def test_facts_that_only_the_archive_remembers_are_put_back(facts_rig, run):
    (posted,) = facts_rig.rows()
    table = facts_rig.stage.tables["QuillLedgerTable"]
    facts_rig.stage.aws.client("dynamodb").delete_item(
        TableName=table, Key={"pk": {"S": posted["EventID"]}}
    )

    assert run("rebuild", "--apply")[0] == 0
    assert facts_rig.rows() == [posted]


def test_a_dataset_that_cannot_be_counted_needs_the_loss_accepted(facts_rig, run):
    facts_rig.powerbi.set_modes(queries_allowed=False)
    code, text = run("rebuild", "--apply")
    assert code == 1
    assert "cannot be counted" in text
    assert run("rebuild", "--apply", "--accept-loss")[0] == 0


def test_a_dataset_without_a_column_is_named(facts_rig, run):
    schema = definition()
    schema["tables"][0]["columns"] = schema["tables"][0]["columns"][:-1]
    other = facts_rig.powerbi.create_dataset(schema)
    code, text = run("rebuild", "--dataset", other)
    assert code == 1
    assert "no column FactEvent[Notes]" in text


def test_the_check_names_the_day_that_the_dataset_lacks(facts_rig, run):
    assert run("check")[0] == 0
    client = facts_rig.app.services().posting.powerbi(facts_rig.dataset)
    client.clear("FactEvent", deadline_seconds=5)
    code, text = run("check")
    assert code == 1
    assert "dataset  has 0 of 1" in text


def test_marks_are_shown_by_the_check_and_explained(facts_rig, run):
    number = facts_rig.aloware.call(created_at=1795217400)
    facts_rig.work()
    facts_rig.post()
    assert "1 of 2 facts of a day had another form" in run("check")[1]
    assert "time_in_other_form: its time was read from another form" in run("check")[1]
    assert '"time_in_other_form": 1' in run("check", "--json")[1]
    assert "its time was read from another form" in run("explain", f"ALOWARE:{number}")[1]
