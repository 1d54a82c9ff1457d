"""The texts of replies, as they are shipped."""

import re

import pytest

from chalicelib.support.replies import template_texts
from chalicelib.support.replies.template_checks import faults
from chalicelib.support.replies.template_texts import CLOSING, TEXTS, TemplateTexts
from chalicelib.support.replies.templates import CATALOGUE
from chalicelib.tables import read
from tests.rigs.each_row import each_row

FILE = read(template_texts.FILE, TemplateTexts)
LANGUAGES = {"en", "es"}


def marks(text):
    """Every value and section of a text, in their order."""
    return re.findall(r"\{\{([#^/]?\w+)\}\}", text)


def values(text):
    """Every value of a text, shown or asked for."""
    return {mark.lstrip("#^/") for mark in marks(text)}


def test_the_shipped_texts_are_such_as_an_operator_may_publish():
    assert list(faults(TEXTS, CLOSING)) == []


def test_greeting_and_closing_are_in_every_language():
    assert set(FILE.greeting) == set(FILE.closing) == LANGUAGES
    for texts in (FILE.greeting, CLOSING):
        assert marks(texts["en"]) == marks(texts["es"])


@each_row("name", TEXTS)
def test_a_text_is_in_english_and_its_translation_shows_the_same_values(name):
    assert {"en"} <= set(TEXTS[name]) <= LANGUAGES
    for text in TEXTS[name].values():
        assert marks(text) == marks(TEXTS[name]["en"])
        assert not re.search(r" $|\t", text, re.MULTILINE)


@pytest.mark.parametrize(
    "name", [template.id for template in CATALOGUE.values() if template.tier > 1]
)
def test_an_answer_about_an_order_is_in_every_language_with_every_value_it_needs(name):
    assert set(TEXTS[name]) == LANGUAGES
    assert values(TEXTS[name]["en"]) >= CATALOGUE[name].required


@pytest.mark.parametrize(
    "name", [template.id for template in CATALOGUE.values() if template.tier > 1]
)
def test_an_answer_about_an_order_says_nothing_that_no_value_proves(name):
    """What is left invites to reply, and promises nothing of the order."""
    for text in TEXTS[name].values():
        lines = [line for line in text.splitlines()[1:] if line and not line.startswith("{{")]
        said = [line for line in lines if "{{" not in line]
        assert all(line.startswith(("If ", "Si ")) for line in said)
