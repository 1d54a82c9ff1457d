"""Who acts at a company's desk: only a person who is proven, in the role that the proof has."""

import base64
import hmac
import json
from datetime import timedelta

import pytest
from cryptography.hazmat.primitives.asymmetric.padding import PKCS1v15
from cryptography.hazmat.primitives.hashes import SHA256

from chalicelib.once.door import HttpRequest
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import assertions, proof_settings
from tests.rigs.desk import AGENT, LEAD, OTHERS, OURS
from tests.rigs.names import NAMES
from tests.rigs.people import ISSUER, KEYS_AT, made, put_proof

ANA = "ana@example.com <00u1ana at login.acme.example>"


@pytest.fixture
def idp(desk):
    put_proof(desk.company_data, OURS, "provider", provider=desk.provider.settings())
    return desk.provider


def acts(desk, record, token, act="take", *, key=AGENT, once="k-1", **more):
    shown = desk.get(record, key=key, token=token)
    version = shown.body.get("version", "0" * 16)
    return desk.post(
        record, key=key, token=token, idempotency=once, act=act, version=version, **more
    )


def refused(answer):
    return answer.status, answer.body.get("code") or answer.body.get("error_code")


class TestKeysAlone:
    def test_an_agents_key_is_not_the_lead_whose_name_it_writes(self, desk):
        record = desk.handed_off()
        assert acts(desk, record, "", key=LEAD, by="lena").status == 200
        for act, more in (("close", {}), ("reply", {"text": "It is me."})):
            answer = acts(desk, record, "", act, by="lena", once=act, **more)
            assert refused(answer) == (409, "HELD_BY_ANOTHER")
        assert acts(desk, record, "", "close", key=LEAD, by="lena", once="k-9").status == 200

    def test_an_agents_token_is_not_the_lead_whose_name_it_has(self, desk):
        record = desk.handed_off()
        assert acts(desk, record, "", key=LEAD, by="lena").status == 200
        agent, lead = (
            desk.people.tokens.issue(OURS, "lena", role, timedelta(days=1))
            for role in (DeskRole.AGENT, DeskRole.LEAD)
        )
        answer = acts(desk, record, agent, "close", once="k-2")
        assert refused(answer) == (409, "HELD_BY_ANOTHER")
        assert acts(desk, record, lead, "close", once="k-3").status == 200

    def test_what_a_lead_hands_to_an_agent_is_the_agents(self, desk):
        record = desk.handed_off()
        acts(desk, record, "", key=LEAD, by="lena")
        acts(desk, record, "", "transfer", key=LEAD, by="lena", to="sam", once="k-2")
        assert acts(desk, record, "", "close", by="sam", once="k-3").status == 200

    def test_a_name_cannot_look_as_if_it_was_proven(self, desk):
        record = desk.handed_off()
        assert refused(acts(desk, record, "", by=ANA)) == (400, "INVALID_BY")

    def test_a_proof_that_no_one_can_check_is_refused_and_not_passed_over(self, desk):
        record = desk.handed_off()
        token = desk.provider.signs()
        assert refused(acts(desk, record, token, by="sam")) == (401, "INVALID_ASSERTION")


class TestProvider:
    @pytest.mark.parametrize("alg", ["RS256", "ES256"])
    def test_a_person_acts_as_the_subject_and_the_role_of_the_assertion(self, desk, idp, alg):
        record = desk.handed_off()
        token = idp.signs(email="ana@example.com", email_verified=True, alg=alg)
        assert acts(desk, record, token).status == 200
        assert desk.conversations.reread(record).handoff["taken_by"] == ANA
        (entry,) = desk.journal.story(record.opaque_id)
        assert entry["actor"] == f"{OURS}/{ANA}"

    @pytest.mark.usefixtures("idp")
    def test_a_desk_key_without_an_assertion_opens_nothing(self, desk):
        record = desk.handed_off()
        for key in (AGENT, LEAD):
            assert refused(desk.get(record, key=key)) == (401, "PERSON_NOT_PROVEN")
            assert refused(desk.listed(key=key)) == (401, "PERSON_NOT_PROVEN")
            assert refused(acts(desk, record, "", key=key, by="sam")) == (401, "PERSON_NOT_PROVEN")

    def test_a_name_in_the_body_is_refused_where_the_person_is_proven(self, desk, idp):
        record = desk.handed_off()
        answer = acts(desk, record, idp.signs(), by="lena")
        assert refused(answer) == (400, "UNKNOWN_FIELD")

    def test_a_leads_key_gives_an_agent_no_more_and_an_agents_key_a_lead_no_less(self, desk, idp):
        record = desk.handed_off()
        ana, lea = idp.signs("ana"), idp.signs("lea", "Support", "Support leads")
        bob = idp.signs("bob")
        assert acts(desk, record, ana).status == 200
        answer = acts(desk, record, bob, "close", key=LEAD, once="k-2")
        assert refused(answer) == (409, "HELD_BY_ANOTHER")
        assert acts(desk, record, lea, "close", key=AGENT, once="k-3").status == 200

    def test_an_address_that_is_not_verified_is_no_name(self, desk, idp):
        record = desk.handed_off()
        for number, claimed in enumerate((False, "true", None)):
            token = idp.signs(email="lena@example.com", email_verified=claimed)
            acts(desk, record, token, "note", text="x", once=f"k-{number}")
        assert {entry[2] for entry in desk.entries(record) if entry[1] == "internal"} == {
            "<00u1ana at login.acme.example>"
        }

    def test_a_subject_stays_the_person_when_the_address_changes(self, desk, idp):
        record = desk.handed_off()
        acts(desk, record, idp.signs(email="ana@example.com", email_verified=True))
        renamed = idp.signs(email="a.munoz@example.com", email_verified=True)
        assert acts(desk, record, renamed, "close", once="k-2").status == 200

    def test_an_address_that_another_subject_gets_is_another_person(self, desk, idp):
        record = desk.handed_off()
        acts(desk, record, idp.signs(email="ana@example.com", email_verified=True))
        other = idp.signs("00u2new", email="ana@example.com", email_verified=True)
        answer = acts(desk, record, other, "close", once="k-2")
        assert refused(answer) == (409, "HELD_BY_ANOTHER")

    @pytest.mark.parametrize("named", ["kim@example.com", "00u9kim"])
    def test_what_is_handed_to_a_name_is_with_who_has_proven_it(self, desk, idp, named):
        record = desk.handed_off()
        ana = idp.signs("ana")
        acts(desk, record, ana)
        acts(desk, record, ana, "transfer", to=named, once="k-2")
        claimed = idp.signs("eve", email="kim@example.com", email_verified=False)
        kim = idp.signs("00u9kim", email="kim@example.com", email_verified=True)
        answer = acts(desk, record, claimed, "close", once="k-3")
        assert refused(answer) == (409, "HELD_BY_ANOTHER")
        assert acts(desk, record, kim, "close", once="k-4").status == 200

    def test_who_has_no_role_at_the_desk_may_nothing(self, desk, idp):
        token = idp.signs("zoe", "Warehouse")
        assert refused(desk.listed(token=token)) == (403, "AUTHORIZATION_ERROR")

    def test_an_assertion_of_one_company_opens_no_other(self, desk, idp):
        answer = desk.listed(key="agent-key-2", token=idp.signs())
        assert refused(answer) == (401, "INVALID_ASSERTION")

    def test_a_row_that_cannot_be_read_closes_the_desk(self, desk):
        put_proof(desk.company_data, OURS, "provider", provider={"issuer": ISSUER})
        assert desk.listed(token=desk.provider.signs()).status == 500
        assert desk.listed().status == 500

    @pytest.mark.usefixtures("idp")
    def test_a_token_of_ours_is_none_where_a_provider_proves(self, desk):
        token = desk.people.tokens.issue(OURS, "sam", DeskRole.LEAD, timedelta(days=1))
        assert refused(desk.listed(token=token)) == (401, "INVALID_ASSERTION")


def _hmac_with_the_public_key(idp):
    pem = made("RSA", "rsa-1").as_pem(private=False)
    said = _said({"alg": "HS256", "kid": "rsa-1"}, _claims(idp))
    return f"{said}.{_coded(hmac.digest(pem, said.encode(), 'sha256'))}"


def _with_an_extension(idp, named=("x",)):
    said = _said({"alg": "RS256", "kid": "rsa-1", "crit": named, "x": 1}, _claims(idp))
    key = made("RSA", "rsa-1").private_key
    return f"{said}.{_coded(key.sign(said.encode(), PKCS1v15(), SHA256()))}"


def _coded(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


def _said(header, claims):
    return ".".join(_coded(json.dumps(part).encode()) for part in (header, claims))


def _unsigned(idp):
    return f"{_said({'alg': 'none', 'kid': 'rsa-1'}, _claims(idp))}."


def _claims(idp):
    now = int(idp.clock.now().timestamp())
    return {
        "iss": ISSUER,
        "aud": "desk",
        "sub": "eve",
        "iat": now,
        "exp": now + 60,
        "roles": ["Support leads"],
    }


def _changed(idp):
    head, _, signed = idp.signs("ana").split(".")
    return ".".join((head, idp.signs("eve", "Support leads").split(".")[1], signed))


FORGED = {
    "hmac with the public key": _hmac_with_the_public_key,
    "unsigned": _unsigned,
    "claims of another token": _changed,
    "another key of the same name": lambda idp: idp.signs(
        key=type(made("RSA", "x")).generate_key(2048, {"kid": "rsa-1"}, private=True)
    ),
    "a key of its own in the header": lambda idp: idp.signs(
        key=made("RSA", "evil"),
        header={"jwk": made("RSA", "evil").as_dict(private=False), "kid": "rsa-1"},
    ),
    "keys of its own by address": lambda idp: idp.signs(
        key=made("RSA", "evil"), header={"jku": "https://evil.example/keys", "kid": "rsa-1"}
    ),
    "a key that is not known": lambda idp: idp.signs(key=made("RSA", "evil")),
    "RS512": lambda idp: idp.signs(alg="RS512"),
    "an extension that must be understood": _with_an_extension,
    "an empty list of extensions": lambda idp: _with_an_extension(idp, ()),
    "a logout token": lambda idp: idp.signs(header={"typ": "logout+jwt"}),
    "another issuer": lambda idp: idp.signs(iss="https://login.other.example"),
    "an issuer with a slash more": lambda idp: idp.signs(iss=f"{ISSUER}/"),
    "another audience": lambda idp: idp.signs(aud="shop"),
    "no audience": lambda idp: idp.signs(aud=None),
    "an audience that is part of it": lambda idp: idp.signs(aud=["desks"]),
    "an audience that is a number": lambda idp: idp.signs(aud=7),
    "an object that holds the audience": lambda idp: idp.signs(aud={"desk": 1}),
    "an end beyond every number": lambda idp: idp.signs(exp=10**400),
    "over": lambda idp: idp.signs(exp=int(idp.clock.now().timestamp()) - 61),
    "no end": lambda idp: idp.signs(exp=None),
    "an end that is no number": lambda idp: idp.signs(exp="tomorrow"),
    "not yet": lambda idp: idp.signs(nbf=int(idp.clock.now().timestamp()) + 61),
    "made in the future": lambda idp: idp.signs(
        iat=int(idp.clock.now().timestamp()) + 61, exp=int(idp.clock.now().timestamp()) + 90
    ),
    "no beginning": lambda idp: idp.signs(iat=None),
    "a life of a year": lambda idp: idp.signs(exp=int(idp.clock.now().timestamp()) + 31_536_000),
    "no subject": lambda idp: idp.signs(None),
    "a subject that looks like another": lambda idp: idp.signs("a <00u1ana at x>"),
    "a subject of nine thousand": lambda idp: idp.signs("a" * 9_000),
    "no token": lambda idp: "x",
    "three dots": lambda idp: "...",
}


@pytest.mark.parametrize("how", FORGED)
def test_what_does_not_hold_is_refused_and_changes_nothing(desk, idp, how):
    record = desk.handed_off()
    token = FORGED[how](idp)
    answer = desk.post(record, token=token, act="take", version="0" * 16)
    assert refused(answer) == (401, "INVALID_ASSERTION")
    assert refused(desk.get(record, token=token)) == (401, "INVALID_ASSERTION")
    assert token not in str(answer.body)
    assert "taken_by" not in desk.conversations.reread(record).handoff


ODD = [
    *("0", "-1", "1.5", "1e400", "NaN", "-Infinity", "1" + "0" * 400, "1" + "0" * 5000),
    *("true", "null", '""', '"\\ud800"', "[]", "[[]]", '[["desk"]]', "{}", '{"desk": 1}'),
    "[" * 2000 + "]" * 2000,
]
"""Values of JSON that no provider writes into a claim."""
CLAIMS = ("iss", "aud", "iat", "exp", "nbf", "sub", "roles", "email", "email_verified")
HEADERS = ("alg", "kid", "typ", "cty", "crit", "b64", "jku", "jwk", "x5c")


def _signed(header, claims):
    said = ".".join(_coded(part.encode()) for part in (header, claims))
    key = made("RSA", "rsa-1").private_key
    return f"{said}.{_coded(key.sign(said.encode(), PKCS1v15(), SHA256()))}"


def _json(known, name, text):
    kept = {**{field: json.dumps(value) for field, value in known.items()}, name: text}
    return "{" + ", ".join(f'"{field}": {value}' for field, value in kept.items()) + "}"


def _answers(desk, idp, header=None, claim=None):
    """What the desk answers where a header or a claim is each of the odd values."""
    known = {"alg": "RS256", "kid": "rsa-1"}
    claims = {**_claims(idp), "email": "eve@example.com"}
    for text in ODD:
        token = _signed(
            _json(known, header, text) if header else json.dumps(known),
            _json(claims, claim, text) if claim else json.dumps(claims),
        )
        yield text, refused(desk.listed(token=token))


@pytest.mark.parametrize("name", CLAIMS)
def test_a_claim_of_any_value_is_taken_or_refused_by_its_name(desk, idp, name):
    found = dict(_answers(desk, idp, claim=name))
    assert {status for status, _ in found.values()} <= {200, 401, 403}
    if name in {"iss", "aud", "iat", "exp", "sub"}:
        assert {status for status, _ in found.values()} == {401}


@pytest.mark.parametrize("name", HEADERS)
def test_a_header_of_any_value_is_taken_or_refused(desk, idp, name):
    found = dict(_answers(desk, idp, header=name))
    assert {status for status, _ in found.values()} <= {200, 401}
    if name in {"alg", "kid"}:
        assert {status for status, _ in found.values()} == {401}


@pytest.mark.parametrize("token", ["desk_", "desk_\ud800", "desk_\x00", "desk_" + "a" * 100_000])
def test_a_token_of_any_text_is_refused(desk, token):
    put_proof(desk.company_data, OURS, "tokens")
    assert refused(desk.listed(token=token)) == (401, "INVALID_ASSERTION")


@pytest.mark.parametrize("scheme", ["Basic", "JWT", "bearer"])
def test_a_proof_is_a_bearer_token(desk, idp, scheme):
    headers = {"x-api-key": AGENT, "authorization": f"{scheme} {idp.signs()}"}
    answer = desk.door.list_handoffs(HttpRequest("GET", "/desk/conversations", {}, headers))
    assert answer.status == (200 if scheme == "bearer" else 401)


def test_clocks_may_differ_by_a_minute(desk, idp):
    now = int(desk.clock.now().timestamp())
    assert desk.listed(token=idp.signs(exp=now - 59, iat=now - 300)).status == 200
    assert desk.listed(token=idp.signs(iat=now + 59, exp=now + 200)).status == 200


class TestKeysByAddress:
    @pytest.fixture
    def idp(self, desk):
        settings = desk.provider.settings(jwks=None, jwks_url=KEYS_AT)
        put_proof(desk.company_data, OURS, "provider", provider=settings)
        providers = desk.people.providers()
        object.__setattr__(desk.people, "providers", lambda: providers)
        return desk.provider

    def test_they_are_read_once_in_a_while_and_at_once_where_one_is_new(self, desk, idp):
        for _ in range(3):
            assert desk.listed(token=idp.signs()).status == 200
        assert idp.asked == 1
        desk.clock.forward(61)
        idp.keys.append(made("RSA", "rsa-2"))
        assert desk.listed(token=idp.signs(key=made("RSA", "rsa-2"))).status == 200
        assert idp.asked == 2

    def test_keys_that_nobody_has_cost_one_question_a_minute(self, desk, idp):
        desk.listed(token=idp.signs())
        desk.clock.forward(61)
        for _ in range(5):
            assert desk.listed(token=idp.signs(key=made("RSA", "evil"))).status == 401
        assert idp.asked == 2

    def test_while_they_cannot_be_read_the_known_ones_count_for_an_hour(self, desk, idp):
        desk.listed(token=idp.signs())
        idp.is_down = True
        desk.clock.forward(3_500)
        assert desk.listed(token=idp.signs()).status == 200
        desk.clock.forward(200)
        assert refused(desk.listed(token=idp.signs())) == (503, "PROVIDER_UNREACHABLE")
        idp.is_down = False
        desk.clock.forward(61)
        assert desk.listed(token=idp.signs()).status == 200

    def test_a_key_that_the_provider_drops_counts_no_more(self, desk, idp):
        desk.listed(token=idp.signs())
        old = idp.keys.pop(0)
        desk.clock.forward(601)
        assert desk.listed(token=idp.signs(key=old)).status == 401


class TestTokens:
    @pytest.fixture
    def tokens(self, desk):
        put_proof(desk.company_data, OURS, "tokens")
        return desk.people.tokens

    @pytest.mark.parametrize("name", [name for name in NAMES if "<" not in name])
    def test_a_person_acts_under_the_name_that_the_token_was_issued_to(self, desk, tokens, name):
        record = desk.handed_off()
        token = tokens.issue(OURS, name, DeskRole.AGENT, timedelta(days=1))
        assert acts(desk, record, token).status == 200
        assert desk.conversations.reread(record).handoff["taken_by"] == f"<{name} at desk-token>"
        assert acts(desk, record, token, "reply", text="It is me.", once="k-2").status == 200

    def test_the_role_is_that_of_the_token(self, desk, tokens):
        record = desk.handed_off()
        sam, kim, lea = (
            tokens.issue(OURS, name, role, timedelta(days=1))
            for name, role in (
                ("sam", DeskRole.AGENT),
                ("kim", DeskRole.AGENT),
                ("lea", DeskRole.LEAD),
            )
        )
        acts(desk, record, sam)
        answer = acts(desk, record, kim, "close", key=LEAD, once="k-2")
        assert refused(answer) == (409, "HELD_BY_ANOTHER")
        assert acts(desk, record, lea, "close", key=AGENT, once="k-3").status == 200

    @pytest.mark.usefixtures("tokens")
    def test_a_key_alone_opens_nothing_where_tokens_are_asked_for(self, desk):
        assert refused(desk.listed(key=LEAD)) == (401, "PERSON_NOT_PROVEN")

    def test_a_token_ends_at_its_end_and_at_once_when_it_is_revoked(self, desk, tokens):
        first, second = (
            tokens.issue(OURS, "sam", DeskRole.AGENT, timedelta(days=1)) for _ in range(2)
        )
        assert desk.listed(token=first).status == desk.listed(token=second).status == 200
        issued, _ = sorted(tokens.listed(OURS), key=lambda issued: issued.token_id)
        assert tokens.revoke(OURS, issued.token_id)
        assert not tokens.revoke(OURS, issued.token_id)
        assert {desk.listed(token=first).status, desk.listed(token=second).status} == {200, 401}
        desk.clock.forward(86_400)
        assert desk.listed(token=first).status == desk.listed(token=second).status == 401

    def test_a_token_of_one_company_is_none_of_another(self, desk, tokens):
        token = tokens.issue(OTHERS, "sam", DeskRole.LEAD, timedelta(days=1))
        assert desk.listed(token=token).status == 401
        assert desk.listed(key="agent-key-2", token=token).status == 200

    def test_the_table_holds_nothing_that_acts(self, desk, tokens):
        token = tokens.issue(OURS, "sam", DeskRole.LEAD, timedelta(days=1))
        assert token not in str(desk.company_data.scan_page(limit=10))
        (row,) = tokens.listed(OURS)
        assert desk.listed(token=f"desk_{row.token_id}").status == 401


def test_a_set_of_keys_is_read_as_far_as_it_can_be():
    good = made("RSA", "rsa-1").as_dict(private=False)
    given = {
        "keys": [
            "no key",
            {"kty": "oct", "k": "c2VjcmV0"},
            {"kty": "LWE"},
            {**made("RSA", "rsa-1").as_dict(private=False), "use": "enc"},
            {**good, "kid": "small", "n": good["n"][:171]},
            made("EC", "ec-1").as_dict(private=False),
        ]
    }
    assert [key.kid for key in assertions.keys_in(given)] == ["ec-1"]
    assert assertions.keys_in({"keys": 7}) == assertions.keys_in({}) == []


@pytest.mark.parametrize(
    "change",
    [
        {"issuer": ""},
        {"issuer": "a b"},
        {"audience": None},
        {"jwks": None},
        {"jwks_url": KEYS_AT},
        {"jwks": {"keys": []}},
        {"jwks": {"keys": [{"kty": "oct", "k": "c2VjcmV0"}]}},
        {"jwks": {"keys": [made("EC", "ec-1").as_dict(private=True)]}},
        {"issuer": "http://login.acme.example"},
        {"jwks": None, "jwks_url": "http://login.acme.example/keys"},
        {"jwks": None, "jwks_url": "https://u:p@login.acme.example/keys"},
        {"roles": {}},
        {"roles": {"Support": "owner"}},
        {"longest_minutes": 100_000},
        {"isuer": "x"},
    ],
)
def test_settings_of_a_provider_that_cannot_be_kept_to_are_none(desk, change):
    item = {"proof": "provider", "provider": desk.provider.settings(**change)}
    assert proof_settings.proof_in(item) is proof_settings.UNUSABLE
