"""What a company's key reads of a conversation, and no other company's."""

from datetime import UTC, datetime, timedelta

from chalicelib.clock import iso
from chalicelib.outreach.conversations.records import Record, Status
from chalicelib.outreach.door.reading import PAGE_MESSAGES, messages, waiting
from tests.rigs.conversation_samples import message, new
from tests.rigs.fakes import NOON

OTHER_KEY = "another-companys-key"


def record(**more):
    return Record({**new(channel="sms"), "conversation_status": Status.PROCESSING.value, **more})


def held(**handoff):
    since = {"id": "h1", "reason": "asked_by_writer", "since": iso(NOON), "held": ""}
    return record(conversation_status=Status.HANDED_OFF.value, handoff={**since, **handoff})


def test_a_conversation_says_whom_it_waits_for():
    assert waiting(record(), NOON) is None
    asked = {"reason": "asked_by_writer", "since": iso(NOON)}
    assert waiting(held(), NOON) == {"for": "person", **asked}
    assert waiting(held(held="reply"), NOON) == {"for": "approval", **asked}
    assert waiting(held(held="reply", taken_by="sam"), NOON) == {"for": "person", **asked}


def test_a_conversation_says_until_when_it_waits():
    due = int((NOON + timedelta(hours=2)).timestamp())
    earlier, later = {"event": "evt:a", "due": due}, {"event": "evt:b", "due": due + 1}
    found = waiting(record(waiting=[earlier, later]), NOON)
    assert found == {"for": "quiet_hours", "until": iso(NOON + timedelta(hours=2))}
    assert waiting(record(waiting=[earlier]), datetime.fromtimestamp(due + 1, UTC)) is None


def test_messages_come_page_by_page_each_once_and_in_order(outreach_parts):
    one = outreach_parts.open(new(channel="sms"))
    for number in range(PAGE_MESSAGES + 3):
        one, _ = outreach_parts.conversations.append(one, message(number))
    first = messages(outreach_parts.conversations, one, {})
    rest = messages(outreach_parts.conversations, one, {"after": str(first["after"])})
    both = [each["id"] for each in (*first["messages"], *rest["messages"])]
    assert both == [message(number).entry_id for number in range(PAGE_MESSAGES + 3)]
    assert "after" not in rest


def test_a_company_reads_its_own_conversation_and_no_others(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Yes, please", whatsapp=False))
    outreach.run()
    found = outreach.messages().json_body["messages"]
    assert [one["from"] for one in found] == ["company", "recipient", "company"]
    assert found[1]["text"] == "Yes, please"
    assert outreach.messages("unknown").status_code == 404
    assert outreach.messages(key=OTHER_KEY).status_code == 401
    for wrong in ("-1", "x", "999999999"):
        assert outreach.messages(after=wrong).json_body["error_code"] == "INVALID_AFTER"


def test_a_held_start_says_that_it_waits_for_approval(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["waiting"]["for"] == "approval"
