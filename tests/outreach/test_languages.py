"""The texts that code writes, as they are shipped."""

import re
from dataclasses import fields
from string import Formatter

import pytest

from chalicelib.outreach.languages import FILE, FixedTexts, Language, fixed_text
from chalicelib.tables import read
from tests.rigs.each_row import each_row

TEXTS = {field.name: getattr(read(FILE, FixedTexts), field.name) for field in fields(FixedTexts)}
VALUES = {
    "machine_line": {"company"},
    "stop_confirmation": {"company"},
    "marketing_stopped": {"company"},
    "help_answer": {"company", "project", "contact"},
    "contact": {"contact"},
    "person_will_answer": {"company"},
    "page_title": {"company"},
    "page_open": {"company"},
    "page_in_doubt": {"company"},
    "page_hours": {"hours"},
    "page_channels": {"channels"},
    "page_refused": {"channels"},
    "page_stopped": {"company"},
    "page_stopped_otherwise": {"company", "contact"},
}
"""What code puts into each text; a text that is missing here takes nothing."""
OPTIONS = {
    *("page_call", "page_days", "page_unchanged", "page_any", "page_save"),
    *("page_morning", "page_afternoon", "page_evening"),
}
"""Single words, of which two languages may have the same."""
LABELS = {"page_title", "page_stop", "page_resume", *OPTIONS}


@each_row("name", TEXTS)
def test_a_text_is_in_every_language_and_no_two_are_alike_by_mistake(name):
    assert list(TEXTS[name]) == list(Language)
    texts = list(TEXTS[name].values())
    is_alike = name in OPTIONS
    assert is_alike or len(set(texts)) == len(texts) - (2 if name == "contact" else 0)
    assert fixed_text(name) == TEXTS[name]


@each_row("name", TEXTS)
def test_the_values_of_a_text_are_the_same_in_every_language(name):
    for language, text in TEXTS[name].items():
        named = [field for _, field, _, _ in Formatter().parse(text) if field is not None]
        assert sorted(named) == sorted(VALUES.get(name, set())), language


@each_row("name", TEXTS)
def test_a_text_is_whole_sentences_or_a_label(name):
    for text in TEXTS[name].values():
        assert text.startswith(" ") == (name == "contact")
        assert bool(re.search(r"[.?]$|\{contact\}$", text)) is (name not in LABELS)
        assert "  " not in text


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("opt_out_line", "STOP"),
        ("help_answer", "STOP"),
        ("stop_confirmation", "START"),
        ("marketing_stopped", "START"),
    ],
)
def test_a_text_names_the_keyword_as_it_is_heard(name, word):
    assert all(re.search(rf"\b{word}\b", text) for text in TEXTS[name].values())
