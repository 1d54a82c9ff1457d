"""A descriptor for one setting of a project: its type, and its replacement where it cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, auto
from functools import cached_property
from typing import Any, Generic, Protocol, Self, TypeVar, overload

from pydantic import TypeAdapter, ValidationError

from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.project.fields import ALLOWS_LOOPBACK, STRICT

T = TypeVar("T")
_TAG = re.compile(r"[a-z-]*\[[a-z\[\]_-]+\]")
"""Pydantic's names for a key and for a type of a union: ``[key]``, ``list[constrained-str]``."""


def _shown(place: object) -> str:
    """One step of the path to a fault in a setting: a list index, a field's name, or a type of a union."""
    if isinstance(place, int) or (isinstance(place, str) and _TAG.fullmatch(place)):
        return str(place)
    return shown_name(place)


class Spares(Enum):
    """Which invalid pieces of a setting are dropped, so that the rest can be read."""

    NOTHING = auto()
    UNKNOWN = auto()
    """Fields that nothing reads are dropped."""
    EACH = auto()
    """Any field or element that is invalid is dropped."""


class HasParts(Protocol):
    """Port: a project, or another object, whose attributes are `Part`s."""

    def read(self, part: Part[T]) -> T:
        """The value of one setting."""
        ...


class Part(Generic[T]):
    """A descriptor of `project.Project` for one setting; the attribute's name is the setting's.

    Args:
        type_: returns the type that `company put` accepts, an annotation for pydantic.
        rule: what applies where a value cannot be read, as ``docs/outreach-settings.md`` says it.
        unreadable: returns the replacement for a value that cannot be read, or raises.
        absent: the value that is validated where a project does not have the setting.
        spares: which invalid pieces are dropped in lenient reading.
        is_required: whether `company put` refuses a project without it.
        is_copied: whether a conversation stores the value of its creation and keeps it.
    """

    name: str

    def __init__(
        self,
        type_: Callable[[], Any],
        rule: str,
        unreadable: Callable[[Any], T],
        *,
        absent: object = None,
        spares: Spares = Spares.NOTHING,
        is_required: bool = False,
        is_copied: bool = False,
    ) -> None:
        self._type = type_
        self.rule = rule
        self._unreadable = unreadable
        self._absent = absent
        self._spares = spares
        self.is_required = is_required
        self.is_copied = is_copied

    def __set_name__(self, owner: type, name: str) -> None:
        """Store the attribute's name as the setting's name."""
        self.name = name

    @overload
    def __get__(self, project: None, owner: type) -> Self: ...
    @overload
    def __get__(self, project: HasParts, owner: type) -> T: ...
    def __get__(self, project: HasParts | None, owner: type) -> Self | T:
        """The setting's value for a project; the `Part` itself for the class."""
        return self if project is None else project.read(self)

    @cached_property
    def _adapter(self) -> TypeAdapter[T]:
        return TypeAdapter(self._type())

    def value(self, raw: Any, *, allows_loopback: bool = False) -> T:  # noqa: ANN401 - any JSON value
        """The setting's value, validated leniently.

        Invalid pieces are dropped if the setting allows that; else `unreadable` gives a replacement for
        the whole, or raises.
        """
        given = self._absent if raw is None else raw
        while True:
            try:
                return self._adapter.validate_python(
                    given, context={ALLOWS_LOOPBACK: allows_loopback}
                )
            except ValidationError as error:
                left = self._without_invalid(given, error)
            if left is None:
                return self._unreadable(raw)
            given = left

    def faults(
        self, item: Mapping[str, Any], *, allows_loopback: bool = False
    ) -> Iterator[tuple[str, str]]:
        """Path and message of each fault of the setting in a project's item, validated strictly.

        The setting's value is never among them.
        """
        if self.name not in item:
            if self.is_required:
                yield self.name, "Field required"
            return
        context = {STRICT: True, ALLOWS_LOOPBACK: allows_loopback}
        try:
            self._adapter.validate_python(item[self.name], context=context)
        except ValidationError as error:
            found = error.errors(include_input=False, include_url=False)
        else:
            return
        for fault in found:
            place = ".".join((self.name, *map(_shown, fault["loc"])))
            yield place, fault["msg"].removeprefix("Value error, ")

    def _without_invalid(self, given: Any, error: ValidationError) -> Any:  # noqa: ANN401 - any JSON value
        """The setting's value without its invalid pieces; None where they may not be dropped."""
        if self._spares is Spares.NOTHING:
            return None
        wrong = {
            fault["loc"][0]
            for fault in error.errors(include_input=False, include_url=False)
            if fault["loc"] and (self._spares is Spares.EACH or fault["type"] == "extra_forbidden")
        }
        if not wrong:
            return None
        if isinstance(given, Mapping):
            left = {name: value for name, value in given.items() if name not in wrong}
            return left if len(left) < len(given) else None
        return [value for number, value in enumerate(given) if number not in wrong]
