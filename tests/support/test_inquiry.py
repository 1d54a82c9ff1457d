"""A message that a person answered while it waited needs nothing from us; in doubt it is routed."""

from datetime import timedelta

import pytest

from chalicelib.support.conversation.utterances import BY_A_PERSON_AFTER
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.tickets import TEAM, Comment, Ticket
from tests.rigs.fakes import NOON

LATER = NOON + BY_A_PERSON_AFTER + timedelta(seconds=1)
QUESTION = Comment("c-1", is_operator=False, text="I want a refund", created_at=NOON)


def answer(**changes):
    shown = {"text": "It is on its way", "created_at": LATER, "author_id": "agent-7"}
    return Comment("c-2", **({"is_operator": True} | shown | changes))


def answered(comment, *, status="OPEN", assigned_to=("agent-7", f"{TEAM}9"), ours=()):
    ticket = Ticket(
        "1042", status, frozenset(), (QUESTION, comment), assigned_to=frozenset(assigned_to)
    )
    inquiry = Inquiry("I want a refund", NOON, "c-1", ticket=ticket)
    return inquiry.has_persons_answer(lambda comment: comment.id in ours)


def test_a_person_who_has_the_ticket_or_closed_it_has_answered():
    assert answered(answer())
    assert answered(answer(), status="CLOSED", assigned_to=())


@pytest.mark.parametrize(
    "comment",
    [
        answer(is_operator=False),
        answer(is_public=False),
        answer(author_id=None),
        answer(author_id="agent-8"),
        answer(created_at=None),
        answer(created_at=NOON + BY_A_PERSON_AFTER),
        answer(created_at=NOON - timedelta(hours=1)),
    ],
    ids=["customer", "note", "no author", "another", "no time", "automatic", "earlier"],
)
def test_where_it_is_not_certain_the_ticket_is_routed(comment):
    assert not answered(comment)


def test_our_own_reply_is_no_persons_answer():
    assert not answered(answer(), ours=("c-2",))
    assert not answered(answer(), assigned_to=(f"{TEAM}9",))


def test_a_message_whose_ticket_was_not_read_has_no_answer():
    assert not Inquiry("I want a refund", NOON, "c-1").has_persons_answer(lambda _: False)


def test_only_what_came_after_this_message_answers_it():
    again = Comment("c-3", is_operator=False, text="Still broken", created_at=LATER)
    comments = (QUESTION, answer(), again)
    ticket = Ticket("1042", "OPEN", frozenset(), comments, assigned_to=frozenset({"agent-7"}))

    assert Inquiry("", NOON, "c-1", ticket=ticket).has_persons_answer(lambda _: False)
    assert not Inquiry("", LATER, "c-3", ticket=ticket).has_persons_answer(lambda _: False)
