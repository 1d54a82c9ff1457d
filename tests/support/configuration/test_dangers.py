"""Valid rows that would do more than their author means are named."""

import pytest

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.dangers import dangers, neutral_messages
from chalicelib.support.configuration.document import parse_document


def warned(**document):
    return list(dangers(Rules(0, parse_document(document))))


def test_a_document_without_changes_is_not_warned_of():
    assert warned() == []


@pytest.mark.parametrize("strength", ["sure", "likely"])
@pytest.mark.parametrize("phrase", ["my", "order", "thanks", "help|assist", "buenos? dias"])
def test_a_phrase_that_matches_ordinary_messages_is_named(strength, phrase):
    (warning,) = warned(phrases={"return_request": {strength: [phrase]}})
    assert warning.startswith(f"phrases.return_request.{strength}[0]: it matches ")


def test_a_phrase_of_the_shops_own_goods_is_not_warned_of():
    own = {"return_request": {"sure": ["ship it? back to the? depot"], "hint": ["my"]}}
    assert warned(phrases=own) == []


def test_a_phrase_of_order_questions_may_match_them():
    assert warned(phrases={"order_status_tracking": {"sure": ["where is my {order}"]}}) == []
    assert warned(phrases={"refund_request": {"sure": ["where is my {order}"]}})


@pytest.mark.parametrize("intent", ["legal_threat", "fraud_suspected", "chargeback_dispute"])
@pytest.mark.parametrize("department", ["route-sales-team", "route-email-support-team"])
def test_a_grave_matter_for_another_department_is_named(intent, department):
    (warning,) = warned(routes={intent: department})
    assert warning == f"routes.{intent}: a matter of tier 0 would go to {department}"


def test_a_grave_matter_may_go_to_a_department_of_the_shops_own():
    own = {"route-fraud": {}}
    assert warned(routes={"fraud_suspected": "route-fraud"}, departments=own) == []
    assert warned(routes={"fraud_suspected": "route-chargebacks-disputes"}) == []


def test_a_tag_of_ours_as_a_stop_tag_is_named():
    (warning,) = warned(answers={"stop_tags": ["mw-processed", "vip"]})
    assert "mw-processed" in warning


def test_the_ordinary_messages_are_several_and_different():
    found = [*neutral_messages().courtesies, *neutral_messages().orders]
    assert len(set(found)) == len(found) > 20
