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
    """The event key of one delivery of Aloware about a call or text message."""
    return joined("evt", "aloware", communication_id, name, payload_hash[:32])


def hubspot_batch(content_hash: str) -> str:
    """The event key of a batch of HubSpot's events; a redelivery of the same events gives the same key."""
    return joined("evt", "hubspot", content_hash)


def rows_action(target: str, table: str, number: int) -> str:
    """The action key for posting one numbered batch of rows to one table of one sink."""
    return joined("act", "rows", target, table, str(number))


def fact(source: str, *parts: str | None) -> str:
    """The key of a fact: its source and the ids that the source gave the event; absent ids are left out."""
    return joined(source, *(part for part in parts if part))
