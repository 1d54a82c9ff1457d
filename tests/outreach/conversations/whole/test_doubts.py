"""The question whether somebody asked to stop: one for each address, and a STOP when its time is over."""

from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.outreach.conversations.doubts import DECIDED_WITHIN, open_question_among
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from tests.outreach.conversations.whole.test_register import (
    COMPANY,
    JO,
    MAIL,
    NEIGHBOUR,
    TEL,
    erase,
    person,
    rows,
)

LATER = timedelta(minutes=5)


def said(conversations, after=timedelta(0)):
    return iso(conversations._clock.now() + after)


def question(conversations, record=None):
    return open_question_among(conversations.text_opt_outs(record or person()))


def test_a_doubt_suspends_every_channel_and_its_time_alone_makes_it_a_stop(conversations, clock):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    both = person("email", recipient_email=MAIL, recipient_tel=TEL)
    wrote = Record({**person().item, "last_inbound_at": said(conversations)})
    for record in (person(), person("whatsapp"), both, wrote):
        assert conversations.forbids(record) == MarkReason.DOUBT
    assert conversations.forbids(person(company=NEIGHBOUR)) is None
    clock.forward(DECIDED_WITHIN.total_seconds() - 1)
    assert conversations.forbids(person()) == MarkReason.DOUBT
    clock.forward(1)
    assert conversations.forbids(person()) == MarkReason.STOP
    assert question(conversations) is None


def test_a_second_doubt_joins_the_open_question_and_makes_it_no_later(conversations, clock):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    first = question(conversations).item
    clock.forward(3600)
    newest = said(conversations)
    conversations.doubt(TEL, COMPANY, said_at=newest)
    conversations.doubt(TEL, COMPANY, said_at=said(conversations, -LATER))
    now = question(conversations).item
    assert {**first, "said_at": newest} == now


@pytest.mark.parametrize("answer", ["START", "operator"])
def test_after_its_answer_a_new_doubt_asks_again_and_an_older_one_does_not(
    conversations, clock, answer
):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    clock.forward(3600)
    if answer == "START":
        assert conversations.allow(TEL, COMPANY)
    else:
        assert conversations.lift(conversations.place(TEL, COMPANY), how=JO) == ["refusal_in_doubt"]
    assert conversations.forbids(person()) is None
    conversations.doubt(TEL, COMPANY, said_at=said(conversations, -LATER))
    assert conversations.forbids(person()) is None
    clock.forward(3600)
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    assert question(conversations).item["stop_at"] == said(conversations, DECIDED_WITHIN)


def test_a_yes_and_an_older_start_leave_a_doubt(conversations):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    assert not conversations.allow(TEL, COMPANY, is_yes=True)
    assert not conversations.allow(TEL, COMPANY, said_at=said(conversations, -LATER))
    assert conversations.forbids(person()) == MarkReason.DOUBT


def test_a_clear_wish_counts_before_a_doubt_and_leaves_no_question(conversations):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, said_at=said(conversations))
    assert conversations.forbids(person()) == MarkReason.STOP
    assert question(conversations) is None
    assert conversations.questions([(TEL, COMPANY)]) == {}


def test_every_form_of_a_number_is_one_person(conversations):
    conversations.doubt("+5215512345678", COMPANY, said_at=said(conversations))
    assert conversations.forbids(person(recipient_tel="+525512345678")) == MarkReason.DOUBT
    assert (("+525512345678", COMPANY)) in conversations.questions([("+525512345678", COMPANY)])
    assert conversations.allow("+525512345678", COMPANY)


@pytest.mark.parametrize("is_over", [False, True])
def test_an_erased_persons_question_becomes_a_stop_all_the_same(
    conversations, table, clock, is_over
):
    conversations.doubt(TEL, COMPANY, said_at=said(conversations))
    clock.forward(DECIDED_WITHIN.total_seconds() if is_over else 0)
    erase(conversations, TEL)
    assert TEL not in repr(rows(table))
    assert conversations.forbids(person()) == (MarkReason.STOP if is_over else MarkReason.DOUBT)
    clock.forward(DECIDED_WITHIN.total_seconds())
    assert conversations.forbids(person()) == MarkReason.STOP
