"""Keys with which a company signs its requests: added, ended, and a kept request checked."""

import base64
import json
import shutil
import subprocess

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.signing_example import python_example

ID = company.COMPANY_ID


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def kept(tmp_path, headers, body=b"", first="GET /desk/conversations?limit=5 HTTP/1.1"):
    """A request, as it was sent, in a file."""
    path = tmp_path / "request.txt"
    lines = [first, *(f"{name}: {value}" for name, value in headers.items()), "", ""]
    path.write_bytes("\r\n".join(lines).encode() + body)
    return str(path)


def signed(issued, **changes):
    how = {"query": [("limit", "5")], "key_id": issued["key_id"], "secret": issued["secret"]}
    headers = {"x-api-key": company.LEAD_KEY}
    return python_example()("GET", "/desk/conversations", headers, **{**how, **changes})


def test_a_new_key_opens_the_door_and_an_ended_one_closes_it(outreach, run):
    company.open_desk(outreach.stage)
    issued = run("company", "signature-key", ID, "--json").data
    assert [key["now"] for key in issued["keys"]] == ["valid"]
    outreach.new_container()

    def status():
        with outreach._client() as client:
            path = "/desk/conversations?limit=5"
            return client.http.get(path, headers=signed(issued)).status_code

    assert status() == 200
    ended = run("company", "signature-key", ID, "--end", issued["key_id"], "--json").data
    assert [key["now"] for key in ended["keys"]] == ["ended"]
    outreach.new_container()
    assert status() == 401


def test_the_other_keys_of_a_company_stay(outreach, run):
    company.open_desk(outreach.stage)
    run("company", "signature-key", ID)
    run("company", "signature-key", ID, "--from", "2099-01-01T00:00:00Z")
    client = outreach.stage.aws.client("secretsmanager")
    stored = client.get_secret_value(SecretId="rp-mw/dev/router/api_keys")["SecretString"]
    entry = json.loads(stored)[ID]
    assert (entry["api_keys"], len(entry["signature_keys"])) == ([company.API_KEY], 2)


def test_of_a_public_key_no_secret_is_kept(run, tmp_path):
    private = Ed25519PrivateKey.generate()
    path = tmp_path / "key.pem"
    public = private.public_key()
    path.write_bytes(public.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo))
    added = run("company", "signature-key", ID, "--public-key", str(path), "--json").data
    assert "secret" not in added
    assert added["keys"][0]["algorithm"] == "ed25519"


def test_a_key_that_openssl_makes_is_taken(run, tmp_path):
    tool, path = str(shutil.which("openssl")), tmp_path / "key.pem"
    private = [tool, "genpkey", "-algorithm", "ed25519"]
    made = subprocess.run(private, capture_output=True, check=True)
    subprocess.run([tool, "pkey", "-pubout", "-out", path], input=made.stdout, check=True)
    assert run("company", "signature-key", ID, "--public-key", str(path)).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("company", "signature-key", "ci-none"), "ci-none"),
        (("company", "signature-key", ID, "--end", "k-none"), "no signature key"),
        (("company", "signature-key", ID, "--from", "soon"), "--from is not"),
        (("company", "signature-key", ID, "--public-key", __file__), "no ed25519 public key"),
        (("company", "signature-check", ID, __file__), "no signature key"),
    ],
)
def test_what_cannot_be_done_is_said(run, arguments, said):
    answer = run(*arguments)
    assert answer.code != 0
    assert said in (answer.out + answer.err)


def test_a_check_names_what_is_wrong_and_shows_no_value(run, tmp_path):
    issued = run("company", "signature-key", ID, "--json").data
    headers = signed(issued)
    good = run("company", "signature-check", ID, kept(tmp_path, headers))
    assert (good.code, "valid" in good.out) == (0, True)
    other = base64.b64encode(b"canary" * 8).decode()
    wrong = {**signed(issued, secret=other, query=[]), "authorization": "canary"}
    bad = run("company", "signature-check", ID, kept(tmp_path, wrong, b"canary"), "--json")
    assert bad.code == 1
    assert [row["problem"] for row in bad.data] == [
        "component authorization is not covered",
        "component content-digest is not covered",
        "a parameter of the query is not covered by @query-param",
        "header content-digest has no sha-256 of the body",
    ]
    assert not {"canary", company.LEAD_KEY, other, issued["secret"]} & set(bad.out.split('"'))


@pytest.mark.parametrize("first", ["", "GET", "GET desk HTTP/1.1", "get /desk HTTP/1.1"])
def test_a_file_without_a_request_is_refused(run, tmp_path, first):
    run("company", "signature-key", ID)
    answer = run("company", "signature-check", ID, kept(tmp_path, {"a": "b"}, first=first))
    assert answer.code == 2
    assert "the first line is not" in (answer.out + answer.err)
