"""The control of a trial stack: time goes on by request, and what is due has run when it answers."""

import contextlib
from datetime import UTC, datetime, timedelta

import pytest
import requests

from local.stack import lineage
from local.stack.control import Control
from local.stack.turned_clock import MovedClock


class Asked:
    """An idle watch that notes when it was asked."""

    is_quiet = True

    def __init__(self, clock):
        self.clock, self.ahead = clock, []

    @contextlib.contextmanager
    def between(self, *, timeout_seconds):
        assert timeout_seconds > 0
        self.ahead.append(("between", self.clock.ahead_seconds))
        yield
        self.ahead.append(("between", self.clock.ahead_seconds))

    def settle(self, *, timeout_seconds):
        assert timeout_seconds > 0
        self.ahead.append(("settle", self.clock.ahead_seconds))
        return self.is_quiet


@pytest.fixture
def idle_watch(tmp_path):
    return Asked(MovedClock.new(tmp_path / "clock"))


@pytest.fixture
def stored():
    return []


@pytest.fixture
def control(idle_watch, stored):
    with Control(idle_watch.clock, idle_watch, stored.append, lambda: "a link") as made:
        yield made


def test_time_is_moved_between_two_pieces_of_work_and_then_what_is_due_runs(control, idle_watch):
    answer = requests.post(f"{control.url}/clock", json={"forward_seconds": 60}, timeout=60)
    assert (answer.status_code, answer.json()["settled"]) == (200, True)
    assert idle_watch.ahead == [("between", 0), ("between", 60), ("settle", 60)]


def test_what_does_not_end_in_time_is_said(control, idle_watch):
    idle_watch.is_quiet = False
    assert requests.post(f"{control.url}/settle", json={}, timeout=60).json()["settled"] is False


def test_the_time_can_be_asked(control, idle_watch):
    now = requests.get(f"{control.url}/clock", timeout=60).json()["now"]
    assert abs(datetime.fromisoformat(now) - datetime.now(UTC)) < timedelta(minutes=5)
    assert idle_watch.ahead == []


def test_settings_that_are_no_item_are_refused(control, stored):
    for body in ("[]", "1", "not json"):
        answer = requests.post(f"{control.url}/company-data", data=body, timeout=60)
        assert (answer.status_code, stored) == (400, [])


@pytest.mark.parametrize("given", ["-1", '"1"', "true", "null", "Infinity"])
def test_time_is_not_moved_by_anything_but_a_number(control, idle_watch, given):
    answer = requests.post(
        f"{control.url}/clock",
        data=f'{{"forward_seconds": {given}}}',
        headers={"content-type": "application/json"},
        timeout=60,
    )
    assert answer.status_code == 400
    assert "forward_seconds" in answer.json()["error"]
    assert idle_watch.clock.ahead_seconds == 0


def test_a_projects_settings_are_stored_as_they_are(control, stored):
    item = {"company_id": "ci-1", "project_id": "pi-1", "quiet_hours": "unreadable"}
    answer = requests.post(f"{control.url}/company-data", json=item, timeout=60)
    assert (answer.status_code, stored) == (200, [item])


def test_another_path_is_named(control):
    assert requests.get(f"{control.url}/other", timeout=60).status_code == 404


def test_the_longest_chain_of_each_queues_function_is_told(control):
    record = {"attributes": {}, "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:told"}
    with lineage.within(record):
        pass
    assert requests.get(f"{control.url}/chains", timeout=60).json()["told"] == 1
