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
    add: Mapping[str, int] | Mapping[str, int | frozenset[str]],
    keep: Mapping[str, Any],
    remove: Sequence[str],
    discard: Mapping[str, frozenset[str]],
    values: Mapping[str, object],
) -> Item:
    """The arguments of an update; attributes go by the names that their users know.

    Args:
        key: the item's key.
        set_: attributes that take a value.
        condition: a condition expression over ``#attribute`` and ``:value`` names.
        add: numbers to add to, members to add to a set.
        keep: attributes that take a value only where they have none.
        remove: attributes to take away.
        discard: members to take out of a set.
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
    """The arguments of a condition, and of other names and values beside it."""
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
    """The PartiQL statement that inserts an item, given as DynamoDB takes it."""
    names = ",".join(f"'{name}':?" for name in item)
    return {
        "Statement": f'INSERT INTO "{table}" VALUE {{{names}}}',
        "Parameters": list(item.values()),
    }


def replacement(table: str, changes: Mapping[str, Any], where: Mapping[str, Any]) -> Item:
    """The PartiQL statement that gives a row new values, given as DynamoDB takes them.

    Several assignments are parted by commas: the reference names only repeated ``SET``, DynamoDB
    Local takes both.

    Args:
        table: its name.
        changes: attributes and their new values.
        where: attributes that must have these very values, the key's among them.
    """
    assigned = ",".join(f'"{name}"=?' for name in changes)
    met = " AND ".join(f'"{name}"=?' for name in where)
    return {
        # Names are the code's own; every value is a parameter.
        "Statement": f'UPDATE "{table}" SET {assigned} WHERE {met}',  # noqa: S608
        "Parameters": [*changes.values(), *where.values()],
    }


@cache
def _names_in(expression: str) -> Mapping[str, str]:
    """The ``#attribute`` names of an expression; there are a dozen expressions in all."""
    words = "".join(c if c.isalnum() or c in "#:_" else " " for c in expression).split()
    return {f"#{word[1:]}": word[1:] for word in words if word.startswith("#")}


def _present(values: Mapping[str, Any]) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in values.items() if value is not None]
