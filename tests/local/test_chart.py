"""The chart of facts per agent and day."""

from collections import Counter

import pytest

from local import chart
from local.vendors import hubspot


@pytest.fixture
def aws(memory_aws):
    return memory_aws


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


def test_the_simulated_dataset_is_drawn_over_http(facts_rig, capsys, tmp_path):
    facts_rig.aloware.call(owner_id=101)
    facts_rig.work()
    facts_rig.post()
    out = ("--out", str(tmp_path / "x.svg"))
    assert chart.main(["--powerbi", facts_rig.powerbi.url, *out]) == 0
    assert "2026-11-20  101  c 1" in capsys.readouterr().out
    assert chart.main(["--powerbi", "http://127.0.0.1:9", *out]) == 1
    assert "no simulated Power BI" in capsys.readouterr().err


def test_expected_figures_are_beside_the_counted_ones():
    there = Counter({("2026-11-20", "101", "CALLS"): 2, ("2026-11-20", "103", "TEXTS"): 1})
    wanted = Counter({("2026-11-20", "101", "CALLS"): 2, ("2026-11-20", "102", "CASES"): 3})

    shown = chart.as_text(there, wanted)
    assert "101  cc 2, as expected" in shown
    assert "102   0, expected CASES 3" in shown
    assert "103  t 1, expected none" in shown
    assert chart.differences(there, wanted) == [
        "2026-11-20 102 CASES: 0 instead of 3",
        "2026-11-20 103 TEXTS: 1 instead of 0",
    ]
    assert chart.differences(wanted, wanted) == []
    assert chart.as_svg(there, wanted).count(f'fill="{chart.WRONG}"') == 2
    assert f'fill="{chart.WRONG}"' not in chart.as_svg(there)
