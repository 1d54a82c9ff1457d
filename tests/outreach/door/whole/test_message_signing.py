"""A company with signature keys: every door takes what is signed so, and nothing else."""

import base64
import json
from datetime import UTC, datetime, timedelta
from urllib.parse import urlencode

import pytest

from chalicelib.clock import iso
from chalicelib.outreach.company_events import standard_webhooks
from local import company
from tests.rigs.outreach import TEL
from tests.rigs.signing_example import python_example

SECRET = base64.b64encode(bytes(range(32))).decode()
OTHER = base64.b64encode(bytes(32)).decode()
WHSEC = f"whsec_{base64.b64encode(b'0' * 24).decode()}"
KEYS = {"k-1": {"algorithm": "hmac-sha256", "secret": SECRET}}
DESK = "/desk/conversations"


class Asking:
    """Requests to the doors of a company."""

    def __init__(self, outreach):
        self.outreach = outreach

    def stores(self, **attributes):
        """Store the company's entry beside its keys."""
        desk = {"agent": [company.AGENT_KEY], "lead": [company.LEAD_KEY]}
        entry = {"api_keys": [company.API_KEY], "desk_keys": desk, **attributes}
        name = f"rp-mw/{self.outreach.stage.name}/router/api_keys"
        company.put_secrets(self.outreach.stage, {name: json.dumps({company.COMPANY_ID: entry})})
        self.outreach.new_container()

    def signed(self, method, path, body=b"", *, query=(), key=company.API_KEY, **more):
        """The headers of a signed request."""
        how = {"key_id": "k-1", "secret": SECRET, **more}
        given = {"x-api-key": key, "content-type": "application/json"}
        return python_example()(
            method, path, {**given, **how.pop("headers", {})}, query=query, body=body, **how
        )

    def sends(self, method, path, headers, body=b"", query=()):
        """What a door answers."""
        address = f"{path}?{urlencode(query)}" if query else path
        with self.outreach._client() as client:
            return client.http.request(method, address, headers=headers, body=body)


@pytest.fixture
def asking(outreach):
    return Asking(outreach)


def start(number="req-1"):
    return json.dumps(company.request(number, "sms", TEL)).encode()


QUESTION = json.dumps(
    {
        "company_id": company.COMPANY_ID,
        "project_id": company.PROJECT_ID,
        "channel_method": "sms",
        "recipient_tel": TEL,
    }
).encode()
ADDRESS = json.dumps({"address": TEL}).encode()
DOORS = [
    ("POST", "/initiate-conversation", start(), (), company.API_KEY),
    ("POST", "/may-send", QUESTION, (), company.API_KEY),
    ("GET", "/conversations/req-0", b"", (), company.API_KEY),
    ("GET", "/conversations/req-0/messages", b"", (("after", "0"),), company.API_KEY),
    ("GET", "/register", b"", (("limit", "5"),), company.LEAD_KEY),
    ("POST", "/register/lookup", ADDRESS, (), company.AGENT_KEY),
    ("GET", DESK, b"", (("state", "waiting,taken"), ("limit", "5")), company.LEAD_KEY),
    ("GET", f"{DESK}/{'0' * 32}", b"", (), company.AGENT_KEY),
    ("POST", f"{DESK}/{'0' * 32}/acts", b"{}", (), company.AGENT_KEY),
]


@pytest.mark.parametrize(("method", "path", "body", "query", "key"), DOORS)
def test_each_door_takes_what_is_signed_and_no_other_scheme(asking, method, path, body, query, key):
    asking.stores(signature_keys=KEYS, signing_secrets=[WHSEC])
    bare = {"x-api-key": key, "content-type": "application/json"}
    now = asking.outreach.services.clock.now().timestamp()
    older = standard_webhooks.headers([b"0" * 24], "msg_1", now, body)
    forged = asking.signed(method, path, body, query=query, key=key, secret=OTHER)
    for headers in (bare, {**bare, **older}, forged):
        refused = asking.sends(method, path, headers, body, query)
        said = refused.json_body
        code = said.get("error_code", said.get("code"))
        assert (refused.status_code, code) == (401, "INVALID_SIGNATURE")
        assert "signature" in said["message"]
    headers = asking.signed(method, path, body, query=query, key=key)
    assert asking.sends(method, path, headers, body, query).status_code != 401


def test_a_desk_request_under_another_requests_signature_is_refused(asking):
    """Under Standard Webhooks, which signs the body alone, each of these passed."""
    asking.stores(signature_keys=KEYS)
    path, other = f"{DESK}/{'a' * 32}", f"{DESK}/{'b' * 32}"
    headers = asking.signed("GET", path, key=company.AGENT_KEY)
    listed = asking.signed("GET", DESK, query=[("limit", "5")], key=company.AGENT_KEY)
    acted = asking.signed(
        "POST", f"{path}/acts", b"{}", headers={"idempotency-key": "k"}, key=company.AGENT_KEY
    )
    lead = {"x-api-key": company.LEAD_KEY}
    answers = [
        asking.sends("GET", other, headers),
        asking.sends("GET", path, {**headers, **lead}),
        asking.sends("GET", DESK, headers),
        asking.sends("GET", DESK, listed),
        asking.sends("GET", DESK, listed, query=[("limit", "6")]),
        asking.sends("GET", DESK, listed, query=[("limit", "5"), ("after", "x")]),
        asking.sends("GET", DESK, listed, query=[("limit", "5"), ("limit", "6")]),
        asking.sends("POST", f"{other}/acts", acted, b"{}"),
        asking.sends("POST", f"{path}/acts", {**acted, "idempotency-key": "l"}, b"{}"),
        asking.sends("POST", f"{path}/acts", acted, b"{ }"),
    ]
    assert [answer.status_code for answer in answers] == [401] * len(answers)
    assert asking.sends("GET", path, headers).status_code == 404
    assert asking.sends("GET", DESK, listed, query=[("limit", "5")]).status_code == 200


def test_keys_overlap_while_one_replaces_another(asking):
    now = datetime.now(UTC)
    old = {**KEYS["k-1"], "until": iso(now + timedelta(hours=1))}
    new = {"algorithm": "hmac-sha256", "secret": OTHER, "from": iso(now - timedelta(hours=1))}

    def answers():
        made = asking.signed("GET", DESK, key=company.LEAD_KEY)
        by_new = asking.signed("GET", DESK, key=company.LEAD_KEY, key_id="k-2", secret=OTHER)
        return [asking.sends("GET", DESK, headers).status_code for headers in (made, by_new)]

    asking.stores(signature_keys={"k-1": old, "k-2": new})
    assert answers() == [200, 200]
    asking.stores(signature_keys={"k-1": {**old, "until": iso(now - timedelta(seconds=1))}})
    assert answers() == [401, 401]
    bare = {"x-api-key": company.LEAD_KEY}
    assert asking.sends("GET", DESK, bare).status_code == 401


def test_another_scheme_is_taken_until_the_first_key_is_valid(asking):
    later = iso(datetime.now(UTC) + timedelta(hours=1))
    asking.stores(signature_keys={"k-1": {**KEYS["k-1"], "from": later}})
    assert asking.sends("GET", DESK, {"x-api-key": company.LEAD_KEY}).status_code == 200


@pytest.mark.parametrize("keys", [None, [], {}, {"k": 1}, {"k-1": {"algorithm": "none"}}])
def test_keys_that_are_not_usable_close_the_door(asking, keys):
    asking.stores(signature_keys=keys)
    for headers in ({"x-api-key": company.LEAD_KEY}, asking.signed("GET", DESK)):
        assert (
            asking.sends("GET", DESK, {**headers, "x-api-key": company.LEAD_KEY}).status_code == 401
        )


def test_a_start_that_is_signed_comes_once(asking):
    asking.stores(signature_keys=KEYS)
    body = start()
    headers = asking.signed("POST", "/initiate-conversation", body)
    answers = [asking.sends("POST", "/initiate-conversation", headers, body) for _ in range(2)]
    assert [answer.json_body["duplicate"] for answer in answers] == [False, True]
