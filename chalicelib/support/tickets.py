"""A ticket and its comments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

TEAM = "team:"
"""Prefix of a team's id in an assignment; an id without it is a user's."""


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment on a ticket, by the customer or an operator.

    Attributes:
        text: the comment as plain text; never stored, logged or raised.
        sender: the sender's address, if the vendor shows one.
        is_public: the customer sees the comment, unlike a note between operators.
        headers: an e-mail's headers, if the vendor shows them, which is rare.
    """

    id: str
    is_operator: bool
    text: str = field(repr=False)
    created_at: datetime | None
    author_id: str | None = None
    sender: str | None = field(default=None, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    is_public: bool = True


@dataclass(frozen=True, slots=True)
class Ticket:
    """A Richpanel ticket (conversation) with its comments, as the flows see it.

    Attributes:
        number: the number by which people name the ticket.
        assigned_to: the id of the user to whom the ticket is assigned, and ``team:`` with the id of
            the team.
        url: address of the ticket's page at Richpanel.
    """

    id: str
    status: str
    tags: frozenset[str]
    comments: tuple[Comment, ...]
    number: int | None = None
    channel: str | None = None
    subject: str = field(default="", repr=False)
    customer_email: str | None = field(default=None, repr=False)
    customer_name: str | None = field(default=None, repr=False)
    created_at: datetime | None = None
    updated_at: datetime | None = None
    assigned_to: frozenset[str] = frozenset()
    url: str | None = field(default=None, repr=False)

    @property
    def is_open(self) -> bool:
        """Whether the ticket is neither closed, resolved nor solved."""
        return self.status.strip().lower() not in {"closed", "resolved", "solved"}


@dataclass(frozen=True, slots=True)
class TicketPage:
    """One page of Richpanel's list of tickets.

    Attributes:
        tickets: the open and recent tickets of the page.
        is_last: no later page can hold another open and recent ticket.
        fingerprint: equal for two pages with the same tickets; two such pages in a row mean that
            the vendor ignores page numbers.
    """

    tickets: tuple[Ticket, ...]
    is_last: bool
    fingerprint: str
