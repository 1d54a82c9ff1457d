"""The chart of facts per agent and day."""

from local import chart
from local.vendors import hubspot


def test_the_chart_shows_facts_per_agent_and_day(facts_rig, capsys, tmp_path):
    facts_rig.aloware.call(owner_id=101)
    facts_rig.hubspot.send([hubspot.event() for _ in range(3)])
    facts_rig.work()
    facts_rig.post()
    picture = tmp_path / "facts.svg"
    assert chart.main(["--folder", str(facts_rig.files.folder), "--out", str(picture)]) == 0

    shown = capsys.readouterr().out
    assert "2026-11-20  101           c 1" in shown
    assert "2025-11-20  hubspot:5001  sss 3" in shown
    assert picture.read_text().count("<title>CASES 3</title>") == 1


def test_an_empty_chart_says_so(tmp_path, capsys):
    assert chart.main(["--folder", str(tmp_path), "--out", str(tmp_path / "x.svg")]) == 0
    assert "no facts yet" in capsys.readouterr().out
