"""What rules have stopped, and what people made of it, as the console shows it."""

import pytest

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.stop_counts import HELD, StopEnd

MOVES = Record({"company_id": "quayside", "project_id": "moves"})
OTHER = Record({"company_id": "harbour", "project_id": "moves"})


@pytest.fixture
def counted(console):
    """Three drafts that broke `amount`, of which two were decided; and one of another company."""
    count = console.services.outreach.conversations.count_stop
    for what in (HELD, HELD, HELD, StopEnd.AS_IS, StopEnd.DISCARDED, StopEnd.AGAIN):
        count(MOVES, "amount", what)
    count(OTHER, "link", HELD)
    return console


def test_a_companys_rules_are_shown_with_the_share_of_false_stops(counted):
    text = counted.browser("vi").text("/writer?company=quayside&days=7")
    assert "moves amount 3 1 0 0 1 1 1 of 2 (50.0 %, 9.4 % to 90.5 %)" in text
    assert "link" not in text.partition("false stops, of those decided")[2].partition("A stop")[0]
    assert "writer stops quayside --days 7" in text


def test_answers_that_people_said_were_wrong_are_beside_them(counted):
    for _ in range(2):
        counted.services.outreach.conversations.count_wrong(MOVES, "wrong_tone")
    text = counted.browser("vi").text("/writer?company=quayside&days=7")
    assert "moves it is not how the company writes 2" in text


def test_a_page_of_stops_is_two_queries_by_key(counted, monkeypatch):
    table = counted.services.table(counted.services.settings.conversations_table)
    query, asked = table.query_pages, []

    def recorded(**how):
        asked.append(how)
        return query(**how)

    monkeypatch.setattr(table, "query_pages", recorded)
    monkeypatch.delattr(type(table), "scan_page")
    counted.browser("vi").text("/writer?company=quayside")
    assert len(asked) == 2, "stops, and what people said of answers"


@pytest.mark.parametrize("query", ["company=x&days=5000", f"company={'x' * 101}"])
def test_a_wrong_question_is_refused_by_its_field(counted, query):
    assert counted.browser("vi").get(f"/writer?{query}").status_code == 400
