"""The desk decides whether somebody asked to stop, and lifts what was marked wrongly."""

import pytest

from chalicelib.outreach.conversations.doubts import DECIDED_WITHIN
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.desk.case import ActRefusedError
from tests.rigs.desk import TEL

WHY = {"reason": "They only asked who we are"}


@pytest.fixture
def doubtful(desk):
    """A conversation whose recipient may have asked to stop."""
    return desk.says(desk.begun(), "wrong number")


def forbidden(desk, record):
    return desk.conversations.forbids(desk.conversations.reread(record))


def shown(desk, record):
    """What the list and the conversation say of the question."""
    page = desk.inbox.list(company_id=record.company_id)
    (listed,) = [entry["stop_or_not"] for entry in page.entries if entry["id"] == record.opaque_id]
    full = desk.inbox.conversation(record.opaque_id)
    assert full["stop_or_not"] == full["handoff"]["stop_or_not"] == listed
    return listed


def refused(desk, act, record, **fields):
    with pytest.raises(ActRefusedError) as error:
        desk.act(act, record, **fields)
    return error.value.code


def test_a_doubt_is_asked_with_the_time_at_which_it_becomes_a_stop(desk, doubtful):
    (entry,) = desk.conversations.marks_of(TEL, doubtful.company_id)
    assert shown(desk, doubtful) == {"since": entry.item["since"], "due_at": entry.item["stop_at"]}
    desk.clock.forward(DECIDED_WITHIN.total_seconds())
    assert shown(desk, doubtful) is None
    assert forbidden(desk, doubtful) == MarkReason.STOP


def test_the_question_is_shown_in_every_conversation_of_the_person(desk, doubtful):
    other = desk.handed_off("req2")
    assert shown(desk, other) == shown(desk, doubtful)
    desk.act("not_stop", other, **WHY)
    assert shown(desk, doubtful) is None


def test_the_list_begins_with_the_questions_the_soonest_due_first(desk):
    """Sorted by their wait alone, the list would be: the last, the waiting one, the first."""
    last = desk.handed_off("req1", tel="+15550107001")
    waiting = desk.handed_off("req2", tel="+15550107002")
    first = desk.says(desk.begun("req3", tel="+15550107003"), "wrong number")
    desk.says(last, "wrong number")

    def ids():
        after, found = "", []
        while True:
            page = desk.inbox.list(company_id=last.company_id, limit=1, after=after)
            found += [entry["id"] for entry in page.entries]
            if not (after := page.after):
                return found

    assert ids() == [first.opaque_id, last.opaque_id, waiting.opaque_id]
    desk.act("not_stop", first, **WHY)
    assert ids() == [last.opaque_id, waiting.opaque_id, first.opaque_id]


def test_stop_marks_the_person_ends_the_hand_off_and_stops_what_was_to_be_sent(desk, doubtful):
    desk.act("stop", doubtful)
    assert forbidden(desk, doubtful) == "asked_to_stop"
    entries = {
        entry.reason: entry.item for entry in desk.conversations.marks_of(TEL, doubtful.company_id)
    }
    assert entries["asked_to_stop"]["by"] == "sam"
    assert entries["refusal_in_doubt"]["lifted_by"] == "sam"
    assert desk.state(doubtful) == "closed"
    desk.says(doubtful, "hello?")
    assert desk.sent() == []


def test_not_stop_lifts_the_question_with_its_reason_and_the_person_goes_on(desk, doubtful):
    desk.act("not_stop", doubtful, **WHY)
    (entry,) = desk.conversations.marks_of(TEL, doubtful.company_id)
    assert (entry.item["lifted_by"], entry.item["lifted_because"]) == ("sam", WHY["reason"])
    (entry,) = desk.journal.story(doubtful.opaque_id)
    assert (entry["action_type"], entry["reason"]) == ("handoff not_stop", WHY["reason"])
    assert (forbidden(desk, doubtful), shown(desk, doubtful)) == (None, None)
    desk.act("give_back", doubtful)
    desk.work()
    assert len(desk.sent()) == 1
    desk.says(doubtful, "no thanks, wrong person")
    assert forbidden(desk, doubtful) == MarkReason.DOUBT, "a new doubt asks again"


def test_until_it_is_decided_a_person_answers_and_automation_does_not(desk, doubtful):
    assert refused(desk, "give_back", doubtful, hint="Go on") == "STOP_OR_NOT"
    desk.act("reply", doubtful, text="Sorry, who are we speaking to?")
    desk.work()
    assert desk.sent() == ["Sorry, who are we speaking to?"]
    desk.act("close", doubtful)
    desk.work()
    record = desk.says(doubtful, "What is this about?")
    assert record.handoff["reason"] == "refusal_in_doubt"
    desk.act("approve", record, text="About your application.")
    desk.work()
    assert desk.sent()[1:] == ["About your application."]


def test_a_held_opening_waits_for_the_decision(desk, doubtful):
    held = desk.begun("req2")
    desk.conversations.hand_off(
        held, handoff_id="h2", held="start", reason="auto_queue_initial_message", reason_text=""
    )
    assert refused(desk, "approve", held) == "STOP_OR_NOT"


def test_a_reply_that_was_accepted_before_the_time_is_over_does_not_leave_after_it(desk, doubtful):
    desk.act("reply", doubtful, text="Hello")
    desk.clock.forward(DECIDED_WITHIN.total_seconds())
    desk.work()
    assert desk.sent() == []
    assert desk.conversations.reread(doubtful).item["reply_failure"]["reason"] == "do_not_contact"


def test_a_doubt_that_the_door_has_heard_is_read_before_the_question_is_answered(desk, doubtful):
    desk.clock.forward(60)
    desk.conversations.doubt(TEL, doubtful.company_id, said_at=desk.now())
    assert refused(desk, "not_stop", doubtful, **WHY) == "NOT_READ"
    desk.clock.forward(900)
    desk.act("not_stop", doubtful, **WHY)


@pytest.mark.parametrize("word", ["STOP", "START"])
def test_what_the_recipient_says_between_the_read_and_the_act_counts(desk, doubtful, word):
    asked = desk.asks("not_stop", doubtful, **WHY)
    transact = desk.conversations_table.transact

    def transact_late(writes):
        desk.conversations_table.transact = transact
        if word == "START":
            desk.conversations.allow(TEL, doubtful.company_id, said_at=desk.now())
        else:
            desk.conversations.doubt(TEL, doubtful.company_id, said_at=desk.now())
        return transact(writes)

    desk.clock.forward(1)
    desk.conversations_table.transact = transact_late
    with pytest.raises(Exception, match="read it again"):
        desk.inbox.act(asked)
    assert forbidden(desk, doubtful) == (None if word == "START" else MarkReason.DOUBT)


def test_an_unsubscribing_alone_is_not_lifted_at_the_desk(desk):
    record = desk.handed_off()
    desk.conversations.forbid(TEL, record.company_id, MarkReason.UNSUBSCRIBED)
    assert refused(desk, "not_stop", record, **WHY) == "NOT_AT_THE_DESK"


def test_a_mark_is_lifted_where_its_recipient_has_asked_for_contact_since(desk):
    record = desk.handed_off()
    assert refused(desk, "not_stop", record, **WHY) == "NOT_STOPPED"
    desk.conversations.forbid(
        TEL, record.company_id, MarkReason.STOP, said_at=record.messages[-1].message_timestamp
    )
    assert refused(desk, "not_stop", record, **WHY) == "NOT_ASKED_SINCE"
    for text in ("HELP", "STOP"):
        desk.says(record, text, opt_out=text.lower())
        assert refused(desk, "not_stop", record, **WHY) == "NOT_ASKED_SINCE"
    desk.says(record, "Sorry, I was cancelling my order. Please do write to me")
    desk.act("not_stop", record, reason="Asked for it on the phone and here")
    assert forbidden(desk, record) is None
    (entry,) = desk.conversations.marks_of(TEL, record.company_id)
    assert entry.item["lifted_because"] == "Asked for it on the phone and here"


def test_a_question_that_became_a_stop_is_lifted_only_as_a_mark(desk, doubtful):
    desk.clock.forward(DECIDED_WITHIN.total_seconds())
    assert refused(desk, "not_stop", doubtful, **WHY) == "NOT_ASKED_SINCE"
    desk.says(doubtful, "Please call me, I am interested now")
    desk.act("not_stop", doubtful, **WHY)
    assert forbidden(desk, doubtful) is None


def test_what_the_carrier_says_is_not_lifted_at_the_desk(desk):
    record = desk.handed_off()
    desk.conversations.forbid(TEL, record.company_id, MarkReason.CARRIER)
    assert refused(desk, "not_stop", record, **WHY) == "NOT_AT_THE_DESK"
