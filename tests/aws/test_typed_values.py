"""Values are stored as boto3's own types store them, and round-trip."""

from decimal import Decimal

import pytest
from boto3.dynamodb.types import TypeDeserializer, TypeSerializer
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.aws.typed_values import from_wire, to_wire

numbers = st.integers(-(10**37), 10**37) | st.floats(
    allow_nan=False, allow_infinity=False, min_value=-1e30, max_value=1e30
).filter(lambda number: number == 0 or abs(number) > 1e-100)
scalars = st.none() | st.booleans() | numbers | st.text(max_size=20) | st.binary(max_size=20)
sets = st.frozensets(st.text(max_size=9), min_size=1) | st.frozensets(
    st.integers(-999, 999), min_size=1
)
values = st.recursive(
    scalars | sets,
    lambda inner: (
        st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(values)
def test_a_value_is_serialised_as_by_boto3(value: object):
    assert _unordered(to_wire({"it": value})) == _unordered(_by_boto3({"it": value}))


@given(values)
def test_a_value_round_trips(value: object):
    expected = {} if value is None else {"it": _as_read(value)}

    assert from_wire(to_wire({"it": value})) == expected


@given(values.filter(lambda value: value is not None))
def test_boto3_values_are_deserialised_as_by_boto3(value: object):
    wire = _by_boto3({"it": value})

    assert from_wire(wire)["it"] == _as_read(_from_boto3(wire["it"]))


@pytest.mark.parametrize("value", [object(), set(), {1, "a"}, float("nan"), [float("inf")], {b"x"}])
def test_values_that_cannot_be_stored_are_refused_before_sending(value: object):
    with pytest.raises(TypeError):
        to_wire({"it": value})


def _by_boto3(item: dict[str, object]) -> dict[str, object]:
    serialize = TypeSerializer().serialize
    return {name: serialize(_decimal(field)) for name, field in item.items() if field is not None}


def _decimal(value: object) -> object:
    match value:
        case bool() | int():
            return value
        case float():
            return Decimal(str(value))
        case dict():
            return {name: _decimal(member) for name, member in value.items()}
        case list():
            return [_decimal(member) for member in value]
        case frozenset():
            return set(value)
        case _:
            return value


def _from_boto3(typed: object) -> object:
    value = TypeDeserializer().deserialize(typed)
    return _undone(value)


def _undone(value: object) -> object:
    match value:
        case Decimal():
            return int(value) if value == value.to_integral_value() else float(value)
        case dict():
            return {name: _undone(member) for name, member in value.items()}
        case list():
            return [_undone(member) for member in value]
        case set():
            return {_undone(member) for member in value}
        case _:
            return bytes(value) if hasattr(value, "value") else value


def _as_read(value: object) -> object:
    match value:
        case bool():
            return value
        case float() if value == int(value):
            return int(Decimal(str(value)))
        case dict():
            return {name: _as_read(member) for name, member in value.items()}
        case list():
            return [_as_read(member) for member in value]
        case frozenset() | set():
            return set(value)
        case _:
            return value


def _unordered(value: object) -> object:
    match value:
        case {"SS": members}:
            return {"SS": sorted(members)}
        case {"NS": members}:
            return {"NS": sorted(members)}
        case dict():
            return {name: _unordered(member) for name, member in value.items()}
        case list():
            return [_unordered(member) for member in value]
        case _:
            return value
