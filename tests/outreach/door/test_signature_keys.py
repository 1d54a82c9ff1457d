"""A company's keys for signatures: what is one, and when it is valid."""

import base64
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chalicelib.outreach.door.signature_keys import MOST_KEYS, Algorithm, SignatureKey, parse
from tests.rigs.each_row import each_row

SECRET = base64.b64encode(bytes(32)).decode()
SHARED = {"algorithm": "hmac-sha256", "secret": SECRET}
PUBLIC = {"algorithm": "ed25519", "public_key": SECRET}


def at(hour):
    return datetime(2026, 12, 1, hour, tzinfo=UTC)


def test_each_key_has_its_algorithm_and_its_time():
    times = {"from": "2026-12-01T08:00:00Z", "until": "2026-12-01T10:00:00Z"}
    first, second = parse({"k-1": {**SHARED, **times}, "k-2": PUBLIC})
    assert (first.algorithm, second.algorithm) == (Algorithm.HMAC_SHA256, Algorithm.ED25519)
    assert [first.is_valid(at(hour)) for hour in (7, 8, 9, 10)] == [False, True, True, False]
    assert [first.has_begun(at(hour)) for hour in (7, 8, 11)] == [False, True, True]
    assert second.is_valid(at(0))
    assert SECRET not in repr((first, second))


@each_row(
    ("value", "named"),
    [
        (None, "signature_keys is not"),
        ([], "signature_keys is not"),
        ({}, "signature_keys is not"),
        ({f"k{n}": SHARED for n in range(MOST_KEYS + 1)}, "signature_keys is not"),
        ({"a b": SHARED}, "signature_keys has an id"),
        ({"k": SECRET}, "signature_keys.k is not"),
        ({"k": {**SHARED, "x": 1}}, "signature_keys.k is not"),
        ({"k": {"secret": SECRET}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "algorithm": "none"}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "algorithm": "rsa-pss-sha512"}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "secret": SECRET[4:]}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "secret": "%%%"}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "public_key": SECRET}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "algorithm": "ed25519"}}, "signature_keys.k.public_key"),
        ({"k": {**PUBLIC, "public_key": SECRET + SECRET}}, "signature_keys.k.public_key"),
        ({"k": {**PUBLIC, "from": "tomorrow"}}, "signature_keys.k.from"),
        ({"k": {**PUBLIC, "until": None}}, "signature_keys.k.until"),
    ],
)
def test_what_is_no_key_is_named_and_not_shown(value, named):
    with pytest.raises(ValueError, match=named) as refused:
        parse(value)
    assert SECRET not in str(refused.value)


def test_a_signature_of_any_length_is_refused_quietly():
    public = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    for algorithm in Algorithm:
        key = SignatureKey("k", algorithm, public)
        assert not any(key.verifies(bytes(size), b"x") for size in (0, 1, 32, 64, 65))
