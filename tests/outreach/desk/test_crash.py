"""An act killed before and after every write of the door and of the worker: done once, or visibly parked."""

import itertools
from contextlib import contextmanager, suppress
from datetime import UTC, datetime

import pytest

from chalicelib.outreach.desk import asked as asking
from tests.rigs.crash_injection import ProcessKilled
from tests.rigs.desk import DeskRig

FIELDS = {
    asking.TAKE: {},
    asking.REPLY: {"text": "It is me, Sam."},
    asking.APPROVE: {"text": "We pay monthly."},
    asking.GIVE_BACK: {"hint": "The fee was refunded"},
}
WRITES = ("put", "update", "transact", "put_all")
LEASE_SECONDS = 1_000


@contextmanager
def killed_at(rig, number, moment):
    """Kill at a write of a table or at the request to Twilio; yields what was counted."""
    counted = {"calls": 0, "depth": 0, "killed": False}

    def counting(call):
        def made(*arguments, **more):
            if counted["depth"]:
                return call(*arguments, **more)  # a part of the write that is counted
            counted["calls"] += 1
            here = counted["calls"] == number
            if here and moment == "before":
                counted["killed"] = True
                raise ProcessKilled
            counted["depth"] += 1
            try:
                answer = call(*arguments, **more)
            finally:
                counted["depth"] -= 1
            if here:
                counted["killed"] = True
                raise ProcessKilled
            return answer

        return made

    places = [
        (one, name)
        for one in (rig.table, rig.conversations_table, rig.audit_table)
        for name in WRITES
    ]
    places.append((rig.sender._twilio, "send"))
    usual = [(place, name, getattr(place, name)) for place, name in places]
    for place, name, call in usual:
        setattr(place, name, counting(call))
    try:
        yield counted
    finally:
        for place, name, call in usual:
            setattr(place, name, call)


@pytest.mark.parametrize("act", FIELDS)
def test_an_act_killed_at_any_write_and_asked_for_again_is_done_once(twilio, act):
    seen = set()
    for number in itertools.count(1):
        for moment in ("before", "after"):
            twilio.reset()
            rig = DeskRig(twilio)
            rig.clock.forward((datetime.now(UTC) - rig.clock.now()).total_seconds())
            record = rig.says(rig.begun(auto_queue_reply_message=True), "Tell me more")
            asked = rig.asks(act, record, **FIELDS[act])
            with killed_at(rig, number, moment) as counted, suppress(ProcessKilled):
                rig.inbox.act(asked)
                rig.work()
            if not counted["killed"]:
                break
            for _ in range(3):
                rig.clock.forward(LEASE_SECONDS)
                rig.inbox.act(asked)
                rig.sweep()
                rig.work()
            sends = [one for (key,), one in rig.table.rows.items() if key.startswith("act:send:")]
            state = sends[0]["status"] if sends else "none"
            outcome = (state, len(rig.sent()))
            seen.add(outcome)
            wanted = (
                {("none", 0)} if act == "take" else {("done", 1), ("unknown", 1), ("unknown", 0)}
            )
            assert outcome in wanted, (number, moment, outcome)
            entries = [one["action_type"] for one in rig.journal.story(record.opaque_id)]
            assert entries == [f"handoff {act}"], (number, moment)
        else:
            continue
        break
    assert (("none", 0) if act == "take" else ("done", 1)) in seen
    assert number > (1 if act == "take" else 6)
