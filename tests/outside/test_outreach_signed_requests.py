"""The promises of docs/outreach.md about signed requests, tried from outside with the page's own examples."""

import json
import os
import shutil
import subprocess

import pytest

from tests.outside.aws import put_secret, secret
from tests.outside.running import FIRST
from tests.rigs.signing_example import python_example, shell_example

NAME = "rp-mw/dev/router/api_keys"
LIST = "/desk/conversations"


class Signing:
    """The first company signs its requests."""

    def __init__(self, stack, key_id, secret_):
        self._stack, self.key_id, self.secret = stack, key_id, secret_

    def headers(self, method, path, key=FIRST.lead_key, **how):
        """The headers of a signed request, by the page's example."""
        sign = python_example(lambda: self._stack.now().timestamp())
        given = {"x-api-key": key, "content-type": "application/json", **how.pop("more", {})}
        return sign(method, path, given, key_id=self.key_id, secret=self.secret, **how)

    def status(self, method, address, headers, body=b""):
        """What the door answers."""
        return self._stack.request(method, address, headers=headers, data=body).status_code


@pytest.fixture
def signing(stack):
    before = secret(stack, NAME)
    issued = json.loads(stack.ops("company", "signature-key", FIRST.id, "--yes", "--json").out)
    stack.forward(minutes=6)
    yield Signing(stack, issued["key_id"], issued["secret"])
    put_secret(stack, NAME, before)
    stack.forward(minutes=6)


def test_a_company_with_a_signature_key_gets_no_other_scheme(stack, signing):
    bare = {"x-api-key": FIRST.lead_key}
    refused = stack.request("GET", LIST, headers=bare)
    assert refused.status_code == 401
    assert "signature-input" in refused.json()["message"]
    assert stack.start(stack.tel(), settles=False).status_code == 401
    assert signing.status("GET", LIST, signing.headers("GET", LIST)) == 200


def test_a_request_under_another_requests_signature_is_refused(stack, signing):
    path, other = f"{LIST}/{'a' * 32}", f"{LIST}/{'b' * 32}"
    shown = signing.headers("GET", path)
    listed = signing.headers("GET", LIST, query=[("limit", "5"), ("state", "waiting,taken")])
    acted = signing.headers("POST", f"{path}/acts", body=b"{}", more={"idempotency-key": "k"})
    assert signing.status("GET", path, shown) == 404
    assert signing.status("GET", f"{LIST}?limit=5&state=waiting%2Ctaken", listed) == 200
    assert [
        signing.status("GET", other, shown),
        signing.status("GET", f"{LIST}?limit=6&state=waiting%2Ctaken", listed),
        signing.status("GET", LIST, listed),
        signing.status("GET", path, {**shown, "x-api-key": "local-desk-agent-key"}),
        signing.status("POST", f"{other}/acts", acted, b"{}"),
        signing.status("POST", f"{path}/acts", {**acted, "idempotency-key": "l"}, b"{}"),
        signing.status("POST", f"{path}/acts", acted, b"{ }"),
    ] == [401] * 7


def test_a_signature_is_worth_nothing_after_five_minutes(stack, signing):
    headers = signing.headers("GET", LIST)
    stack.forward(minutes=4)
    assert signing.status("GET", LIST, headers) == 200
    stack.forward(minutes=2)
    assert signing.status("GET", LIST, headers) == 401


def test_the_pages_shell_example_starts_a_conversation(stack, signing):
    body = json.dumps(stack.start_body(stack.tel()))
    script = shell_example().replace("$(date +%s)", str(int(stack.now().timestamp())))
    values = {"API": stack.url, "ROUTE": "/initiate-conversation", "KEY": FIRST.router_key}
    signs = {"KEY_ID": signing.key_id, "SECRET": signing.secret, "BODY": body}
    answer = subprocess.run(
        [str(shutil.which("bash")), "-c", script],
        env={**os.environ, **values, **signs},
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(answer.stdout)["status"] == "success"
