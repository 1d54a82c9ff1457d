"""Rows that are no conversations are where no request can name them."""

from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach import addresses
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Draft
from tests.rigs.conversation_samples import TEL, message, new

COMPANY = "ci-aaa-001"


@given(company_id=st.text(min_size=1), local=st.text(min_size=1))
def test_no_address_from_outside_names_a_partition_of_internal_rows(company_id, local):
    for recipient in (TEL, f"{local}@example.com", local):
        name = items.internal_partition(recipient, company_id)
        for text in (name, f"X <{name}>", f" {name} "):
            named = (addresses.phone(text) or "", addresses.email(text) or "")
            assert not any(address.startswith(("internal:", "subject:")) for address in named)


@given(
    pair=st.tuples(st.text("a#@:+1", min_size=1), st.text("a:@+1", min_size=1)),
    other=st.tuples(st.text("a#@:+1", min_size=1), st.text("a:@+1", min_size=1)),
)
def test_two_companies_or_recipients_share_no_partition(pair, other):
    recipients, companies = zip(pair, other, strict=True)
    same = items.internal_partition(*pair) == items.internal_partition(*other)
    assert same == (recipients[0] == recipients[1] and companies[0] == companies[1])


def test_the_recipients_own_partition_holds_conversations_only(conversations, table):
    record, _ = conversations.append(conversations.open(new()).record, message(1))
    conversations.keep_draft(record, "e-9", Draft(text="Hello"))
    conversations.forbid(TEL, COMPANY, "stop")
    mine = [row for row in table.scan_page(limit=100)[0] if row["primary_channel"] == TEL]
    assert [row["conversation_id"] for row in mine] == [new()["conversation_id"]]


def test_messages_of_another_company_are_no_other_messages(conversations):
    theirs = conversations.open(new("theirs", company_id="ci-bbb-002")).record
    conversations.keep_draft(theirs, "e-1", Draft(text="Hello"))
    mine = conversations.open(new()).record
    conversations.keep_draft(mine, "e-2", Draft(text="Hello"))
    assert conversations.other_messages(mine, "e-2").unreported == {}


def test_a_conversation_with_the_id_of_a_mark_is_neither_a_mark_nor_changed(conversations, table):
    planted = {**new(), **conversations.place(TEL, COMPANY).key, "primary_channel": TEL}
    table.put(planted)
    assert not conversations.is_forbidden(TEL, COMPANY)
    conversations.forbid(TEL, COMPANY, "stop")
    assert conversations.is_forbidden(TEL, COMPANY)
    conversations.allow(TEL, COMPANY)
    assert conversations.read(TEL, planted["conversation_id"]).item == planted
    assert conversations.open(new()).is_new
