"""A machine speaks where nothing else is open and no person is in the conversation."""

from chalicelib.support.conversation.clauses import AskedFor
from chalicelib.support.conversation.conversation_words import RequestKind
from chalicelib.support.conversation.dialogue import EMPTY_DIALOGUE, Speaker, Utterance, fold
from chalicelib.support.conversation.speaking import (
    TicketContext,
    holder_of,
    is_held_by_person,
    reason_for_silence,
)
from tests.rigs.each_row import each_row

AT = "2026-11-20T10:00:00.000Z"
AGENT = Utterance(Speaker.AGENT, AT)
SOON = Utterance(Speaker.AGENT, AT, may_be_automatic=True)
MACHINE = Utterance(Speaker.MACHINE, AT)


def asks(kind, number=None, risks=()):
    kinds = frozenset({RequestKind(kind)})
    return Utterance(
        Speaker.CUSTOMER, AT, AskedFor(kinds, frozenset(risks), (number,) if number else ())
    )


def dialogue(*said):
    return fold(EMPTY_DIALOGUE, said, lambda number: number)


def test_an_order_question_alone_may_be_answered():
    assert reason_for_silence(EMPTY_DIALOGUE, TicketContext()) is None
    assert reason_for_silence(dialogue(asks("order_status")), TicketContext()) is None


@each_row(
    ("said", "around", "reason"),
    [
        ((), TicketContext(tags={"No_Bot"}, stop_tags={"no-bot"}), "stop_tag"),
        ((asks("grave", risks=["legal_threat"]),), TicketContext(), "risk_flag"),
        ((), TicketContext(tags={"mw-risk-legal_threat"}), "risk_flag"),
        ((), TicketContext(risks_elsewhere=True), "customer_at_risk"),
        ((), TicketContext(holder="agent-1"), "held_by_a_person"),
        ((AGENT,), TicketContext(), "person_in_it"),
        ((SOON,), TicketContext(), "person_in_it"),
        ((asks("cancel"),), TicketContext(), "open_request:cancel"),
        ((asks("refund"), AGENT), TicketContext(), "person_in_it"),
        ((asks("damaged"), asks("order_status")), TicketContext(), "open_request:damaged"),
        ((asks("order_status", "9002"),), TicketContext(), "other_order_open"),
        ((asks("order_status"), MACHINE), TicketContext(), "answered_automatically"),
    ],
)
def test_anything_else_keeps_it_silent(said, around, reason):
    assert reason_for_silence(dialogue(*said), around, named={"9001"}, answered={"9001"}) == reason


def test_the_same_order_may_be_asked_about_twice():
    assert (
        reason_for_silence(
            dialogue(asks("order_status", "9001")),
            TicketContext(),
            named={"9001"},
            answered={"9001"},
        )
        is None
    )


def test_an_answer_must_be_about_every_order_that_was_named():
    asked = dialogue(asks("order_status", "9001"))
    assert reason_for_silence(asked, TicketContext()) == "other_order_open"
    assert reason_for_silence(asked, TicketContext(), answered={"9001"}) is None
    both = {"9001", "9002"}
    assert reason_for_silence(asked, TicketContext(), named={"9002"}, answered=both) is None
    assert reason_for_silence(EMPTY_DIALOGUE, TicketContext(), named=both, answered={"9002"})


def test_the_answer_to_our_question_is_answered_after_it():
    said = dialogue(asks("order_status"), MACHINE)
    assert reason_for_silence(said, TicketContext(), is_awaited=True) is None


def test_a_request_in_the_message_itself_counts():
    beside = {RequestKind.ORDER_STATUS, RequestKind.REFUND}
    assert (
        reason_for_silence(EMPTY_DIALOGUE, TicketContext(), beside=beside) == "open_request:refund"
    )


def test_a_message_of_another_kind_may_be_acknowledged():
    said = dialogue(asks("damaged"))
    assert reason_for_silence(said, TicketContext(), about={RequestKind.DAMAGED}) is None


def test_a_ticket_is_a_persons_who_has_it_or_has_surely_answered():
    assert is_held_by_person(EMPTY_DIALOGUE, TicketContext(holder="agent-1"))
    assert is_held_by_person(dialogue(AGENT), TicketContext())
    assert not is_held_by_person(dialogue(SOON, MACHINE), TicketContext())


def test_queues_bots_and_teams_hold_nothing():
    assert holder_of({"queue-1", "team:9"}, {"queue-1"}) is None
    assert holder_of({"agent-1", "team:9"}, {"queue-1"}) == "agent-1"
