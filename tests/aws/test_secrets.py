"""Secrets: cached, refreshed on demand, one or two active tokens; the SDK glue on moto."""

import boto3
import pytest
from botocore.exceptions import ClientError
from moto import mock_aws

from chalicelib.aws.secrets import CACHE_SECONDS, SecretsManager, active_tokens
from chalicelib.errors import UnavailableError
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
    """F55."""
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
    """F55."""
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
