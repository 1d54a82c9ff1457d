"""The silence about a doubt: the company hears of it as of a STOP, once, and only of a silence."""

import itertools
from contextlib import suppress

import pytest

from chalicelib.once.event import EventStatus
from chalicelib.outreach.company_events.event_names import TELLS, EventName
from chalicelib.outreach.conversations.doubts import DECIDED_WITHIN
from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.desk import DeskRig

DAY = 24 * 3600
DECIDED = DECIDED_WITHIN.total_seconds()
WHY = {"reason": "They only asked who we are"}


@pytest.fixture
def asked(desk):
    """A conversation of a company with an endpoint, whose recipient may have asked to stop."""
    return desk.says(desk.begun(**{TELLS: True}), "wrong number")


def passes(desk, seconds):
    desk.clock.forward(seconds)
    desk.sweep()
    work(desk)


def work(desk):
    """Run the conversation's jobs, and drop the jobs that would post its events to the company."""
    desk.outbox.messages[:] = [
        message for message in desk.outbox.messages if "tell_company" not in message[0]
    ]
    desk.work()


def opt_outs(desk, record):
    """The reasons of the events that say that the recipient must not be contacted."""
    rows = desk.events.rows
    head = rows.head(record.opaque_id)
    found = [
        rows.event(record.opaque_id, number + 1) for number in range(head.count if head else 0)
    ]
    return [event.facts["reason"] for event in found if event.name is EventName.OPTED_OUT]


def test_the_company_hears_when_the_time_is_over_and_not_before(desk, asked):
    passes(desk, DECIDED - 7200)
    assert opt_outs(desk, asked) == []
    passes(desk, 7201)
    assert opt_outs(desk, asked) == ["stop"]
    passes(desk, 30 * DAY)
    assert opt_outs(desk, asked) == ["stop"]


def test_messages_that_join_one_question_are_one_silence(desk, asked):
    passes(desk, DAY)
    desk.says(asked, "stop, who are you?")
    passes(desk, DECIDED)
    passes(desk, DECIDED)
    assert opt_outs(desk, asked) == ["stop"]


@pytest.mark.parametrize(
    ("answer", "reasons"),
    [("not_stop", []), ("stop", ["asked_to_stop"]), ("START", []), ("STOP", ["stop"])],
)
def test_a_question_that_was_answered_has_no_silence(desk, asked, answer, reasons):
    if answer.isupper():
        desk.says(asked, answer, opt_out=answer.lower())
    else:
        desk.act(answer, asked, **(WHY if answer == "not_stop" else {}))
    work(desk)
    assert opt_outs(desk, asked) == reasons
    passes(desk, DECIDED + DAY)
    assert opt_outs(desk, asked) == reasons
    assert desk.ledger.stored(silence(desk)).status == EventStatus.PROCESSED


def test_a_doubt_after_the_answer_has_a_silence_of_its_own(desk, asked):
    desk.act("not_stop", asked, **WHY)
    passes(desk, DAY)
    desk.says(asked, "wrong number")
    passes(desk, DECIDED - DAY)
    assert opt_outs(desk, asked) == []
    passes(desk, DAY + 61)
    assert opt_outs(desk, asked) == ["stop"]


def test_where_no_company_hears_of_it_no_row_is_written(desk):
    desk.says(desk.begun(), "wrong number")
    assert silence(desk) is None


def silence(desk):
    """The key of the event, as its row has it."""
    keys = (row["event_id"] for row in desk.table.rows.values())
    return next((key for key in keys if key.startswith("evt:silence:")), None)


def test_a_worker_that_is_killed_at_any_write_leaves_one_silence(twilio):
    for number in itertools.count(1):
        for moment in ("before", "after"):
            desk = DeskRig(twilio)
            record = desk.begun(**{TELLS: True})
            desk.hears(record, "wrong number")
            with killed_at(desk, number, moment) as counted, suppress(ProcessKilled):
                desk.work()
            if not counted["killed"]:
                assert number > 1
                return
            passes(desk, DAY)
            passes(desk, DECIDED)
            assert opt_outs(desk, record) == ["stop"], (number, moment)
