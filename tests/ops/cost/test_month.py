"""What a stage costs while nothing arrives: each kind by its own arithmetic."""

import re
from pathlib import Path

import pytest

from chalicelib.once.lanes import LANES
from ops.cost import month

APP = (Path(__file__).parents[3] / "app.py").read_text()


def test_the_sum_is_that_of_its_rows_and_has_every_kind():
    by_name = {row.what: row.usd for row in month.rows()}
    assert month.total() == pytest.approx(sum(by_name.values()))
    assert all(usd > 0 for usd in by_name.values())


def test_a_quiet_queue_is_asked_by_five_connections_for_twenty_seconds_each():
    assert month.POLLS == 648_000
    assert month.queues() == pytest.approx(0.648 * (0.5 * len(LANES) + 0.4))


def test_the_schedules_are_those_of_the_app():
    found = re.findall(
        r"^@app.schedule\(Rate\((\d+), unit=Rate.MINUTES\)\)\ndef (\w+)", APP, re.MULTILINE
    )
    assert {name: int(minutes) for minutes, name in found} == month.SCHEDULE_MINUTES
    (runs,) = [row for row in month.rows() if row.what == "runs of schedules"]
    assert runs.many == 8_640 + 43_200
