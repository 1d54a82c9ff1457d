"""The jurisdictions that a recipient may be in, and the time zones that they may have.

A country is two letters, a state of it follows: ``us-fl``, ``ca-on``.  North American numbers show it by
their area code (``area_codes.toml``).  Where that shows none, as of a toll-free number, or the recipient's
own zone is not one of the code's, as of a number that moved with its owner, the recipient may be in any
jurisdiction of the United States and Canada.
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
"""Two zones with the same offsets at both have the same clock."""


@dataclass(frozen=True, slots=True)
class Area:
    """Area codes whose numbers are in one place."""

    region: str
    codes: tuple[int, ...]
    zones: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AreaCodes:
    """The file."""

    areas: tuple[Area, ...]


@dataclass(frozen=True, slots=True)
class RecipientPlace:
    """Where a recipient may be.

    Attributes:
        regions: every jurisdiction that may be theirs; none: any.
        zones: every time zone that may be theirs; none where nothing shows one.
    """

    regions: tuple[str, ...]
    zones: tuple[ZoneInfo, ...]

    @property
    def shown(self) -> str:
        """As an auditor reads it."""
        return "|".join(self.regions) or "any"


ANYWHERE = RecipientPlace((), ())


def of_region(region: str, own: ZoneInfo | None = None) -> RecipientPlace:
    """Of a recipient whose country or state is known."""
    country = time_zones.of_country(region.partition("-")[0].upper())
    return RecipientPlace((region,), (own,) if own else country)


def of_number(number: str, own: ZoneInfo | None = None) -> RecipientPlace:
    """Of the owner of a number in E.164.

    Args:
        number: the recipient's.
        own: the recipient's zone, where it is known.
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
    if own is not None and not any(_is_alike(own, one) for one in zones):
        return _north_america()
    return RecipientPlace((area.region,), zones)


def _of_country_code(number: str) -> RecipientPlace:
    """The number's country, or each that its country code belongs to."""
    parsed = phonenumbers.parse(number)
    country = phonenumbers.region_code_for_number(parsed)
    several = phonenumbers.region_codes_for_country_code(parsed.country_code or 0)
    return _of_countries((country,) if country else several)


def _of_countries(countries: tuple[str, ...]) -> RecipientPlace:
    known = tuple(one for one in countries if one.isalpha())  # 001: of no country
    zones = tuple(zone for one in known for zone in time_zones.of_country(one))
    return RecipientPlace(tuple(one.lower() for one in known), zones or (ZoneInfo("UTC"),))


@cache
def _north_america() -> RecipientPlace:
    """Any place of the United States and Canada that has rules of its own, or none."""
    own = {one.file.region for one in jurisdictions() if one.file.region[:3] in ("us-", "ca-")}
    zones = dict.fromkeys(zone for area in read(FILE, AreaCodes).areas for zone in area.zones)
    # Islands beyond the date line have hours that no others share.
    shared = (one for one in zones if one not in _FAR_ISLANDS)
    return RecipientPlace(tuple(sorted({"us", "ca", *own})), tuple(map(ZoneInfo, shared)))


_FAR_ISLANDS = ("Pacific/Guam", "Pacific/Saipan", "Pacific/Pago_Pago")


@cache
def _areas() -> Mapping[str, Area]:
    return {str(code): area for area in read(FILE, AreaCodes).areas for code in area.codes}


@cache
def _is_alike(one: ZoneInfo, other: ZoneInfo) -> bool:
    return all(
        at.astimezone(one).utcoffset() == at.astimezone(other).utcoffset() for at in _SEASONS
    )
