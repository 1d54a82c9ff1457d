"""What one message asks for, and what it takes back."""

import pytest

from chalicelib.support.conversation.clauses import asked_in, asked_in_subject
from chalicelib.support.conversation.conversation_words import DELIVERY, EVERYTHING


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("Where is my order 9001?", {"order_status"}),
        ("Please cancel order 9001", {"cancel"}),
        ("I want my money back", {"refund"}),
        ("My lamp arrived broken", {"damaged"}),
        ("I have not received my order 9001", {"order_status"}),
        ("It says delivered and I have nothing", {"not_received"}),
        ("Thanks a lot!", set()),
        ("Lorem ipsum dolor goats", {"other"}),
        ("quiero cancelar mi pedido 9001", {"cancel"}),
    ],
)
def test_a_message_asks_for_its_kinds(text, kinds):
    assert asked_in(text).kinds >= kinds
    assert bool(asked_in(text).kinds) == bool(kinds)


def test_what_a_message_does_not_explain_is_a_request_of_some_kind():
    asked = asked_in("Where is my order 9001? My neighbour has a goat.")
    assert asked.kinds == {"order_status", "other"}


def test_the_subject_is_the_first_sentence():
    asked = asked_in("Where is my order 9001?", "Cancel my order")
    assert asked.kinds == {"cancel", "order_status"}
    assert asked_in("Where is my order?", "Re: Order #9001").numbers == ("9001",)
    assert asked_in("Where is order 9001?", "Order #9002").numbers == ("9001", "9002")


@pytest.mark.parametrize("subject", ["", "Re: ", "Order 9001", "Quick question", "Mi pedido 1042"])
def test_a_usual_subject_asks_for_nothing(subject):
    assert asked_in_subject(subject).kinds == frozenset()


@pytest.mark.parametrize(("subject", "kind"), [("Broken lamp", "damaged"), ("A goat", "other")])
def test_any_other_subject_asks_for_something(subject, kind):
    assert kind in asked_in_subject(subject).kinds


@pytest.mark.parametrize(
    ("text", "what", "kinds"),
    [
        ("Never mind, it arrived!", EVERYTHING, set()),
        ("It just arrived, thank you", DELIVERY, set()),
        ("Please do not cancel it. Where is my order 9001?", EVERYTHING, {"order_status"}),
        ("Forget it, cancel my order", EVERYTHING, {"cancel"}),
        ("It has not arrived yet.", None, {"order_status"}),
    ],
)
def test_a_clause_takes_back_and_the_rest_still_asks(text, what, kinds):
    asked = asked_in(text)
    assert (asked.takes_back, asked.kinds) == (what, kinds)


def test_a_grave_matter_is_flagged():
    assert asked_in("My lawyer will sue you").risks == {"legal_threat"}
