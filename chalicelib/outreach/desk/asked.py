"""What a person asks for at the desk, and why it is refused; pure.

The body of an act, beside which the request carries an ``Idempotency-Key``::

    {"act": "reply", "by": "sam", "version": "5d0c...", "text": "Of course: I call you at nine."}

    act        further fields                    what it does
    take       -                                 the person has the conversation; the machine yields
    reply      text, subject                     sends a message of the person
    approve    text, subject                     sends what is held, as written or as edited
    decline    reason                            what is held is never sent
    note       text                              a note for colleagues, never sent
    transfer   to                                another person has it
    snooze     until                             hidden until then, or until the recipient writes
    give_back  hint                              the machine has it again, and answers what waits
    close      reason                            the hand-off is over; nothing is sent
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import ConflictError, PayloadError
from chalicelib.once import keys

TAKE, REPLY, APPROVE, DECLINE = "take", "reply", "approve", "decline"
NOTE, TRANSFER, SNOOZE, GIVE_BACK, CLOSE = "note", "transfer", "snooze", "give_back", "close"
FIELDS: Mapping[str, Mapping[str, bool]] = {
    TAKE: {},
    REPLY: {"text": True, "subject": False},
    APPROVE: {"text": False, "subject": False},
    DECLINE: {"reason": True},
    NOTE: {"text": True},
    TRANSFER: {"to": True},
    SNOOZE: {"until": True},
    GIVE_BACK: {"hint": False},
    CLOSE: {"reason": False},
}
"""The acts, and of each its own fields: whether it needs them."""
ACTS = tuple(FIELDS)
MOST_CHARACTERS: Mapping[str, int] = {
    "text": 20_000,
    "subject": 200,
    "reason": 300,
    "hint": 1_000,
    "until": 40,
}
_PERSON = re.compile(r"[\w.@+/-][\w.@+/ -]{0,62}[\w.@+/-]|[\w.@+/-]")
_KEY = re.compile(r"[A-Za-z0-9_.:-]{1,128}")
_VERSION = re.compile(r"[0-9a-f]{16}")


class RefusedError(ConflictError):
    """The act cannot be done to the conversation as it is; nothing was changed."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One act that a person asks for.

    Attributes:
        act: one of `ACTS`.
        conversation_id: its opaque id.
        version: of the conversation that the person saw.
        key: the idempotency key.
        by: the person, as the team names them: the holder after a take.
        actor: who says so, for the journal: an operator, or the company whose key it was.
        company_id: only a conversation of this company; None for operators.
        is_lead: may act on what another person has.
    """

    act: str
    conversation_id: str
    version: str
    key: str
    by: str
    actor: str
    company_id: str | None = None
    is_lead: bool = False
    text: str = field(default="", repr=False)
    subject: str = field(default="", repr=False)
    reason: str = field(default="", repr=False)
    hint: str = field(default="", repr=False)
    to: str = ""
    until: str = ""

    @property
    def act_id(self) -> str:
        """The act's id within its conversation: the same for a repetition."""
        return keys.digest("act", self.key)[:32]

    @property
    def fingerprint(self) -> str:
        """Equal where the same is asked for by the same person; shows nothing of it."""
        said = (self.text, self.subject, self.reason, self.hint, self.to, self.until)
        return keys.digest(self.act, self.by, *said)


def parsed_act(
    raw: Mapping[str, Any],
    *,
    conversation_id: str,
    key: str,
    actor: str,
    company_id: str | None,
    is_lead: bool,
) -> Asked:
    """An act from the body of a request.

    Args:
        raw: the body.
        conversation_id: the opaque id.
        key: the ``Idempotency-Key``.
        actor: whose word it is who the person is, for the journal.
        company_id: the caller's company.
        is_lead: the caller's role.

    Raises:
        PayloadError: names the field, never its value.
    """
    if not _KEY.fullmatch(key):
        raise PayloadError(
            "INVALID_IDEMPOTENCY_KEY", "header Idempotency-Key is not 1-128 of A-Za-z0-9_.:-"
        )
    act = raw.get("act")
    if not isinstance(act, str) or act not in FIELDS:
        raise PayloadError("INVALID_ACT", f"field act is none of {', '.join(ACTS)}")
    own = FIELDS[act]
    unknown = sorted(set(raw) - {"act", "by", "version", *own})
    if unknown:
        raise PayloadError("UNKNOWN_FIELD", f"{act} takes act, by, version{_listed(own)}")
    version = raw.get("version")
    if not (isinstance(version, str) and _VERSION.fullmatch(version)):
        raise PayloadError("INVALID_VERSION", "field version is not the one that was shown")
    by = _person(raw, "by")
    given: dict[str, str] = {}
    for name, is_needed in own.items():
        value = _person(raw, name) if name == "to" else _text(raw, name, is_needed=is_needed)
        given[name] = _moment(value) if name == "until" else value
    return Asked(
        act=act,
        conversation_id=conversation_id,
        version=version,
        key=key,
        by=by,
        actor=actor,
        company_id=company_id,
        is_lead=is_lead,
        **given,
    )


def check_until(asked: Asked, now: datetime) -> None:
    """Refuse to hide a conversation until a time that is over."""
    if asked.act == SNOOZE and asked.until <= iso(now):
        raise PayloadError("INVALID_UNTIL", "field until is not in the future")


def _text(raw: Mapping[str, Any], name: str, *, is_needed: bool) -> str:
    value = raw.get(name)
    if value is None and not is_needed:
        return ""
    most = MOST_CHARACTERS[name]
    code = f"INVALID_{name.upper()}"
    if not (isinstance(value, str) and value.strip() and len(value) <= most):
        raise PayloadError(code, f"field {name} is not a text of 1-{most} characters")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise PayloadError(code, f"field {name} holds half of a character") from None
    return value.strip()


def _person(raw: Mapping[str, Any], name: str) -> str:
    value = raw.get(name)
    if not (isinstance(value, str) and _PERSON.fullmatch(value)):
        raise PayloadError(f"INVALID_{name.upper()}", f"field {name} names no person of the team")
    return value


def _moment(text: str) -> str:
    found = parsed(text)
    if found is None:
        raise PayloadError("INVALID_UNTIL", "field until is not ISO-8601")
    return iso(found)


def _listed(names: Mapping[str, bool]) -> str:
    return "".join(f", {one}" for one in names)
