"""How a message is taken apart: paragraphs, sentences, words and what they may be read as."""

import pytest

from chalicelib.support.intents.grammar import grammars
from chalicelib.support.intents.sentence_words import (
    paragraphs_of,
    sentences_of,
    symbols_of,
    tokens_of,
)


def words(text):
    return [token.word for token in tokens_of(text)]


def test_a_message_has_paragraphs_and_a_paragraph_lines():
    assert paragraphs_of("Hi\n\nWhere is\nmy order") == [["Hi"], ["Where is", "my order"]]


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Hi. Where is it? Thanks!", 3),
        ("Order no. 1042 please", 1),
        ("¿Dónde está? Gracias", 2),
        ("Mr. Osei here", 1),
        ("one - two", 2),
        ("...", 0),
    ],
)
def test_sentences_end_where_they_do(text, count):
    assert len(sentences_of(text)) == count


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Where's order #1042?", ["wheres", "order", "<n>", "<q>"]),
        ("on 11/2 or the 3rd", ["on", "<date>", "or", "the", "<th>"]),
        ("jo@example.com", ["<mail>"]),
        ("2 weeks", ["<d>", "weeks"]),
        ("I paid $40", ["i", "paid", "<unread>"]),
        ("cuándo llegará", ["cuando", "llegara"]),
        ("they'll come", ["they", "will", "come"]),
        ("MX-5519", ["<n>"]),
        ("look \U0001f621", ["look", "<unread>"]),
    ],
)
def test_words_are_read_by_what_they_are(text, found):
    assert words(text) == found


def test_a_capitalised_word_that_no_table_lists_may_be_a_name():
    english = grammars()[0]
    for text, is_name in (("Okafor", True), ("okafor", False), ("Refund", False)):
        (symbols,) = symbols_of(tokens_of(text), english)
        assert ("<name>" in symbols) is is_name, text


def test_a_spanish_command_is_no_name():
    for text in ("Cancélenlo", "Devuélvanmelo", "Olvídenlo"):
        (symbols,) = symbols_of(tokens_of(text), grammars()[1])
        assert "<name>" not in symbols, text
