"""The OpenAI adapter over the simulated OpenAI: results, and the error for each failure."""

import traceback

import pytest

from chalicelib.clock import SystemClock
from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.vendors import openai as adapter
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient
from chalicelib.vendors.language_model import (
    JsonSchema,
    Manner,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
)
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors.openai import API_KEY, QUOTA_BODY, SimulatedOpenAI
from tests.rigs.fakes import RecordingLog

CANARY = "My number is 555-0134"
SCHEMA = JsonSchema(
    "greeting",
    {
        "type": "object",
        "properties": {"hello": {"type": "string"}},
        "required": ["hello"],
        "additionalProperties": False,
    },
)


@pytest.fixture
def openai():
    with SimulatedOpenAI() as running:
        yield running


@pytest.fixture
def keys():
    """The secret's text, by whether it was fetched again."""
    return {False: API_KEY, True: API_KEY}


@pytest.fixture
def model(openai, keys):
    clock = SystemClock()
    client = VendorClient(
        api=VendorApi(
            provider="openai",
            base_url=openai.base_url,
            authorize=adapter.bearer(lambda refresh: keys[refresh]),
            error_code_at=adapter.ERROR_CODE_AT,
        ),
        clock=clock,
        log=RecordingLog(),
        rate_limit=RateLimit(provider="openai", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("openai", clock, failures_to_open=100),
    )
    return adapter.OpenAI(client=client, clock=clock)


def ask(client, *, deadline_seconds=5, **changes):
    parts = {
        "model": "gpt-6-luna",
        "instructions": "Greet.",
        "turns": [ModelTurn("user", CANARY)],
        "max_output_tokens": 100,
    }
    return client.respond(ModelRequest(**(parts | changes)), deadline_seconds=deadline_seconds)


def test_the_text_is_joined_past_the_reasoning_item(openai, model):
    openai.script(text="Hello Ada")
    answer = ask(model)
    assert (answer.outcome, answer.text, answer.json) == (ModelOutcome.COMPLETED, "Hello Ada", None)
    assert answer.response_id.startswith("resp_")
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens > 0


def test_a_schema_is_sent_strict_and_its_object_comes_back_parsed(openai, model):
    openai.script(json={"hello": "Ada"})
    assert ask(model, schema=SCHEMA).json == {"hello": "Ada"}
    (call,) = openai.calls_of("respond")
    assert call.body["text"]["format"]["strict"] is True
    assert call.body["text"]["format"]["type"] == "json_schema"


def test_nothing_is_kept_at_the_vendor_and_instructions_go_every_time(openai, model):
    manners = {"gpt-6-luna": Manner(reasoning_effort="low", reasoning_tokens=2000)}
    ask(model, safety_identifier="9f", manners=manners)
    (call,) = openai.calls_of("respond")
    assert call.body["store"] is False
    assert call.body["instructions"] == "Greet."
    assert call.body["safety_identifier"] == "9f"
    assert call.body["reasoning"] == {"effort": "low"}
    assert call.body["max_output_tokens"] == 2100
    assert "temperature" not in call.body


@pytest.mark.parametrize(
    ("script", "outcome", "reason"),
    [
        ({"refusal": "I can't help with that."}, ModelOutcome.REFUSED, "refusal"),
        (
            {"json": {}, "incomplete": "max_output_tokens"},
            ModelOutcome.INCOMPLETE,
            "max_output_tokens",
        ),
        ({"text": '{"hello": "A'}, ModelOutcome.MALFORMED, "not_json"),
        ({"text": '["a list"]'}, ModelOutcome.MALFORMED, "not_json"),
    ],
)
def test_a_200_without_a_usable_object_is_an_error(openai, model, script, outcome, reason):
    openai.script(**script)
    answer = ask(model, schema=SCHEMA)
    assert (answer.outcome, answer.reason, answer.json) == (outcome, reason, None)


@pytest.mark.parametrize(
    ("fault", "error", "reason"),
    [
        ({"status": 429, "headers": {"Retry-After": "7"}}, TransientError, "rate_limit_exceeded"),
        ({"status": 429, "body": QUOTA_BODY}, PermanentError, "insufficient_quota"),
        ({"status": 500}, TransientError, "server_error"),
        ({"status": 503}, TransientError, "server_is_overloaded"),
        ({"status": 403}, AuthError, "unsupported_country_region_territory"),
        ({"status": 400, "body": "<html>" + CANARY}, PermanentError, "http_400"),
    ],
)
def test_a_failure_maps_to_a_retryable_or_permanent_error(openai, model, fault, error, reason):
    openai.fault("status", **fault)
    with pytest.raises(ProviderError) as caught:
        ask(model)
    assert type(caught.value) is error
    assert caught.value.reason == reason
    assert CANARY not in "".join(traceback.format_exception(caught.value))


def test_a_failed_generation_is_transient(openai, model):
    openai.set_modes(status="failed")
    with pytest.raises(TransientError) as caught:
        ask(model)
    assert caught.value.reason == "server_error"


@pytest.mark.parametrize("kind", ["drop", "act_then_drop", "garbage"])
def test_a_request_with_a_lost_response_may_be_retried(openai, model, kind):
    openai.fault(kind)
    with pytest.raises(TransientError):
        ask(model)
    assert ask(model).outcome == ModelOutcome.COMPLETED


def test_a_model_that_is_gone_is_replaced_by_the_fallback(model):
    answer = ask(model, model="gpt-4o-mini", fallback_model="gpt-6-luna")
    assert answer.model == "gpt-6-luna"
    with pytest.raises(PermanentError) as caught:
        ask(model, model="gpt-4o-mini")
    assert caught.value.reason == "model_not_found"


def test_a_loose_schema_is_refused_for_good(model):
    loose = JsonSchema("loose", {"type": "object", "properties": {"a": {"type": "string"}}})
    with pytest.raises(PermanentError) as caught:
        ask(model, schema=loose)
    assert caught.value.reason == "invalid_json_schema"


def test_a_rotated_key_is_fetched_again_once(openai, model, keys):
    keys[False] = "old"
    assert ask(model).outcome == ModelOutcome.COMPLETED
    assert [call.status for call in openai.calls_of("respond")] == [401, 200]


def test_the_key_may_be_inside_a_json_secret():
    headers = adapter.bearer(lambda _refresh: '{"ai_api_key": "k-1"}')
    assert headers(False) == {"authorization": "Bearer k-1"}
    assert adapter.bearer(lambda _refresh: " k-2\n")(False) == {"authorization": "Bearer k-2"}
