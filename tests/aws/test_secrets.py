"""Secrets: cached, refreshed on demand, one or two active tokens; the SDK glue on moto."""

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from chalicelib.aws.secrets import (
    CACHE_SECONDS,
    MAX_CACHED,
    MISS_SECONDS,
    OUTAGE_SECONDS,
    SecretsManager,
    active_tokens,
)
from chalicelib.errors import SignatureError, UnavailableError
from tests.rigs.fakes import ManualClock


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("plain", ("plain",)),
        ('{"active_tokens": ["new", "old"]}', ("new", "old")),
        ('{"active_tokens": ["new", "", 7, " "]}', ("new",)),
        ('{"active_tokens": "no list"}', ()),
        ('{"other": 1}', ()),
        ("  ", ()),
        ("12345", ("12345",)),
    ],
)
def test_a_secret_holds_a_token_or_the_active_ones(text, tokens):
    assert active_tokens(text) == tokens


@pytest.fixture
def client():
    with mock_aws():
        yield boto3.client(
            "secretsmanager",
            region_name="us-east-1",
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )


def test_a_secret_is_cached_and_re_read_on_request(client):
    """F55: the vendor's key rotates."""
    clock = ManualClock()
    client.create_secret(Name="s", SecretString="one")
    secrets = SecretsManager(client, clock)
    assert secrets.text("s") == "one"
    client.put_secret_value(SecretId="s", SecretString="two")
    assert secrets.text("s") == "one"
    assert secrets.text("s", refresh=True) == "two"
    client.put_secret_value(SecretId="s", SecretString="three")
    clock.forward(CACHE_SECONDS + 1)
    assert secrets.text("s") == "three"


def test_a_secret_that_cannot_be_read_is_unavailable_and_names_nothing(client):
    """F55: the vendor's key rotates."""
    with pytest.raises(UnavailableError) as caught:
        SecretsManager(client, ManualClock()).text("rp-mw/dev/none")
    assert "none" not in str(caught.value)
    assert caught.value.code == "secret_missing"


def test_a_refused_or_binary_secret_is_not_treated_as_missing(client):
    client.create_secret(Name="s", SecretBinary=b"bytes")
    with pytest.raises(UnavailableError) as caught:
        SecretsManager(client, ManualClock()).text("s")
    assert caught.value.code == "secret_unreadable"

    class Refusing:
        def get_secret_value(self, **_name):
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetSecretValue")

    with pytest.raises(UnavailableError) as caught:
        SecretsManager(Refusing(), ManualClock()).text("s")
    assert caught.value.code == "secret_unreadable"


class Counting:
    """A client that has no secret, or fails, and counts how often it is asked."""

    def __init__(self, code):
        self.code, self.calls = code, 0

    def get_secret_value(self, **_name):
        self.calls += 1
        raise ClientError({"Error": {"Code": self.code}}, "GetSecretValue")


@pytest.mark.parametrize(
    ("code", "seconds"),
    [
        ("ResourceNotFoundException", MISS_SECONDS),
        ("AccessDeniedException", MISS_SECONDS),
        ("InternalServiceError", OUTAGE_SECONDS),
    ],
)
def test_a_miss_is_cached_for_a_while(code, seconds):
    clock, client = ManualClock(), Counting(code)
    secrets = SecretsManager(client, clock)
    for _ in range(50):
        with pytest.raises(UnavailableError):
            secrets.text("s")
    assert client.calls == 1
    clock.forward(seconds)
    with pytest.raises(UnavailableError):
        secrets.text("s")
    assert client.calls == 2


def test_many_names_do_not_make_the_cache_grow():
    clock, client = ManualClock(), Counting("ResourceNotFoundException")
    secrets = SecretsManager(client, clock)
    for number in range(3 * MAX_CACHED):
        clock.forward(0.001)
        assert secrets.text_or_none(f"s{number}") is None
    assert len(secrets._cache) == MAX_CACHED


def test_a_secret_that_appears_is_read_a_minute_after_the_miss(client):
    clock = ManualClock()
    secrets = SecretsManager(client, clock)
    assert secrets.text_or_none("s") is None
    client.create_secret(Name="s", SecretString="one")
    clock.forward(MISS_SECONDS)
    assert secrets.text_or_none("s") == "one"


@pytest.mark.parametrize("text", [None, " ", '{"active_tokens": []}'])
def test_without_a_token_the_door_is_closed_and_nothing_failed(client, text):
    if text is not None:
        client.create_secret(Name="s", SecretString=text)
    with pytest.raises(SignatureError) as caught:
        SecretsManager(client, ManualClock()).tokens("s", missing="no_token")
    assert caught.value.code == "no_token"


def test_several_secrets_are_read_with_one_call(client):
    for name in ("a", "b"):
        client.create_secret(Name=name, SecretString=f"text of {name}")
    calls = []
    client.meta.events.register("before-call", lambda model, **_: calls.append(model.name))
    clock = ManualClock()
    secrets = SecretsManager(client, clock)
    secrets.fetch(["a", "b"])
    assert [secrets.text("a"), secrets.text("b")] == ["text of a", "text of b"]
    secrets.fetch(["a", "b"])
    assert calls == ["BatchGetSecretValue"]
    clock.forward(301)
    secrets.fetch(["a", "b"])
    assert calls == 2 * ["BatchGetSecretValue"]


def test_what_cannot_be_read_with_the_others_is_read_when_it_is_used(client):
    client.create_secret(Name="a", SecretString="text of a")
    secrets = SecretsManager(client, ManualClock())
    secrets.fetch(["a", "missing"])
    assert secrets.text("a") == "text of a"
    with pytest.raises(UnavailableError, match="secret_missing"):
        secrets.text("missing")
