"""Which orders a message names, and what it asks of them."""

import pytest

from chalicelib.support.orders.order_question import Question, order_numbers, question_of
from tests.rigs.each_row import each_row


@each_row(
    ("text", "numbers"),
    [
        ("Where is my order?", ()),
        ("Where is my order #1001?", ("1001",)),
        ("Where is order 1001", ("1001",)),
        ("Where are my orders #1001 and #1002?", ("1001", "1002")),
        ("Where are orders 1001, 1002 and 1003?", ("1001", "1002", "1003")),
        ("orders 1001 & 1002 please", ("1001", "1002")),
        ("Where is order #1001 and order #1002?", ("1001", "1002")),
        ("#20002 and #10001", ("20002", "10001")),
        ("¿Dónde están mis pedidos 1001 y 1002?", ("1001", "1002")),
        ("#1001 #1001 order 1001", ("1001",)),
        ("Where is order 1001? And 1002?", ("1001", "1002")),
        ("order 1001, my zip code is 90210", ("1001",)),
        ("any news of 95074", ("95074",)),
        ("cuando llega el 95960 y el 95961", ("95960", "95961")),
        ("I ordered it on 12 March 2026, for 1500.00", ()),
        ("it cost $4500 and 20260312 was the day", ()),
        ("#1001 #1002 #1003 #1004", ("1001", "1002", "1003", "1004")),
        ("order 1001\n\nOn Monday you wrote:\n> order 2002", ("1001",)),
    ],
)
def test_every_order_that_is_named_counts_once_in_its_place(text, numbers):
    assert order_numbers(text) == numbers


def test_a_bare_number_counts_where_it_was_asked_for():
    assert order_numbers("it is 101") == ()
    assert order_numbers("it is 101", is_asked_for=True) == ("101",)


@pytest.mark.parametrize(
    ("intent", "text", "question"),
    [
        ("order_status_tracking", "Where is it?", Question.STATUS),
        ("shipping_delay_not_shipped", "Why has it not left?", Question.NOT_SENT),
        ("delivered_not_received", "I have not received it", Question.NOT_RECEIVED),
        ("delivered_not_received", "It says delivered, I have not received it", None),
        ("delivered_not_received", "It was stolen", None),
        ("delivered_not_received", "Dice entregado y no lo he recibido", None),
        ("refund_request", "I want my money back", None),
    ],
)
def test_a_question_is_one_that_an_order_can_answer(intent, text, question):
    assert question_of(intent, text) is question
