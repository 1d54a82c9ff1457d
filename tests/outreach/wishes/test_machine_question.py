"""Whether a machine writes: each text of the sample is taken for what it is."""

import pytest

from bench.measures.wishes import questions
from chalicelib.outreach.wishes.machine_question import answer_to, asks_whether_a_machine
from tests.rigs.each_row import each_row


@each_row("question", list(questions()))
def test_each_of_the_sample_is_taken_for_what_it_is(question):
    assert question.is_right


def test_the_sample_has_at_least_twelve_questions_in_each_of_fourteen_languages():
    counted = [
        sum(question.asks and question.language == name for question in questions())
        for name in languages()
    ]
    assert len([count for count in counted if count >= 12]) >= 14


def languages():
    return {question.language for question in questions()}


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
