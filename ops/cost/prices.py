"""The one table of prices, read from `prices.toml`: the bench, the console and the pages have no other."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("prices.toml")
PER: Mapping[str, float] = {"million": 1e6, "thousand": 1e3, "one": 1.0}
"""What a price is for, as how many of its unit."""
UNBOUNDED = float("inf")


@dataclass(frozen=True, slots=True)
class Price:
    """A list price of us-east-1, or of a vendor.

    Attributes:
        usd: dollars for `per` of `unit`.
        unit: what is counted: ``request``, ``GB``, ``GB-second``, ``month``, ...
        per: a name of `PER`.
        tiers: prices of later tiers, each with how many units of a month it ends at; empty for one price.
        source: the page that says so.
        read: the day on which it was read.
        note: what else is to be known.
    """

    name: str
    usd: float
    unit: str
    per: str
    source: str
    read: date
    note: str = ""
    tiers: tuple[tuple[float, float], ...] = ()

    @property
    def shown(self) -> str:
        """Dollars, and those of later tiers with the millions, or what it is for, that they begin at."""
        begins = [until / PER[self.per] for until, _ in self.tiers]
        later = zip(begins, self.tiers[1:], strict=False)
        return f"{self.usd:g}" + "".join(f"; from {at:,.0f}: {usd:g}" for at, (_, usd) in later)

    @property
    def each(self) -> float:
        """Dollars for one unit, of the first tier."""
        return self.usd / PER[self.per]

    def month(self, units: float) -> float:
        """Dollars of a month's units, by the tiers."""
        total, below = 0.0, 0.0
        for until, usd in self.tiers or ((UNBOUNDED, self.usd),):
            total += max(0.0, min(units, until) - below) * usd / PER[self.per]
            below = until
        return total


@cache
def prices() -> Mapping[str, Price]:
    """Every price, by its name."""
    rows = tomllib.loads(TABLE.read_text())["prices"]
    return {row["name"]: _price(row) for row in rows}


def _price(row: Mapping[str, Any]) -> Price:
    tiers = tuple(
        (float(until) * PER[row["per"]], float(usd)) for until, usd in row.get("tiers", ())
    )
    plain = {name: value for name, value in row.items() if name != "tiers"}
    return Price(**plain, tiers=tiers)


def each(name: str) -> float:
    """Dollars for one unit of what a price is for."""
    return prices()[name].each


def per_million(name: str) -> float:
    """Dollars for a million units."""
    return prices()[name].each * 1e6
