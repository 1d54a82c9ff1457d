"""A machine speaks where nothing else is open and no person is in the conversation."""

from chalicelib.support.conversation.clauses import AskedFor
from chalicelib.support.conversation.conversation_words import RequestKind
from chalicelib.support.conversation.dialogue import NOTHING_SAID, Speaker, Utterance, fold
from chalicelib.support.conversation.speaking import (
    Around,
    holder_of,
    is_a_persons,
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
    return fold(NOTHING_SAID, said, lambda number: number)


def test_an_order_question_alone_may_be_answered():
    assert reason_for_silence(NOTHING_SAID, Around()) is None
    assert reason_for_silence(dialogue(asks("order_status")), Around()) is None


@each_row(
    ("said", "around", "reason"),
    [
        ((), Around(tags={"No_Bot"}, stop_tags={"no-bot"}), "stop_tag"),
        ((asks("grave", risks=["legal_threat"]),), Around(), "risk_flag"),
        ((), Around(tags={"mw-risk-legal_threat"}), "risk_flag"),
        ((), Around(risks_elsewhere=True), "customer_at_risk"),
        ((), Around(holder="agent-1"), "held_by_a_person"),
        ((AGENT,), Around(), "person_in_it"),
        ((SOON,), Around(), "person_in_it"),
        ((asks("cancel"),), Around(), "open_request:cancel"),
        ((asks("refund"), AGENT), Around(), "person_in_it"),
        ((asks("damaged"), asks("order_status")), Around(), "open_request:damaged"),
        ((asks("order_status", "9002"),), Around(), "other_order_open"),
        ((asks("order_status"), MACHINE), Around(), "answered_automatically"),
    ],
)
def test_anything_else_keeps_it_silent(said, around, reason):
    assert reason_for_silence(dialogue(*said), around, named={"9001"}, answered={"9001"}) == reason


def test_the_same_order_may_be_asked_about_twice():
    assert (
        reason_for_silence(
            dialogue(asks("order_status", "9001")), Around(), named={"9001"}, answered={"9001"}
        )
        is None
    )


def test_an_answer_must_be_about_every_order_that_was_named():
    asked = dialogue(asks("order_status", "9001"))
    assert reason_for_silence(asked, Around()) == "other_order_open"
    assert reason_for_silence(asked, Around(), answered={"9001"}) is None
    both = {"9001", "9002"}
    assert reason_for_silence(asked, Around(), named={"9002"}, answered=both) is None
    assert reason_for_silence(NOTHING_SAID, Around(), named=both, answered={"9002"})


def test_the_answer_to_our_question_is_answered_after_it():
    said = dialogue(asks("order_status"), MACHINE)
    assert reason_for_silence(said, Around(), is_awaited=True) is None


def test_a_request_in_the_message_itself_counts():
    beside = {RequestKind.ORDER_STATUS, RequestKind.REFUND}
    assert reason_for_silence(NOTHING_SAID, Around(), beside=beside) == "open_request:refund"


def test_a_message_of_another_kind_may_be_acknowledged():
    said = dialogue(asks("damaged"))
    assert reason_for_silence(said, Around(), about={RequestKind.DAMAGED}) is None


def test_a_ticket_is_a_persons_who_has_it_or_has_surely_answered():
    assert is_a_persons(NOTHING_SAID, Around(holder="agent-1"))
    assert is_a_persons(dialogue(AGENT), Around())
    assert not is_a_persons(dialogue(SOON, MACHINE), Around())


def test_queues_bots_and_teams_hold_nothing():
    assert holder_of({"queue-1", "team:9"}, {"queue-1"}) is None
    assert holder_of({"agent-1", "team:9"}, {"queue-1"}) == "agent-1"
