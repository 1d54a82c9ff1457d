"""The simulated OpenAI answers the vendor's own SDK as the real one does."""

import json

import openai as sdk
import pytest
import requests
from pydantic import BaseModel

from local.vendors.openai import API_KEY, QUOTA_BODY, SimulatedOpenAI


class Greeting(BaseModel):
    hello: str


@pytest.fixture
def openai():
    with SimulatedOpenAI() as running:
        yield running


@pytest.fixture
def client(openai):
    with sdk.OpenAI(api_key=API_KEY, base_url=f"{openai.base_url}/v1", max_retries=0) as made:
        yield made


def ask(client, **changes):
    parts = {"model": "gpt-6-luna", "input": "Hello", "store": False}
    return client.responses.create(**(parts | changes))


def test_the_sdk_reads_text_usage_and_the_request_id(openai, client):
    openai.script(text="Hello Ada")
    response = ask(client)
    assert response.output_text == "Hello Ada"
    assert response.status == "completed"
    assert response.store is False
    assert response.usage.total_tokens > 0
    assert response.output[0].type == "reasoning"
    assert response._request_id.startswith("req_")


def test_the_sdk_parses_an_answer_of_its_own_strict_schema(openai, client):
    openai.script(json={"hello": "Ada"})
    parsed = client.responses.parse(model="gpt-6-luna", input="Hello", text_format=Greeting)
    assert parsed.output_parsed == Greeting(hello="Ada")


def test_an_unscripted_answer_fits_the_schema_that_was_asked(client):
    parsed = client.responses.parse(model="gpt-6-luna", input="Hello", text_format=Greeting)
    assert isinstance(parsed.output_parsed, Greeting)


def test_a_refusal_and_a_cut_off_response_are_distinguished_from_text(openai, client):
    openai.script(refusal="I can't help with that.", times=1)
    refused = ask(client)
    assert refused.output[-1].content[0].refusal == "I can't help with that."
    assert refused.output_text == ""
    openai.script(text="Hel", incomplete="max_output_tokens")
    cut = ask(client)
    assert (cut.status, cut.incomplete_details.reason) == ("incomplete", "max_output_tokens")


def test_cut_off_json_is_invalid(openai, client):
    openai.script(json={"hello": "Ada"}, incomplete="max_output_tokens")
    with pytest.raises(json.JSONDecodeError):
        json.loads(ask(client).output_text)


def test_a_schema_name_allows_only_few_characters(client):
    form = {"type": "json_schema", "name": "an answer", "schema": {"type": "object"}}
    with pytest.raises(sdk.BadRequestError):
        ask(client, text={"format": form})


@pytest.mark.parametrize(
    ("fault", "error", "code"),
    [
        ({"status": 429}, sdk.RateLimitError, "rate_limit_exceeded"),
        ({"status": 429, "body": QUOTA_BODY}, sdk.RateLimitError, "insufficient_quota"),
        ({"status": 500}, sdk.InternalServerError, "server_error"),
    ],
)
def test_the_sdk_raises_its_own_error_with_the_code(openai, client, fault, error, code):
    openai.fault("status", **fault)
    with pytest.raises(error) as caught:
        ask(client)
    assert caught.value.code == code


def test_a_wrong_key_an_unknown_model_and_a_locked_conversation(openai, client):
    with (
        sdk.OpenAI(api_key="wrong", base_url=f"{openai.base_url}/v1", max_retries=0) as stranger,
        pytest.raises(sdk.AuthenticationError),
    ):
        ask(stranger)
    with pytest.raises(sdk.NotFoundError) as caught:
        ask(client, model="gpt-4o-mini")
    assert caught.value.code == "model_not_found"
    openai.set_modes(conversation_locked=True)
    with pytest.raises(sdk.BadRequestError) as locked:
        ask(client, conversation="conv_1")
    assert locked.value.code == "conversation_locked"


def test_the_models_are_listed(client):
    assert [model.id for model in client.models.list()] == ["gpt-6-luna", "gpt-5.6-luna"]


@pytest.mark.parametrize("path", ["assistants", "threads", "threads/t-1/runs"])
def test_a_shut_down_model_is_404(openai, path):
    headers = {"authorization": f"Bearer {API_KEY}"}
    answer = requests.post(f"{openai.url}/v1/{path}", json={}, headers=headers, timeout=60)
    assert answer.status_code == 404


def test_it_is_scripted_from_another_process(openai, client):
    script = {"json": {"hello": "Bo"}, "contains": "Hello", "times": 1}
    assert requests.post(f"{openai.url}/_sim/scripts", json=script, timeout=60).ok
    assert ask(client).output_text == '{"hello": "Bo"}'
    assert ask(client).output_text != '{"hello": "Bo"}'
