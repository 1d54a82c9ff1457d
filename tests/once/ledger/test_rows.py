"""The ledger's rows as an operator and the sweep read them, up to the second they expire.

In memory: `tests/once/ledger/test_events.py` holds the same ledger to its contract on the engines.
"""

import hashlib
import json

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import (
    LANDING_SECONDS,
    Busy,
    EventStatus,
    Finished,
    StoredEvent,
    StrandedEvent,
)
from chalicelib.once.ports import UNDECIDED, Modes
from chalicelib.redaction.json_values import redact_mapping
from tests.rigs.fakes import NOON
from tests.rigs.ledger import DAY, KEY, MODES, NOW, OF_EVENT, REQUIRED, TAG, facts, reply

# --- rows as they are written -----------------------------------------------------------------


def test_a_claimed_event_reads_as_the_data_model_says(ledger_rig):
    ledger_rig.claim()
    assert ledger_rig.row() == {
        **OF_EVENT,
        **REQUIRED,
        "status": "processing",
        "owner": "owner-1",
        "fence": 1,
        "attempts": 1,
        "lease_until": NOW + 250,
    }


def test_a_received_event_has_the_most_cautious_modes_until_it_is_claimed(ledger_rig):
    ledger_rig.ledger.receive(facts())
    row = dict(ledger_rig.row())
    assert row.pop("due_shard").startswith("event#")
    assert row.pop("due_at") == NOW + 600
    assert row == {
        **OF_EVENT,
        **REQUIRED,
        "status": "received",
        "mode": UNDECIDED.mode,
        "automation_enabled": UNDECIDED.automation_enabled,
    }


def test_a_begun_action_reads_as_the_data_model_says_and_holds_no_text(ledger_rig):
    ledger_rig.ledger.begin(ledger_rig.claim(), [reply()], MODES)
    shown = json.dumps(redact_mapping(reply().payload), sort_keys=True).encode()
    assert b"212-555" not in shown
    assert ledger_rig.row(reply().key) == {
        "event_id": reply().key,
        **REQUIRED,
        "payload_sha256": hashlib.sha256(shown).hexdigest(),
        "payload_bytes": len(shown),
        "status": "pending",
        "action_type": "auto_reply",
        "action_kind": "say",
        "event_key": KEY,
        "probe": {"author": "bot", "body": "hash"},
        "owner": "owner-1",
        "fence": 1,
        "lease_until": NOW + 250,
        "started": True,
        "started_epoch": NOW,
        "horizon": NOW + 250 + LANDING_SECONDS,
    }


def test_new_actions_begin_in_one_call_and_are_not_read_back(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.table.calls.clear()
    begun = ledger_rig.ledger.begin(lease, [TAG, reply()], MODES)
    assert [action.key for action in begun] == [TAG.key, reply().key]
    assert ledger_rig.table.calls == ["insert_all"]


def test_an_ended_action_stores_how_and_when_it_ended(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.clock.forward(2)
    ended = ledger_rig.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="http_422")
    row = ledger_rig.row(TAG.key)
    at = "2026-11-20T12:00:02.000Z"
    assert (ended.key, ended.status, ended.reason) == (TAG.key, "refused", "http_422")
    assert (row["status"], row["reason"], "due_at" in row) == ("refused", "http_422", False)
    assert row["finished_at"] == row["last_processed_at"] == ended.finished_at == at


def test_a_skipped_action_is_stored_as_not_started(ledger_rig):
    skipped = ledger_rig.ledger.skip(ledger_rig.claim(), TAG, MODES, reason="shadow")
    row = ledger_rig.row(TAG.key)
    assert (row["status"], row["reason"], row["started"]) == ("skipped", "shadow", False)
    assert row["finished_at"] == skipped.finished_at == iso(NOON)
    assert ledger_rig.ledger.action(TAG.key).finished_at == iso(NOON)


def test_an_action_that_never_began_is_unknown_to_the_ledger(ledger_rig):
    assert ledger_rig.ledger.action(TAG.key) is None


def test_a_released_event_has_no_lease_and_a_reason(ledger_rig):
    ledger_rig.ledger.release(ledger_rig.claim(), reason="richpanel_http_429", due_epoch=NOW)
    assert (ledger_rig.row()["lease_until"], ledger_rig.row()["last_reason"]) == (
        0,
        "richpanel_http_429",
    )


def test_a_rearmed_action_has_no_lease(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.rearm(lease, [TAG])
    assert (ledger_rig.row(TAG.key)["lease_until"], ledger_rig.row(TAG.key)["started"]) == (
        0,
        False,
    )


def test_an_ended_event_keeps_the_facts_its_worker_found(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.clock.forward(2)
    ledger_rig.ledger.finish(lease, EventStatus.PROCESSED, facts={"seen": "x"})
    row = ledger_rig.row()
    assert (row["seen"], row["last_processed_at"]) == ("x", "2026-11-20T12:00:02.000Z")


def test_a_plan_is_stored_with_its_intent_and_switches(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.store_plan(
        lease, "p", intent="refund_request", modes=Modes("route_only", True, False)
    )
    row = ledger_rig.row()
    assert (row["plan"], row["intent"], row["mode"]) == ("p", "refund_request", "route_only")
    assert (row["safe_mode"], row["automation_enabled"]) == (True, False)
    assert ledger_rig.ledger.stored(KEY) == StoredEvent(facts(), EventStatus.PROCESSING, "p")


def test_an_events_row_is_returned_only_where_it_is_used(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.store_plan(lease, "p", intent=None, modes=MODES)
    ledger_rig.ledger.finish(lease, EventStatus.PROCESSED)
    assert ledger_rig.table.returned_rows == [True, False, False]


def test_unfinished_rows_are_spread_over_every_partition(ledger_rig):
    """A burst must not make one partition hot."""
    for number in range(40):
        ledger_rig.ledger.receive(facts(f"evt:rp:1042:{number}"))
    assert {row["due_shard"] for row in ledger_rig.table.rows.values()} == {
        f"event#{shard}" for shard in range(4)
    }
    assert len(ledger_rig.stranded(limit=40)) == 40


# --- the sparse index -------------------------------------------------------------------------


def test_the_sweep_takes_what_is_due_longest_first(ledger_rig):
    for number in range(6):
        ledger_rig.ledger.receive(facts(f"evt:rp:1042:{number}"))
        ledger_rig.clock.forward(1)
    ledger_rig.ledger.finish(
        ledger_rig.claim("evt:rp:1042:p"), EventStatus.PARKED, reason="unknown:x"
    )
    assert [event.key[-1] for event in ledger_rig.stranded(limit=3)] == ["p", "0", "1"]


def test_the_sweep_sees_every_stored_field_of_a_row(ledger_rig):
    lease = ledger_rig.claim(last_chance=True)
    ledger_rig.clock.forward(1)
    ledger_rig.ledger.finish(
        lease, EventStatus.PARKED, reason="unknown:timeout", waits_for=["act:1"]
    )
    assert list(ledger_rig.stranded()) == [
        StrandedEvent(
            key=KEY,
            status="parked",
            event=facts(),
            updated_at="2026-11-20T12:00:01.000Z",
            reason="unknown:timeout",
            attempts=1,
            lease_until_epoch=NOW + 250,
            is_last_receive=True,
            waits_for=("act:1",),
            due_epoch=NOW + 1,
        )
    ]


def test_the_sweep_does_not_see_rows_that_are_due_later(ledger_rig):
    """The door has ten minutes to queue what it received, and a worker to claim it."""
    ledger_rig.ledger.receive(facts())
    assert not ledger_rig.ledger.stranded(due_by_epoch=NOW + 599.9, limit=10)
    assert ledger_rig.ledger.stranded(due_by_epoch=NOW + 600, limit=10)


@pytest.mark.parametrize(
    ("claimed", "due"),
    [
        ({}, None),
        ({"last_chance": True}, NOW + 250),
        ({"is_watched": True}, NOW + 720 + 1800),
        ({"is_watched": True, "last_chance": True}, NOW + 250),
    ],
)
def test_a_claim_is_due_when_no_message_brings_it_back(ledger_rig, claimed, due):
    ledger_rig.claim(**claimed)
    assert ledger_rig.row().get("due_at") == due
    assert ledger_rig.row().get("last_receive", False) is claimed.get("last_chance", False)
    ledger_rig.clock.forward(300)
    ledger_rig.claim()
    assert not {"due_at", "due_shard", "last_receive"} & ledger_rig.row().keys()


def test_a_released_event_is_due_when_its_worker_says(ledger_rig):
    ledger_rig.ledger.release(ledger_rig.claim(), reason="x", due_epoch=NOW + 40 * DAY)
    row = ledger_rig.row()
    assert (row["due_at"], row["expires_at"]) == (NOW + 40 * DAY, NOW + 70 * DAY)
    ledger_rig.ledger.release(ledger_rig.claim(), reason="x", due_epoch=None)
    assert not ledger_rig.stranded()


def test_a_failed_event_is_found_while_its_hand_off_is_pending(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:x", handoff_due=True)
    assert [(event.status, event.reason) for event in ledger_rig.stranded()] == [
        ("failed", "dead_letter:x")
    ]
    again = ledger_rig.claim(takeover=frozenset({EventStatus.FAILED}))
    assert not ledger_rig.stranded(), "somebody is on it"
    ledger_rig.ledger.finish(again, EventStatus.FAILED)
    assert not ledger_rig.stranded()
    assert ledger_rig.row()["reason"] == "dead_letter:x"


@pytest.mark.parametrize("last_chance", [False, True])
def test_an_event_marked_failed_by_the_sweep_is_found_as_failed_since_then(ledger_rig, last_chance):
    ledger_rig.claim(last_chance=last_chance)
    ledger_rig.clock.forward(300)
    assert ledger_rig.ledger.mark_failed(KEY, reason="dead_letter:worker_died")
    (found,) = ledger_rig.stranded()
    assert (found.status, found.reason) == ("failed", "dead_letter:worker_died")
    assert found.updated_at == "2026-11-20T12:05:00.000Z"


def test_an_event_is_not_marked_failed_in_the_second_its_lease_ends(ledger_rig):
    ledger_rig.claim(lease_seconds=250)
    ledger_rig.clock.forward(250)
    assert not ledger_rig.ledger.mark_failed(KEY, reason="x")
    assert isinstance(ledger_rig.claim(), Busy)


def test_a_kept_row_expires_later_and_is_listed_by_its_new_date(ledger_rig):
    for name in ("a", "b"):
        ledger_rig.ledger.receive(facts(name))
        ledger_rig.clock.forward(1)
    found, _ = ledger_rig.stranded()
    assert ledger_rig.ledger.set_due(found, NOW + 1000) is True
    assert [(event.key, event.due_epoch) for event in ledger_rig.stranded()] == [
        ("b", NOW + 601),
        ("a", NOW + 1000),
    ]
    assert ledger_rig.row("a")["expires_at"] == NOW + 1000 + 30 * DAY


def test_a_kept_unknown_action_is_listed_by_its_new_date(ledger_rig):
    found = ledger_rig.unknown(TAG)
    assert ledger_rig.ledger.set_due(found, NOW + 1000) is True
    assert not ledger_rig.ledger.unsettled(due_by_epoch=NOW + 999, limit=9)
    assert [action.due_epoch for action in ledger_rig.ledger.unsettled(limit=9)] == [NOW + 1000]


def test_a_row_that_was_dated_or_ended_meanwhile_is_not_kept(ledger_rig):
    ledger_rig.ledger.release(ledger_rig.claim(), reason="x", due_epoch=NOW)
    (found,) = ledger_rig.stranded()
    ledger_rig.ledger.release(ledger_rig.claim(), reason="x", due_epoch=NOW + 9)
    before = dict(ledger_rig.row())
    assert ledger_rig.ledger.set_due(found, NOW + 1000) is False
    assert ledger_rig.row() == before
    (found,) = ledger_rig.stranded()
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    before = dict(ledger_rig.row())
    assert ledger_rig.ledger.set_due(found, NOW + 1000) is False
    assert list(ledger_rig.table.rows.values()) == [before]


def test_an_event_that_is_parked_twice_is_found_once_and_by_its_latest_reason(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PARKED, reason="unknown:one")
    again = ledger_rig.claim(takeover=frozenset({EventStatus.PARKED}))
    ledger_rig.ledger.finish(again, EventStatus.PARKED, reason="unknown:two")
    assert [event.reason for event in ledger_rig.stranded()] == ["unknown:two"]


def test_a_claim_corrects_the_conversation_the_door_stored(ledger_rig):
    ledger_rig.ledger.receive(facts(conversation_id="not known yet"))
    ledger_rig.claim()
    assert ledger_rig.row()["conversation_id"] == "1042"


# --- the second a row expires -----------------------------------------------------------------


def test_at_its_expiry_second_a_row_is_expired_for_every_reader(ledger_rig):
    """F29: an event that one reader sees as duplicate and another as new would never run."""
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.at_expiry()
    assert ledger_rig.ledger.statuses([KEY]) == {}
    assert ledger_rig.ledger.stored(KEY) is None
    assert ledger_rig.ledger.receive(facts()).is_new
    assert ledger_rig.row()["status"] == "received"


def test_before_its_expiry_second_a_row_is_valid_for_every_reader(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.clock.forward(30 * DAY - 1)
    assert ledger_rig.ledger.statuses([KEY]) == {KEY: EventStatus.PROCESSED}
    assert ledger_rig.ledger.stored(KEY).status == EventStatus.PROCESSED
    assert ledger_rig.ledger.receive(facts()) is None
    assert ledger_rig.claim() == Finished(EventStatus.PROCESSED)


def test_at_its_expiry_second_an_event_is_claimed_as_new(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.at_expiry()
    again = ledger_rig.claim()
    assert (again.event, again.fence, again.attempts, again.was_taken_over) == (
        facts(),
        2,
        1,
        False,
    )
    assert ledger_rig.row()["status"] == "processing"


@pytest.mark.parametrize("left", ["received", "processing"])
def test_at_its_expiry_second_an_unfinished_event_is_claimed_as_new_too(ledger_rig, left):
    """A month-old decision is made again."""
    ledger_rig.ledger.receive(facts())
    if left == "processing":
        lease = ledger_rig.claim()
        ledger_rig.ledger.store_plan(lease, "an old plan", intent=None, modes=MODES)
    ledger_rig.at_expiry()
    again = ledger_rig.claim()
    assert (again.attempts, again.plan, again.was_taken_over) == (1, None, False)
    assert ledger_rig.row()["created_at"] == iso(ledger_rig.clock.now())


def test_an_expired_row_that_was_never_claimed_is_claimed_like_any_other(ledger_rig):
    ledger_rig.ledger.receive(facts())
    ledger_rig.at_expiry()
    assert (ledger_rig.claim().fence, ledger_rig.row()["fence"]) == (1, 1)


def test_at_its_expiry_second_an_action_begins_again(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.at_expiry()
    (begun,) = ledger_rig.ledger.begin(ledger_rig.claim(), [TAG], MODES)
    assert (begun.key, begun.status, begun.mine) == (TAG.key, ActionStatus.PENDING, True)
    assert ledger_rig.row(TAG.key)["expires_at"] == ledger_rig.clock.now().timestamp() + 30 * DAY


def test_at_its_expiry_second_an_action_is_skipped_again(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.at_expiry()
    skipped = ledger_rig.ledger.skip(ledger_rig.claim(), TAG, MODES, reason="shadow")
    assert (skipped.status, ledger_rig.row(TAG.key)["status"]) == ("skipped", "skipped")


def test_an_action_whose_row_was_deleted_in_between_begins_again(ledger_rig):
    """The late TTL deletion coincides with our insert."""
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.table.before["get"] = lambda: ledger_rig.table.delete({"event_id": TAG.key})
    (begun,) = ledger_rig.ledger.begin(lease, [TAG], MODES)
    assert (begun.mine, ledger_rig.row(TAG.key)["status"]) == (True, "pending")


# --- ends of events that were never claimed -----------------------------------------------------


def test_a_recorded_end_replaces_a_received_row_and_keeps_its_creation_time(ledger_rig):
    ledger_rig.ledger.receive(facts())
    ledger_rig.clock.forward(60)
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.SKIPPED, reason="operator_comment")
    row = ledger_rig.row()
    assert (row["status"], row["reason"]) == ("skipped", "operator_comment")
    assert (row["created_at"], row["mode"]) == (iso(NOON), MODES.mode)
    assert row["last_processed_at"] == "2026-11-20T12:01:00.000Z"
    assert not ledger_rig.stranded()


def test_a_recorded_end_of_an_event_without_a_row_makes_one(ledger_rig):
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    assert ledger_rig.row() == {**OF_EVENT, **REQUIRED, "status": "processed", "reason": "resolved"}


def test_a_recorded_end_leaves_a_claimed_event_unchanged(ledger_rig):
    ledger_rig.claim()
    before = dict(ledger_rig.row())
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.FAILED, reason="dead_letter:x")
    assert ledger_rig.row() == before


@pytest.mark.parametrize("end", [EventStatus.PROCESSED, EventStatus.PARKED, EventStatus.SKIPPED])
@pytest.mark.parametrize("late", [EventStatus.FAILED, EventStatus.PROCESSED, EventStatus.SKIPPED])
def test_a_recorded_end_leaves_a_finished_event_unchanged(ledger_rig, end, late):
    """A dead-lettered copy says nothing about the event that another copy has finished."""
    ledger_rig.ledger.finish(ledger_rig.claim(), end, reason="unknown:reply")
    before = dict(ledger_rig.row())
    ledger_rig.clock.forward(60)
    ledger_rig.ledger.record_end(facts(), MODES, late, reason="dead_letter:x")
    assert ledger_rig.row() == before


def test_a_recorded_end_replaces_an_expired_one(ledger_rig):
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    ledger_rig.at_expiry()
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.FAILED, reason="dead_letter:x")
    assert ledger_rig.row()["reason"] == "dead_letter:x"


def test_a_failed_event_with_a_pending_hand_off_keeps_its_reason(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:a", handoff_due=True)
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.FAILED, reason="dead_letter:b")
    assert [event.reason for event in ledger_rig.stranded()] == ["dead_letter:a"]


def test_a_failed_event_without_a_pending_hand_off_takes_a_later_reason(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.FAILED, reason="dead_letter:a")
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.FAILED, reason="dead_letter:b")
    assert ledger_rig.row()["reason"] == "dead_letter:b"


def test_a_failed_event_that_is_processed_later_has_no_pending_hand_off(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:a", handoff_due=True)
    ledger_rig.ledger.record_end(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    assert (ledger_rig.row()["status"], list(ledger_rig.stranded())) == ("processed", [])
