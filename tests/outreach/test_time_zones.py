"""The zones of phone numbers: the table of `tzdata`, and ours of what it lacks."""

from importlib import resources
from zoneinfo import ZoneInfo, available_timezones

import phonenumbers

from chalicelib.outreach import time_zones
from chalicelib.tables import read
from tests.rigs.each_row import each_row

OURS = read(time_zones.FILE, time_zones.MoreCountries).countries


def test_every_zone_of_the_table_is_one_of_pythons():
    assert {
        zone for zones in time_zones._table().values() for zone in zones
    } <= available_timezones()


@each_row("region", sorted(phonenumbers.SUPPORTED_REGIONS))
def test_every_country_with_phone_numbers_has_its_zones(region):
    zones = time_zones.of_country(region)
    assert zones
    assert len(set(zones)) == len(zones)


def test_ours_has_only_countries_that_the_table_lacks():
    text = (resources.files("tzdata") / "zoneinfo" / "zone.tab").read_text()
    listed = {line[:2] for line in text.splitlines() if line and not line.startswith("#")}
    assert set(OURS) & listed == set()
    assert set(OURS) <= phonenumbers.SUPPORTED_REGIONS


def test_a_number_of_kosovo_is_not_called_by_greenwichs_clock():
    assert time_zones.of_number("+38328012345") == (ZoneInfo("Europe/Belgrade"),)
