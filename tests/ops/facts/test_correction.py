"""Correcting a stored fact: the archive has it at once, the dataset after a rebuild."""

import os

import pytest

from chalicelib import settings
from chalicelib.wiring import Services
from local import chart
from ops.facts import commands as ops_facts
from ops.running import run as run_app


@pytest.fixture
def run(facts_rig, app_environment, capsys):
    """A command of `python -m ops facts`; returns code and output."""

    def command(*words):
        parts = Services(settings.load({**app_environment, **os.environ}))
        code = run_app(ops_facts.app, list(words), parts)
        return code, capsys.readouterr().out

    return command


@pytest.fixture
def calls(facts_rig):
    """Two calls that have been posted; their keys."""
    numbers = [facts_rig.aloware.call() for _ in range(2)]
    facts_rig.work()
    facts_rig.post()
    return [f"ALOWARE:{number}" for number in numbers]


def rows(rows_of_a_sink):
    """Agent, day and metric of each fact; the newest row of each counts."""
    return {
        row["EventID"]: (row["AgentID"], row["FactDateKey"][:10], row["MetricID"])
        for row in rows_of_a_sink
    }


def test_a_corrected_fact_is_in_the_archive_at_once_and_in_the_dataset_after_a_rebuild(
    facts_rig, run, calls
):
    first, second = calls
    was, now = ("101", "2026-11-20", "CALLS"), ("102", "2026-11-19", "TEXTS")
    changes = ("--agent", now[0], "--date", now[1], "--metric", now[2])

    assert run("correct", first, *changes)[0] == 0

    assert rows(facts_rig.files.read("FactEvent")) == {first: now, second: was}
    assert rows(facts_rig.rows()) == {first: was, second: was}
    assert {row["AgentID"] for row in facts_rig.files.read("DimAgent")} == {"101", "102"}
    code, text = run("check")
    assert code == 1
    assert "1 corrected facts reach the dataset with a rebuild" in text
    assert run("rebuild", "--apply")[0] == 0
    assert rows(facts_rig.rows()) == {first: now, second: was}
    assert set(facts_rig.ids().values()) == {1}
    assert run("check")[0] == 0


def test_a_fact_whose_day_is_corrected_twice_is_not_lost_by_a_rebuild(facts_rig, run, calls):
    for first, later in [("2026-11-19", "2026-11-18"), ("2026-11-17", "2026-11-16")]:
        for date in (first, later):
            assert run("correct", calls[0], "--date", date)[0] == 0
        assert "lost            0" in run("rebuild")[1]
        assert run("rebuild", "--apply")[0] == 0
        assert rows(facts_rig.rows())[calls[0]][1] == later
    assert not {"stale", "stale_date"} & facts_rig.facts()[calls[0]].keys()


def test_a_fact_that_no_one_holds_is_lost_though_another_was_corrected(facts_rig, run, calls):
    assert run("correct", calls[0], "--date", "2026-11-19")[0] == 0
    client = facts_rig.app.services().posting.powerbi(facts_rig.dataset)
    unknown = {**facts_rig.rows()[0], "EventID": "ALOWARE:forgotten"}
    client.append("FactEvent", 1, [unknown], deadline_seconds=5)
    code, text = run("rebuild", "--apply")
    assert (code, "1 facts of the dataset could not be put back" in text) == (1, True)


def test_the_row_keeps_the_former_values_and_who_corrected_them(facts_rig, run, calls):
    for agent in ("102", "103"):
        assert run("correct", calls[0], "--agent", agent)[0] == 0
    row = facts_rig.facts()[calls[0]]
    assert row["agent"] == "103"
    assert [correction["agent"] for correction in row["corrections"]] == ["101", "102"]
    for correction in row["corrections"]:
        assert correction["by"]
        assert correction["at"].startswith("20")
        assert (correction["date"], correction["metric"]) == ("2026-11-20", "CALLS")
    assert "103" in run("explain", calls[0])[1]
    assert "corrections" not in facts_rig.facts()[calls[1]]


def test_a_pending_fact_is_posted_with_its_new_values(facts_rig, run):
    key = f"ALOWARE:{facts_rig.aloware.call()}"
    facts_rig.work()
    assert run("correct", key, "--metric", "TEXTS")[0] == 0
    assert rows(facts_rig.files.read("FactEvent")) == {}
    facts_rig.post()
    wanted = {key: ("101", "2026-11-20", "TEXTS")}
    assert rows(facts_rig.rows()) == rows(facts_rig.files.read("FactEvent")) == wanted
    assert run("check")[0] == 0
    (entry,) = facts_rig.facts()[key]["corrections"]
    assert entry["metric"] == "CALLS"


def test_a_later_delivery_does_not_undo_a_correction(facts_rig, run, calls):
    number = int(calls[0].partition(":")[2])
    assert run("correct", calls[0], "--agent", "102")[0] == 0
    facts_rig.aloware.call(id=number)
    facts_rig.work()
    facts_rig.post()
    assert rows(facts_rig.files.read("FactEvent"))[calls[0]][0] == "102"


def test_a_batch_that_is_open_is_never_changed(facts_rig, run):
    """Its number names its rows: they are posted again as they were."""
    key = f"ALOWARE:{facts_rig.aloware.call()}"
    facts_rig.work()
    facts_rig.powerbi.fault("act_then_drop", operation="post_rows", skip=3)
    facts_rig.post()
    code, text = run("correct", key, "--agent", "102")
    assert (code, "open_batch" in text) == (1, True)
    assert facts_rig.facts()[key]["agent"] == "101"


def test_an_archive_that_fails_is_written_by_the_repetition(facts_rig, run, calls):
    folder = facts_rig.files.folder / "FactEvent"
    folder.rename(folder.with_name("away"))
    folder.write_text("a file where the folder was")
    code, text = run("correct", calls[0], "--agent", "102")
    assert (code, "run it again" in text) == (1, True)
    folder.unlink()
    folder.with_name("away").rename(folder)
    assert run("correct", calls[0], "--agent", "102")[0] == 0
    assert rows(facts_rig.files.read("FactEvent"))[calls[0]][0] == "102"
    facts_rig.aloware.call()
    facts_rig.work()
    assert facts_rig.post()["posted"] == 1


def test_the_corrected_day_is_the_reports(facts_rig, run, calls):
    assert run("correct", calls[0], "--date", "2026-11-19")[0] == 0
    cells = chart.counted(facts_rig.files.read("FactEvent"))
    assert cells == {("2026-11-19", "101", "CALLS"): 1, ("2026-11-20", "101", "CALLS"): 1}


@pytest.mark.parametrize(
    "words",
    [
        (),
        ("--agent", "two words"),
        ("--agent", ""),
        ("--date", "20.11.2026"),
        ("--date", "1999-01-01"),
        ("--metric", "FAXES"),
    ],
)
def test_rubbish_is_refused_and_changes_nothing(facts_rig, run, calls, words):
    before = facts_rig.facts()
    assert run("correct", calls[0], *words)[0] == 2
    assert facts_rig.facts() == before


def test_an_unknown_or_uncounted_fact_is_refused(facts_rig, run, calls):
    assert run("correct", "ALOWARE:none", "--agent", "102")[0] == 1
    assert run("correct", "WRITER:facts", "--agent", "102")[0] == 1
