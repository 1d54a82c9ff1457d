"""The person and the role behind a company's request, once its key and signature are checked.

``Authorization: Bearer`` carries an assertion of the company's identity provider, or a token that
we issued.  Where the company has chosen one of the two, a desk key alone is not enough, and the
role comes from the proof, never from the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.errors import RequestError, SignatureError, UnavailableError
from chalicelib.once.store import Store
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons, proof_settings
from chalicelib.outreach.people.desk_tokens import DESK_PREFIX, ISSUER, DeskTokens
from chalicelib.outreach.people.proof_settings import INVALID, UNUSABLE, DeskProof, ProofKind

if TYPE_CHECKING:  # loaded with its library, which only companies with a provider need
    from chalicelib.outreach.people.company_providers import CompanyProviders

_BEARER = "bearer "


class NoRoleError(RequestError):
    """The person is proven, but has no role at the company's desk (403)."""

    status = 403


@dataclass(frozen=True, slots=True)
class ProvenPerson:
    """A person whose identity is proven, and their role."""

    person: persons.DeskPerson
    role: DeskRole


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Proves which person of a company makes a request.

    Attributes:
        table: the companies' settings; read for every request, so a change applies at once.
        providers: gives the identity providers, built at the first assertion.
    """

    table: Store
    tokens: DeskTokens
    providers: Callable[[], CompanyProviders]

    def person_behind(
        self, headers: Mapping[str, str], company_id: str, *, is_desk: bool
    ) -> tuple[ProvenPerson | None, bool]:
        """The person who makes a company's request, by the proof in its ``Authorization`` header.

        Args:
            headers: the request's headers, with names in lower case.
            company_id: the company whose key and signature the request has.
            is_desk: whether the request came with a desk key, so a person makes it.

        Returns:
            The proven person or None, and whether the company requires a proof of persons.

        Raises:
            SignatureError: ``PERSON_NOT_PROVEN``: a proof is required and missing;
                ``INVALID_ASSERTION``: the proof is not valid.
            NoRoleError: the person has no role at the desk.
            UnreachableError: the provider's keys cannot be read.
            UnavailableError: the company's row cannot be read.
        """
        proof = proof_settings.proof_in(self.table.get(proof_settings.row_key(company_id)))
        if proof is UNUSABLE:
            raise UnavailableError("CONFIGURATION_ERROR")
        is_needed = proof.proof != ProofKind.KEYS
        bearer = headers.get("authorization", "")
        if not bearer:
            if is_needed and is_desk:
                raise not_proven()
            return None, is_needed
        if not bearer.lower().startswith(_BEARER):
            raise SignatureError(INVALID, "header Authorization is no Bearer token")
        token = bearer[len(_BEARER) :].strip()
        return self._by_token(token, company_id, proof), is_needed

    def _by_token(self, token: str, company_id: str, proof: DeskProof) -> ProvenPerson:
        if proof.provider is not None:
            person, role = self.providers().person_and_role(token, proof.provider)
            if role is None:
                raise NoRoleError("AUTHORIZATION_ERROR", "the person has no role at this desk")
            return ProvenPerson(person, role)
        found = self.tokens.find(company_id, token) if token.startswith(DESK_PREFIX) else None
        bearer = persons.proven_person(found.person, ISSUER) if found else None
        if found is None or bearer is None:
            raise SignatureError(INVALID, "the token is not valid")
        return ProvenPerson(bearer, found.role)


def not_proven() -> SignatureError:
    """Make the error for a request that lacks the required proof of which person makes it."""
    return SignatureError(
        "PERSON_NOT_PROVEN", "header Authorization, which proves who the person is, is missing"
    )
