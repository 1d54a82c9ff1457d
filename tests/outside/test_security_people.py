"""The promises of docs/security.md about who acts, tried from outside: by tokens and by a provider."""

import contextlib
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from joserfc import jwk, jwt

from tests.outside.running import SECOND

ACCOUNT = f"AC{2:032}"
ISSUER, LEADS, AGENTS = "https://login.second.example", "Leads", "Agents"
KEYS = [jwk.ECKey.generate_key("P-256", {"kid": name}, private=True) for name in ("one", "two")]


class Desk:
    """The second company's desk, whose key is a lead's."""

    def __init__(self, stack, folder):
        self._stack, self._folder = stack, folder

    def asks(self, proof, **provider):
        """Set how persons must prove who they are from now on."""
        more = ()
        if provider:
            file = self._folder / "provider.json"
            roles = {LEADS: "lead", AGENTS: "agent"}
            known = {"issuer": ISSUER, "audience": "desk", "roles": roles, **provider}
            file.write_text(json.dumps(known))
            more = ("--file", file)
        self._stack.ops("company", "desk-proof", SECOND.id, "--proof", proof, *more, "--yes")

    def token(self, person, role):
        """A token of ours for a person."""
        issued = self._stack.ops(
            "desk-token", "issue", SECOND.id, person, "--role", role, "--yes", "--json"
        )
        return json.loads(issued.out)["token"]

    def assertion(self, sub, group=AGENTS, key=KEYS[0], **claims):
        """What the provider gives a person, for five minutes."""
        now = int(self._stack.now().timestamp())
        times = {"iat": now, "exp": now + 300}
        said = {"iss": ISSUER, "aud": "desk", "sub": sub, "roles": [group], **times, **claims}
        return jwt.encode({"alg": "ES256", "kid": key.kid}, said, key, ["ES256"])

    def waiting(self):
        """A conversation that waits for a person."""
        to = self._stack.tel()
        started = self._stack.start(to, of=SECOND).json()["request_id"]
        self._stack.says(to, "I want to speak to a person", to=SECOND.sms, account=ACCOUNT)
        path = f"/conversations/{started}/messages"
        headers = {"x-api-key": SECOND.router_key}
        return self._stack.request("GET", path, headers=headers).json()["conversation"]

    def shows(self, opaque_id, proof):
        """A conversation as a person's program reads it."""
        headers = self._headers(proof)
        return self._stack.request("GET", f"/desk/conversations/{opaque_id}", headers=headers)

    def holder(self, opaque_id, proof):
        """Who has a conversation, as the list shows them."""
        path = "/desk/conversations?state=taken&limit=200"
        answer = self._stack.request("GET", path, headers=self._headers(proof))
        listed = answer.json()["conversations"]
        return next(row["taken_by"] for row in listed if row["id"] == opaque_id)

    def acts(self, opaque_id, proof, name, **fields):
        """Do an act as the person whom the proof names."""
        version = self.shows(opaque_id, proof).json().get("version", "0" * 16)
        body = {"act": name, "version": version, **fields}
        headers = {**self._headers(proof), "idempotency-key": f"k-{self._stack.number()}"}
        path = f"/desk/conversations/{opaque_id}/acts"
        answer = self._stack.request("POST", path, headers=headers, json=body)
        self._stack.settle()
        return answer

    @staticmethod
    def _headers(proof):
        given = {} if proof is None else {"authorization": f"Bearer {proof}"}
        return {"x-api-key": SECOND.lead_key, **given}


@pytest.fixture
def desk(stack, tmp_path):
    made = Desk(stack, tmp_path)
    yield made
    made.asks("keys")


@pytest.fixture
def provider(desk):
    """Persons are proven by the company's provider, whose key is pasted."""
    desk.asks("provider", jwks={"keys": [KEYS[0].as_dict(private=False)]})
    return desk


def code(answer):
    return answer.status_code, answer.json().get("code")


def test_a_persons_role_is_that_of_their_proof_and_not_of_the_key_or_a_name(desk):
    lead, agent = desk.token("Lea", "lead"), desk.token("Ana", "agent")
    desk.asks("tokens")
    held = desk.waiting()
    assert desk.acts(held, lead, "take").status_code == 200
    assert code(desk.acts(held, agent, "reply", text="Me.")) == (409, "HELD_BY_ANOTHER")
    assert code(desk.acts(held, agent, "reply", text="Me.", by="Lea")) == (400, "UNKNOWN_FIELD")
    assert code(desk.acts(held, None, "reply", text="Me.")) == (401, "PERSON_NOT_PROVEN")
    own = desk.waiting()
    assert desk.acts(own, agent, "take").status_code == 200
    assert desk.acts(own, lead, "reply", text="The lead here.").status_code == 200


def test_a_desk_token_that_our_command_ends_opens_nothing_from_then_on(stack, desk):
    token, other = desk.token("o'brien@example.com", "agent"), desk.token("Ana", "agent")
    desk.asks("tokens")
    held = desk.waiting()
    assert desk.shows(held, token).status_code == 200
    stack.ops("desk-token", "revoke", SECOND.id, "o'brien@example.com", "--yes")
    assert code(desk.shows(held, token)) == (401, "INVALID_ASSERTION")
    assert code(desk.acts(held, token, "take")) == (401, "INVALID_ASSERTION")
    assert desk.shows(held, other).status_code == 200


def test_an_e_mail_address_that_is_not_verified_names_no_one(provider):
    mail = "lea@second.example"
    held = provider.waiting()
    for claims, shown in (
        ({"email": mail}, "<00u1 at login.second.example>"),
        ({"email": mail, "email_verified": "true"}, "<00u1 at login.second.example>"),
        ({"email": mail, "email_verified": True}, f"{mail} <00u1 at login.second.example>"),
    ):
        proof = provider.assertion("00u1", **claims)
        assert provider.acts(held, proof, "take").status_code == 200
        assert provider.holder(held, proof) == shown
        assert provider.acts(held, proof, "give_back").status_code == 200
        held = provider.waiting()


def test_a_person_is_their_subject_at_the_provider_whatever_they_are_called(provider):
    verified = {"email_verified": True}
    held = provider.waiting()
    first = provider.assertion("00u1", email="ana@second.example", **verified)
    assert provider.acts(held, first, "take").status_code == 200
    other = provider.assertion("00u2", email="ana@second.example", **verified)
    assert code(provider.acts(held, other, "reply", text="Me.")) == (409, "HELD_BY_ANOTHER")
    renamed = provider.assertion("00u1", email="ana.b@second.example", **verified)
    assert provider.acts(held, renamed, "reply", text="Still me.").status_code == 200


def test_a_person_whom_the_provider_signs_in_no_more_is_out_when_their_last_assertion_ends(
    stack, provider
):
    held, last = provider.waiting(), provider.assertion("00u1", LEADS)
    assert provider.shows(held, last).status_code == 200
    stack.forward(minutes=7)
    assert code(provider.shows(held, last)) == (401, "INVALID_ASSERTION")
    endless = provider.assertion("00u1", LEADS, exp=int(stack.now().timestamp()) + 31_536_000)
    assert code(provider.shows(held, endless)) == (401, "INVALID_ASSERTION")


def test_a_key_that_the_provider_withdraws_proves_no_one_ten_minutes_later(stack, desk):
    published = [KEYS[0]]
    with _publishes(published) as address:
        desk.asks("provider", jwks_url=address)
        held = desk.waiting()
        assert desk.shows(held, desk.assertion("00u1")).status_code == 200
        published[:] = [KEYS[1]]
        stack.forward(minutes=11)
        assert code(desk.shows(held, desk.assertion("00u1"))) == (401, "INVALID_ASSERTION")
        assert desk.shows(held, desk.assertion("00u1", key=KEYS[1])).status_code == 200


@contextlib.contextmanager
def _publishes(keys):
    """The provider's page of keys, as they are then."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            body = json.dumps({"keys": [key.as_dict(private=False) for key in keys]}).encode()
            self.send_response(200)
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            """Nothing is printed."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/keys"
        finally:
            server.shutdown()
            thread.join()
