"""Times from outside: read where they are times, and nothing where they are not."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.clock import iso, parsed

MORNING = datetime(2026, 11, 20, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    ["2026-11-20T09:00:00.000Z", "2026-11-20T10:00:00+01:00", "2026-11-20T09:00:00"],
)
def test_a_time_is_parsed_in_any_zone_and_without_one_as_utc(text):
    assert parsed(text) == MORNING


def test_a_time_without_a_zone_is_not_local_time(monkeypatch):
    monkeypatch.setenv("TZ", "America/Denver")
    time.tzset()
    try:
        assert parsed("2026-11-20T09:00:00") == MORNING
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize(
    "text",
    ["", "soon", "2026-13-01T00:00:00Z", "0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"],
)
def test_an_invalid_or_out_of_range_time_is_none(text):
    assert parsed(text) is None


@given(st.text(max_size=40))
def test_no_text_raises_an_error(text):
    found = parsed(text)

    assert found is None or parsed(iso(found)) is not None
