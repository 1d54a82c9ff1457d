"""Reads an act of a person at the desk from a request's body, and checks its fields; pure.

The body of an act, beside which the request carries an ``Idempotency-Key``::

    {"act": "reply", "by": "sam", "version": "5d0c...", "text": "Of course: I call you at nine."}

`acts` says which fields an act has beside ``act``, ``by`` and ``version``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import PayloadError
from chalicelib.outreach.desk.act_row import ActField, FieldKind
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.field_names import shown_name
from chalicelib.outreach.people import persons
from chalicelib.outreach.visible_text import is_blank, is_one_line

BY = ActField(
    "by",
    "the person, as the team names them; refused where a token or an assertion proves the person",
    kind=FieldKind.PERSON,
    is_needed=True,
)
"""Who acts, where the person is not proven: a name that proves nothing."""
MAX_AHEAD = timedelta(days=90)
"""Of a time that somebody names."""
_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_VERSION = re.compile(r"[0-9a-f]{16}")


def parsed_act(
    raw: Mapping[str, Any],
    *,
    conversation_id: str,
    key: str,
    actor: str,
    company_id: str | None,
    role: DeskRole,
    who: persons.DeskPerson | None = None,
) -> AskedAct:
    """Read an act of a person at the desk from the body of a request.

    Args:
        raw: the body.
        conversation_id: the conversation's opaque id.
        key: the ``Idempotency-Key``.
        actor: who vouches for the person, for the journal: an operator, or the company whose key it
            was.
        company_id: the caller's company.
        role: the caller's role.
        who: the person, where a token or an assertion proves it: the body then names none.

    Raises:
        PayloadError: a field is unknown, missing or invalid; it names the field, never its value.
    """
    if not _KEY.fullmatch(key):
        raise PayloadError(
            "INVALID_IDEMPOTENCY_KEY", "header Idempotency-Key is not 1-128 of A-Za-z0-9_.:-"
        )
    name = raw.get("act")
    if not isinstance(name, str) or name not in ACTS:
        raise PayloadError("INVALID_ACT", f"field act is none of {', '.join(ACTS)}")
    own = ACTS[name].fields
    taken = ("act", *(() if who else ("by",)), "version", *(field.name for field in own))
    for unknown in sorted(raw.keys() - set(taken)):
        fault = f"field {shown_name(unknown)} is none of {name}, which takes {', '.join(taken)}"
        raise PayloadError("UNKNOWN_FIELD", fault)
    version = raw.get("version")
    if not (isinstance(version, str) and _VERSION.fullmatch(version)):
        raise PayloadError("INVALID_VERSION", "field version is not the one that was shown")
    return AskedAct(
        act=name,
        conversation_id=conversation_id,
        version=version,
        key=key,
        by=who.text if who else _value(raw, BY),
        actor=actor,
        company_id=company_id,
        role=role,
        fields={field.name: _value(raw, field) for field in own},
    )


def check_moments(asked: AskedAct, now: datetime) -> None:
    """Refuse an act whose time field lies in the past or more than 90 days ahead.

    Raises:
        PayloadError: it names the field.
    """
    for field in ACTS[asked.act].fields if asked.act in ACTS else ():
        said = asked.value_of(field.name)
        if field.kind is not FieldKind.MOMENT or not said:
            continue
        if said <= iso(now):
            raise _invalid(field, "is not in the future")
        if said > iso(now + MAX_AHEAD):
            raise _invalid(field, f"is more than {MAX_AHEAD.days} days away")


def _value(raw: Mapping[str, Any], act_field: ActField) -> str:
    """The checked value of an act's field, as it is stored; empty where an optional field is missing.

    Raises:
        PayloadError: the field is invalid; it names the field, never its value.
    """
    value = raw.get(act_field.name)
    if value is None and not act_field.is_needed:
        return ""
    if act_field.kind is FieldKind.PERSON:
        name = (persons.stored_name if act_field is BY else persons.stored_person)(value)
        if name is None:
            raise _invalid(act_field, "names no person of the team")
        return name
    if not (isinstance(value, str) and not is_blank(value) and len(value) <= act_field.longest):
        raise _invalid(act_field, f"is not a text of 1-{act_field.longest} characters")
    if act_field.kind is FieldKind.LINE and not is_one_line(value.strip()):
        raise _invalid(act_field, "is not one line without control characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _invalid(act_field, "holds half of a character") from None
    return (
        _moment(value.strip(), act_field) if act_field.kind is FieldKind.MOMENT else value.strip()
    )


def _moment(text: str, act_field: ActField) -> str:
    found = parsed(text)
    if found is None:
        raise _invalid(act_field, "is not ISO-8601")
    return iso(found)


def _invalid(act_field: ActField, fault: str) -> PayloadError:
    return PayloadError(f"INVALID_{act_field.name.upper()}", f"field {act_field.name} {fault}")
