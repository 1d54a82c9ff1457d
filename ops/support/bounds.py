"""Computes a share with its 95 % bounds, as reports show it."""

from __future__ import annotations

import math
from typing import Any

_Z = 1.959963984540054
"""The normal distribution's two-sided quantile for 95 %."""


def share(count: int, total: int) -> dict[str, Any]:
    """A count of a total, the share, and the bounds of Wilson's interval; None if the total is 0."""
    if total == 0:
        return {"count": count, "of": 0, "share": None, "low": None, "high": None}
    part = count / total
    base = 1 + _Z**2 / total
    middle = (part + _Z**2 / (2 * total)) / base
    spread = _Z * math.sqrt(part * (1 - part) / total + _Z**2 / (4 * total**2)) / base
    low, high = max(0.0, middle - spread), min(1.0, middle + spread)
    return {
        "count": count,
        "of": total,
        "share": round(part, 4),
        "low": round(low, 4),
        "high": round(high, 4),
    }


def said(found: dict[str, Any]) -> str:
    """A share as text: ``3 of 120 (2.5 %, 0.9 % to 7.1 %)``."""
    if found["share"] is None:
        return f"{found['count']} of 0"
    percent = f"{found['share']:.1%}, {found['low']:.1%} to {found['high']:.1%}"
    return f"{found['count']} of {found['of']} ({percent})".replace("%", " %")
