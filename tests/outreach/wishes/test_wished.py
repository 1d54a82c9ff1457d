"""What a message wishes of time and channel: every sample as it is meant, and nothing of the others."""

import pytest

from bench.measures.wishes import no_wishes, sample_wishes, shown_wish
from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.wishes.wished import stated_wish
from chalicelib.outreach.writing.checks.instructing import instructs
from tests.rigs.each_row import each_row

SAMPLES = sample_wishes()
MISSED = {"Prefiro de manhã, por favor"}
"""Of which nothing is kept, as it is not clear what they are about."""


@each_row("text", sorted(SAMPLES.keys() - MISSED))
def test_an_ordinary_wish_is_kept_as_it_is_meant(text):
    assert shown_wish(stated_wish(text)) == SAMPLES[text]


@each_row("text", [*no_wishes(), *sorted(MISSED)])
def test_of_what_is_in_doubt_nothing_is_kept(text):
    assert stated_wish(text) is None


@each_row("text", sorted(SAMPLES.keys() - MISSED))
def test_an_ordinary_wish_is_neither_an_attack_nor_a_stop(text):
    assert not instructs(text)
    assert recognise(text).word is None


@pytest.mark.parametrize("text", ["STOP", "stop texting me, email me", "Don't text me"])
def test_a_stop_stays_one_whatever_else_it_wishes(text):
    assert recognise(text).word is not None


@pytest.mark.parametrize("text", ["not before 9", "Nur abends bitte", "Solo por la mañana"])
def test_what_may_answer_our_question_is_no_preference(text):
    assert stated_wish(text) is not None
    assert stated_wish(text, answers=True) is None


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Only message me after 5", "17:00-24:00"),
        ("Please text me before 8pm", "00:00-20:00"),
        ("Don't message me before 10 or after 6", "10:00-18:00"),
        ("Message me from 9 to 5 only", "09:00-17:00"),
        ("Please write between 9am and noon", "09:00-12:00"),
        ("Message me only after 8", None),
        ("Message me only at night", None),
        ("Only text me after 10pm", None),
    ],
)
def test_an_hour_counts_where_it_can_be_only_one(text, hours):
    wish = stated_wish(text)
    assert (wish and " ".join(wish.hours.item["windows"])) == hours


@pytest.mark.parametrize(
    "text", ["genoeg met die sms'jes", "genoeg sms", "basta sms", "schluss mit sms", "enough texts"]
)
def test_enough_of_a_channel_is_no_wish_for_it(text):
    wish = stated_wish(text)
    assert wish is None or not (wish.channels and wish.channels.wanted)
