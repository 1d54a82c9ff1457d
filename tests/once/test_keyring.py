"""One key a purpose: what is signed for one proves nothing for another, and rotates on its own."""

import json
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.errors import UnavailableError
from chalicelib.once.keyring import VERIFIES_FOR, KeyPurpose, parsed_keys, secret_id
from ops.stage import rotation
from ops.stage.rotation import RotationError
from tests.rigs.fakes import ManualClock
from tests.rigs.keys import keyring

ROTATED = sorted(VERIFIES_FOR)
SAME = rotation.first(ManualClock().now())


@pytest.fixture
def clock():
    return ManualClock()


def rotated(text, purpose, clock, *, is_known=False):
    found = parsed_keys(text, "dev", purpose)
    return rotation.rotated(text, found, purpose, clock.now(), is_known=is_known)


@pytest.mark.parametrize("purpose", KeyPurpose)
def test_what_a_purpose_signs_no_other_purpose_or_stage_verifies_even_with_the_same_secret(
    clock, purpose
):
    texts = dict.fromkeys(KeyPurpose, SAME)
    signed = keyring(clock, texts).of(purpose).sign("a", "b")
    for stage in ("dev", "prod"):
        for other in KeyPurpose:
            found = keyring(clock, texts, stage).of(other).verifies(signed, "a", "b")
            assert found == ((stage, other) == ("dev", purpose))


def test_a_changed_part_or_signature_does_not_verify(clock):
    keys = keyring(clock, {KeyPurpose.SHARE: SAME}).of(KeyPurpose.SHARE)
    signed = keys.sign("a", "b")
    assert keys.verifies(signed, "a", "b")
    for given, parts in ((signed, ("a", "c")), (signed, ("ab",)), (signed[:-1], ("a", "b"))):
        assert not keys.verifies(given, *parts)
    assert not keys.verifies("\ud800", "a", "b")


@pytest.mark.parametrize("purpose", ROTATED)
def test_after_a_rotation_the_former_key_signs_until_all_have_the_new_and_verifies_to_its_end(
    clock, purpose
):
    first = rotation.first(clock.now())
    before = keyring(clock, {purpose: first}).of(purpose)
    made_before = before.sign("x")
    after = keyring(clock, {purpose: rotated(first, purpose, clock)}).of(purpose)
    assert after.sign("x") == made_before, "a container that has not read the new one knows it"
    clock.forward(rotation.SPREADS_IN.total_seconds())
    made_after = after.sign("x")
    assert (before.verifies(made_after, "x"), after.verifies(made_after, "x")) == (False, True)
    clock.forward(VERIFIES_FOR[purpose].total_seconds() - 1)
    assert after.verifies(made_before, "x")
    clock.forward(1)
    assert (after.verifies(made_before, "x"), after.verifies(made_after, "x")) == (False, True)


def test_a_key_that_others_may_know_ends_within_a_quarter_of_an_hour(clock):
    purpose = KeyPurpose.UNSUBSCRIBE
    text = rotated(rotation.first(clock.now()), purpose, clock)
    clock.forward(3600)
    found = keyring(clock, {purpose: text}).of(purpose)
    known = found.sign("x")
    after = keyring(clock, {purpose: rotated(text, purpose, clock, is_known=True)}).of(purpose)
    clock.forward(15 * 60)
    assert not after.verifies(known, "x")
    assert after.verifies(after.sign("x"), "x")


def test_a_rotation_drops_what_has_ended_and_waits_for_the_one_before(clock):
    text = rotated(rotation.first(clock.now()), KeyPurpose.SHARE, clock)
    with pytest.raises(RotationError, match="begins to sign at"):
        rotated(text, KeyPurpose.SHARE, clock)
    clock.forward(timedelta(days=8).total_seconds())
    assert len(parsed_keys(rotated(text, KeyPurpose.SHARE, clock), "dev", KeyPurpose.SHARE)) == 2


def test_the_key_of_the_ids_is_never_rotated_and_the_same_whatever_comes_after_it(clock):
    text = rotation.first(clock.now())
    with pytest.raises(RotationError, match="never rotated"):
        rotated(text, KeyPurpose.IDS, clock)
    later = json.loads(rotation.first(clock.now() + timedelta(days=1)))["keys"]
    both = json.dumps({"keys": [*later, *json.loads(text)["keys"]]})
    ids = [
        keyring(clock, {KeyPurpose.IDS: secret}).of(KeyPurpose.IDS).ids.of("x")
        for secret in (text, both)
    ]
    assert ids[0] == ids[1]


@pytest.mark.parametrize(
    "text",
    [
        " ",
        "5d41",
        "[]",
        '{"keys": []}',
        '{"keys": ["5d41"]}',
        '{"keys": [{"key": "5d41", "from": "2026-11-20T09:00:00.000Z", "until": null}]}',
        json.dumps({"keys": [{"key": "a" * 64, "from": "soon", "until": None}]}),
        json.dumps({"keys": [{"key": "a" * 64, "from": "2026-11-20", "until": "then"}]}),
        json.dumps({"keys": [{"key": "g" * 64, "from": "2026-11-20", "until": None}]}),
    ],
)
def test_a_secret_that_holds_no_keys_closes_the_door(clock, text):
    with pytest.raises(UnavailableError, match="key_missing"):
        keyring(clock, {KeyPurpose.SHARE: text}).of(KeyPurpose.SHARE)


def test_nothing_is_signed_before_the_first_keys_time(clock):
    text = rotation.first(clock.now() + timedelta(seconds=1))
    with pytest.raises(UnavailableError, match="key_missing"):
        keyring(clock, {KeyPurpose.SHARE: text}).of(KeyPurpose.SHARE).sign("x")


def test_a_key_is_shown_nowhere(clock):
    (key,) = parsed_keys(SAME, "dev", KeyPurpose.SHARE)
    root = json.loads(SAME)["keys"][0]["key"]
    assert root not in repr(key)
    assert key.key.hex() not in repr(key)
    assert iso(key.begins) == iso(clock.now())


def test_a_secret_is_named_by_stage_and_purpose():
    assert secret_id("prod", KeyPurpose.TOOL_RESULTS) == "rp-mw/prod/keys/tool_results"
