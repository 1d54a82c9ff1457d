"""A saved reply: a text with fields such as ``{customer_name}``, filled from one conversation; pure.

A field is one of `FIELDS`, or a path into the data of the request that began the conversation:
``{job_ref}``, or ``{order.number}`` for ``number`` within ``order``.  A field without a value
becomes a gap, ``⟦job_ref⟧``.  A text with a gap is not sent: the agent must replace the gap.
Fields and gaps in a value are not interpreted.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.people.persons import DeskPerson
from chalicelib.outreach.project.project import Project
from console.request_data import request_data

LONGEST_TEXT = 1_600
"""Characters of a reply at most."""
_FIELD = re.compile(r"\{([A-Za-z_]\w{0,39}(?:\.\w{1,40}){0,3})\}")
_GAP = re.compile(r"\u27e6([^\u27e6\u27e7]*)\u27e7?|\u27e7")
_MARKS = re.compile(r"[\u27e6\u27e7]")
Values = Mapping[str, str]


def _named(who: DeskPerson) -> str:
    """A person's name to sign with; empty where only an address is known."""
    return "" if "@" in who.shown_name else who.shown_name


_OF_RECORD: Mapping[str, tuple[str, Callable[[Record], Any]]] = {
    "customer_name": ("first name", lambda record: record.item.get("recipient_first_name")),
    "company_name": ("the company's name", lambda record: Project(record.item).company_name),
    "company_contact": (
        "where a person of the company is reached",
        lambda record: Project(record.item).company_contact,
    ),
    "project_name": ("the project's name", lambda record: Project(record.item).project_name),
    "request_id": ("the request's id", lambda record: record.item.get("request_id")),
}
_AGENT = "agent_name"
FIELDS: Mapping[str, str] = {
    **{name: means for name, (means, _) in _OF_RECORD.items()},
    _AGENT: "who answers, where their sign-in says a name",
}
"""The fields that every conversation can have, with their meanings."""


def fields_in(text: str) -> list[str]:
    """The fields of a text, each once, in order."""
    return list(dict.fromkeys(_FIELD.findall(text)))


def fault_of(text: str) -> str | None:
    """Why a text cannot be a saved reply; None where it can."""
    if not text.strip():
        return "write what is sent"
    if len(text) > LONGEST_TEXT:
        return f"at most {LONGEST_TEXT} characters"
    if re.search(r"[{}]", _FIELD.sub("", text)):
        return "a brace that is part of no field, such as {customer_name}"
    if _MARKS.search(text):
        return "the marks of a gap are for fields without a value"
    return None


def values_of(record: Record, who: DeskPerson) -> Values:
    """The values of a conversation's fields; fields without a value are left out."""
    found = {
        **dict(request_data(record)),
        **{name: str(read(record) or "") for name, (_, read) in _OF_RECORD.items()},
        _AGENT: _named(who),
    }
    return {name: text for name, text in found.items() if text and not _MARKS.search(text)}


def filled(text: str, values: Values) -> str:
    """A saved reply for one conversation, with a gap for each field without a value."""
    return _FIELD.sub(lambda found: values.get(found[1]) or f"\u27e6{found[1]}\u27e7", text)


def gaps_in(text: str) -> list[str]:
    """The gaps of a text, each once; a half-deleted gap counts too."""
    return list(dict.fromkeys(found[1] or "" for found in _GAP.finditer(text)))
