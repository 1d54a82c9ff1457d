"""The language model beside the tables: the decisions it may change, and those it may not."""

import json

import pytest

from tests.rigs.replies import EMAIL


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


@pytest.mark.parametrize("extra_variables", [{"OPENAI_INTENT_ENABLED": "true"}])
class TestWithAModel:
    def test_the_model_never_sees_the_author_and_its_agreement_changes_nothing(
        self, replies_rig, openai, tracked_question
    ):
        openai.answer_by(_opinion("order_status_tracking", 0.97))
        replies_rig.run(replies_rig.ticket(f"{tracked_question} My email is {EMAIL}"))
        assert len(replies_rig.replies) == 1
        for call in openai.calls_of("respond"):
            assert EMAIL not in json.dumps(call.body)
            assert call.body["store"] is False

    def test_the_model_sees_neither_name_nor_password_nor_plate_nor_part_of_a_card(
        self, replies_rig, openai
    ):
        openai.answer_by(_opinion("order_status_tracking", 0.97))
        said = "Hi Annabel, my card 4111 1111 1111 1111 and password is tulip, my plate is LB07 SEO"
        replies_rig.run(replies_rig.ticket(said))
        sent = json.dumps([call.body for call in openai.calls_of("respond")])
        assert "<redacted>" in sent
        for hidden in ("Annabel", "1111", "tulip", "LB07", "SEO"):
            assert hidden not in sent

    @pytest.mark.parametrize("fault", [{"status": 500}, {"status": 429}, {"status": 401}])
    def test_when_the_model_fails_the_keyword_tables_decide(
        self, replies_rig, openai, tracked_question, fault
    ):
        openai.fault("status", times=None, **fault)
        replies_rig.run(replies_rig.ticket(tracked_question))
        assert len(replies_rig.replies) == 1
        assert any(reason.startswith("model:") for reason in replies_rig.reasons())

    def test_only_a_confident_disagreement_of_the_model_counts(self, replies_rig, openai):
        openai.answer_by(_opinion("refund_request", 0.7))
        replies_rig.run(replies_rig.ticket("My password does not work", ticket_id="1"))
        assert "route-technical-support-team" in replies_rig.tags("1")
        openai.answer_by(_opinion("refund_request", 0.93))
        replies_rig.run(replies_rig.ticket("My password does not work", ticket_id="2"))
        assert "route-returns-admin" in replies_rig.tags("2")

    def test_the_model_cannot_withdraw_an_escalation(self, replies_rig, openai):
        openai.answer_by(_opinion("order_status_tracking", 0.99))
        replies_rig.run(replies_rig.ticket("Where is my order? My lawyer will call"))
        assert "route-leadership-team" in replies_rig.tags()
        assert replies_rig.replies == []

    def test_the_model_may_escalate_what_the_tables_missed(
        self, replies_rig, openai, tracked_question
    ):
        openai.answer_by(_opinion("harassment_threats", 0.6))
        replies_rig.run(replies_rig.ticket(tracked_question))
        assert "route-leadership-team" in replies_rig.tags()
        assert replies_rig.replies == []

    def test_the_model_may_ask_for_a_person(self, replies_rig, openai, tracked_question):
        answer = _opinion("order_status_tracking", 0.97)
        openai.answer_by(lambda body: {**answer(body), "risk": {"flags": [], "force_human": True}})
        replies_rig.run(replies_rig.ticket(tracked_question))
        assert replies_rig.replies == []
        assert replies_rig.reasons()[-1] == "force_human"

    @pytest.mark.parametrize(
        ("flag", "confidence"), [("OTHER_HIGH_RISK", 0.97), ("FRAUD_SUSPECTED", 0.4)]
    )
    def test_a_risk_without_an_escalation_still_asks_for_a_person(
        self, replies_rig, openai, tracked_question, flag, confidence
    ):
        answer = _opinion("order_status_tracking", confidence)
        openai.answer_by(
            lambda body: {**answer(body), "risk": {"flags": [flag], "force_human": False}}
        )
        replies_rig.run(replies_rig.ticket(tracked_question))
        assert replies_rig.replies == []
        assert replies_rig.reasons()[-1] == "force_human"
        assert "route-email-support-team" in replies_rig.tags()

    def test_the_verifier_stops_a_verified_reply(self, replies_rig, openai, tracked_question):
        openai.answer_by(_opinion("order_status_tracking", 0.97, allows=False))
        replies_rig.run(replies_rig.ticket(tracked_question))
        assert replies_rig.replies == []
        assert replies_rig.reasons()[-1] == "verifier:conflicting_intent"


def _opinion(intent, confidence, *, allows=True):
    """Answers both questions the way a model would."""

    def answer(body):
        if body["text"]["format"]["name"] == "mw_tier2_verifier_v1":
            return {
                "allow_tier2": allows,
                "confidence": 0.95,
                "downgrade_to_tier": "ROUTE_ONLY",
                "reason_code": "OK" if allows else "CONFLICTING_INTENT",
                "notes": "",
            }
        return {
            "schema_version": "mw_decision_v1",
            "language": "en",
            "primary_intent": intent,
            "secondary_intents": [],
            "routing": {
                "destination_team": "route-email-support-team",
                "confidence": confidence,
                "needs_manual_triage": False,
                "tags": [],
            },
            "automation": {
                "tier": "TIER_1_SAFE_ASSIST",
                "action": "ROUTE_ONLY",
                "template_id": None,
                "confidence": 0.0,
                "requires_deterministic_match": False,
            },
            "risk": {"flags": [], "force_human": False},
            "clarifying_questions": [],
            "notes_for_agent": "",
        }

    return answer
