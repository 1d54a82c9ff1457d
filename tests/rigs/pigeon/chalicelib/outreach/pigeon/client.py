"""The dovecote's one call: send a pigeon with a note."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

from chalicelib.errors import PermanentError
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import Record
from chalicelib.vendors.http import Call, VendorClient

PROVIDER = "pigeon"


@dataclass(frozen=True, slots=True)
class Flight:
    """One message.

    Attributes:
        mark: ``{opaque id}.{entry id}``, which every report of it repeats.
    """

    to: str = field(repr=False)
    sender: str = field(repr=False)
    note: str = field(repr=False)
    mark: str


@dataclass(frozen=True, slots=True)
class Dovecote:
    """Calls by the name of a company's secret."""

    secret: Callable[[str], str]
    client: Callable[[str], VendorClient]

    def key_of(self, record: Record) -> str:
        """The company's key; raises `PermanentError` where its secret holds none."""
        try:
            return str(json.loads(self.secret(_secret_id(record)))["key"])
        except (ValueError, KeyError, TypeError):
            reason = reasons.CREDENTIALS_MALFORMED
            raise PermanentError("secrets", "read", reason=reason) from None

    def send(
        self,
        record: Record,
        flight: Flight,
        *,
        deadline_seconds: float,
        guard: Callable[[], None] | None,
    ) -> str:
        """Send it; returns the dovecote's id."""
        call = Call(
            "send",
            "POST",
            "/flights",
            is_repeatable=False,
            body={
                "to": flight.to,
                "from": flight.sender,
                "note": flight.note,
                "mark": flight.mark,
                "key": self.key_of(record),
            },
            guard=guard,
        )
        client = self.client(_secret_id(record))
        return str(client.send(call, deadline_seconds=deadline_seconds)["id"])


def _secret_id(record: Record) -> str:
    return str(record.channel_config[str(record.channel.traits.credentials)])
