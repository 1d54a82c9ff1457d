"""What is counted by day: answers with their writer and time, what becomes of drafts, failures, opt-outs."""

from collections import Counter
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.outreach.conversations import day_counts
from chalicelib.outreach.conversations.day_counts import (
    DayCount,
    channel_name,
    seconds_of_share,
    within_name,
)
from chalicelib.outreach.conversations.register_entries import MarkReason
from local import company
from tests.rigs.desk import OTHERS, OURS, TEL


def counted(desk, company_id=OURS, days=1):
    """A company's counts of the newest days, summed."""
    now = desk.clock.now()
    found = Counter()
    for day in desk.conversations.days(company_id, now - timedelta(days=days - 1), now):
        found.update(day.counts)
    return dict(found)


def test_an_answer_of_the_machine_is_counted_with_the_time_that_it_took(desk):
    desk.hears(desk.begun(), "Tell me more")
    desk.clock.forward(45)
    desk.work()
    assert len(desk.sent()) == 1
    assert counted(desk) == {
        DayCount.BY_MACHINE: 1,
        channel_name(DayCount.BY_MACHINE, "sms"): 1,
        within_name(DayCount.BY_MACHINE, "60"): 1,
    }


def test_an_answer_of_a_person_is_counted_from_the_first_message_that_waited(desk):
    record = desk.handed_off()
    desk.clock.forward(1_000)
    record = desk.says(record, "Hello?")
    desk.act("take", record)
    desk.clock.forward(1_000)
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    found = counted(desk)
    assert (found[DayCount.BY_PERSON], found[within_name(DayCount.BY_PERSON, "3600")]) == (1, 1)
    assert DayCount.BY_MACHINE not in found, "the text that a person will answer is no answer"


def test_what_is_repeated_counts_once(desk):
    record = desk.begun()
    desk.hears(record, "Tell me more")
    desk.outbox.messages.append(desk.outbox.messages[0])
    desk.work()
    held = desk.says(desk.begun("req2", tel="+15550100002", auto_queue_reply_message=True), "More")
    asked = desk.asks("approve", held)
    for _ in range(2):
        desk.inbox.act(asked)
    desk.work()
    assert counted(desk)[DayCount.BY_MACHINE] == 2
    assert counted(desk)[DayCount.APPROVED] == 1


@pytest.mark.parametrize(
    ("act", "fields", "what"),
    [
        ("approve", {}, DayCount.APPROVED),
        ("approve", {"text": "Something else, by Sam."}, DayCount.EDITED),
        ("decline", {"reason": "wrong"}, DayCount.DECLINED),
    ],
)
def test_what_becomes_of_a_held_draft_is_counted(desk, act, fields, what):
    held = desk.says(desk.begun(auto_queue_reply_message=True), "Tell me more")
    desk.act(act, held, **fields)
    drafts = {DayCount.APPROVED, DayCount.EDITED, DayCount.DECLINED}
    assert {name: many for name, many in counted(desk).items() if name in drafts} == {what: 1}


def test_a_draft_that_was_edited_is_an_answer_of_the_person(desk):
    held = desk.says(desk.begun(auto_queue_reply_message=True), "Tell me more")
    desk.act("approve", held, text="Something else, by Sam.")
    desk.work()
    found = counted(desk)
    assert (found.get(DayCount.BY_PERSON), found.get(DayCount.BY_MACHINE)) == (1, None)


def test_a_wish_to_stop_counts_once_with_its_reason(desk):
    for _ in range(2):
        desk.clock.forward(1)
        desk.conversations.forbid(TEL, OURS, MarkReason.STOP, said_at=iso(desk.clock.now()))
    desk.conversations.forbid("+15550100002", OURS, MarkReason.IMPORTED)
    assert counted(desk) == {DayCount.OPTED_OUT: 1, "opted_out__stop": 1}
    desk.clock.forward(1)
    assert desk.conversations.allow(TEL, OURS)
    desk.clock.forward(1)
    desk.conversations.forbid(TEL, OURS, MarkReason.STOP, said_at=iso(desk.clock.now()))
    assert counted(desk)[DayCount.OPTED_OUT] == 2


def test_a_stop_that_a_person_has_understood_counts(desk):
    desk.act("stop", desk.handed_off())
    found = counted(desk)
    assert (found[DayCount.OPTED_OUT], found["opted_out__asked_to_stop"]) == (1, 1)


def test_a_failure_is_counted_by_its_reason_whatever_its_form(desk):
    record = desk.begun()
    desk.conversations.count_failed(record, "30006")
    desk.conversations.count_failed(record, "send:not allowed")
    found = counted(desk)
    assert found[DayCount.FAILED] == 2
    assert day_counts.reasons_of(found, DayCount.FAILED) == {"30006": 1, "send_not_allowed": 1}


def test_days_are_of_their_company_project_and_time_alone(desk):
    record = desk.begun()
    desk.conversations.count_failed(record, "30006")
    desk.clock.forward(timedelta(days=2).total_seconds())
    desk.conversations.count_failed(record, "30006")
    now = desk.clock.now()
    (row,) = desk.conversations.days(OURS, now - timedelta(days=1), now)
    assert (row.day, row.project_id) == (f"{now:%Y-%m-%d}", company.PROJECT_ID)
    assert counted(desk, days=3)[DayCount.FAILED] == 2
    assert counted(desk, OTHERS, days=3) == {}


def test_the_rows_hold_no_person_and_end_with_the_conversations(desk):
    desk.says(desk.begun(), "Tell me more")
    rows = [
        row
        for row in desk.conversations_table.rows.values()
        if str(row["primary_channel"]).startswith("days:")
    ]
    assert rows
    assert all(int(row["ttl"]) > desk.clock.now().timestamp() for row in rows)
    assert TEL.lstrip("+") not in str(rows)


def test_a_share_is_the_bound_within_which_it_was_answered():
    by = DayCount.BY_PERSON
    counts = {within_name(by, "60"): 5, within_name(by, "600"): 4, within_name(by, "longer"): 1}
    assert [seconds_of_share(counts, by, share) for share in (0.5, 0.9, 1.0)] == [60, 600, 259_200]
    assert seconds_of_share({by: 3}, by, 0.5) is None
