"""An error names the vendor, the account and the setting that would help."""

import re

import pytest
from botocore.exceptions import (
    ClientError,
    EndpointConnectionError,
    NoCredentialsError,
    ReadTimeoutError,
)

from chalicelib.errors import AuthError, TransientError, UncertainError
from chalicelib.facts import hubspot_owners, ring_group
from chalicelib.facts.posting import landing_zone, powerbi
from chalicelib.outreach.ses import client as ses
from chalicelib.outreach.twilio import client as twilio
from chalicelib.support.orders import shopify
from chalicelib.support.richpanel import calls
from chalicelib.vendors import openai
from ops.unreachable import VENDORS, why
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(system, capsys):
    """Runs a command; returns its exit code and output."""
    return runner(capsys)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            AuthError("richpanel", "get_ticket", status=401),
            ("Richpanel", "http_401", "rp-mw/<stage>/richpanel/api_key"),
        ),
        (
            TransientError("powerbi", "token", reason="secret_unavailable"),
            ("Power BI", "rp-mw/<stage>/powerbi/client_secret"),
        ),
        (TransientError("openai", "respond", reason="timeout"), ("OpenAI", "OPENAI_BASE_URL")),
        (UncertainError("shopify", "orders", status=500), ("Shopify", "http_500")),
        (
            TransientError("new_vendor", "call", reason="connection_broken"),
            ("new_vendor", "connection_broken"),
        ),
    ],
)
def test_a_vendors_error_names_it_and_the_setting(error, words):
    said = why(error)
    assert all(word in said for word in words), said


def test_every_vendor_that_a_client_names_has_a_name_for_people():
    modules = (
        hubspot_owners,
        ring_group,
        powerbi,
        landing_zone,
        ses,
        twilio,
        shopify,
        calls,
        openai,
    )
    assert {module.PROVIDER for module in modules} == set(VENDORS)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("ResourceNotFoundException", ("account 1, region eu-west-1", "AWS_DEFAULT_REGION")),
        ("AccessDeniedException", ("GetItem", "policy")),
        ("ExpiredTokenException", ("log in",)),
    ],
)
def test_an_error_of_aws_names_the_place_and_the_way_out(code, words):
    error = ClientError({"Error": {"Code": code}}, "GetItem")
    said = why(error, place="account 1, region eu-west-1")
    assert all(word in said for word in words), said


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (
            ReadTimeoutError(endpoint_url="http://127.0.0.1:9"),
            ("127.0.0.1:9", "not answered in time"),
        ),
        (EndpointConnectionError(endpoint_url="http://127.0.0.1:9"), ("127.0.0.1:9", "make run")),
        (NoCredentialsError(), ("AWS_PROFILE",)),
        (
            TransientError("dynamodb", "get_item", reason="ReadTimeoutError"),
            ("not answered dynamodb.get_item in time",),
        ),
    ],
)
def test_an_aws_that_is_slow_or_away_is_said_in_words(error, words):
    said = why(error)
    assert all(word in said for word in words), said
    assert not re.search(r"\w+Error|refused", said), said


class TestOnAnEngine:
    @pytest.fixture
    def aws(self, engine_aws):
        return engine_aws

    def test_a_stage_in_another_region_is_said_with_what_was_looked_at(self, run, monkeypatch):
        monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
        said = run("explain", "evt:rp:1042:c-1")
        assert said.code == 2
        assert "region eu-west-3" in said.err
        assert "dev is not set up in account" in said.err
        assert "python -m ops setup --stage dev --plan" in said.err
        assert "dev is not set up in account" in run("doctor").err
        assert re.search(r"account 0{9}\d+, ", said.err)


def test_doctor_says_first_what_it_looks_at(run, system):
    first = run("doctor", "--json").data[0]
    assert first["check"] == "stage"
    assert re.match(r"account 0{9}\d+, region us-east-1, as root; release ", first["detail"])
