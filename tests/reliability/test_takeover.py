"""A worker paused beyond its lease changes no record and starts no effect."""

from datetime import timedelta

import pytest

from chalicelib.errors import HandBackError, LeaseLostError, TransientError, UncertainError
from chalicelib.once.action import ActionStatus
from chalicelib.once.effect import Executor
from chalicelib.once.effects import STOPPED_REPEATABLE, Attempt, Effects, StepAction
from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.ledger import rows
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes, Switches
from chalicelib.once.settlement import Settlement
from chalicelib.support.effects import add_tag
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches
from tests.rigs.tables import FaultyTable
from tests.simulation import tables
from tests.simulation.flow import built

EVENT = EventFacts(
    event_key="evt:rp:1042:c-1",
    conversation_id="1042",
    received_at="2026-11-20T12:00:00.000Z",
    payload_sha256="0" * 64,
    payload_bytes=2,
    source="test",
    source_message_id="c-1",
)
MODES = Modes(mode="automation_candidate", safe_mode=False, automation_enabled=True)
TAG = add_tag("1042", "route-returns-admin", "c-1")
REPLY = built("reply_queried", "1042", "refund_request", "c-1")


class Vendor:
    """An executor that records its calls and raises the errors of the test."""

    def __init__(self):
        self.sent = []
        self.errors = []

    def __call__(self, actions, *, deadline_seconds):
        del deadline_seconds
        self.sent.append([action.key for action in actions])
        if self.errors:
            raise self.errors.pop(0)


class TakeoverRig:
    """Ledger and effects over one memory table."""

    def __init__(self):
        owners = iter(f"owner-{n}" for n in range(100))
        self.clock = ManualClock()
        self.table = FaultyTable(tables.ledger())
        self.ledger = Ledger(table=self.table, clock=self.clock, new_owner=lambda: next(owners))
        self.vendor = Vendor()
        self.switches = SetSwitches()
        kinds = ("add_tag", "reply_queried", "reply_keyed")
        self.effects = Effects(
            ledger=self.ledger,
            switches=self.switches,
            executors=dict.fromkeys(kinds, Executor(self.vendor)),
            settlement=Settlement(ledger=self.ledger, executors={}, clock=self.clock),
            clock=self.clock,
            log=RecordingLog(),
        )

    def claim(self):
        return self.ledger.claim(EVENT, MODES, lease_seconds=250, takeover=frozenset())

    def perform(self, lease, action):
        ended = self.effects.perform(Attempt(lease=lease, modes=MODES), [StepAction(action)], {})
        return ended[action.key]

    def row(self, action):
        return self.table.rows[(action.key,)]


@pytest.fixture
def rig():
    return TakeoverRig()


def test_a_worker_with_a_lower_fence_takes_over_no_row(rig):
    slept = rig.claim()
    rig.clock.forward(300)
    rig.ledger.begin(rig.claim(), [TAG], MODES)
    before = dict(rig.row(TAG))

    with pytest.raises(LeaseLostError):
        rig.ledger.restart(slept, TAG, new_start=True)

    assert rig.row(TAG) == before


def test_a_worker_with_a_lower_fence_takes_over_no_rearmed_row(rig):
    slept = rig.claim()
    rig.clock.forward(300)
    other = rig.claim()
    rig.ledger.begin(other, [TAG], MODES)
    rig.ledger.rearm(other, [TAG])
    before = dict(rig.row(TAG))

    with pytest.raises(LeaseLostError):
        rig.ledger.begin(slept, [TAG], MODES)

    assert rig.row(TAG) == before


def test_a_worker_with_a_lower_fence_skips_nothing(rig):
    slept = rig.claim()
    rig.clock.forward(300)
    other = rig.claim()
    rig.ledger.begin(other, [TAG], MODES)
    rig.ledger.rearm(other, [TAG])

    row = rig.ledger.skip(slept, TAG, MODES, reason="kill_switch")

    assert row.status == ActionStatus.PENDING
    assert rig.row(TAG)["fence"] == other.fence


def test_the_same_worker_may_still_skip_what_it_rearmed(rig):
    lease = rig.claim()
    rig.ledger.begin(lease, [TAG], MODES)
    rig.ledger.rearm(lease, [TAG])
    row = rig.ledger.skip(lease, TAG, MODES, reason="kill_switch")
    assert (row.status, row.reason) == (ActionStatus.SKIPPED, "kill_switch")


def test_a_worker_paused_while_its_rows_are_written_sends_nothing(rig):
    lease = rig.claim()
    rig.table.after["insert_all"] = lambda: rig.clock.forward(300)

    with pytest.raises(HandBackError, match="lease_too_short"):
        rig.perform(lease, TAG)

    assert rig.vendor.sent == []
    assert rig.row(TAG)["started"] is False


def test_a_switch_that_flips_while_the_rows_are_written_stops_the_request(rig):
    lease = rig.claim()

    def flip():
        rig.switches.switches = Switches(kill_switch=True)

    rig.table.after["insert_all"] = flip
    with pytest.raises(HandBackError, match="switch_flipped"):
        rig.perform(lease, TAG)

    assert rig.vendor.sent == []
    again = rig.perform(lease, TAG)
    assert (again.status, again.reason) == (ActionStatus.SKIPPED, "kill_switch")


def test_an_effect_that_may_have_happened_is_not_skipped_after_a_rejected_retry(rig):
    reply = built("reply_keyed", "1042", "refund_request", "c-1")
    rig.vendor.errors = [
        UncertainError("richpanel", "send", reason="timeout"),
        TransientError("richpanel", "send", status=429),
    ]
    for _ in range(2):
        lease = rig.claim()
        with pytest.raises(TransientError):
            rig.perform(lease, reply)
        rig.ledger.release(lease, reason="test", due_epoch=0)
    rig.switches.switches = Switches(kill_switch=True)

    row = rig.perform(rig.claim(), reply)

    assert (row.status, row.reason) == (ActionStatus.UNKNOWN, STOPPED_REPEATABLE)


def test_a_new_start_discards_the_checks_of_the_old_one(rig):
    lease = rig.claim()
    rig.ledger.begin(lease, [REPLY], MODES)
    rig.ledger.count_empty_answer(rows.unsettled(rig.row(REPLY)))
    assert rig.row(REPLY)["looks"] == 1

    rig.ledger.restart(lease, REPLY, new_start=True)

    assert "looks" not in rig.row(REPLY)
    assert "looked_epoch" not in rig.row(REPLY)


def test_a_missing_action_row_does_not_count_as_done(rig):
    lease = rig.claim()
    with pytest.raises(LeaseLostError, match="action_gone"):
        rig.ledger.restart(lease, TAG, new_start=True)


def test_a_processed_event_is_not_overwritten_by_a_late_copys_failure(rig):
    rig.ledger.record_end(EVENT, MODES, EventStatus.PROCESSED, reason="resolved")
    rig.ledger.record_end(EVENT, MODES, EventStatus.FAILED, reason="dead_letter:timeout")
    assert rig.table.rows[(EVENT.event_key,)]["reason"] == "resolved"


def test_a_failed_event_is_overwritten_by_a_processed_one(rig):
    rig.ledger.record_end(EVENT, MODES, EventStatus.FAILED, reason="dead_letter:timeout")
    rig.ledger.record_end(EVENT, MODES, EventStatus.PROCESSED, reason="resolved")
    assert rig.table.rows[(EVENT.event_key,)]["status"] == "processed"


def test_a_released_event_can_be_found_by_the_sweep_until_it_is_claimed_again(rig):
    lease = rig.claim()
    rig.ledger.release(lease, reason="test", due_epoch=0)
    after = rig.clock.now() + timedelta(seconds=1)
    found = rig.ledger.stranded(due_by_epoch=after.timestamp(), limit=10)
    assert [(row.key, row.attempts) for row in found] == [(EVENT.event_key, 1)]

    rig.claim()
    assert not rig.ledger.stranded(due_by_epoch=after.timestamp(), limit=10)


def test_an_event_is_marked_failed_by_the_sweep_only_when_unclaimed(rig):
    lease = rig.claim()
    assert rig.ledger.mark_failed(EVENT.event_key, reason="dead_letter:worker_died") is False
    rig.clock.forward(300)
    assert rig.ledger.mark_failed(EVENT.event_key, reason="dead_letter:worker_died") is True
    assert rig.ledger.mark_failed(EVENT.event_key, reason="dead_letter:worker_died") is False
    row = rig.table.rows[(EVENT.event_key,)]
    assert (row["status"], row["reason"]) == ("failed", "dead_letter:worker_died")
    with pytest.raises(LeaseLostError):
        rig.ledger.finish(lease, EventStatus.PROCESSED)
