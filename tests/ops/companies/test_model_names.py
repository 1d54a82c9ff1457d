"""A project that names a model without a price is refused, and a stage's is reported."""

import json

import pytest

from tests.rigs.ops_cli import runner

OTHER = "gpt-5-search-api"
DECLARED = {
    "provider": "openai",
    "context": 128_000,
    "input": 1,
    "output": 2,
    "structured": "json_schema",
    "moderation": "moderation",
    "source": "https://example.com/prices",
    "read": "2026-11-27",
}


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


@pytest.fixture
def stored(outreach, tmp_path):
    """Writes an item with such an `ai_config` to a file."""

    def write(**ai_config):
        path = tmp_path / "item.json"
        path.write_text(json.dumps({**outreach.project, "ai_config": ai_config}))
        return path

    return write


@pytest.mark.parametrize("field", ["opening_model", "answering_model"])
@pytest.mark.parametrize(
    ("provider", "name", "known"),
    [
        ("openai", OTHER, "gpt-6-luna"),
        ("openai", "amazon.nova-lite-v1:0", "gpt-6-luna"),
        ("bedrock", "gpt-6-luna", "amazon.nova-lite-v1:0"),
    ],
)
def test_an_unknown_model_is_refused_with_those_that_are_known(
    run, stored, provider, field, name, known
):
    file = stored(provider=provider, writer={field: name})
    said = run("company", "put", file)
    assert said.code == 1
    assert f"ai_config.writer.{field} is no known model of {provider}" in said.err
    assert known in said.err
    assert name not in said.err
    checked = run("company", "check", "--file", file, "--json")
    (fault,) = [
        finding
        for finding in checked.data
        if finding["result"] == "fail" and "model" in finding["detail"]
    ]
    assert known in fault["detail"]


def test_a_known_model_or_one_that_the_stage_declares_is_stored(run, stored, monkeypatch):
    monkeypatch.setenv("MODEL_PRICES", json.dumps({OTHER: DECLARED}))
    monkeypatch.setattr("chalicelib.wiring._services", [])
    writer = {"opening_model": OTHER, "answering_model": "gpt-5-mini-2025-08-07"}
    assert run("company", "put", stored(writer=writer), "--json").code == 0


def test_an_unknown_model_of_the_stage_is_named_by_its_variable(run, stored, monkeypatch):
    monkeypatch.setenv("BEDROCK_MODEL", OTHER)
    monkeypatch.setattr("chalicelib.wiring._services", [])
    file = stored(provider="bedrock")
    checked = run("company", "check", "--file", file, "--json")
    (fault,) = [finding for finding in checked.data if finding["subject"] == "models"]
    assert fault["result"] == "fail"
    assert fault["detail"].startswith("BEDROCK_MODEL is no known model of bedrock")
