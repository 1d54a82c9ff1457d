"""What people write: mail, HTML, addresses, times, zones, patterns, words."""

from __future__ import annotations

import json
from collections.abc import Sequence

from chalicelib.clock import parsed
from chalicelib.outreach import addresses, numbers, time_zones
from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.people import persons
from chalicelib.outreach.ses import authentication
from chalicelib.outreach.tools import value_patterns
from chalicelib.outreach.wishes import wished
from chalicelib.outreach.writing import moments
from chalicelib.redaction import json_values, redactor
from chalicelib.vendors import html_text, http_answers, machine_mail, reply_html, reply_text
from ops.inspect.explain import pasted
from tests.fuzz.bodies import NOW, RESULTS, SAMPLES
from tests.fuzz.table import NAME, SECRET, Parser


def _replies(kind: str) -> Sequence[str]:
    files = [path.read_text() for path in sorted((SAMPLES / "replies").glob("*.txt"))]
    wanted = [file for file in files if ("kind: html" in file) is (kind == "html")]
    return [file.partition("=== mail\n")[2].partition("\n=== ")[0] for file in wanted]


def _words() -> Sequence[str]:
    lines = (SAMPLES / "consent" / "dev.jsonl").read_text().splitlines()
    return [json.loads(line)["text"] for line in lines[::5]]


def pattern(text: str) -> object:
    """Match a valid pattern against texts on which bad patterns backtrack; None where it is not valid."""
    if value_patterns.fault(text) is not None:
        return None
    return [
        value_patterns.matches(text, hostile) for hostile in ("a" * 2_000 + "!", "A-" * 500, text)
    ]


PARSERS = (
    Parser(
        name="reply in a mail",
        whose="anybody",
        parse=lambda text: reply_text.parse(text, name="Jo Doe"),
        samples=lambda: _replies("plain"),
        limit=200_000,
        units=("> ", ">", "\n", "-- \n", "On ", "wrote:\n", "From: a\n", "________\n", "a@b "),
    ),
    Parser(
        name="reply in HTML",
        whose="anybody",
        parse=lambda text: (reply_html.marked_text(text), reply_text.parse(text, is_html=True)),
        samples=lambda: _replies("html"),
        limit=200_000,
        units=("<p>", "<blockquote>", "<div class=", "<!--", "</div>", "<a ", "&#", "<", "&amp;"),
    ),
    Parser(
        name="HTML",
        whose="customers",
        parse=html_text.plain_text,
        samples=lambda: _replies("html"),
        limit=200_000,
        units=("<p>", "<!--", "-->", "<style>", "<a ", "&#", "<", "&amp;", "<td>", "\xa0"),
    ),
    Parser(
        name="mail of a machine",
        whose="anybody",
        parse=lambda text: machine_mail.is_machine_mail(text, text[:200], sender=text[:80]),
        samples=lambda: _replies("plain"),
        limit=200_000,
        units=("ik ben ", "je suis ", "your ", "ticket ", "a ", "ab wesend", "vuelvo ", "bin "),
    ),
    Parser(
        name="wish to stop",
        whose="recipients",
        parse=recognise,
        samples=_words,
        limit=33_000,
        units=("stop ", "no ", "more ", "sto", ". ", "\n", "sent from ", "don't ", "e", "?!"),
    ),
    Parser(
        name="wish for times",
        whose="recipients",
        parse=wished.stated_wish,
        samples=lambda: [
            "Please call me after 5 pm on Mondays, not by SMS",
            "only mornings",
            *_words(),
        ],
        limit=33_000,
        units=("after 5 ", "monday ", "not ", "5", "- ", ", ", "between 3 and "),
    ),
    Parser(
        name="times in a text",
        whose="a model",
        parse=moments.found_times,
        samples=lambda: [
            "Monday, 23 November at 9:30 a.m. until 5 pm",
            "2026-11-20T09:00",
            "am 3.4.",
        ],
        limit=33_000,
        units=("9:30 ", "1", "1.", "1/", "Monday ", "at 9 ", "2026-", "23 Nov ", "- "),
    ),
    Parser(
        name="redaction",
        whose="customers",
        parse=redactor.redact,
        samples=lambda: [
            f"I am {NAME}, card 4111 1111 1111 1111, jo@example.com, +1 305 555 0142",
            f"password: {SECRET}\nIBAN DE89 3704 0044 0532 0130 00, born 3 May 1980",
            *_words()[:40],
        ],
        limit=33_000,
        units=(
            "1 ",
            "12-",
            "a@",
            "@a.",
            "one ",
            "a.",
            "http://a/",
            "password ",
            "+1",
            "(1",
            "DE89 ",
        ),
    ),
    Parser(
        name="redaction of JSON",
        whose="customers",
        parse=json_values.redact_mapping,
        samples=lambda: [
            {
                "email": "jo@example.com",
                "note": json.dumps({"card": "4111111111111111", "n": [1, {"a": NAME}]}),
                "items": [{"phone": "+13055550142", "total": 12.5, "id": 10**17}],
            }
        ],
    ),
    Parser(
        name="mail results",
        whose="anybody",
        parse=authentication.results_of,
        samples=lambda: [RESULTS, 'amazonses.com 1; spf=none; dkim=pass header.d="a;b"'],
        limit=33_000,
        units=("(", ";", " a=b", '"', "\n ", "dkim=pass ", "\\"),
    ),
    Parser(
        name="phone number",
        whose="companies, recipients",
        parse=lambda text: (
            addresses.phone(text),
            numbers.spellings(text),
            numbers.canonical_spelling(text),
        ),
        samples=lambda: [
            "+13055550142",
            "+5215512345678",
            "whatsapp:+4915112345678",
            "+1 305 555 0142",
        ],
        limit=1_000,
    ),
    Parser(
        name="e-mail address",
        whose="companies, recipients",
        parse=addresses.email,
        samples=lambda: [
            "o'brien+x@mail.example.com",
            '"a b"@example.com',
            "jö@exämple.com",
            "Jo Doe <jo@example.com>",
            "a@[192.0.2.1]",
        ],
        limit=33_000,
        units=("a@", "@", "a.", '"', "<", "xn--", "ü", "(", "a "),
    ),
    Parser(
        name="time",
        whose="companies",
        parse=parsed,
        samples=lambda: ["2026-11-20T09:00:00.000Z", "2026-W47-5", "20261120T090000+0100"],
        limit=1_000,
    ),
    Parser(
        name="zone",
        whose="companies, vendors",
        parse=time_zones.by_name,
        samples=lambda: ["Europe/Berlin", "America/Argentina/Buenos_Aires", "UTC"],
        limit=1_000,
    ),
    Parser(
        name="zones of a number",
        whose="companies",
        parse=time_zones.of_number,
        samples=lambda: ["+13055550142", "+4930123456", "+4420", "+881123"],
        limit=1_000,
    ),
    Parser(
        name="pattern of a schema",
        whose="a company",
        parse=pattern,
        samples=lambda: [
            "^([A-Z0-9]+-?)+$",
            r"^(\w+\s?)*$",
            "[a-z]{2,40}@",
            r"(?i)^\p{L}+$",
            "(a|a)*b",
        ],
        limit=value_patterns.LONGEST,
        units=("(a+)+", "a{99}", "(", "[a-", "|a", "(?:a*)*", ".*", "\\w+"),
    ),
    Parser(
        name="person",
        whose="a desk",
        parse=lambda text: (
            persons.stored_person(text),
            persons.parsed_person(text),
            persons.proven_person(text, "a.example"),
        ),
        samples=lambda: [
            "o'brien@example.com",
            "José (night shift)",
            "ana <00u1 at login.example.com>",
        ],
        limit=1_000,
    ),
    Parser(
        name="what was pasted",
        whose="an operator",
        parse=pasted.things,
        samples=lambda: [
            f"https://app.example.com/conversations/1042?x={NAME}#a",
            '{"conversation_id": "1042", "event": {"key": "a:b"}}',
            "order #1042, jo@example.com",
        ],
        limit=33_000,
        units=("{", "https://", "a:", "#1", "%2F", '"a":', "&a=", "/", "@"),
    ),
    Parser(
        name="Retry-After",
        whose="vendors",
        parse=lambda text: http_answers.retry_after_seconds(text, NOW),
        samples=lambda: ["120", "Fri, 20 Nov 2026 09:00:00 GMT", "1e3"],
        limit=1_000,
    ),
)
