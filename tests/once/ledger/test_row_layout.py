"""How a stored row reads where it lacks what it need not have."""

import time

import pytest

from chalicelib.once.ledger import rows

EVENT = {
    "event_id": "evt:rp:1042:c-77",
    "conversation_id": "1042",
    "received_at": "2026-11-20T11:59:58.750Z",
    "payload_sha256": "9f",
    "payload_bytes": 9,
    "source": "richpanel_http_target",
    "status": "received",
    "last_processed_at": "2026-11-20T12:00:00.000Z",
}
ACTION = {
    "event_id": "act:rp:1042:add_tag:x",
    "action_kind": "add_tag",
    "conversation_id": "1042",
    "event_key": "evt:rp:1042:c-77",
    "owner": "o1",
    "started_epoch": 1,
    "horizon": 2,
}


def test_an_event_without_a_trace_has_an_empty_one():
    assert rows.event(EVENT).trace_id == ""


def test_an_event_that_nobody_claimed_has_no_attempts_and_no_lease():
    found = rows.stranded(EVENT)
    assert (found.attempts, found.lease_until_epoch) == (0, 0)


def test_an_action_without_a_probe_is_looked_for_by_nothing():
    found = rows.unsettled(ACTION)
    assert (found.probe, found.looks, found.looked_epoch) == ({}, 0, 0)


@pytest.fixture
def far_east(monkeypatch):
    monkeypatch.setenv("TZ", "Asia/Tokyo")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("far_east")
def test_an_epoch_is_told_in_utc_wherever_the_machine_stands():
    assert rows.iso_of_epoch(0.0) == "1970-01-01T00:00:00.000Z"
