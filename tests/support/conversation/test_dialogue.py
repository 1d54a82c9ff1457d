"""A conversation's state: the same however it is divided, and without text where it is stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.support.conversation.clauses import AskedFor
from chalicelib.support.conversation.conversation_words import DELIVERY, EVERYTHING, RequestKind
from chalicelib.support.conversation.dialogue import (
    EMPTY_DIALOGUE,
    MAX_STORED_REQUESTS,
    RequestState,
    Speaker,
    Utterance,
    fold,
    stored_requests,
    with_stored_requests,
)

KINDS = st.frozensets(st.sampled_from(list(RequestKind)), max_size=2)
ASKED = st.builds(
    AskedFor,
    kinds=KINDS,
    risks=st.frozensets(st.sampled_from(["legal_threat", "self_harm"]), max_size=1),
    numbers=st.sampled_from([(), ("9001",), ("9002", "9001")]),
    takes_back=st.sampled_from([None, None, EVERYTHING, DELIVERY]),
)


@st.composite
def conversations(draw):
    said = draw(
        st.lists(st.tuples(st.sampled_from(list(Speaker)), ASKED, st.booleans()), max_size=9)
    )
    return [
        Utterance(by, f"2026-11-20T10:00:{number:02}.000Z", asked, flag, flag)
        for number, (by, asked, flag) in enumerate(said)
    ]


def keyed(number):
    return f"k{number}"


def folded(said, before=EMPTY_DIALOGUE):
    return fold(before, said, keyed)


def customer(*kinds, at="10:00:00", takes_back=None):
    asked = AskedFor(frozenset(map(RequestKind, kinds)), takes_back=takes_back)
    return Utterance(Speaker.CUSTOMER, f"2026-11-20T{at}.000Z", asked)


AGENT = Utterance(Speaker.AGENT, "2026-11-20T10:05:00.000Z")
MACHINE = Utterance(Speaker.MACHINE, "2026-11-20T10:05:00.000Z")


def states(dialogue):
    return [(request.kind.value, request.state.value) for request in dialogue.requests]


@given(conversations(), st.integers(0, 9))
def test_a_conversation_is_the_same_however_it_is_divided(said, at):
    assert folded(said[at:], folded(said[:at])) == folded(said)


@given(conversations(), st.integers(0, 9))
def test_what_was_stored_earlier_changes_nothing_that_the_ticket_shows(said, at):
    assert with_stored_requests(folded(said), stored_requests(folded(said[:at]))) == folded(said)


@given(conversations())
def test_what_the_ticket_no_longer_shows_is_kept_as_it_was_stored(said):
    whole = folded(said)
    assert with_stored_requests(EMPTY_DIALOGUE, stored_requests(whole)).requests == whole.requests


@given(conversations())
def test_what_is_stored_has_kinds_states_times_and_keyed_orders_only(said):
    for row in stored_requests(folded(said)):
        assert {"kind", "state", "at"} <= set(row) <= {"kind", "state", "at", "order"}
        assert row.get("order") in (None, "k9001", "k9002")


def test_an_answer_of_a_persons_settles_nothing_without_a_tag():
    dialogue = folded([customer("cancel"), AGENT])
    assert states(dialogue) == [("cancel", "answered")]
    assert len(dialogue.open_requests()) == 1
    assert dialogue.open_requests({"Resolved"}) == ()


def test_a_tag_settles_nothing_that_no_person_has_answered():
    assert len(folded([customer("cancel")]).open_requests({"resolved"})) == 1
    later = folded([customer("cancel"), AGENT, customer("refund", at="11:00:00")])
    assert [request.kind for request in later.open_requests({"resolved"})] == ["refund"]


def test_an_automatic_answer_settles_order_questions_alone():
    dialogue = folded([customer("order_status", "cancel"), MACHINE])
    assert states(dialogue) == [("cancel", "open"), ("order_status", "done")]
    assert dialogue.answers == 1


def test_a_machine_that_greets_has_answered_nothing():
    assert folded([MACHINE, customer("order_status")]).answers == 0


@pytest.mark.parametrize(
    ("what", "left"), [(EVERYTHING, []), (DELIVERY, ["refund"]), (None, ["order_status", "refund"])]
)
def test_a_customer_takes_back_what_they_name(what, left):
    said = [customer("order_status", "refund"), customer(at="11:00:00", takes_back=what)]
    assert [request.kind for request in folded(said).open_requests()] == left


def test_a_grave_matter_cannot_be_taken_back():
    said = [customer("grave"), customer(at="11:00:00", takes_back=EVERYTHING)]
    assert [request.kind for request in folded(said).open_requests()] == ["grave"]


def test_of_many_requests_the_settled_ones_are_left_out_first():
    said = [
        customer("cancel"),
        *(customer("order_status") for _ in range(MAX_STORED_REQUESTS)),
        MACHINE,
    ]
    assert [row for row in stored_requests(folded(said)) if row["kind"] == "cancel"]
    assert len(stored_requests(folded(said))) == MAX_STORED_REQUESTS


def test_a_row_of_a_later_release_counts_as_open():
    row = {"kind": "teleport", "state": "dreamt", "at": "2026-11-20T10:00:00.000Z"}
    (request,) = with_stored_requests(EMPTY_DIALOGUE, [row]).requests
    assert (request.kind, request.state) == (RequestKind.OTHER, RequestState.OPEN)
