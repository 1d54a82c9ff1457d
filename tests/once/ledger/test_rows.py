"""What the ledger's rows tell an operator and the sweep, to the second in which they expire.

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
from chalicelib.redaction.mapping import redact_mapping
from tests.rigs.fakes import NOON
from tests.rigs.ledger import DAY, KEY, MODES, NOW, OF_EVENT, REQUIRED, TAG, Desk, Say, facts


@pytest.fixture
def desk():
    return Desk()


# --- rows as they are written -----------------------------------------------------------------


def test_a_claimed_event_reads_as_the_data_model_says(desk):
    desk.claim()
    assert desk.row() == {
        **OF_EVENT,
        **REQUIRED,
        "status": "processing",
        "owner": "owner-1",
        "fence": 1,
        "attempts": 1,
        "lease_until": NOW + 250,
    }


def test_a_received_event_reads_as_the_most_cautious_until_it_is_claimed(desk):
    desk.ledger.receive(facts())
    row = dict(desk.row())
    assert row.pop("unfinished").startswith("received#")
    assert row == {
        **OF_EVENT,
        **REQUIRED,
        "status": "received",
        "mode": UNDECIDED.mode,
        "automation_enabled": UNDECIDED.automation_enabled,
    }


def test_a_begun_action_reads_as_the_data_model_says_and_holds_no_text(desk):
    desk.ledger.begin(desk.claim(), [Say()], MODES)
    shown = json.dumps(redact_mapping(Say().payload()), sort_keys=True).encode()
    assert b"212-555" not in shown
    assert desk.row(Say().key) == {
        "event_id": Say().key,
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


def test_new_actions_begin_in_one_call_and_are_not_read_back(desk):
    lease = desk.claim()
    desk.table.calls.clear()
    begun = desk.ledger.begin(lease, [TAG, Say()], MODES)
    assert [one.key for one in begun] == [TAG.key, Say().key]
    assert desk.table.calls == ["insert_all"]


def test_an_ended_action_reads_how_and_when_it_ended(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.clock.forward(2)
    ended = desk.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="http_422")
    row = desk.row(TAG.key)
    at = "2026-11-20T12:00:02.000Z"
    assert (ended.key, ended.status, ended.reason) == (TAG.key, "refused", "http_422")
    assert (row["status"], row["reason"], "unfinished" in row) == ("refused", "http_422", False)
    assert row["finished_at"] == row["last_processed_at"] == ended.finished_at == at


def test_a_skipped_action_reads_that_its_effect_never_left(desk):
    skipped = desk.ledger.skip(desk.claim(), TAG, MODES, reason="shadow")
    row = desk.row(TAG.key)
    assert (row["status"], row["reason"], row["started"]) == ("skipped", "shadow", False)
    assert row["finished_at"] == skipped.finished_at == iso(NOON)
    assert desk.ledger.action(TAG.key).finished_at == iso(NOON)


def test_an_action_that_nobody_began_is_not_known(desk):
    assert desk.ledger.action(TAG.key) is None


def test_a_given_back_event_is_held_by_nobody_and_says_why(desk):
    desk.ledger.release(desk.claim(), reason="richpanel_http_429")
    assert (desk.row()["lease_until"], desk.row()["last_reason"]) == (0, "richpanel_http_429")


def test_an_action_that_surely_was_not_done_is_held_by_nobody(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.rearm(lease, [TAG])
    assert (desk.row(TAG.key)["lease_until"], desk.row(TAG.key)["started"]) == (0, False)


def test_an_ended_event_keeps_the_facts_that_its_worker_learnt(desk):
    lease = desk.claim()
    desk.clock.forward(2)
    desk.ledger.finish(lease, EventStatus.PROCESSED, facts={"seen": "x"})
    row = desk.row()
    assert (row["seen"], row["last_processed_at"]) == ("x", "2026-11-20T12:00:02.000Z")


def test_a_plan_is_stored_with_its_intent_and_under_which_switches_it_was_made(desk):
    lease = desk.claim()
    desk.ledger.store_plan(
        lease, "p", intent="refund_request", modes=Modes("route_only", True, False)
    )
    row = desk.row()
    assert (row["plan"], row["intent"], row["mode"]) == ("p", "refund_request", "route_only")
    assert (row["safe_mode"], row["automation_enabled"]) == (True, False)
    assert desk.ledger.stored(KEY) == StoredEvent(facts(), EventStatus.PROCESSING, "p")


def test_an_events_row_is_sent_back_only_where_it_is_read(desk):
    lease = desk.claim()
    desk.ledger.store_plan(lease, "p", intent=None, modes=MODES)
    desk.ledger.finish(lease, EventStatus.PROCESSED)
    assert desk.table.sent_back == [True, False, False]


def test_unfinished_rows_are_spread_over_every_partition(desk):
    """A burst must not be hot."""
    for number in range(40):
        desk.ledger.receive(facts(f"evt:rp:1042:{number}"))
    assert {row["unfinished"] for row in desk.table.rows.values()} == {
        f"received#{shard}" for shard in range(4)
    }
    assert len(desk.stranded(limit=40)) == 40


# --- the sparse index -------------------------------------------------------------------------


def test_the_sweep_takes_the_oldest_of_each_kind_first(desk):
    for number in range(6):
        desk.ledger.receive(facts(f"evt:rp:1042:{number}"))
        desk.clock.forward(1)
    desk.ledger.finish(desk.claim("evt:rp:1042:p"), EventStatus.PARKED, reason="unknown:x")
    assert [one.key[-1] for one in desk.stranded(limit=3)] == ["0", "1", "2", "p"]


def test_the_sweep_sees_a_row_as_it_stands(desk):
    lease = desk.claim(last_chance=True)
    desk.clock.forward(1)
    desk.ledger.finish(lease, EventStatus.PARKED, reason="unknown:read_timeout")
    assert list(desk.stranded()) == [
        StrandedEvent(
            key=KEY,
            status="parked",
            event=facts(),
            updated_at="2026-11-20T12:00:01.000Z",
            reason="unknown:read_timeout",
            attempts=1,
            lease_until_epoch=NOW + 250,
        )
    ]


def test_the_sweep_does_not_see_what_is_younger_than_it_asks_for(desk):
    desk.ledger.receive(facts())
    now = desk.clock.now().timestamp()
    assert not desk.ledger.stranded(older_than_epoch=now, limit=10)
    assert desk.ledger.stranded(older_than_epoch=now + 0.001, limit=10)


def test_a_failed_event_is_found_while_a_person_must_still_be_told(desk):
    lease = desk.claim()
    desk.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:x", handoff_due=True)
    assert [(one.status, one.reason) for one in desk.stranded()] == [("failed", "dead_letter:x")]
    again = desk.claim(takeover=frozenset({EventStatus.FAILED}))
    assert not desk.stranded(), "somebody is on it"
    desk.ledger.finish(again, EventStatus.FAILED)
    assert not desk.stranded()
    assert desk.row()["reason"] == "dead_letter:x"


@pytest.mark.parametrize("last_chance", [False, True])
def test_an_event_that_was_buried_is_found_as_failed_since_then(desk, last_chance):
    desk.claim(last_chance=last_chance)
    desk.clock.forward(300)
    assert desk.ledger.bury(KEY, reason="dead_letter:worker_died")
    (found,) = desk.stranded()
    assert (found.status, found.reason) == ("failed", "dead_letter:worker_died")
    assert found.updated_at == "2026-11-20T12:05:00.000Z"


def test_an_event_is_not_buried_in_the_second_in_which_its_lease_ends(desk):
    desk.claim(lease_seconds=250)
    desk.clock.forward(250)
    assert not desk.ledger.bury(KEY, reason="x")
    assert isinstance(desk.claim(), Busy)


def test_what_was_looked_after_expires_later_and_comes_last(desk):
    for name in ("a", "b"):
        desk.ledger.receive(facts(name))
        desk.clock.forward(1)
    assert desk.ledger.keep("a") is True
    assert [one.key for one in desk.stranded()] == ["b", "a"]
    assert desk.row("a")["expires_at"] == NOW + 2 + 30 * DAY


def test_what_has_ended_needs_no_looking_after(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    before = dict(desk.row())
    assert desk.ledger.keep(KEY) is False
    assert desk.ledger.keep("evt:rp:1042:gone") is False
    assert list(desk.table.rows.values()) == [before]


def test_an_event_that_is_parked_twice_is_found_once_and_by_its_latest_reason(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PARKED, reason="unknown:one")
    again = desk.claim(takeover=frozenset({EventStatus.PARKED}))
    desk.ledger.finish(again, EventStatus.PARKED, reason="unknown:two")
    assert [one.reason for one in desk.stranded()] == ["unknown:two"]


def test_a_watched_event_is_found_as_left_while_it_has_not_ended(desk):
    """Its message may be gone with the worker that held it."""
    for name in ("b", "a"):
        desk.claim(name, is_watched=True)
        desk.clock.forward(1)
    desk.claim("c")
    later = desk.clock.now().timestamp()
    assert [one.key for one in desk.ledger.left(older_than_epoch=later, limit=9)] == ["b", "a"]
    assert [one.key for one in desk.ledger.left(older_than_epoch=later, limit=1)] == ["b"]
    assert [one.key for one in desk.ledger.left(older_than_epoch=later - 1, limit=9)] == ["b"]
    assert not desk.stranded(), "somebody is on it"
    desk.clock.forward(300)
    heir = desk.claim("a", is_watched=True)
    desk.ledger.finish(heir, EventStatus.PROCESSED)
    later = desk.clock.now().timestamp()
    assert [one.key for one in desk.ledger.left(older_than_epoch=later, limit=9)] == ["b"]


def test_a_watched_event_on_its_last_receive_is_found_as_stranded(desk):
    desk.claim(last_chance=True, is_watched=True)
    assert [one.key for one in desk.stranded()] == [KEY]
    assert not desk.ledger.left(older_than_epoch=NOW + 1, limit=9)


def test_a_claim_says_whose_conversation_it_is_where_the_door_did_not_know(desk):
    desk.ledger.receive(facts(conversation_id="not known yet"))
    desk.claim()
    assert desk.row()["conversation_id"] == "1042"


# --- the second in which a row expires ----------------------------------------------------------


def test_in_its_last_second_a_row_is_expired_for_everybody(desk):
    """F29: what one reader took for a duplicate and another for new would be done by neither."""
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.at_expiry()
    assert desk.ledger.statuses([KEY]) == {}
    assert desk.ledger.stored(KEY) is None
    assert desk.ledger.receive(facts()) == facts().received_at
    assert desk.row()["status"] == "received"


def test_before_its_last_second_a_row_stands_for_everybody(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.clock.forward(30 * DAY - 1)
    assert desk.ledger.statuses([KEY]) == {KEY: EventStatus.PROCESSED}
    assert desk.ledger.stored(KEY).status == EventStatus.PROCESSED
    assert desk.ledger.receive(facts()) is None
    assert desk.claim() == Finished(EventStatus.PROCESSED)


def test_in_its_last_second_an_event_is_claimed_as_new(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.at_expiry()
    again = desk.claim()
    assert (again.event, again.fence, again.attempts, again.was_left) == (facts(), 2, 1, False)
    assert desk.row()["status"] == "processing"


@pytest.mark.parametrize("left", ["received", "processing"])
def test_in_its_last_second_an_unfinished_event_is_claimed_as_new_too(desk, left):
    """What was decided a month ago is decided again."""
    desk.ledger.receive(facts())
    if left == "processing":
        lease = desk.claim()
        desk.ledger.store_plan(lease, "an old plan", intent=None, modes=MODES)
    desk.at_expiry()
    again = desk.claim()
    assert (again.attempts, again.plan, again.was_left) == (1, None, False)
    assert desk.row()["created_at"] == iso(desk.clock.now())


def test_an_expired_row_that_no_claim_ever_made_is_claimed_like_any_other(desk):
    desk.ledger.receive(facts())
    desk.at_expiry()
    assert (desk.claim().fence, desk.row()["fence"]) == (1, 1)


def test_in_its_last_second_an_action_begins_anew(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.at_expiry()
    (begun,) = desk.ledger.begin(desk.claim(), [TAG], MODES)
    assert (begun.key, begun.status, begun.mine) == (TAG.key, ActionStatus.PENDING, True)
    assert desk.row(TAG.key)["expires_at"] == desk.clock.now().timestamp() + 30 * DAY


def test_in_its_last_second_an_action_is_skipped_anew(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.at_expiry()
    skipped = desk.ledger.skip(desk.claim(), TAG, MODES, reason="shadow")
    assert (skipped.status, desk.row(TAG.key)["status"]) == ("skipped", "skipped")


def test_an_action_whose_row_was_deleted_in_between_begins_anew(desk):
    """The expiry and its late deletion meet our insert."""
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.table.before["get"] = lambda: desk.table.delete({"event_id": TAG.key})
    (begun,) = desk.ledger.begin(lease, [TAG], MODES)
    assert (begun.mine, desk.row(TAG.key)["status"]) == (True, "pending")


# --- ends of events that were never claimed -----------------------------------------------------


def test_a_recorded_end_replaces_a_received_row_and_keeps_when_it_was_made(desk):
    desk.ledger.receive(facts())
    desk.clock.forward(60)
    desk.ledger.record(facts(), MODES, EventStatus.SKIPPED, reason="operator_comment")
    row = desk.row()
    assert (row["status"], row["reason"]) == ("skipped", "operator_comment")
    assert (row["created_at"], row["mode"]) == (iso(NOON), MODES.mode)
    assert row["last_processed_at"] == "2026-11-20T12:01:00.000Z"
    assert not desk.stranded()


def test_a_recorded_end_of_an_event_without_a_row_makes_one(desk):
    desk.ledger.record(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    assert desk.row() == {**OF_EVENT, **REQUIRED, "status": "processed", "reason": "resolved"}


def test_a_recorded_end_does_not_touch_what_a_worker_holds(desk):
    desk.claim()
    before = dict(desk.row())
    desk.ledger.record(facts(), MODES, EventStatus.FAILED, reason="dead_letter:x")
    assert desk.row() == before


@pytest.mark.parametrize("end", [EventStatus.PROCESSED, EventStatus.PARKED, EventStatus.SKIPPED])
@pytest.mark.parametrize("late", [EventStatus.FAILED, EventStatus.PROCESSED, EventStatus.SKIPPED])
def test_a_recorded_end_does_not_touch_what_a_worker_has_brought_to_its_end(desk, end, late):
    """A copy that the queue gives up says nothing of the event that another copy has done."""
    desk.ledger.finish(desk.claim(), end, reason="unknown:reply")
    before = dict(desk.row())
    desk.clock.forward(60)
    desk.ledger.record(facts(), MODES, late, reason="dead_letter:x")
    assert desk.row() == before


def test_a_recorded_end_replaces_an_expired_one(desk):
    desk.ledger.record(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    desk.at_expiry()
    desk.ledger.record(facts(), MODES, EventStatus.FAILED, reason="dead_letter:x")
    assert desk.row()["reason"] == "dead_letter:x"


def test_a_failed_event_whose_person_is_not_told_keeps_its_reason_and_its_place(desk):
    lease = desk.claim()
    desk.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:a", handoff_due=True)
    desk.ledger.record(facts(), MODES, EventStatus.FAILED, reason="dead_letter:b")
    assert [one.reason for one in desk.stranded()] == ["dead_letter:a"]


def test_a_failed_event_whose_person_was_told_takes_a_later_reason(desk):
    desk.ledger.finish(desk.claim(), EventStatus.FAILED, reason="dead_letter:a")
    desk.ledger.record(facts(), MODES, EventStatus.FAILED, reason="dead_letter:b")
    assert desk.row()["reason"] == "dead_letter:b"


def test_a_failed_event_that_turned_out_well_waits_for_nobody(desk):
    lease = desk.claim()
    desk.ledger.finish(lease, EventStatus.FAILED, reason="dead_letter:a", handoff_due=True)
    desk.ledger.record(facts(), MODES, EventStatus.PROCESSED, reason="resolved")
    assert (desk.row()["status"], list(desk.stranded())) == ("processed", [])
