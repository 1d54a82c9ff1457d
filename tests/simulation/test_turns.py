"""Schedules in which more tickets arrive than Richpanel takes: jobs wait for their turn, in order."""

from dataclasses import replace

import pytest

from chalicelib.once.order import InOrder
from local.vendors.wire import WireAnswer
from tests.simulation.faults import Fault
from tests.simulation.fixed_schedules import run, schedule
from tests.simulation.scenario import EPOCH, Post
from tests.simulation.vendor import MemoryVendor

TICKETS, COMMENTS = 5, 3
HOUR = 3_600.0
LONG = pytest.mark.long
TEXTS = ("i want a refund", "where is my order?", "it arrived broken")


def rush(form, *faults):
    """Several comments of several tickets within seconds; each costs two calls or more."""
    posts = tuple(
        Post(5.0 * comment + ticket / 10, f"s{ticket}", f"c{comment}", text, form, is_copy=False)
        for comment, text in enumerate(TEXTS[:COMMENTS])
        for ticket in range(TICKETS)
    )
    return schedule(posts=posts, faults=faults)


def rows_of(world):
    return [row for (key,), row in world.ledger.rows.items() if key.startswith("evt:rp:s")]


@pytest.mark.parametrize("form", ["id", "thin"])
def test_tickets_wait_for_their_turn_and_keep_their_order(form):
    world, violations = run(rush(form))

    assert violations == []
    assert world.oracle.logs["worker.waits"] > 5
    assert not world.oracle.logs["worker.handed_back"], "waiting spends no receive"
    assert {row["status"] for row in rows_of(world)} <= {"processed"}


@pytest.mark.parametrize(("every", "waits"), [(150, 15), pytest.param(19, 101, marks=LONG)])
@pytest.mark.parametrize("form", ["id", "thin"])
def test_a_fault_or_a_pause_at_any_call_changes_nothing_of_it(form, every, waits):
    waited = 0
    for at in range(5, 300, every):
        for number, pauses in enumerate((False, True)):
            fault = Fault(at, 0.1 + 0.4 * number, 0.5, pauses=pauses)
            world, violations = run(rush(form, fault))
            assert violations == [], at
            waited += world.oracle.logs["worker.waits"]
    assert waited >= waits


def test_an_event_that_does_not_wait_behind_its_conversation_is_detected(monkeypatch):
    monkeypatch.setattr(InOrder, "check", lambda self, line, event_key: None)

    found = (run(replace(rush("id"), seed=seed))[1] for seed in range(1, 12))

    assert any("P3" in violation for violations in found for violation in violations)


@pytest.mark.parametrize(
    ("form", "status", "says"),
    [
        ("id", 429, True),
        ("thin", 503, True),
        pytest.param("thin", 429, True, marks=LONG),
        pytest.param("id", 503, True, marks=LONG),
        pytest.param("id", 429, False, marks=LONG),
        pytest.param("thin", 429, False, marks=LONG),
    ],
)
def test_a_vendor_that_says_later_for_an_hour_costs_no_receive(monkeypatch, form, status, says):
    """Each ticket comes again as often as the vendor asks for, and everything is done once after it."""
    refused = []

    def refusal(self, request, operation):
        if self.clock() - EPOCH >= HOUR:
            return None
        refused.append(request)
        return WireAnswer(status, self.error_body(status), {"Retry-After": "120"} if says else {})

    monkeypatch.setattr(MemoryVendor, "refusal", refusal)
    world, violations = run(rush(form))

    assert violations == []
    assert len(refused) > 20
    assert not world.oracle.logs["worker.handed_back"]
    assert world.queue.dead == []
    assert {row["status"] for row in rows_of(world)} == {"processed"}
    assert len(rows_of(world)) >= TICKETS * COMMENTS
