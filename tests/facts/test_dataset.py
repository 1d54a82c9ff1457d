"""A fact's rows: the push dataset's, and the lasting one of the archive and of OneLake."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.facts.dataset import (
    DIM_AGENT,
    FACT_EVENT,
    FULL_TABLES,
    dimension_rows,
    fact_of_row,
    fact_row,
    full_row,
)
from chalicelib.facts.drift import Mark
from chalicelib.facts.model import Agent, Happening
from chalicelib.facts.posting import mirrored_tables
from tests.rigs.fact_writer import fact

KNOWN = fact(
    1,
    happening=Happening(
        at=datetime(2026, 11, 20, 18, 5, tzinfo=UTC),
        timezone="America/Denver",
        seconds=70,
        channel="call",
        outcome="completed",
        marks=(Mark.TIME_IN_OTHER_FORM, Mark.NUMBER_AS_TEXT),
    ),
)


def test_a_lasting_row_says_when_and_how_beside_the_day():
    row = full_row(KNOWN)
    assert set(row) == set(FULL_TABLES[FACT_EVENT])
    assert fact_row(KNOWN).items() < row.items()
    assert row["OccurredAt"] == "2026-11-20T18:05:00.000Z"
    assert (row["TimeZone"], row["DurationSeconds"]) == ("America/Denver", 70)
    assert row["Marks"] == "time_in_other_form,number_as_text"


@pytest.mark.parametrize("known", [KNOWN, replace(KNOWN, happening=Happening())])
def test_a_lasting_row_is_read_again_as_its_fact(known):
    assert fact_of_row(full_row(known)) == known


def test_what_is_not_known_is_absent():
    row = full_row(fact(1))
    assert not {"OccurredAt", "DurationSeconds"} & set(row)
    assert fact_of_row(fact_row(fact(1))) == fact(1)


@pytest.mark.parametrize("between", ["\n", "\r\n", "\u2028", "\x0b"])
def test_a_line_break_in_a_text_is_the_same_space_in_every_sink(between):
    agent = Agent("101", f"Ada{between}Byron", f"ada{between}@example.com")
    (row,) = dimension_rows(DIM_AGENT, ["101"], {"101": agent})
    assert (row["AgentName"], row["Email"]) == ("Ada Byron", "ada @example.com")
    happening = Happening(outcome=f"left{between}message")
    there = full_row(fact(1, notes=f"a{between}b", happening=happening))
    assert (there["Notes"], there["Outcome"]) == ("a b", "left message")
    for table, written in ((DIM_AGENT, row), (FACT_EVENT, there)):
        (read,) = mirrored_tables.rows_in(table, mirrored_tables.file_content(table, [written]))
        assert {name: read[name] for name in ("AgentName", "Notes") if name in written} == {
            name: written[name] for name in ("AgentName", "Notes") if name in written
        }
