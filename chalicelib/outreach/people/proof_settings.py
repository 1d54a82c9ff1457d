"""How a company's persons prove who they are: a row beside its projects, read for every request.

The row is in the `company-data` table, which the API may read and not write, under a key that no
project can have, because no company id contains a ``#``::

    company_id   desk#ci-aaa-001
    project_id   proof
    proof        provider          (or tokens; or keys: a key alone, and names prove nothing)
    provider     {"issuer": "https://login.example.com", "audience": "desk",
                  "jwks_url": "https://login.example.com/keys",       (or "jwks": {"keys": [...]})
                  "role_claim": "roles", "roles": {"Support": "agent", "Support leads": "lead"}}

Without a row, ``keys`` applies: ``by`` is a name that the company's program writes, and proves
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Literal
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from chalicelib.once.store import Item
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons

PREFIX = "desk#"
PROOF = "proof"
INVALID = "INVALID_ASSERTION"
"""Code of the error for a proof of a person that is not valid."""
MOST_MINUTES = 1440
_LOOPBACK = ("127.0.0.1", "localhost")
_SECRET_PARTS = frozenset({"d", "p", "q", "dp", "dq", "qi", "oth", "k"})
"""Private members of a JSON Web Key (RFC 7518, 6.2.2, 6.3.2 and 6.4); their owner signs as the provider."""


class ProofKind(StrEnum):
    """The proof that a company's persons give beside the desk key: none, a token or an assertion."""

    KEYS = "keys"
    """Nothing: the key alone gives the role."""
    TOKENS = "tokens"
    PROVIDER = "provider"


class ProviderSettings(BaseModel):
    """The settings of a company's identity provider, by which its assertions are checked.

    Attributes:
        issuer: the exact value of the claim ``iss``.
        audience: the value that the claim ``aud`` must name: the desk's program at the provider.
        jwks: the provider's public keys, as pasted.
        jwks_url: the address of the keys, where none are pasted.
        role_claim: the claim with the person's groups or roles.
        roles: the role at the desk of each group; of several, a lead's wins.
        longest_minutes: an assertion with a longer lifetime is refused.
        name_claim: the claim with the person's name; an address counts only where it is verified.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    issuer: str = Field(min_length=1, max_length=255)
    audience: str = Field(min_length=1, max_length=255)
    jwks: dict[str, Any] | None = None
    jwks_url: str | None = Field(default=None, max_length=1024)
    role_claim: str = Field(default="roles", min_length=1, max_length=255)
    roles: dict[str, DeskRole] = Field(min_length=1, max_length=100)
    longest_minutes: int = Field(default=90, ge=5, le=MOST_MINUTES)
    name_claim: str = Field(default="email", min_length=1, max_length=255)

    @model_validator(mode="after")
    def _is_whole(self) -> ProviderSettings:
        if (self.jwks is None) == (self.jwks_url is None):
            raise ValueError("give jwks or jwks_url, and not both")
        if self.jwks_url is not None and not is_key_address(self.jwks_url):
            raise ValueError("jwks_url is not an https address")
        if self.jwks is not None and (fault := keys_fault(self.jwks)):
            raise ValueError(f"jwks {fault}")
        if persons.issuer_text(self.issuer) is None:
            raise ValueError("issuer holds blanks, or is no address")
        if self.issuer.startswith("http://") and not is_key_address(self.issuer):
            raise ValueError("issuer is not an https address")
        return self

    @property
    def short_issuer(self) -> str:
        """The identity provider's address in the short form in which persons are stored."""
        return persons.issuer_text(self.issuer) or ""


class DeskProof(BaseModel):
    """How a company's persons prove who they are: by key alone, by tokens, or by its identity provider."""

    model_config = ConfigDict(frozen=True, extra="ignore", hide_input_in_errors=True)

    proof: ProofKind | Literal["unusable"] = ProofKind.KEYS
    provider: ProviderSettings | None = None

    @model_validator(mode="after")
    def _has_provider(self) -> DeskProof:
        if (self.proof == ProofKind.PROVIDER) != (self.provider is not None):
            raise ValueError("a provider is given where it proves, and nowhere else")
        return self


UNUSABLE = DeskProof(proof="unusable")
"""The value of a row that cannot be read: it closes the desk."""


def row_key(company_id: str) -> Item:
    """The key of the row in which a company's settings of proof are stored."""
    return {"company_id": f"{PREFIX}{company_id}", "project_id": PROOF}


def proof_in(item: Mapping[str, Any] | None) -> DeskProof:
    """How a company's persons prove themselves, from its row; `UNUSABLE` where it cannot be read.

    Without a row, desk keys alone suffice.
    """
    if item is None:
        return DeskProof()
    try:
        return DeskProof.model_validate(item)
    except ValidationError:
        return UNUSABLE


def keys_fault(document: Mapping[str, Any]) -> str | None:
    """Why an identity provider's pasted keys cannot be stored.

    None where none is private or shared, and one is of RSA or of a curve.
    """
    keys = document.get("keys")
    found = [jwk for jwk in keys if isinstance(jwk, dict)] if isinstance(keys, list) else []
    if any(_SECRET_PARTS & jwk.keys() for jwk in found):
        return "holds a private or a shared key: paste the public ones alone"
    if not any(jwk.get("kty") in ("RSA", "EC") for jwk in found):
        return "holds no public key of RSA or of a curve"
    return None


def is_key_address(address: str) -> bool:
    """Whether a provider's keys may be fetched from an address: https, or http on this machine."""
    try:
        parts = urlsplit(address)
        host = parts.hostname or ""
    except ValueError:
        return False
    is_plain = parts.username is None and parts.password is None and not parts.fragment
    is_here = parts.scheme == "http" and host in _LOOPBACK
    return bool(host) and is_plain and (parts.scheme == "https" or is_here)
