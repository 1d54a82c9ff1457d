"""Schedules that broke a promise are kept as files, and end as their files say."""

import pytest

from tests.rigs.each_row import each_row
from tests.simulation import __main__ as command
from tests.simulation import recorded
from tests.simulation.aimed import plain
from tests.simulation.faults import Port

_FILES = sorted(recorded.FOLDER.glob("*.json"))


@each_row("file", _FILES)
def test_a_recorded_schedule_ends_as_its_file_says(file):
    was = recorded.read(file)
    assert recorded.violations(was.schedule) == was.violations


@pytest.mark.parametrize("seed", [1, 77700309])
def test_a_schedule_is_read_as_it_was_written(seed, tmp_path):
    drawn = plain(seed)
    file = recorded.record(drawn, tmp_path)
    assert recorded.read(file).schedule == drawn


def test_a_port_is_written_by_its_name(tmp_path):
    drawn = plain(77700309)
    assert drawn.unavailable
    assert f'"{Port.READ.name}"' in recorded.record(drawn, tmp_path).read_text()


def test_a_file_can_be_run_by_command(capsys):
    file = recorded.FOLDER / "77701560.json"
    assert command.main(["--schedule", str(file)]) == 0
    assert capsys.readouterr().out.count("nothing broken") == 2


def test_what_a_file_breaks_is_printed_beside_what_it_broke(capsys, monkeypatch):
    monkeypatch.setattr(recorded, "violations", lambda schedule: ["P2: it is lost"])
    file = recorded.FOLDER / "77701560.json"
    assert command.main(["--schedule", str(file)]) == 1
    assert "P2: it is lost" in capsys.readouterr().out
