"""The person and the role behind a request of a company, once its key and signature are checked.

``Authorization: Bearer`` carries an assertion of the company's identity provider, or a token of ours.
Where the company has chosen one of the two, a desk's key alone is not enough, and the role is that of
the proof, never that of the key.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chalicelib.errors import RequestError, SignatureError, UnavailableError
from chalicelib.once.store import Store
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons, proof_settings
from chalicelib.outreach.people.desk_tokens import ISSUER, STARTS, DeskTokens
from chalicelib.outreach.people.proof_settings import INVALID, UNUSABLE, DeskProof, ProofKind

if TYPE_CHECKING:  # with its library, which only companies with a provider need
    from chalicelib.outreach.people.company_providers import CompanyProviders

_BEARER = "bearer "


class NoRoleError(RequestError):
    """The person is known and has no role at this desk."""

    status = 403


@dataclass(frozen=True, slots=True)
class Proven:
    """A person who has proven who they are, and what they may do."""

    person: persons.DeskPerson
    role: DeskRole


@dataclass(frozen=True, slots=True, kw_only=True)
class People:
    """Proves who acts.

    Attributes:
        table: of companies' settings; read as it is now, so that a change counts at once.
        providers: built for the first assertion.
    """

    table: Store
    tokens: DeskTokens
    providers: Callable[[], CompanyProviders]

    def behind(
        self, headers: Mapping[str, str], company_id: str, *, is_desk: bool
    ) -> tuple[Proven | None, bool]:
        """Who makes a request.

        Args:
            headers: of the request, with names in lower case.
            company_id: whose key and signature it has.
            is_desk: it came with a desk's key: a person makes it.

        Returns:
            The person, None where none is proven; and whether the company's persons have to be.

        Raises:
            SignatureError: ``PERSON_NOT_PROVEN``: there is no proof, and there has to be one;
                ``INVALID_ASSERTION``: it does not hold.
            NoRoleError: the person has no role at the desk.
            UnreachableError: the provider's keys cannot be read.
            UnavailableError: the company's row says nothing that can be kept to.
        """
        proof = proof_settings.proof_in(self.table.get(proof_settings.key(company_id)))
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

    def _by_token(self, token: str, company_id: str, proof: DeskProof) -> Proven:
        if proof.provider is not None:
            person, role = self.providers().proven(token, proof.provider)
            if role is None:
                raise NoRoleError("AUTHORIZATION_ERROR", "the person has no role at this desk")
            return Proven(person, role)
        found = self.tokens.find(company_id, token) if token.startswith(STARTS) else None
        named = persons.proven(found.person, ISSUER) if found else None
        if found is None or named is None:
            raise SignatureError(INVALID, "the token is not valid")
        return Proven(named, found.role)


def not_proven() -> SignatureError:
    """The refusal of a request without a proof of its person."""
    return SignatureError(
        "PERSON_NOT_PROVEN", "header Authorization is missing: it proves who the person is"
    )
