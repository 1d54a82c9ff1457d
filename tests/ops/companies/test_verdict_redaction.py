"""An example loses its personal data, and the checks give it the same verdict."""

import json

import pytest

from ops.companies.verdict_redaction import without_person

OWN = "help@quayside.example.com, +15550109000"
EXAMPLE = {
    "now": "2026-11-24T10:00:00Z",
    "recipient": {"first_name": "Maren", "language": "en", "time_zone": "Europe/London"},
    "project_data": {
        "order_number": 10442345,
        "deposit": 695.5,
        "contact": {"tel": "+13055550123"},
    },
    "conversation": [
        {"from": "recipient", "at": "2026-11-24T10:00:00Z", "text": "I am maren, order #10442345."}
    ],
    "draft": {
        "text": "Maren, order 10442345: we call +13055550123, or write to maren@mail.test. Ours is"
        " +15550109000. The deposit is 695.50.",
        "claims": [{"text": "10442345", "source": "project_data.order_number"}],
    },
}


def test_the_same_value_gets_the_same_invented_one_in_the_whole_example():
    found = without_person(EXAMPLE, OWN)
    stored = json.dumps(found).lower()
    for said in ("maren", "10442345", "3055550123", "mail.test"):
        assert said not in stored
    order = found["project_data"]["order_number"]
    assert isinstance(order, int)
    assert len(str(order)) == len("10442345")
    assert f"order {order}:" in found["draft"]["text"]
    assert found["draft"]["claims"][0] == {
        "text": str(order),
        "source": "project_data.order_number",
    }
    assert found["project_data"]["contact"]["tel"] in found["draft"]["text"]


def test_what_the_company_says_itself_and_sums_and_dates_stay():
    found = without_person(EXAMPLE, OWN)
    assert "Ours is +15550109000. The deposit is 695.50." in found["draft"]["text"]
    assert found["project_data"]["deposit"] == 695.5
    assert found["now"] == EXAMPLE["now"]


@pytest.mark.parametrize("own", ["1+15550109000", "+155501090001"])
def test_a_part_of_what_the_company_says_is_not_its_own(own):
    assert "+15550109000" not in json.dumps(without_person(EXAMPLE, own))


def test_a_first_name_that_is_a_word_is_replaced_as_a_name_only():
    example = {
        **EXAMPLE,
        "recipient": {"first_name": "Will"},
        "conversation": [{"from": "recipient", "at": EXAMPLE["now"], "text": "it's will here"}],
        "draft": {"text": "Will, we will call you. WILL!", "claims": None},
    }
    found = without_person(example, OWN)
    assert found["draft"]["text"] == "Sam, we will call you. Sam!"
    assert found["conversation"][0]["text"] == "it's Sam here"
    assert found["recipient"]["first_name"] == "Sam"
