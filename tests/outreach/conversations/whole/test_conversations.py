"""The conversations table, on every engine of the store contract."""

import threading
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.clock import iso
from chalicelib.errors import LeaseLostError, TransientError
from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Draft, Entry, OtherMessages, Status
from chalicelib.outreach.conversations.store import TRIES
from chalicelib.outreach.project.admission import Starts
from tests.rigs.conversation_samples import EMAIL, SENDERS, TEL, message, new


def test_opening_writes_what_the_schema_requires_with_its_types(conversations, table):
    opened = conversations.open(new(comms_consent=True, project_data={"job_ref": "JR123"}))
    item = table.get(opened.record.key)
    assert opened.is_new
    assert item["conversation_status"] == "processing"
    assert (item["messages"], item["task_complete"]) == ([], 0)
    assert (item["function_call"], item["hand_off_to_human"]) == (False, False)
    assert item["comms_consent"] is True
    assert item["project_data"] == {"job_ref": "JR123"}
    assert item["gsi_recipient_tel"] == TEL
    assert item["gsi_company_whatsapp_number"] == "+15550109001"
    assert "gsi_recipient_email" not in item
    assert "gsi_company_sms_number" not in item
    assert item["ttl"] == int(datetime(2027, 11, 21, 12, tzinfo=UTC).timestamp())
    raw = table._client.get_item(
        TableName=table.name,
        Key={k: {"S": v} for k, v in opened.record.key.items()},
    )["Item"]
    assert raw["task_complete"] == {"N": "0"}
    assert raw["function_call"] == {"BOOL": False}
    assert raw["messages"] == {"L": []}


def test_consent_that_is_missing_is_stored_as_false(conversations):
    assert conversations.open(new()).record.item["comms_consent"] is False


def test_opening_twice_gives_the_first_conversation_unchanged(conversations, clock):
    first = conversations.open(new(company_name="First"))
    clock.forward(60)
    second = conversations.open(new(company_name="Second"))
    assert not second.is_new
    assert second.record.item == first.record.item


def test_of_many_concurrent_openings_one_creates_the_conversation(conversations):
    opened = []
    threads = [
        threading.Thread(target=lambda: opened.append(conversations.open(new()))) for _ in range(6)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(opening.is_new for opening in opened) == 1
    assert len(opened) == 6


def test_no_conversation_is_opened_with_an_opted_out_recipient_until_the_mark_is_lifted(
    conversations,
):
    conversations.forbid(TEL, "ci-aaa-001", "stop")
    assert conversations.open(new()).record is None
    assert conversations.is_forbidden(TEL, "ci-aaa-001")
    assert not conversations.is_forbidden(TEL, "ci-bbb-002")
    conversations.allow(TEL, "ci-aaa-001")
    assert not conversations.is_forbidden(TEL, "ci-aaa-001")
    assert conversations.open(new()).is_new
    conversations.forbid(TEL, "ci-aaa-001", "stop")
    assert conversations.open(new("other")).record is None


def test_a_conversation_is_opened_only_while_its_start_is_held(conversations, table, ddb, clock):
    """A worker paused beyond its lease opens nothing; the current claimant does."""
    ledger_table = Table(ddb.client, ddb.ledger_table)
    owners = iter(("first", "second"))
    ledger = Ledger(table=ledger_table, clock=clock, new_owner=lambda: next(owners))
    starts = Starts(table=ledger_table, ledger=ledger, clock=clock)
    key, opaque_id = "evt:start:req123", "opaque-req123-whatsapp"
    event = EventFacts(key, opaque_id, iso(clock.now()), "0" * 64, 0, "channel_router")
    late, now = [_claim(ledger, event, clock) for _ in range(2)]

    with pytest.raises(LeaseLostError):
        conversations.open(new(), ("e1", Draft(text="Hello")), held=starts.lease_check_write(late))
    assert table.get({"primary_channel": TEL, "conversation_id": new()["conversation_id"]}) is None
    assert conversations.open(new(), held=starts.lease_check_write(now)).is_new
    assert not conversations.open(new(), held=starts.lease_check_write(now)).is_new
    assert not conversations.open(new(), held=starts.lease_check_write(late)).is_new, "it is there"

    ledger.finish(now, EventStatus.PROCESSED)
    ledger_table.delete({"event_id": event.event_key})
    with pytest.raises(LeaseLostError):
        conversations.open(new("other"), held=starts.lease_check_write(now))


def _claim(ledger, event, clock):
    clock.forward(300)
    modes = Modes(mode="automation_candidate", safe_mode=False, automation_enabled=True)
    return ledger.claim(event, modes, lease_seconds=250, takeover=frozenset())


def test_lifting_a_missing_mark_creates_none(conversations, table):
    conversations.allow(TEL, "ci-aaa-001")
    assert table.get(conversations.place(TEL, "ci-aaa-001").key) is None


def test_a_draft_written_with_the_opening_is_stored(conversations):
    opened = conversations.open(new(), ("e1", Draft(text="Hello", prompt_tokens=3)))
    assert conversations.draft(opened.record, "e1") == Draft(text="Hello", prompt_tokens=3)
    assert conversations.draft(opened.record, "e2") is None


def test_the_first_draft_of_a_message_stays(conversations):
    record = conversations.open(new()).record
    assert conversations.keep_draft(record, "e1", Draft(text="one")).text == "one"
    assert conversations.keep_draft(record, "e1", Draft(text="two")).text == "one"


def test_an_entry_is_appended_once_however_often_it_is_retried(conversations):
    record = conversations.open(new()).record
    record, first = conversations.append(record, message(1))
    stale = conversations.open(new()).record
    for number in range(2, 30):
        record, _ = conversations.append(record, message(number))
    again, second = conversations.append(stale, message(1))
    assert (first, second) == (True, False)
    assert again.message_count == 29
    assert [entry.entry_id for entry in conversations.history(record)].count("e-00001") == 1


def test_concurrent_appends_are_all_kept(conversations):
    record = conversations.open(new()).record
    threads = [
        threading.Thread(target=lambda n=n: conversations.append(record, message(n)))
        for n in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    now = conversations.reread(record)
    assert now.message_count == 4
    assert {entry.entry_id for entry in conversations.history(now)} == {
        f"e-{n:05d}" for n in range(4)
    }


def test_changes_are_applied_with_an_append_only_in_the_expected_status(conversations):
    record = conversations.open(new()).record
    record, _ = conversations.append(
        record,
        message(1),
        expected={Status.PROCESSING},
        changes={"conversation_status": "initial_message_sent", "task_complete": 1},
    )
    assert conversations.reread(record).status == Status.INITIAL_MESSAGE_SENT
    record, appended = conversations.append(
        record,
        message(2),
        expected={Status.PROCESSING},
        changes={"conversation_status": "failed"},
    )
    assert appended
    assert conversations.reread(record).status == Status.INITIAL_MESSAGE_SENT


def test_the_item_stays_small_and_the_history_whole(conversations):
    record = conversations.open(new()).record
    for number in range(60):
        record, _ = conversations.append(record, message(number))
    stored = conversations.reread(record)
    assert len(stored.messages) <= 8
    assert stored.messages[-1].entry_id == "e-00059"
    assert [entry.entry_id for entry in conversations.history(stored)] == [
        f"e-{n:05d}" for n in range(60)
    ]
    assert [entry.entry_id for entry in conversations.newest_entries(stored, 20)] == [
        f"e-{n:05d}" for n in range(40, 60)
    ]


def test_a_long_message_is_kept_whole_in_the_history(conversations):
    record = conversations.open(new(channel="email")).record
    long = Entry("e1", iso(datetime(2026, 11, 20, tzinfo=UTC)), "user", "y" * 30_000)
    record, _ = conversations.append(record, long)
    record, _ = conversations.append(record, message(2))
    assert [len(entry.content) for entry in conversations.history(record)] == [30_000, 221]
    assert len(conversations.reread(record).messages) == 1


def test_a_status_moves_only_from_the_expected_one(conversations):
    record = conversations.open(new()).record
    assert conversations.change_while(record, {Status.REPLY_SENT}, {"task_complete": 1}) is None
    moved = conversations.change_while(
        record,
        {Status.PROCESSING, Status.HANDED_OFF},
        {"conversation_status": "failed", "failure_stage": "send", "failure_reason": "code_21211"},
    )
    assert moved.status == Status.FAILED
    assert conversations.reread(record).item["failure_stage"] == "send"


def test_a_status_change_of_a_missing_conversation_creates_no_row(conversations, table):
    record = conversations.open(new()).record
    table._client.delete_item(
        TableName=table.name, Key={k: {"S": v} for k, v in record.key.items()}
    )
    assert conversations.change_while(record, {Status.PROCESSING}, {"task_complete": 1}) is None
    assert conversations.read(**record.key) is None


def test_delivery_never_goes_backwards(conversations):
    record = conversations.open(new(), ("e1", Draft(text="Hello"))).record
    assert conversations.note_delivery(record, "e1", "delivered", 3)
    assert not conversations.note_delivery(record, "e1", "sent", 2)
    assert not conversations.note_delivery(record, "e1", "delivered", 3)
    assert conversations.delivery(record, "e1") == "delivered"
    assert conversations.note_delivery(record, "e1", "read", 4)
    assert conversations.draft(record, "e1").text == "Hello"


def test_an_append_on_a_stale_record_keeps_newer_entries_and_follows_them(conversations):
    """A writer with a stale record overwrites neither an entry nor a status."""
    stale = conversations.open(new()).record
    conversations.append(stale, message(1), changes={"conversation_status": "failed"})
    now, is_new = conversations.append(
        stale,
        message(2),
        expected={Status.PROCESSING},
        changes={"conversation_status": "initial_message_sent"},
    )
    assert is_new
    assert (now.status, now.message_count) == (Status.FAILED, 2)
    history = [entry.entry_id for entry in conversations.history(conversations.reread(stale))]
    assert history == ["e-00001", "e-00002"]


def test_an_append_that_keeps_losing_races_is_retried_later(conversations, raced_conversations):
    opened = conversations.open(new()).record
    others = iter(range(1, 100))
    late = raced_conversations(lambda: conversations.append(opened, message(next(others))))
    with pytest.raises(TransientError, match="contended"):
        late.append(opened, message(0))
    history = [entry.entry_id for entry in conversations.history(conversations.reread(opened))]
    assert history == [message(n).entry_id for n in range(1, TRIES + 1)]


def test_an_append_on_a_stale_record_leaves_a_moved_status(conversations):
    """The record has the right number of entries, and an old status."""
    stale = conversations.open(new()).record
    conversations.change_while(stale, {Status.PROCESSING}, {"conversation_status": "failed"})
    now, is_new = conversations.append(
        stale,
        message(1),
        expected={Status.PROCESSING},
        changes={"conversation_status": "initial_message_sent"},
    )
    assert (is_new, now.status) == (True, Status.FAILED)
    assert conversations.reread(stale).status == Status.FAILED


def test_the_other_messages_of_a_recipient_are_known_only_as_free_text(conversations):
    """A text that was lost is none of them, and the text of a template is the carrier's."""
    record = conversations.open(new(), ("e1", Draft(text="Mine"))).record
    other = conversations.open(new("other"), ("e1", Draft(text="  Two  WORDS "))).record
    conversations.keep_draft(record, "e2", Draft(text="Second"))
    conversations.keep_draft(other, "e2", Draft(text="Hello Ann", variables={"1": "Ann"}))
    conversations.keep_draft(other, "e3", Draft(function_call="book"))
    conversations.note_delivery(other, "e2", "sent", 2, ref="SM1")
    conversations.note_delivery(record, "e1", "sent", 2, ref="SM2")
    result = conversations.other_messages(record, "e1")
    assert result == OtherMessages(
        texts=frozenset({"two words", "second"}),
        refs=frozenset({"SM1"}),
        unreported={
            outreach_keys.send_action(other.opaque_id, "e1"): "two words",
            outreach_keys.send_action(record.opaque_id, "e2"): "second",
        },
    )
    assert conversations.other_messages(other, "e2").unreported == {
        outreach_keys.send_action(other.opaque_id, "e1"): "two words",
        outreach_keys.send_action(record.opaque_id, "e2"): "second",
    }


def test_a_draft_counts_as_unreported_until_its_delivery_is_noted(conversations):
    record = conversations.open(new(), ("e1", Draft(text="Mine"))).record
    conversations.keep_draft(record, "e2", Draft(text="Hello Ann", variables={"1": "Ann"}))
    unreported = conversations.other_messages(record, "e1").unreported
    assert unreported == {outreach_keys.send_action(record.opaque_id, "e2"): ""}
    conversations.note_delivery(record, "e2", "sent", 2, ref="SM1")
    assert conversations.other_messages(record, "e1").unreported == {}


def test_a_delivery_without_a_draft_creates_no_row(conversations):
    record = conversations.open(new()).record
    assert not conversations.note_delivery(record, "e1", "delivered", 3)
    assert conversations.draft(record, "e1") is None


def test_a_conversation_is_found_by_its_opaque_id(conversations):
    record = conversations.open(new()).record
    assert conversations.find(record.opaque_id).item == record.item
    assert conversations.find("nobody") is None


@pytest.mark.parametrize("channel", list(Channel))
def test_each_channels_index_finds_the_pairs_conversations_and_no_others(conversations, channel):
    for used in Channel:
        conversations.open(new(f"req-{used}", channel=used.value))
    recipient = EMAIL if channel == Channel.EMAIL else TEL
    sender = next(iter(SENDERS[channel.value].values()))
    found = list(conversations.of_pair(channel, sender, recipient))
    assert [record.request_id for record in found] == [f"req-{channel}"]
    assert list(conversations.of_pair(channel, "+15550109999", recipient)) == []


def test_a_projects_conversations_are_found_by_company_and_project(conversations):
    record = conversations.open(new("a")).record
    conversations.append(record, message(1))
    conversations.open(new("b", channel="email"))
    conversations.open(new("c") | {"project_id": "pi-other"})
    found = conversations.of_project("ci-aaa-001", "pi-aaa-001")
    assert sorted(record.request_id for record in found) == ["a", "b"]


def test_a_recipients_conversations_are_found_by_time(conversations, clock):
    start = clock.now()
    for request_id in ("a", "b", "c"):
        conversations.open(new(request_id))
        clock.forward(3600)
    found = conversations.created_between(
        TEL, start + timedelta(minutes=30), start + timedelta(hours=5)
    )
    assert [record.request_id for record in found] == ["b", "c"]


def test_a_recipients_conversations_are_found_by_task_status_and_channel(conversations):
    record = conversations.open(new("a"), ("e1", Draft(text="x"))).record
    conversations.open(new("b", channel="sms"))
    conversations.append(
        record,
        message(1),
        expected={Status.PROCESSING},
        changes={"task_complete": 1, "conversation_status": "initial_message_sent"},
    )
    assert [record.request_id for record in conversations.by_task(TEL, is_complete=True)] == ["a"]
    assert [record.request_id for record in conversations.by_task(TEL, is_complete=False)] == ["b"]
    sent = conversations.by_status(TEL, Status.INITIAL_MESSAGE_SENT)
    assert [record.request_id for record in sent] == ["a"]
    assert [record.request_id for record in conversations.by_channel(TEL, Channel.SMS)] == ["b"]
