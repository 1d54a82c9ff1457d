"""The ledger's contract: one claim wins, a lost lease writes nothing."""

import itertools

import pytest

from chalicelib.errors import LeaseLostError
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import (
    QUEUED_SECONDS,
    RECEIPT_GONE,
    Busy,
    EventStatus,
    Finished,
    Lease,
    Receipt,
)
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import UNDECIDED
from chalicelib.support.effects import add_tag
from tests.rigs.fakes import ManualClock
from tests.rigs.ledger import MODES, facts

NOTHING = frozenset()
REQUIRED = {
    "event_id": str,
    "created_at": str,
    "last_processed_at": str,
    "received_at": str,
    "expires_at": int,
    "status": str,
    "mode": str,
    "conversation_id": str,
    "safe_mode": bool,
    "automation_enabled": bool,
    "payload_sha256": str,
    "payload_bytes": int,
}


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table(table_a):
    return table_a


@pytest.fixture
def ledger(table, clock):
    owners = (f"owner-{n}" for n in itertools.count(1))
    return Ledger(table=table, clock=clock, new_owner=lambda: next(owners))


def claim(ledger, event=None, *, lease_seconds=250.0, takeover=NOTHING, **more):
    return ledger.claim(
        event or facts(), MODES, lease_seconds=lease_seconds, takeover=takeover, **more
    )


def row(table, key="evt:rp:1042:c-77"):
    return table.get({"event_id": key})


# --- claims ---------------------------------------------------------------------------------


def test_a_new_event_is_claimed_with_every_attribute_the_data_model_demands(ledger, table):
    lease = claim(ledger)
    stored = row(table)
    assert isinstance(lease, Lease)
    assert (lease.fence, lease.attempts, lease.plan) == (1, 1, None)
    assert not lease.was_taken_over
    for name, kind in REQUIRED.items():
        assert type(stored[name]) is kind, name
    assert stored["status"] == "processing"
    assert stored["source_message_id"] == "c-77"
    assert stored["expires_at"] - int(ManualClock().now().timestamp()) == 30 * 86_400


def test_a_second_claim_finds_the_event_busy_and_until_when(ledger, clock):
    """F27: a copy of a live message must not be acknowledged; the first may still fail."""
    claim(ledger, lease_seconds=250)
    again = claim(ledger)
    assert again == Busy(until_epoch=int(clock.now().timestamp()) + 250)


def test_a_finished_event_is_a_duplicate_for_ever_after(ledger, clock):
    """F01 and F06: the same webhook many times, also after the deduplication window."""
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    clock.forward(3 * 86_400)
    assert claim(ledger) == Finished(EventStatus.PROCESSED)


def test_an_event_whose_worker_died_is_claimed_again_after_its_lease(ledger, clock):
    """F15: killed before the claim; F16: killed after the claim, before the first effect."""
    claim(ledger, lease_seconds=250)
    clock.forward(249)
    assert isinstance(claim(ledger), Busy)
    clock.forward(2)
    again = claim(ledger)
    assert (again.fence, again.attempts) == (2, 2)
    assert again.was_taken_over


def test_a_released_event_is_claimed_again_at_once_and_keeps_its_plan(ledger):
    lease = claim(ledger)
    ledger.store_plan(lease, "the plan", intent="refund_request", modes=MODES)
    ledger.release(lease, reason="richpanel_http_429", due_epoch=0)
    again = claim(ledger)
    assert (again.fence, again.plan, again.was_taken_over) == (2, "the plan", False)


def test_a_claim_stores_the_conversation_the_worker_resolved(ledger):
    ledger.receive(facts(conversation_id="all-the-door-knew"))
    claim(ledger, facts(conversation_id="found"))
    assert ledger.stored(facts().event_key).event.conversation_id == "found"


def test_a_later_claim_knows_the_message_id_of_the_first(ledger):
    """A resume reads only the row, and its actions must have the same keys."""
    ledger.release(claim(ledger), reason="x", due_epoch=0)
    resumed = claim(ledger, facts(source_message_id=None))
    assert resumed.event.source_message_id == "c-77"


def test_a_message_reopens_a_finished_event_once(ledger):
    """A late copy of an operator's replay must not reopen the event the replay has ended."""
    ended = frozenset({EventStatus.PROCESSED})
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    ledger.finish(claim(ledger, takeover=ended, by="m-1"), EventStatus.PROCESSED)
    assert claim(ledger, takeover=ended, by="m-1") == Finished(EventStatus.PROCESSED)
    assert isinstance(claim(ledger, takeover=ended, by="m-2"), Lease)


def test_a_message_resumes_an_event_it_had_reopened(ledger, clock):
    ended = frozenset({EventStatus.PROCESSED})
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    ledger.release(claim(ledger, takeover=ended, by="m-1"), reason="x", due_epoch=0)
    clock.forward(1)
    assert isinstance(claim(ledger, takeover=ended, by="m-1"), Lease)


def test_a_claim_retried_by_the_sdk_is_recognised_as_our_own(table, clock):
    """F22: the first try succeeded, its response was lost, and the retry meets its own row."""
    same_owner = Ledger(table=table, clock=clock, new_owner=lambda: "owner-1")
    first = claim(same_owner)
    again = claim(same_owner)
    assert (again.owner, again.fence) == (first.owner, first.fence)


def test_an_expired_row_that_ttl_has_not_deleted_is_not_a_duplicate(ledger, table, clock):
    """F29: deletion may be days late; the stored value decides."""
    lease = claim(ledger)
    ledger.store_plan(lease, "an old plan", intent=None, modes=MODES)
    ledger.finish(lease, EventStatus.PROCESSED)
    clock.forward(30 * 86_400 + 1)
    again = claim(ledger)
    assert (again.attempts, again.plan, again.fence) == (1, None, 2)
    assert "plan" not in row(table)


def test_a_parked_event_resumes_only_when_its_delivery_may_take_it_over(ledger):
    ledger.finish(claim(ledger), EventStatus.PARKED, reason="unknown:timeout")
    assert claim(ledger) == Finished(EventStatus.PARKED, "unknown:timeout")
    again = claim(ledger, takeover=frozenset({EventStatus.PARKED}))
    assert again.fence == 2


# --- fences ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "write",
    [
        lambda ledger, lease: ledger.store_plan(lease, "p", intent=None, modes=MODES),
        lambda ledger, lease: ledger.release(lease, reason="late", due_epoch=0),
        lambda ledger, lease: ledger.finish(lease, EventStatus.PROCESSED),
        lambda ledger, lease: ledger.finish(lease, EventStatus.FAILED, reason="late"),
    ],
)
def test_a_worker_without_its_lease_changes_no_running_event(ledger, table, clock, write):
    """F25: the worker resumes after another one took the event over."""
    stale_lease = claim(ledger, lease_seconds=250)
    clock.forward(251)
    claim(ledger)
    before = row(table)
    with pytest.raises(LeaseLostError):
        write(ledger, stale_lease)
    assert row(table) == before


def test_a_worker_without_its_lease_changes_no_finished_event(ledger, table, clock):
    """F25: a paused worker resumes."""
    stale_lease = claim(ledger, lease_seconds=250)
    clock.forward(251)
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    before = row(table)
    with pytest.raises(LeaseLostError):
        ledger.finish(stale_lease, EventStatus.PROCESSED)
    assert row(table) == before


def test_an_event_processed_after_parking_keeps_no_parked_reason(ledger, table):
    lease = claim(ledger)
    ledger.finish(lease, EventStatus.PARKED, reason="unknown:timeout")
    again = claim(ledger, takeover=frozenset({EventStatus.PARKED}))
    ledger.finish(again, EventStatus.PROCESSED)
    assert "reason" not in table.get({"event_id": lease.event.event_key})


def test_finishing_twice_is_finishing_once(ledger):
    """F23: the response to the first write was lost."""
    lease = claim(ledger)
    ledger.finish(lease, EventStatus.PROCESSED)
    ledger.finish(lease, EventStatus.PROCESSED)


# --- actions --------------------------------------------------------------------------------

TAGS = [add_tag("1042", tag, "c-77") for tag in ("route-returns-admin", "mw-processed")]


def test_new_actions_begin_pending_and_owned_with_the_required_attributes(ledger, table):
    begun = ledger.begin(claim(ledger), TAGS, MODES)
    assert all(action.mine and action.status == ActionStatus.PENDING for action in begun)
    stored = row(table, TAGS[0].key)
    for name, kind in REQUIRED.items():
        assert type(stored[name]) is kind, name


def test_a_begin_retried_by_the_sdk_is_still_ours(ledger):
    """F22: the SDK repeats a claim that succeeded."""
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    assert all(action.mine for action in ledger.begin(lease, TAGS, MODES))


def test_a_done_action_never_begins_again(ledger, clock):
    """F17: killed after some effects; F47: two events want the same effect."""
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    for tag in TAGS:
        ledger.end_action(lease, tag, ActionStatus.DONE, ref="r1")
    clock.forward(300)
    again = ledger.begin(claim(ledger), TAGS, MODES, operator=True)
    assert [(action.status, action.mine, action.ref) for action in again] == [
        (ActionStatus.DONE, False, "r1")
    ] * 2


def test_an_action_left_pending_is_returned_as_started(ledger, clock):
    """F18: its request may have been sent."""
    ledger.begin(claim(ledger), TAGS, MODES)
    clock.forward(300)
    lease = claim(ledger)
    left = ledger.begin(lease, TAGS, MODES)
    assert all(action.started and not action.mine for action in left)
    assert ledger.restart(lease, TAGS[0], new_start=True).mine


def test_a_rearmed_action_begins_again_without_settling(ledger):
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    ledger.rearm(lease, TAGS)
    ledger.release(lease, reason="http_429", due_epoch=0)
    assert all(action.mine for action in ledger.begin(claim(ledger), TAGS, MODES))


def test_an_outcome_written_twice_is_written_once(ledger, clock):
    """F23: the SDK repeats an outcome that was written."""
    lease = claim(ledger)
    ledger.begin(lease, TAGS[:1], MODES)
    first = ledger.end_action(lease, TAGS[0], ActionStatus.DONE)
    clock.forward(1)
    assert ledger.end_action(lease, TAGS[0], ActionStatus.DONE).finished_at == first.finished_at


def test_outcomes_written_together_twice_are_written_once(ledger, table, clock):
    """F23: the response to the first write was lost; the audit uses the first end time."""
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    first = ledger.end_actions(lease, TAGS, ActionStatus.DONE, ref="r1")
    assert [action.key for action in first] == [tag.key for tag in TAGS]
    assert [row(table, tag.key)["status"] for tag in TAGS] == ["done"] * len(TAGS)
    clock.forward(1)
    again = ledger.end_actions(lease, TAGS, ActionStatus.DONE, ref="r1")
    assert [(action.key, action.finished_at) for action in again] == [
        (action.key, action.finished_at) for action in first
    ]


def test_outcomes_written_together_fail_if_one_action_was_taken_over(ledger, table, clock):
    """F25: a paused worker resumes."""
    stale_lease = claim(ledger)
    ledger.begin(stale_lease, TAGS, MODES)
    clock.forward(300)
    next_lease = claim(ledger)
    ledger.begin(next_lease, TAGS[:1], MODES)
    ledger.restart(next_lease, TAGS[0], new_start=True)
    with pytest.raises(LeaseLostError):
        ledger.end_actions(stale_lease, TAGS, ActionStatus.DONE)
    assert row(table, TAGS[0].key)["status"] == "pending"


def test_unknown_outcomes_written_together_are_all_listed(ledger, clock):
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    ledger.end_actions(lease, TAGS, ActionStatus.UNKNOWN, reason="timeout")
    clock.forward(1)
    assert {action.key for action in ledger.unsettled(limit=9)} == {tag.key for tag in TAGS}


def test_an_action_taken_over_is_not_ended_by_the_worker_that_lost_it(ledger, table, clock):
    """F25: a paused worker resumes."""
    stale_lease = claim(ledger)
    ledger.begin(stale_lease, TAGS[:1], MODES)
    clock.forward(300)
    next_lease = claim(ledger)
    ledger.begin(next_lease, TAGS[:1], MODES)
    ledger.restart(next_lease, TAGS[0], new_start=True)
    with pytest.raises(LeaseLostError):
        ledger.end_action(stale_lease, TAGS[0], ActionStatus.DONE)
    assert row(table, TAGS[0].key)["status"] == "pending"


def test_a_skip_has_a_reason_and_leaves_an_ended_action_unchanged(ledger):
    lease = claim(ledger)
    assert ledger.skip(lease, TAGS[0], MODES, reason="shadow").reason == "shadow"
    ledger.begin(lease, TAGS[1:], MODES)
    ledger.end_action(lease, TAGS[1], ActionStatus.DONE)
    assert ledger.skip(lease, TAGS[1], MODES, reason="shadow").status == ActionStatus.DONE


def test_a_skip_that_is_repeated_keeps_its_first_reason_and_time(ledger, table, clock):
    """F23: its audit row may be written already, under that time."""
    lease = claim(ledger)
    ledger.skip(lease, TAGS[0], MODES, reason="shadow")
    before = row(table, TAGS[0].key)
    ledger.release(lease, reason="x", due_epoch=0)
    clock.forward(60)
    again = ledger.skip(claim(ledger), TAGS[0], MODES, reason="dependency")
    assert (again.reason, row(table, TAGS[0].key)) == ("shadow", before)


def test_only_an_operator_reopens_skipped_and_refused_actions(ledger):
    """F41, F42: turning automation back on replays nothing by itself."""
    lease = claim(ledger)
    ledger.skip(lease, TAGS[0], MODES, reason="shadow")
    ledger.begin(lease, TAGS[1:], MODES)
    ledger.end_action(lease, TAGS[1], ActionStatus.REFUSED, reason="http_400")
    assert not any(action.mine for action in ledger.begin(lease, TAGS, MODES))
    assert all(action.mine for action in ledger.begin(lease, TAGS, MODES, operator=True))


# --- the door's rows and the sparse index ---------------------------------------------------


def test_a_received_row_suppresses_retries_only_once_it_is_claimed_or_waits(ledger):
    """F04: a crash between the row and the queue must not lose the event."""
    assert ledger.receive(facts()) == Receipt(facts().received_at, is_new=True)
    assert ledger.receive(facts()) == Receipt(facts().received_at, is_new=False)
    assert ledger.set_aside(facts(), reason="beyond_share", due_epoch=2e9, until_epoch=2e9)
    assert not ledger.receive(facts())
    claim(ledger)
    assert not ledger.receive(facts())


def test_an_event_given_up_before_it_was_queued_is_received_when_its_sender_repeats_it(
    ledger, table
):
    ledger.receive(facts())
    ledger.record_end(facts(), MODES, EventStatus.FAILED, reason=RECEIPT_GONE)
    assert ledger.receive(facts())
    assert row(table)["status"] == "received"
    assert "reason" not in row(table)


@pytest.mark.parametrize(
    ("status", "reason"),
    [(EventStatus.FAILED, "dead_letter:bug"), (EventStatus.SKIPPED, RECEIPT_GONE)],
)
def test_an_event_that_ended_otherwise_is_not_received_again(ledger, table, status, reason):
    ledger.record_end(facts(), MODES, status, reason=reason)
    assert not ledger.receive(facts())
    assert row(table)["status"] == status


def test_a_received_row_is_claimed_like_a_new_event(ledger, table):
    ledger.receive(facts())
    lease = claim(ledger)
    assert (lease.fence, "due_at" in row(table)) == (1, False)
    assert row(table)["status"] == "processing"
    assert not ledger.receive(facts())


def test_the_sweep_finds_events_that_no_worker_has_claimed_in_time(ledger, clock):
    ledger.receive(facts())
    clock.forward(1)
    ledger.receive(facts("evt:rp:1042:c-78", source_message_id="c-78"))
    clock.forward(QUEUED_SECONDS - 1)
    found = ledger.stranded(due_by_epoch=clock.now().timestamp(), limit=10)
    assert [(stranded.key, stranded.status, stranded.event) for stranded in found] == [
        ("evt:rp:1042:c-77", "received", facts())
    ]


def test_the_sweep_does_not_see_finished_or_running_events(ledger, clock):
    """The index is sparse: it costs nothing for the rest."""
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    claim(ledger, facts("evt:rp:1042:c-78"))
    clock.forward(1000)
    assert not ledger.stranded(due_by_epoch=clock.now().timestamp(), limit=10)


def test_many_waiting_events_do_not_hide_one_of_a_dead_worker(ledger, clock):
    """They are due later; what is due longest is read first."""
    until = clock.now().timestamp() + 7200
    for number in range(5):
        lease = claim(ledger, facts(f"evt:rp:{number}:c-1"))
        ledger.release(lease, reason="http_503", due_epoch=until)
    claim(ledger, facts(), last_chance=True)
    clock.forward(1000)
    (found,) = ledger.stranded(due_by_epoch=clock.now().timestamp(), limit=2)
    assert (found.key, found.status) == (facts().event_key, "processing")
    clock.forward(7200)
    found = ledger.stranded(due_by_epoch=clock.now().timestamp(), limit=2)
    assert [stranded.key for stranded in found] == [facts().event_key, "evt:rp:0:c-1"]


def test_an_event_whose_worker_dies_on_the_last_receive_is_found(ledger, clock):
    claim(ledger, last_chance=True)
    clock.forward(1000)
    found = ledger.stranded(due_by_epoch=clock.now().timestamp(), limit=10)
    assert [stranded.status for stranded in found] == ["processing"]


def test_unknown_actions_are_found_with_the_data_a_settler_needs(ledger, clock):
    lease = claim(ledger)
    ledger.begin(lease, TAGS[:1], MODES)
    ledger.end_action(lease, TAGS[0], ActionStatus.UNKNOWN, reason="timeout")
    (found,) = ledger.unsettled(limit=10)
    assert (found.key, found.kind, found.event_key) == (TAGS[0].key, "add_tag", facts().event_key)
    assert found.horizon_epoch > lease.until_epoch
    assert ledger.settle(found, ActionStatus.DONE, ref="r", reason="settled")
    assert not ledger.settle(found, ActionStatus.PENDING, reason="settled")
    assert not ledger.unsettled(limit=10)


def test_a_providers_id_belongs_to_one_action(ledger):
    lease = claim(ledger)
    ledger.begin(lease, TAGS, MODES)
    for tag in TAGS:
        ledger.end_action(lease, tag, ActionStatus.UNKNOWN, reason="x")
    action, other = ledger.unsettled(limit=10)
    assert ledger.claim_ref(action, "c-900", is_id_global=False)
    assert ledger.claim_ref(action, "c-900", is_id_global=False)
    assert not ledger.claim_ref(other, "c-900", is_id_global=False)


def test_statuses_cover_only_existing_and_unexpired_rows(ledger, clock):
    ledger.finish(claim(ledger), EventStatus.PROCESSED)
    keys = [facts().event_key, "evt:rp:1042:unknown"]
    assert ledger.statuses(keys) == {facts().event_key: EventStatus.PROCESSED}
    clock.forward(31 * 86_400)
    assert ledger.statuses(keys) == {}


def test_an_action_that_ttl_should_have_deleted_is_none(ledger, clock):
    """Its event, received again, does not repeat a hand-off of a month ago."""
    lease = claim(ledger)
    ledger.begin(lease, TAGS[:1], MODES)
    ledger.end_action(lease, TAGS[0], ActionStatus.DONE)
    assert ledger.action(TAGS[0].key).status == ActionStatus.DONE
    clock.forward(31 * 86_400)
    assert ledger.action(TAGS[0].key) is None


def test_a_notification_is_recorded_with_its_end(ledger, table):
    ledger.record_end(
        facts("evt:rp:1042:n:d1"), UNDECIDED, EventStatus.PROCESSED, reason="resolved"
    )
    stored = row(table, "evt:rp:1042:n:d1")
    assert (stored["status"], stored["reason"]) == ("processed", "resolved")
    for name, kind in REQUIRED.items():
        assert type(stored[name]) is kind, name
