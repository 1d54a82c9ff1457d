"""The confirmation of a wish to stop, and the answer to HELP: once, wherever the worker dies."""

import itertools
from contextlib import suppress
from datetime import UTC, datetime

import pytest

from chalicelib.outreach.conversations.records import Draft
from chalicelib.outreach.writing.template_writer import TemplateWriter
from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.desk import DeskRig

LEASE_SECONDS = 1_000
OTHER = "+15550100002"


class Hears(TemplateWriter):
    """A writer that recognises one wish to stop, as a model does."""

    def answer(self, record, history):
        if history and "enough" in history[-1].content:
            return Draft(opts_out=True)
        return super().answer(record, history)


def new_rig(twilio):
    twilio.reset()
    rig = DeskRig(twilio)
    rig.composer._writer = Hears()
    rig.clock.forward((datetime.now(UTC) - rig.clock.now()).total_seconds())
    return rig


CASES = {
    "keyword": ("BAJA", {"opt_out": "stop", "carrier_answers": False}, "no more messages", True),
    "own words": ("I have had enough", {}, "no more messages", True),
    "help": ("HELP", {"opt_out": "help", "carrier_answers": False}, "wrote to you", False),
    "carrier answers": ("STOP", {"opt_out": "stop", "carrier_answers": True}, None, True),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("recovery", ["redelivered", "swept"])
def test_wherever_the_worker_dies_the_wish_is_confirmed_once(twilio, case, recovery):
    text, said, words, marks = CASES[case]
    outcomes = set()
    for number in itertools.count(1):
        for moment in ("before", "after"):
            rig = new_rig(twilio)
            record, other = rig.begun(), rig.begun("req2", tel=OTHER)
            rig.hears(record, text, **said)
            (message,) = rig.outbox.messages
            with killed_at(rig, number, moment) as counted, suppress(ProcessKilled):
                rig.work()
            if not counted["killed"]:
                break
            is_stored = rig.conversations.has_entry(record, "SM1")
            for _ in range(3):
                rig.clock.forward(LEASE_SECONDS)
                rig.outbox.messages.clear()
                if recovery == "redelivered" or not is_stored:
                    rig.outbox.messages.append(message)
                else:
                    rig.sweep()
                rig.work()
            (sent,) = [rig.sent()] if words else [[]]
            assert all(words in text for text in sent)
            sends = [row for (key,), row in rig.table.rows.items() if key.startswith("act:send:")]
            outcomes.add((sends[0]["status"] if sends else "none", len(sent)))
            assert outcomes <= {("done", 1), ("unknown", 1), ("unknown", 0), ("none", 0)}, (
                number,
                moment,
            )
            assert bool(sends) is bool(words), (number, moment)
            assert rig.conversations.forbids(record) == (_reason(case) if marks else None)
            assert rig.conversations.forbids(other) is None
            assert rig.sent(OTHER) == []
        else:
            continue
        break
    assert (("done", 1) if words else ("none", 0)) in outcomes
    assert number > 4


def _reason(case):
    return "asked_to_stop" if case == "own words" else "stop"


def test_a_wish_in_own_words_and_a_stop_after_it_are_confirmed_once(twilio):
    rig = new_rig(twilio)
    record = rig.begun()
    for text in ("I have had enough", "STOP", "STOP"):
        said = {"opt_out": "stop"} if text == "STOP" else {}
        rig.hears(record, text, carrier_answers=False, **said)
        rig.work()
    assert len(rig.sent()) == 1


def test_a_start_that_was_said_after_the_wish_stays_heard(twilio):
    """The worker that had recognised the wish dies, and its successor comes after the START."""
    rig = new_rig(twilio)
    record = rig.begun()
    rig.hears(record, "I have had enough")
    (message,) = rig.outbox.messages
    drafted = next(n for n in itertools.count(1) if _dies_with_draft(rig, record, message, n))
    assert drafted
    assert rig.conversations.forbids(record) is None
    rig.clock.forward(LEASE_SECONDS)
    rig.conversations.forbid(record.primary_channel, record.company_id, "stop", said_at=rig.now())
    rig.clock.forward(1)
    assert rig.conversations.allow(record.primary_channel, record.company_id, said_at=rig.now())
    rig.outbox.messages[:] = [message]
    rig.work()
    assert rig.conversations.forbids(record) is None


def _dies_with_draft(rig, record, message, number):
    """Whether the worker that is killed before a write has stored its draft, and no mark."""
    rig.outbox.messages[:] = [message]
    with killed_at(rig, number, "before"), suppress(ProcessKilled):
        rig.work()
    rig.clock.forward(LEASE_SECONDS)
    drafts = [
        row
        for row in rig.conversations_table.rows.values()
        if row["conversation_id"].startswith("draft#")
    ]
    return bool(drafts)
