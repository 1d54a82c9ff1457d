"""Parses the part of Structured Fields (RFC 9651) that signatures of requests need, strictly; pure.

A dictionary has members ``label=value``; the value is an inner list of texts with parameters, or
bytes::

    sig1=("@method" "@query-param";name="limit");created=1618884473;keyid="k-1"
    sig1=:K2qGT5srn2OGbOIDzQ6kYT+ruaycnDAAUpKv+ePFfD0=:

One pattern reads each member from left to right, so the work is linear in the length, which is
bounded.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping
from dataclasses import dataclass, field

LONGEST = 8192
"""Maximum number of characters of a header's value; the gateway accepts 10 KB for all headers."""
MOST_ITEMS = 64
"""Maximum number of items in a list, and of parameters of an item."""
_KEY = r"[a-z*][a-z0-9_.*-]*"
_TEXT = r'"(?:[\x20-\x21\x23-\x5b\x5d-\x7e]|\\["\\])*"'
_BYTES = re.compile(rf"({_KEY})=:([A-Za-z0-9+/]*={{0,2}}):")
_LABEL = re.compile(rf"({_KEY})=\(")
_ITEM = re.compile(rf" *({_TEXT})")
_PARAMETER = re.compile(rf"; *({_KEY})(?:=({_TEXT}|-?[0-9]{{1,15}}))?")
_ESCAPED = re.compile(r"\\(.)")

Value = str | int | bool
"""The value of a parameter: a text, a whole number, or True where it has none."""


@dataclass(frozen=True, slots=True)
class FieldItem:
    """An item of a list in a Structured Field (RFC 9651): a text with its parameters, in order."""

    text: str
    parameters: Mapping[str, Value] = field(default_factory=dict)

    def __str__(self) -> str:
        """The item as RFC 9651 serialises it."""
        return _quoted(self.text) + _written(self.parameters)


@dataclass(frozen=True, slots=True)
class InnerList:
    """The only member of a Structured Field, a list: its label, items and parameters."""

    label: str
    items: tuple[FieldItem, ...]
    parameters: Mapping[str, Value]

    def __str__(self) -> str:
        """The list as RFC 9651 serialises it, without the label."""
        return f"({' '.join(map(str, self.items))}){_written(self.parameters)}"


def inner_list(value: str) -> InnerList | None:
    """Parse a header that holds exactly one labelled list of RFC 9651.

    None for any other value, and for one that is too long or has too many items.
    """
    value = value.strip(" ")
    label = _LABEL.match(value) if len(value) <= LONGEST else None
    if label is None:
        return None
    at = label.end()
    items: list[FieldItem] = []
    while found := _ITEM.match(value, at):
        if (items and not found[0].startswith(" ")) or len(items) == MOST_ITEMS:
            return None
        parameters, at = _parameters(value, found.end())
        items.append(FieldItem(_unquoted(found[1]), parameters))
    at += len(value[at:]) - len(value[at:].lstrip(" "))
    if value[at : at + 1] != ")":
        return None
    parameters, at = _parameters(value, at + 1)
    return InnerList(label[1], tuple(items), parameters) if at == len(value) else None


def bytes_by_label(value: str) -> dict[str, bytes] | None:
    """Parse a header whose members are all bytes (RFC 9651), by label; None for anything else."""
    if len(value) > LONGEST:
        return None
    found: dict[str, bytes] = {}
    for member in value.split(","):
        pair = _BYTES.fullmatch(member.strip(" \t"))
        if pair is None or len(pair[2]) % 4 or pair[1] in found or len(found) == MOST_ITEMS:
            return None
        found[pair[1]] = base64.b64decode(pair[2])
    return found


def _parameters(value: str, at: int) -> tuple[dict[str, Value], int]:
    """Parse a header's parameters (``;name=value``) from a position on; also returns the position after them.

    Parsing stops before a name that occurs twice.
    """
    found: dict[str, Value] = {}
    while (
        (parameter := _PARAMETER.match(value, at))
        and len(found) < MOST_ITEMS
        and parameter[1] not in found
    ):
        name, given = parameter[1], parameter[2]
        text = given is not None and given.startswith('"')
        found[name] = True if given is None else _unquoted(given) if text else int(given)
        at = parameter.end()
    return found, at


def _unquoted(text: str) -> str:
    return _ESCAPED.sub(r"\1", text[1:-1])


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def _written(parameters: Mapping[str, Value]) -> str:
    return "".join(
        f";{name}" if value is True else f";{name}={_bare(value)}"
        for name, value in parameters.items()
    )


def _bare(value: Value) -> str:
    return _quoted(value) if isinstance(value, str) else str(int(value))
