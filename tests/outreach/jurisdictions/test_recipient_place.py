"""Where a number may be: by its country, in North America by its area code, else anywhere there."""

from zoneinfo import ZoneInfo

import phonenumbers
import pytest

from chalicelib.outreach.jurisdictions.recipient_place import FILE, AreaCodes, of_number, of_region
from chalicelib.tables import read
from tests.rigs.each_row import each_row
from tests.rigs.rule_cases import UNCERTAIN

AREAS = read(FILE, AreaCodes).areas
CODES = {code: area.region for area in AREAS for code in area.codes}
NEW = {357, 436, 457, 471, 621, 624, 679, 729, 837, 861, 924}
"""Assigned, and not yet known to the release of `phonenumbers`."""

PLACELESS = {
    *(273, 500, *range(521, 530), 532, 533, 544, 566, 577, 588, 600, 622, 633),
    *(800, 833, 844, 855, 866, 877, 888, 900),
}
"""Toll-free, personal and premium numbers, and a code that is only reserved."""


@each_row(
    ("number", "regions", "zones"),
    [
        ("+12125550100", "us-ny", {"America/New_York"}),
        ("+13055550100", "us-fl", {"America/New_York"}),
        ("+18505550100", "us-fl", {"America/New_York", "America/Chicago"}),
        ("+14055550100", "us-ok", {"America/Chicago"}),
        ("+12065550100", "us-wa", {"America/Los_Angeles"}),
        ("+14155550100", "us-ca", {"America/Los_Angeles"}),
        ("+19155550100", "us-tx", {"America/Denver"}),
        ("+17875550100", "us-pr", {"America/Puerto_Rico"}),
        ("+14165550100", "ca-on", {"America/Toronto"}),
        ("+18765550100", "jm", {"America/Jamaica"}),
        ("+33612345678", "fr", {"Europe/Paris"}),
        ("+4915112345678", "de", {"Europe/Berlin", "Europe/Busingen"}),
    ],
)
def test_a_number_shows_its_place(number, regions, zones):
    found = of_number(number)
    assert found.shown == regions
    assert {zone.key for zone in found.zones} == zones


@pytest.mark.parametrize("number", ["+18005550100", "+15550100001", "+18335550100"])
def test_a_number_without_a_place_may_be_anywhere_in_north_america(number):
    found = of_number(number)
    assert found.regions == ("ca", "us", "us-ca", "us-fl", "us-ok", "us-wa")
    assert {"America/St_Johns", "Pacific/Honolulu"} <= {zone.key for zone in found.zones}


def test_a_country_code_of_several_countries_counts_as_each():
    assert "gb" in of_number("+447700900123").regions


def test_a_zone_that_the_router_names_is_the_only_one():
    own = ZoneInfo("America/Chicago")
    assert of_number("+18505550100", own).zones == (own,)
    assert of_number("+18505550100", own).regions == ("us-fl",)
    assert of_region("us-fl", own).zones == (own,)


def test_a_zone_with_the_same_clock_is_no_other_place():
    """Detroit keeps New York's time."""
    assert of_number("+12125550100", ZoneInfo("America/Detroit")).regions == ("us-ny",)


def test_a_number_that_has_moved_with_its_owner_may_be_anywhere():
    own = ZoneInfo("America/Los_Angeles")
    found = of_number("+13055550100", own)
    assert (found.regions, found.zones) == (UNCERTAIN.regions, (own,))


def test_the_area_codes_are_those_of_the_numbering_plan():
    """A second opinion: `phonenumbers` knows each code's country, and lists no other."""
    assert len(CODES) == sum(len(area.codes) for area in AREAS) == 431
    states = {region for region in CODES.values() if region.startswith("us-")}
    assert len(states) == 51 + 5
    for code in range(200, 1000):
        number = phonenumbers.parse(f"+1{code}2345678")
        known = phonenumbers.region_code_for_number(number)
        if code in CODES and code not in NEW:
            islands = {"PR", "VI", "GU", "AS", "MP"}
            expected = {"us": {"US", *islands}, "ca": {"CA"}}[CODES[code][:2]]
            assert known in expected, code
        elif code not in CODES and known in ("US", "CA"):
            assert code in PLACELESS, code


def test_every_zone_is_one():
    assert all(ZoneInfo(zone) for area in AREAS for zone in area.zones)
