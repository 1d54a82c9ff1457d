"""Writes that meet, and answers that were lost: who has an event or an action afterwards."""

import pytest

from chalicelib.errors import BusyError, LeaseLostError
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import LANDING_SECONDS, Busy, EventStatus, Lease
from chalicelib.once.ledger.events import Ledger
from tests.rigs.ledger import KEY, MODES, NOW, OTHER, TAG, Desk, facts


@pytest.fixture
def desk():
    return Desk()


# --- claims that meet -------------------------------------------------------------------------


def test_of_two_claims_of_an_expired_row_one_wins_and_the_other_is_told_until_when(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.at_expiry()
    won = []
    desk.table.before["put"] = lambda: won.append(desk.claim(lease_seconds=100))
    assert desk.claim() == Busy(until_epoch=desk.clock.now().timestamp() + 100)
    assert (desk.row()["owner"], desk.row()["fence"]) == (won[0].owner, won[0].fence)


def test_a_claim_of_an_expired_row_that_was_received_anew_comes_again_at_once(desk):
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.at_expiry()
    desk.clock.forward(1)
    desk.table.before["put"] = lambda: desk.ledger.receive(facts())
    assert desk.claim() == Busy(until_epoch=desk.clock.now().timestamp())
    assert isinstance(desk.claim(), Lease)


def test_a_claim_of_an_expired_row_that_the_sdk_sent_twice_is_our_own(desk):
    """F22."""
    desk.ledger.finish(desk.claim(), EventStatus.PROCESSED)
    desk.at_expiry()
    ours = Ledger(desk.table, desk.clock, lambda: "ours")

    def already():
        ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())

    desk.table.before["put"] = already
    lease = ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset())
    assert (lease.event, lease.owner, lease.fence) == (facts(), "ours", 2)
    assert desk.row()["owner"] == "ours"


def test_a_claim_that_the_sdk_sent_twice_is_the_claim_it_was(desk):
    """F22."""
    ours = Ledger(desk.table, desk.clock, lambda: "ours")
    first, again = (
        ours.claim(facts(), MODES, lease_seconds=250, takeover=frozenset()) for _ in range(2)
    )
    assert first == again


def test_a_received_mark_is_put_on_nothing_but_a_received_row(desk):
    desk.ledger.queued(KEY)
    assert desk.table.rows == {}
    desk.claim()
    desk.ledger.queued(KEY)
    assert "queued_at" not in desk.row()


# --- actions that are taken over ----------------------------------------------------------------


def test_an_action_of_an_event_that_another_event_holds_is_waited_for(desk):
    """Two events may want one and the same tag."""
    desk.ledger.begin(desk.claim(lease_seconds=250), [TAG], MODES)
    desk.clock.forward(50)
    with pytest.raises(BusyError) as caught:
        desk.ledger.begin(desk.claim("evt:rp:1042:c-78"), [TAG], MODES)
    assert (caught.value.reason, caught.value.delay_seconds) == ("action_busy", 200)
    assert desk.row(TAG.key)["event_key"] == KEY


@pytest.mark.parametrize("seconds", [250, 251])
def test_an_action_that_another_event_left_behind_is_told_as_started(desk, seconds):
    desk.ledger.begin(desk.claim(lease_seconds=250), [TAG], MODES)
    desk.clock.forward(seconds)
    heir = desk.claim("evt:rp:1042:c-78")
    (left,) = desk.ledger.begin(heir, [TAG], MODES)
    assert (left.started, left.mine) == (True, False)
    assert desk.ledger.restart(heir, TAG, anew=True).mine
    assert desk.row(TAG.key)["event_key"] == "evt:rp:1042:c-78"


def test_a_pending_action_that_does_not_say_whether_it_started_may_have(desk):
    """Never sent again on the strength of a row that an older version wrote."""
    desk.ledger.begin(desk.claim(), [TAG], MODES)
    del desk.row(TAG.key)["started"]
    desk.clock.forward(300)
    (left,) = desk.ledger.begin(desk.claim(), [TAG], MODES)
    assert (left.started, left.mine) == (True, False)


def test_what_waited_for_another_action_begins_once_that_is_done(desk):
    """As when a reply of unknown outcome was found."""
    lease = desk.claim()
    for action, reason in ((TAG, "dependency"), (OTHER, "shadow")):
        desk.ledger.skip(lease, action, MODES, reason=reason)
    begun = desk.ledger.begin(lease, [TAG, OTHER], MODES)
    assert [one.mine for one in begun] == [True, False]
    assert desk.row(TAG.key)["status"] == "pending"


def test_a_refusal_of_that_name_is_no_dependency_that_was_not_met(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="dependency")
    assert not desk.ledger.begin(lease, [TAG], MODES)[0].mine


def test_an_action_taken_over_has_no_end_any_more_and_is_its_new_owners(desk):
    found = desk.unknown(TAG)
    assert found.reason == "read_timeout"
    desk.clock.forward(300)
    heir = desk.claim()
    taken = desk.ledger.restart(heir, TAG, anew=True)
    row = desk.row(TAG.key)
    assert (taken.status, taken.mine) == (ActionStatus.PENDING, True)
    assert not {"reason", "finished_at", "unfinished"} & set(row)
    assert (row["owner"], row["fence"], row["lease_until"]) == (heir.owner, 2, NOW + 550)
    assert (row["started_epoch"], row["horizon"]) == (NOW + 300, NOW + 550 + LANDING_SECONDS)
    assert row["last_processed_at"] == "2026-11-20T12:05:00.000Z"
    assert not desk.ledger.unsettled(limit=10)


def test_an_action_taken_over_to_be_judged_keeps_when_it_started_and_what_was_seen(desk):
    found = desk.unknown(TAG)
    desk.ledger.note_look(found)
    desk.clock.forward(300)
    taken = desk.ledger.restart(desk.claim(), TAG, anew=False)
    assert (taken.mine, desk.row(TAG.key)["looks"]) == (True, 1)
    assert taken.unsettled.started_epoch == NOW
    assert taken.unsettled.horizon_epoch == NOW + 250 + LANDING_SECONDS


def test_an_action_that_has_ended_is_told_and_not_taken(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE, ref="r1")
    told = desk.ledger.restart(lease, TAG, anew=True)
    assert (told.key, told.status, told.ref, told.mine) == (TAG.key, "done", "r1", False)


def test_of_two_that_take_an_action_over_one_has_it(desk):
    desk.ledger.begin(desk.claim(), [TAG], MODES)
    desk.clock.forward(300)
    heir = desk.claim("evt:rp:1042:c-78")
    other = desk.claim("evt:rp:1042:c-79")
    desk.table.before["update"] = lambda: desk.ledger.restart(other, TAG, anew=True)
    with pytest.raises(LeaseLostError) as caught:
        desk.ledger.restart(heir, TAG, anew=True)
    assert caught.value.reason == "action_taken"
    assert desk.row(TAG.key)["owner"] == other.owner


def test_an_action_that_its_owner_ended_meanwhile_is_not_taken(desk):
    """The zombie of an event wrote its outcome after all."""
    zombie = desk.claim()
    desk.ledger.begin(zombie, [TAG], MODES)
    desk.clock.forward(300)
    heir = desk.claim()
    desk.table.before["update"] = lambda: desk.ledger.end_action(zombie, TAG, ActionStatus.DONE)
    with pytest.raises(LeaseLostError):
        desk.ledger.restart(heir, TAG, anew=True)
    assert desk.row(TAG.key)["status"] == "done"


def test_a_takeover_that_the_sdk_sent_twice_is_our_own(desk):
    """F22."""
    desk.ledger.begin(desk.claim(), [TAG], MODES)
    desk.clock.forward(300)
    heir = desk.claim()
    desk.table.before["update"] = lambda: desk.ledger.restart(heir, TAG, anew=True)
    taken = desk.ledger.restart(heir, TAG, anew=True)
    assert (taken.mine, taken.status) == (True, ActionStatus.PENDING)


@pytest.mark.parametrize(
    "take",
    [
        lambda ledger, lease: ledger.restart(lease, TAG, anew=True),
        lambda ledger, lease: ledger.begin(lease, [TAG], MODES),
    ],
)
def test_who_is_below_a_rows_fence_is_told_that_it_was_taken(desk, take):
    slept = desk.claim()
    desk.clock.forward(300)
    heir = desk.claim()
    desk.ledger.begin(heir, [TAG], MODES)
    desk.ledger.rearm(heir, [TAG])
    with pytest.raises(LeaseLostError) as caught:
        take(desk.ledger, slept)
    assert caught.value.reason == "action_taken"


@pytest.mark.parametrize(
    ("take", "status"),
    [
        (lambda ledger, lease: ledger.restart(lease, TAG, anew=True), "pending"),
        (lambda ledger, lease: ledger.begin(lease, [TAG], MODES)[0], "pending"),
        (lambda ledger, lease: ledger.skip(lease, TAG, MODES, reason="shadow"), "skipped"),
    ],
)
def test_the_fence_of_another_events_claim_says_nothing_of_ours(desk, take, status):
    """A fence counts the claims of its own event: what an often claimed one left is still ended."""
    for _ in range(3):
        other = desk.claim()
        desk.ledger.release(other, reason="x")
    other = desk.claim()
    desk.ledger.begin(other, [TAG], MODES)
    desk.ledger.rearm(other, [TAG])
    heir = desk.claim("evt:rp:1042:c-78")
    assert heir.fence < other.fence
    assert take(desk.ledger, heir).status == status
    assert (desk.row(TAG.key)["event_key"], desk.row(TAG.key)["owner"]) == (
        heir.event.event_key,
        heir.owner,
    )


def test_what_no_plan_names_is_begun_by_who_has_the_event_and_by_nobody_who_lost_it(desk):
    """A worker stood still before it wrote the row; its heir ended the event, and knew of none."""
    slept = desk.claim()
    desk.clock.forward(300)
    heir = desk.claim()
    desk.table.before["transact"] = lambda: desk.ledger.finish(heir, EventStatus.PROCESSED)
    for lost in (slept, heir):
        with pytest.raises(LeaseLostError) as caught:
            desk.ledger.begin(lost, [TAG], MODES, while_held=True)
        assert caught.value.reason == "lease_lost"
    assert (TAG.key,) not in desk.table.rows

    held = desk.claim("evt:rp:1042:c-78")
    (begun,) = desk.ledger.begin(held, [TAG], MODES, while_held=True)
    assert begun.mine
    assert not begun.started
    assert (desk.row(TAG.key)["status"], desk.row(TAG.key)["started"]) == ("pending", True)
    assert desk.row(TAG.key)["owner"] == held.owner
    assert desk.row(held.event.event_key)["status"] == "processing"
    assert "get" not in desk.table.calls


def test_what_was_begun_already_is_told_whether_or_not_a_plan_names_it(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES, while_held=True)
    (again,) = desk.ledger.begin(lease, [TAG], MODES, while_held=True)
    assert again.mine
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    (ended,) = desk.ledger.begin(lease, [TAG], MODES, while_held=True)
    assert (ended.status, ended.mine) == ("done", False)


@pytest.mark.parametrize(
    ("status", "reason"),
    [("skipped", "dependency"), ("skipped", "shadow"), ("refused", "http_422"), ("unknown", "x")],
)
def test_what_had_an_end_is_opened_again_by_who_has_the_event_and_by_nobody_who_lost_it(
    desk, status, reason
):
    """A worker stood still before it did so; its heir left the row alone, and ended the event."""
    first = desk.claim()
    if status == "skipped":
        desk.ledger.skip(first, TAG, MODES, reason=reason)
    else:
        desk.ledger.begin(first, [TAG], MODES)
        desk.ledger.end_action(first, TAG, ActionStatus(status), reason=reason)

    def open_again(lease):
        if status == "unknown":
            return desk.ledger.restart(lease, TAG, anew=True)
        return desk.ledger.begin(lease, [TAG], MODES, operator=True)[0]

    desk.clock.forward(300)
    slept = desk.claim()
    desk.clock.forward(300)
    desk.table.before["transact"] = lambda: desk.ledger.finish(
        desk.claim(), EventStatus.PROCESSED, reason="withheld"
    )
    with pytest.raises(LeaseLostError) as caught:
        open_again(slept)
    assert caught.value.reason == "lease_lost"
    assert (desk.row(TAG.key)["status"], desk.row(TAG.key)["reason"]) == (status, reason)

    holder = desk.claim(takeover=frozenset({EventStatus.PROCESSED}))
    opened = open_again(holder)
    assert (opened.status, opened.reason, opened.mine) == ("pending", None, True)
    row = desk.row(TAG.key)
    assert (row["status"], row["started"], row["fence"]) == ("pending", True, holder.fence)
    assert not {"reason", "finished_at", "unfinished"} & row.keys()
    assert opened.unsettled.started_epoch == row["started_epoch"]
    assert desk.row()["status"] == "processing"


def test_of_two_that_open_a_row_again_one_has_it(desk):
    lease = desk.claim()
    desk.ledger.skip(lease, TAG, MODES, reason="shadow")
    other = desk.claim("evt:rp:1042:c-78")
    desk.table.before["transact"] = lambda: desk.ledger.begin(other, [TAG], MODES, operator=True)
    with pytest.raises(LeaseLostError) as caught:
        desk.ledger.begin(lease, [TAG], MODES, operator=True)
    assert caught.value.reason == "action_taken"
    assert desk.row(TAG.key)["owner"] == other.owner


def test_who_opens_a_row_again_and_is_not_answered_has_it_all_the_same(desk):
    lease = desk.claim()
    desk.ledger.skip(lease, TAG, MODES, reason="shadow")
    desk.table.before["transact"] = lambda: desk.ledger.begin(lease, [TAG], MODES, operator=True)
    (opened,) = desk.ledger.begin(lease, [TAG], MODES, operator=True)
    assert (opened.status, opened.mine) == ("pending", True)


def test_a_row_that_is_gone_is_told_as_gone(desk):
    with pytest.raises(LeaseLostError) as caught:
        desk.ledger.restart(desk.claim(), TAG, anew=True)
    assert caught.value.reason == "action_gone"


def test_of_two_that_begin_an_expired_action_one_has_it(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.at_expiry()
    heir, other = desk.claim(), desk.claim("evt:rp:1042:c-78")
    desk.table.before["put"] = lambda: desk.ledger.begin(other, [TAG], MODES)
    with pytest.raises(LeaseLostError) as caught:
        desk.ledger.begin(heir, [TAG], MODES)
    assert caught.value.reason == "action_taken"
    assert desk.row(TAG.key)["owner"] == other.owner


def test_a_begin_of_an_expired_action_that_the_sdk_sent_twice_is_our_own(desk):
    """F22."""
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.at_expiry()
    heir = desk.claim()
    desk.table.before["put"] = lambda: desk.ledger.begin(heir, [TAG], MODES)
    assert desk.ledger.begin(heir, [TAG], MODES)[0].mine


def test_who_lost_an_event_or_an_action_is_told_which(desk):
    zombie = desk.claim()
    desk.ledger.begin(zombie, [TAG], MODES)
    desk.clock.forward(300)
    heir = desk.claim()
    desk.ledger.restart(heir, TAG, anew=True)
    reasons = []
    for write in (
        lambda: desk.ledger.finish(zombie, EventStatus.PROCESSED),
        lambda: desk.ledger.end_action(zombie, TAG, ActionStatus.DONE),
        lambda: desk.ledger.rearm(zombie, [TAG]),
    ):
        with pytest.raises(LeaseLostError) as caught:
            write()
        reasons.append(caught.value.reason)
    assert reasons == ["lease_lost", "action_lost", "action_lost"]


def test_an_action_is_not_ended_by_another_events_worker_that_lost_it(desk):
    """F25: the fences of two events may well be equal."""
    zombie = desk.claim()
    desk.ledger.begin(zombie, [TAG, OTHER], MODES)
    desk.clock.forward(300)
    heir = desk.claim("evt:rp:1042:c-78")
    assert heir.fence == zombie.fence
    desk.ledger.restart(heir, TAG, anew=True)
    for write in (
        lambda: desk.ledger.end_action(zombie, TAG, ActionStatus.DONE),
        lambda: desk.ledger.end_actions(zombie, [TAG, OTHER], ActionStatus.DONE),
        lambda: desk.ledger.rearm(zombie, [TAG]),
    ):
        with pytest.raises(LeaseLostError):
            write()
    assert (desk.row(TAG.key)["status"], desk.row(TAG.key)["started"]) == ("pending", True)


def test_an_end_that_differs_from_the_one_written_is_refused(desk):
    """F23: only the very same end is a repetition."""
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG], MODES)
    desk.ledger.end_action(lease, TAG, ActionStatus.DONE)
    desk.ledger.finish(lease, EventStatus.PROCESSED)
    with pytest.raises(LeaseLostError):
        desk.ledger.end_action(lease, TAG, ActionStatus.REFUSED, reason="x")
    with pytest.raises(LeaseLostError):
        desk.ledger.rearm(lease, [TAG])
    with pytest.raises(LeaseLostError):
        desk.ledger.finish(lease, EventStatus.FAILED, reason="x")
    with pytest.raises(LeaseLostError):
        desk.ledger.store_plan(lease, "p", intent=None, modes=MODES)
    assert (desk.row(TAG.key)["status"], desk.row()["status"]) == ("done", "processed")


def test_outcomes_of_one_request_are_written_in_one_call(desk):
    lease = desk.claim()
    desk.ledger.begin(lease, [TAG, OTHER], MODES)
    desk.clock.forward(2)
    desk.table.calls.clear()
    ended = desk.ledger.end_actions(
        lease, [TAG, OTHER], ActionStatus.REFUSED, reason="http_422", ref="r-9"
    )
    assert desk.table.calls == ["update_all"]
    at = "2026-11-20T12:00:02.000Z"
    told = [(one.key, one.status, one.reason, one.ref, one.finished_at) for one in ended]
    assert told == [(one.key, "refused", "http_422", "r-9", at) for one in (TAG, OTHER)]
    for action in (TAG, OTHER):
        row = desk.row(action.key)
        assert (row["status"], row["reason"], row["ref"]) == ("refused", "http_422", "r-9")
        assert row["finished_at"] == row["last_processed_at"] == at
