"""Each unfinished row by itself: sent again, resumed, marked failed, handed off or left alone."""

import itertools
from dataclasses import dataclass
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.effect import Executor
from chalicelib.once.effects import STOPPED_REPEATABLE
from chalicelib.once.event import EventStatus
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import RowSweep
from chalicelib.once.settlement import Settlement
from chalicelib.once.timer import due_attributes
from chalicelib.wiring.jobs import decode
from tests.rigs.each_row import each_row
from tests.rigs.fakes import NOON, ManualClock, RecordingLog, RecordingOutbox
from tests.rigs.tables import FaultyTable
from tests.rigs.worker import job
from tests.simulation import tables

NOW = NOON.timestamp()
KEY = "evt:rp:1042:c-77"


LATE = 1800


def row(
    status, *, due_at=NOW, rested=timedelta(days=1), received=timedelta(days=1), key=KEY, **more
):
    """An unfinished event as the ledger stores it."""
    kind = "action" if status == ActionStatus.UNKNOWN else "event"
    return {
        "event_id": key,
        "conversation_id": "1042",
        "received_at": iso(NOON - received),
        "last_processed_at": iso(NOON - rested),
        "expires_at": int(NOW) + 86_400,
        "payload_sha256": "9f" * 32,
        "payload_bytes": 131,
        "source": "richpanel_http_target",
        "status": status.value,
        **due_attributes(kind, key, due_at),
        **more,
    }


def unknown(event_key=KEY, number=0):
    """An action of unknown outcome, past its horizon, which one check has not found."""
    key = f"act:{number}"
    return {
        **row(ActionStatus.UNKNOWN, key=key),
        "action_kind": "reply",
        "event_key": event_key,
        "owner": "o",
        "fence": 1,
        "started_epoch": 0,
        "horizon": 0,
        "looks": 1,
        "looked_epoch": 0,
    }


@dataclass
class Swept:
    """What one run of the sweep has done, in the order: actions, event, queue."""

    did: list
    summary: Summary
    table: FaultyTable


def happened(action):
    return (Found(f"ref-of-{action.key}"),)


def not_happened(_action):
    return ()


def undecided(_action):
    return None


def sweep(event, *, actions=(), settler=undecided, meanwhile=None):
    """Run the sweep over an event and actions; `meanwhile` happens before its first update."""
    clock, outbox, table = ManualClock(), RecordingOutbox(), FaultyTable(tables.ledger())
    for item in (event, *actions):
        table.put(item)
    if meanwhile:
        table.before["update"] = lambda: table.rows[(event["event_id"],)].update(meanwhile)
    ledger = Ledger(table=table, clock=clock, new_owner=lambda: "owner")
    ids = (f"id-{n}" for n in itertools.count())
    intake = Intake(
        outbox=outbox,
        opaque=lambda: OpaqueIds(b"a key of the stage"),
        clock=clock,
        log=RecordingLog(),
        new_id=lambda: next(ids),
    )
    summary = Summary()
    RowSweep(
        ledger=ledger,
        settlement=Settlement(
            ledger=ledger, executors={"reply": Executor(None, settler=settler)}, clock=clock
        ),
        rebuilders={"evt:rp": lambda _event: job()},
        clock=clock,
        sweep=SweepActions(
            ledger=ledger, intake=intake, summary=summary, time_left_seconds=lambda: 200.0
        ),
    ).run()
    did = [change for action in actions for change in changes_of_action(table, action)]
    did += changes_of_event(table, event, outbox)
    return Swept(did, summary, table)


def changes_of_action(table, before):
    after = table.rows[(before["event_id"],)]
    if after["status"] != before["status"]:
        yield f"settled as {after['status']}"
    elif after["due_at"] != before.get("due_at"):
        yield "kept the action"


def changes_of_event(table, before, outbox):
    after = table.rows[(before["event_id"],)]
    if (after["status"], after.get("reason")) == ("failed", "dead_letter:worker_died"):
        yield "marked failed"
    yield from (decode(body).recovery for body, _, _ in outbox.messages)
    if "due_at" in after and after["due_at"] != before.get("due_at"):
        yield after["due_at"] - int(NOW)


def test_an_event_that_was_never_queued_is_sent():
    assert sweep(row(EventStatus.RECEIVED)).did == [Recovery.SWEEP, LATE]


def test_what_is_due_later_is_left_alone():
    for status in EventStatus:
        assert sweep(row(status, due_at=NOW + 1)).did == []


RESUMED = [Recovery.SETTLED, LATE]


@pytest.mark.parametrize(
    ("reason", "days", "did"),
    [
        ("unknown:reply", 1, RESUMED),
        ("unknown:reply", 28, RESUMED),
        ("unknown:reply", 29, [LATE]),
        ("plan_not_readable", 1, [LATE]),
        (None, 1, [LATE]),
    ],
)
def test_a_parked_event_resumes_when_its_unknown_outcomes_are_settled(reason, days, did):
    parked = row(EventStatus.PARKED, received=timedelta(days=days), reason=reason)
    assert sweep(parked).did == did


def test_a_parked_event_waits_while_one_of_its_actions_is_unknown():
    parked = row(EventStatus.PARKED, reason="unknown:reply", waits_for=["act:0", "act:gone"])
    actions = [unknown()]
    assert sweep(parked, actions=actions).did == ["kept the action", LATE]
    seen = sweep(parked, actions=actions, settler=happened)
    assert seen.did == ["settled as done", *RESUMED]
    not_seen = sweep(parked, actions=actions, settler=not_happened)
    assert not_seen.did == ["settled as pending", *RESUMED]


def test_a_parked_event_that_is_due_later_is_due_when_an_action_is_settled():
    parked = row(EventStatus.PARKED, reason="unknown:reply", waits_for=["act:0"], due_at=NOW + 900)
    assert sweep(parked, actions=[unknown()]).did == ["kept the action"]
    seen = sweep(parked, actions=[unknown()], settler=happened)
    assert seen.did == ["settled as done", *RESUMED]


def test_an_event_resumes_beside_an_action_that_the_worker_repeats():
    parked = row(EventStatus.PARKED, reason="unknown:x", waits_for=["act:0"])
    action = unknown() | {"reason": STOPPED_REPEATABLE}
    assert sweep(parked, actions=[action]).did == ["kept the action", *RESUMED]


@pytest.mark.parametrize(
    ("minutes", "pause"), [(0, 60), (8, 60), (40, 300), (240, LATE), (1440, LATE)]
)
def test_looks_are_the_rarer_the_longer_a_row_waits(minutes, pause):
    waited = timedelta(minutes=minutes)
    parked = row(EventStatus.PARKED, rested=waited, reason="unknown:x", waits_for=["act:0"])
    started = int(NOW - waited.total_seconds())
    swept = sweep(parked, actions=[unknown() | {"started_epoch": started}])
    assert swept.did == ["kept the action", pause]
    assert swept.table.rows[("act:0",)]["due_at"] == NOW + pause


SENT = [Recovery.SWEEP, LATE]
HANDED = ["marked failed", Recovery.HANDOFF, LATE]


@each_row("attempts", [1, 10, 99])
@each_row(
    ("lease", "is_last", "did"),
    [
        (NOW + 250, False, [251]),  # a worker holds it
        (NOW + 250, True, [251]),
        (NOW - 1, True, HANDED),  # its worker died on the last receive
        (NOW - 1, False, SENT),  # its worker died, and its message did not come back
        (0, False, SENT),  # released, and its message did not come back
        (0, True, SENT),
    ],
)
def test_an_event_that_is_due_is_sent_again_or_marked_failed(lease, is_last, attempts, did):
    left = row(EventStatus.PROCESSING, attempts=attempts, lease_until=lease, last_receive=is_last)
    assert sweep(left).did == did


def test_an_event_claimed_meanwhile_is_not_handed_off():
    left = row(EventStatus.PROCESSING, lease_until=NOW - 1, last_receive=True)
    swept = sweep(left, meanwhile={"lease_until": NOW + 250})
    assert (swept.did, swept.table.rows[(KEY,)]["status"]) == ([], "processing")


def test_a_hand_off_that_is_due_is_repeated():
    assert sweep(row(EventStatus.FAILED)).did == [Recovery.HANDOFF, LATE]


def test_a_row_without_a_rebuilder_is_counted_and_kept():
    swept = sweep(row(EventStatus.RECEIVED, key="evt:odd:1"))
    assert swept.did == [LATE]
    assert (swept.summary.orphans, swept.summary.stranded) == (1, 1)


@pytest.mark.parametrize(
    "found",
    [
        row(EventStatus.PARKED, key="evt:odd:1", reason="unknown:reply"),
        row(EventStatus.PROCESSING, key="evt:odd:1"),
        row(EventStatus.FAILED, key="evt:odd:1"),
    ],
    ids=lambda found: found["status"],
)
def test_a_row_without_a_rebuilder_is_kept_once_in_any_state(found):
    swept = sweep(found)
    assert (swept.did, swept.table.calls.count("update")) == ([LATE], 1)
    assert swept.summary.orphans == 1


@pytest.mark.parametrize(
    ("status", "due_in", "is_counted"),
    [
        (EventStatus.PARKED, 0, True),
        (EventStatus.PARKED, LATE, True),  # looked at half an hour ago at most
        (EventStatus.FAILED, LATE, True),
        (EventStatus.PROCESSING, 0, True),
        (EventStatus.PROCESSING, 1, False),  # its message, or its date, brings it back
    ],
)
def test_the_age_of_the_oldest_leaves_out_what_waits_as_it_should(status, due_in, is_counted):
    waiting = row(status, due_at=NOW + due_in, received=timedelta(hours=5))
    assert sweep(waiting).summary.oldest_seconds == (5 * 3600 if is_counted else 0)
