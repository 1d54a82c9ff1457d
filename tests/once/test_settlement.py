"""Settling when two actions asked for the same message and the provider shows only one."""

import itertools

import pytest

from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.effect import Executor
from chalicelib.once.event import LANDING_SECONDS, EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.once.settlement import SECOND_CHECK_SECONDS, Settlement, Verdict
from chalicelib.outreach.channels import SEND_TEXT
from chalicelib.outreach.sending.effects import send_effect
from tests.rigs.fakes import ManualClock
from tests.simulation import tables

MODES = Modes("automation_candidate", safe_mode=False, automation_enabled=True)
LEASE = 250
LOST, OTHER = "act:send:o1:lost", "act:send:o2:other"


def showing(settler):
    return {"send_text": Executor(None, settler=settler)}


class Dispute:
    """The lost action began ten minutes before the other; the provider shows one message."""

    def __init__(self):
        self.clock = ManualClock()
        owners = (f"o{n}" for n in itertools.count())
        self.ledger = Ledger(
            table=tables.ledger(), clock=self.clock, new_owner=lambda: next(owners)
        )
        self.lost, self.other = (
            send_effect(SEND_TEXT, "o1", "lost"),
            send_effect(SEND_TEXT, "o2", "other"),
        )
        self.begin(self.lost)
        self.clock.forward(600)
        self.shown = Found("SM1", other_candidates=(OTHER,), is_id_global=True)

    def begin(self, begun):
        event = EventFacts(f"evt:{begun.key}", "o1", "2026-11-20T11:59:59.000Z", "9f", 9, "test")
        lease = self.ledger.claim(event, MODES, lease_seconds=LEASE, takeover=frozenset())
        self.ledger.begin(lease, [begun], MODES)
        return lease

    def judge(self, key=LOST, shown=None):
        shows = (shown or self.shown,)
        settlement = Settlement(
            ledger=self.ledger, executors=showing(lambda _asked: shows), clock=self.clock
        )
        settled = settlement.judge(self.ledger.action(key).unsettled)
        return settled.verdict, settled.saw, settled.ref


HAPPENED = (Verdict.HAPPENED, "found", "SM1")
DISPUTED = (Verdict.UNDECIDED, "may_be_anothers", None)


@pytest.fixture
def dispute():
    return Dispute()


def test_a_message_another_unrecorded_action_may_have_sent_settles_nothing(dispute):
    """The other worker may be paused between the vendor's response and its write."""
    lease = dispute.begin(dispute.other)
    assert dispute.judge() == DISPUTED
    done = dispute.ledger.end_action(lease, dispute.other, ActionStatus.DONE, ref="SM1")
    assert (done.status, done.ref) == (ActionStatus.DONE, "SM1")
    dispute.clock.forward(LANDING_SECONDS)
    assert dispute.judge() == (Verdict.UNDECIDED, "absent_once", None)
    dispute.clock.forward(60)
    assert dispute.judge()[0] == Verdict.NOT_HAPPENED


def test_a_disputed_message_does_not_count_as_absent_either(dispute):
    """Seeing a disputed message does not count as seeing nothing: it may be the lost action's."""
    dispute.clock.forward(900)
    dispute.begin(dispute.other)
    for _ in range(3):
        dispute.clock.forward(100)
        assert dispute.judge() == DISPUTED
    assert dispute.ledger.action(LOST).unsettled.looks == 0


def test_an_action_of_unknown_outcome_disputes_the_message(dispute):
    lease = dispute.begin(dispute.other)
    dispute.ledger.end_action(lease, dispute.other, ActionStatus.UNKNOWN, reason="timeout")
    assert dispute.judge() == DISPUTED


def test_after_the_other_actions_horizon_the_first_to_ask_gets_the_message(dispute):
    """The owner can no longer be known; the count is right, as the other action is done again."""
    dispute.begin(dispute.other)
    dispute.clock.forward(LEASE + LANDING_SECONDS - 1)
    assert dispute.judge() == DISPUTED
    dispute.clock.forward(1)
    assert dispute.judge() == HAPPENED
    found = Found("SM1", other_candidates=(LOST,), is_id_global=True)
    assert dispute.judge(OTHER, found) == (Verdict.UNDECIDED, "absent_once", None)


@pytest.mark.parametrize("status", [ActionStatus.REFUSED, ActionStatus.DONE])
def test_an_action_with_a_recorded_outcome_disputes_no_other_message(dispute, status):
    ref = "SM2" if status == ActionStatus.DONE else None
    dispute.ledger.end_action(dispute.begin(dispute.other), dispute.other, status, ref=ref)
    assert dispute.judge() == HAPPENED


def test_an_action_that_never_began_or_was_skipped_disputes_nothing(dispute):
    assert dispute.judge() == HAPPENED
    event = EventFacts("evt:other", "o1", "2026-11-20T11:59:59.000Z", "9f", 9, "test")
    lease = dispute.ledger.claim(event, MODES, lease_seconds=LEASE, takeover=frozenset())
    dispute.ledger.skip(lease, dispute.other, MODES, reason="safe_mode")
    assert dispute.judge() == HAPPENED


def test_an_undisputed_message_is_found_beside_a_disputed_one(dispute):
    dispute.begin(dispute.other)
    shows = (dispute.shown, Found("SM2"))
    settlement = Settlement(
        ledger=dispute.ledger, executors=showing(lambda _asked: shows), clock=dispute.clock
    )
    settled = settlement.judge(dispute.ledger.action(LOST).unsettled)
    assert (settled.verdict, settled.ref) == (Verdict.HAPPENED, "SM2")


@pytest.mark.parametrize("settler", [None, lambda _asked: None])
def test_an_action_without_a_settler_stays_undecided(dispute, settler):
    dispute.clock.forward(10 * LANDING_SECONDS)
    settled = Settlement(
        ledger=dispute.ledger, executors=showing(settler), clock=dispute.clock
    ).judge(dispute.ledger.action(LOST).unsettled)
    assert (settled.verdict, settled.saw) == (Verdict.UNDECIDED, "cannot_be_asked")
    assert dispute.ledger.action(LOST).unsettled.looks == 0


def test_absence_counts_after_the_horizon_at_a_second_check_a_minute_later(dispute):
    settlement = Settlement(
        ledger=dispute.ledger, executors=showing(lambda _asked: ()), clock=dispute.clock
    )

    def look():
        settled = settlement.judge(dispute.ledger.action(LOST).unsettled)
        return settled.verdict, settled.saw

    dispute.clock.forward(LEASE + LANDING_SECONDS - 600 - 1)
    assert look() == (Verdict.UNDECIDED, "may_still_land")
    dispute.clock.forward(1)
    assert look() == (Verdict.UNDECIDED, "absent_once")
    dispute.clock.forward(SECOND_CHECK_SECONDS - 1)
    assert look() == (Verdict.UNDECIDED, "absent_once")
    dispute.clock.forward(SECOND_CHECK_SECONDS)
    assert look() == (Verdict.NOT_HAPPENED, "absent_twice")
