"""Whether a machine writes: the open half of the sample whole, the held-out half by its share."""

import pytest

from bench.measures.wishes import questions
from chalicelib.outreach.wishes.machine_question import answer_to, asks_whether_a_machine

OPEN = [one for one in questions() if not one.is_held]
HELD = [one for one in questions() if one.is_held]


@pytest.mark.parametrize("one", OPEN, ids=lambda one: one.name)
def test_each_of_the_open_half_is_taken_for_what_it_is(one):
    assert one.is_right


def test_of_the_held_out_half_nearly_all_are():
    asked = [one.is_right for one in HELD if one.asks]
    assert sum(asked) >= 0.95 * len(asked)
    other = [one.is_right for one in HELD if not one.asks]
    assert sum(other) >= 0.95 * len(other)


def test_the_sample_has_at_least_twelve_questions_in_each_of_fourteen_languages():
    counted = [
        sum(one.asks and one.language == name for one in questions()) for name in languages()
    ]
    assert len([count for count in counted if count >= 12]) >= 14


def languages():
    return {one.language for one in questions()}


@pytest.mark.parametrize(
    ("message", "word"),
    [
        ("Czy jesteś botem?", "asystentem"),
        ("ロボットですか?", "人間ではありません"),
        ("Are you a bot?", ""),
    ],
)
def test_the_truth_is_given_in_the_language_of_the_question(message, word):
    assert word in answer_to(message)
    assert bool(word) is bool(answer_to(message))


@pytest.mark.parametrize(
    "message",
    [
        "I asked you about the robot vacuum, are you going to deliver it?",
        "My daughter is a real person, you know",
        "Are you sure the machine is fixed?",
        "x" * 700 + " are you a bot?",
    ],
)
def test_other_words_about_machines_and_people_are_none(message):
    assert not asks_whether_a_machine(message)
