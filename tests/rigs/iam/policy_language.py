"""One policy statement against one request, as the IAM User Guide defines the policy elements.

An operator that is not known here raises, so that no condition is silently ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache
from typing import Any

Context = Mapping[str, tuple[str, ...]]
"""Condition keys of a request, in lower case, with their values."""
Document = Mapping[str, Any]

_VARIABLE = re.compile(r"\$\{([^}]*)\}")
_LITERAL = {"*": "\0star\0", "?": "\0mark\0", "$": "$"}
"""``${*}`` is a star itself, not a wildcard."""
_KNOWN = {
    "Sid",
    "Effect",
    "Principal",
    "Action",
    "NotAction",
    "Resource",
    "NotResource",
    "Condition",
}


def statements(document: Document) -> list[Mapping[str, Any]]:
    """The statements of a policy.

    Raises:
        ValueError: it is of the old version, which knows no variables, or has an unknown element.
    """
    if document.get("Version") != "2012-10-17":
        raise ValueError("a policy names the version 2012-10-17")
    found = listed(document["Statement"])
    for statement in found:
        if statement.keys() - _KNOWN or statement["Effect"] not in ("Allow", "Deny"):
            raise ValueError(f"the statement {statement.get('Sid')} is not understood")
    return found


def applies(statement: Mapping[str, Any], action: str, resource: str, context: Context) -> bool:
    """Whether a statement is about a request; its effect and its principal are not looked at."""
    return (
        _names(statement, "Action", action.lower(), str.lower)
        and _names(statement, "Resource", resource, lambda text: _filled(text, context))
        and all(
            _holds(operator, key.lower(), listed(values), context)
            for operator, keys in statement.get("Condition", {}).items()
            for key, values in keys.items()
        )
    )


def listed(value: Any) -> list[Any]:
    """A value that a policy may write alone or as a list."""
    return list(value) if isinstance(value, list | tuple) else [value]


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern with ``*`` and ``?`` covers a whole text."""
    return _compiled(pattern).fullmatch(text) is not None


def _names(
    statement: Mapping[str, Any], element: str, value: str, written: Callable[[str], str | None]
) -> bool:
    """Whether ``Action`` or ``Resource`` covers a value, or its ``Not`` form does not.

    A resource policy of a topic or a queue may leave the resource out: it is the one it is set on.
    """
    is_negated = f"Not{element}" in statement
    if not is_negated and element not in statement:
        return True
    patterns = map(written, listed(statement[f"Not{element}" if is_negated else element]))
    return is_negated != any(
        pattern is not None and matches(value, pattern) for pattern in patterns
    )


def _holds(operator: str, key: str, wanted: list[Any], context: Context) -> bool:
    quantifier, _, name = operator.rpartition(":")
    is_optional = name.endswith("IfExists")
    name = name.removesuffix("IfExists")
    found = context.get(key, ())
    if name == "Null":
        return all(str(value).lower() == str(not found).lower() for value in wanted)
    is_negated = name.startswith(("StringNot", "ArnNot", "NumericNot"))
    compare = _OPERATORS.get(name.replace("Not", "", 1))
    if compare is None:
        raise ValueError(f"the condition operator {operator} is not known here")
    if not found:
        return quantifier == "ForAllValues" or (
            quantifier != "ForAnyValue" and (is_optional or is_negated)
        )
    patterns = [
        pattern
        for pattern in (_filled(str(pattern), context) for pattern in wanted)
        if pattern is not None
    ]
    if not patterns:  # a variable without a value: the statement is not about this request
        return False
    held_by = [any(compare(value, pattern) for pattern in patterns) for value in found]
    match quantifier:
        case "ForAllValues":
            return all(is_held != is_negated for is_held in held_by)
        case "ForAnyValue":
            return any(is_held != is_negated for is_held in held_by)
    return any(held_by) != is_negated


def _filled(text: str, context: Context) -> str | None:
    """A text with its variables filled in; None where one has no value: then it matches nothing."""
    missing = False

    def value(match: re.Match[str]) -> str:
        nonlocal missing
        key, comma, default = match[1].partition(",")
        if key in _LITERAL:
            return _LITERAL[key]
        found = context.get(key.strip().lower(), ())
        if len(found) == 1:
            return found[0].replace("*", _LITERAL["*"]).replace("?", _LITERAL["?"])
        missing = missing or not comma
        return default.strip().strip("'")

    filled = _VARIABLE.sub(value, text)
    return None if missing else filled


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    text = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
    for literal, mark in _LITERAL.items():
        text = text.replace(re.escape(mark), re.escape(literal))
    return re.compile(text, re.DOTALL)


def _plain(pattern: str) -> str:
    """A pattern of an operator without wildcards."""
    return pattern.replace(_LITERAL["*"], "*").replace(_LITERAL["?"], "?")


def _arns(value: str, pattern: str) -> bool:
    """ARNs are compared part by part: a wildcard does not reach over a colon of the first five."""
    parts, patterns = value.split(":", 5), pattern.split(":", 5)
    return len(parts) == len(patterns) and all(map(matches, parts, patterns))


_OPERATORS: Mapping[str, Callable[[str, str], bool]] = {
    "StringEquals": lambda value, pattern: value == _plain(pattern),
    "StringEqualsIgnoreCase": lambda value, pattern: value.lower() == _plain(pattern).lower(),
    "StringLike": matches,
    "ArnEquals": _arns,
    "ArnLike": _arns,
    "Bool": lambda value, pattern: value.lower() == pattern.lower(),
    "NumericEquals": lambda value, pattern: float(value) == float(pattern),
    "NumericLessThan": lambda value, pattern: float(value) < float(pattern),
    "NumericLessThanEquals": lambda value, pattern: float(value) <= float(pattern),
    "NumericGreaterThan": lambda value, pattern: float(value) > float(pattern),
    "NumericGreaterThanEquals": lambda value, pattern: float(value) >= float(pattern),
}


def condition_keys(statement: Mapping[str, Any]) -> Iterable[str]:
    """The condition keys that a statement asks for."""
    for keys in statement.get("Condition", {}).values():
        yield from keys
