"""A project's endpoint: `event_webhook` in its settings, and the company's signing secrets.

::

    "event_webhook": {"url": "https://hooks.example.com/conversations", "include": ["text"]}

``include`` may name ``text``, ``recipient`` and ``person``; without it a body holds no personal data.  The
secrets are those of Standard Webhooks, the newest first; every secret signs, so one can be replaced::

    rp-mw/{stage}/companies/{company id}/webhook     {"signing_secrets": ["whsec_...", "whsec_..."]}
"""

from __future__ import annotations

import ipaddress
import json
import re
import socket
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import PlainValidator, ValidationInfo

from chalicelib.errors import UnavailableError
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events import standard_webhooks
from chalicelib.outreach.field_names import shown_name
from chalicelib.vendors.posting import is_public

SETTING = "event_webhook"
INCLUDES = ("text", "recipient", "person")
MAX_URL_CHARACTERS = 1000
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})
_PRIVATE = (".localhost", ".local", ".internal")
"""Endings of host names that are never public (RFC 6761, RFC 6762, ICANN's resolution of 2024)."""
_COMPANY_ID = re.compile(r"[A-Za-z0-9_+=.@-]{1,256}")
"""Company ids that may be part of a secret's name."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """The URL to which a project's events are posted, and which personal data their bodies hold.

    Attributes:
        include: which personal data a body holds.
    """

    url: str = field(repr=False)
    include: frozenset[str] = frozenset()


def _read(value: Any, info: ValidationInfo) -> Endpoint:  # noqa: ANN401 - any JSON value
    found = "; ".join(faults(value, allows_loopback=bool((info.context or {})["allows_loopback"])))
    if found:
        raise ValueError(found)
    return Endpoint(value["url"], frozenset(value.get("include") or ()))


EventWebhook = Annotated[Endpoint, PlainValidator(_read)]
"""The validated setting; the context's `allows_loopback` says whether this machine is a valid host."""


def faults(value: Any, *, allows_loopback: bool = False) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    """What is wrong with the setting `event_webhook`; each fault names the field and never its value."""
    if not isinstance(value, Mapping):
        yield f"{SETTING} is not an object"
        return
    for name in sorted(value.keys() - {"url", "include"}):
        yield f"{SETTING} has an unknown field: {shown_name(name)}"
    yield from _url_faults(value.get("url"), allows_loopback=allows_loopback)
    include = value.get("include", [])
    if not isinstance(include, list) or any(part not in INCLUDES for part in include):
        yield f"{SETTING}.include is not a list of {', '.join(INCLUDES)}"


def _url_faults(url: Any, *, allows_loopback: bool) -> Iterator[str]:  # noqa: ANN401 - any JSON value
    if not isinstance(url, str) or not 0 < len(url) <= MAX_URL_CHARACTERS:
        yield f"{SETTING}.url is not a text of 1-{MAX_URL_CHARACTERS} characters"
        return
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        yield f"{SETTING}.url is not a URL"
        return
    if not host or not url.isascii() or any(character.isspace() for character in url):
        yield f"{SETTING}.url is not a URL"
    elif parts.username is not None or parts.fragment:
        yield f"{SETTING}.url holds credentials or a fragment"
    elif parts.scheme != "https" and not (
        allows_loopback and parts.scheme == "http" and host in _LOOPBACK
    ):
        yield f"{SETTING}.url is not https"
    elif not (_may_be_public(host) or (allows_loopback and host in _LOOPBACK)):
        yield f"{SETTING}.url is not on the public internet"


def _may_be_public(host: str) -> bool:
    """Whether a URL's host may be public; the addresses behind its name are checked at each request."""
    try:
        return is_public(ipaddress.ip_address(host))
    except ValueError:
        pass
    with suppress(OSError):  # 127.1, 0x7f000001: spellings that only resolvers read as addresses
        return is_public(ipaddress.IPv4Address(socket.inet_aton(host)))
    name = host.rstrip(".")
    return "." in name and not name.endswith(_PRIVATE)


def secret_id(stage: str, company_id: str) -> str:
    """The name of the secret that signs a company's events.

    Raises:
        UnavailableError: no secret's name can hold this company id.
    """
    if not _COMPANY_ID.fullmatch(company_id):
        raise UnavailableError(reasons.COMPANY_ID_UNUSABLE)
    return f"rp-mw/{stage}/companies/{company_id}/webhook"


def signing_secrets(text: str) -> tuple[bytes, ...]:
    """The signing keys in the text of a company's secret, the newest first.

    Raises:
        UnavailableError: the secret holds no key, or a malformed one.
    """
    try:
        listed = json.loads(text)["signing_secrets"]
    except (ValueError, TypeError, KeyError):
        listed = None
    if not isinstance(listed, list) or not listed:
        raise UnavailableError(reasons.SIGNING_SECRETS_MISSING)
    keys = tuple(
        standard_webhooks.key(secret) if isinstance(secret, str) else b"" for secret in listed
    )
    if not all(keys):
        raise UnavailableError(reasons.SIGNING_SECRETS_MALFORMED)
    return keys
