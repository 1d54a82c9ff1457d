"""Only true things are promised, only whole messages are answered, and no machine is."""

from datetime import UTC, datetime, timedelta

import pytest

from tests.rigs.replies import EMAIL, STATUS_TAGS

LONG_AGO = (datetime.now(UTC) - timedelta(days=60)).isoformat()
NOW = datetime.now(UTC).isoformat()
TRACKING = {"number": "ZZ555", "url": "https://carrier.example/t/ZZ555", "company": "UPS"}
ASKS = "Where is my order #1001?"


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


def parcel(shown, *, status="SUCCESS", at=NOW, number="ZZ555"):
    return {
        "id": "gid://shopify/Fulfillment/9",
        "status": status,
        "displayStatus": shown,
        "createdAt": at,
        "trackingInfo": [{**TRACKING, "number": number}],
    }


@pytest.mark.parametrize("extra_variables", [{"MW_CLOSE_AFTER_REPLY": "true"}])
@pytest.mark.parametrize(
    ("order", "reason"),
    [
        ({"displayFinancialStatus": "REFUNDED"}, "order_refunded"),
        ({"displayFinancialStatus": "PARTIALLY_REFUNDED"}, "order_partly_refunded"),
        ({"displayFinancialStatus": "VOIDED"}, "order_voided"),
        ({"displayFinancialStatus": "PENDING"}, "order_unpaid"),
        ({"displayFulfillmentStatus": "ON_HOLD"}, "order_on_hold"),
        ({"disputes": [{"id": "d", "status": "UNDER_REVIEW"}]}, "order_disputed"),
        ({"currentSubtotalLineItemsQuantity": 0}, "order_lines_cancelled"),
        ({"returnStatus": "IN_PROGRESS"}, "order_return_in_progress"),
        ({"fulfillments": [parcel("IN_TRANSIT"), parcel("DELIVERED")]}, "order_delivered"),
        (
            {"fulfillments": [parcel("IN_TRANSIT"), parcel("LABEL_PRINTED", number="ZZ556")]},
            "order_several_shipments",
        ),
        ({"displayFulfillmentStatus": "PARTIALLY_FULFILLED"}, "order_several_shipments"),
        ({"edited": True}, "order_lines_cancelled"),
        ({"refunds": [{"id": "r"}]}, "order_partly_refunded"),
        ({"risk": {"recommendation": "INVESTIGATE"}}, "order_risky"),
        ({"tags": ["do-not-ship"]}, "order_tagged"),
        ({"tags": ["Pre-Order"]}, "order_preordered"),
        ({"fulfillmentOrders": {"nodes": []}}, "order_unknown:holds"),
        (
            {
                "fulfillmentOrders": {
                    "nodes": [{"status": "OPEN", "fulfillmentHolds": [{"reason": "OTHER"}]}]
                }
            },
            "order_on_hold",
        ),
        (
            {"fulfillmentOrders": {"nodes": [{"status": "SCHEDULED", "fulfillmentHolds": []}]}},
            "order_scheduled",
        ),
        ({"shippingAddress": None}, "order_unknown:country"),
        ({"country": "AU", "shipping": "Free shipping"}, "order_abroad"),
        ({"fulfillments": [parcel("DELIVERED")]}, "order_delivered"),
        ({"fulfillments": [parcel("NOT_DELIVERED")]}, "order_delivery_exception"),
        ({"fulfillments": [parcel("IN_TRANSIT", status="FAILURE")]}, "order_delivery_exception"),
        ({"created_at": LONG_AGO}, "order_not_sent_in_time"),
        ({"fulfillments": [parcel("IN_TRANSIT", at=LONG_AGO)]}, "delivery_window_over"),
    ],
)
def test_an_order_of_which_nothing_can_be_promised_goes_to_a_person_and_stays_open(
    replies_rig, shopify, order, reason
):
    shopify.add_order("#1001", email=EMAIL, **order)
    replies_rig.run(replies_rig.ticket(ASKS))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == reason
    assert replies_rig.richpanel.ticket("1042")["status"] == "OPEN"
    assert replies_rig.writes() == ["add_tags"]


def test_a_linked_order_that_says_nothing_of_its_payment_is_looked_up_in_the_shop(
    replies_rig, shopify
):
    shopify.add_order("#9001", email=EMAIL, displayFinancialStatus="REFUNDED")
    body = replies_rig.ticket("Where is my package?")
    order = {
        "orderId": "9001",
        "status": "confirmed",
        "createdAt": datetime.now(UTC).isoformat(),
        "fulfillment": [{"tracking": [{"trackingNumber": "ZZ555"}]}],
    }
    replies_rig.richpanel.link_order("1042", "shop", "9001", order)
    replies_rig.run(body)
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "order_refunded"


# --- the whole message ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("more", "risk"),
    [
        ("The first bottle gave my son hives.", "safety_injury"),
        ("I don't want to live anymore.", "self_harm"),
        ("Also delete all my personal data.", "privacy_request"),
        ("I want to speak to a real person.", "human_requested"),
        ("I am a reporter and write about you.", "press_regulator"),
        ("Your driver called me a racist slur.", "discrimination"),
        ("My 9 year old ordered it.", "minor_involved"),
        ("La crema me quemó la piel.", "safety_injury"),
        ("Quiero borrar mis datos personales.", "privacy_request"),
    ],
)
def test_an_order_question_with_something_grave_is_flagged_and_never_answered(
    replies_rig, tracked_question, more, risk
):
    replies_rig.run(replies_rig.ticket(f"{tracked_question} {more}"))
    assert replies_rig.replies == []
    assert f"mw-risk-{risk}" in replies_rig.tags()
    assert risk in replies_rig.state().risk_flags
    replies_rig.run(replies_rig.says("When will it come?", "c-2"))
    assert replies_rig.replies == []


@pytest.mark.parametrize("more", ["Purple monkeys dance.", "😡"])
def test_a_sentence_that_nothing_explains_sends_the_message_to_a_person(
    replies_rig, tracked_question, more
):
    replies_rig.run(replies_rig.ticket(f"{tracked_question} {more}"))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "not_understood"


def test_a_complaint_after_our_own_answer_is_flagged(replies_rig, tracked_question, move_clock):
    replies_rig.run(replies_rig.ticket(tracked_question))
    move_clock(timedelta(minutes=11))
    replies_rig.run(replies_rig.says("That did not help, where is it?", "c-2"))
    assert len(replies_rig.replies) == 1
    assert "mw-risk-repeated_complaint" in replies_rig.tags()
    assert "answered_automatically" in replies_rig.reasons("c-2")


def test_thanks_after_our_own_answer_are_no_complaint(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    replies_rig.run(replies_rig.says("Perfect, thank you so much!", "c-2"))
    assert "mw-risk-repeated_complaint" not in replies_rig.tags()


# --- later ------------------------------------------------------------------------------------


def interrupt(shopify, fault):
    if fault == "graphql":
        shopify.fail_with("INTERNAL_SERVER_ERROR", times=2)
    else:
        kind, settings = fault
        shopify.fault(kind, **{"operation": "graphql", "times": 2} | settings)


FAULTS = [
    "graphql",
    ("status", {"status": 500}),
    ("status", {"status": 429, "times": 1}),
    ("status", {"status": 429, "times": 1, "headers": {"Retry-After": "60"}}),
    ("drop", {}),
]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_momentary_fault_routes_at_once_and_the_answer_follows(
    replies_rig, shopify, tracked_question, move_clock, fault
):
    interrupt(shopify, fault)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies == []
    assert {"route-email-support-team", "mw-processed"} <= replies_rig.tags()
    move_clock(timedelta(minutes=15))
    replies_rig.sweep()
    assert len(replies_rig.replies) == 1
    assert replies_rig.tags() >= STATUS_TAGS
    assert replies_rig.event()["status"] == "processed"
    assert replies_rig.state().last_auto_reply["type"] == "order_status"


@pytest.mark.parametrize("operator", [True, False])
def test_a_later_answer_is_withdrawn_if_anybody_has_written_since(
    replies_rig, shopify, tracked_question, move_clock, operator
):
    interrupt(shopify, "graphql")
    replies_rig.run(replies_rig.ticket(tracked_question))
    replies_rig.richpanel.add_comment("1042", "It is about the colour", operator=operator)
    move_clock(timedelta(minutes=15))
    replies_rig.sweep()
    assert replies_rig.replies == []
    assert replies_rig.reply_row()["status"] == "skipped"
    assert replies_rig.event()["status"] == "processed"
    assert "middleware_error_needs_attention" not in replies_rig.tags()


@pytest.mark.parametrize(
    ("hidden", "reason"),
    [
        ("disputes", "order_unknown:disputes"),
        ("refunds", "order_unknown:refunds"),
        ("returnStatus", "order_unknown:returns"),
        ("fulfillmentOrders", "order_unknown:holds"),
        ("shippingAddress", "order_unknown:country"),
        ("risk", "order_unknown:risk"),
    ],
)
def test_what_the_app_may_not_see_is_unknown_and_left_to_a_person(
    replies_rig, shopify, tracked_question, hidden, reason
):
    shopify.set_modes(hides=hidden)
    replies_rig.run(replies_rig.ticket(tracked_question))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == reason


def test_an_order_linked_to_a_ticket_is_answered_to_its_own_customer_only(replies_rig, shopify):
    shopify.add_order("#9001", email="bo@example.com", tracking=TRACKING)
    body = replies_rig.ticket("Where is my package?")
    replies_rig.richpanel.link_order("1042", "shop", "9001", {"orderId": "9001"})
    replies_rig.run(body)
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "not_theirs"


@pytest.mark.parametrize("text", ["It says delivered but I have not received order #1001"])
def test_who_says_that_it_was_delivered_goes_to_a_person(replies_rig, shopify, text):
    shopify.add_order("#1001", email=EMAIL, tracking=TRACKING)
    replies_rig.run(replies_rig.ticket(text))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] in {"order_said_gone", "not_understood"}


# --- machines ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "comment",
    [
        {"headers": {"Auto-Submitted": "auto-replied"}},
        {"headers": [{"name": "Precedence", "value": "bulk"}]},
        {"via": {"channel": "email", "source": {"from": {"address": "no-reply@example.com"}}}},
    ],
)
def test_a_machine_gets_no_answer_whatever_it_says(replies_rig, tracked_question, comment):
    replies_rig.richpanel.add_ticket("1042", customer_email=EMAIL)
    replies_rig.run(replies_rig.says(tracked_question, "c-1", **comment))
    assert replies_rig.replies == []
    assert replies_rig.reasons()[-1] == "auto_responder"


def test_the_same_text_twice_stops_automation_for_its_customer_and_for_no_other(
    replies_rig, tracked_question, shopify
):
    shopify.add_order("#2002", email="bob@example.com", tracking=TRACKING)
    replies_rig.run(replies_rig.ticket(tracked_question, ticket_id="1"))
    replies_rig.run(replies_rig.ticket(f"{tracked_question.upper()}!", ticket_id="2"))
    replies_rig.run(replies_rig.ticket(f"Hello, {tracked_question}", ticket_id="3"))
    assert len(replies_rig.replies) == 1
    other = replies_rig.ticket(
        "Where is my order #2002?", ticket_id="4", customer_email="bob@example.com"
    )
    replies_rig.run(other)
    assert len(replies_rig.replies) == 2
