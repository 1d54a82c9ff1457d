"""Rows that are no conversations: where no request can name them, and where older versions kept them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Draft, OtherMessages, Record
from chalicelib.outreach.door import router
from tests.rigs.conversation_samples import TEL, message, new

COMPANY = "ci-aaa-001"


@pytest.fixture
def old(conversations, table):
    """A conversation as older versions opened it."""

    def opened(request_id="req123"):
        item = {**conversations.open(new(request_id)).record.item}
        del item["layout"]
        table.put(item)
        return Record(item)

    return opened


def partitions(table):
    return sorted({one["primary_channel"] for one in table.scan_page(limit=100)[0]})


def written(conversations, record):
    """One of each row of a conversation."""
    record, _ = conversations.append(record, message(1))
    record, _ = conversations.append(record, message(2, "assistant"))
    conversations.keep_draft(record, "e-9", Draft(text="Hello"))
    return record


@given(company_id=st.text(min_size=1), local=st.text(min_size=1))
def test_no_address_from_outside_names_a_partition_of_internal_rows(company_id, local):
    for recipient in (TEL, f"{local}@example.com", local):
        name = items.internal(recipient, company_id)
        for text in (name, f"X <{name}>", f" {name} "):
            named = (router.phone(text) or "", router.email(text) or "")
            assert not any(one.startswith("internal:") for one in named)


@given(
    one=st.tuples(st.text("a#@:+1", min_size=1), st.text("a:@+1", min_size=1)),
    other=st.tuples(st.text("a#@:+1", min_size=1), st.text("a:@+1", min_size=1)),
)
def test_two_companies_or_recipients_share_no_partition(one, other):
    recipients, companies = zip(one, other, strict=True)
    same = items.internal(*one) == items.internal(*other)
    assert same == (recipients[0] == recipients[1] and companies[0] == companies[1])


def test_the_recipients_own_partition_holds_conversations_only(conversations, table):
    written(conversations, conversations.open(new()).record)
    conversations.forbid(TEL, COMPANY, "stop")
    mine = [one for one in table.scan_page(limit=100)[0] if one["primary_channel"] == TEL]
    assert [one["conversation_id"] for one in mine] == [new()["conversation_id"]]


def test_a_conversation_of_an_older_version_is_continued_where_it_is(conversations, table, old):
    record = written(conversations, old())
    assert f"internal:{COMPANY}#{TEL}" not in partitions(table)
    assert not conversations.append(record, message(1))[1], "it was appended before"
    assert [one.entry_id for one in conversations.history(record)] == ["e-00001", "e-00002"]
    assert conversations.draft(record, "e-9").text == "Hello"
    assert conversations.note_delivery(record, "e-9", "sent", 2)


def test_messages_in_conversations_of_both_layouts_are_other_messages(conversations, old):
    conversations.keep_draft(old("before"), "e-1", Draft(text="From before"))
    mine = conversations.open(new()).record
    conversations.keep_draft(mine, "e-2", Draft(text="Mine"))
    found = conversations.other_messages(mine, "e-2")
    assert isinstance(found, OtherMessages)
    assert found.texts == {"from before"}


def test_messages_of_another_company_are_no_other_messages(conversations):
    theirs = conversations.open(new("theirs", company_id="ci-bbb-002")).record
    conversations.keep_draft(theirs, "e-1", Draft(text="Hello"))
    mine = conversations.open(new()).record
    conversations.keep_draft(mine, "e-2", Draft(text="Hello"))
    assert conversations.other_messages(mine, "e-2").unreported == {}


def test_a_mark_of_an_older_version_forbids_until_it_is_lifted(conversations, table):
    table.put({**items.old_do_not_contact(TEL, COMPANY), "reason": "stop", "ttl": 1_900_000_000})
    assert conversations.is_forbidden(TEL, COMPANY)
    assert conversations.open(new()).record is None
    conversations.allow(TEL, COMPANY)
    assert not conversations.is_forbidden(TEL, COMPANY)
    assert conversations.open(new()).is_new


def test_a_conversation_in_a_marks_place_is_neither_a_mark_nor_changed(conversations, table):
    planted = {**new(), **items.old_do_not_contact(TEL, COMPANY), "company_id": "ci-bbb-002"}
    table.put(planted)
    assert not conversations.is_forbidden(TEL, COMPANY)
    conversations.forbid(TEL, COMPANY, "stop")
    assert conversations.is_forbidden(TEL, COMPANY)
    conversations.allow(TEL, COMPANY)
    assert table.get(items.old_do_not_contact(TEL, COMPANY)) == planted
    assert conversations.open(new()).is_new
