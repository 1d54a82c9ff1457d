"""Closing a ticket: a customer message in between reopens it, within the deadline or not at all."""

import pytest

from chalicelib.errors import PermanentError, UncertainError
from chalicelib.support.effects import close as closing_effect
from chalicelib.support.performing import TicketExecutors
from tests.rigs import vendor_server as does
from tests.rigs.richpanel import adapter

CLOSE = closing_effect("1042", "c-1", "c-1")
CLOSED, OPEN = ("PUT", "closed"), ("PUT", "open")


@pytest.fixture
def close(vendor, clock, log):
    """Closes the ticket, on which the customer has written `newest`; returns what was sent."""

    def closing(*, newest="c-2", takes=3.0, reopening=None):
        comments = [
            {"id": name, "body": "Hello", "is_operator": is_operator}
            for name, is_operator in (("c-1", False), (newest, False), ("ours", True))
        ]
        shown = does.answer(
            200, {"ticket": {"id": "1042", "status": "CLOSED", "comments": comments}}
        )

        def late(handler):
            clock.forward(takes)
            shown(handler)

        vendor.will(does.answer(200, {}), late, reopening or does.answer(200, {}))
        executors = TicketExecutors(richpanel=adapter(vendor.url, clock, log), clock=clock, log=log)
        executors.close([CLOSE], deadline_seconds=20.0)

    return closing


def changes(vendor):
    return [
        (request.method, request.json["ticket"]["state"])
        for request in vendor.requests
        if request.method == "PUT"
    ]


def test_a_ticket_stays_closed_if_the_customer_wrote_nothing_since(close, vendor):
    close(newest="c-1")
    assert changes(vendor) == [CLOSED]


def test_a_ticket_is_reopened_within_the_deadline_of_its_close(close, vendor):
    close()
    assert changes(vendor) == [CLOSED, OPEN]
    with pytest.raises(UncertainError):
        close(takes=19.8, reopening=does.hang)


def test_a_ticket_is_not_reopened_after_the_deadline_of_its_close(close, vendor):
    """By then the lease may be over and another worker at the ticket."""
    with pytest.raises(UncertainError):
        close(takes=500.0)
    assert changes(vendor) == [CLOSED]


@pytest.mark.parametrize(("status", "retry_after"), [(429, 7.0), (401, None)])
def test_a_ticket_that_could_not_be_reopened_is_not_reported_as_open(close, status, retry_after):
    refused = does.answer(status, {}, **({"retry_after": "7"} if retry_after else {}))
    with pytest.raises(UncertainError, match=r"richpanel\.reopen") as raised:
        close(reopening=refused)
    assert (raised.value.status, raised.value.retry_after) == (status, retry_after)


def test_a_refused_reopening_is_left_to_a_person(close):
    with pytest.raises(PermanentError):
        close(reopening=does.answer(404, {}))
