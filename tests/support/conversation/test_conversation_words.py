"""Each row of the words of conversations matches the sentence beside it."""

import pytest

from chalicelib.support.conversation import conversation_words as words
from chalicelib.support.conversation.conversation_words import RequestKind
from chalicelib.support.intents.classify import DEFAULT_INTENT, PRIORITY
from chalicelib.support.intents.departments import ROUTES
from chalicelib.support.intents.own_words import marked_words
from tests.rigs.each_row import each_row

TABLE = words.table()
REQUESTS = [(kind, row) for kind, rows in TABLE.phrases.items() for row in rows]
WITHDRAWN = [
    *((words.EVERYTHING, row) for row in TABLE.withdrawn.everything),
    *((words.DELIVERY, row) for row in TABLE.withdrawn.delivery),
]


def said(pair):
    return getattr(pair, "says", pair)


@each_row(("kind", "row"), REQUESTS)
def test_a_row_of_a_request_matches_its_sentence(kind, row):
    assert kind in words.requests_in(marked_words(row.says))


@each_row(("what", "row"), WITHDRAWN)
def test_a_row_of_a_withdrawal_is_a_whole_clause(what, row):
    assert words.withdrawn_by(row.says) == what
    assert words.withdrawn_by(f"{row.says} or else") is None


@pytest.mark.parametrize("row", TABLE.questions.number, ids=said)
def test_a_row_of_a_question_is_known(row):
    assert words.asks_for_number(row.says)


@each_row("row", TABLE.subjects.neutral)
def test_a_row_of_a_usual_subject_is_the_whole_subject(row):
    assert words.is_neutral(row.says)
    assert not words.is_neutral(f"{row.says} cancelled lamp")


def test_every_intent_has_a_kind():
    assert set(TABLE.kinds) == {*PRIORITY, *ROUTES} - {DEFAULT_INTENT}
    assert set(TABLE.phrases) <= set(RequestKind)


@pytest.mark.parametrize(
    "text",
    [
        "Where is my order 9001?",
        "Any update on my package? Thanks!",
        "Has my order shipped yet?",
        "Hola, donde esta mi pedido 9001?",
        "Could you tell me when my parcel will arrive please",
        "I ordered it two weeks ago, when will it come?",
        "It has not arrived yet",
        "can I get the tracking number for #9001",
        "do you know when it ships",
    ],
)
def test_an_order_question_names_no_other_request(text):
    assert words.requests_in(marked_words(text)) == frozenset()


@pytest.mark.parametrize("text", ["please do cancel it", "has it arrived", "I changed my mind"])
def test_what_may_mean_the_contrary_takes_nothing_back(text):
    assert words.withdrawn_by(text) is None
