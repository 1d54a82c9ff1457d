"""Values in texts: what is found, of which kind, and where."""

import pytest

from chalicelib.outreach.writing.moments import Day
from chalicelib.outreach.writing.value_words import WORDS
from chalicelib.outreach.writing.values import ValueKind, values


def of(text, kind):
    return [value.readings for value in values(text) if value.kind is kind]


@pytest.mark.parametrize(
    ("text", "sums"),
    [
        ("It is £595.", [(595, "GBP")]),
        ("Es kostet 1.180,50 EUR.", [(1180.5, "EUR")]),
        ("fifty dollars", [(50, "USD")]),
        ("R$ 20 and 1.2k", [(20, "BRL"), (1200, "")]),
        ("It is 595.", []),
    ],
)
def test_sums_have_their_amount_and_currency(text, sums):
    assert of(text, ValueKind.MONEY) == [frozenset({amount}) for amount in sums]


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 3 May 2026", Day(2026, 5, 3)),
        ("am 3. Mai", Day(None, 5, 3)),
        ("am Donnerstag, 26. November", Day(None, 11, 26, frozenset({3}))),
        ("mañana", Day(days=1)),
        ("la semana que viene", Day(period=("week", 1))),
        ("pasado mañana", Day(days=2)),
        ("on Friday", Day(weekdays=frozenset({4}))),
    ],
)
def test_days_are_read_in_several_languages(text, day):
    assert of(text, ValueKind.DATE) == [frozenset({day})]


@pytest.mark.parametrize(
    ("text", "minutes"),
    [
        ("at 2 pm", {840}),
        ("um halb drei", {150, 870}),
        ("at half past two", {150, 870}),
        ("a las 7 de la tarde", {1140}),
        ("14:30", {870}),
    ],
)
def test_times_are_minutes_of_the_day(text, minutes):
    assert of(text, ValueKind.TIME) == [frozenset(minutes)]


def test_a_range_names_both_of_its_ends():
    assert of("3 to 5 working days", ValueKind.SPAN) == [{(3, "day")}, {(5, "day")}]
    assert of("from 9 am to 5 pm", ValueKind.TIME) == [{540}, {1020}]


def test_the_place_of_a_value_is_that_in_the_text():
    (value,) = values("Bóth: £595 now")
    assert "Both: £595 now"[value.start : value.end] == "£595"


@pytest.mark.parametrize("language", list(WORDS.file.months))
def test_each_language_has_all_months_and_weekdays(language):
    for number, names in enumerate(WORDS.file.months[language], 1):
        for name in names.split("|"):
            assert Day(None, number, 7) in {
                day for found in of(f"7 {name}", ValueKind.DATE) for day in found
            }
    assert len(WORDS.file.months[language]) == 12
    assert len(WORDS.file.weekdays[language]) == 7
