"""The size of an item as DynamoDB counts it for charging.

Source: https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/CapacityUnitCalculations.html
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import Any

UNIT_BYTES = 1024
"""Bytes that one write unit covers."""


def size_of_item(item: Mapping[str, Any]) -> int:
    """The bytes of an item of plain values as DynamoDB counts them, names of attributes included."""
    return sum(len(name.encode()) + size_of_value(value) for name, value in item.items())


def size_of_value(value: Any) -> int:  # noqa: ANN401 - a stored value of any type
    """The bytes of an attribute's value; raises `TypeError` for a type that DynamoDB does not store."""
    match value:
        case None | bool():
            return 1
        case str():
            return len(value.encode())
        case bytes():
            return len(value)
        case int() | float() | Decimal():
            significant = str(value).lstrip("-").replace(".", "").strip("0")
            return ceil(len(significant or "0") / 2) + 1
        case Mapping():
            return 3 + size_of_item(value) + len(value)
        case list() | tuple() | set() | frozenset():
            return 3 + sum(size_of_value(item) + 1 for item in value)
    raise TypeError(type(value).__name__)
