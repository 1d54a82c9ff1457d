"""Closing a ticket: what the customer wrote meanwhile opens it again, in time or not at all."""

from datetime import UTC, datetime

import pytest

from chalicelib.errors import AuthError, PermanentError, TransientError, UncertainError
from chalicelib.support.actions import Close
from chalicelib.support.replies.performing import Replies
from chalicelib.support.tickets import Comment, Ticket
from tests.rigs.fakes import ManualClock

AT = datetime(2026, 11, 20, tzinfo=UTC)
CLOSE = Close("1042", "c-1", "c-1")


class Richpanel:
    """Takes its time to close; the customer has written `newest`."""

    def __init__(self, clock, newest="c-2", *, takes=3.0, fails=None):
        self.clock, self.newest, self.takes, self.fails = clock, newest, takes, fails
        self.reopened = []

    def close(self, conversation_id, *, deadline_seconds):
        assert deadline_seconds == 20.0
        self.clock.forward(self.takes)
        there = [("c-1", False), (self.newest, False), ("ours", True)]
        comments = tuple(
            Comment(one, is_operator=is_ours, text="", created_at=AT) for one, is_ours in there
        )
        return Ticket(conversation_id, "CLOSED", frozenset(), comments)

    def reopen(self, conversation_id, *, deadline_seconds):
        self.reopened.append((conversation_id, deadline_seconds))
        if self.fails is not None:
            raise self.fails


def close(richpanel):
    Replies(richpanel, richpanel.clock).close([CLOSE], deadline_seconds=20.0)


def test_a_ticket_stays_closed_where_the_customer_has_written_nothing_since():
    richpanel = Richpanel(ManualClock(), newest="c-1")
    close(richpanel)
    assert richpanel.reopened == []


@pytest.mark.parametrize(("takes", "left"), [(3.0, 17.0), (500.0, -480.0)])
def test_a_ticket_is_opened_again_within_the_time_of_its_close(takes, left):
    """Behind it the lease may be over and another worker at it: the client sends nothing then."""
    richpanel = Richpanel(ManualClock(), takes=takes)
    close(richpanel)
    assert richpanel.reopened == [("1042", left)]


@pytest.mark.parametrize("kind", [TransientError, AuthError])
def test_a_ticket_that_is_closed_and_was_not_opened_again_is_not_said_to_be_open(kind):
    fails = kind("richpanel", "reopen", status=429, reason="busy", retry_after=7.0)
    with pytest.raises(UncertainError, match=r"richpanel\.reopen busy") as raised:
        close(Richpanel(ManualClock(), fails=fails))
    assert (raised.value.status, raised.value.retry_after) == (429, 7.0)


def test_an_opening_that_is_refused_is_a_persons():
    with pytest.raises(PermanentError):
        close(Richpanel(ManualClock(), fails=PermanentError("richpanel", "reopen", status=404)))
