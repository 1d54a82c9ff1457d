"""Verifies a signed assertion (JWT) of a company's identity provider; pure.

By RFC 7519 and RFC 8725: an allowed algorithm with a key of its kind, the issuer, the audience, and
a lifetime that has begun, has not ended and is bounded.  ID tokens and access tokens are both
accepted. Keys that a token itself names (``jku``, ``jwk``, ``x5u``, ``x5c``) are never used.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from joserfc import jwk, jwt
from joserfc.errors import InvalidKeyIdError, JoseError
from joserfc.jws import JWSRegistry

from chalicelib.errors import SignatureError
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from chalicelib.outreach.people.proof_settings import INVALID, ProviderSettings

ALGORITHMS = ("RS256", "ES256")
SKEW_SECONDS = 60
MOST_BYTES = 8192
SMALLEST_RSA_BITS = 2048
_LAST = 253_402_300_799
"""The end of the year 9999, as epoch seconds."""
_TYPES = (None, "jwt", "at+jwt", "application/at+jwt")


class UnknownKeyError(SignatureError):
    """The assertion is signed with an unknown key: the provider may have changed its keys."""

    def __init__(self) -> None:
        super().__init__(INVALID, "the assertion is signed with a key that is not known")


def keys_in(document: Mapping[str, Any]) -> list[jwk.Key]:
    """The public keys of a provider's JWK set that may sign assertions.

    Others and unreadable ones are left out.
    """
    given = document.get("keys")
    return list(_keys(given)) if isinstance(given, list) else []


def claims_of(
    token: str, keys: list[jwk.Key], provider: ProviderSettings, now: datetime
) -> Mapping[str, Any]:
    """Verify a provider's signed assertion (JWT) of a person; returns its claims.

    Args:
        token: the JWT.
        keys: the provider's keys, from `keys_in`.
        provider: the company's settings of its provider.
        now: the time.

    Raises:
        UnknownKeyError: none of the keys is the one that the assertion names.
        SignatureError: it is not valid; says what is wrong, never a value.
    """
    if len(token) > MOST_BYTES:
        raise SignatureError(INVALID, "the assertion is too long")
    registry = JWSRegistry(algorithms=ALGORITHMS, strict_check_header=False)
    try:
        found = jwt.decode(token, lambda signed: _chosen(keys, signed.headers()), registry=registry)
    except InvalidKeyIdError:
        raise UnknownKeyError from None
    except (JoseError, ValueError, TypeError, RecursionError):
        raise SignatureError(INVALID, "the assertion's signature or form is wrong") from None
    header, claims = found.header, found.claims
    if "crit" in header:  # no extension is supported; an empty list is invalid too (RFC 7515)
        raise SignatureError(INVALID, "the assertion's crit names an unknown extension")
    if str(header.get("typ") or "JWT").lower() not in _TYPES:
        raise SignatureError(INVALID, "the assertion's typ is not a JWT's")
    for fault in _faults(claims, provider, now.timestamp()):
        raise SignatureError(INVALID, f"the assertion's {fault}")
    return claims


def person_in(claims: Mapping[str, Any], provider: ProviderSettings) -> persons.DeskPerson:
    """The person whom a verified assertion's claims name.

    Raises:
        SignatureError: its subject is missing or cannot be stored.
    """
    name = name_in(claims, provider.name_claim)
    found = persons.proven_person(claims.get("sub"), provider.short_issuer, name=name)
    if found is None:
        raise SignatureError(INVALID, "the assertion's sub names no person")
    return found


def name_in(claims: Mapping[str, Any], name_claim: str) -> str:
    """A person's name from a provider's claims; empty where they give no usable one.

    A name with an ``@`` counts only where it is the person's verified e-mail address.
    """
    name = claims.get(name_claim)
    if not isinstance(name, str):
        return ""
    is_verified = name == claims.get("email") and claims.get("email_verified") is True
    return name if "@" not in name or is_verified else ""


def role_in(claims: Mapping[str, Any], provider: ProviderSettings) -> DeskRole | None:
    """The person's role at the desk, by an assertion's claims; None where they name none."""
    roles = {provider.roles.get(text) for text in _texts(claims.get(provider.role_claim))}
    return next((role for role in (DeskRole.LEAD, DeskRole.AGENT) if role in roles), None)


def _keys(given: list[Any]) -> Iterator[jwk.Key]:
    for key in given:
        if isinstance(key, dict) and key.get("use", "sig") == "sig" and _may_sign(key):
            try:
                yield jwk.import_key(
                    {name: kept for name, kept in key.items() if name != "key_ops"}
                )
            except (JoseError, ValueError, TypeError, KeyError):
                continue


def _may_sign(key: Mapping[str, Any]) -> bool:
    """Whether a public key is of RSA with at least 2048 bits, or of the curve P-256."""
    if key.get("kty") == "RSA":
        return len(str(key.get("n"))) * 6 >= SMALLEST_RSA_BITS
    return (key.get("kty"), key.get("crv")) == ("EC", "P-256")


def _chosen(keys: list[jwk.Key], header: Mapping[str, Any]) -> jwk.Key:
    """The provider's key that an assertion's header names, or the only key where it names none.

    Raises:
        InvalidKeyIdError: there is no such key, or more than one.
    """
    wanted = header.get("kid")
    found = [key for key in keys if wanted is None or key.kid == wanted]
    if len(found) != 1:
        raise InvalidKeyIdError
    return found[0]


def _faults(claims: Mapping[str, Any], provider: ProviderSettings, now: float) -> Iterator[str]:
    """The faults of an assertion's issuer, audience and lifetime, in words."""
    if claims.get("iss") != provider.issuer:
        yield "iss is not the company's provider"
    if provider.audience not in _texts(claims.get("aud")):
        yield "aud does not name this desk"
    begun, ends, since = (_time(claims, name) for name in ("iat", "exp", "nbf"))
    if begun is None or ends is None or (since is None and "nbf" in claims):
        yield "iat, exp or nbf is missing or no time"
        return
    if now >= ends + SKEW_SECONDS:
        yield "exp is in the past"
    if max(begun, since or begun) > now + SKEW_SECONDS:
        yield "iat or nbf is in the future"
    if not 0 < ends - begun <= provider.longest_minutes * 60:
        yield f"life is longer than {provider.longest_minutes} minutes"


def _texts(given: object) -> list[str]:
    """The texts of an assertion's claim that is a text or a list; empty for anything else."""
    many = given if isinstance(given, list) else [given]
    return [text for text in many if isinstance(text, str)]


def _time(claims: Mapping[str, Any], name: str) -> float | None:
    """The epoch seconds of an assertion's time claim; None where it is missing or no valid time."""
    given = claims.get(name)
    if isinstance(given, bool) or not isinstance(given, (int, float)):
        return None
    return float(given) if 0 <= given <= _LAST else None
