"""Bodies of Bedrock's Converse API, as each model takes them."""

import json

import pytest

from chalicelib.vendors import converse
from chalicelib.vendors.language_model import (
    JsonSchema,
    Manner,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
    Structured,
)

NOVA, HAIKU = "amazon.nova-2-lite-v1:0", "us.anthropic.claude-haiku-5-5"
FORM = {
    "type": "object",
    "properties": {"hello": {"type": "string"}},
    "required": ["hello"],
    "additionalProperties": False,
}


def request(**manner):
    manners = dict.fromkeys((NOVA, HAIKU), Manner(**manner))
    return ModelRequest(
        model=NOVA,
        instructions="Greet.",
        turns=[ModelTurn("developer", "{}"), ModelTurn("user", "Hi")],
        max_output_tokens=100,
        schema=JsonSchema("greeting", FORM),
        manners=manners,
    )


def read(asked, model=NOVA, **raw):
    response = converse.ConverseResponse.model_validate(raw)
    return converse.answer(response, asked, model, "r1")


@pytest.mark.parametrize(
    ("model", "effort", "more", "output"),
    [
        (NOVA, None, None, None),
        (NOVA, "none", None, None),
        (NOVA, "low", {"reasoningConfig": {"type": "enabled", "maxReasoningEffort": "low"}}, None),
        (HAIKU, None, None, None),
        (HAIKU, "none", {"thinking": {"type": "disabled"}}, None),
        (HAIKU, "low", None, {"effort": "low"}),
    ],
)
def test_each_vendors_models_are_told_how_much_to_reason(model, effort, more, output):
    made = converse.body(request(reasoning_effort=effort, reasoning_tokens=50), model)
    assert made.get("additionalModelRequestFields") == more
    assert made.get("outputConfig") == output
    assert made["inferenceConfig"] == {"maxTokens": 150}


def test_a_form_is_asked_for_by_a_tool_or_by_the_answers_own_form():
    by_tool = converse.body(request(), NOVA)
    assert by_tool["toolConfig"]["toolChoice"] == {"tool": {"name": "greeting"}}
    assert "outputConfig" not in by_tool
    by_form = converse.body(request(structured=Structured.SCHEMA), HAIKU)
    written = by_form["outputConfig"]["textFormat"]["structure"]["jsonSchema"]
    assert json.loads(written["schema"]) == FORM
    assert "toolConfig" not in by_form


def test_what_stays_the_same_is_kept_and_the_rest_comes_after_it():
    kept = converse.body(request(keeps_prefix=True), NOVA)["system"]
    assert kept == [{"text": "Greet."}, {"cachePoint": {"type": "default"}}, {"text": "{}"}]
    assert len(converse.body(request(), NOVA)["system"]) == 2


@pytest.mark.parametrize(
    ("text", "outcome", "json_"),
    [
        ('{"hello": "Jo"}', ModelOutcome.COMPLETED, {"hello": "Jo"}),
        ('{"hallo": "Jo"}', ModelOutcome.MALFORMED, None),
        ('"hello"', ModelOutcome.MALFORMED, None),
        ("Hello!", ModelOutcome.MALFORMED, None),
    ],
)
def test_an_answer_in_its_own_form_is_read_from_its_text(text, outcome, json_):
    asked = request(structured=Structured.SCHEMA)
    message = {"message": {"content": [{"reasoningContent": {}}, {"text": text}]}}
    answer = read(asked, HAIKU, output=message, stopReason="end_turn")
    assert (answer.outcome, answer.json) == (outcome, json_)


def test_tokens_of_the_cache_are_tokens_of_the_input():
    usage = {"inputTokens": 10, "outputTokens": 5, "totalTokens": 15}
    cache = {"cacheReadInputTokens": 1200, "cacheWriteInputTokens": 40}
    found = read(request(), output={"message": {"content": []}}, usage=usage | cache).usage
    assert (found.input_tokens, found.cached_tokens, found.written_tokens) == (1250, 1200, 40)
    assert (found.output_tokens, found.total_tokens) == (5, 1255)
