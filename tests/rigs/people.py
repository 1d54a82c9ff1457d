"""A company's identity provider: its keys, and the assertions that it signs."""

import functools

from joserfc import jwk, jwt

from chalicelib.errors import TransientError
from chalicelib.outreach.people import proof_settings
from chalicelib.outreach.people.acting import People
from chalicelib.outreach.people.company_providers import CompanyProviders
from chalicelib.outreach.people.desk_tokens import DeskTokens

ISSUER, AUDIENCE = "https://login.acme.example", "desk"
ROLES = {"Support": "agent", "Support leads": "lead"}
KEYS_AT = "https://login.acme.example/keys"


@functools.cache
def made(kind, name):
    """A key pair; made once."""
    if kind == "RSA":
        return jwk.RSAKey.generate_key(2048, {"kid": name}, private=True)
    return jwk.ECKey.generate_key("P-256", {"kid": name}, private=True)


class IdentityProvider:
    """What a company's provider publishes and signs.

    Args:
        clock: says when.
    """

    def __init__(self, clock):
        self.clock = clock
        self.keys = [made("RSA", "rsa-1"), made("EC", "ec-1")]
        self.asked = 0
        self.is_down = False

    @property
    def jwks(self):
        return {"keys": [key.as_dict(private=False) for key in self.keys]}

    def fetch(self, address):
        assert address == KEYS_AT
        self.asked += 1
        if self.is_down:
            raise TransientError("document", "get", reason="connect_failed")
        return self.jwks

    def settings(self, **more):
        given = {"issuer": ISSUER, "audience": AUDIENCE, "jwks": self.jwks, "roles": ROLES}
        return {name: value for name, value in (given | more).items() if value is not None}

    def signs(self, sub="00u1ana", *groups, key=None, alg="RS256", header=None, **claims):
        """An assertion; a claim that is None is left out."""
        now = int(self.clock.now().timestamp())
        known = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": sub,
            "iat": now,
            "exp": now + 300,
            "roles": list(groups or ("Support",)),
            **claims,
        }
        key = key or (made("EC", "ec-1") if alg == "ES256" else made("RSA", "rsa-1"))
        said = {name: value for name, value in known.items() if value is not None}
        return jwt.encode({"alg": alg, "kid": key.kid, **(header or {})}, said, key, [alg])


def people(table, clock, opaque, fetch):
    """What proves persons, over a table."""
    return People(
        table=table,
        tokens=DeskTokens(table=table, opaque=lambda: opaque, clock=clock),
        providers=lambda: CompanyProviders(fetch=fetch, clock=clock),
    )


def put_proof(table, company_id, proof, **more):
    """Store how a company's persons prove themselves."""
    table.put({**proof_settings.row_key(company_id), "proof": proof, **more})
