"""The files of rules are checked when they are read."""

from datetime import date

import pytest

from chalicelib.outreach.jurisdictions import rulebook
from chalicelib.outreach.jurisdictions.opening_hours import hours_of
from chalicelib.tables import TableError

GOOD = """
title = "Nowhere"
region = "zz"
version = "2026-11"
date = 2026-11-27

[sources.law]
name = "Law"
section = "1"
url = "https://law.example/1"

[rules.hours]
says = "By day."
sources = ["law"]
channels = ["sms"]
hours = ["mon-fri 09:00-17:00"]
"""


@pytest.fixture
def read(tmp_path, monkeypatch):
    """Reads a file of this content."""
    monkeypatch.setattr(rulebook, "FILES", tmp_path)

    def reads(content):
        (tmp_path / "zz.toml").write_text(content)
        return rulebook._read("zz")

    return reads


def test_a_file_is_read_whole(read):
    found = read(GOOD)
    assert (found.stamp, found.rules[0].id, found.rules[0].code) == (
        *("zz@2026-11", "zz:hours"),
        "calling_hours",
    )


@pytest.mark.parametrize(
    ("old", "new", "named"),
    [
        (
            'hours = ["mon-fri 09:00-17:00"]',
            "",
            "zz:hours must have exactly one requirement, and has: none",
        ),
        (
            '"sms"]',
            '"sms"]\nno_holidays = true',
            "zz:hours must have exactly one requirement, and has: hours, no",
        ),
        (
            'sources = ["law"]',
            'sources = ["lore"]',
            "zz:hours names a source that its file lacks: lore",
        ),
        ("17:00", "8:00", "zz:hours.hours must have the form"),
        ("17:00", "08:00", "zz:hours.hours must have the form"),
        ("mon-fri", "fri-mon", "zz:hours.hours must have the form"),
        ('"sms"', '"fax"', "zz.toml: rules.hours.channels"),
        ("says", "tells", "is no field of Requirement"),
        ("date = 2026-11-27", "", "zz.toml: date is missing"),
    ],
)
def test_a_file_that_is_wrong_names_the_place(read, old, new, named):
    with pytest.raises(TableError, match=named):
        read(GOOD.replace(old, new))


def test_every_file_has_a_version_a_date_and_public_sources():
    for jurisdiction in rulebook.jurisdictions():
        assert jurisdiction.file.version == f"{jurisdiction.file.date:%Y-%m}"
        assert jurisdiction.file.date <= date(2026, 12, 31)
        used = {name for rule in jurisdiction.rules for name in rule.requirement.sources}
        assert used == jurisdiction.file.sources.keys()
        assert all(
            source.url.startswith("https://") for source in jurisdiction.file.sources.values()
        )
        assert jurisdiction.file.region in (
            *("", jurisdiction.id),
            jurisdiction.id.removesuffix("-federal"),
        )


def test_hours_are_of_days_of_one_week():
    (found,) = hours_of(["sat 10:00-16:00"])
    assert found.days == {5}
