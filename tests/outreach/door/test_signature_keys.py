"""A company's keys for signatures: what is one, and when it is valid."""

import base64
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from chalicelib.outreach.door.signature_keys import MOST_KEYS, Algorithm, SignatureKey, parse
from tests.rigs.each_row import each_row

SECRET = base64.b64encode(bytes(32)).decode()
SHARED = {"algorithm": "hmac-sha256", "secret": SECRET}
PRIME = 2**255 - 19


def public(key):
    """An entry of ed25519, by bytes or by the number that its bytes write."""
    raw = key if isinstance(key, bytes) else key.to_bytes(32, "little")
    return {"algorithm": "ed25519", "public_key": base64.b64encode(raw).decode()}


PUBLIC = public(Ed25519PrivateKey.generate().public_key().public_bytes_raw())


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
        ({"k": {**SHARED, "algorithm": ["hmac-sha256"]}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "algorithm": "rsa-pss-sha512"}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "algorithm": ["hmac-sha256"]}}, "signature_keys.k.algorithm"),
        ({"k": {**SHARED, "secret": SECRET[4:]}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "secret": "%%%"}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "public_key": SECRET}}, "signature_keys.k.secret"),
        ({"k": {**SHARED, "algorithm": "ed25519"}}, "signature_keys.k.public_key"),
        (
            {"k": {**PUBLIC, "public_key": base64.b64encode(bytes(64)).decode()}},
            "signature_keys.k.public_key",
        ),
        ({"k": {**PUBLIC, "from": "tomorrow"}}, "signature_keys.k.from"),
        ({"k": {**PUBLIC, "until": None}}, "signature_keys.k.until"),
    ],
)
def test_what_is_no_key_is_named_and_not_shown(value, named):
    with pytest.raises(ValueError, match=named) as refused:
        parse(value)
    assert SECRET not in str(refused.value)


ORDER_8 = int("05fc536d880238b13933c6d305acdfd5f098eff289f4c345b027b2c28f95e826", 16)
"""The y of a point of order 8."""
WEAK = {
    "identity": 1,
    "identity with a sign": 1 + 2**255,
    "identity, not reduced": PRIME + 1,
    "order 2": PRIME - 1,
    "order 4": 0,
    "order 4 with a sign": 2**255,
    "order 4, not reduced": PRIME,
    "order 8": ORDER_8,
    "order 8 with a sign": ORDER_8 + 2**255,
    "the other order 8": PRIME - ORDER_8,
    "no point": 2,
    "not reduced": PRIME + 3,
    "all ones": 2**256 - 1,
}


@pytest.mark.parametrize("name", WEAK)
def test_a_public_key_for_which_anyone_can_sign_is_refused(name):
    with pytest.raises(ValueError, match="is no key of ed25519"):
        parse({"k": public(WEAK[name])})


def test_what_is_refused_is_what_a_signature_of_zeros_verifies():
    weak = SignatureKey("k", Algorithm.ED25519, (1).to_bytes(32, "little"))
    assert weak.verifies((1).to_bytes(64, "little"), b"whatever")


def test_every_key_that_is_made_is_taken():
    for seed in range(64):
        made = Ed25519PrivateKey.from_private_bytes(bytes([seed]) * 32)
        assert parse({"k": public(made.public_key().public_bytes_raw())})


def test_a_signature_of_any_length_is_refused_quietly():
    material = Ed25519PrivateKey.generate().public_key().public_bytes_raw()
    for algorithm in Algorithm:
        key = SignatureKey("k", algorithm, material)
        assert not any(key.verifies(bytes(size), b"x") for size in (0, 1, 32, 64, 65))
