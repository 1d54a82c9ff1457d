"""Fact, event and action keys; their formats are fixed.

::

    ALOWARE:{communication id}                         a fact; at most one per call
    HUBSPOT:{object type}:{object id}:{subscription type}[:{occurredAt ms}][:{property}]
    evt:aloware:{communication id}:{event}:{32 hex digits of the body's sha256}
    evt:hubspot:{sha256 of the events}
    act:rows:{target}:{table}:{number}                 one numbered POST of rows
"""

from __future__ import annotations

from chalicelib.once.keys import joined


def aloware_delivery(communication_id: str, name: str, payload_hash: str) -> str:
    """Event key of one delivery about a communication."""
    return joined("evt", "aloware", communication_id, name, payload_hash[:32])


def hubspot_batch(content_hash: str) -> str:
    """Event key of a batch; the same events have the same key in every redelivery."""
    return joined("evt", "hubspot", content_hash)


def rows_action(target: str, table: str, number: int) -> str:
    """Action key of one numbered batch of rows for one table of one dataset."""
    return joined("act", "rows", target, table, str(number))


def fact(source: str, *parts: str | None) -> str:
    """Key of a fact: its source and the event's identifiers at that source, without absent parts."""
    return joined(source, *(part for part in parts if part))
