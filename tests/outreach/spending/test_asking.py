"""What is asked of which model, and what is asked after an answer that cannot be used."""

import pytest

from chalicelib.outreach.spending import asking
from chalicelib.outreach.spending.model_catalogue import ModelCatalogue
from chalicelib.outreach.spending.unwritten import UnwrittenError
from chalicelib.vendors.language_model import (
    ModelAnswer,
    ModelOutcome,
    ModelRequest,
    ModelTurn,
    Usage,
)

CATALOGUE = ModelCatalogue()


def request(model, fallback=None):
    return ModelRequest(
        model=model,
        instructions="Greet.",
        turns=[ModelTurn("user", "Hi")],
        max_output_tokens=800,
        fallback_model=fallback,
    )


def asked(model, fallback=None):
    """Each request: the model, its effort, and the tokens that it may generate."""
    return [
        (asked.model, asked.manner(asked.model).reasoning_effort, asked.most_tokens(asked.model))
        for asked in asking.requests(request(model, fallback), CATALOGUE)
    ]


@pytest.mark.parametrize(
    ("model", "fallback", "expected"),
    [
        ("gpt-6-luna", None, [("gpt-6-luna", "low", 2800), ("gpt-6-luna", "none", 800)]),
        ("gpt-5-pro", None, [("gpt-5-pro", "high", 16_800)]),
        ("gpt-5.4-mini", None, [("gpt-5.4-mini", "none", 800)]),
        ("gpt-4.1", "gpt-4.1", [("gpt-4.1", None, 800)]),
        ("gpt-4.1", "gpt-5-mini", [("gpt-4.1", None, 800), ("gpt-5-mini", "low", 2800)]),
        (
            "gpt-5-mini",
            "gpt-4.1",
            [("gpt-5-mini", "low", 2800), ("gpt-5-mini", "minimal", 1300), ("gpt-4.1", None, 800)],
        ),
    ],
)
def test_a_model_is_asked_then_with_least_effort_then_the_fallback(model, fallback, expected):
    assert asked(model, fallback) == expected


@pytest.mark.parametrize("names", [("gpt-5-chat", None), ("gpt-5", "gpt-5-chat")])
def test_an_unknown_model_is_not_asked(names):
    with pytest.raises(UnwrittenError) as caught:
        asked(*names)
    assert caught.value.reason == "unknown_model"


@pytest.mark.parametrize(
    ("outcome", "by", "is_final"),
    [
        (ModelOutcome.COMPLETED, "gpt-6-luna", True),
        (ModelOutcome.MALFORMED, "gpt-6-luna", True),
        (ModelOutcome.INCOMPLETE, "gpt-6-luna", False),
        (ModelOutcome.REFUSED, "gpt-6-luna-2026-09-22", False),
        (ModelOutcome.REFUSED, "gpt-4.1", True),
    ],
)
def test_nothing_more_is_asked_after_a_usable_answer_or_the_fallbacks_own(outcome, by, is_final):
    answer = ModelAnswer(outcome, "", None, Usage(), "r1", by)
    assert asking.is_final(answer, request("gpt-6-luna", "gpt-4.1"), CATALOGUE) is is_final
