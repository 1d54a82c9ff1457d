"""How the keyword tables classify a message, and what must not mislead them."""

import json
import time
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from chalicelib.support.intents.classify import DEFAULT_INTENT, PRIORITY, TIER_0, classify
from chalicelib.support.intents.departments import ROUTES
from chalicelib.support.intents.own_words import order_number
from chalicelib.support.intents.words import TABLES
from chalicelib.vendors.machine_mail import is_machine_mail

SAMPLES = Path(__file__).parents[2] / "samples" / "intents"


def samples(part):
    return [json.loads(line) for line in (SAMPLES / f"{part}.jsonl").read_text().splitlines()]


def test_there_are_twenty_five_intents_each_with_words_a_route_and_samples_in_both_parts():
    assert len(PRIORITY) == 25
    assert set(TABLES) == set(PRIORITY) - {DEFAULT_INTENT}
    assert set(PRIORITY) <= set(ROUTES)
    counts = {part: Counter(row["intent"] for row in samples(part)) for part in ("dev", "held_out")}
    assert all(set(count) == set(PRIORITY) for count in counts.values())
    assert sum(sum(count.values()) for count in counts.values()) >= 300


def test_no_message_is_in_both_parts():
    texts = [row["text"].lower() for part in ("dev", "held_out") for row in samples(part)]
    assert len(texts) == len(set(texts))


@pytest.mark.parametrize(
    "text",
    [
        "The plate is nice",
        "The battery's discharge is slow",
        "I carry a translated template",
        "My mate Sue says hello",
        "We met at the tennis court",
        "The bridge over the estate",
        "I admire your scampi recipe",
    ],
)
def test_a_word_inside_another_is_not_that_word(text):
    assert classify(text).intent == DEFAULT_INTENT


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Where's my order?", "order_status_tracking"),
        ("where\u2019s my order", "order_status_tracking"),
        ("WHERE IS MY ORDER", "order_status_tracking"),
        ("¿DÓNDE ESTÁ MI PEDIDO?", "order_status_tracking"),
        ("i want a refnud", "refund_request"),
        ("my trakcing number pls", "order_status_tracking"),
        ("My discount code does not work", "promo_discount_issue"),
        ("I want to return these shoes", "return_request"),
        ("I want a refund&#33;", "refund_request"),
    ],
)
def test_case_accents_apostrophes_and_typos_do_not_matter(text, intent):
    assert classify(text).intent == intent


def test_the_more_harmful_intent_leads_and_the_others_follow():
    found = classify("Cancel my order 5551, I want a refund and I will file a chargeback")
    assert found.intent == "chargeback_dispute"
    assert set(found.secondary) == {"cancel_order", "refund_request"}


def test_leadership_wins_when_another_team_matches_too():
    assert classify("I filed a chargeback and my lawyer will call").intent == "legal_threat"


def test_an_escalation_is_not_weakened_by_other_intents():
    assert classify("lawyer").confidence == 0.9
    assert classify("Refund me, cancel it, where is my order, or I sue you").confidence >= 0.9


def test_a_short_message_and_a_contradicted_one_are_less_sure():
    assert classify("refund please").confidence == 0.8
    assert classify("I cannot log in and my parcel was stolen from me").confidence < 0.8


def test_only_the_customers_own_words_count():
    quoted = "Thanks!\n\nOn Mon, 16 Nov 2026 at 09:00, Shop <help@shop.example> wrote:\n> refund"
    assert classify(quoted).intent == DEFAULT_INTENT
    assert classify("> I want a refund").intent == "refund_request", "nothing else is there"


def test_hints_alone_never_route_by_themselves():
    found = classify("something about a package and a delivery, with shipping")
    assert found.confidence == 0.5


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Where is order #100234?", "100234"),
        ("order number: 1001", "1001"),
        ("Order no. 5551 please", "5551"),
        ("mi pedido 88231", "88231"),
        ("#55512 not here", "55512"),
        ("it is 1234567, sent on 20261101", "1234567"),
        ("delivered on 20261101", None),
        ("call me at 555-0134", None),
        ("I paid $129999", None),
        ("no number at all", None),
    ],
)
def test_the_order_number_is_found_and_nothing_else_is_taken_for_it(text, number):
    assert order_number(text) == number


def test_a_bare_number_counts_only_where_we_asked_for_it():
    assert order_number("1001") is None
    assert order_number("1001", is_asked_for=True) == "1001"


@pytest.mark.parametrize(
    "text",
    [
        "I am out of the office until Monday",
        "Automatic reply: thanks",
        "Respuesta automática: fuera de la oficina",
    ],
)
def test_an_auto_responder_is_recognised(text):
    assert is_machine_mail(text)
    assert not is_machine_mail("Is the office chair in stock?")


@given(st.text(max_size=400))
@settings(max_examples=200, deadline=None)
def test_any_text_gets_an_intent_with_a_confidence(text):
    found = classify(text)
    assert found.intent in PRIORITY
    assert 0 <= found.confidence <= 1
    assert len(found.secondary) <= 2
    assert found == classify(text)


@given(st.sampled_from(sorted(TIER_0)), st.text(alphabet="abc xyz", max_size=60))
@settings(max_examples=100, deadline=None)
def test_no_surrounding_text_hides_an_escalation(intent, noise):
    text = {
        "legal_threat": "my lawyer will call",
        "fraud_suspected": "this is fraud",
        "harassment_threats": "i will kill you",
        "chargeback_dispute": "i file a chargeback",
    }[intent]
    # The noise may itself be one: "bbb" is the bureau that people threaten with.
    assert classify(f"{noise} {text} {noise}").intent in TIER_0
    assert classify(text).intent == intent


def test_a_long_hostile_message_takes_no_longer_than_its_words():
    assert classify("where is my order " * 2000).intent == "order_status_tracking"


@pytest.mark.parametrize("noise", ["\n", "\r\n", "\n ", "-\n", " "])
def test_blank_lines_take_no_longer_than_words(noise):
    """Some broken mail programs send this: eight thousand of them once took seconds."""
    text = noise * 4000 + "> quoted"
    classify("the tables are read once")
    started = time.perf_counter()
    assert classify(text).intent == DEFAULT_INTENT
    assert time.perf_counter() - started < 0.5
