"""The table of roles: every row gives its role, and a field's name is read as its words are."""

from chalicelib.outreach.value_roles import (
    LANGUAGES,
    has_kind,
    is_like,
    role_hits,
    rows,
)
from chalicelib.outreach.writing.values import ValueKind
from tests.rigs.each_row import each_row

ROWS = [(row, language) for row in rows().values() for language in LANGUAGES]


@each_row(("row", "language"), ROWS)
def test_each_word_of_a_row_gives_its_role(row, language):
    for phrase in getattr(row, language):
        word = f"{phrase[:-1]}x" if phrase.endswith("*") else phrase
        assert row.name in {hit.role for hit in role_hits(f"ist {word} dat", [language])}, phrase


@each_row("row", rows().values())
def test_a_row_names_kinds_and_other_rows_that_there_are(row):
    assert set(row.kinds) <= set(ValueKind)
    assert set(row.weak) <= set(row.kinds)
    assert set(row.like) <= rows().keys()
    assert row.en


def test_a_bare_number_may_be_a_sum_and_a_time_has_the_roles_of_a_date():
    assert has_kind("deposit", "number")
    assert has_kind("appointment", "time")
    assert not has_kind("deposit", "date")
    assert is_like("price", "total")
    assert not is_like("balance", "deposit")
