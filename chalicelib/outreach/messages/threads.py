"""The thread of an e-mail conversation: its subject and the Message-IDs of its e-mails.

A mail program shows messages as one thread by ``References``: the ids of all earlier messages, the
oldest first (RFC 5322, section 3.6.4).  The conversation keeps them in ``email_references``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from chalicelib.outreach.conversations.records import Record

MAX_IDS = 40
"""Maximum number of ids that are stored of a thread: the first one and the newest ones."""
MAX_HEADER = 995
"""Maximum number of characters of a header's value, as SES limits it."""
_MESSAGE_ID = re.compile(r"<[!-;=?-~]{1,400}>")
"""A Message-ID that a header may hold: ASCII without spaces."""
_REPLY_PREFIX = re.compile(r"^(?:\s*(?:re|aw|sv|antw|rv|r)\s*:\s*)+", re.IGNORECASE)


def received_attributes(record: Record, message_id: str | None) -> dict[str, Any]:
    """The attributes of an e-mail conversation that a received e-mail changes: Message-IDs of its thread.

    Empty without a valid Message-ID, as on other channels.
    """
    if message_id is None or not _MESSAGE_ID.fullmatch(message_id):
        return {}
    return {"last_email_id": message_id, "email_references": _grown_references(record, message_id)}


def sent_attributes(record: Record, message_id: str) -> dict[str, Any]:
    """The attributes of an e-mail conversation that an e-mail of ours changes: its thread's Message-IDs."""
    return {"email_references": _grown_references(record, message_id)}


def headers(record: Record) -> dict[str, str]:
    """The headers ``In-Reply-To`` and ``References`` of a conversation's next e-mail.

    Empty for its first one.
    """
    known = _references(record)
    if not known:
        return {}
    answered = str(record.item.get("last_email_id") or known[-1])
    return {"In-Reply-To": answered, "References": _references_header(known)}


def subject(record: Record, written: str) -> str:
    """The subject of a conversation's next e-mail: ``Re:`` and the thread's first subject.

    Args:
        record: the conversation.
        written: the writer's subject, used where the thread has none yet.
    """
    first = record.item.get("email_subject")
    if not first:
        return written
    return f"Re: {_REPLY_PREFIX.sub('', str(first))}"


def _references(record: Record) -> list[str]:
    kept = record.item.get("email_references") or ()
    return [str(message_id) for message_id in kept if _MESSAGE_ID.fullmatch(str(message_id))]


def _grown_references(record: Record, message_id: str) -> list[str]:
    known = [reference for reference in _references(record) if reference != message_id]
    grown = [*known, message_id]
    return grown if len(grown) <= MAX_IDS else [grown[0], *grown[1 - MAX_IDS :]]


def _references_header(known: Sequence[str]) -> str:
    """The value of ``References``: the first Message-ID and as many of the newest ones as fit."""
    first, rest = known[0], list(known[1:])
    while rest and len(" ".join((first, *rest))) > MAX_HEADER:
        del rest[0]
    return " ".join((first, *rest))
