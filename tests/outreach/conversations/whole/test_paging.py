"""Entries leave a conversation's item for pages, and no reader sees a difference; on every engine."""

from dataclasses import replace

import pytest

from chalicelib.clock import iso, parsed
from chalicelib.errors import TransientError
from chalicelib.once.item_size import size_of_item
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.items import ITEM_BYTES, LEAST_ENTRIES, NEWEST_ENTRIES, TTL
from chalicelib.outreach.conversations.queries import RECENT
from chalicelib.outreach.conversations.records import FOLLOW_UP
from tests.rigs.conversation_samples import message, new

MANY = 12
KEY = ("primary_channel", "conversation_id")


@pytest.fixture
def filled(conversations, clock):
    """A conversation of `MANY` messages, as read back, and their ids."""
    record, said = conversations.open(new()).record, []
    for number in range(MANY):
        clock.forward(60)
        said.append(replace(message(number), message_timestamp=iso(clock.now())))
        record, _ = conversations.append(record, said[-1])
    return conversations.reread(record), [entry.entry_id for entry in said]


def ids(entries):
    return [entry.entry_id for entry in entries]


def test_the_item_stays_within_two_kilobytes_and_holds_the_newest(filled):
    record, said = filled
    assert size_of_item(record.item) <= ITEM_BYTES
    assert LEAST_ENTRIES <= len(record.messages) <= NEWEST_ENTRIES
    assert ids(record.messages) == said[-len(record.messages) :]


def test_every_reader_finds_every_entry_on_both_sides(filled, conversations):
    record, said = filled
    assert ids(conversations.history(record)) == said
    for count in range(1, MANY + 1):
        assert ids(conversations.newest_entries(record, count)) == said[-count:]
    for first in range(MANY):
        assert conversations.page(record, first, 3) == [
            (first + n, entry)
            for n, entry in enumerate(conversations.newest_entries(record, MANY)[first : first + 3])
        ]
    assert all(conversations.has_entry(record, entry_id) for entry_id in said)
    assert not conversations.has_entry(record, "another")


def test_the_order_is_that_of_writing_whatever_the_time_of_a_message(filled, conversations):
    """A text may be found late, and two containers' clocks differ."""
    record, said = filled
    late = [replace(message(MANY + n), message_timestamp=record.created_at) for n in range(3)]
    for entry in late:
        record, _ = conversations.append(record, entry)
    whole = [*said, *ids(late)]
    assert ids(record.messages) == whole[-len(record.messages) :]
    assert ids(conversations.history(record)) == whole


def test_rules_look_back_as_far_whatever_the_item_holds(filled, conversations):
    record, said = filled
    assert len(record.messages) < RECENT
    assert ids(conversations.recent_entries(record)) == said[-RECENT:]


def test_what_came_since_our_last_message_is_found_where_that_has_left_the_item(conversations):
    record = conversations.open(new()).record
    roles = ["user", "assistant", "note", *["user"] * 5]
    for number, role in enumerate(roles):
        entry = replace(message(number), role=role, content="x" * 400)
        record, _ = conversations.append(record, entry)
    assert {entry.role for entry in record.messages} == {"user"}
    assert ids(conversations.entries_since_ours(record)) == [
        message(n).entry_id for n in range(2, 8)
    ]
    assert conversations.entries_since_ours(conversations.open(new("none")).record) == []


def test_the_time_of_an_entry_that_has_left_the_item_is_known(filled, conversations):
    record, said = filled
    first = next(conversations.history(record))
    assert conversations.time_of(record, said[0]) == first.message_timestamp
    assert conversations.time_of(record, "another") is None


def test_an_entry_that_has_left_the_item_is_not_appended_again(filled, conversations):
    record, said = filled
    for number in range(MANY):
        again, is_new = conversations.append(record, message(number))
        assert (again.message_count, is_new) == (MANY, False)
    assert ids(conversations.history(record)) == said


def test_an_entry_that_was_appended_after_the_record_was_read_is_known(conversations):
    record = conversations.open(new()).record
    conversations.append(record, replace(message(1), note="media"))
    assert conversations.has_entry(record, message(1).entry_id)
    assert conversations.note_of(record, message(1).entry_id) == "media"


def test_a_worker_that_dies_before_the_item_is_written_loses_and_doubles_nothing(
    filled, conversations, monkeypatch
):
    record, said = filled
    with monkeypatch.context() as dying:
        dying.setattr(conversations._table, "update", fails)
        with pytest.raises(TransientError):
            conversations.append(record, message(MANY))
    assert ids(conversations.history(record)) == said
    assert not conversations.has_entry(record, message(MANY).entry_id)
    later, is_new = conversations.append(record, message(MANY))
    assert is_new
    assert ids(conversations.history(later)) == [*said, message(MANY).entry_id]


def test_what_follows_an_entry_is_written_once_by_whoever_comes_so_far(
    conversations, table, monkeypatch
):
    record = conversations.open(new()).record
    key = {"primary_channel": "counter", "conversation_id": "one"}
    then = [table.updating(key, set_={}, add={"many": 1})]
    with monkeypatch.context() as dying:
        dying.setattr(conversations._table, "transact", fails)
        with pytest.raises(TransientError):
            conversations.append(record, message(1), then=then)
    assert conversations.reread(record).message_count == 1
    assert table.get(key) is None
    for _ in range(2):
        _, is_new = conversations.append(record, message(1), then=then)
        assert not is_new
        assert table.get(key)["many"] == 1


def test_what_the_recipient_did_not_ask_for_stays_while_it_may_be_counted(conversations, clock):
    record = conversations.open(new()).record
    for number in range(4):
        clock.forward(60)
        sent = replace(message(number), message_timestamp=iso(clock.now()), note=FOLLOW_UP)
        record, _ = conversations.append(record, replace(sent, content="x" * 400))
    assert len(record.messages) == 4
    assert size_of_item(record.item) > ITEM_BYTES


def test_a_late_message_stays_in_the_item_though_it_is_the_oldest(filled, conversations):
    record, said = filled
    late = replace(message(99), message_timestamp=record.created_at)
    later, _ = conversations.append(record, late)
    assert late.entry_id in ids(later.messages)
    assert ids(conversations.history(later)) == [*said, late.entry_id]


def test_a_page_is_kept_from_the_writing_of_its_message(filled, conversations, table):
    record, _ = filled
    first = conversations.newest_entries(record, MANY)[0]
    page = {
        "primary_channel": items.partition(record),
        "conversation_id": items.page_id(record, first),
    }
    written_at = parsed(first.message_timestamp)
    assert table.get(page)["ttl"] == int((written_at + TTL).timestamp())


def fails(*_, **__):
    raise TransientError("dynamodb", "call", reason="test")


def test_an_erasure_between_the_pages_and_the_item_leaves_no_words(
    filled, conversations, table, raced_conversations
):
    record, _ = filled
    there = table.scan_all(columns=KEY)

    def erased():
        while there:
            table.delete(there.pop())

    with pytest.raises(TransientError):
        raced_conversations(erased).append(record, message(MANY))
    left = table.scan_all(columns=[*KEY, "message_content", "content", "entry_id"])
    assert all(row.keys() == set(KEY) for row in left)
