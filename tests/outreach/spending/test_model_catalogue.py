"""The catalogue of models, as it is shipped and as a stage declares more: each priced as itself."""

import json
from datetime import UTC, date, datetime
from itertools import pairwise

import pytest

from chalicelib.errors import SettingsError
from chalicelib.outreach.spending.model_catalogue import (
    FILE,
    SHIPPED,
    Effort,
    ModelCatalogue,
    ModelFile,
    ModelProvider,
    flaw,
)
from chalicelib.tables import read
from chalicelib.vendors.language_model import (
    JsonSchema,
    ModelRequest,
    ModelTurn,
    Structured,
    Usage,
)
from tests.rigs.each_row import each_row

USAGE = Usage(1000, 100, 1100)
OWN = {
    "provider": "openai",
    "context": 128_000,
    "input": 1,
    "output": 2,
    "structured": "json_schema",
    "moderation": "moderation",
    "source": "https://example.com/prices",
    "read": "2026-11-27",
}


# --- as it is shipped -------------------------------------------------------------------------


def test_every_row_has_its_source_and_date_and_its_fields_agree():
    for name, row in SHIPPED.items():
        assert row.source.startswith("https://"), name
        assert date(2025, 1, 1) < row.read <= datetime.now(UTC).date(), name
        assert 0 < row.input < row.output, name
        assert row.cached_input is None or row.cached_input < row.input, name
        assert row.cache_write is None or row.cache_write > row.input, name
        assert row.context >= 100_000, name
        assert flaw(row) is None, name
        assert list(row.efforts) == [effort for effort in Effort if effort in row.efforts], name
        is_aws = row.provider is ModelProvider.BEDROCK
        assert (row.moderation == "guardrail") is is_aws, name
        assert (row.cache_from > 0) is is_aws, name


def test_a_model_has_one_row_and_more_effort_more_tokens():
    shipped = read(FILE, ModelFile)
    assert len(SHIPPED) == len(shipped.models)
    assert list(shipped.reasoning_tokens) == list(Effort)
    assert all(less < more for less, more in pairwise(shipped.reasoning_tokens.values()))


@pytest.mark.parametrize(
    ("name", "cost"),
    [
        ("gpt-6-luna", 150),
        ("gpt-5.6-luna", 320),
        ("gpt-5-mini", 450),
        ("gpt-5-pro", 27_000),
        ("gpt-5.4", 4000),
        ("gpt-4.1-nano", 140),
        ("amazon.nova-lite-v1:0", 84),
        ("amazon.nova-2-lite-v1:0", 605),
        ("anthropic.claude-haiku-5-5", 165),
    ],
)
def test_a_call_costs_its_tokens_at_the_models_own_price(name, cost):
    """A thousand tokens of input, a hundred of output, in millionths of a dollar."""
    assert ModelCatalogue().find(name).cost(USAGE) == cost


# --- names ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("gpt-5-mini-2025-08-07", "gpt-5-mini"),
        ("gpt-5-pro-2025-10-06", "gpt-5-pro"),
        ("us.amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0"),
        ("us-gov.amazon.nova-lite-v1:0", "amazon.nova-lite-v1:0"),
        ("global.amazon.nova-2-lite-v1:0", "global.amazon.nova-2-lite-v1:0"),
        (
            "arn:aws:bedrock:us-east-1:123456789012:inference-profile/us.amazon.nova-lite-v1:0",
            "amazon.nova-lite-v1:0",
        ),
    ],
)
def test_a_snapshot_and_a_region_are_of_their_model(name, row):
    assert ModelCatalogue().find(name).name == row


@pytest.mark.parametrize(
    "name",
    [
        *("gpt-5-search-api", "gpt-5-mini-high", "gpt-5-2025", "gpt-6-luna-fast", "gpt-4o-audio"),
        *("moon.amazon.nova-lite-v1:0", "amazon.nova-lite-v2:0", "amazon.nova-lite-v1:0:24k", ""),
        "arn:aws:bedrock:us-east-1:123456789012:application-inference-profile/a1b2c3d4e5f6",
    ],
)
def test_a_relative_of_a_model_is_not_that_model(name):
    assert ModelCatalogue().find(name) is None


# --- what a stage declares --------------------------------------------------------------------


def test_a_stage_declares_models_and_its_own_prices():
    text = json.dumps({"own": OWN, "gpt-6-luna": {"input": 0.05}, "gpt-5": [9, 9]})
    catalogue = ModelCatalogue.declared(text)
    assert catalogue.find("own").cost(USAGE) == 1200
    assert catalogue.find("gpt-6-luna").cost(USAGE) == 100
    assert catalogue.find("gpt-6-luna").cost(Usage(1000, 0, 1000, 1000)) == 50, "no older price"
    assert catalogue.find("gpt-6-luna").effort is Effort.LOW
    assert catalogue.find("gpt-5").cost(USAGE) == 9900
    assert "own" in catalogue.names("openai")
    assert "own" not in catalogue.names("bedrock")
    assert ModelCatalogue.declared("").rows is SHIPPED


@each_row(
    ("given", "named"),
    [
        ("{", "not JSON"),
        ("[]", "not a JSON object"),
        ({"own": 1}, "own"),
        ({"own": [1, 2]}, "own"),
        ({"own": {**OWN, "input": "dear"}}, "own.input"),
        ({"own": {**OWN, "input": -1}}, "below zero"),
        ({"own": {**OWN, "effort": "low"}}, "effort"),
        ({"own": {**OWN, "read": "yesterday"}}, "own.read"),
        ({"own": {name: value for name, value in OWN.items() if name != "context"}}, "own.context"),
        ({"gpt-5": {"effort": "xhigh"}}, "effort"),
        ({"gpt-5": {"prize": 1}}, "gpt-5.prize"),
        ('{"gpt-5": [NaN, 1]}', "no number"),
    ],
)
def test_a_declaration_that_is_wrong_names_its_field_and_no_value(given, named):
    with pytest.raises(SettingsError) as caught:
        ModelCatalogue.declared(given if isinstance(given, str) else json.dumps(given))
    assert named in str(caught.value)
    assert "dear" not in str(caught.value)
    assert "yesterday" not in str(caught.value)


# --- how a model is asked ---------------------------------------------------------------------


def test_a_model_is_asked_by_its_row():
    catalogue = ModelCatalogue()
    luna, nova = catalogue.find("gpt-6-luna"), catalogue.find("amazon.nova-lite-v1:0")
    asked = catalogue.request_options(luna, "Greet.", luna.effort)
    assert (asked.reasoning_effort, asked.reasoning_tokens) == ("low", 2000)
    assert asked.structured is Structured.SCHEMA
    plain = catalogue.request_options(nova, "Greet.", nova.effort)
    assert (plain.reasoning_effort, plain.reasoning_tokens) == (None, 0)
    assert plain.structured is Structured.TOOL


def test_only_a_long_prefix_is_kept_where_the_vendor_must_be_asked():
    catalogue = ModelCatalogue()
    nova, luna = catalogue.find("amazon.nova-lite-v1:0"), catalogue.find("gpt-6-luna")
    assert not catalogue.request_options(nova, "Greet. " * 10, None).keeps_prefix
    assert catalogue.request_options(nova, "Greet them. " * 500, None).keeps_prefix
    assert not catalogue.request_options(luna, "Greet them. " * 500, None).keeps_prefix, (
        "the vendor keeps it unasked"
    )


def test_tokens_of_the_cache_have_a_price_of_their_own():
    luna = ModelCatalogue().find("gpt-6-luna")
    assert luna.cost(Usage(10_000, 0, 10_000)) == 1000
    assert luna.cost(Usage(10_000, 0, 10_000, cached_tokens=8000)) == 280
    assert luna.cost(Usage(10_000, 0, 10_000, written_tokens=8000)) == 1200


def test_the_most_that_a_request_may_cost_has_its_form_its_reasoning_and_any_script():
    catalogue = ModelCatalogue()
    luna = catalogue.find("gpt-6-luna")

    def most(text, schema=None, effort=luna.effort):
        manner = catalogue.request_options(luna, "Greet.", effort)
        request = ModelRequest(
            model=luna.name,
            instructions="Greet.",
            turns=[ModelTurn("user", text)],
            max_output_tokens=100,
            schema=schema,
            manners={luna.name: manner},
        )
        return luna.highest_cost(request, luna.name)

    assert most("Hi") - most("Hi", effort=Effort.NONE) == 1000
    form = JsonSchema("a", {"type": "object", "description": "long " * 1000})
    assert most("Hi", form) > most("Hi") + 100
    assert most("\u4f60" * 4000) > most("Hi") + 450
