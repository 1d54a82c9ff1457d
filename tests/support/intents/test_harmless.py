"""Phrases that look grave and are not: each row hides its words, and only them."""

import re
from functools import cache

import pytest

from chalicelib.support.intents import harmless
from chalicelib.support.intents.message_reading import read
from tests.rigs.each_row import each_row


@cache
def example(row):
    """The first alternative of each part of a row."""
    parts = [part for part in row.split() if part != "*"]
    return [part.removesuffix("?").split("|")[0] for part in parts]


@each_row("row", harmless.rows())
def test_a_row_hides_its_own_words(row):
    assert set(harmless.hide_harmless(example(row))) == {harmless.HIDDEN}


@each_row("row", harmless.rows())
def test_a_row_is_written_as_messages_are_read(row):
    assert re.fullmatch(r"[a-z0-9 |?*<>]+", row)


def test_no_row_is_there_twice():
    assert len(set(harmless.rows())) == len(harmless.rows())


def test_words_in_the_gap_of_a_row_are_not_hidden():
    words = ["my", "lawyer", "will", "sue", "and", "needs", "a", "briefcase"]
    assert "sue" in harmless.hide_harmless(words)


@pytest.mark.parametrize(
    "text",
    [
        "How hot does the glue gun get?",
        "Does the knife block come with knives?",
        "This wait is killing me haha, is the tie dye kit back?",
        'Do you sell the game "Sue the Bank"?',
        "I am dying to try the French press, is it in stock?",
        "¿La pistola de agua viene en rojo?",
        "Me muero de ganas de verlo, ¿lo tienen en rojo?",
    ],
)
def test_what_only_looks_grave_is_not_flagged(text):
    reading = read(text)
    assert not reading.risks | reading.suspected


@pytest.mark.parametrize(
    ("text", "risk"),
    [
        ("The glue gun burned my hand and I am in hospital", "safety_injury"),
        ("I have a gun and I am coming to your office", "harassment_threats"),
        ("My lawyer will sue you over this fire pit", "legal_threat"),
        ("This wait is killing me, I want to kill myself", "self_harm"),
    ],
)
def test_what_is_grave_beside_it_is_flagged(text, risk):
    reading = read(text)
    found = {reading.found.intent, *reading.risks, *reading.suspected}
    assert risk in found
