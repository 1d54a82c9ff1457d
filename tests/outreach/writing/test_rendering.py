"""Values that code writes: in each language, and only those that support a draft."""

import pytest

from chalicelib.outreach.writing.rendering import FILE, RenderingFile, rendered
from chalicelib.tables import read
from tests.rigs.drafts import about_of

CASE = '{"deposit": 1100.5, "currency": "EUR", "visit": "2026-05-03T14:30", "note": "call me"}'


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "€1,100.50 on 3 May 2026, 14:30"),
        ("es", "1.100,50 € on 3 de mayo de 2026, 14:30"),
        ("de", "1.100,50 € on 3. Mai 2026, 14:30"),
        ("xx", "€1,100.50 on 3 May 2026, 14:30"),
    ],
)
def test_sums_and_dates_are_written_in_the_language(language, text):
    draft = "{{project_data.deposit}} on {{project_data.visit}}"
    assert rendered(draft, about_of(case=CASE).sources, language) == text


def test_a_path_without_a_source_and_a_forms_words_stay_as_they_are():
    draft = "{{project_data.nothing}} {{project_data.note}}"
    assert rendered(draft, about_of(case=CASE).sources, "en") == draft


def test_each_language_has_twelve_months():
    assert {len(row.months) for row in read(FILE, RenderingFile).language.values()} == {12}
