"""Concurrent writes and lost responses: which worker owns an event or an action afterwards."""

import pytest

from chalicelib.errors import BusyError, LeaseLostError
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import LANDING_SECONDS, Busy, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from tests.rigs.ledger import KEY, MODES, NOW, OTHER, TAG, facts

# --- concurrent claims ------------------------------------------------------------------------


def test_of_two_claims_of_an_expired_row_one_wins_and_the_other_is_busy(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.at_expiry()
    won = []
    ledger_rig.table.before["put"] = lambda: won.append(ledger_rig.claim(lease_seconds=100))
    assert ledger_rig.claim() == Busy(until_epoch=ledger_rig.clock.now().timestamp() + 100)
    assert (ledger_rig.row()["owner"], ledger_rig.row()["fence"]) == (won[0].owner, won[0].fence)


def test_a_claim_of_an_expired_row_that_was_received_again_is_retried_at_once(ledger_rig):
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.at_expiry()
    ledger_rig.clock.forward(1)
    ledger_rig.table.before["put"] = lambda: ledger_rig.ledger.receive(facts())
    assert ledger_rig.claim() == Busy(until_epoch=ledger_rig.clock.now().timestamp())
    assert isinstance(ledger_rig.claim(), Lease)


def test_a_claim_of_an_expired_row_retried_by_the_sdk_is_our_own(ledger_rig):
    """F22: the SDK repeats a claim that succeeded."""
    ledger_rig.ledger.finish(ledger_rig.claim(), EventStatus.PROCESSED)
    ledger_rig.at_expiry()
    ours = Ledger(table=ledger_rig.table, clock=ledger_rig.clock, new_owner=lambda: "ours")

    def already():
        ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())

    ledger_rig.table.before["put"] = already
    lease = ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    assert (lease.event, lease.owner, lease.fence) == (facts(), "ours", 2)
    assert ledger_rig.row()["owner"] == "ours"


def test_a_claim_retried_by_the_sdk_returns_the_same_lease(ledger_rig):
    """F22: the SDK repeats a claim that succeeded."""
    ours = Ledger(table=ledger_rig.table, clock=ledger_rig.clock, new_owner=lambda: "ours")
    first, again = (
        ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset()) for _ in range(2)
    )
    assert first == again


# --- actions that are taken over ----------------------------------------------------------------


def test_an_action_of_an_event_that_another_event_holds_is_waited_for(ledger_rig):
    """Two events may want one and the same tag."""
    ledger_rig.ledger.begin(ledger_rig.claim(lease_seconds=250), [TAG], MODES)
    ledger_rig.clock.forward(50)
    with pytest.raises(BusyError) as caught:
        ledger_rig.ledger.begin(ledger_rig.claim("evt:rp:1042:c-78"), [TAG], MODES)
    assert (caught.value.reason, caught.value.delay_seconds) == ("action_busy", 200)
    assert ledger_rig.row(TAG.key)["event_key"] == KEY


@pytest.mark.parametrize("seconds", [250, 251])
def test_an_action_abandoned_by_another_event_is_returned_as_started(ledger_rig, seconds):
    ledger_rig.ledger.begin(ledger_rig.claim(lease_seconds=250), [TAG], MODES)
    ledger_rig.clock.forward(seconds)
    next_lease = ledger_rig.claim("evt:rp:1042:c-78")
    (left,) = ledger_rig.ledger.begin(next_lease, [TAG], MODES)
    assert (left.started, left.mine) == (True, False)
    assert ledger_rig.ledger.restart(next_lease, TAG, new_start=True).mine
    assert ledger_rig.row(TAG.key)["event_key"] == "evt:rp:1042:c-78"


def test_a_pending_action_without_a_started_flag_counts_as_started(ledger_rig):
    """A row that does not say whether its request left must not cause a second one."""
    ledger_rig.ledger.begin(ledger_rig.claim(), [TAG], MODES)
    del ledger_rig.row(TAG.key)["started"]
    ledger_rig.clock.forward(300)
    (left,) = ledger_rig.ledger.begin(ledger_rig.claim(), [TAG], MODES)
    assert (left.started, left.mine) == (True, False)


def test_an_action_skipped_for_its_dependency_begins_once_that_is_done(ledger_rig):
    """For example when a reply of unknown outcome was found."""
    lease = ledger_rig.claim()
    for action, reason in ((TAG, "dependency"), (OTHER, "shadow")):
        ledger_rig.ledger.skip(lease, action, MODES, reason=reason)
    begun = ledger_rig.ledger.begin(lease, [TAG, OTHER], MODES)
    assert [action.mine for action in begun] == [True, False]
    assert ledger_rig.row(TAG.key)["status"] == "pending"


def test_a_refusal_with_the_reason_dependency_is_not_reopened(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="dependency")
    assert not ledger_rig.ledger.begin(lease, [TAG], MODES)[0].mine


def test_an_action_taken_over_loses_its_end_and_belongs_to_its_new_owner(ledger_rig):
    found = ledger_rig.unknown(TAG)
    assert found.reason == "timeout"
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    taken = ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    row = ledger_rig.row(TAG.key)
    assert (taken.status, taken.mine) == (ActionStatus.PENDING, True)
    assert not {"reason", "finished_at", "due_at"} & set(row)
    assert (row["owner"], row["fence"], row["lease_until"]) == (next_lease.owner, 2, NOW + 550)
    assert (row["started_epoch"], row["horizon"]) == (NOW + 300, NOW + 550 + LANDING_SECONDS)
    assert row["last_processed_at"] == "2026-11-20T12:05:00.000Z"
    assert not ledger_rig.ledger.unsettled(limit=10)


def test_an_action_taken_over_for_settling_keeps_its_start_and_checks(ledger_rig):
    found = ledger_rig.unknown(TAG)
    ledger_rig.ledger.count_empty_answer(found)
    ledger_rig.clock.forward(300)
    taken = ledger_rig.ledger.restart(ledger_rig.claim(), TAG, new_start=False)
    assert (taken.mine, ledger_rig.row(TAG.key)["looks"]) == (True, 1)
    assert taken.unsettled.started_epoch == NOW
    assert taken.unsettled.horizon_epoch == NOW + 250 + LANDING_SECONDS


def test_an_ended_action_is_returned_and_not_taken_over(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE, ref="r1")
    returned = ledger_rig.ledger.restart(lease, TAG, new_start=True)
    assert (returned.key, returned.status, returned.ref, returned.mine) == (
        TAG.key,
        "done",
        "r1",
        False,
    )


def test_of_two_takeovers_of_an_action_one_wins(ledger_rig):
    ledger_rig.ledger.begin(ledger_rig.claim(), [TAG], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim("evt:rp:1042:c-78")
    other = ledger_rig.claim("evt:rp:1042:c-79")
    ledger_rig.table.before["update"] = lambda: ledger_rig.ledger.restart(
        other, TAG, new_start=True
    )
    with pytest.raises(LeaseLostError) as caught:
        ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    assert caught.value.reason == "action_taken"
    assert ledger_rig.row(TAG.key)["owner"] == other.owner


def test_an_action_its_owner_ended_meanwhile_is_not_taken_over(ledger_rig):
    """The worker that lost the event wrote its outcome after all."""
    stale_lease = ledger_rig.claim()
    ledger_rig.ledger.begin(stale_lease, [TAG], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.table.before["update"] = lambda: ledger_rig.ledger.end_action(
        stale_lease, TAG, ActionStatus.DONE
    )
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    assert ledger_rig.row(TAG.key)["status"] == "done"


def test_a_takeover_retried_by_the_sdk_is_our_own(ledger_rig):
    """F22: the SDK repeats a claim that succeeded."""
    ledger_rig.ledger.begin(ledger_rig.claim(), [TAG], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.table.before["update"] = lambda: ledger_rig.ledger.restart(
        next_lease, TAG, new_start=True
    )
    taken = ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    assert (taken.mine, taken.status) == (True, ActionStatus.PENDING)


@pytest.mark.parametrize(
    "take",
    [
        lambda ledger, lease: ledger.restart(lease, TAG, new_start=True),
        lambda ledger, lease: ledger.begin(lease, [TAG], MODES),
    ],
)
def test_a_worker_with_a_lower_fence_gets_action_taken(ledger_rig, take):
    stale_lease = ledger_rig.claim()
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.ledger.begin(next_lease, [TAG], MODES)
    ledger_rig.ledger.rearm(next_lease, [TAG])
    with pytest.raises(LeaseLostError) as caught:
        take(ledger_rig.ledger, stale_lease)
    assert caught.value.reason == "action_taken"


@pytest.mark.parametrize(
    ("take", "status"),
    [
        (lambda ledger, lease: ledger.restart(lease, TAG, new_start=True), "pending"),
        (lambda ledger, lease: ledger.begin(lease, [TAG], MODES)[0], "pending"),
        (lambda ledger, lease: ledger.skip(lease, TAG, MODES, reason="shadow"), "skipped"),
    ],
)
def test_the_fence_of_another_events_claim_says_nothing_of_ours(ledger_rig, take, status):
    """A fence counts one event's claims: an action left by an often claimed event can still end."""
    for _ in range(3):
        other = ledger_rig.claim()
        ledger_rig.ledger.release(other, reason="x", due_epoch=NOW)
    other = ledger_rig.claim()
    ledger_rig.ledger.begin(other, [TAG], MODES)
    ledger_rig.ledger.rearm(other, [TAG])
    next_lease = ledger_rig.claim("evt:rp:1042:c-78")
    assert next_lease.fence < other.fence
    assert take(ledger_rig.ledger, next_lease).status == status
    assert (ledger_rig.row(TAG.key)["event_key"], ledger_rig.row(TAG.key)["owner"]) == (
        next_lease.event.event_key,
        next_lease.owner,
    )


def test_an_unplanned_action_begins_only_while_its_event_is_held(ledger_rig):
    """A worker was paused before it wrote the row; the next claimant ended the event without it."""
    stale_lease = ledger_rig.claim()
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.table.before["transact"] = lambda: ledger_rig.ledger.finish(
        next_lease, EventStatus.PROCESSED
    )
    for lost in (stale_lease, next_lease):
        with pytest.raises(LeaseLostError) as caught:
            ledger_rig.ledger.begin(lost, [TAG], MODES, while_held=True)
        assert caught.value.reason == "lease_lost"
    assert (TAG.key,) not in ledger_rig.table.rows

    held = ledger_rig.claim("evt:rp:1042:c-78")
    (begun,) = ledger_rig.ledger.begin(held, [TAG], MODES, while_held=True)
    assert begun.mine
    assert not begun.started
    assert (ledger_rig.row(TAG.key)["status"], ledger_rig.row(TAG.key)["started"]) == (
        "pending",
        True,
    )
    assert ledger_rig.row(TAG.key)["owner"] == held.owner
    assert ledger_rig.row(held.event.event_key)["status"] == "processing"
    assert "get" not in ledger_rig.table.calls


def test_an_unplanned_action_that_already_began_is_returned(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES, while_held=True)
    (again,) = ledger_rig.ledger.begin(lease, [TAG], MODES, while_held=True)
    assert again.mine
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    (ended,) = ledger_rig.ledger.begin(lease, [TAG], MODES, while_held=True)
    assert (ended.status, ended.mine) == ("done", False)


@pytest.mark.parametrize(
    ("status", "reason"),
    [("skipped", "dependency"), ("skipped", "shadow"), ("refused", "http_422"), ("unknown", "x")],
)
def test_an_ended_action_is_reopened_only_while_its_event_is_held(ledger_rig, status, reason):
    """A worker was paused before its write; the next claimant left the row and ended the event."""
    first = ledger_rig.claim()
    if status == "skipped":
        ledger_rig.ledger.skip(first, TAG, MODES, reason=reason)
    else:
        ledger_rig.ledger.begin(first, [TAG], MODES)
        ledger_rig.ledger.end_action(first, TAG, ActionStatus(status), reason=reason)

    def open_again(lease):
        if status == "unknown":
            return ledger_rig.ledger.restart(lease, TAG, new_start=True)
        return ledger_rig.ledger.begin(lease, [TAG], MODES, operator=True)[0]

    ledger_rig.clock.forward(300)
    stale_lease = ledger_rig.claim()
    ledger_rig.clock.forward(300)
    ledger_rig.table.before["transact"] = lambda: ledger_rig.ledger.finish(
        ledger_rig.claim(), EventStatus.PROCESSED, reason="withheld"
    )
    with pytest.raises(LeaseLostError) as caught:
        open_again(stale_lease)
    assert caught.value.reason == "lease_lost"
    assert (ledger_rig.row(TAG.key)["status"], ledger_rig.row(TAG.key)["reason"]) == (
        status,
        reason,
    )

    holder = ledger_rig.claim(takeover=frozenset({EventStatus.PROCESSED}))
    opened = open_again(holder)
    assert (opened.status, opened.reason, opened.mine) == ("pending", None, True)
    row = ledger_rig.row(TAG.key)
    assert (row["status"], row["started"], row["fence"]) == ("pending", True, holder.fence)
    assert not {"reason", "finished_at", "due_at"} & row.keys()
    assert opened.unsettled.started_epoch == row["started_epoch"]
    assert ledger_rig.row()["status"] == "processing"


def test_of_two_reopenings_of_an_action_one_wins(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.skip(lease, TAG, MODES, reason="shadow")
    other = ledger_rig.claim("evt:rp:1042:c-78")
    ledger_rig.table.before["transact"] = lambda: ledger_rig.ledger.begin(
        other, [TAG], MODES, operator=True
    )
    with pytest.raises(LeaseLostError) as caught:
        ledger_rig.ledger.begin(lease, [TAG], MODES, operator=True)
    assert caught.value.reason == "action_taken"
    assert ledger_rig.row(TAG.key)["owner"] == other.owner


def test_a_reopening_whose_response_was_lost_is_our_own(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.skip(lease, TAG, MODES, reason="shadow")
    ledger_rig.table.before["transact"] = lambda: ledger_rig.ledger.begin(
        lease, [TAG], MODES, operator=True
    )
    (opened,) = ledger_rig.ledger.begin(lease, [TAG], MODES, operator=True)
    assert (opened.status, opened.mine) == ("pending", True)


def test_a_missing_action_row_is_reported_as_gone(ledger_rig):
    with pytest.raises(LeaseLostError) as caught:
        ledger_rig.ledger.restart(ledger_rig.claim(), TAG, new_start=True)
    assert caught.value.reason == "action_gone"


def test_of_two_begins_of_an_expired_action_one_wins(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.at_expiry()
    next_lease, other = ledger_rig.claim(), ledger_rig.claim("evt:rp:1042:c-78")
    ledger_rig.table.before["put"] = lambda: ledger_rig.ledger.begin(other, [TAG], MODES)
    with pytest.raises(LeaseLostError) as caught:
        ledger_rig.ledger.begin(next_lease, [TAG], MODES)
    assert caught.value.reason == "action_taken"
    assert ledger_rig.row(TAG.key)["owner"] == other.owner


def test_a_begin_of_an_expired_action_retried_by_the_sdk_is_our_own(ledger_rig):
    """F22: the SDK repeats a claim that succeeded."""
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.at_expiry()
    next_lease = ledger_rig.claim()
    ledger_rig.table.before["put"] = lambda: ledger_rig.ledger.begin(next_lease, [TAG], MODES)
    assert ledger_rig.ledger.begin(next_lease, [TAG], MODES)[0].mine


def test_the_error_says_whether_the_event_or_the_action_was_lost(ledger_rig):
    stale_lease = ledger_rig.claim()
    ledger_rig.ledger.begin(stale_lease, [TAG], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim()
    ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    reasons = []
    for write in (
        lambda: ledger_rig.ledger.finish(stale_lease, EventStatus.PROCESSED),
        lambda: ledger_rig.ledger.end_action(stale_lease, TAG, ActionStatus.DONE),
        lambda: ledger_rig.ledger.rearm(stale_lease, [TAG]),
    ):
        with pytest.raises(LeaseLostError) as caught:
            write()
        reasons.append(caught.value.reason)
    assert reasons == ["lease_lost", "action_lost", "action_lost"]


def test_an_action_taken_over_by_another_event_is_not_ended_by_its_first_worker(ledger_rig):
    """F25: the fences of two events may be equal."""
    stale_lease = ledger_rig.claim()
    ledger_rig.ledger.begin(stale_lease, [TAG, OTHER], MODES)
    ledger_rig.clock.forward(300)
    next_lease = ledger_rig.claim("evt:rp:1042:c-78")
    assert next_lease.fence == stale_lease.fence
    ledger_rig.ledger.restart(next_lease, TAG, new_start=True)
    for write in (
        lambda: ledger_rig.ledger.end_action(stale_lease, TAG, ActionStatus.DONE),
        lambda: ledger_rig.ledger.end_actions(stale_lease, [TAG, OTHER], ActionStatus.DONE),
        lambda: ledger_rig.ledger.rearm(stale_lease, [TAG]),
    ):
        with pytest.raises(LeaseLostError):
            write()
    assert (ledger_rig.row(TAG.key)["status"], ledger_rig.row(TAG.key)["started"]) == (
        "pending",
        True,
    )


def test_an_end_that_differs_from_the_one_written_is_refused(ledger_rig):
    """F23: only the identical end counts as a repetition."""
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG], MODES)
    ledger_rig.ledger.end_action(lease, TAG, ActionStatus.DONE)
    ledger_rig.ledger.finish(lease, EventStatus.PROCESSED)
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="x")
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.rearm(lease, [TAG])
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.finish(lease, EventStatus.FAILED, reason="x")
    with pytest.raises(LeaseLostError):
        ledger_rig.ledger.store_plan(lease, "p", intent=None, modes=MODES)
    assert (ledger_rig.row(TAG.key)["status"], ledger_rig.row()["status"]) == ("done", "processed")


def test_outcomes_of_one_request_are_written_in_one_call(ledger_rig):
    lease = ledger_rig.claim()
    ledger_rig.ledger.begin(lease, [TAG, OTHER], MODES)
    ledger_rig.clock.forward(2)
    ledger_rig.table.calls.clear()
    ended = ledger_rig.ledger.end_actions(
        lease, [TAG, OTHER], ActionStatus.REFUSED, reason="http_422", ref="r-9"
    )
    assert ledger_rig.table.calls == ["update_all"]
    at = "2026-11-20T12:00:02.000Z"
    returned = [
        (action.key, action.status, action.reason, action.ref, action.finished_at)
        for action in ended
    ]
    assert returned == [(action.key, "refused", "http_422", "r-9", at) for action in (TAG, OTHER)]
    for action in (TAG, OTHER):
        row = ledger_rig.row(action.key)
        assert (row["status"], row["reason"], row["ref"]) == ("refused", "http_422", "r-9")
        assert row["finished_at"] == row["last_processed_at"] == at
