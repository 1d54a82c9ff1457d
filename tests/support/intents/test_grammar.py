"""The rows of the grammars, as they are shipped: each can be read, and says what its file means by it."""

import random
import re
from functools import cache

import pytest

from bench.intents import composing
from chalicelib.support.intents.grammar import (
    FILES,
    KINDS,
    WORDS,
    Grammar,
    GrammarError,
    GrammarRows,
    grammars,
    kinds_of,
    rows_of,
)
from chalicelib.support.intents.sentences import OTHER, kind_by_grammar, read_sentences
from tests.rigs.each_row import each_row

ROWS = [
    (file, slot, number)
    for file in FILES
    for slot, rows in rows_of(file).slots.items()
    for number in range(len(rows))
]
ROWS_OF_UNITS = [
    (file, kind, number)
    for file in FILES
    for kind, rows in rows_of(file).units.items()
    for number in range(len(rows))
]


@cache
def with_each_row(file):
    """The grammar of a file, in which every row is also a slot of its own."""
    rows = rows_of(file)
    single = {
        f"{slot}_{number}": (row,)
        for slot, listed in {**rows.slots, **_unit_slots(rows)}.items()
        for number, row in enumerate(listed)
    }
    return Grammar(
        GrammarRows({**rows.slots, **single}, rows.units, rows.fillers, rows.connectors),
        rows_of(WORDS).slots,
    )


def _unit_slots(rows):
    return {f"unit_{kind}": listed for kind, listed in rows.units.items()}


@each_row(("file", "slot", "number"), ROWS)
def test_a_row_of_a_slot_reads_what_it_composes(file, slot, number):
    grammar = with_each_row(file)
    for seed in range(5):
        words = grammar.random_wording(f"{slot}_{number}", random.Random(seed))
        found = grammar.matching([frozenset({word}) for word in words])
        assert len(words) in found.ends(slot, 0), words


@each_row(("file", "kind", "number"), ROWS_OF_UNITS)
def test_a_row_of_a_unit_is_a_sentence_to_both_judges(file, kind, number):
    dice = random.Random(number)
    slot = f"unit_{kind}_{number}"
    grammar = with_each_row(file)
    texts = [composing.written(grammar.random_wording(slot, dice), dice) for _ in range(12)]
    assert any(kind_by_grammar(text) != OTHER for text in texts), texts
    assert any(
        all(sentence.kind != OTHER for sentence in read_sentences(text)) for text in texts
    ), texts


@pytest.mark.parametrize("file", [*FILES, WORDS])
def test_a_row_is_written_as_messages_are_read(file):
    rows = rows_of(file)
    listed = [*rows.slots.values(), *(rows.units or {}).values(), rows.fillers, rows.connectors]
    for row in (row for rows in listed for row in rows):
        assert re.fullmatch(r"[a-z0-9 |?(){}<>_]+", row), row


@pytest.mark.parametrize("file", FILES)
def test_the_rows_have_the_four_kinds_and_no_row_twice(file):
    rows = rows_of(file)
    assert set(rows.units) == set(KINDS)
    for name, listed in {**rows.slots, **rows.units}.items():
        twice = {phrase for phrase in listed if listed.count(phrase) > 1}
        assert not twice, name


@pytest.mark.parametrize(
    ("row", "wrong"),
    [
        ("a (b", "bracket"),
        ("a b)", "cannot be read"),
        ("a?", "may be empty"),
        ("A", "cannot be read"),
        ("a {nothing}", "no such slot"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(row, wrong):
    with pytest.raises(GrammarError, match=wrong):
        Grammar(GrammarRows({"slot": (row,)}), {})


def kinds(text):
    rows = GrammarRows(
        {"thing": ("my (order|big parcel)",)},
        {"order_question": ("where is {thing}",), "courtesy": ("hi|thanks {thing}?",)},
        ("please",),
        ("and",),
    )
    grammar = Grammar(rows, {})
    return kinds_of([grammar.matching([frozenset({word}) for word in text.split()])])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("where is my order", ("order_question",)),
        ("where is please my big parcel", ("order_question",)),
        ("hi and where is my order thanks", ("courtesy", "order_question", "courtesy")),
        ("thanks my order", ("courtesy",)),
        ("where is my", None),
        ("where is not my order", None),
        ("my order", None),
    ],
)
def test_a_sentence_is_matched_from_its_first_word_to_its_last(text, found):
    assert kinds(text) == found


def test_no_slot_begins_with_itself():
    """It would never end."""
    for grammar in grammars():
        begins = {name: set(root.slots) for name, root in grammar._slots.items()}
        for name, first in begins.items():
            reached, pending = set(), set(first)
            while pending:
                slot = pending.pop()
                reached.add(slot)
                pending |= begins[slot] - reached
            assert name not in reached, name


def test_a_misspelt_word_is_read_as_one_of_the_rows_and_a_real_one_is_not():
    english = grammars()[0]
    assert "package" in english.corrections("pacakge")
    assert "please" in english.corrections("pleeease")
    assert not english.corrections("xyzzy")
