"""What holds for every provider of a language model, over its simulated counterpart."""

import traceback

import boto3
import pytest
from botocore.config import Config

from chalicelib.clock import SystemClock
from chalicelib.errors import AuthError, PermanentError, ProviderError, TransientError
from chalicelib.vendors import bedrock, openai
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.guardrail import Guardrail
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
from local import simulated_model
from local.vendors import bedrock as simulated_bedrock
from local.vendors import openai as simulated_openai
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


class Provider:
    """A simulated vendor and our client of it."""

    def __init__(self, vendor, client, operation, models, log):
        self.vendor, self.client, self.operation, self.models = vendor, client, operation, models
        self.log = log

    def ask(self, *, deadline_seconds=5, **changes):
        parts = {
            "turns": [ModelTurn("user", CANARY)],
            "model": self.models[0],
            "instructions": "Greet.",
            "max_output_tokens": 100,
        }
        return self.client.respond(
            ModelRequest(**(parts | changes)), deadline_seconds=deadline_seconds
        )

    def calls(self):
        return self.vendor.calls_of(self.operation)


@pytest.fixture(scope="module")
def servers():
    with (
        simulated_openai.SimulatedOpenAI() as of_openai,
        simulated_bedrock.SimulatedBedrock() as of_bedrock,
    ):
        yield {"openai": of_openai, "bedrock": of_bedrock}


@pytest.fixture(params=["openai", "bedrock"])
def provider(request, servers, monkeypatch):
    vendor, log, clock = servers[request.param], RecordingLog(), SystemClock()
    vendor.reset()
    if request.param == "openai":
        http = VendorClient(
            api=VendorApi(
                provider="openai",
                base_url=vendor.base_url,
                authorize=openai.bearer(lambda _refresh: simulated_openai.API_KEY),
                error_code_at=openai.ERROR_CODE_AT,
            ),
            clock=clock,
            log=log,
            rate_limit=RateLimit(provider="openai", clock=clock, pace=LevelPace(1000)),
            breaker=Breaker("openai", clock, failures_to_open=100),
        )
        client = openai.OpenAI(client=http, clock=clock)
        yield Provider(vendor, client, "respond", simulated_openai.MODELS, log)
    else:
        for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
            monkeypatch.setenv(name, "test")
        sdk = boto3.client(
            "bedrock-runtime",
            endpoint_url=vendor.base_url,
            region_name="us-east-1",
            config=Config(retries={"total_max_attempts": 1}),
        )
        guardrail = Guardrail(simulated_bedrock.GUARDRAIL, "1")
        client = bedrock.Bedrock(client=sdk, clock=clock, log=log, guardrail=guardrail)
        yield Provider(vendor, client, "converse", simulated_bedrock.MODELS, log)
    vendor.clear_faults()


def test_a_text_comes_back_with_its_tokens_and_its_model(provider):
    provider.vendor.script(text="Hello Ada")
    answer = provider.ask()
    assert (answer.outcome, answer.text, answer.json) == (ModelOutcome.COMPLETED, "Hello Ada", None)
    assert answer.usage.total_tokens == answer.usage.input_tokens + answer.usage.output_tokens
    assert answer.usage.input_tokens > 0 < answer.usage.output_tokens
    assert answer.model == provider.models[0]
    assert answer.response_id


def test_every_request_has_an_id_of_its_own(provider):
    assert provider.ask().response_id != provider.ask().response_id


def test_a_required_form_comes_back_as_an_object(provider):
    provider.vendor.script(json={"hello": "Ada"})
    assert provider.ask(schema=SCHEMA).json == {"hello": "Ada"}


def test_a_conversation_goes_whole_whoever_began_it(provider):
    """Each provider's own rules of turns are kept: the server refuses others."""
    turns = [
        ModelTurn("developer", '{"company": "Cucumber"}'),
        ModelTurn("assistant", "Hello Jo"),
        ModelTurn("user", "Hi"),
        ModelTurn("user", "And the salary?"),
    ]
    assert provider.ask(turns=turns).outcome == ModelOutcome.COMPLETED
    assert provider.ask(turns=turns[:1]).outcome == ModelOutcome.COMPLETED
    assert provider.ask(turns=turns[:2]).outcome == ModelOutcome.COMPLETED
    first = str(provider.calls()[0].body)
    assert all(turn.text.strip('{}"') in first for turn in turns[1:])
    assert "Cucumber" in first


def test_both_serve_the_same_writer(provider):
    provider.vendor.answer_by(simulated_model.answer)
    turns = [
        ModelTurn("developer", '{"company": "Cucumber"}'),
        ModelTurn("user", "call me: human please"),
    ]
    wanted = {"text": {"type": "string"}, "hand_off_reason": {"type": ["string", "null"]}}
    form = {"type": "object", "properties": wanted, "required": list(wanted)}
    schema = JsonSchema("answer", {**form, "additionalProperties": False})
    assert provider.ask(turns=turns, schema=schema).json == {
        "text": "",
        "hand_off_reason": "asked for a person",
    }


@pytest.mark.parametrize(
    ("script", "outcome"),
    [
        ({"refusal": "I can't help with that."}, ModelOutcome.REFUSED),
        ({"json": {}, "incomplete": "max_tokens"}, ModelOutcome.INCOMPLETE),
        ({"text": '{"hello": "A'}, ModelOutcome.MALFORMED),
        ({"text": "Hello!"}, ModelOutcome.MALFORMED),
    ],
)
def test_an_answer_that_is_no_usable_object_says_why(provider, script, outcome):
    provider.vendor.script(**script)
    answer = provider.ask(schema=SCHEMA)
    assert (answer.outcome, answer.json) == (outcome, None)
    assert answer.reason


@pytest.mark.parametrize(
    ("status", "error"),
    [
        *((429, TransientError), (500, TransientError), (503, TransientError)),
        *((403, AuthError), (400, PermanentError)),
    ],
)
def test_a_failure_says_whether_it_may_be_repeated(provider, status, error):
    provider.vendor.fault("status", status=status)
    with pytest.raises(ProviderError) as caught:
        provider.ask()
    assert type(caught.value) is error
    assert caught.value.status == status
    assert CANARY not in "".join(traceback.format_exception(caught.value))


@pytest.mark.parametrize("kind", ["drop", "act_then_drop", "garbage"])
def test_a_request_with_a_lost_answer_may_be_repeated(provider, kind):
    provider.vendor.fault(kind)
    with pytest.raises(TransientError):
        provider.ask()
    assert provider.ask().outcome == ModelOutcome.COMPLETED


def test_a_model_that_hangs_is_left_at_the_deadline(provider):
    provider.vendor.fault("hang", seconds=30)
    with pytest.raises(TransientError) as caught:
        provider.ask(deadline_seconds=0.5)
    assert caught.value.reason == "timeout"


def test_a_model_that_is_gone_is_an_error_without_a_fallback(provider):
    with pytest.raises(PermanentError) as caught:
        provider.ask(model="gone")
    assert caught.value.reason == "model_not_found"


def test_the_fallback_answers_for_a_model_that_is_gone(provider):
    answer = provider.ask(model="gone", fallback_model=provider.models[1])
    assert answer.model == provider.models[1]


def test_the_fallback_answers_for_a_model_that_is_down(provider):
    provider.vendor.fault("status", status=503)
    answer = provider.ask(fallback_model=provider.models[1], deadline_seconds=20)
    assert answer.model == provider.models[1]


def test_the_fallback_is_not_asked_what_the_first_refuses_for_good(provider):
    provider.vendor.fault("status", status=400)
    with pytest.raises(PermanentError):
        provider.ask(fallback_model=provider.models[1], deadline_seconds=20)
    assert len(provider.calls()) == 1


def test_the_fallback_is_not_asked_without_time_for_it(provider):
    provider.vendor.fault("hang", seconds=30)
    with pytest.raises(TransientError):
        provider.ask(fallback_model=provider.models[1], deadline_seconds=1)
    assert len(provider.calls()) == 1


def test_reasoning_has_a_budget_beside_the_answers(provider):
    """The budget follows the effort that is asked for; `none` turns reasoning off."""
    provider.vendor.set_modes(thinks=4000)

    def asked(effort, tokens):
        manner = Manner(reasoning_effort=effort, reasoning_tokens=tokens)
        return provider.ask(manners={provider.models[0]: manner})

    cut_off = asked("medium", 2000)
    assert (cut_off.outcome, cut_off.text) == (ModelOutcome.INCOMPLETE, "")
    assert cut_off.usage.output_tokens == 2100
    assert asked("medium", 6000).outcome is ModelOutcome.COMPLETED
    assert asked("none", 0).outcome is ModelOutcome.COMPLETED


def test_the_fallback_is_asked_in_its_own_manner(provider):
    first, second = provider.models[:2]
    manners = {first: Manner(reasoning_tokens=5000), second: Manner(reasoning_tokens=70)}
    provider.ask(model="gone", fallback_model=second, manners=manners)
    assert provider.calls()[-1].body.get("max_output_tokens", 0) in (0, 170)
    assert provider.calls()[-1].body.get("inferenceConfig", {"maxTokens": 170}) == {
        "maxTokens": 170
    }


def test_the_beginning_of_a_prompt_that_was_kept_is_counted_apart(provider):
    manners = {provider.models[0]: Manner(keeps_prefix=True)}
    long = {"instructions": "Greet them politely. " * 400, "manners": manners}
    first, second = provider.ask(**long).usage, provider.ask(**long).usage
    assert first.cached_tokens == 0 < first.written_tokens
    assert second.cached_tokens > 1900
    assert second.input_tokens == first.input_tokens > second.cached_tokens
    assert second.total_tokens == second.input_tokens + second.output_tokens
    short = provider.ask(manners=manners).usage
    assert (short.cached_tokens, short.written_tokens) == (0, 0)


def test_moderation_names_what_it_flags_and_passes_the_rest(provider):
    assert provider.client.moderate("See you on Friday.", deadline_seconds=5) in ((), [])
    assert provider.client.moderate("You stupid idiot", deadline_seconds=5)
    assert CANARY not in str(provider.log.events)


def test_moderation_that_is_down_is_repeated_later(provider):
    provider.vendor.fault("status", status=503)
    with pytest.raises(TransientError):
        provider.client.moderate("Hello", deadline_seconds=5)
