"""The tables of intents and of grave matters, as they are shipped."""

import re

from chalicelib.support.intents import risks, words
from chalicelib.support.intents.classify import DEFAULT_INTENT, PRIORITY
from chalicelib.support.intents.own_words import words_of
from tests.rigs.each_row import each_row

ROWS = {
    **{
        f"{intent}, {strength}": getattr(of_intent, strength)
        for intent, of_intent in words.TABLES.items()
        for strength in ("sure", "likely", "hint")
    },
    **risks.RISKS,
    "complaints": risks.complaints(),
}
SETS = {**words.SETS, **risks.SETS}
NEVER_MATCH = {"n-word", "i'm", "generals?"}
"""Alternatives that match no word.  They can go when the model is trained again: it is made from the rows."""
ALTERNATIVE = re.compile(r"[a-z0-9]+|<n>|<age>|<emergency>|\{[a-z]+\}")


def alternatives(phrase):
    for part in phrase.split(" "):
        yield from [] if part == "*" else part.removesuffix("?").split("|")


@each_row("name", ROWS)
def test_a_phrase_is_written_as_messages_are_read(name):
    found = {alternative for phrase in ROWS[name] for alternative in alternatives(phrase)}
    assert {word for word in found - NEVER_MATCH if not ALTERNATIVE.fullmatch(word)} == set()


@each_row("name", ROWS)
def test_a_phrase_stands_once_and_names_sets_that_are_there(name):
    assert len(set(ROWS[name])) == len(ROWS[name])
    assert set(re.findall(r"\{(\w+)\}", " ".join(ROWS[name]))) <= set(SETS)


def test_a_set_has_one_meaning_and_plain_words():
    assert set(words.SETS) & set(risks.SETS) == set()
    for name, listed in SETS.items():
        found = listed.split("|")
        assert len(set(found)) == len(found), name
        assert all(re.fullmatch(r"[a-z]+(?: [a-z]+)*", words) for words in found), name


def test_every_intent_and_every_matter_has_phrases():
    assert set(words.TABLES) == set(PRIORITY) - {DEFAULT_INTENT}
    assert all(table.sure for table in words.TABLES.values())
    assert all(risks.RISKS.values())


def test_a_typo_is_read_as_the_word_it_stands_for():
    for wrong, right in words.TYPOS.items():
        assert wrong != right
        assert words_of(wrong) == words_of(right), wrong
