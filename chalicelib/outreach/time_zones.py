"""The time zones that a phone number's owner may be in: those of its country, by `tzdata`.

Countries that `tzdata` lacks are in ``time_zones.toml``.  A number under a country code that several
countries share counts as the main country's, unless the number shows another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from zoneinfo import ZoneInfo

import phonenumbers

from chalicelib.tables import beside, read

FILE = beside(__file__, "time_zones.toml")


@dataclass(frozen=True, slots=True)
class MoreCountries:
    """The contents of ``time_zones.toml``: countries that the time zone database lacks, with zones' names."""

    countries: Mapping[str, tuple[str, ...]]


def by_name(name: object) -> ZoneInfo | None:
    """A time zone by its name; None for anything that names no zone."""
    if not isinstance(name, str) or not name:
        return None
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, KeyError):  # ZoneInfoNotFoundError is a KeyError
        return None


@cache
def of_country(region: str) -> tuple[ZoneInfo, ...]:
    """The time zones of a country by its two letters; empty for an unknown country."""
    return tuple(map(ZoneInfo, _table().get(region, ())))


def of_number(number: str) -> tuple[ZoneInfo, ...]:
    """The time zones in which a phone number's owner may be; UTC for a number of no country."""
    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return (ZoneInfo("UTC"),)
    main = phonenumbers.region_codes_for_country_code(parsed.country_code or 0)[:1]
    regions = (phonenumbers.region_code_for_number(parsed), *main)
    found = next((zones for region in regions if region and (zones := of_country(region))), ())
    return found or (ZoneInfo("UTC"),)


@cache
def _table() -> Mapping[str, Sequence[str]]:
    """Names of time zones by country, from ``zone.tab`` (country, coordinates, zone, comment)."""
    found: dict[str, list[str]] = defaultdict(list)
    text = (resources.files("tzdata") / "zoneinfo" / "zone.tab").read_text(encoding="utf-8")
    for line in text.splitlines():
        if line and not line.startswith("#"):
            country, _, zone = line.split("\t")[:3]
            found[country].append(zone)
    return {**found, **read(FILE, MoreCountries).countries}
