"""Reads messages from JSON lines and classifies each as STOP, START, HELP, a doubt or none."""

from __future__ import annotations

import email
from collections.abc import Iterator, Mapping
from email.message import EmailMessage
from email.policy import default as policy
from pathlib import Path
from typing import Any

from chalicelib.outreach.channels import MAILBOX, Channel
from chalicelib.outreach.consent.contact_words import recognise
from chalicelib.outreach.ses.mail_words import heard_in
from chalicelib.outreach.ses.webhook import reply_of
from ops import json_lines
from ops.json_lines import wrong

NONE = "none"
_FIELDS: Mapping[str, tuple[type, ...]] = {
    "id": (str,),
    "channel": (str,),
    "text": (str, type(None)),
    "mime": (str, type(None)),
}
_NEEDED = ("id", "channel")


def read(file: Path | None) -> Iterator[dict[str, Any]]:
    """Yield the messages, validated.

    Args:
        file: None for standard input.

    Raises:
        OpsError: a line is not valid; names the line's number and the field, never the value.
    """
    for number, row in json_lines.objects(file):
        yield _message(row, number)


def answer(row: Mapping[str, Any]) -> dict[str, str]:
    """The classification of a message, as the command prints it."""
    if _is_mail(row):
        reply = reply_of(_mail(row))
        visible, found = reply.said, heard_in(reply)
    else:
        visible = str(row.get("text") or "")
        found = recognise(visible)
    return {
        "id": row["id"],
        "heard": found.word.value if found.word else NONE,
        "scope": found.scope.value,
        "visible": visible,
        "why": found.why.value,
    }


def _is_mail(row: Mapping[str, Any]) -> bool:
    return Channel(row["channel"]).traits.address is MAILBOX


def _mail(row: Mapping[str, Any]) -> EmailMessage:
    """The e-mail of a row: parsed from ``mime``, or built from ``text``."""
    mime = row.get("mime")
    if mime is None:
        message = EmailMessage(policy=policy)
        message.set_content(str(row.get("text") or "").encode("utf-8", "replace").decode())
        return message
    return email.message_from_bytes(mime.encode("utf-8", "surrogateescape"), policy=policy)


def _message(row: dict[str, Any], number: int) -> dict[str, Any]:
    if any(name not in _FIELDS for name in row):
        raise wrong(number, f"a field is none of {', '.join(_FIELDS)}")
    for name, kinds in _FIELDS.items():
        if (name in _NEEDED and name not in row) or not isinstance(row.get(name, ""), kinds):
            raise wrong(number, f"field {name}")
    if row["channel"] not in list(Channel):
        raise wrong(number, "field channel")
    if row.get("text") is None and (not _is_mail(row) or row.get("mime") is None):
        raise wrong(number, "field text")
    if row.get("mime") is not None and not _is_mail(row):
        raise wrong(number, "field mime")
    return row
