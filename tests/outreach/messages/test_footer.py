"""The end of every e-mail, and what is left of a reply that quotes it."""

import pytest

from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.consent.quoted_footer import without_footer
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.languages import Language, fixed_text
from chalicelib.outreach.messages.footer import with_footer
from tests.rigs.each_row import each_row

LINK = f"https://mw.example.com/api/unsubscribe/{'0a' * 16}.Y2ktYWFhLTAwMQ.{'1b' * 16}.{'2c' * 16}"
ADDRESS = "1 Main Street, Springfield, IL 62701"
PAGE = "<!doctype html><html><body><p>Hello</p></body></html>"


def record(**more):
    return Record({"company_id": "ci-1", "company_name": "Cucumber & Co", **more})


@pytest.mark.parametrize("language", Language)
def test_it_says_who_sends_from_where_and_how_to_stop_in_the_projects_language(language):
    conversation = record(company_address=ADDRESS, language=language.value)
    text, html = with_footer(conversation, "Hello\n", PAGE, LINK)
    line = fixed_text("unsubscribe_line")[language]
    assert text == f"Hello\n\nCucumber & Co\n{ADDRESS}\n\n{line}\n{LINK}"
    assert html.startswith("<!doctype html><html><body><p>Hello</p><p>Cucumber &amp; Co<br>")
    assert f'<a href="{LINK}">' in html
    assert html.endswith("</p></body></html>")


def test_without_an_address_or_a_link_it_names_the_company():
    assert with_footer(record(), "Hello", "<p>Hello</p>", None) == (
        "Hello\n\nCucumber & Co",
        "<p>Hello</p><p>Cucumber &amp; Co</p>",
    )


def test_what_it_shows_is_escaped():
    _, html = with_footer(record(company_address="<b>1 Main"), "Hello", PAGE, 'https://x/"><i>')
    assert "<b>" not in html
    assert "<i>" not in html


@each_row("language", Language)
@each_row(
    "quoted",
    [
        "{line}\n{link}",
        "> {line}\n> {link}",
        "{line} <{link}>",
        "[{line}]({link})",
        "*{line}*\n<{link}>",
        "{line} [{link}]",
        ">> {line}",
        "{line}",
    ],
)
def test_a_reply_that_quotes_it_says_only_what_its_writer_said(language, quoted):
    said = "Sounds good, call me Friday."
    footer = quoted.format(line=fixed_text("unsubscribe_line")[language], link=LINK)
    left = without_footer(f"{said}\n\nHello Jo\n{footer}")
    assert left == f"{said}\n\nHello Jo"
    assert recognise(left).word is None


@pytest.mark.parametrize(
    "said",
    ["Unsubscribe from your messages.", "Unsubscribe", "Please unsubscribe me from your messages"],
)
def test_what_a_recipient_writes_themselves_stays(said):
    assert without_footer(f"{said}\n\nUnsubscribe from our messages.\n{LINK}") == said
