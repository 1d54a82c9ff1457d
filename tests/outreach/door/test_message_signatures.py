"""HTTP Message Signatures: the RFC's own examples, a library's, and what must be signed."""

import base64
import hashlib
import hmac
from datetime import UTC, datetime
from urllib.parse import parse_qs, urlsplit

import pytest
import requests
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from http_message_signatures import HTTPMessageSigner, HTTPSignatureKeyResolver, algorithms
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once.door import HttpRequest
from chalicelib.outreach.door import message_signatures
from chalicelib.outreach.door.message_signatures import MessageSignature
from chalicelib.outreach.door.signature_keys import Algorithm, SignatureKey
from tests.rigs.each_row import each_row
from tests.rigs.signing_example import python_example

SECRET = bytes(range(32))
SHARED = SignatureKey("k-1", Algorithm.HMAC_SHA256, SECRET)
NOW = datetime.fromtimestamp(1618884473, UTC)
"""The time at which RFC 9421, appendix B, signs its examples."""
ITS_SECRET = (
    "uzvJfB4u3N0Jy4T7NZ75MDVcr8zSTInedJtkgcu46YW4XByzNJjxBdtjUkdJPBtbmHhIDi6pcl8jsasjlTMtDQ=="
)
ITS_PUBLIC_KEY = "JrQLj5P/89iXES9+vFgrIy29clF9CC/oPPsw3c5D0bs="
ITS_HEADERS = {
    "host": "example.com",
    "date": "Tue, 20 Apr 2021 02:07:55 GMT",
    "content-type": "application/json",
    "content-length": "18",
}
EXAMPLES = {
    "B.2.5": (
        SignatureKey("test-shared-secret", Algorithm.HMAC_SHA256, base64.b64decode(ITS_SECRET)),
        '("date" "@authority" "content-type");created=1618884473;keyid="test-shared-secret"',
        "pxcQw6G3AjtMBQjwo8XzkZf/bws5LelbaMk5rGIGtE8=",
    ),
    "B.2.6": (
        SignatureKey("test-key-ed25519", Algorithm.ED25519, base64.b64decode(ITS_PUBLIC_KEY)),
        '("date" "@method" "@path" "@authority" "content-type" "content-length");created=1618884473;keyid="test-key-ed25519"',  # noqa: E501 - as it is there
        "wqcAqbmYJ2ji2glfAMaRy4gruYYnx2nEFN2HN6jrnDnQCK1u02Gb04v9EDgwUPiu4A0w6vuQv5lIp5WPpBKRCw==",
    ),
}


def found(request, *keys, now=NOW):
    """What is wrong with a request's signature."""
    given = message_signatures.signature_in(request)
    if isinstance(given, str):
        return [given]
    assert isinstance(given, MessageSignature)
    return list(message_signatures.problems(request, given, keys or (SHARED,), now))


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_rfcs_examples_are_signed_as_it_says(name):
    key, about, signature = EXAMPLES[name]
    headers = {**ITS_HEADERS, "signature-input": f"sig={about}", "signature": f"sig=:{signature}:"}
    request = HttpRequest("POST", "/foo", {"param": ["Value"], "Pet": ["dog"]}, headers)
    given = message_signatures.signature_in(request)
    assert key.verifies(given.signature, message_signatures.signature_base(request, given.about))
    problems = found(request, key)
    assert "component x-api-key is not covered" in problems
    assert "a parameter of the query is not covered by @query-param" in problems
    assert not [problem for problem in problems if "signature is not that" in problem]


def test_a_parameter_is_written_as_the_rfc_writes_it():
    written = message_signatures.percent_encoded
    value = "this is a big\nmultiline value"
    assert written(value) == "this%20is%20a%20big%0Amultiline%20value"
    assert written('façade": ') == "fa%C3%A7ade%22%3A%20"
    assert written("something~*-._+'") == "something%7E*-._%2B%27"


class Keys(HTTPSignatureKeyResolver):
    """The company's side."""

    def __init__(self, private):
        self.private = private

    def resolve_private_key(self, key_id):  # noqa: ARG002 - it has one
        return self.private


def sent(method, address, *, body=b"", algorithm=algorithms.HMAC_SHA256, private=SECRET, **more):
    """A request as a public library signs it, and as the gateway then hands it over."""
    headers = {"x-api-key": "key", "content-type": "application/json"}
    request = requests.Request(method, address, headers=headers, data=body or None).prepare()
    query = parse_qs(urlsplit(request.url).query, keep_blank_values=True)
    covered = ["@method", "@path", "x-api-key"]
    covered += [
        f'"@query-param";name="{message_signatures.percent_encoded(name)}"' for name in query
    ]
    signer = HTTPMessageSigner(signature_algorithm=algorithm, key_resolver=Keys(private))
    signer.sign(
        request, key_id="k-1", created=NOW, covered_component_ids=covered, body=body or None, **more
    )
    low = {name.lower(): value for name, value in request.headers.items()}
    return HttpRequest(method, urlsplit(request.url).path, query, low, body)


@pytest.mark.parametrize("body", [b"", b'{"a": 1}'])
@pytest.mark.parametrize("query", ["", "?state=waiting%2Ctaken&limit=5&q=a%20b~%C3%A9&empty="])
def test_what_a_public_library_signs_is_taken(query, body):
    request = sent("POST", f"https://api.example.com/prod/desk{query}", body=body, nonce="n-1")
    assert found(request) == []


def test_a_public_key_needs_no_secret_of_the_companys():
    private = Ed25519PrivateKey.generate()
    public = SignatureKey("k-1", Algorithm.ED25519, private.public_key().public_bytes_raw())
    request = sent("GET", "https://a.example/p", algorithm=algorithms.ED25519, private=private)
    other = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    assert found(request, public) == []
    assert found(request, SignatureKey("k-1", Algorithm.ED25519, other)) != []
    assert "parameter alg is not the algorithm of the key" in found(request, SHARED)


def signed(method="POST", path="/prod/register/lift", headers=(), **how):
    """A request as the page's example signs it, now."""
    query, body = how.get("query", ()), how.get("body", b"")
    given = {"x-api-key": "key", **dict(headers)}
    made = python_example()(
        method, path, given, key_id="k-1", secret=base64.b64encode(SECRET), **how
    )
    return HttpRequest(method, path, {name: [value] for name, value in query}, made, body)


def changed(request, **fields):
    """Another request under the same signature."""
    given = {
        name: getattr(request, name) for name in ("method", "path", "query", "headers", "body")
    }
    return HttpRequest(**{**given, **fields})


@given(
    query=st.dictionaries(st.text(max_size=8), st.text(max_size=8), max_size=4),
    body=st.binary(max_size=40),
)
def test_what_the_pages_example_signs_is_taken(query, body):
    request = signed(query=list(query.items()), body=body)
    assert found(request, now=datetime.now(UTC)) == []


BODY = b'{"address": "+15550100001"}'


@pytest.mark.parametrize(
    "fields",
    [
        {"method": "PUT"},
        {"path": "/prod/register/import"},
        {"query": {"limit": ["6"], "a b": ["~"]}},
        {"query": {"limit": ["5"]}},
        {"query": {"limit": ["5"], "a b": ["~"], "more": ["1"]}},
        {"query": {"limit": ["5", "5"], "a b": ["~"]}},
        {"body": BODY + b" "},
        {"body": b""},
        {"path": "/prod/register/l%69ft"},
    ],
    ids=repr,
)
def test_a_changed_request_is_refused_under_the_old_signature(fields):
    request = signed(query=[("limit", "5"), ("a b", "~")], body=BODY)
    now = datetime.now(UTC)
    assert found(request, now=now) == []
    assert found(changed(request, **fields), now=now) != []


@pytest.mark.parametrize(
    "name", ["x-api-key", "content-digest", "idempotency-key", "authorization"]
)
def test_a_changed_header_is_refused_under_the_old_signature(name):
    headers = {"idempotency-key": "k", "authorization": "Bearer x"}
    request, now = signed(headers=headers, body=BODY), datetime.now(UTC)
    assert found(request, now=now) == []
    other = {**request.headers, name: f"{request.headers[name]}x"}
    assert found(changed(request, headers=other), now=now) != []


@pytest.mark.parametrize("name", ["idempotency-key", "authorization"])
def test_a_header_that_says_what_is_meant_cannot_be_added(name):
    request, now = signed(body=BODY), datetime.now(UTC)
    other = changed(request, headers={**request.headers, name: "x"})
    assert found(other, now=now) == [f"component {name} is not covered"]


@each_row(
    ("about", "problem"),
    [
        ('("@method" "@path" "x-api-key")', "parameter created is missing"),
        ('("@method" "@path" "x-api-key");created=1618884173;keyid="k-1"', None),
        ('("@method" "@path" "x-api-key");created=1618884172;keyid="k-1"', "parameter created"),
        ('("@method" "@path" "x-api-key");created=1618884773;keyid="k-1"', None),
        ('("@method" "@path" "x-api-key");created=1618884774;keyid="k-1"', "parameter created"),
        ('("@method" "@path" "x-api-key");created="x";keyid="k-1"', "a parameter is none of"),
        ('("@method" "@path" "x-api-key");created=1618884473;keyid=1', "a parameter is none of"),
        ('("@method" "@path" "x-api-key");created=1618884473;x="1"', "a parameter is none of"),
        (
            '("@method" "@path" "x-api-key");created=1618884473;expires=1618884472;keyid="k-1"',
            "parameter expires is in the past",
        ),
        (
            '("@method" "@path" "x-api-key");created=1618884473;expires=1618884473;keyid="k-1"',
            None,
        ),
        ('("@method" "@path" "x-api-key");created=1618884473', "parameter keyid names no key"),
        (
            '("@method" "@path" "x-api-key");created=1618884473;keyid="k-2"',
            "parameter keyid names no key",
        ),
        (
            '("@method" "@path" "x-api-key");created=1618884473;keyid="k-1";alg="ed25519"',
            "parameter alg",
        ),
        (
            '("@method" "@path" "x-api-key");created=1618884473;keyid="k-1";alg="hmac-sha256"',
            None,
        ),
        ('("@path" "x-api-key");created=1618884473;keyid="k-1"', "component @method"),
        ('("@method" "x-api-key");created=1618884473;keyid="k-1"', "component @path"),
        ('("@method" "@path");created=1618884473;keyid="k-1"', "component x-api-key"),
        (
            '("@method" "@path" "x-api-key" "@query");created=1618884473;keyid="k-1"',
            "a component is one",
        ),
        (
            '("@method" "@path" "x-api-key";bs);created=1618884473;keyid="k-1"',
            "a component is one",
        ),
        (
            '("@method" "@path" "x-api-key" "host");created=1618884473;keyid="k-1"',
            "a component is one",
        ),
        (
            '("@method" "@path" "x-api-key" "@path");created=1618884473;keyid="k-1"',
            "a component is covered twice",
        ),
        (
            '("@method" "@path" "x-api-key" "@query-param";name="a");created=1618884473;keyid="k-1"',
            "a component is one",
        ),
    ],
)
def test_a_signature_names_its_time_its_key_and_what_it_covers(about, problem):
    request = HttpRequest("GET", "/p", {}, {"x-api-key": "key"})
    read = message_signatures.structured_fields.inner_list(f"sig={about}")
    try:
        base = message_signatures.signature_base(request, read)
    except (KeyError, StopIteration):
        base = b""
    made = base64.b64encode(hmac_of(base)).decode()
    headers = {"x-api-key": "key", "signature-input": f"sig={about}", "signature": f"sig=:{made}:"}
    problems = found(changed(request, headers=headers))
    assert problems == [] if problem is None else problems[0].startswith(problem)


def hmac_of(base):
    return hmac.new(SECRET, base, hashlib.sha256).digest()


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"signature-input": 's=("@method");created=1'},
        {"signature": "s=:YWJj:"},
        {"signature-input": 's=("@method");created=1', "signature": "t=:YWJj:"},
        {"signature-input": 's=("@method");created=1', "signature": "s=:YWJj:, t=:YWJj:"},
        {"signature-input": "s", "signature": "s=:YWJj:"},
    ],
)
def test_a_request_without_one_signature_names_the_header(headers):
    (problem,) = found(HttpRequest("GET", "/p", {}, {"x-api-key": "key", **headers}))
    assert problem.startswith("header signature")


def test_no_problem_shows_a_value():
    request = signed(query=[("limit", "canary")], headers={"x-api-key": "canary"}, body=b"canary")
    other = changed(
        request, path="/canary%", headers={**request.headers, "authorization": "canary"}
    )
    assert "canary" not in repr(found(other))
