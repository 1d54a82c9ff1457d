"""Phrases of sentences: each row is found, and does not begin inside a word."""

from chalicelib.outreach.writing import phrasing
from chalicelib.outreach.writing.phrasing import FILE, PhraseFile
from chalicelib.tables import read
from tests.rigs.each_row import each_row

TABLE = read(FILE, PhraseFile)
ROWS = [
    (name, language, phrase)
    for name in PhraseFile.__slots__
    for language, phrases in getattr(TABLE, name).items()
    for phrase in phrases
]


@each_row(("name", "language", "phrase"), ROWS)
def test_each_phrase_is_found_in_its_language(name, language, phrase):
    word = phrase.replace("*", "x")
    assert phrasing.says(name, f"Aa {word}, bb.", [language])


def test_a_sentence_agrees_by_its_beginning_and_leaves_open_by_a_question():
    assert phrasing.agrees("Yes, that is so.", ["en"])
    assert phrasing.agrees("¡Sí, claro!", ["es"])
    assert not phrasing.agrees("The answer is not yes.", ["en"])
    assert phrasing.rest_of_agreement("Yes, you are approved.", ["en"]) == "you are approved"
    assert phrasing.is_open("When do you come?")
    assert not phrasing.is_open("It is blue.", ["en"])
