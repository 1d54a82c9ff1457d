"""What is known of an effect afterwards: how it is settled, and the provider's id of it."""

import hashlib

import pytest

from chalicelib.clock import iso
from chalicelib.errors import LeaseLostError
from chalicelib.once import keys
from chalicelib.once.action import ActionStatus, UnsettledAction
from chalicelib.once.event import LANDING_SECONDS
from chalicelib.once.ports import UNDECIDED
from tests.rigs.fakes import NOON
from tests.rigs.ledger import KEY, MODES, NOW, OTHER, REQUIRED, TAG, Desk, Say


@pytest.fixture
def desk():
    return Desk()


# --- settling ---------------------------------------------------------------------------------


def test_what_a_settler_needs_is_on_the_row(desk):
    assert desk.unknown(Say()) == UnsettledAction(
        key=Say().key,
        kind="say",
        conversation_id="1042",
        event_key=KEY,
        started_epoch=NOW,
        horizon_epoch=NOW + 250 + LANDING_SECONDS,
        probe={"author": "bot", "body": "hash"},
        reason="read_timeout",
        owner="owner-1",
    )


def test_no_more_unknown_actions_are_taken_at_once_than_asked_for_and_the_oldest_first(desk):
    lease = desk.claim()
    for action in (OTHER, TAG, Say()):
        desk.unknown(action, lease)
        desk.clock.forward(1)
    assert [one.key for one in desk.ledger.unsettled(limit=2)] == [OTHER.key, TAG.key]


def test_a_look_that_showed_nothing_is_counted_with_its_time(desk):
    found = desk.unknown(Say())
    desk.clock.forward(30)
    desk.ledger.note_look(found)
    (again,) = desk.ledger.unsettled(limit=10)
    assert (again.looks, again.looked_epoch) == (1, NOW + 30)


def test_a_look_at_what_was_settled_meanwhile_changes_nothing(desk):
    found = desk.unknown(Say())
    desk.ledger.settle(found, ActionStatus.DONE, ref="r", reason="settled")
    before = dict(desk.row(Say().key))
    desk.ledger.note_look(found)
    assert desk.row(Say().key) == before
    desk.table.delete({"event_id": Say().key})
    desk.ledger.note_look(found)
    assert (Say().key,) not in desk.table.rows


def test_a_look_of_a_worker_at_its_own_pending_action_is_counted(desk):
    desk.unknown(Say())
    desk.clock.forward(300)
    taken = desk.ledger.restart(desk.claim(), Say(), anew=False)
    desk.ledger.note_look(taken.unsettled)
    assert desk.row(Say().key)["looks"] == 1


@pytest.mark.parametrize("anew", [True, False])
def test_a_look_of_a_worker_whose_action_was_taken_over_is_not_counted(desk, anew):
    """It looked for what an earlier start did; counted for a new one, that would be looked for once."""
    found = desk.unknown(Say())
    desk.clock.forward(300)
    desk.ledger.restart(desk.claim(), Say(), anew=anew)
    before = dict(desk.row(Say().key))
    desk.ledger.note_look(found)
    assert desk.row(Say().key) == before


@pytest.mark.parametrize("status", [ActionStatus.DONE, ActionStatus.ABANDONED])
def test_a_settled_action_reads_how_and_when_it_was_settled(desk, status):
    found = desk.unknown(Say())
    desk.clock.forward(60)
    assert desk.ledger.settle(found, status, ref="c-900", reason="by_person") is True
    row = desk.row(Say().key)
    assert (row["status"], row["ref"], row["reason"]) == (status, "c-900", "by_person")
    assert row["finished_at"] == row["last_processed_at"] == "2026-11-20T12:01:00.000Z"
    assert (row["started"], "unfinished" in row) == (True, False)


def test_what_was_settled_as_not_done_begins_anew_without_any_settling(desk):
    lease = desk.claim()
    found = desk.unknown(Say(), lease)
    desk.clock.forward(60)
    assert desk.ledger.settle(found, ActionStatus.PENDING, reason="absent_twice") is True
    row = desk.row(Say().key)
    assert (row["started"], row["reason"]) == (False, "absent_twice")
    assert row["finished_at"] == iso(NOON), "as it was when its outcome was not known"
    assert desk.ledger.begin(lease, [Say()], MODES)[0].mine


def test_what_was_begun_again_since_is_not_settled_by_what_was_seen_before(desk):
    found = desk.unknown(Say())
    desk.clock.forward(300)
    heir = desk.claim()
    desk.ledger.restart(heir, Say(), anew=True)
    desk.ledger.end_action(heir, Say(), ActionStatus.UNKNOWN, reason="read_timeout")
    assert desk.ledger.settle(found, ActionStatus.PENDING, reason="absent_twice") is False
    assert desk.row(Say().key)["status"] == "unknown"


# --- the provider's ids -----------------------------------------------------------------------


def ref_row(desk):
    (row,) = [row for (key,), row in desk.table.rows.items() if key.startswith("ref:")]
    return row


def test_an_outcome_and_the_providers_id_of_it_are_written_together(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [Say()], MODES)
    desk.table.calls.clear()
    ended = desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    assert (ended.key, ended.status, ended.ref) == (Say().key, "done", "c-900")
    assert desk.row(Say().key)["ref"] == "c-900"
    assert desk.table.calls == ["transact"], "and nothing behind it"


def test_a_providers_id_is_kept_as_a_row_of_table_a_under_a_key_that_never_changes(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [Say()], MODES)
    desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    assert ref_row(desk) == {
        **REQUIRED,
        "event_id": f"ref:say:{keys.digest('1042', 'c-900')}",
        "received_at": iso(NOON),
        "mode": UNDECIDED.mode,
        "automation_enabled": UNDECIDED.automation_enabled,
        "status": "done",
        "payload_sha256": hashlib.sha256(b"c-900").hexdigest(),
        "payload_bytes": 5,
        "action_key": Say().key,
    }


def test_a_providers_id_names_one_effect_of_one_kind_in_one_conversation(desk):
    """Richpanel's ids are a ticket's own; Twilio's and Richpanel's may be equal."""
    found = desk.unknown(Say())
    elsewhere = UnsettledAction("act:x", "say", "1043", KEY, 0, 0, {})
    otherwise = UnsettledAction("act:y", "sing", "1042", KEY, 0, 0, {})
    assert all(desk.ledger.claim_ref(one, "c-900") for one in (found, elsewhere, otherwise))
    assert not desk.ledger.claim_ref(
        UnsettledAction("act:z", "say", "1042", KEY, 0, 0, {}), "c-900"
    )


def test_a_carriers_id_names_one_text_in_all_conversations(desk):
    """Its list is a pair of numbers', which may have several."""
    one, other = (
        UnsettledAction(key, "send_text", conversation, KEY, 0, 0, {})
        for key, conversation in (("act:x", "1042"), ("act:y", "1043"))
    )
    assert desk.ledger.claim_ref(one, "SM1")
    assert not desk.ledger.claim_ref(other, "SM1")


def test_an_outcome_with_its_reference_written_twice_is_written_once(desk):
    """F23."""
    lease = desk.claim()
    desk.ledger.begin(lease, [Say()], MODES)
    first = desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    desk.clock.forward(1)
    again = desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    assert (again.finished_at, again.ref) == (first.finished_at, "c-900")


def test_a_reference_that_is_another_actions_stays_that_ones(desk):
    lease = desk.claim()
    twin = Say("act:rp_reply:1042:c-78")
    desk.ledger.begin(lease, [Say(), twin], MODES)
    desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    assert desk.ledger.end_action(lease, twin, ActionStatus.DONE, ref="c-900").status == "done"
    assert ref_row(desk)["action_key"] == Say().key


def test_who_lost_an_action_ends_it_not_but_what_it_did_is_known_by_the_providers_id(desk):
    """F25: the heir that looks will find the effect to be this action's."""
    zombie = desk.claim()
    desk.ledger.begin(zombie, [Say()], MODES)
    desk.clock.forward(300)
    heir = desk.claim()
    desk.ledger.restart(heir, Say(), anew=True)
    before = dict(desk.row(Say().key))
    with pytest.raises(LeaseLostError):
        desk.ledger.end_action(zombie, Say(), ActionStatus.DONE, ref="c-900")
    assert desk.row(Say().key) == before
    assert ref_row(desk)["action_key"] == Say().key


def test_an_action_that_has_ended_takes_no_other_reference(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [Say()], MODES)
    desk.ledger.end_action(lease, Say(), ActionStatus.REFUSED, reason="http_422")
    with pytest.raises(LeaseLostError):
        desk.ledger.end_action(lease, Say(), ActionStatus.DONE, ref="c-900")
    assert desk.row(Say().key)["status"] == "refused"


def test_outcomes_that_share_a_reference_are_each_bound_where_they_can_be_read_back(desk):
    lease = desk.claim()
    pair = [Say(), Say("act:rp_reply:1042:c-78")]
    desk.ledger.begin(lease, pair, MODES)
    ended = desk.ledger.end_actions(lease, pair, ActionStatus.DONE, ref="c-900")
    assert [(one.key, one.status) for one in ended] == [(one.key, "done") for one in pair]
    assert ref_row(desk)["action_key"] == pair[0].key
