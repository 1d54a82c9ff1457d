"""The agents' shifts as the company's file has them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import PayloadError
from chalicelib.facts.dataset import DIM_SHIFT, TABLES
from chalicelib.facts.shifts import shift_rows

HEADER = "AgentID,LocalDate,ShiftStartLocal,ShiftEndLocal\n"


def test_a_shift_over_midnight_ends_on_the_next_day():
    (row,) = shift_rows(f"{HEADER}102,2026-11-20,22:00,06:00\n".encode())
    assert row == {
        "AgentID": "102",
        "LocalDate": "2026-11-20T00:00:00",
        "ShiftStartLocal": "2026-11-20T22:00:00",
        "ShiftEndLocal": "2026-11-21T06:00:00",
        "ShiftHours": 8,
    }
    assert set(row) == set(TABLES[DIM_SHIFT])


def test_the_last_of_equal_shifts_counts_and_other_columns_are_left_out():
    body = "\ufeff" + HEADER.replace("\n", ",Team\n")
    body += "101,2026-11-20,08:00,12:00,North\n101,2026-11-20,08:00,16:00,North\n"
    (row,) = shift_rows(body.encode())
    assert row["ShiftHours"] == 8


@pytest.mark.parametrize(
    ("line", "column"),
    [
        ("a b,2026-11-20,08:00,12:00", "AgentID"),
        ("101,20/11/2026,08:00,12:00", "LocalDate"),
        ("101,2026-11-20,eight,12:00", "ShiftStartLocal"),
        ("101,2026-11-20,08:00", "ShiftEndLocal"),
        ("101,2026-11-20,08:00Z,12:00", "ShiftStartLocal"),
        ("101,2026-11-20,08:00,12:00+01:00", "ShiftEndLocal"),
        ("101,9999-12-31,22:00,06:00", "LocalDate"),
    ],
)
def test_a_bad_line_is_named_and_nothing_of_the_file_is_used(line, column):
    body = f"{HEADER}101,2026-11-19,08:00,12:00\n{line}\n".encode()
    with pytest.raises(PayloadError, match=f"line 3, column {column}$"):
        shift_rows(body)


@given(st.binary(max_size=200))
def test_any_bytes_are_rows_or_a_refusal(body):
    with suppress(PayloadError):
        for row in shift_rows(body):
            assert set(row) == set(TABLES[DIM_SHIFT])
