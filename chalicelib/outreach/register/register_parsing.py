"""Parses the body of a company's request to its do-not-contact register; pure.

Every error names a field, or a line's number and field, and never a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chalicelib.errors import PayloadError
from chalicelib.outreach.company_events.event_names import CHOOSABLE_EVENTS
from chalicelib.outreach.conversations.register_entries import BY_RECIPIENT
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.people import persons
from chalicelib.outreach.register.register_rows import (
    COLUMNS,
    ListedMark,
    address_in,
    names_address,
    read_row,
)

MOST_ENTRIES = 100
"""Entries of one import at most."""
LONGEST = 1000
"""Characters of a text at most."""
MOST_ID = 256
"""Characters of an id at most: a table's key has 1,024 bytes."""
IN_FORCE, WORDS = "in_force", "words"
"""Fields of an answer's mark that an import accepts and ignores."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RegisterAuthor:
    """Who changes a company's register by the API, and why.

    Attributes:
        by: the person, proven or as the company names them; empty where it names none.
        reason: the reason in the company's words.
    """

    by: str = ""
    reason: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class RefusedLine:
    """A line of an import that is refused, with the name of the field at fault."""

    field_name: str


@dataclass(frozen=True, slots=True)
class RegisterSpeaker:
    """The person who answers for what a request to the register says.

    Attributes:
        person: the proven person as stored text; empty where none is proven.
        takes_names: whether the request may name a person itself, which proves nothing.
    """

    person: str = ""
    takes_names: bool = True


def author_of(
    raw: Mapping[str, Any], own: Sequence[str], *, is_named: bool, speaker: RegisterSpeaker
) -> RegisterAuthor:
    """Read who changes the register, and why, from a request's body.

    Args:
        raw: the body.
        own: the request's fields beside ``by`` and ``reason``.
        is_named: whether a person and a reason are required.
        speaker: who sent the request.

    Raises:
        PayloadError: a field is wrong, missing or unknown.
    """
    if not speaker.takes_names:
        check_fields(raw, (*own, "reason"))
        return RegisterAuthor(by=speaker.person, reason=_text(raw, "reason", is_needed=is_named))
    check_fields(raw, (*own, "by", "reason"))
    given = raw.get("by")
    name = persons.stored_name(given)
    if (given is not None or is_named) and (name is None or name == BY_RECIPIENT):
        raise PayloadError("INVALID_BY", "field by names no person of the team")
    return RegisterAuthor(by=name or "", reason=_text(raw, "reason", is_needed=is_named))


def check_fields(raw: Mapping[str, Any], known: Sequence[str]) -> None:
    """Refuse a request's body with a field that is not among the known ones.

    Raises:
        PayloadError: ``UNKNOWN_FIELD``; it names the field.
    """
    for name in sorted(raw.keys() - set(known)):
        fields = ", ".join(known)
        raise PayloadError(
            "UNKNOWN_FIELD", f"field {shown_name(name)} is not known; known are: {fields}"
        )


def address_of(raw: Mapping[str, Any]) -> str:
    """The normalised address that a request to the register names.

    Raises:
        PayloadError: ``INVALID_ADDRESS``: it is missing, or neither a number nor an e-mail address.
    """
    given = raw.get("address")
    found = address_in(given.strip()) if isinstance(given, str) else None
    if found is None:
        raise PayloadError(
            "INVALID_ADDRESS",
            "field address is neither a number with country code nor an e-mail address",
        )
    return found


def lines_of(raw: Mapping[str, Any], company_id: str) -> list[ListedMark | RefusedLine]:
    """The lines of an import, from a request's body: each as a mark, or with the field at fault.

    Raises:
        PayloadError: ``INVALID_ENTRIES``: there are none, or too many.
    """
    given = raw.get("entries")
    if not isinstance(given, list) or not 1 <= len(given) <= MOST_ENTRIES:
        raise PayloadError(
            "INVALID_ENTRIES", f"field entries is not a list of 1-{MOST_ENTRIES} lines"
        )
    return [_line(line, company_id) for line in given]


def project_of(raw: Mapping[str, Any]) -> str:
    """The project's id, from a request that chooses its endpoint's events.

    Raises:
        PayloadError: ``MISSING_IDENTIFIERS``: it is missing, or cannot be a key of a table.
    """
    given = raw.get("project_id")
    if not isinstance(given, str) or not 1 <= len(given) <= MOST_ID or not _is_whole(given):
        raise PayloadError(
            "MISSING_IDENTIFIERS", f"field project_id is not a text of 1-{MOST_ID} characters"
        )
    return given


def choice_of(raw: Mapping[str, Any]) -> tuple[str, ...] | None:
    """The names of the events that an endpoint is to get, from a request's body; None for all.

    Raises:
        PayloadError: ``INVALID_EVENTS``: no list of known names.
    """
    given = raw.get("events")
    if given is None and "events" in raw:
        return None
    if not isinstance(given, list) or not all(isinstance(name, str) for name in given):
        raise PayloadError("INVALID_EVENTS", "field events is not a list of names, or null for all")
    if not set(given) <= CHOOSABLE_EVENTS:
        raise PayloadError(
            "INVALID_EVENTS",
            f"field events has a name that is not one of {', '.join(sorted(CHOOSABLE_EVENTS))}",
        )
    return tuple(sorted(set(given)))


def _line(given: Any, company_id: str) -> ListedMark | RefusedLine:  # noqa: ANN401 - any JSON value
    if not isinstance(given, Mapping):
        return RefusedLine("entries")
    row: dict[str, str] = {}
    for name, value in given.items():
        if name in (IN_FORCE, WORDS):
            continue
        text = _flat(value)
        if name not in COLUMNS or text is None:
            return RefusedLine(shown_name(name))
        if text:
            row[name] = text
    if not names_address(row):
        return RefusedLine("address" if row.get("address") or not row.get("member") else "member")
    try:
        return read_row(row, company_id)
    except ValueError as error:
        return RefusedLine(str(error))


def _flat(value: Any) -> str | None:  # noqa: ANN401 - any JSON value
    """A field of an import's line as text: a list's elements joined by blanks, empty for null.

    None where it is no printable text, or too long.
    """
    if value is None:
        return ""
    listed = value if isinstance(value, list) else [value]
    if not all(isinstance(name, str) and name.isprintable() for name in listed):
        return None
    text = " ".join(listed).strip()
    return text if len(text) <= LONGEST and _is_whole(text) else None


def _text(raw: Mapping[str, Any], name: str, *, is_needed: bool) -> str:
    value = raw.get(name)
    if value is None and not is_needed:
        return ""
    text = value.strip() if isinstance(value, str) else ""
    if not text or len(text) > LONGEST or not _is_whole(text):
        raise PayloadError(
            f"INVALID_{name.upper()}", f"field {name} is not a text of 1-{LONGEST:,} characters"
        )
    return text


def _is_whole(text: str) -> bool:
    """Whether the text has no half of a surrogate pair."""
    return text.encode("utf-8", "ignore").decode() == text
