"""Fact, event and action keys; their formats are fixed.

::

    ALOWARE:{communication id}                         a fact; at most one per call
    HUBSPOT:{object type}:{object id}:{subscription type}[:{occurredAt ms}][:{property}]
    evt:aloware:{communication id}:{event}:{sha256 of the body}
    evt:hubspot:{sha256 of the events}
    act:rows:{target}:{table}:{number}                 one numbered POST of rows
"""

from __future__ import annotations

from chalicelib.once.keys import joined


def rows_action(target: str, table: str, number: int) -> str:
    """Action key of one numbered batch of rows for one table of one dataset."""
    return joined("act", "rows", target, table, str(number))


def fact(source: str, *parts: str | None) -> str:
    """Key of a fact: the source and the event's identifiers there; absent parts are left out."""
    return joined(source, *(part for part in parts if part))
