"""A draft may confirm a wish only where it is kept."""

import pytest

from chalicelib.outreach.wishes.confirming import promises_unkept
from chalicelib.outreach.wishes.preference import Channels, Contact, Hours, Preferences

EVENING = Preferences(Hours(((17 * 60, 21 * 60),)), Channels(frozenset({Contact.WHATSAPP})))


@pytest.mark.parametrize(
    "sentence",
    [
        "I will text you in the evening.",
        "Ich schreibe Ihnen künftig abends.",
        "Le escribiré por WhatsApp.",
        "Je vous écrirai le soir.",
    ],
)
def test_what_is_kept_may_be_confirmed_and_what_is_not_may_not(sentence):
    assert promises_unkept(sentence, Preferences(), "")
    assert not promises_unkept(sentence, EVENING, "")


@pytest.mark.parametrize(
    "sentence",
    [
        "I will message you in the morning.",
        "We will write to you by e-mail.",
        "I'll text you after 7pm and before 8am.",
    ],
)
def test_another_time_or_channel_than_the_kept_one_is_a_promise(sentence):
    assert promises_unkept(sentence, EVENING, "")


@pytest.mark.parametrize(
    "sentence",
    [
        "Shall I text you in the evening?",
        "Our office is open in the evening.",
        "I will write to you soon.",
    ],
)
def test_other_sentences_promise_nothing_about_it(sentence):
    assert not promises_unkept(sentence, Preferences(), "")


def test_what_the_company_says_of_itself_may_be_said():
    assert not promises_unkept(
        "We write to you in the evening.", Preferences(), "We text you in the evening."
    )
