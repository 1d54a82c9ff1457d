"""Richpanel's responses as models; any field may be missing or of another type than expected.

The fields are those seen in production tickets; a customer's profile is absent in one of ten.
Times are ISO-8601 with milliseconds and ``Z``; bodies are HTML, usually with a plain-text copy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Annotated

from pydantic import BaseModel, BeforeValidator, Field

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.support.tickets import TEAM, Comment, Ticket
from chalicelib.vendors.html_text import plain_text
from chalicelib.vendors.lenient import LENIENT, as_object, as_objects

UNASSIGNED = "unassigned"
"""The assignee's id of a ticket without an assignee."""


def _as_text(value: object) -> str | None:
    if isinstance(value, int | float) and not isinstance(value, bool):
        return str(value)
    return value.strip() or None if isinstance(value, str) else None


def _as_long_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _as_time(value: object) -> datetime | None:
    return parsed(value.strip()) if isinstance(value, str) else None


def _as_number(value: object) -> int | None:
    text = _as_text(value)
    return int(text) if text and _NUMBER.fullmatch(text) else None


def _as_flag(value: object) -> bool | None:
    if isinstance(value, str):
        return {"true": True, "false": False}.get(value.strip().lower())
    return value if isinstance(value, bool) else None


def _as_tags(value: object) -> list[str] | None:
    """The tags in a response as names, or ids where there is no name; None if the value is no list."""
    if not isinstance(value, list):
        return None
    flat = [
        item.get("name") or item.get("id") if isinstance(item, dict) else item for item in value
    ]
    return [text for text in map(_as_text, flat) if text]


def _as_headers(value: object) -> dict[str, str]:
    """An e-mail's headers in a response, given as an object or as a list of name-value pairs."""
    pairs: list[tuple[object, object]] = []
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list):
        pairs = [
            (header.get("name"), header.get("value"))
            for header in value
            if isinstance(header, dict)
        ]
    return {str(name): text for name, raw in pairs if name and (text := _as_text(raw))}


_Text = Annotated[str | None, BeforeValidator(_as_text)]
_LongText = Annotated[str, BeforeValidator(_as_long_text)]
_Time = Annotated[datetime | None, BeforeValidator(_as_time)]
_Number = Annotated[int | None, BeforeValidator(_as_number)]
_Flag = Annotated[bool | None, BeforeValidator(_as_flag)]
_Headers = Annotated[dict[str, str], BeforeValidator(_as_headers)]
_Tags = Annotated[list[str] | None, BeforeValidator(_as_tags)]


class _Answer(BaseModel):
    model_config = LENIENT


class _Party(_Answer):
    address: _Text = None


class _Source(_Answer):
    sender: Annotated[_Party, BeforeValidator(as_object)] = Field(
        default=_Party(), validation_alias="from"
    )


class _Via(_Answer):
    channel: _Text = None
    source: Annotated[_Source, BeforeValidator(as_object)] = _Source()
    headers: _Headers = Field(default={}, repr=False)

    @property
    def sender(self) -> str | None:
        return self.source.sender.address


class CommentAnswer(_Answer):
    """A comment of a ticket in a response of Richpanel."""

    id: _Text = None
    body: _LongText = Field(default="", repr=False)
    plain_body: _LongText = Field(default="", repr=False)
    author_id: _Text = None
    is_operator: _Flag = None
    is_operator_camel: _Flag = Field(default=None, validation_alias="isOperator")
    sender_type: _Text = None
    public: _Flag = None
    via: Annotated[_Via, BeforeValidator(as_object)] = _Via()
    created_at: _Time = None
    headers: _Headers = Field(default={}, repr=False)

    @property
    def text(self) -> str:
        """The comment's plain-text copy; without one, the text of its HTML body."""
        return self.plain_body.strip() or plain_text(self.body)

    @property
    def speaks_for_us(self) -> bool:
        """Whether an operator wrote the comment.

        A comment that does not say who wrote it counts as the customer's.
        """
        if self.is_operator is None and self.is_operator_camel is None:
            return (self.sender_type or "").lower() == "operator"
        return bool(self.is_operator or self.is_operator_camel)


class _Profile(_Answer):
    email: _Text = None
    name: _Text = None
    first_name: _Text = Field(default=None, validation_alias="firstName")
    last_name: _Text = Field(default=None, validation_alias="lastName")

    @property
    def full_name(self) -> str | None:
        parts = [part for part in (self.first_name, self.last_name) if part]
        return self.name or " ".join(parts) or None


class TicketAnswer(_Answer):
    """A ticket in a response of Richpanel, which has one ticket or a list of them."""

    id: _Text = None
    conversation_no: _Number = None
    status: _Text = None
    state: _Text = None
    subject: _LongText = Field(default="", repr=False)
    tags: _Tags = None
    assignee_id: _Text = None
    team_id: _Text = None
    url: _Text = Field(default=None, repr=False)
    customer_profile: Annotated[_Profile, BeforeValidator(as_object)] = _Profile()
    via: Annotated[_Via, BeforeValidator(as_object)] = _Via()
    comments: Annotated[list[CommentAnswer], BeforeValidator(as_objects)] = []
    created_at: _Time = None
    updated_at: _Time = None

    @property
    def assigned_to(self) -> frozenset[str]:
        """The ids of the user and the team to whom the ticket is assigned, the team's after ``team:``."""
        team = f"{TEAM}{self.team_id}" if self.team_id else None
        return frozenset(
            assignee for assignee in (self.assignee_id, team) if assignee and assignee != UNASSIGNED
        )


class TicketEnvelope(_Answer):
    """Richpanel's response to `GET /v1/tickets/{id}`."""

    ticket: TicketAnswer


class ListPage(_Answer):
    """A page of any list in a response of Richpanel; `next_page` is the next page's address or number."""

    next_page: _Text = None


class TicketListPage(ListPage):
    """A page of Richpanel's list of tickets.

    The list's key is `ticket` in practice, and `tickets` in the documentation.
    """

    ticket: Annotated[list[TicketAnswer], BeforeValidator(as_objects)] = []
    tickets: Annotated[list[TicketAnswer], BeforeValidator(as_objects)] = []

    @property
    def all(self) -> Sequence[TicketAnswer]:
        """The page's tickets, from whichever key the response uses."""
        return [*self.ticket, *self.tickets]


class _Tag(_Answer):
    id: _Text = None
    name: _Text = None


class TagPage(ListPage):
    """A page of Richpanel's response to `GET /v1/tags`."""

    tag: Annotated[list[_Tag], BeforeValidator(as_objects)] = []
    tags: Annotated[list[_Tag], BeforeValidator(as_objects)] = []

    @property
    def all(self) -> Sequence[_Tag]:
        """The page's tags, from whichever key the response uses."""
        return [*self.tag, *self.tags]


class _Named(_Answer):
    id: _Text = None
    name: _Text = None


class UserPage(ListPage):
    """A page of Richpanel's response to `GET /v1/users`."""

    user: Annotated[list[_Named], BeforeValidator(as_objects)] = []
    users: Annotated[list[_Named], BeforeValidator(as_objects)] = []

    @property
    def all(self) -> Sequence[_Named]:
        """The page's users, from whichever key the response uses."""
        return [*self.user, *self.users]


class TeamPage(ListPage):
    """A page of Richpanel's response to `GET /v1/teams`."""

    team: Annotated[list[_Named], BeforeValidator(as_objects)] = []
    teams: Annotated[list[_Named], BeforeValidator(as_objects)] = []

    @property
    def all(self) -> Sequence[_Named]:
        """The page's teams, from whichever key the response uses."""
        return [*self.team, *self.teams]


def as_ticket(raw: TicketAnswer, tags: frozenset[str]) -> Ticket:
    """The `Ticket` that a response of Richpanel describes, with the given tags."""
    return Ticket(
        id=raw.id or "",
        status=raw.status or raw.state or "",
        tags=tags,
        comments=_comments(raw),
        number=raw.conversation_no,
        channel=raw.via.channel,
        subject=raw.subject,
        customer_email=_customer_email(raw),
        customer_name=raw.customer_profile.full_name,
        created_at=raw.created_at,
        updated_at=raw.updated_at,
        assigned_to=raw.assigned_to,
        url=raw.url,
    )


def _comments(raw: TicketAnswer) -> tuple[Comment, ...]:
    """The comments of a ticket, oldest first if every comment has a time, else in Richpanel's order."""
    comments = [
        Comment(
            id=comment.id or _derived_id(comment),
            is_operator=comment.speaks_for_us,
            text=comment.text,
            created_at=comment.created_at,
            author_id=comment.author_id,
            sender=comment.via.sender,
            headers=comment.headers or comment.via.headers,
            is_public=comment.public is not False,
        )
        for comment in raw.comments
    ]
    dated = [
        (comment.created_at, comment) for comment in comments if comment.created_at is not None
    ]
    if len(dated) == len(comments):
        comments = [comment for _, comment in sorted(dated, key=lambda pair: pair[0])]
    return tuple(comments)


def _derived_id(raw: CommentAnswer) -> str:
    """An id for a comment without one, made from author, time and text, so that different comments differ."""
    at = raw.created_at.isoformat() if raw.created_at else ""
    return "h-" + keys.digest(raw.author_id or "", at, keys.normalised(raw.text))[:32]


def _customer_email(raw: TicketAnswer) -> str | None:
    theirs = [comment for comment in raw.comments if not comment.speaks_for_us]
    theirs.sort(key=lambda comment: comment.created_at or _LAST)
    senders = [raw.via.sender, *(comment.via.sender for comment in theirs[:1])]
    return next((email for email in (raw.customer_profile.email, *senders) if email), None)


_NUMBER = re.compile(r"[0-9]{1,15}")
_LAST = datetime.max.replace(tzinfo=UTC)
