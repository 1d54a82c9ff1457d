"""Authenticates the caller: a company's API key, and its signature where the company has signing keys."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from difflib import SequenceMatcher
from enum import StrEnum
from typing import Any

from chalicelib.errors import SignatureError
from chalicelib.once.door import HttpRequest
from chalicelib.outreach.company_events.standard_webhooks import (
    SHORTEST_SECRET_BYTES,
    key,
    signature,
)
from chalicelib.outreach.door import message_signatures, signature_keys
from chalicelib.outreach.door.signature_keys import SignatureKey

TOLERANCE_SECONDS = 300
_WRONG_KEY = "header x-api-key is missing or wrong"
KEYS, SECRETS, DESK_KEYS = "api_keys", "signing_secrets", "desk_keys"
_LIKE_SECRETS = 0.7
"""An attribute's name at least this similar to `SECRETS` counts as a misspelling of it."""
_NAMES = (KEYS, SECRETS, DESK_KEYS, signature_keys.FIELD)
_SECONDS = re.compile(r"[0-9]{1,12}")


class DeskRole(StrEnum):
    """What a key of a company's desk may do: an agent acts on free and own conversations, a lead on all."""

    AGENT = "agent"
    LEAD = "lead"


@dataclass(frozen=True, slots=True)
class Access:
    """A company's credentials for calling our API.

    Attributes:
        api_keys: the active keys; two while a key is rotated.
        signing_secrets: Standard Webhooks secrets (``whsec_...``); if there are any, every request
            must be signed.
        signature_keys: keys of HTTP Message Signatures; once the first is valid, every request
            must have such a signature, and no other scheme is accepted.
        desk_keys: keys of the company's desk, each with its role; none opens the Router's door.
        faults: what is wrong with the stored signing settings, without values.  Any fault refuses
            every request, as the company may believe that its requests must be signed.
    """

    api_keys: tuple[str, ...] = field(default=(), repr=False)
    signing_secrets: tuple[str, ...] = field(default=(), repr=False)
    faults: tuple[str, ...] = ()
    desk_keys: tuple[tuple[str, DeskRole], ...] = field(default=(), repr=False)
    signature_keys: tuple[SignatureKey, ...] = ()

    def signs_messages(self, now: datetime) -> bool:
        """Whether a company's requests need an HTTP Message Signature: a key of it is or was valid."""
        return any(signing_key.has_begun(now) for signing_key in self.signature_keys)


def parse_access(text: str) -> dict[str, Access]:
    """Parse the API-key secret: the credentials of each company, by company id.

    The secret is ``{"<company id>": {"api_keys": [...], "signing_secrets": [...]}}``.  An entry may
    also hold the keys of the company's desk, ``"desk_keys": {"agent": [...], "lead": [...]}``, and
    `signature_keys`.  It may also be one key or a list of keys.  Anything else grants no access.
    """
    try:
        raw = json.loads(text)
    except ValueError:
        return {}
    return {str(k): _access(v) for k, v in raw.items()} if isinstance(raw, dict) else {}


def key_in(headers: Mapping[str, str]) -> bytes:
    """The API key in a request's header ``x-api-key``.

    Raises:
        SignatureError: ``UNAUTHORIZED``; the header is missing or empty.
    """
    given = headers.get("x-api-key", "").encode("utf-8", "replace")
    if not given:
        raise SignatureError("UNAUTHORIZED", _WRONG_KEY)
    return given


def company_of(headers: Mapping[str, str], companies: Mapping[str, Access]) -> str:
    """The id of the company whose API key a request has; every key is compared, in constant time.

    Raises:
        SignatureError: ``UNAUTHORIZED``; the key is missing, unknown, or of more than one company.
    """
    given = key_in(headers)
    found = set()
    for company_id, known in companies.items():
        for api_key in known.api_keys:
            if hmac.compare_digest(given, api_key.encode("utf-8", "replace")):
                found.add(company_id)
    if len(found) != 1:
        raise SignatureError("UNAUTHORIZED", _WRONG_KEY)
    return found.pop()


def desk_of(headers: Mapping[str, str], companies: Mapping[str, Access]) -> tuple[str, DeskRole]:
    """The company and the role of the desk key that a request has; every key is compared, in constant time.

    Raises:
        SignatureError: ``UNAUTHORIZED``; the key is missing, no desk key, or of more than one desk.
    """
    given = key_in(headers)
    found = {
        (company_id, role)
        for company_id, known in companies.items()
        for key, role in known.desk_keys
        if hmac.compare_digest(given, key.encode("utf-8", "replace"))
    }
    if len(found) != 1:
        raise SignatureError("UNAUTHORIZED", _WRONG_KEY)
    return found.pop()


def caller_of(
    headers: Mapping[str, str], companies: Mapping[str, Access]
) -> tuple[str, DeskRole | None]:
    """The company whose key a request has, with the role of a desk key, or None for the Router's key.

    Raises:
        SignatureError: ``UNAUTHORIZED``; the key is neither.
    """
    try:
        return company_of(headers, companies), None
    except SignatureError:
        return desk_of(headers, companies)


def check_request(request: HttpRequest, known: Access, now: datetime) -> str | None:
    """Verify the signature that a company's settings require of its requests; none may be required.

    Returns:
        A hash of what was signed, for a company that must use HTTP Message Signatures; else
        None.

    Raises:
        SignatureError: ``INVALID_SIGNATURE``; names the header, component or parameter at fault.
    """
    if known.faults or not known.signs_messages(now):
        check_signature(request.headers, request.body, known, now_epoch=now.timestamp())
        return None
    given = message_signatures.signature_in(request)
    if isinstance(given, str):
        raise SignatureError("INVALID_SIGNATURE", given)
    for problem in message_signatures.problems(request, given, known.signature_keys, now):
        raise SignatureError("INVALID_SIGNATURE", problem)
    return hashlib.sha256(message_signatures.signature_base(request, given.about)).hexdigest()


def check_signature(
    headers: Mapping[str, str], body: bytes, known: Access, *, now_epoch: float
) -> None:
    """Verify a request's Standard Webhooks signature: HMAC-SHA256 over ``{id}.{timestamp}.{body}``.

    One match among several signatures and secrets is enough.  A company without secrets needs none.

    Raises:
        SignatureError: ``INVALID_SIGNATURE``; also when the timestamp is more than five minutes
            off, or the company's signing settings have faults.
    """
    if known.faults:
        raise SignatureError(
            "INVALID_SIGNATURE", "the company's stored signing settings are not usable"
        )
    secrets = known.signing_secrets
    if not secrets:
        return
    message_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    is_timely = _SECONDS.fullmatch(at) and abs(now_epoch - int(at)) <= TOLERANCE_SECONDS
    keys = [key(secret) for secret in secrets]
    wanted = [signature(key, message_id, at, body).encode() for key in keys if key]
    given = headers.get("webhook-signature", "").encode("utf-8", "replace").split()
    matches = [hmac.compare_digest(received, ours) for received in given for ours in wanted]
    if not message_id or not is_timely or not any(matches):
        raise SignatureError("INVALID_SIGNATURE", "the Standard Webhooks signature is not valid")


def _access(value: Any) -> Access:  # noqa: ANN401 - any JSON value
    if isinstance(value, str):
        return Access(api_keys=_texts([value]))
    if isinstance(value, list):
        return Access(api_keys=_texts(value))
    if isinstance(value, dict):
        return Access(
            api_keys=_texts(value.get(KEYS)),
            signing_secrets=_texts(value.get(SECRETS)),
            faults=tuple(_faults(value)),
            desk_keys=tuple(_desk_keys(value.get(DESK_KEYS))),
            signature_keys=_signature_keys(value)[0],
        )
    return Access()


def _desk_keys(value: Any) -> Iterator[tuple[str, DeskRole]]:  # noqa: ANN401 - any JSON value
    given = value if isinstance(value, dict) else {}
    for role in DeskRole:
        for text in _texts(given.get(role.value)):
            yield text, role


def _faults(entry: Mapping[str, Any]) -> Iterator[str]:
    """What is wrong with a company's signing settings in the API-key secret, one text for each fault.

    No text holds a value of the secret.
    """
    secrets = entry.get(SECRETS, [])
    if not isinstance(secrets, list):
        yield f"{SECRETS} is not a list"
    elif not all(isinstance(secret, str) and key(secret) for secret in secrets):
        yield f"{SECRETS} holds a value that is no secret of {SHORTEST_SECRET_BYTES} bytes or more"
    yield from _signature_keys(entry)[1]
    for name, value in entry.items():
        if name not in _NAMES and (_is_like_secrets(name) or "whsec_" in json.dumps(value)):
            yield f"an attribute looks like {SECRETS} and has another name"


def _signature_keys(
    entry: Mapping[str, Any],
) -> tuple[tuple[SignatureKey, ...], tuple[str, ...]]:
    """The keys of HTTP Message Signatures in a company's entry of the secret, and what is wrong with them."""
    if signature_keys.FIELD not in entry:
        return (), ()
    try:
        return signature_keys.parse(entry[signature_keys.FIELD]), ()
    except ValueError as error:
        return (), (str(error),)


def _is_like_secrets(name: str) -> bool:
    letters = "".join(filter(str.isalpha, name.casefold()))
    likeness = SequenceMatcher(None, letters, SECRETS.replace("_", "")).ratio()
    return "sign" in letters or "secret" in letters or likeness >= _LIKE_SECRETS


def _texts(value: Any) -> tuple[str, ...]:  # noqa: ANN401 - any JSON value
    items = value if isinstance(value, list) else []
    return tuple(item for item in items if isinstance(item, str) and item.strip())
