"""Tables that are data: TOML files beside the modules that read them, as typed rows.

A wording, a vendor's code or a price is checked and changed by people who write no Python, so it is a
row of a file, with its source beside it.  A module declares what a row is, and names its table::

    @dataclass(frozen=True, slots=True)
    class Codes:
        codes: Mapping[int, Code]

    CODES = Rows(lambda: read(beside(__file__, "codes.toml"), Codes).codes)

A file is read when its table is first looked at, and once: a cold start pays for no table that its
event does not need.  What a single row cannot show, such as a language that lacks a text, is checked by
the tests.
"""

from __future__ import annotations

import collections.abc
from collections.abc import Callable, Iterator, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date
from enum import StrEnum
from functools import cache, cached_property
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from chalicelib.errors import MiddlewareError

Schema = TypeVar("Schema")
Key = TypeVar("Key")
Value = TypeVar("Value", covariant=True)  # noqa: PLC0105 - read only, as every mapping


class TableError(MiddlewareError):
    """A TOML file, or another table of fields, is not as its schema says; the message names row and field."""


class Rows(Mapping[Key, Value]):
    """A mapping that is read from a file when it is first used.

    Args:
        rows: the function that reads the mapping.
    """

    def __init__(self, rows: Callable[[], Mapping[Key, Value]]) -> None:
        self._read = rows

    def __getitem__(self, key: Key) -> Value:
        return self._rows[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)

    @cached_property
    def _rows(self) -> Mapping[Key, Value]:
        return self._read()


def beside(module: str, name: str) -> Path:
    """The path of a file in the same folder as a module.

    Args:
        module: the module's ``__file__``.
        name: of the file.
    """
    return Path(module).with_name(name)


def read(file: Path, schema: type[Schema]) -> Schema:
    """The content of a TOML file as an instance of its schema.

    Args:
        file: in TOML.
        schema: a dataclass.  A field is a text, a number, a truth value, a date, a `StrEnum`, a
            dataclass, a mapping or a tuple of these; one with a default may be left out.  A tuple
            of texts may also be written as one text with an item a line.

    Raises:
        TableError: the file is no TOML, or not of this schema.
    """
    import tomllib  # noqa: PLC0415 - takes milliseconds, which a cold start without tables saves

    try:
        content = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise TableError(f"{file.name}: {error}") from None
    return checked(schema, content, f"{file.name}: ")


def checked(schema: type[Schema], given: object, place: str) -> Schema:
    """A table of fields that did not come from a file, as an instance of its schema.

    Args:
        schema: see `read`.
        given: the fields by name.
        place: what the message of an error begins with.

    Raises:
        TableError: the table is not of this schema.
    """
    found: Schema = _row(schema, given, place)
    return found


def _row(schema: type[Any], given: object, place: str) -> Any:  # noqa: ANN401 - a schema's own
    if not isinstance(given, dict):
        raise TableError(f"{place} is no table")
    types, needed = _fields(schema)  # type: ignore[arg-type]  # a class is hashable
    if unknown := given.keys() - types.keys():
        raise TableError(f"{_at(place, min(unknown))} is no field of {schema.__name__}")
    if missing := needed - given.keys():
        raise TableError(f"{_at(place, min(missing))} is missing")
    return schema(
        **{name: _value(types[name], one, _at(place, name)) for name, one in given.items()}
    )


@cache
def _fields(schema: type[Any]) -> tuple[Mapping[str, Any], frozenset[str]]:
    """The types of a schema's fields by name, and the names of the fields that a row must have."""
    hints = get_type_hints(schema)
    known = fields(schema)
    needed = {field.name for field in known if field.default is field.default_factory is MISSING}
    return {field.name: hints[field.name] for field in known}, frozenset(needed)


def _value(kind: Any, given: Any, place: str) -> Any:  # noqa: ANN401 - as the schema and TOML say
    if type(given) is kind and kind in (str, int, float, bool, date):
        return given
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (Union, UnionType):
        (kind,) = (choice for choice in inner if choice is not NoneType)
        return _value(kind, given, place)
    if origin is tuple and isinstance(given, str) and inner[0] is str:
        return tuple(line for text in given.splitlines() if (line := text.strip()))
    if origin is tuple and isinstance(given, list):
        return tuple(_value(inner[0], one, f"{place}[{n}]") for n, one in enumerate(given))
    if origin is collections.abc.Mapping and isinstance(given, dict):
        return {
            _value(inner[0], key, _at(place, key)): _value(inner[1], one, _at(place, key))
            for key, one in given.items()
        }
    if kind is float and type(given) is int:
        return float(given)
    if kind is int and isinstance(given, str) and given.isdecimal():  # a key is always a text
        return int(given)
    if is_dataclass(kind) and isinstance(kind, type):
        return _row(kind, given, place)
    if isinstance(kind, type) and issubclass(kind, StrEnum) and given in set(kind):
        return kind(given)
    raise TableError(f"{place} is no {getattr(kind, '__name__', kind)}")


def _at(place: str, name: str) -> str:
    return f"{place}{name}" if place.endswith(": ") else f"{place}.{name}"
