"""A table that is one test: every row is tried, and each that fails is reported by itself."""

import pytest

from tests.rigs.each_row import each_row


def test_every_row_is_tried_and_what_fails_is_reported_with_its_row():
    tried = []

    @each_row("text, length", [("a", 1), ("bb", 1), ("ccc", 3), ("dd", 9)])
    def has_length(text, length):
        tried.append(text)
        assert len(text) == length

    with pytest.raises(BaseExceptionGroup, match="2 of 4 rows") as failed:
        has_length()
    assert tried == ["a", "bb", "ccc", "dd"]
    assert [exception.__notes__ for exception in failed.value.exceptions] == [
        ["row: ('bb', 1)"],
        ["row: ('dd', 9)"],
    ]


def test_two_tables_are_tried_in_every_combination():
    tried = []

    @each_row("left", range(2))
    @each_row("right", "ab")
    def both(left, right):
        tried.append((left, right))

    both()
    assert tried == [(0, "a"), (0, "b"), (1, "a"), (1, "b")]


def test_a_table_without_rows_proves_nothing():
    @each_row("one", ())
    def never(row):
        assert row

    with pytest.raises(AssertionError, match="no row"):
        never()
