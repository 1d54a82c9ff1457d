"""The words beside numbers, as they are shipped: each has one meaning, and typing errors of some count."""

from chalicelib.redaction.vocabulary import Topic, WordRole, vocabulary
from tests.rigs.each_row import each_row

KNOWN = vocabulary()


@each_row("topic", list(Topic))
def test_each_topic_has_words(topic):
    assert topic in KNOWN.topics.values()


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
    assert KNOWN.topics[typo] is topic


@each_row("word", ["older", "trading", "cracking", "prone"])
def test_a_word_that_is_also_a_typing_error_has_no_meaning(word):
    assert word not in KNOWN.topics


def test_a_word_with_a_topic_needs_a_mark_only_if_it_has_other_meanings_too():
    assert set(KNOWN.topics) >= KNOWN.needs_mark


def test_the_role_of_a_word_is_its_topic_before_a_mark_before_a_filler():
    assert KNOWN.roles["order"] is Topic.ORDER
    assert KNOWN.roles["number"] is WordRole.MARK
    assert KNOWN.roles["my"] is WordRole.FILLER
    assert KNOWN.marks <= KNOWN.fillers


@each_row(
    "words",
    [
        KNOWN.marks,
        KNOWN.fillers,
        KNOWN.links,
        KNOWN.copulas,
        KNOWN.needs_mark,
        frozenset(KNOWN.topics),
        frozenset(KNOWN.digits),
    ],
)
def test_words_are_compared_with_lower_case_text(words):
    assert {word.lower().strip() for word in words} == words


@each_row(("word", "digits"), [("oh", "0"), ("fünf", "5"), ("onze", "11"), ("novanta", "90")])
def test_a_word_for_a_number_means_its_digits(word, digits):
    assert KNOWN.digits[word] == digits
