"""An act killed before and after every write of the door and of the worker: done once, or visibly parked."""

import itertools
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.desk import DeskRig

FIELDS = {
    "take": {},
    "reply": {"text": "It is me, Sam."},
    "approve": {"text": "We pay monthly."},
    "give_back": {"hint": "The fee was refunded"},
}
LEASE_SECONDS = 1_000


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
            sends = [row for (key,), row in rig.table.rows.items() if key.startswith("act:send:")]
            state = sends[0]["status"] if sends else "none"
            outcome = (state, len(rig.sent()))
            seen.add(outcome)
            wanted = (
                {("none", 0)} if act == "take" else {("done", 1), ("unknown", 1), ("unknown", 0)}
            )
            assert outcome in wanted, (number, moment, outcome)
            entries = [entry["action_type"] for entry in rig.journal.story(record.opaque_id)]
            assert entries == [f"handoff {act}"], (number, moment)
        else:
            continue
        break
    assert (("none", 0) if act == "take" else ("done", 1)) in seen
    assert number > (1 if act == "take" else 6)
