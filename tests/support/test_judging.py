"""The judge: a message by its whole conversation, the same for whoever asks."""

from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.once.event import EventFacts
from chalicelib.once.ports import Switches
from chalicelib.support.conversation.dialogue import stored_requests
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.judging import Judge
from chalicelib.support.state import ConversationState
from chalicelib.support.tickets import Comment, Ticket
from tests.rigs.fakes import NOON, ManualClock

FACTS = EventFacts("evt:rp:1:c-9", "1", "2026-11-20T12:00:00.000Z", "", 0, "test", "c-9")
ASKS = "Where is my order 9001?"


def wrote(number, text, *, agent=None):
    at = NOON - timedelta(hours=9 - number)
    return Comment(f"c-{number}", bool(agent), text, at, author_id=agent)


def judged(*earlier, text=ASKS, requests=None, **ticket):
    newest = wrote(9, text)
    shown = Ticket("1", "OPEN", frozenset(), (*earlier, newest), **ticket)
    inquiry = Inquiry(text, NOON, "c-9")
    inquiry.locate(shown)
    if requests is not None:
        inquiry.state = ConversationState("1", 1, requests=tuple(requests))
    judge = Judge(answering=None, clock=ManualClock())
    return judge.judge(FACTS, inquiry, Switches()), inquiry


def last_reason(judgement):
    return judgement.decision.reasons[-1] if judgement.decision.reasons else None


def test_an_order_question_alone_may_be_answered():
    judgement, inquiry = judged()
    assert judgement.decision.may_answer
    assert [row["kind"] for row in stored_requests(inquiry.dialogue)] == ["order_status"]


@pytest.mark.parametrize(
    ("earlier", "ticket", "reason"),
    [
        ((wrote(1, "Please cancel order 9001"),), {}, "open_request:cancel"),
        ((wrote(1, "I want my money back"),), {}, "open_request:refund"),
        ((), {"subject": "Cancel my order"}, "open_request:cancel"),
        ((), {"subject": "Broken lamp"}, "open_request:damaged"),
        ((), {"assigned_to": frozenset({"agent-7"})}, "held_by_a_person"),
        ((wrote(1, "My lawyer will sue you"),), {}, "risk_flag"),
    ],
)
def test_what_else_is_open_keeps_it_from_being_answered(earlier, ticket, reason):
    judgement, _ = judged(*earlier, **ticket)
    assert (judgement.decision.may_answer, last_reason(judgement)) == (False, reason)


def test_the_state_is_the_same_from_the_ticket_and_from_table_b_and_the_ticket():
    earlier = (wrote(1, "Please cancel order 9001"), wrote(2, "Thanks"))
    _, whole = judged(*earlier)
    rows = stored_requests(whole.dialogue)
    _, again = judged(*earlier, requests=rows)
    assert again.dialogue == whole.dialogue
    judgement, lost = judged(requests=[row for row in rows if row["kind"] == "cancel"])
    assert last_reason(judgement) == "open_request:cancel"
    assert stored_requests(lost.dialogue) == rows


def test_what_was_stored_of_later_messages_does_not_count():
    later = {"kind": "cancel", "state": "open", "at": "2026-11-20T13:00:00.000Z"}
    judgement, _ = judged(requests=[later])
    assert judgement.decision.may_answer


def test_a_ticket_of_a_persons_is_theirs_whatever_it_is_about():
    held, _ = judged(text="I want a refund", assigned_to=frozenset({"agent-7"}))
    assert held.is_held_by_person
    queued, _ = judged(text="I want a refund", assigned_to=frozenset({"team:9"}))
    assert not queued.is_held_by_person


def test_a_later_look_finds_what_has_come_since():
    judgement, inquiry = judged()
    judge = Judge(answering=None, clock=ManualClock())
    assert judge.reason_to_withhold(inquiry, judgement.decision) is None
    inquiry.ticket = replace(inquiry.ticket, assigned_to=frozenset({"agent-7"}))
    assert judge.reason_to_withhold(inquiry, judgement.decision) == "held_by_a_person"
