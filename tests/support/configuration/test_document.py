"""A settings document: what is accepted, and where each mistake is."""

import re
from datetime import UTC, date, datetime

import pytest

from chalicelib.support.configuration.applied import BUILT_IN, Rules
from chalicelib.support.configuration.document import (
    WEEKDAYS,
    Document,
    InvalidDocumentError,
    parse_document,
    plain_data,
)
from chalicelib.support.decision import decide_on
from chalicelib.support.intents import message_reading
from chalicelib.support.intents.classify import classify
from chalicelib.support.intents.departments import DEFAULT_ROUTE, ROUTES
from chalicelib.support.orders.dates import date_in_words
from chalicelib.support.orders.delivery_time import DEFAULT_CALENDAR, Window
from chalicelib.support.replies import template_checks
from ops.support.rendered_texts import preview
from tests.rigs.each_row import each_row

OWN = {
    "phrases": {"return_request": {"sure": ["go to the? depot"]}},
    "shop": {
        "time_zone": "America/New_York",
        "countries": ["DE"],
        "weekend": ["sunday", "saturday"],
        "cut_off_hour": 14,
        "holidays": ["2026-12-25", "2026-11-26"],
    },
    "delivery": {
        "windows": [
            {"methods": ["express"], "low": 2, "high": 4, "countries": ["FR", "BE"]},
            {"methods": ["Bike Courier", "express"], "low": 0, "high": 1},
        ],
        "handling_days": 3,
        "preorder_days": 30,
    },
    "templates": {"t_order_status_ask_order_number": {"en": "Which order, please?"}},
    "closing": {"en": "{{support_signature}} ({{reference}})"},
    "routes": {"return_request": "route-warehouse"},
    "departments": {
        "route-warehouse": {"tag": "", "assignee": "agent-7"},
        "route-sales-team": {"tag": "route-vip", "team": "team-2"},
    },
    "languages": {"fr": "route-warehouse"},
}


def test_a_document_survives_being_stored():
    document = parse_document(OWN)

    assert parse_document(plain_data(document)) == document
    assert plain_data(document) == plain_data(parse_document(plain_data(document)))


def test_an_empty_document_is_the_built_in_one():
    assert parse_document({}) == Document()
    assert {BUILT_IN.department_of(intent) for intent in ROUTES} == set(ROUTES.values())
    assert {BUILT_IN.tag_of(department) for department in BUILT_IN.departments} == set(
        ROUTES.values()
    )
    assert BUILT_IN.assignees == frozenset()


@each_row(
    ("raw", "problem"),
    [
        ({"colour": "red"}, "colour: Extra inputs are not permitted"),
        ({"format": 2}, "format: Input should be 1"),
        ({"routes": {"make_coffee": DEFAULT_ROUTE}}, "routes.make_coffee: no such intent"),
        ({"routes": {"return_request": "warehouse"}}, "routes.return_request: "),
        (
            {"routes": {"return_request": "route-warehouse"}},
            "routes.return_request: route-warehouse is no built-in department",
        ),
        ({"languages": {"french": DEFAULT_ROUTE}}, "languages.french"),
        ({"languages": {"fr": "route-x"}}, "languages.fr: route-x is no built-in department"),
        ({"departments": {"route-x": {"tag": ""}}}, "without a tag it needs an assignee"),
        (
            {"departments": {"route-x": {"assignee": "a", "team": "t"}}},
            "name an assignee or a team, not both",
        ),
        (
            {"departments": {"route-x": {"tag": DEFAULT_ROUTE}}},
            f"departments.route-x.tag: {DEFAULT_ROUTE} has it too",
        ),
        (
            {"departments": {"route-x": {"team": "t"}, "route-y": {"team": "t"}}},
            "departments.route-y.team: route-x has it too",
        ),
        ({"departments": {"route-x": {"tag": "returns"}}}, "departments.route-x.tag"),
        ({"departments": {"route-x": {"assignee": "team:1"}}}, "departments.route-x.assignee"),
        ({"phrases": {"make_coffee": {}}}, "phrases.make_coffee: no such intent"),
        ({"phrases": {"return_request": {"sure": ["Send Back"]}}}, "phrases.return_request.sure.0"),
        ({"phrases": {"return_request": {"sure": ["back {nowhere}"]}}}, "a phrase is lower-case"),
        ({"phrases": {"return_request": {"sure": ["* a?"]}}}, "a phrase needs a word"),
        ({"shop": {"time_zone": "Mars"}}, "shop.time_zone: no such time zone"),
        ({"shop": {"cut_off_hour": 24}}, "shop.cut_off_hour"),
        ({"shop": {"holidays": ["Christmas"]}}, "shop.holidays"),
        ({"shop": {"countries": ["usa"]}}, "shop.countries"),
        ({"delivery": {"handling_days": -1}}, "delivery.handling_days"),
        ({"shop": {"weekend": [*WEEKDAYS]}}, "shop: the shop has no business day"),
        (
            {"delivery": {"windows": [{"methods": ["x y"], "low": 3, "high": 2}]}},
            "delivery.windows.0: low is more than high",
        ),
        ({"delivery": {"windows": [{"methods": ["(.*"], "low": 1, "high": 2}]}}, "methods"),
        ({"templates": {"t_x": {"fr": "Bonjour"}}}, "templates.t_x.fr"),
    ],
)
def test_a_mistake_is_named_with_its_place(raw, problem):
    with pytest.raises(InvalidDocumentError) as refused:
        parse_document(raw)
    assert any(problem in named for named in refused.value.problems), refused.value.problems


def test_every_mistake_is_named_at_once_and_no_value_of_it():
    with pytest.raises(InvalidDocumentError) as refused:
        parse_document({"routes": {"x": DEFAULT_ROUTE, "y": DEFAULT_ROUTE}, "departments": {}})
    assert refused.value.problems == ("routes.x: no such intent", "routes.y: no such intent")

    with pytest.raises(InvalidDocumentError) as refused:
        parse_document({"departments": {"route-x": {"assignee": "jo@example.com : secret"}}})
    assert "jo@example.com" not in str(refused.value)


def test_departments_are_reached_as_the_document_says():
    rules = Rules(3, parse_document(OWN))

    assert rules.department_of("return_request") == "route-warehouse"
    assert rules.department_of("refund_request") == ROUTES["refund_request"]
    assert rules.tag_of("route-warehouse") is None
    assert rules.assignee_of("route-warehouse") == "agent-7"
    assert rules.tag_of("route-sales-team") == "route-vip"
    assert rules.assignee_of("route-sales-team") == "team:team-2"
    assert rules.department_of_language("fr") == "route-warehouse"
    assert rules.department_of_language("de") is None


def test_the_department_that_has_a_ticket_is_known_by_tag_or_by_assignee():
    rules = Rules(3, parse_document(OWN))

    assert rules.current_department({"route-vip", "mw-processed"}) == "route-sales-team"
    assert rules.current_department(set(), {"agent-7"}) == "route-warehouse"
    assert rules.current_department({"route-old"}, {"agent-7"}) == "route-old"
    assert rules.current_department({"vip"}, {"agent-1"}) is None


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "the text is empty"),
        ("x" * 5000, "more than 4000 characters"),
        ("Hi \x07", "it has control characters"),
        ("Your {{order_number}}", "no such value: order_number"),
        ("{{{order_id}}}", "only {{value}}"),
        ("{{> partial}}", "only {{value}}"),
        ("{{& order_id}}", "only {{value}}"),
        ("{{#first_name}}Hi", "{{#first_name}} is not closed"),
        ("Hi{{/first_name}}", "{{/first_name}} closes a section that is not open"),
        ("{{#first_name}}{{#order_id}}{{/first_name}}{{/order_id}}", "closes a section"),
    ],
)
def test_a_text_that_could_not_be_sent_is_refused(text, problem):
    found = list(template_checks.faults({"t_order_status_verified": {"en": text}}, {}))

    assert len(found) >= 1
    assert found[0].startswith("templates.t_order_status_verified.en: ")
    assert any(problem in named for named in found), found


@pytest.mark.parametrize(
    "closing",
    ["{{support_signature}}", "{{#support_signature}}{{reference}}{{/support_signature}}"],
)
def test_a_closing_always_shows_the_reference(closing):
    (found,) = template_checks.faults({}, {"es": closing})
    assert "closing.es: it needs {{reference}}" in found


def test_unknown_templates_are_named():
    assert list(template_checks.faults({"t_coffee": {"en": "x"}}, {})) == [
        "templates.t_coffee: no such template"
    ]


def test_the_shops_calendar_is_the_documents():
    calendar = Rules(3, parse_document(OWN)).calendar

    assert calendar.window_of("BIKE courier, small", "DE") == Window(0, 1)
    assert calendar.window_of("BIKE courier, small", "US") is None
    assert calendar.window_of("Express", "FR") == Window(2, 4)
    assert calendar.window_of("Standard", "DE") is None
    assert not calendar.is_business_day(date(2026, 11, 26))
    late = datetime(2026, 11, 25, 20, tzinfo=UTC)  # three in the afternoon in New York
    assert calendar.day_of_order(late) == date(2026, 11, 27)
    assert (calendar.preorder_days, calendar.handling_days) == (30, 3)


def test_the_built_in_calendar_is_the_default_one():
    assert BUILT_IN.calendar == DEFAULT_CALENDAR


@pytest.mark.parametrize(
    ("day", "language", "text"),
    [
        (date(2026, 11, 3), "en", "November 3"),
        (date(2025, 12, 24), "en", "December 24, 2025"),
        (date(2026, 11, 3), "es", "3 de noviembre"),
        (date(2025, 12, 24), "es", "24 de diciembre de 2025"),
    ],
)
def test_a_date_is_written_as_people_write_it(day, language, text):
    assert date_in_words(day, date(2026, 11, 20), language) == text


def test_no_text_of_the_preview_says_a_thing_twice_or_a_date_in_digits():
    now = datetime(2026, 11, 18, 12, tzinfo=UTC)
    shown = [row.text for row in preview(BUILT_IN, "Customer Support", now) if row.text]
    assert len(shown) > 30
    for text in shown:
        assert not re.search(r"\d{4}-\d\d-\d\d", text)
        assert not re.search(r"\bdelivery is\b", text)
    assert any("November 17" in text for text in shown)
    assert any("17 de noviembre" in text for text in shown)


def test_the_shops_own_phrases_are_recognised():
    text = "Can the blue one go to the depot please"
    assert classify(text).intent != "return_request"
    assert classify(text, Rules(3, parse_document(OWN)).phrases).intent == "return_request"
    assert BUILT_IN.phrases is None


@pytest.mark.parametrize("intent", ["technical_support", "return_request", "promo_discount_issue"])
@pytest.mark.parametrize(
    ("phrase", "text"),
    [
        ("gift registry", "Question about my gift registry"),
        ("warranty card", "My warranty card shows a wrong date"),
    ],
)
def test_a_sure_phrase_of_the_shops_own_decides(intent, phrase, text):
    own = Rules(3, parse_document({"phrases": {intent: {"sure": [phrase]}}}))
    found = message_reading.read(text, phrases=own.phrases)
    assert found.found.intent == intent
    assert decide_on(found.found, reasons=found.reasons, rules=own).route == ROUTES[intent]


def test_a_phrase_of_the_shops_own_hides_no_grave_matter():
    own = Rules(
        3, parse_document({"phrases": {"order_status_tracking": {"sure": ["gift registry"]}}})
    )
    text = "My gift registry order burned my skin, my lawyer will hear of it"
    found = message_reading.read(text, phrases=own.phrases)
    decision = decide_on(found.found, reasons=found.reasons, risks=found.risks, rules=own)
    assert decision.route == ROUTES["legal_threat"]
    assert not decision.may_answer
