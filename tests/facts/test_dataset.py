"""A fact's rows: the push dataset's, and the lasting one of the archive and of OneLake."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from chalicelib.facts.dataset import (
    FACT_EVENT,
    LASTING_TABLES,
    TABLES,
    fact_of_row,
    fact_row,
    lasting_row,
    rows_for,
)
from chalicelib.facts.drift import Mark
from chalicelib.facts.model import Happening
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
    row = lasting_row(KNOWN)
    assert set(row) == set(LASTING_TABLES[FACT_EVENT])
    assert fact_row(KNOWN).items() < row.items()
    assert row["OccurredAt"] == "2026-11-20T18:05:00.000Z"
    assert (row["TimeZone"], row["DurationSeconds"]) == ("America/Denver", 70)
    assert row["Marks"] == "time_in_other_form,number_as_text"


@pytest.mark.parametrize("known", [KNOWN, replace(KNOWN, happening=Happening())])
def test_a_lasting_row_is_read_again_as_its_fact(known):
    assert fact_of_row(lasting_row(known)) == known


def test_what_is_not_known_is_absent():
    row = lasting_row(fact(1))
    assert not {"OccurredAt", "DurationSeconds"} & set(row)
    assert fact_of_row(fact_row(fact(1))) == fact(1)


def test_a_push_dataset_gets_the_columns_that_it_was_created_with():
    (there,) = rows_for("powerbi:d-1", [KNOWN])
    (archived,) = rows_for("s3:bucket", [KNOWN])
    assert set(there) == set(TABLES[FACT_EVENT])
    assert archived == lasting_row(KNOWN)
