"""A signature of what changes the register is taken once."""

import base64
import json

import pytest

from chalicelib.outreach.door.used_signatures import UsedSignatures
from local import company
from tests.rigs.outreach import TEL
from tests.rigs.signing_example import python_example

SECRET = base64.b64encode(bytes(range(32))).decode()


@pytest.fixture
def asks(outreach):
    """Asks the register as a lead whose company signs; headers given are sent as they are."""
    entry = {
        "api_keys": [company.API_KEY],
        "desk_keys": {"lead": [company.LEAD_KEY]},
        "signature_keys": {"k-1": {"algorithm": "hmac-sha256", "secret": SECRET}},
    }
    name = f"rp-mw/{outreach.stage.name}/router/api_keys"
    company.put_secrets(outreach.stage, {name: json.dumps({company.COMPANY_ID: entry})})
    outreach.new_container()

    def asked(path, body, headers=None):
        raw = json.dumps(body).encode()
        given = {"x-api-key": company.LEAD_KEY, "content-type": "application/json"}
        headers = headers or python_example()(
            "POST", path, given, body=raw, key_id="k-1", secret=SECRET
        )
        with outreach._client() as client:
            return client.http.post(path, headers=headers, body=raw), headers

    return asked


def test_a_change_of_the_register_is_taken_once_by_its_signature(outreach, asks):
    lift = {"address": TEL, "by": "sam", "reason": "asked for it"}
    first, headers = asks("/register/lift", lift)
    again, _ = asks("/register/lift", lift, headers)
    outreach.new_container()
    later, _ = asks("/register/lift", lift, headers)
    assert [answer.status_code for answer in (first, again, later)] == [200, 401, 401]
    assert again.json_body["message"].startswith("the signature was used before")


def test_a_question_may_come_again(asks):
    _, headers = asks("/register/lookup", {"address": TEL})
    again, _ = asks("/register/lookup", {"address": TEL}, headers)
    assert again.status_code == 200


def test_a_used_signature_is_kept_as_long_as_it_could_be_sent(outreach):
    services = outreach.services
    table = services.table(services.settings.idempotency_table)
    UsedSignatures(table=table, clock=services.clock).claim("abc")
    row = table.get({"event_id": "sig:abc"})
    assert row["expires_at"] - services.clock.now().timestamp() == pytest.approx(600, abs=60)
