"""DynamoDB's update and condition expressions and its PartiQL statements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from chalicelib.aws.typed_values import to_wire
from chalicelib.once.store import Item


def update(
    key: Mapping[str, Any],
    set_: Mapping[str, Any],
    condition: str,
    add: Mapping[str, float] | Mapping[str, float | frozenset[str]],
    keep: Mapping[str, Any],
    remove: Sequence[str],
    discard: Mapping[str, frozenset[str]],
    values: Mapping[str, object],
) -> Item:
    """The arguments of an `UpdateItem` request, with attributes under their plain names.

    An attribute of `set_` or `keep` whose value is None is left out.

    Args:
        key: the item's key.
        set_: attributes and their new values.
        condition: a condition expression over ``#attribute`` and ``:value`` names.
        add: numbers to add to attributes, members to add to sets.
        keep: attributes and values to set only where they have none.
        remove: attributes to delete.
        discard: members to remove from sets.
        values: the condition's values.
    """
    names: dict[str, str] = {}
    wire: dict[str, Any] = {}
    assignments = []
    for name, value in _present(set_):
        names[f"#{name}"], wire[f":s_{name}"] = name, value
        assignments.append(f"#{name}=:s_{name}")
    for name, value in _present(keep):
        names[f"#{name}"], wire[f":k_{name}"] = name, value
        assignments.append(f"#{name}=if_not_exists(#{name},:k_{name})")
    expression = "SET " + ",".join(assignments) if assignments else ""
    if add:
        names |= {f"#{name}": name for name in add}
        wire |= {f":a_{name}": value for name, value in add.items()}
        expression += " ADD " + ",".join(f"#{name} :a_{name}" for name in add)
    if remove:
        names |= {f"#{name}": name for name in remove}
        expression += " REMOVE " + ",".join(f"#{name}" for name in remove)
    if discard:
        names |= {f"#{name}": name for name in discard}
        wire |= {f":d_{name}": value for name, value in discard.items()}
        expression += " DELETE " + ",".join(f"#{name} :d_{name}" for name in discard)
    extra = conditional(condition, {**wire, **{f":{k}": v for k, v in values.items()}}, names)
    return {"Key": to_wire(key), "UpdateExpression": expression.strip(), **extra}


def conditional(
    condition: str, values: Mapping[str, Any], names: Mapping[str, str] | None = None
) -> Item:
    """The arguments that give a request its condition, its attribute names and its typed values.

    Without a condition, only the given names and values.
    """
    found: Item = {}
    used = dict(names or {})
    if condition:
        used |= _names_in(condition)
        found = {
            "ConditionExpression": condition,
            "ReturnValuesOnConditionCheckFailure": "ALL_OLD",
        }
    if used:
        found["ExpressionAttributeNames"] = used
    if values:
        wire = {k if k.startswith(":") else f":{k}": v for k, v in values.items()}
        found["ExpressionAttributeValues"] = to_wire(wire)
    return found


def insertion(table: str, item: Mapping[str, Any]) -> Item:
    """The PartiQL statement that inserts an item of typed values."""
    names = ",".join(f"'{name}':?" for name in item)
    return {
        "Statement": f'INSERT INTO "{table}" VALUE {{{names}}}',
        "Parameters": list(item.values()),
    }


def replacement(table: str, changes: Mapping[str, Any], where: Mapping[str, Any]) -> Item:
    """The PartiQL statement that updates a row with typed values.

    Assignments are separated by commas: the reference shows only repeated ``SET``, DynamoDB Local
    accepts both.

    Args:
        table: the table's name.
        changes: attributes and their new values.
        where: attributes that must have exactly these values, the key included.
    """
    assigned = ",".join(f'"{name}"=?' for name in changes)
    met = " AND ".join(f'"{name}"=?' for name in where)
    return {
        # The code chooses every name; every value is a parameter.
        "Statement": f'UPDATE "{table}" SET {assigned} WHERE {met}',  # noqa: S608 - of our names
        "Parameters": [*changes.values(), *where.values()],
    }


@cache
def _names_in(expression: str) -> Mapping[str, str]:
    """The ``#attribute`` names in an expression, each with its attribute.

    Cached, as there are only a dozen expressions.
    """
    words = "".join(c if c.isalnum() or c in "#:_" else " " for c in expression).split()
    return {f"#{word[1:]}": word[1:] for word in words if word.startswith("#")}


def _present(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in values.items() if value is not None]
