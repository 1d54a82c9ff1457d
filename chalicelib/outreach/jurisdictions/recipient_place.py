"""The jurisdictions and time zones that a recipient may be in.

A region is a country's two letters, which a state may follow: ``us``, ``us-fl``, ``ca-on``.  The area code
of a North American number shows the state (``area_codes.toml``).  The recipient may be anywhere in the
United States and Canada where the area code shows no place (toll-free numbers), or where the recipient's
known time zone is not one of the area code's (the number moved with its owner).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from zoneinfo import ZoneInfo

import phonenumbers

from chalicelib.outreach import time_zones
from chalicelib.outreach.jurisdictions.rulebook import jurisdictions
from chalicelib.tables import beside, read

FILE = beside(__file__, "area_codes.toml")
_SEASONS = (datetime(2026, 1, 15, tzinfo=UTC), datetime(2026, 7, 15, tzinfo=UTC))
"""A winter and a summer day: zones with equal offsets on both are taken as one."""


@dataclass(frozen=True, slots=True)
class Area:
    """A region, its telephone area codes and its time zones."""

    region: str
    codes: tuple[int, ...]
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AreaCodes:
    """The contents of ``area_codes.toml``: the North American area codes by region."""

    areas: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class RecipientPlace:
    """The regions and time zones that a recipient may be in.

    Attributes:
        regions: every region that the recipient may be in; empty: anywhere.
        zones: every time zone that the recipient may have; empty where unknown.
    """

    regions: tuple[str, ...]
    zones: tuple[ZoneInfo, ...]

    @property
    def shown(self) -> str:
        """The regions as text for an auditor: ``us-fl|us-ga``, or ``any``."""
        return "|".join(self.regions) or "any"


ANYWHERE = RecipientPlace((), ())


def of_region(region: str, own: ZoneInfo | None = None) -> RecipientPlace:
    """The regions and time zones of a recipient whose country or state is known.

    `own` is the recipient's time zone; where it is known, it is the only one.
    """
    country = time_zones.of_country(region.partition("-")[0].upper())
    return RecipientPlace((region,), (own,) if own else country)


def of_number(number: str, own: ZoneInfo | None = None) -> RecipientPlace:
    """The regions and time zones that a phone number's owner may be in.

    `own` is the owner's time zone; where it is known, it is the only one.
    """
    found = _american(number, own) if number.startswith("+1") else _of_country_code(number)
    return RecipientPlace(found.regions, (own,)) if own else found


def _american(number: str, own: ZoneInfo | None) -> RecipientPlace:
    area = _areas().get(number[2:5])
    if area is None:
        elsewhere = phonenumbers.region_code_for_number(phonenumbers.parse(number))
        if elsewhere not in (None, "US", "CA"):  # such as Jamaica
            return _of_countries((elsewhere,))
        return _north_america()
    zones = tuple(map(ZoneInfo, area.zones))
    if own is not None and not any(_is_alike(own, zone) for zone in zones):
        return _north_america()
    return RecipientPlace((area.region,), zones)


def _of_country_code(number: str) -> RecipientPlace:
    """The regions and time zones of a number's country, or of every country with its country code."""
    parsed = phonenumbers.parse(number)
    country = phonenumbers.region_code_for_number(parsed)
    several = phonenumbers.region_codes_for_country_code(parsed.country_code or 0)
    return _of_countries((country,) if country else several)


def _of_countries(countries: tuple[str, ...]) -> RecipientPlace:
    known = tuple(country for country in countries if country.isalpha())  # "001" is no country
    zones = tuple(zone for country in known for zone in time_zones.of_country(country))
    return RecipientPlace(tuple(country.lower() for country in known), zones or (ZoneInfo("UTC"),))


@cache
def _north_america() -> RecipientPlace:
    """The place of a recipient who may be anywhere in the United States or Canada.

    Its regions are both countries and each state with rules of its own.  Its time zones leave out
    far islands, with which no hour would be allowed everywhere.
    """
    own = {
        jurisdiction.file.region
        for jurisdiction in jurisdictions()
        if jurisdiction.file.region[:3] in ("us-", "ca-")
    }
    zones = dict.fromkeys(zone for area in read(FILE, AreaCodes).areas for zone in area.zones)
    # Far islands are left out: their clocks would leave no hour open everywhere.
    shared = (name for name in zones if name not in _FAR_ISLANDS)
    return RecipientPlace(tuple(sorted({"us", "ca", *own})), tuple(map(ZoneInfo, shared)))


_FAR_ISLANDS = ("Pacific/Guam", "Pacific/Saipan", "Pacific/Pago_Pago")


@cache
def _areas() -> Mapping[str, Area]:
    return {str(code): area for area in read(FILE, AreaCodes).areas for code in area.codes}


@cache
def _is_alike(zone: ZoneInfo, other: ZoneInfo) -> bool:
    return all(
        at.astimezone(zone).utcoffset() == at.astimezone(other).utcoffset() for at in _SEASONS
    )
