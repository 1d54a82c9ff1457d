"""A company's keys for HTTP Message Signatures: add, end and list them, and check a saved request."""

from __future__ import annotations

import base64
import binascii
import re
import secrets
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from chalicelib.clock import iso, parsed
from chalicelib.once.door import HttpRequest
from chalicelib.outreach.door import message_signatures, signature_keys
from chalicelib.outreach.door.signature_keys import Algorithm
from ops.companies import api_keys
from ops.session import EXIT_UNUSABLE, OpsError, Session

MOST_BYTES = 512 * 1024
"""The largest saved request, in bytes."""
COLUMNS = ("key", "algorithm", "from", "until", "now")
_ED25519 = bytes.fromhex("302a300506032b6570032100")
"""The bytes before the key in a PEM file: its length and algorithm (RFC 8410, 4)."""
_PEM = re.compile(r"-----BEGIN PUBLIC KEY-----([A-Za-z0-9+/=\s]{1,400})-----END PUBLIC KEY-----")
_REQUEST_LINE = re.compile(r"([A-Z]{1,16}) (/[!-~]{0,4096}) HTTP/[0-9.]{1,3}")


def add(
    session: Session, company_id: str, public_key: Path | None, begins: datetime | None
) -> tuple[str, str | None]:
    """Add a key; earlier keys stay valid.

    Returns:
        The key's id, and its secret; None instead of a secret for a public key.

    Raises:
        OpsError: the file holds no public key, or the company already has the most keys allowed.
    """
    key_id, secret = f"k-{secrets.token_hex(4)}", None
    made: dict[str, str] = {} if begins is None else {"from": iso(begins)}
    if public_key is None:
        secret = base64.b64encode(secrets.token_bytes(signature_keys.SHORTEST_SECRET)).decode()
        made |= {"algorithm": Algorithm.HMAC_SHA256.value, "secret": secret}
    else:
        made |= {"algorithm": Algorithm.ED25519.value, "public_key": _public(public_key)}
    _edit(session, company_id, lambda keys: {**keys, key_id: made})
    return key_id, secret


def end(session: Session, company_id: str, key_id: str, at: datetime) -> None:
    """Set the time until which a key is valid.

    Raises:
        OpsError: the company has no such key.
    """

    def ended(keys: Mapping[str, Any]) -> dict[str, Any]:
        if not isinstance(keys.get(key_id), dict):
            raise OpsError(f"company {company_id} has no signature key of this id")
        return {**keys, key_id: {**keys[key_id], "until": iso(at)}}

    _edit(session, company_id, ended)


def listed(session: Session, company_id: str) -> list[dict[str, str]]:
    """A company's signature keys, without their secrets."""
    now = session.services.clock.now()
    return [
        {
            "key": key.key_id,
            "algorithm": key.algorithm.value,
            "from": "" if key.begins is None else iso(key.begins),
            "until": "" if key.ends is None else iso(key.ends),
            "now": "valid" if key.is_valid(now) else "ended" if key.has_begun(now) else "later",
        }
        for key in api_keys.company_access(session, company_id).signature_keys
    ]


def time_of(text: str | None, name: str) -> datetime | None:
    """Parse an option's ISO 8601 time; None if it was not given.

    Raises:
        OpsError: the text is not a time.
    """
    moment = parsed(text)
    if text and moment is None:
        raise OpsError(f"{name} is not ISO 8601", code=EXIT_UNUSABLE)
    return moment


def problems(session: Session, company_id: str, file: Path) -> Iterator[str]:
    """Yield what is wrong with a saved request's signature, by names without values.

    Raises:
        OpsError: the file holds no request, or the company's keys are not usable.
    """
    known = api_keys.company_access(session, company_id)
    if known.faults or not known.signature_keys:
        raise OpsError("; ".join(known.faults) or f"company {company_id} has no signature key")
    asked = request_of(file)
    given = message_signatures.signature_in(asked)
    if isinstance(given, str):
        yield given
        return
    now = session.services.clock.now()
    yield from message_signatures.problems(asked, given, known.signature_keys, now)


def request_of(file: Path) -> HttpRequest:
    """Read a request as HTTP/1.1 writes it: its first line, its headers, an empty line, its body.

    Raises:
        OpsError: the file holds no such request.
    """
    if file.stat().st_size > MOST_BYTES:
        raise OpsError(f"the file has more than {MOST_BYTES} bytes", code=EXIT_UNUSABLE)
    whole = file.read_bytes().replace(b"\r\n", b"\n")
    head, _, body = whole.partition(b"\n\n")
    first, *lines = head.decode("latin-1").split("\n")
    found = _REQUEST_LINE.fullmatch(first.strip())
    if found is None:
        raise OpsError("the first line is not like: GET /path HTTP/1.1", code=EXIT_UNUSABLE)
    headers = {}
    for line in filter(None, lines):
        name, colon, value = line.partition(":")
        if not colon:
            raise OpsError("a line of the headers has no colon", code=EXIT_UNUSABLE)
        headers[name.strip().lower()] = value.strip()
    address = urlsplit(found[2])
    query = parse_qs(address.query, keep_blank_values=True)
    return HttpRequest(found[1], address.path, query, headers, body)


def _edit(
    session: Session, company_id: str, change: Callable[[Mapping[str, Any]], dict[str, Any]]
) -> None:
    def changed(entry: dict[str, Any]) -> tuple[dict[str, Any], None]:
        before = entry.get(signature_keys.FIELD, {})
        keys = change(before if isinstance(before, dict) else {})
        try:
            signature_keys.parse(keys)
        except ValueError as error:
            raise OpsError(str(error)) from None
        return {**entry, signature_keys.FIELD: keys}, None

    api_keys.edit(session, company_id, changed)


def _public(file: Path) -> str:
    found = _PEM.search(file.read_bytes()[:4096].decode("latin-1"))
    try:
        der = base64.b64decode("".join(found[1].split()), validate=True) if found else b""
    except (binascii.Error, ValueError):
        der = b""
    if not der.startswith(_ED25519) or len(der) != len(_ED25519) + signature_keys.PUBLIC_KEY_BYTES:
        raise OpsError("the file holds no ed25519 public key in PEM", code=EXIT_UNUSABLE)
    return base64.b64encode(der.removeprefix(_ED25519)).decode()
