"""Reads `prices.toml`, the only table of prices: bench, console and documentation use it too."""

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
"""The number of units that a price is for, by name."""
UNBOUNDED = float("inf")


@dataclass(frozen=True, slots=True)
class Price:
    """A list price of us-east-1, or of a vendor.

    Attributes:
        usd: dollars for `per` of `unit`.
        unit: what is counted: ``request``, ``GB``, ``GB-second``, ``month``, ...
        per: a name of `PER`.
        source: the address of the vendor's page.
        read: the day on which the page was read.
        note: a further remark on the price.
        tiers: (units of a month at which a tier ends, its dollars), first tier first; empty for one
            price.
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
        """The dollars as text; for later tiers also where each begins, in units of `per`."""
        begins = [until / PER[self.per] for until, _ in self.tiers]
        later = zip(begins, self.tiers[1:], strict=False)
        return f"{self.usd:g}" + "".join(f"; from {at:,.0f}: {usd:g}" for at, (_, usd) in later)

    @property
    def unit_price(self) -> float:
        """The dollars of one unit in the first tier."""
        return self.usd / PER[self.per]

    def month(self, units: float) -> float:
        """The dollars of a month's units, tier by tier."""
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


def unit_price(name: str) -> float:
    """The dollars of one unit, by the price's name."""
    return prices()[name].unit_price


def per_million(name: str) -> float:
    """The dollars of a million units, by the price's name."""
    return prices()[name].unit_price * 1e6
