"""Write units by DynamoDB's own rules, from the size of what is stored."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from math import ceil
from typing import Any

from boto3.dynamodb.types import Binary, TypeDeserializer

UNIT_BYTES = 1024


def of_refused(item: Mapping[str, Any] | None) -> float:
    """Units of a write whose condition failed: those of the existing item, at least one.

    Args:
        item: the existing item in DynamoDB's JSON; None if there was none or it was not returned.
    """
    plain = TypeDeserializer()
    met = {name: plain.deserialize(value) for name, value in (item or {}).items()}
    return max(1.0, ceil(size(met) / UNIT_BYTES))


def size(value: Any) -> int:  # noqa: ANN401 - a stored value of any type
    """Bytes as DynamoDB counts them."""
    match value:
        case None | bool():
            return 1
        case str():
            return len(value.encode())
        case bytes() | Binary():
            return len(bytes(value))
        case int() | float() | Decimal():
            return ceil(len(str(value).strip("-.0") or "0") / 2) + 1
        case Mapping():
            return 3 + sum(len(name) + size(one) + 1 for name, one in value.items())
        case list() | tuple() | set():
            return 3 + sum(size(one) + 1 for one in value)
    raise TypeError(type(value).__name__)
