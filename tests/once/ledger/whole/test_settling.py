"""How an effect of unknown outcome is settled, and how provider ids are bound to actions."""

import hashlib
from functools import partial

import pytest

from chalicelib.clock import iso
from chalicelib.errors import LeaseLostError
from chalicelib.once import keys
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import LANDING_SECONDS
from chalicelib.once.ports import UNDECIDED
from tests.rigs.fakes import NOON
from tests.rigs.ledger import KEY, MODES, NOW, OTHER, REQUIRED, TAG, reply

# --- settling ---------------------------------------------------------------------------------


def test_the_row_holds_the_data_a_settler_needs(ledger_rig):
    assert ledger_rig.unknown(reply()) == UnsettledAction(
        key=reply().key,
        kind="say",
        conversation_id="1042",
        event_key=KEY,
        started_epoch=NOW,
        horizon_epoch=NOW + 250 + LANDING_SECONDS,
        probe={"author": "bot", "body": "hash"},
        reason="timeout",
        owner="owner-1",
        due_epoch=NOW,
    )


def test_unknown_actions_are_listed_oldest_first_up_to_the_limit(ledger_rig):
    lease = ledger_rig.claim()
    for action in (OTHER, TAG, reply()):
        ledger_rig.unknown(action, lease)
        ledger_rig.clock.forward(1)
    assert [action.key for action in ledger_rig.ledger.unsettled(limit=2)] == [OTHER.key, TAG.key]


def test_a_check_that_found_nothing_is_counted_with_its_time(ledger_rig):
    found = ledger_rig.unknown(reply())
    ledger_rig.clock.forward(30)
    ledger_rig.ledger.count_empty_answer(found)
    (again,) = ledger_rig.ledger.unsettled(limit=10)
    assert (again.looks, again.looked_epoch) == (1, NOW + 30)


def test_a_check_of_an_action_settled_meanwhile_changes_nothing(ledger_rig):
    found = ledger_rig.unknown(reply())
    ledger_rig.ledger.settle(found, ActionStatus.DONE, ref="r", reason="settled")
    before = dict(ledger_rig.row(reply().key))
    ledger_rig.ledger.count_empty_answer(found)
    assert ledger_rig.row(reply().key) == before
    ledger_rig.table.delete({"event_id": reply().key})
    ledger_rig.ledger.count_empty_answer(found)
    assert (reply().key,) not in ledger_rig.table.rows


def test_a_workers_check_of_its_own_pending_action_is_counted(ledger_rig):
    ledger_rig.unknown(reply())
    ledger_rig.clock.forward(300)
    taken = ledger_rig.ledger.restart(ledger_rig.claim(), reply(), new_start=False)
    ledger_rig.ledger.count_empty_answer(taken.unsettled)
    assert ledger_rig.row(reply().key)["looks"] == 1


@pytest.mark.parametrize("new_start", [True, False])
def test_a_workers_check_of_an_action_taken_over_is_not_counted(ledger_rig, new_start):
    """It checked an earlier start; counted for the new one, that would need only one more check."""
    found = ledger_rig.unknown(reply())
    ledger_rig.clock.forward(300)
    ledger_rig.ledger.restart(ledger_rig.claim(), reply(), new_start=new_start)
    before = dict(ledger_rig.row(reply().key))
    ledger_rig.ledger.count_empty_answer(found)
    assert ledger_rig.row(reply().key) == before


@pytest.mark.parametrize("status", [ActionStatus.DONE, ActionStatus.ABANDONED])
def test_a_settled_action_stores_how_and_when_it_was_settled(ledger_rig, status):
    found = ledger_rig.unknown(reply())
    ledger_rig.clock.forward(60)
    assert ledger_rig.ledger.settle(found, status, ref="c-900", reason="by_person") is True
    row = ledger_rig.row(reply().key)
    assert (row["status"], row["ref"], row["reason"]) == (status, "c-900", "by_person")
    assert row["finished_at"] == row["last_processed_at"] == "2026-11-20T12:01:00.000Z"
    assert (row["started"], "due_at" in row) == (True, False)


def test_an_action_settled_as_not_done_begins_again_without_settling(ledger_rig):
    lease = ledger_rig.claim()
    found = ledger_rig.unknown(reply(), lease)
    ledger_rig.clock.forward(60)
    assert ledger_rig.ledger.settle(found, ActionStatus.PENDING, reason="absent_twice") is True
    row = ledger_rig.row(reply().key)
    assert (row["started"], row["reason"]) == (False, "absent_twice")
    assert row["finished_at"] == iso(NOON), "as it was when its outcome was not known"
    assert ledger_rig.ledger.begin(lease, [reply()], MODES)[0].mine


def test_an_action_restarted_since_is_not_settled_by_an_earlier_check(ledger_rig):
    found = ledger_rig.unknown(reply())
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.ledger.restart(next_lease, reply(), new_start=True)
    ledger_rig.ledger.end_action(next_lease, reply(), ActionStatus.UNKNOWN, reason="timeout")
    assert ledger_rig.ledger.settle(found, ActionStatus.PENDING, reason="absent_twice") is False
    assert ledger_rig.row(reply().key)["status"] == "unknown"


# --- the provider's ids -----------------------------------------------------------------------


def ref_row(ledger_rig):
    (row,) = [row for (key,), row in ledger_rig.table.rows.items() if key.startswith("ref:")]
    return row


def test_an_outcome_and_its_provider_id_are_written_together(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [reply()], MODES)
    ledger_rig.table.calls.clear()
    ended = ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    assert (ended.key, ended.status, ended.ref) == (reply().key, "done", "c-900")
    assert ledger_rig.row(reply().key)["ref"] == "c-900"
    assert ledger_rig.table.calls == ["transact"], "and nothing behind it"


def test_a_providers_id_is_kept_as_a_row_of_table_a_under_a_key_that_never_changes(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [reply()], MODES)
    ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    assert ref_row(ledger_rig) == {
        **REQUIRED,
        "event_id": f"ref:say:{keys.digest('1042', 'c-900')}",
        "received_at": iso(NOON),
        "mode": UNDECIDED.mode,
        "automation_enabled": UNDECIDED.automation_enabled,
        "status": "done",
        "payload_sha256": hashlib.sha256(b"c-900").hexdigest(),
        "payload_bytes": 5,
        "action_key": reply().key,
    }


def test_a_providers_id_names_one_effect_of_one_kind_in_one_conversation(ledger_rig):
    """Richpanel's ids are unique within a ticket; Twilio's and Richpanel's may be equal."""
    found = ledger_rig.unknown(reply())
    elsewhere = UnsettledAction("act:x", "say", "1043", KEY, 0, 0, {})
    otherwise = UnsettledAction("act:y", "sing", "1042", KEY, 0, 0, {})
    asked = UnsettledAction("act:z", "say", "1042", KEY, 0, 0, {})
    claim = partial(ledger_rig.ledger.claim_ref, ref="c-900", is_id_global=False)
    assert all(claim(action) for action in (found, elsewhere, otherwise))
    assert not claim(asked)


def test_a_carriers_id_names_one_text_in_all_conversations(ledger_rig):
    """Its message list covers a pair of numbers, which may have several conversations."""
    first, second = (
        UnsettledAction(key, "send_text", conversation, KEY, 0, 0, {})
        for key, conversation in (("act:x", "1042"), ("act:y", "1043"))
    )
    assert ledger_rig.ledger.claim_ref(first, "SM1", is_id_global=True)
    assert not ledger_rig.ledger.claim_ref(second, "SM1", is_id_global=True)
    assert ledger_rig.table.get({"event_id": f"ref:send_text:{keys.digest('', 'SM1')}"})


@pytest.mark.parametrize("times", [1, 2])
def test_an_id_that_belongs_to_another_action_is_not_this_ones_effect(ledger_rig, times):
    """However often the outcome is written after lost answers."""
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [reply()], MODES)
    other = UnsettledAction("act:earlier", "say", reply().conversation_id, KEY, 0, 0, {})
    assert ledger_rig.ledger.claim_ref(other, "c-900", is_id_global=False)

    for _ in range(times):
        (row,) = ledger_rig.ledger.end_actions(lease, [reply()], ActionStatus.DONE, ref="c-900")

    assert (row.status, row.reason, row.ref) == (ActionStatus.UNKNOWN, "ref_taken", None)
    assert [action.key for action in ledger_rig.ledger.unsettled(limit=9)] == [reply().key]


def test_an_outcome_with_its_provider_id_written_twice_is_written_once(ledger_rig):
    """F23: the SDK repeats an outcome that was written."""
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [reply()], MODES)
    first = ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    ledger_rig.clock.forward(1)
    again = ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    assert (again.finished_at, again.ref) == (first.finished_at, "c-900")


def test_a_provider_id_bound_to_one_action_stays_bound(ledger_rig):
    lease = ledger_rig.claim()
    other = reply("act:rp_reply:1042:c-78")
    ledger_rig.ledger.begin(lease, [reply(), other], MODES)
    ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    ended = ledger_rig.ledger.end_action(lease, other, ActionStatus.DONE, ref="c-900")
    assert (ended.status, ended.reason) == ("unknown", "ref_taken")
    assert ref_row(ledger_rig)["action_key"] == reply().key


def test_a_worker_that_lost_an_action_still_binds_its_provider_id(ledger_rig):
    """F25: the next claimant's check will attribute the effect to this action."""
    stale_lease = ledger_rig.claim()
    ledger_rig.ledger.begin(stale_lease, [reply()], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.ledger.restart(next_lease, reply(), new_start=True)
    before = dict(ledger_rig.row(reply().key))
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.end_action(stale_lease, reply(), ActionStatus.DONE, ref="c-900")
    assert ledger_rig.row(reply().key) == before
    assert ref_row(ledger_rig)["action_key"] == reply().key


def test_an_ended_action_takes_no_other_provider_id(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [reply()], MODES)
    ledger_rig.ledger.end_action(lease, reply(), ActionStatus.REFUSED, reason="http_422")
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.end_action(lease, reply(), ActionStatus.DONE, ref="c-900")
    assert ledger_rig.row(reply().key)["status"] == "refused"


def test_outcomes_that_share_a_provider_id_bind_it_to_the_first(ledger_rig):
    lease = ledger_rig.claim()
    pair = [reply(), reply("act:rp_reply:1042:c-78")]
    ledger_rig.ledger.begin(lease, pair, MODES)
    ended = ledger_rig.ledger.end_actions(lease, pair, ActionStatus.DONE, ref="c-900")
    statuses = [(action.key, action.status) for action in ended]
    assert statuses == [(pair[0].key, "done"), (pair[1].key, "unknown")]
    assert ref_row(ledger_rig)["action_key"] == pair[0].key
