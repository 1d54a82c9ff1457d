"""What a provider shows of twins, two actions that ask for the same, and whose it is."""

import itertools
from types import SimpleNamespace

import pytest

from chalicelib.once.action import ActionStatus, Found, Settle
from chalicelib.once.event import LANDING_SECONDS, EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.once.settlement import SECOND_LOOK_SECONDS, Settlement, Verdict
from tests.rigs.engines import table_a_in_memory
from tests.rigs.fakes import ManualClock

MODES = Modes("automation_candidate", safe_mode=False, automation_enabled=True)
LEASE = 250
LOST, TWIN = "act:send:o1:lost", "act:send:o2:twin"


def action(key):
    return SimpleNamespace(
        key=key,
        kind="send_text",
        audit_type="send",
        conversation_id="o1",
        settle=Settle.QUERY,
        payload=dict,
        probe=dict,
    )


class Twins:
    """The lost one began ten minutes before its twin; the provider shows one message."""

    def __init__(self):
        self.clock = ManualClock()
        owners = (f"o{n}" for n in itertools.count())
        self.ledger = Ledger(table_a_in_memory(), self.clock, lambda: next(owners))
        self.lost, self.twin = action(LOST), action(TWIN)
        self.begin(self.lost)
        self.clock.forward(600)
        self.shown = Found("SM1", rivals=(TWIN,))

    def begin(self, begun):
        event = EventFacts(f"evt:{begun.key}", "o1", "2026-11-20T11:59:59.000Z", "9f", 9, "test")
        lease = self.ledger.claim(event, MODES, lease_seconds=LEASE, takeover=frozenset())
        self.ledger.begin(lease, [begun], MODES)
        return lease

    def judge(self, key=LOST, shown=None):
        shows = (shown or self.shown,)
        settlement = Settlement(self.ledger, {"send_text": lambda _asked: shows}, self.clock)
        settled = settlement.judge(self.ledger.action(key).unsettled)
        return settled.verdict, settled.saw, settled.ref


HAPPENED = (Verdict.HAPPENED, "found", "SM1")
DISPUTED = (Verdict.UNDECIDED, "may_be_anothers", None)


@pytest.fixture
def twins():
    return Twins()


def test_what_a_twin_may_have_done_and_not_written_is_nobodys(twins):
    """Its worker stands still between the vendor's answer and its row: the message is its own."""
    lease = twins.begin(twins.twin)
    assert twins.judge() == DISPUTED
    done = twins.ledger.end_action(lease, twins.twin, ActionStatus.DONE, ref="SM1")
    assert (done.status, done.ref) == (ActionStatus.DONE, "SM1")
    twins.clock.forward(LANDING_SECONDS)
    assert twins.judge() == (Verdict.UNDECIDED, "absent_once", None)
    twins.clock.forward(60)
    assert twins.judge()[0] == Verdict.NOT_HAPPENED


def test_what_may_be_a_twins_is_not_believed_absent_either(twins):
    """Looks at it are no looks at nothing: it may be the lost one's own."""
    twins.clock.forward(900)
    twins.begin(twins.twin)
    for _ in range(3):
        twins.clock.forward(100)
        assert twins.judge() == DISPUTED
    assert twins.ledger.action(LOST).unsettled.looks == 0


def test_a_twin_of_unknown_outcome_may_have_done_it(twins):
    lease = twins.begin(twins.twin)
    twins.ledger.end_action(lease, twins.twin, ActionStatus.UNKNOWN, reason="read_timeout")
    assert twins.judge() == DISPUTED


def test_once_a_twins_horizon_is_over_the_first_to_ask_takes_it(twins):
    """Nobody will say whose it is; the number is right, as the other is done again."""
    twins.begin(twins.twin)
    twins.clock.forward(LEASE + LANDING_SECONDS - 1)
    assert twins.judge() == DISPUTED
    twins.clock.forward(1)
    assert twins.judge() == HAPPENED
    rival = Found("SM1", rivals=(LOST,))
    assert twins.judge(TWIN, rival) == (Verdict.UNDECIDED, "absent_once", None)


@pytest.mark.parametrize("status", [ActionStatus.REFUSED, ActionStatus.DONE])
def test_a_twin_whose_outcome_is_written_disputes_nothing_else(twins, status):
    ref = "SM2" if status == ActionStatus.DONE else None
    twins.ledger.end_action(twins.begin(twins.twin), twins.twin, status, ref=ref)
    assert twins.judge() == HAPPENED


def test_a_twin_that_never_began_or_was_skipped_disputes_nothing(twins):
    assert twins.judge() == HAPPENED
    event = EventFacts("evt:other", "o1", "2026-11-20T11:59:59.000Z", "9f", 9, "test")
    lease = twins.ledger.claim(event, MODES, lease_seconds=LEASE, takeover=frozenset())
    twins.ledger.skip(lease, twins.twin, MODES, reason="safe_mode")
    assert twins.judge() == HAPPENED


def test_what_nobody_disputes_is_found_beside_what_is_disputed(twins):
    twins.begin(twins.twin)
    shows = (twins.shown, Found("SM2"))
    settlement = Settlement(twins.ledger, {"send_text": lambda _asked: shows}, twins.clock)
    settled = settlement.judge(twins.ledger.action(LOST).unsettled)
    assert (settled.verdict, settled.ref) == (Verdict.HAPPENED, "SM2")


@pytest.mark.parametrize("settlers", [{}, {"send_text": lambda _asked: None}])
def test_what_cannot_be_asked_is_undecided_for_good(twins, settlers):
    twins.clock.forward(10 * LANDING_SECONDS)
    settled = Settlement(twins.ledger, settlers, twins.clock).judge(
        twins.ledger.action(LOST).unsettled
    )
    assert (settled.verdict, settled.saw) == (Verdict.UNDECIDED, "cannot_be_asked")
    assert twins.ledger.action(LOST).unsettled.looks == 0


def test_not_there_counts_after_the_horizon_at_a_second_look_a_minute_after_the_first(twins):
    settlement = Settlement(twins.ledger, {"send_text": lambda _asked: ()}, twins.clock)

    def look():
        settled = settlement.judge(twins.ledger.action(LOST).unsettled)
        return settled.verdict, settled.saw

    twins.clock.forward(LEASE + LANDING_SECONDS - 600 - 1)
    assert look() == (Verdict.UNDECIDED, "may_still_land")
    twins.clock.forward(1)
    assert look() == (Verdict.UNDECIDED, "absent_once")
    twins.clock.forward(SECOND_LOOK_SECONDS - 1)
    assert look() == (Verdict.UNDECIDED, "absent_once")
    twins.clock.forward(SECOND_LOOK_SECONDS)
    assert look() == (Verdict.NOT_HAPPENED, "absent_twice")
