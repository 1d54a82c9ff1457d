"""Stored rows: the attributes that each kind has, and defaults for those that a row lacks."""

import re
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.once.action import ActionStatus
from chalicelib.once.allowances import Allowances, Limit
from chalicelib.once.causes import Cause
from chalicelib.once.event import EventStatus
from chalicelib.once.incident import State
from chalicelib.once.incidents import Incidents
from chalicelib.once.ledger import layout, rows
from chalicelib.once.recovery.cursor import Sweeps
from chalicelib.once.share import FREE_SECONDS, LaneShare
from chalicelib.outreach.project.admission import Starts
from chalicelib.outreach.project.fields import RateLimits
from chalicelib.support.configuration.versions import Versions
from chalicelib.support.orders.cache import LookupCache
from chalicelib.vendors.shared_level import SharedLevel
from ops.companies import erase
from tests.rigs.ledger import DAY, MODES, facts, reply
from tests.rigs.levels import step_to
from tests.rigs.ops_session import session
from tests.simulation.scenario import scenario
from tests.simulation.world import World

EVENT = {
    "event_id": "evt:rp:1042:c-77",
    "conversation_id": "1042",
    "received_at": "2026-11-20T11:59:58.750Z",
    "payload_sha256": "9f",
    "payload_bytes": 9,
    "source": "richpanel_http_target",
    "status": "received",
    "last_processed_at": "2026-11-20T12:00:00.000Z",
}
ACTION = {
    "event_id": "act:rp:1042:add_tag:x",
    "action_kind": "add_tag",
    "conversation_id": "1042",
    "event_key": "evt:rp:1042:c-77",
    "owner": "o1",
    "started_epoch": 1,
    "horizon": 2,
}


def test_an_event_without_a_trace_has_an_empty_one():
    assert rows.event(EVENT).trace_id == ""


def test_an_unclaimed_event_has_no_attempts_and_no_lease():
    found = rows.stranded(EVENT)
    assert (found.attempts, found.lease_until_epoch) == (0, 0)


def test_an_action_without_a_probe_has_an_empty_one():
    found = rows.unsettled(ACTION)
    assert (found.probe, found.looks, found.looked_epoch) == ({}, 0, 0)


# --- the documented layout --------------------------------------------------------------------


def documented(title):
    """The lines of one of the layout's tables, split into columns."""
    _, _, rest = layout.__doc__.partition(f"\n{title}")
    body = rest.partition("::\n\n")[2].partition("\n\n")[0]
    return [re.split(r" {2,}", line.strip(), maxsplit=3) for line in body.splitlines()[1:]]


KINDS = {
    kind: begins.partition("{")[0].split(" ")[0].rstrip(".")
    for kind, begins, *_ in documented("Kinds")
}


def attributes():
    """Kind to its attributes, as the table says."""
    found = {kind: set() for kind in KINDS}
    for name, kinds, *_ in documented("Attributes"):
        some = kinds.split() if not kinds.startswith("all") else set(KINDS) - set(kinds.split()[2:])
        for kind in some:
            found[kind].add(name)
    return found


def kind_of(key):
    """The kind with the longest matching key."""
    return max(
        (kind for kind in KINDS if key.startswith(KINDS[kind])), key=lambda kind: len(KINDS[kind])
    )


def written(rig):
    """One row of every kind, taken through every write there is; kind to attributes seen."""
    seen = {kind: set() for kind in KINDS}
    rows = rig.table.rows

    def note():
        for (key,), row in rows.items():
            seen[kind_of(key)] |= row.keys()

    steps = (
        events,
        settled_actions,
        starts,
        limits,
        paces,
        shares,
        lookups,
        sweeps,
        settings,
        stuck,
        erased,
    )
    for step in steps:
        step(rig)
        note()
    return seen


def events(rig):
    rig.ledger.receive(facts())
    rig.ledger.set_aside(facts("evt:5"), reason="x", due_epoch=2e9, until_epoch=2e9, turns=1)
    lease = rig.claim(by="message-1", last_chance=True)
    rig.ledger.store_plan(lease, "{}", intent="refund", modes=MODES)
    rig.ledger.release(lease, reason="busy", due_epoch=0)
    again = rig.claim(last_chance=True)
    rig.ledger.finish(again, EventStatus.FAILED, reason="x", handoff_due=True)
    rig.ledger.finish(rig.claim("evt:4"), EventStatus.PARKED, reason="x", waits_for=["act:2"])
    rig.ledger.record_end(facts("evt:2"), MODES, EventStatus.SKIPPED, reason="too_old")
    assert rig.ledger.ask_again("evt:2", entry=[])


def stuck(rig):
    lease = rig.claim("evt:rp:6")
    rig.ledger.release(lease, reason="richpanel_http_503", due_epoch=2e9)
    incidents = Incidents(table=rig.table, clock=rig.clock, retention=timedelta(days=30))
    found = incidents.get(Cause("richpanel", "unavailable", "tickets"))
    began = {"mended_by": "jo", "mended_at": "now", "asked_for": 0}
    assert incidents.write(found, state=State.ACKNOWLEDGED, owner="jo", **began)
    assert incidents.advance(found, "now")
    stored = incidents.stored(found.cause)
    ended = {"finished_at": "now", "is_stopped": True, "is_done": True}
    assert incidents.write(stored, state=State.ENDED, **ended)


def settled_actions(rig):
    lease = rig.claim("evt:3")
    rig.ledger.begin(lease, [reply("act:1")], MODES)
    rig.ledger.end_action(lease, reply("act:1"), ActionStatus.DONE, ref="comment-1")
    unknown = rig.unknown(reply("act:2"), lease)
    rig.ledger.count_empty_answer(unknown)
    settled = rig.unknown(reply("act:4"), lease)
    rig.ledger.settle(settled, ActionStatus.PENDING, reason="absent_twice")
    rig.ledger.skip(lease, reply("act:3"), MODES, reason="already")


def starts(rig):
    starts = Starts(table=rig.table, ledger=rig.ledger, clock=rig.clock)
    starts.admit(
        facts("evt:start:1"),
        "ci-1",
        RateLimits(requests_per_minute=9, requests_per_day=9, concurrent_conversations=9),
    )
    starts.note_outcome("evt:start:1", outcome="x", delivery=("sent", 2), reason="30003")


def paces(rig):
    SharedLevel(table=rig.table, provider="richpanel", clock=rig.clock).take(
        step_to(1.0, new=1.0, late=1.0, again=1.0, begun=1.0, beside=1.0)
    )


def shares(rig):
    share = LaneShare(
        table=rig.table, lane="outreach", workers=2, clock=rig.clock, new_owner=lambda: "owner"
    )
    share._note_call(("key", False), FREE_SECONDS)
    with share.calling("key", 45, job=1):
        pass


def limits(rig):
    hourly = Limit("hourly", 3, timedelta(hours=1))
    Allowances(table=rig.table, clock=rig.clock).take(
        "auto_reply:customer", "opaque", "act:1", [hourly]
    )


def lookups(rig):
    facts = {"outcome": "not_found"}
    LookupCache(table=rig.table, clock=rig.clock).write(
        "act:shopify_lookup:1:2", "1042", facts, fresh_seconds=60
    )


def sweeps(rig):
    sweeps = Sweeps(table=rig.table, clock=rig.clock, new_owner=lambda: "sweeper")
    cursor = sweeps.take(lease_seconds=60)
    sweeps.end(replace(cursor, number=7), {"listed": 0})
    sweeps.save_position("texts:opaque", rig.clock.now())


def settings(rig):
    Versions(table=rig.table, clock=rig.clock).publish(
        {"format": 1}, by="jo", note="first", after=0
    )


def erased(rig):
    operator = session()
    rig.table.name = operator.services.settings.idempotency_table
    for key in ("evt:3", "act:2"):
        erase.purge(operator, rig.table, {"event_id": key}, rig.row(key), None, None)


def test_every_kind_of_row_has_the_documented_attributes_and_no_other(ledger_rig):
    assert written(ledger_rig) == attributes()


def test_rows_expire_after_the_documented_days(ledger_rig):
    written(ledger_rig)
    expires = {kind: after.partition(" ")[0] for kind, *_, after in documented("Kinds")}
    for (key,), row in ledger_rig.table.rows.items():
        days = expires[kind_of(key)]
        if days.isdigit():
            left = row["expires_at"] - ledger_rig.clock.now().timestamp()
            assert left == pytest.approx(int(days) * DAY, abs=2), key


def test_rows_of_simulated_days_have_documented_attributes_only():
    allowed = attributes()
    for seed in range(1, 11):
        for row in World(scenario(seed)).run().ledger.rows.values():
            assert row.keys() <= allowed[kind_of(row["event_id"])], row["event_id"]
