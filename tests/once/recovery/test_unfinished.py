"""Each unfinished row by itself: sent again, resumed, buried, handed off, or left in peace."""

from datetime import timedelta
from types import SimpleNamespace

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import UnsettledAction
from chalicelib.once.event import EventStatus, StrandedEvent
from chalicelib.once.job import Recovery
from chalicelib.once.recovery.sweep import Summary
from chalicelib.once.recovery.unfinished import LIMIT, RowSweep
from chalicelib.once.settlement import Settled, Verdict
from tests.rigs.fakes import NOON, ManualClock
from tests.rigs.ledger import facts

NOW = NOON.timestamp()
KEY = "evt:rp:1042:c-77"


def row(status, *, rested=timedelta(days=1), received=timedelta(days=1), key=KEY, **more):
    event = facts(key, received_at=iso(NOON - received))
    return StrandedEvent(key, status, event, iso(NOON - rested), **more)


def unknown(event_key=KEY, number=0):
    return UnsettledAction(f"act:{number}", "reply", "1042", event_key, 0, 0, {})


class Hands:
    """Notes what the sweep does."""

    has_time, dry_run = True, False

    def __init__(self, *, may_bury=True):
        self.did, self.summary, self._may_bury = [], Summary(), may_bury

    def send(self, job, recovery):
        self.did.append((job, recovery))

    def queued(self, _key):
        self.did.append("queued")

    def keep(self, key):
        self.did.append("kept" if key.startswith("evt:") else "kept the action")

    def bury(self, _key):
        self.did.append("buried")
        return self._may_bury

    def settle(self, _action, status, **_more):
        self.did.append(f"settled as {status.value}")


def swept(found, *, actions=(), verdict=Verdict.UNDECIDED, hands=None):
    hands = hands or Hands()
    ledger = SimpleNamespace(
        unsettled=lambda limit: list(actions)[:limit],
        stranded=lambda older_than_epoch, limit: [found][:limit],
    )
    settlement = SimpleNamespace(judge=lambda _action: Settled(verdict, "seen"))
    rebuilders = {"evt:rp": lambda _event: "job"}
    RowSweep(ledger, settlement, rebuilders, ManualClock(), hands).run()
    return hands.did


def test_an_event_that_was_never_queued_is_sent():
    assert swept(row(EventStatus.RECEIVED)) == [("job", Recovery.SWEEP), "queued"]


RESUMED = [("job", Recovery.SETTLED), "kept"]


@pytest.mark.parametrize(
    ("reason", "days", "did"),
    [
        ("unknown:reply", 1, RESUMED),
        ("unknown:reply", 28, RESUMED),
        ("unknown:reply", 29, ["kept"]),
        ("plan_not_readable", 1, ["kept"]),
        (None, 1, ["kept"]),
    ],
)
def test_a_parked_event_goes_on_when_what_it_waited_for_is_known(reason, days, did):
    parked = row(EventStatus.PARKED, received=timedelta(days=days), reason=reason)
    assert swept(parked) == did


def test_a_parked_event_waits_while_one_of_its_actions_is_unknown():
    parked = row(EventStatus.PARKED, reason="unknown:reply")
    assert swept(parked, actions=[unknown()]) == ["kept the action", "kept"]
    happened = swept(parked, actions=[unknown()], verdict=Verdict.HAPPENED)
    assert happened == ["settled as done", *RESUMED]
    not_happened = swept(parked, actions=[unknown()], verdict=Verdict.NOT_HAPPENED)
    assert not_happened == ["settled as pending", *RESUMED]


def test_of_more_unknown_actions_than_a_run_looks_at_only_events_it_saw_go_on():
    """An action of this event may be among those that were not looked at."""
    others = [unknown("evt:rp:9:c-9", number) for number in range(LIMIT)]
    parked = row(EventStatus.PARKED, reason="unknown:reply")
    settled = ["settled as done"] * LIMIT
    assert swept(parked, actions=others, verdict=Verdict.HAPPENED) == [*settled, "kept"]
    seen = [unknown(), *others[1:]]
    assert swept(parked, actions=seen, verdict=Verdict.HAPPENED) == [*settled, *RESUMED]


SENT = [("job", Recovery.SWEEP), "kept"]
HANDED = ["buried", ("job", Recovery.HANDOFF), "kept"]


@pytest.mark.parametrize(
    ("lease", "attempts", "hours", "did"),
    [
        (NOW + 1, 1, 24, []),  # somebody works on it
        (NOW - 1, 1, 0, HANDED),  # its worker died on the last receive
        (0, 1, 24, SENT),  # released, and its message has gone
        (0, 9, 24, SENT),
        (0, 10, 24, HANDED),  # it has killed its workers
        (0, 1, 3, []),  # its message may still come
        (0, 10, 3, []),
    ],
)
def test_an_event_that_its_worker_left_is_sent_again_or_buried(lease, attempts, hours, did):
    left = row(
        EventStatus.PROCESSING,
        rested=timedelta(hours=hours),
        attempts=attempts,
        lease_until_epoch=lease,
    )
    assert swept(left) == did


def test_what_somebody_took_up_meanwhile_is_not_handed_off():
    left = row(EventStatus.PROCESSING, lease_until_epoch=NOW - 1)
    assert swept(left, hands=Hands(may_bury=False)) == ["buried"]


@pytest.mark.parametrize(("minutes", "did"), [(30, []), (31, [("job", Recovery.HANDOFF), "kept"])])
def test_a_hand_off_is_given_half_an_hour_before_it_is_repeated(minutes, did):
    assert swept(row(EventStatus.FAILED, rested=timedelta(minutes=minutes))) == did


def test_a_row_that_nobody_can_make_a_job_of_is_counted_and_kept():
    hands = Hands()
    assert swept(row(EventStatus.RECEIVED, key="evt:odd:1"), hands=hands) == ["kept"]
    assert (hands.summary.orphans, hands.summary.stranded) == (1, 1)


@pytest.mark.parametrize(
    "found",
    [
        row(EventStatus.PARKED, key="evt:odd:1", reason="unknown:reply"),
        row(EventStatus.PROCESSING, key="evt:odd:1"),
        row(EventStatus.FAILED, key="evt:odd:1"),
    ],
    ids=lambda found: found.status,
)
def test_a_row_without_a_job_is_kept_once_in_whatever_state(found):
    hands = Hands()
    assert swept(found, hands=hands) == ["kept"]
    assert hands.summary.orphans == 1
