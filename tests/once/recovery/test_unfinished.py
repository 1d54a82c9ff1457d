"""Each unfinished row by itself: sent again, resumed, marked failed, handed off or left alone."""

import itertools
from dataclasses import dataclass
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.event import EventStatus
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ledger.events import RELEASED, Ledger
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import LIMIT, RowSweep
from chalicelib.once.settlement import Settlement
from chalicelib.once.sharded import partition
from chalicelib.wiring.jobs import decode
from tests.rigs.fakes import NOON, ManualClock, RecordingLog, RecordingOutbox
from tests.rigs.tables import FaultyTable
from tests.rigs.worker import job
from tests.simulation import tables

NOW = NOON.timestamp()
KEY = "evt:rp:1042:c-77"


def row(status, *, rested=timedelta(days=1), received=timedelta(days=1), key=KEY, **more):
    """An unfinished event as the ledger stores it."""
    mark = (
        RELEASED if (status, more.get("lease_until", 0)) == (EventStatus.PROCESSING, 0) else status
    )
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
        "unfinished": partition(mark, key),
        **more,
    }


def unknown(event_key=KEY, number=0):
    """An action of unknown outcome, beyond its horizon and once not found."""
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
    ledger = Ledger(table, clock, lambda: "owner")
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
        ledger,
        Settlement(ledger, {"reply": settler}, clock),
        {"evt:rp": lambda _event: job()},
        clock,
        SweepActions(ledger, intake, summary, lambda: 200.0),
    ).run()
    did = [one for action in actions for one in changes_of_action(table, action)]
    did += changes_of_event(table, event, outbox)
    return Swept(did, summary, table)


def changes_of_action(table, before):
    after = table.rows[(before["event_id"],)]
    if after["status"] != before["status"]:
        yield f"settled as {after['status']}"
    elif after["last_processed_at"] != before["last_processed_at"]:
        yield "kept the action"


def changes_of_event(table, before, outbox):
    after = table.rows[(before["event_id"],)]
    if (after["status"], after.get("reason")) == ("failed", "dead_letter:worker_died"):
        yield "marked failed"
    yield from (decode(body).recovery for body, _, _ in outbox.messages)
    if "queued_at" in after:
        yield "queued"
    if after["expires_at"] > before["expires_at"]:
        yield "kept"


def test_an_event_that_was_never_queued_is_sent():
    assert sweep(row(EventStatus.RECEIVED)).did == [Recovery.SWEEP, "queued"]


RESUMED = [Recovery.SETTLED, "kept"]


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
def test_a_parked_event_resumes_when_its_unknown_outcomes_are_settled(reason, days, did):
    parked = row(EventStatus.PARKED, received=timedelta(days=days), reason=reason)
    assert sweep(parked).did == did


def test_a_parked_event_waits_while_one_of_its_actions_is_unknown():
    parked = row(EventStatus.PARKED, reason="unknown:reply")
    actions = [unknown()]
    assert sweep(parked, actions=actions).did == ["kept the action", "kept"]
    seen = sweep(parked, actions=actions, settler=happened)
    assert seen.did == ["settled as done", *RESUMED]
    not_seen = sweep(parked, actions=actions, settler=not_happened)
    assert not_seen.did == ["settled as pending", *RESUMED]


def test_beyond_the_limit_of_unknown_actions_only_checked_events_resume():
    """An action of this event may be among those that were not checked."""
    others = [unknown("evt:rp:9:c-9", number) for number in range(LIMIT)]
    parked = row(EventStatus.PARKED, reason="unknown:reply")
    settled = ["settled as done"] * LIMIT
    assert sweep(parked, actions=others, settler=happened).did == [*settled, "kept"]
    seen = [unknown(), *others[1:]]
    assert sweep(parked, actions=seen, settler=happened).did == [*settled, *RESUMED]


SENT = [Recovery.SWEEP, "kept"]
HANDED = ["marked failed", Recovery.HANDOFF, "kept"]


@pytest.mark.parametrize(
    ("lease", "attempts", "hours", "did"),
    [
        (NOW + 1, 1, 24, []),  # a worker holds it
        (NOW - 1, 1, 0.1, HANDED),  # its worker died on the last receive
        (0, 1, 24, SENT),  # released, and its message is lost
        (0, 9, 24, SENT),
        (0, 10, 24, HANDED),  # it has crashed its workers
        (0, 1, 3, []),  # its message may still be redelivered
        (0, 10, 3, []),
    ],
)
def test_an_event_its_worker_abandoned_is_sent_again_or_marked_failed(lease, attempts, hours, did):
    left = row(
        EventStatus.PROCESSING,
        rested=timedelta(hours=hours),
        attempts=attempts,
        lease_until=lease,
    )
    assert sweep(left).did == did


def test_an_event_claimed_meanwhile_is_not_handed_off():
    left = row(EventStatus.PROCESSING, lease_until=NOW - 1)
    swept = sweep(left, meanwhile={"lease_until": NOW + 250})
    assert (swept.did, swept.table.rows[(KEY,)]["status"]) == ([], "processing")


@pytest.mark.parametrize(("minutes", "did"), [(30, []), (31, [Recovery.HANDOFF, "kept"])])
def test_a_hand_off_is_repeated_after_half_an_hour(minutes, did):
    assert sweep(row(EventStatus.FAILED, rested=timedelta(minutes=minutes))).did == did


def test_a_row_without_a_rebuilder_is_counted_and_kept():
    swept = sweep(row(EventStatus.RECEIVED, key="evt:odd:1"))
    assert swept.did == ["kept"]
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
    assert (swept.did, swept.table.calls.count("update")) == (["kept"], 1)
    assert swept.summary.orphans == 1
