"""Proofs of persons under attack, at the desk and the register: assertions and tokens that have ended, are
altered, revoked, another company's or another provider's.  Each must be refused and change nothing."""

from __future__ import annotations

import base64
import hashlib
import hmac
import ipaddress
import itertools
import json
import random
from collections.abc import Iterator, Mapping
from datetime import timedelta
from types import ModuleType
from typing import Any

from chalicelib.clock import SystemClock
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import proof_settings
from chalicelib.outreach.people.desk_tokens import DeskTokens
from chalicelib.wiring import services
from local import company
from local.stack.lambda_events import LambdaContext
from local.stack.resources import Stage
from tests.attack.doors import DOORS, Door
from tests.attack.run import Report, written_by
from tests.rigs.api_gateway import event
from tests.rigs.fakes import ManualClock
from tests.rigs.people import ISSUER, IdentityProvider, made

NAMES = ("desk_list", "desk_conversation", "desk_act", "register_lift")
OTHER = "ci-bbb-002"


class PersonAttacker:
    """Attacks the doors that ask who acts.

    Args:
        app: the module `app`, in the environment of a stage.
        stage: with the company and its desk.
    """

    def __init__(self, app: ModuleType, stage: Stage) -> None:
        self._app, self._stage = app, stage
        self._doors = [door for door in DOORS if door.name in NAMES]
        found = services()
        table = found.table(found.settings.company_data_table)
        self._clock = SystemClock()
        self._addresses = map(str, itertools.cycle(ipaddress.ip_network("198.18.0.0/15")))
        self._ids = found.opaque_ids
        self._table = table
        self.provider = IdentityProvider(self._clock)

    def attack(self, report: Report, count: int, seed: int) -> None:
        """Send so many requests: half where a provider proves, half where tokens do."""
        chance = random.Random(f"{seed}persons")
        for proof, proofs in (("provider", self.assertions), ("tokens", self.tokens)):
            more = {"provider": self.provider.settings()} if proof == "provider" else {}
            row = {**proof_settings.row_key(company.COMPANY_ID), "proof": proof, **more}
            company.put_rows(self._stage, [row])
            tries = list(proofs(chance))
            for number in range(count // 2):
                kind, shown = tries[number % len(tries)]
                door = self._doors[number // len(tries) % len(self._doors)]
                status, problem = self.send(door, shown)
                report.answers[f"who acts: {proof}"[:20], kind][status] += 1
                if problem:
                    report.problems.setdefault(f"{door.name} {kind}: {problem}", shown[:200])
        company.put_rows(
            self._stage, [{**proof_settings.row_key(company.COMPANY_ID), "proof": "keys"}]
        )

    def send(self, door: Door, authorization: str) -> tuple[int, str]:
        """One valid request with a lead's key and this proof of a person."""
        fields = door.example(0)
        if isinstance(fields, dict):
            fields = {name: value for name, value in fields.items() if name != "by"}
        headers = {
            "content-type": "application/json",
            "x-api-key": company.LEAD_KEY,
            "idempotency-key": "k-1",
            **({"authorization": authorization} if authorization else {}),
        }
        query = {name: [value] for name, value in (door.query or {}).items()} or None
        body = door.body(fields)
        sent = event(
            door.method, door.path, body, headers, query=query, address=next(self._addresses),
            **(door.parameters or {}),
        )  # fmt: skip
        with written_by():
            answer = self._app.app(sent, LambdaContext())
        status = answer["statusCode"]
        if status not in (401, 403):
            return status, f"answered {status}"
        secret = authorization.rpartition(" ")[2]
        return status, "tells the proof" if len(secret) > 8 and secret in answer["body"] else ""

    def assertions(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """What is no assertion of the company's provider for this desk, now."""
        now, idp = int(self._clock.now().timestamp()), self.provider
        good = idp.signs("ana", "Support leads")
        bad: Mapping[str, list[str]] = {
            "expired": [idp.signs(iat=now - 900, exp=now - ago) for ago in (61, 300, 899)],
            "not yet": [idp.signs(nbf=now + 90), idp.signs(iat=now + 90, exp=now + 120)],
            "endless": [idp.signs(exp=now + 10**8), idp.signs(exp=None), idp.signs(exp=10**400)],
            "other kinds of value": [
                idp.signs(**{name: value})
                for name in ("iss", "aud", "sub", "iat", "exp", "nbf")
                for value in (True, [], {"desk": 1}, "", -1, float("nan"), 1e400)
                if (name, value) not in (("nbf", -1), ("nbf", -1.0))
            ],
            "foreign": [
                idp.signs(iss="https://login.other.example"),
                idp.signs(iss=f"{ISSUER}/"),
                idp.signs(aud="shop"),
                idp.signs(aud=["desks"]),
                idp.signs(key=made("RSA", "evil")),
                idp.signs(key=made("RSA", "evil"), header={"kid": "rsa-1"}),
                idp.signs(key=made("EC", "evil"), alg="ES256", header={"kid": "ec-1"}),
            ],
            "no role": [
                idp.signs("ana", "Visitors"),
                idp.signs(roles=None),
                idp.signs(roles={"Support": 1}),
            ],
            "unsigned": [
                _jwt({"alg": alg, "kid": "rsa-1"}, good, b"")
                for alg in ("none", "None", "", "HS256")
            ],
            "by the public key": [
                _jwt(
                    {"alg": "HS256", "kid": "rsa-1"},
                    good,
                    made("RSA", "rsa-1").as_pem(private=False),
                )
            ],
            "key of its own": [
                idp.signs(key=made("RSA", "evil"), header={"kid": "rsa-1", name: value})
                for name, value in (
                    ("jwk", made("RSA", "evil").as_dict(private=False)),
                    ("jku", "https://evil.example/keys"),
                    ("x5u", "https://evil.example/keys"),
                )
            ],
            "token of ours": [self._token(DeskRole.LEAD)],
            "altered": list(_altered(good, chance)),
        }
        yield "none", ""
        for kind, tokens in bad.items():
            for token in tokens:
                yield kind, f"Bearer {token}"
        for scheme in ("Basic", "JWT", "Bearer Bearer"):
            yield "other scheme", f"{scheme} {good}"

    def tokens(self, chance: random.Random) -> Iterator[tuple[str, str]]:
        """What is no valid token of ours for a person of this company."""
        good = self._token(DeskRole.LEAD)
        revoked = self._token(DeskRole.LEAD)
        tokens = self._tokens()
        tokens.revoke(company.COMPANY_ID, tokens._hash(company.COMPANY_ID, revoked))
        ended = self._tokens(ManualClock(self._clock.now() - timedelta(days=91)))
        yield "none", ""
        yield "revoked", f"Bearer {revoked}"
        yield (
            "expired",
            f"Bearer {ended.issue(company.COMPANY_ID, 'ana', DeskRole.LEAD, timedelta(days=90))}",
        )
        yield "foreign", f"Bearer {tokens.issue(OTHER, 'ana', DeskRole.LEAD, timedelta(days=1))}"
        yield "its hash", f"Bearer {tokens._hash(company.COMPANY_ID, good)}"
        yield "assertion", f"Bearer {self.provider.signs('ana', 'Support leads')}"
        yield "api key", f"Bearer {company.LEAD_KEY}"
        for token in _altered(good, chance):
            yield "altered", f"Bearer {token}"
        for scheme in ("Basic", "Token", "Bearer Bearer"):
            yield "other scheme", f"{scheme} {good}"

    def _token(self, role: DeskRole) -> str:
        return self._tokens().issue(company.COMPANY_ID, "ana", role, timedelta(days=1))

    def _tokens(self, clock: Any = None) -> DeskTokens:
        ids = self._ids() if callable(self._ids) else self._ids
        return DeskTokens(table=self._table, opaque=lambda: ids, clock=clock or self._clock)


def _altered(token: str, chance: random.Random) -> Iterator[str]:
    """One character changed, left out or repeated, at places by chance; the parts in another order."""
    for at in chance.sample(range(len(token) - 2), 40):
        letter = token[at]
        yield token[:at] + ("A" if letter != "A" else "B") + token[at + 1 :]
        yield token[:at] + token[at + 1 :]
        yield token[:at] + letter + token[at:]
    yield token.swapcase()
    yield f"{token}.{token}"
    yield f"{token},{token}"
    yield ".".join(reversed(token.split("."))) if "." in token else token[::-1]


def _jwt(header: Mapping[str, Any], claims_of: str, secret: bytes) -> str:
    """The claims of another token under a header of its own, by a MAC or by nothing."""
    head = base64.urlsafe_b64encode(json.dumps(header).encode()).rstrip(b"=").decode()
    signed = f"{head}.{claims_of.split('.')[1]}"
    mac = hmac.new(secret, signed.encode(), hashlib.sha256).digest() if secret else b""
    return f"{signed}.{base64.urlsafe_b64encode(mac).rstrip(b'=').decode()}"
