"""`keys list` and `keys rotate`: ages without values, and a successor that is journaled."""

import json
from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.once.keyring import KeyPurpose
from ops.stage import rotation
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(system, capsys):
    del system
    return runner(capsys)


def kept(system, purpose):
    secrets = system.stage.aws.client("secretsmanager")
    return json.loads(
        secrets.get_secret_value(SecretId=f"rp-mw/dev/keys/{purpose}")["SecretString"]
    )["keys"]


def test_every_purposes_keys_are_listed_with_their_ages_and_never_a_value(system, run):
    said = run("keys", "list", "--json")
    assert {row["purpose"]: row["state"] for row in said.data} == {
        **dict.fromkeys(KeyPurpose, "signs"),
        "ids": "names",
    }
    assert all(row["age_days"] > 365 for row in said.data)
    roots = [key["key"] for purpose in KeyPurpose for key in kept(system, purpose)]
    assert not [root for root in roots if root in said.out + run("keys", "list").out]


def test_a_rotation_keeps_the_former_key_to_its_end_and_is_in_the_journal(system, run):
    (former,) = kept(system, "share")
    would = run("keys", "rotate", "share", "--dry-run", "--json").data
    assert (would["would_rotate"], kept(system, "share")) == (True, [former])
    said = run("keys", "rotate", "share", "--yes", "--because", "a year old", "--json")
    new, old = kept(system, "share")
    assert (old["key"], new["until"]) == (former["key"], None)
    assert said.data["former_verify_until"] == old["until"]
    states = [
        row["state"] for row in run("keys", "list", "--json").data if row["purpose"] == "share"
    ]
    assert states == ["not yet", "signs"]
    (entry,) = run("journal", "secret:keys/share", "--json").data
    assert (entry["did"], entry["reason"]) == ("keys rotate", "a year old")
    assert new["key"] not in json.dumps(entry) + said.out
    assert "begins to sign" in run("keys", "rotate", "share", "--yes").err


def test_a_key_that_others_may_know_ends_soon_even_while_a_rotation_is_under_way(system, run):
    run("keys", "rotate", "unsubscribe", "--yes")
    assert run("keys", "rotate", "unsubscribe", "--compromised", "--yes").code == 0
    newest, *former = kept(system, "unsubscribe")
    soon = iso(datetime.now(UTC) + timedelta(minutes=16))
    assert (len(former), all(row["until"] < soon for row in former)) == (2, True)
    assert newest["until"] is None


def test_the_key_of_ids_is_never_rotated_but_made_where_there_is_none(system, run):
    before = kept(system, "ids")
    for more in ((), ("--compromised",)):
        said = run("keys", "rotate", "ids", "--yes", *more)
        assert (said.code, "never rotated" in said.err) == (1, True)
    assert kept(system, "ids") == before
    secrets = system.stage.aws.client("secretsmanager")
    secrets.delete_secret(SecretId="rp-mw/dev/keys/ids", ForceDeleteWithoutRecovery=True)
    assert run("keys", "rotate", "ids", "--yes").code == 0
    assert len(kept(system, "ids")) == 1


@pytest.mark.parametrize("text", [" ", "5d41", '{"keys": []}'])
def test_a_secret_that_holds_no_keys_is_not_written_over(system, run, text):
    secrets = system.stage.aws.client("secretsmanager")
    secrets.put_secret_value(SecretId="rp-mw/dev/keys/share", SecretString=text)
    for words in (("keys", "list"), ("keys", "rotate", "share", "--yes")):
        said = run(*words)
        assert (said.code, "holds no keys" in said.err) == (1, True)
    assert secrets.get_secret_value(SecretId="rp-mw/dev/keys/share")["SecretString"] == text


def test_a_first_key_signs_at_once():
    (key,) = json.loads(rotation.first(datetime(2026, 11, 20, tzinfo=UTC)))["keys"]
    assert (key["from"], key["until"]) == ("2026-11-20T00:00:00.000Z", None)
