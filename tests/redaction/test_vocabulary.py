"""The words beside numbers, as they are shipped: each has one meaning, and typing errors of some count."""

from chalicelib.redaction.vocabulary import (
    COPULAS,
    DIGITS,
    FILLERS,
    LINKS,
    MARKS,
    NEEDS_MARK,
    ROLES,
    TOPICS,
    Topic,
    WordRole,
)
from tests.rigs.each_row import each_row


@each_row("topic", list(Topic))
def test_each_topic_has_words(topic):
    assert topic in TOPICS.values()


@each_row(
    ("typo", "topic"),
    [
        ("ordr", Topic.ORDER),
        ("oder", Topic.ORDER),
        ("phnoe", Topic.PHONE),
        ("trackign", Topic.TRACKING),
    ],
)
def test_a_typing_error_has_the_meaning_of_its_word(typo, topic):
    assert TOPICS[typo] is topic


@each_row("word", ["older", "trading", "cracking", "prone"])
def test_a_word_that_is_also_a_typing_error_has_no_meaning(word):
    assert word not in TOPICS


def test_a_word_with_a_topic_needs_a_mark_only_if_it_has_other_meanings_too():
    assert set(TOPICS) >= NEEDS_MARK


def test_the_role_of_a_word_is_its_topic_before_a_mark_before_a_filler():
    assert ROLES["order"] is Topic.ORDER
    assert ROLES["number"] is WordRole.MARK
    assert ROLES["my"] is WordRole.FILLER
    assert MARKS <= FILLERS


@each_row(
    "words", [MARKS, FILLERS, LINKS, COPULAS, NEEDS_MARK, frozenset(TOPICS), frozenset(DIGITS)]
)
def test_words_are_compared_with_lower_case_text(words):
    assert {word.lower().strip() for word in words} == words


@each_row(("word", "digits"), [("oh", "0"), ("fünf", "5"), ("onze", "11"), ("novanta", "90")])
def test_a_word_for_a_number_means_its_digits(word, digits):
    assert DIGITS[word] == digits
