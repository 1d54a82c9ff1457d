"""Removes the person from an example taken from a conversation: invented values replace the person's.

What `chalicelib.redaction` would mask is replaced, equal values by equal ones, so that the checks
judge the example as they judge the original.  Mail addresses become ``personN@example.com``, phone
numbers become 555 numbers, and other identifiers keep their shape with counted digits.  The first
name becomes ``Sam``.  Values that occur in the company's own settings stay.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from chalicelib.redaction import Kind, redact_explained, redact_mapping

FIRST_NAME = "Sam"
_SPARED = frozenset({"at", "now", "from", "source", "time_zone", "language"})
"""Fields of an example that hold no text."""


def without_person(example: Mapping[str, Any], own: str) -> dict[str, Any]:
    """The example with invented values in place of a person's.

    Args:
        example: a line of drafts.
        own: the company's settings as one text; values in it stay.
    """
    invented = _Invented(own)
    for text in _texts(example):
        invented.learn_text(text)
    for name, value in _named(example["project_data"]):
        invented.learn_value(name, value)
    name = ((example.get("recipient") or {}).get("first_name") or "").strip()
    shown: dict[str, Any] = _replaced(example, invented.replace)
    if not name:
        return shown
    said = _replaced(shown["conversation"], lambda text: _renamed(text, name.casefold(), name))
    rest = _replaced(shown, lambda text: _renamed(text, name))
    return {**rest, "conversation": said}


def _renamed(text: str, *names: str) -> str:
    """Replace a first name: as given, in title case and in capitals, so that ``will`` is not Will."""
    forms = {form for name in names for form in (name, name.title(), name.upper())}
    return re.sub("|".join(sorted(map(_whole, forms), reverse=True)), FIRST_NAME, text)


class _Invented:
    """A person's values, each with the invented value that replaces it."""

    def __init__(self, own: str) -> None:
        self._own = own
        self._by_value: dict[str, str] = {}
        self._numbers: dict[str, int] = {}

    def learn_text(self, text: str) -> None:
        for mask in redact_explained(text)[1]:
            self._learn(text[mask.start : mask.end], mask.kind)

    def learn_value(self, name: str, value: str) -> None:
        """Learn a value of `project_data` if its field's name shows that it is personal."""
        if value not in self._by_value and redact_mapping({name: value}) != {name: value}:
            self._learn(value, "")

    def replace(self, text: str) -> str:
        for value in sorted(self._by_value, key=len, reverse=True):
            text = re.sub(_whole(value), self._by_value[value], text)
        return text

    def _learn(self, value: str, kind: str) -> None:
        if not value.strip() or value in self._by_value or re.search(_whole(value), self._own):
            return
        letters = re.sub(r"[\W_]", "", value.casefold())
        number = self._numbers.setdefault(letters[-9:], len(self._numbers) + 1)
        if kind == Kind.EMAIL or "@" in value:
            self._by_value[value] = f"person{number}@example.com"
        elif kind == Kind.PHONE:
            self._by_value[value] = f"+1555010{number:04d}"
        else:
            self._by_value[value] = _of_its_shape(value, number)


def _whole(value: str) -> str:
    """A pattern that matches a value as a whole word."""
    return rf"(?<!\w){re.escape(value)}(?!\w)"


def _of_its_shape(value: str, number: int) -> str:
    """A value of the same shape: digits become 9 and a counter, letters x, the rest stays."""
    count = sum(character.isdigit() for character in value)
    digits = iter(f"9{number:0{max(count - 1, 0)}d}"[:count])
    return "".join(
        next(digits)
        if character.isdigit()
        else ("X" if character.isupper() else "x" if character.isalpha() else character)
        for character in value
    )


def _texts(value: Any) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    match value:
        case str():
            yield value
        case Mapping():
            for part in value.values():
                yield from _texts(part)
        case list() | tuple():
            for part in value:
                yield from _texts(part)


def _named(value: Any, name: str = "") -> Iterator[tuple[str, str]]:  # noqa: ANN401 - any JSON value
    """Yield each text and whole number of `project_data` with its field's name."""
    match value:
        case Mapping():
            for key, part in value.items():
                yield from _named(part, str(key))
        case list():
            for part in value:
                yield from _named(part, name)
        case bool():
            return
        case str() | int():
            yield name, str(value)


def _replaced(value: Any, change: Callable[[str], str]) -> Any:  # noqa: ANN401 - any JSON value
    match value:
        case str():
            return change(value)
        case bool():
            return value
        case int():
            changed = change(str(value))
            return int(changed) if changed.lstrip("-").isdigit() else value
        case Mapping():
            return {
                name: part if name in _SPARED else _replaced(part, change)
                for name, part in value.items()
            }
        case list():
            return [_replaced(part, change) for part in value]
        case _:
            return value
