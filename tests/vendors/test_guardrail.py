"""A guardrail's name and what its answer flags."""

import pytest

from chalicelib.vendors.guardrail import Guardrail, GuardrailResponse

ARN = "arn:aws:bedrock:us-east-1:123456789012:guardrail/a1b2c3d4e5f6"


@pytest.mark.parametrize(
    ("name", "guardrail"),
    [
        ("", None),
        ("a1b2c3d4e5f6:3", Guardrail("a1b2c3d4e5f6", "3")),
        (f"{ARN}:DRAFT", Guardrail(ARN, "DRAFT")),
    ],
)
def test_a_guardrail_is_named_by_its_id_and_version(name, guardrail):
    assert Guardrail.parsed(name) == guardrail


def blocked(kind):
    return {"type": kind, "confidence": "HIGH", "action": "BLOCKED"}


@pytest.mark.parametrize(
    ("assessment", "flagged"),
    [
        (
            {"contentPolicy": {"filters": [blocked("INSULTS"), blocked("HATE")]}},
            ["hate", "insults"],
        ),
        ({"topicPolicy": {"topics": [{"name": "Visas", "action": "BLOCKED"}]}}, ["topic"]),
        ({"wordPolicy": {"customWords": [{"match": "x", "action": "BLOCKED"}]}}, ["word"]),
        (
            {"sensitiveInformationPolicy": {"piiEntities": [{"action": "ANONYMIZED"}]}},
            ["personal"],
        ),
        ({"contentPolicy": {"filters": [{"type": "HATE", "action": "NONE"}]}}, ["guardrail"]),
        ({"contextualGroundingPolicy": {"filters": []}}, ["guardrail"]),
        ({}, ["guardrail"]),
    ],
)
def test_an_intervention_names_its_policies_and_never_the_text(assessment, flagged):
    raw = {"action": "GUARDRAIL_INTERVENED", "assessments": [assessment]}
    assert GuardrailResponse.model_validate(raw).flagged == flagged


def test_what_it_only_detects_is_not_flagged():
    found = {"contentPolicy": {"filters": [blocked("HATE") | {"action": "NONE"}]}}
    raw = {"action": "NONE", "assessments": [found]}
    assert GuardrailResponse.model_validate(raw).flagged == ()
