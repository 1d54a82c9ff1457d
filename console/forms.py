"""Accepts a post from our own pages only: the browser must say so, and the form carry the session's token.

htmx sends the token as a header, a form without script as a field.  A form whose act must not be
done twice by a double click carries the field `once`, which the act uses as its own id.
"""

from __future__ import annotations

import hmac
import re
import secrets

from flask import Request, abort, request

TOKEN_FIELD = "token"  # noqa: S105 - the name of a field
TOKEN_HEADER = "X-Form-Token"  # noqa: S105 - the name of a header
ONCE_FIELD = "once"
READING = frozenset({"GET", "HEAD", "OPTIONS"})
_ONCE = re.compile(r"[A-Za-z0-9_-]{12,24}")
_NUMBER = re.compile(r"[0-9]{1,12}")
REASON_LENGTH = 300


def refuse_forged(token: str | None) -> None:
    """Refuse a request that changes something and was not sent by one of our forms.

    Args:
        token: the session's; None without a session, when only the origin is checked.

    Raises:
        Forbidden: another page or program sent it.
    """
    if request.method in READING:
        return
    if not _is_from_here(request):
        abort(403, "the request does not come from a page of this console")
    if token is None:
        return
    given = request.headers.get(TOKEN_HEADER) or request.form.get(TOKEN_FIELD, "")
    if not hmac.compare_digest(given.encode(), token.encode()):
        abort(403, "the form belongs to another session; load the page again")


def new_once() -> str:
    """A new id for the act of a form."""
    return secrets.token_urlsafe(12)


def once() -> str:
    """The id in the posted form.

    Raises:
        BadRequest: there is none, or `new_once` did not make it.
    """
    given = request.form.get(ONCE_FIELD, "")
    if not _ONCE.fullmatch(given):
        abort(400, "once: the form is not one of ours")
    return given


def is_number(text: str) -> bool:
    """Whether a field, or a part of an address, is a number as our pages write it."""
    return bool(_NUMBER.fullmatch(text))


def reason() -> str:
    """The person's reason for an act.

    Raises:
        BadRequest: it is empty or too long.
    """
    given = " ".join(request.form.get("reason", "").split())
    if not given:
        abort(400, "reason: say why")
    if len(given) > REASON_LENGTH:
        abort(400, f"reason: at most {REASON_LENGTH} characters")
    return given


def _is_from_here(asked: Request) -> bool:
    """Whether the browser's headers, which no script can set, name this console as the sender.

    A client that sends neither header is refused.
    """
    site, origin = asked.headers.get("Sec-Fetch-Site"), asked.headers.get("Origin")
    if site is None and origin is None:
        return False
    return site in (None, "same-origin") and origin in (None, asked.host_url.rstrip("/"))
