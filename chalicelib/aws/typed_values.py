"""Converts plain values to DynamoDB's typed values and back."""

from __future__ import annotations

import math
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from chalicelib.once.store import Item


def to_wire(item: Mapping[str, Any]) -> Item:
    """An item of plain values as DynamoDB's typed values; None is left out, floats become numbers."""
    return {name: _typed(value) for name, value in item.items() if value is not None}


def from_wire(item: Mapping[str, Any]) -> Item:
    """An item of DynamoDB's typed values as plain ones; numbers become int or float."""
    return {name: _plain(value) for name, value in item.items()}


def _typed(value: Any) -> Item:  # noqa: ANN401
    """One plain value as DynamoDB's typed value; raises `TypeError` for a type that cannot be stored.

    Like boto3's own serializer, but with floats and in a fifth of its time.
    """
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int():
            return {"N": str(value)}
        case float() if math.isfinite(value):
            return {"N": str(Decimal(str(value)))}
        case Decimal():
            return {"N": str(value)}
        case None:
            return {"NULL": True}
        case Mapping():
            return {"M": {name: _typed(member) for name, member in value.items()}}
        case list() | tuple():
            return {"L": [_typed(item) for item in value]}
        case set() | frozenset():
            return _typed_set(value)
        case bytes():
            return {"B": value}
        case _:
            raise TypeError(f"{type(value).__name__} cannot be stored")


def _typed_set(values: set[Any] | frozenset[Any]) -> Item:
    if values and all(isinstance(value, str) for value in values):
        return {"SS": sorted(values)}
    if values and all(type(value) in (int, float) for value in values):
        return {"NS": [_typed(value)["N"] for value in values]}
    raise TypeError("only a non-empty set of strings or of numbers can be stored")


def _plain(typed: Mapping[str, Any]) -> Any:  # noqa: ANN401
    ((kind, value),) = typed.items()
    match kind:
        case "S" | "BOOL" | "B":
            return value
        case "N":
            return _number(value)
        case "M":
            return {name: _plain(member) for name, member in value.items()}
        case "L":
            return [_plain(item) for item in value]
        case "SS" | "BS":
            return set(value)
        case "NS":
            return {_number(number) for number in value}
        case "NULL":
            return None
        case _:
            raise TypeError(f"{kind} is not a DynamoDB type")


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        number = Decimal(text)
        return int(number) if number == number.to_integral_value() else float(number)
