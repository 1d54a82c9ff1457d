"""Fields of a saved reply: what they are filled with, and that a text with a gap or a brace is never sent."""

import pytest

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.people.persons import DeskPerson
from console.saved_replies import (
    LONGEST_TEXT,
    fault_of,
    fields_in,
    filled,
    gaps_in,
    values_of,
)

RECORD = Record(
    {
        "recipient_first_name": "Amara",
        "company_name": "Riverside Dental",
        "request_id": "req123",
        "project_data": {
            "job_ref": "JR123",
            "order": {"number": 1042, "lines": ["a", "b"]},
            "is_new": True,
            "note": "{customer_name} \u27e6x\u27e7",
            "braces": "{job_ref}",
            "long": "two\n lines",
        },
    }
)
SAM = DeskPerson("", "Sam Miller", "")


def test_a_field_is_what_the_conversation_has():
    values = values_of(RECORD, SAM)
    text = (
        "Hello {customer_name}, {agent_name} of {company_name}: {job_ref}, {order.number}, {long}."
    )
    assert filled(text, values) == (
        "Hello Amara, Sam Miller of Riverside Dental: JR123, 1042, two lines."
    )


@pytest.mark.parametrize(
    "name",
    ["project_name", "nothing", "order", "order.lines", "is_new", "note", "order.number.more"],
)
def test_a_field_without_a_value_is_a_gap_and_not_its_braces(name):
    text = filled(f"It is {{{name}}}.", values_of(RECORD, SAM))
    assert text == f"It is \u27e6{name}\u27e7."
    assert gaps_in(text) == [name]


def test_an_address_signs_no_message():
    values = values_of(RECORD, DeskPerson("", "sam@example.com", ""))
    assert "agent_name" not in values


def test_a_value_is_not_read_for_fields_of_its_own():
    assert filled("{braces}", values_of(RECORD, SAM)) == "{job_ref}"


def test_what_the_request_brought_along_takes_the_place_of_no_field_of_ours():
    record = Record({"recipient_first_name": "Amara", "project_data": {"customer_name": "Eve"}})
    assert values_of(record, SAM)["customer_name"] == "Amara"


@pytest.mark.parametrize(
    "text", ["\u27e6order\u27e7", "\u27e6order", "order\u27e7", "\u27e6\u27e7"]
)
def test_a_gap_that_is_half_deleted_is_still_a_gap(text):
    assert gaps_in(f"It is {text}")


def test_a_text_without_gaps_has_none():
    assert gaps_in("It is 1042 {really} [so]") == []


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (" \n", "write"),
        ("x" * (LONGEST_TEXT + 1), "at most"),
        ("Hello {customer name}", "brace"),
        ("Hello {{customer_name}}", "brace"),
        ("Hello {", "brace"),
        ("Hello {1}", "brace"),
        ("\u27e6order\u27e7", "gap"),
    ],
)
def test_what_could_be_sent_with_braces_is_no_saved_reply(text, says):
    assert says in fault_of(text)


def test_a_text_with_fields_is_a_saved_reply():
    text = "Hello {customer_name}, {order.number} {customer_name}"
    assert fault_of(text) is None
    assert fields_in(text) == ["customer_name", "order.number"]
