"""The operator's commands of the facts."""

from chalicelib import settings
from chalicelib.facts.dataset import DIM_METRIC
from chalicelib.wiring import Services
from ops.facts import commands as ops_facts


def test_the_operator_commands_of_facts(facts_rig, app_environment, capsys, tmp_path):
    parts = Services(settings.load(app_environment))
    number = facts_rig.aloware.call()
    facts_rig.work()
    run = lambda *words: ops_facts.main(list(words), parts)  # noqa: E731

    assert run("pending") == 0
    assert f"1 facts pending; the oldest is ALOWARE:{number}" in capsys.readouterr().out
    facts_rig.post()
    assert run("create") == 0
    assert "Quill_Agent_Realtime exists" in capsys.readouterr().out
    assert run("create", "--again") == 0
    made = capsys.readouterr().out.strip().splitlines()[-1].removeprefix("POWERBI_DATASET_ID=")
    assert run("rebuild", "--dataset", made) == 0
    assert [row["EventID"] for row in facts_rig.powerbi.rows(made, "FactEvent")] == [
        f"ALOWARE:{number}"
    ]
    archive = app_environment["FACTS_FOLDER"]
    assert run("rebuild", "--dataset", made, "--archive", archive) == 0
    assert len(facts_rig.powerbi.rows(made, "FactEvent")) == 1
    assert run("seed") == 0
    assert len(facts_rig.rows(DIM_METRIC)) == 4
    capsys.readouterr()
    assert run("explain", f"ALOWARE:{number}") == 0
    assert "posted" in capsys.readouterr().out
    assert run("explain", "ALOWARE:none") == 1
