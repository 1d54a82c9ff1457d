"""Last lines that may be nothing but who has written, and what only looks like them."""

import pytest

from chalicelib.vendors.reply_sign_offs import is_sign_off, shows_a_writer
from tests.rigs.each_row import each_row

SIGNED = [
    "Jo",
    "Jo Doe",
    "JO DOE",
    "Jo Doe\nExample Ltd",
    "Jo van der Doe\nHead of Sales\nExample Freight",
    "J. Doe\nVertrieb",
    "Dr. Jo Doe\nadvocate\n+1 555 010 7000",
    "Warm regards,\nJo :)",
    "Юлия Лид\nЯилия",
    "_____\nJo Doe, CPA\n555 0107 00",
    "Jo Doe | Example & Sons\njo@example.com",
    "[image: logo]\nJo Doe\nshe/her\n[cid:1@example.com] [image: map]",
    "______\nJo Doe\nHeating & Baths\nnight calls 555 010 7000",
    "*Jo Doe*\n*Agent\u00ae | Example Homes*\nc. 555 010 7000\n\u201cWe bring you home\u201d",
    "Jo Doe | Head of Buying | Example Freight Ltd | +1 (555) 010-7000 | jo.doe@example.com",
    "==========\n\u4f8b\u793a\u5546\u4e8b\nTEL 03-5550-0107\n==========",
]
NOT_SIGNED = [
    "",
    "the delivery please",
    "The Delivery",
    "Meine Bestellung",
    "La Entrega",
    "Order 5512",
    "Jo\nCan you call me?",
    "Jo!",
    "Jo\ncall me back",
    "==========\n\u5468\u4e94\u89c1\n==========",
    "\u201cWe bring you home\u201d",
    "delivery",
    "Jo\nI write again tomorrow about Monday",
    "A\nB\nC\nD\nE\nF",
    "田中",
    "x" * 61,
]


def lines(text):
    return [line for line in text.splitlines() if line]


@each_row("text", SIGNED)
def test_names_titles_and_companies_are_a_sign_off(text):
    assert is_sign_off(lines(text))


@each_row("text", NOT_SIGNED)
def test_a_matter_a_question_or_a_sentence_is_none(text):
    assert not is_sign_off(lines(text))


@pytest.mark.parametrize(
    "text", ["J. Doe", "Dra. Doe\nEjemplo S.A.", "Jo\nExample Ltd", "Regards\nJo"]
)
def test_a_title_an_initial_or_a_company_shows_a_writer(text):
    assert shows_a_writer(lines(text))


@pytest.mark.parametrize("text", ["Yoga Class\nJo", "Delivery", "Jo Doe\nHead of Sales"])
def test_capitals_alone_show_none(text):
    assert not shows_a_writer(lines(text))
