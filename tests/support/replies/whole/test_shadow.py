"""In shadow a message is judged with every read as it would be otherwise, and nothing is changed."""

import json
from datetime import timedelta

import pytest

from chalicelib.support import keys as ticket_keys
from tests.rigs.replies import EMAIL

TRACKING = {"number": "1Z999AA1", "url": "https://c.example/1Z999AA1", "company": "UPS"}


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


@pytest.fixture
def extra_variables():
    return {"MW_OUTBOUND_ALLOWLIST_DOMAINS": "", "RICHPANEL_BOT_AGENT_ID": ""}


@pytest.fixture
def shadow(replies_rig, shopify):
    shopify.add_order("#1001", email=EMAIL, tracking=TRACKING)
    replies_rig.switch(shadow_mode=True, automation_enabled=False)
    return replies_rig


def decided(rig, ticket="1042"):
    return rig.state(ticket).decisions


def test_the_orders_are_looked_up_and_the_whole_decision_is_kept(shadow, shopify):
    """A new stage has neither bot nor allow-list, and automation is off: all of it is named."""
    shadow.run(shadow.ticket("Where is my order #1001?"))
    assert (shadow.writes(), shadow.replies) == ([], [])
    assert len(shopify.calls) >= 1
    (decision,) = decided(shadow)
    assert (decision["decision"], decision["intent"]) == ("answer", "order_status_tracking")
    assert decision["template"] == "t_order_status_verified"
    assert decision["reasons"] == [
        *("not_on_allow_list", "missing_bot_author", "automation_disabled", "shadow"),
    ]
    assert len(decision["orders"]) == 1
    assert len(decision["digests"]) >= 2
    assert all(len(decision[name]) == 8 for name in ("rules", "models", "texts"))
    assert decision["event"] == ticket_keys.ticket_message("1042", "c-1")


def test_the_reason_for_a_person_is_kept_before_what_keeps_it_in_shadow(shadow):
    shadow.run(shadow.ticket("Where is my order #1002?"))
    (decision,) = decided(shadow)
    assert (decision["decision"], decision["reasons"][0], decision["reasons"][-1]) == (
        *("person", "not_found", "shadow"),
    )


def test_no_text_of_a_customer_or_order_is_kept(shadow, stage):
    shadow.run(
        shadow.ticket("Where is my order #1001? Regards, Ada", subject="Parcel to Elm Street")
    )
    kept = json.dumps(
        stage.aws.client("dynamodb").scan(TableName="rp_mw_conversation_state-dev")["Items"]
    )
    for personal in ("1001", "Ada", "Elm", EMAIL, TRACKING["number"], "Where is"):
        assert personal not in kept


def test_what_shadow_counts_takes_no_allowance_of_real_answers(shadow, stage):
    """The same text twice stops a customer, also in shadow; an answer that is sent later may leave."""
    shadow.run(shadow.ticket("Where is my order #1001?"))
    shadow.run(shadow.ticket("Where is my order #1001?", "1043"))
    assert decided(shadow, "1043")[0]["reasons"][0] == "same_text"
    rows = stage.aws.client("dynamodb").scan(TableName="rp_mw_idempotency-dev")["Items"]
    keys = [key for row in rows if (key := row["event_id"]["S"]).startswith("lim:")]
    assert keys
    assert all(key.startswith("lim:shadow:") for key in keys)


def test_a_second_message_after_an_answer_in_shadow_goes_to_a_person(shadow):
    shadow.run(shadow.ticket("Where is my order #1001?"))
    shadow.run(shadow.says("Could you tell me where my order #1001 is?", "c-2"))
    assert [decision["decision"] for decision in decided(shadow)] == ["answer", "person"]
    assert decided(shadow)[1]["reasons"][0] == "answered_automatically"


def test_a_later_webhook_shows_what_people_did(shadow):
    shadow.run(shadow.ticket("Where is my order #1001?"))
    assert shadow.state().people is None
    ticket = shadow.richpanel._tickets["1042"]
    shadow.richpanel.add_comment("1042", "Here it is", operator=True, author_id="agent-7")
    ticket.tags[:] = ["vip", "jo@example.com", "route-returns-admin", "mw-risk-legal_threat"]
    shadow.run({"ticket_id": "1042"})
    people = shadow.state().people
    assert people["answered"] is True
    assert people["team"] == "route-returns-admin"
    assert people["tags"] == ["mw-risk-legal_threat", "other", "vip"]
    assert people["event"] == decided(shadow)[0]["event"]


def test_a_day_later_the_sweep_asks_for_one_more_look(shadow, move_clock):
    """The look happens once: later runs find what people did already noted."""
    shadow.run(shadow.ticket("Where is my order #1001?"))
    shadow.sweep()
    assert shadow.state().people is None
    shadow.richpanel.add_comment("1042", "Here it is", operator=True, author_id="agent-7")
    shadow.richpanel._tickets["1042"].fields["status"] = "CLOSED"
    move_clock(timedelta(hours=25))
    shadow.sweep()
    assert (shadow.state().people["answered"], shadow.state().people["open"]) == (True, False)
    shadow.richpanel.forget_calls()
    shadow.sweep()
    assert not [call for call in shadow.richpanel.calls if call.operation == "read_ticket"]
