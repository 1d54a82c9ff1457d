"""A ticket's comments as a conversation: who wrote each, and which are somebody's."""

from datetime import timedelta

from chalicelib.support.conversation.dialogue import Speaker
from chalicelib.support.conversation.utterances import (
    BY_A_PERSON_AFTER,
    earlier_utterances,
    is_first_message,
)
from chalicelib.support.tickets import Comment, Ticket
from tests.rigs.fakes import NOON

SOON = NOON + timedelta(seconds=10)
LATER = NOON + BY_A_PERSON_AFTER + timedelta(seconds=1)


def wrote(comment_id, text="Thanks", at=NOON, *, agent=None, **more):
    author = {"author_id": agent} if agent else {}
    return Comment(
        comment_id, bool(agent) or more.pop("operator", False), text, at, **author, **more
    )


def said(*comments, upto="c-9", subject=""):
    ticket = Ticket("1", "OPEN", frozenset(), comments, subject=subject)
    return list(earlier_utterances(ticket, upto, lambda comment: comment.author_id == "bot-1"))


def test_only_what_came_before_the_message_counts():
    found = said(wrote("c-1"), wrote("c-2", agent="a", at=LATER), wrote("c-3"), upto="c-3")
    assert [utterance.by for utterance in found] == [Speaker.CUSTOMER, Speaker.AGENT]


def test_the_subject_belongs_to_the_customer_who_opens_the_ticket():
    (asked,) = said(wrote("c-1"), subject="Cancel my order")
    assert asked.asked.kinds == {"cancel"}
    _, asked = said(wrote("c-1", agent="a"), wrote("c-2"), subject="Cancel my order")
    assert asked.asked.kinds == frozenset()


def test_a_note_between_colleagues_is_a_persons_at_any_time():
    _, note = said(wrote("c-1"), wrote("c-2", at=SOON, agent="a", is_public=False))
    assert not note.may_be_automatic


def test_a_public_answer_within_a_minute_may_be_automatic():
    assert said(wrote("c-1"), wrote("c-2", at=SOON, agent="a"))[1].may_be_automatic
    assert not said(wrote("c-1"), wrote("c-2", at=LATER, agent="a"))[1].may_be_automatic


def test_a_comment_without_an_author_is_no_persons():
    assert len(said(wrote("c-1"), wrote("c-2", operator=True))) == 1


def test_a_machine_answers_or_asks():
    found = said(
        wrote("c-1", "Your order is on its way.", agent="bot-1"),
        wrote("c-2", "What is your order number?", agent="bot-1"),
    )
    assert [utterance.asks_number for utterance in found] == [False, True]


def test_a_message_opens_its_ticket_or_does_not():
    ticket = Ticket("1", "OPEN", frozenset(), (wrote("c-1"), wrote("c-2")))
    assert is_first_message(ticket, "c-1")
    assert not is_first_message(ticket, "c-2")
