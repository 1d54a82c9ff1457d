"""DynamoDB condition expressions over plain values, compiled once each.

Only what the product uses: comparisons of an attribute or of its ``size`` with a value,
``attribute_exists`` and ``attribute_not_exists``, ``begins_with``, ``contains``, ``BETWEEN``,
``AND``, ``OR``, ``NOT`` and parentheses.  As on DynamoDB, a comparison with a missing attribute, or
with one of another type, is false, except ``<>``, which is true.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

Condition = Callable[[Mapping[str, Any], Mapping[str, Any]], bool]
"""Takes the row (empty when there is none) and the values; returns whether the write may happen."""

_TOKEN = re.compile(
    r"\s*(?:(?P<function>attribute_exists|attribute_not_exists)\s*\(\s*#(?P<argument>\w+)\s*\)"
    r"|begins_with\s*\(\s*#(?P<start>\w+)\s*,\s*:(?P<prefix>\w+)\s*\)"
    r"|contains\s*\(\s*#(?P<whole>\w+)\s*,\s*:(?P<part>\w+)\s*\)"
    r"|size\s*\(\s*#(?P<sized>\w+)\s*\)\s*<\s*:(?P<most>\w+)"
    r"|#(?P<between>\w+)\s+BETWEEN\s+:(?P<low>\w+)\s+AND\s+:(?P<high>\w+)"
    r"|#(?P<left>\w+)\s*(?P<operator><>|<=|>=|=|<|>)\s*:(?P<right>\w+)"
    r"|(?P<word>AND|OR|NOT)\b|(?P<bracket>[()]))"
)


class ExpressionError(Exception):
    """The expression uses syntax that is not supported here, though DynamoDB may know it."""


@cache
def condition(expression: str) -> Condition:
    """The compiled condition; an empty one is always true."""
    if not expression:
        return lambda row, values: True
    parts, position = [], 0
    while position < len(expression.rstrip()):
        found = _TOKEN.match(expression, position)
        if found is None:
            raise ExpressionError(f"not understood at {position}: {expression}")
        parts.append(_python(found))
        position = found.end()
    names = {
        "_equal": _equal,
        "_less": _less,
        "_starts": _starts,
        "_size": _size,
        "_contains": _contains,
    }
    compiled: Condition = eval(f"lambda r, v: ({' '.join(parts)})", names)  # noqa: S307 - made of our own tokens
    return compiled


@cache
def values_in(expression: str) -> frozenset[str]:
    """The names of the values that an expression uses; DynamoDB wants these and no others."""
    return frozenset(re.findall(r":(\w+)", expression))


def _python(found: re.Match[str]) -> str:
    if found["function"]:
        return f"({found['argument']!r} {'in' if found['function'] == 'attribute_exists' else 'not in'} r)"
    if found["start"]:
        return f"_starts(r.get({found['start']!r}), v[{found['prefix']!r}])"
    if found["whole"]:
        return f"_contains(r.get({found['whole']!r}), v[{found['part']!r}])"
    if found["sized"]:
        return f"_size(r.get({found['sized']!r}), v[{found['most']!r}])"
    if found["between"]:
        value, low, high = (f"{found[n]!r}" for n in ("between", "low", "high"))
        return f"(not _less(r.get({value}), v[{low}]) and not _less(v[{high}], r.get({value})))"
    if found["operator"]:
        left, right = f"r.get({found['left']!r})", f"v[{found['right']!r}]"
        return _COMPARISONS[found["operator"]].format(left=left, right=right)
    return found["word"].lower() if found["word"] else found["bracket"]


@cache
def key_condition(
    expression: str, hash_key: str, names: tuple[tuple[str, str], ...] = ()
) -> tuple[Condition, str]:
    """The compiled condition of a query, and the name of the value that its hash key must have.

    Names may be written without a leading ``#``.
    """
    for short, name in names:
        expression = expression.replace(short, f"#{name}")
    signed = _BARE.sub(r"#\1", expression)
    found = re.search(rf"#{hash_key}\s*=\s*:(\w+)", signed)
    if found is None:
        raise ExpressionError(f"the hash key is compared with nothing: {expression}")
    return condition(signed), found[1]


_BARE = re.compile(
    r"(?<![#:\w])(?!AND\b|BETWEEN\b|begins_with\b)([a-z]\w*)(?=\s*(?:=|<|>|,|BETWEEN))"
)
_COMPARISONS = {
    "=": "_equal({left}, {right})",
    "<>": "(not _equal({left}, {right}))",
    "<": "_less({left}, {right})",
    ">": "_less({right}, {left})",
    "<=": "(_less({left}, {right}) or _equal({left}, {right}))",
    ">=": "(_less({right}, {left}) or _equal({left}, {right}))",
}


def _equal(left: object, right: object) -> bool:
    if left is None or right is None:
        return False
    return left == right and (left.__class__ is bool) == (right.__class__ is bool)


def _less(left: Any, right: Any) -> bool:
    if left.__class__ is str or right.__class__ is str:
        return left.__class__ is right.__class__ and left < right
    numbers = (int, float)
    return left.__class__ in numbers and right.__class__ in numbers and left < right


def _starts(value: Any, prefix: str) -> bool:
    return value.__class__ is str and bool(value.startswith(prefix))


def _contains(value: Any, part: Any) -> bool:
    return value.__class__ in (str, set, list) and part in value


def _size(value: Any, most: int) -> bool:
    return value is not None and len(value) < most
