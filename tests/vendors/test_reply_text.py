"""What was newly written in a mail, as mail programs quote history and people sign."""

import json
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bench.measures.mail_clients import samples, spaced
from chalicelib.vendors.reply_text import newly_written, parse
from tests.rigs.each_row import each_row

SAMPLES = Path(__file__).parents[1] / "samples" / "quoted" / "dev.jsonl"
OURS = "Reply STOP to opt out."


@each_row("line", SAMPLES.read_text().splitlines())
def test_the_new_part_of_a_mail_is_kept_and_nothing_else(line):
    row = json.loads(line)
    assert newly_written(row["mail"]).split() == row["new"].split()


@each_row("sample", samples())
def test_every_mail_program_s_reply_is_cut_right(sample):
    found = parse(sample.mail, name=sample.name, is_html=sample.is_html)
    assert spaced(found.visible) == spaced(sample.visible)
    assert spaced(found.said) == spaced(sample.said)
    assert OURS not in found.visible + found.signature


def test_the_samples_are_of_forty_formats_and_fourteen_languages_at_least():
    known = samples()
    assert len(known) >= 40
    assert len({sample.language for sample in known}) >= 14


@pytest.mark.parametrize(
    "text",
    [
        "On 5 November I wrote:\nplease cancel. Did you?",
        "From: Tulsa\nTo: Omaha\nis the wrong way",
        "I sent from my old address",
        "5 > 3, and I paid for five",
        "----- so far so good -----\nand then it broke",
        "My times 2026:\nMonday 9:00\nTuesday 10:00",
        "To: everybody\nDate: 5 May\nSee you there",
        "Facilities\n\nare closed",
    ],
)
def test_words_that_only_look_like_history_stay(text):
    assert newly_written(text) == text
    assert parse(text).visible == text


@pytest.mark.parametrize(
    "below",
    [
        "  Original Message  \nFrom: Example Ltd\nSent: Monday, 2 November 2026 9:00\nSubject: Hello",
        "Wys\u0142ane z iPhone\u2019a",
        'Zitat von "Jo Doe, Example Ltd" <jo@example.com>:\n\n> hello',
        "Yahoo Mail: Search, Organize, Conquer",
    ],
)
def test_what_a_telephone_or_a_mail_service_adds_is_not_new(below):
    assert parse(f"It suits me\n\n{below}").visible == "It suits me"


def test_original_message_is_words_where_no_header_follows():
    assert newly_written("Original message\nwas lost").startswith("Original")


@pytest.mark.parametrize(
    "text",
    [
        "Thanks, that is fine, and please call before you come on Monday.",
        "Best",
        "Thank you",
        "Hello",
        "Stop\nJo",
        "Hi,\n\nI am at +1 555 010 7000, please call",
        "Please send it to:\n\nJo Doe\n5 Example Street\nTulsa",
    ],
)
def test_what_may_be_no_signature_is_seen_and_heard(text):
    found = parse(text)
    assert (found.visible, found.said) == (text, text.removeprefix("Hi,\n\n"))


@pytest.mark.parametrize(
    ("text", "visible"),
    [
        ("> I want a refund", ""),
        ("-----Original Message-----\nHello", "Hello"),
        ("> Shall I?\nYes.\n> And now?\nNo.", "Yes.\nNo."),
        ("On 5 Nov 2026 at 9:12, Jo <jo@example.com> wrote:\nYes, do.", "Yes, do."),
    ],
)
def test_where_all_would_be_cut_what_is_below_or_between_is_visible(text, visible):
    assert parse(text).visible == visible


def test_the_writers_own_name_is_a_signature_and_another_word_is_none():
    assert parse("STOP\n\nJo", name="Jo Doe").said == "STOP"
    assert parse("STOP\n\nJo", name="Kim Roe").said == "STOP\n\nJo"


def test_a_long_text_below_dashes_is_no_signature():
    text = "First\n--\n" + "\n".join(f"point {n} of the list" for n in range(40))
    assert "point 39" in parse(text).visible


def test_nothing_is_lost_between_the_parts():
    mail = "Hi,\n\nSTOP\n\nRegards\nJo\n\nOn 5 Nov 2026 at 9:12, X <x@example.com> wrote:\n> hello"
    found = parse(mail)
    parts = f"{found.said} {found.signature} {found.quotation}"
    assert sorted(parts.split()) == sorted(mail.split())


@each_row("is_html", [False, True])
@each_row(
    "noise",
    [
        *("\n", "From: a\n", "On 1 a\n", "> \n", "-- x\n", "--\n", "a <b@c.d> \n", "<", "<div>"),
        *(
            "<blockquote>",
            "<!--",
            "a@",
            "Best regards\n",
            "On 1, 2026 at 9:12 ",
            "a.",
            "*",
            "<pre>\n",
        ),
        *("From: a\nTo: b\nDate: ", "Jo Doe\n+49 555 0107000\n", "Reply STOP ", "</div>"),
    ],
)
def test_a_hostile_mail_takes_no_longer_than_its_lines(noise, is_html):
    started = time.process_time()
    parse(noise * (200_000 // len(noise)), is_html=is_html)
    assert time.process_time() - started < 2


PIECES = [
    "<",
    ">",
    "\n",
    "--",
    "On ",
    "1",
    "wrote:",
    "<blockquote>",
    "</div>",
    "<div id=Signature>",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.booleans())
def test_no_text_raises_an_error(text, is_html):
    found = parse(text, is_html=is_html)
    assert bool(found.said) == bool(found.visible)


@pytest.mark.parametrize(
    "closing",
    [
        "Merci et bonne soirée",
        "Thanks & regards,",
        "Schöne Grüße aus Wien",
        "Saluti da Palermo",
        "Hoogachtend,",
        "Quedo a su disposición.",
        "Feliz semana",
    ],
)
def test_a_closing_in_two_parts_or_with_a_town_ends_what_is_said(closing):
    assert parse(f"I come at nine.\n\n{closing}\nJo Doe").said == "I come at nine."


@pytest.mark.parametrize("greeting", ["Bom dia", "Buenas tardes", "Buen día", "Boa noite"])
def test_a_wish_for_the_day_that_greets_cuts_nothing_below_it(greeting):
    assert "Call me." in parse(f"Estimada Ana:\n{greeting}.\nCall me.").said
