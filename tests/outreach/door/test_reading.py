"""What a company's key reads of a conversation, and no other company's."""

from datetime import UTC, datetime, timedelta

from chalicelib.clock import iso
from chalicelib.once.event import Unended
from chalicelib.outreach.conversations.records import Record, Status
from chalicelib.outreach.door.reading import PAGE_MESSAGES, messages_page, waiting_fields
from tests.rigs.conversation_samples import message, new
from tests.rigs.fakes import NOON

OTHER_KEY = "another-companys-key"


def record(**more):
    return Record({**new(channel="sms"), "conversation_status": Status.PROCESSING.value, **more})


def held(**handoff):
    since = {"id": "h1", "reason": "asked_by_writer", "since": iso(NOON), "held": ""}
    return record(conversation_status=Status.HANDED_OFF.value, handoff={**since, **handoff})


def none_waits(_keys):
    return {}


def test_a_conversation_says_whom_it_waits_for():
    assert waiting_fields(record(), NOON, none_waits) is None
    asked = {"reason": "asked_by_writer", "since": iso(NOON)}
    assert waiting_fields(held(), NOON, none_waits) == {"for": "person", **asked}
    assert waiting_fields(held(held="reply"), NOON, none_waits) == {"for": "approval", **asked}
    assert waiting_fields(held(held="reply", taken_by="sam"), NOON, none_waits) == {
        "for": "person",
        **asked,
    }


def test_a_conversation_says_until_when_it_waits():
    until = int((NOON + timedelta(hours=2)).timestamp())
    rows = {"evt:a": Unended(until, "quiet_hours"), "evt:b": Unended(until + 1, "behind_another")}

    def unended(keys):
        return {key: rows[key] for key in keys}

    found = waiting_fields(record(waiting=["evt:a", "evt:b"]), NOON, unended)
    assert found == {"for": "quiet_hours", "until": iso(NOON + timedelta(hours=2))}
    after = datetime.fromtimestamp(until + 1, UTC)
    assert waiting_fields(record(waiting=["evt:a"]), after, unended) is None


def test_what_waits_for_a_vendor_is_not_said_to_wait_for_the_night():
    busy = Unended((NOON + timedelta(minutes=2)).timestamp(), "twilio_http_429")
    assert waiting_fields(record(waiting=["evt:a"]), NOON, lambda _: {"evt:a": busy}) is None


def test_messages_come_page_by_page_each_once_and_in_order(outreach_parts):
    record = outreach_parts.open(new(channel="sms"))
    for number in range(PAGE_MESSAGES + 3):
        record, _ = outreach_parts.conversations.append(record, message(number))
    first = messages_page(outreach_parts.conversations, record, {})
    rest = messages_page(outreach_parts.conversations, record, {"after": [str(first["after"])]})
    both = [entry["id"] for entry in (*first["messages"], *rest["messages"])]
    assert both == [message(number).entry_id for number in range(PAGE_MESSAGES + 3)]
    assert "after" not in rest


def test_a_company_reads_its_own_conversation_and_no_others(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Yes, please", whatsapp=False))
    outreach.run()
    found = outreach.messages().json_body["messages"]
    assert [entry["from"] for entry in found] == ["company", "recipient", "company"]
    assert found[1]["text"] == "Yes, please"
    assert outreach.messages("unknown").status_code == 404
    assert outreach.messages(key=OTHER_KEY).status_code == 401
    for wrong in ("-1", "x", "999999999", "", "0&after=1"):
        assert outreach.messages(after=wrong).json_body["error_code"] == "INVALID_AFTER"


def test_a_held_start_says_that_it_waits_for_approval(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["waiting"]["for"] == "approval"
