"""Reads the conversations for `support decide` from JSON lines, one a line."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from chalicelib.support.orders.given_order import GivenOrder, GivenTime
from ops.session import EXIT_UNUSABLE, OpsError

_LONGEST_NAME = 60


class _Part(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, hide_input_in_errors=True)


class GivenTicket(_Part):
    """The ticket of a given conversation."""

    subject: str | None = Field(default=None, repr=False)
    channel: str | None = "email"
    tags: list[str] = []
    assignee: str | None = None


class GivenCustomer(_Part):
    """The customer; `open_risks` are grave matters on the customer's other tickets."""

    email: str | None = Field(default=None, repr=False)
    open_risks: list[str] = []


class GivenMessage(_Part):
    """One message of the conversation."""

    at: GivenTime
    by: Literal["customer", "agent", "machine"] = Field(alias="from")
    name: str | None = Field(default=None, repr=False)
    text: str = Field(repr=False)


class GivenConversation(_Part):
    """One line: a conversation whose newest message is to be decided.

    Attributes:
        orders: the shop's orders; None for an unreadable shop.
    """

    id: str
    now: GivenTime
    ticket: GivenTicket
    customer: GivenCustomer
    messages: list[GivenMessage]
    orders: list[GivenOrder] | None


def read(file: Path | None) -> Iterator[GivenConversation]:
    """Yield the conversations, validated.

    Args:
        file: None for standard input.

    Raises:
        OpsError: a line is not valid; names the line's number and the field, never the value.
    """
    try:
        whole = sys.stdin.read() if file is None else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError("the file cannot be read as UTF-8", code=EXIT_UNUSABLE) from None
    for number, line in enumerate(whole.split("\n"), 1):
        if line.strip():
            try:
                yield conversation(line)
            except OpsError as error:
                raise OpsError(f"line {number}: {error}", code=EXIT_UNUSABLE) from None


def conversation(line: str) -> GivenConversation:
    """Validate the conversation in a line.

    Raises:
        OpsError: the line is not valid; names the field, never the value.
    """
    try:
        return GivenConversation.model_validate_json(line)
    except (ValidationError, UnicodeEncodeError) as error:
        what = _wrong(error) if isinstance(error, ValidationError) else "it is no JSON"
    raise OpsError(what, code=EXIT_UNUSABLE)


def _wrong(error: ValidationError) -> str:
    """The first fault, with its place."""
    first = error.errors(include_input=False, include_url=False)[0]
    place = _place(first["loc"])
    match first["type"]:
        case "json_invalid":
            return "it is no JSON"
        case "missing":
            return f"field {place} is missing"
        case "extra_forbidden":
            return f"field {place} is not known"
    return f"field {place}" if place else "it is no object"


def _place(location: tuple[int | str, ...]) -> str:
    """A field's path, such as ``orders[0].fulfillments[1].created_at``."""
    place = ""
    for part in location:
        if isinstance(part, int):
            place += f"[{part}]"
        else:
            place += f".{part}" if place else part
    return place[:_LONGEST_NAME]
