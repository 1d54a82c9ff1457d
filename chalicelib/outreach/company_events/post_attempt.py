"""The record of one request to a company's endpoint, for the company's engineers."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import timedelta
from http import HTTPStatus

from chalicelib.once.store import Item
from chalicelib.outreach.company_events.event_names import CompanyEvent

KEPT = timedelta(days=7)
TEST = "endpoint.test"
"""The ``type`` of an event with which a person tests an endpoint."""


@dataclass(frozen=True, slots=True)
class PostAttempt:
    """One attempt to post an event to an endpoint; neither its body nor the answer's body is kept.

    Attributes:
        event: the ``webhook-id``, the same in every attempt at an event.
        type: as in the body.
        opaque_id: the conversation; empty for a test event.
        number: the event's place in the conversation, from 1; 0 for a test event.
        status: the answer's HTTP status; None where no answer came.
        reason: why no answer came; empty where one did.
        at: ISO time of the attempt; empty until stored.
    """

    event: str
    type: str
    opaque_id: str
    number: int
    status: int | None
    reason: str = ""
    at: str = ""

    @classmethod
    def of(
        cls, event: CompanyEvent, opaque_id: str, number: int, status: int | None, reason: str
    ) -> PostAttempt:
        """The record of one attempt to post an event of a conversation."""
        reason = "" if status else reason
        return cls(event.id, event.name.type, opaque_id, number, status, reason)

    @classmethod
    def read(cls, item: Item) -> PostAttempt:
        """The record of an attempt, from its stored row."""
        return cls(
            event=str(item["event"]),
            type=str(item["type"]),
            opaque_id=str(item.get("opaque_id", "")),
            number=int(item["number"]),
            status=int(item["status"]) if "status" in item else None,
            reason=str(item.get("reason", "")),
            at=str(item["at"]),
        )

    @property
    def is_accepted(self) -> bool:
        """Whether the endpoint accepted the event: any 2xx."""
        return (
            self.status is not None and HTTPStatus.OK <= self.status < HTTPStatus.MULTIPLE_CHOICES
        )

    @property
    def row(self) -> Item:
        """The attributes of the attempt's row; empty values are left out."""
        given = {
            "event": self.event,
            "type": self.type,
            "opaque_id": self.opaque_id,
            "status": self.status,
            "reason": self.reason,
        }
        kept = {name: value for name, value in given.items() if value}
        return {**kept, "number": self.number}
