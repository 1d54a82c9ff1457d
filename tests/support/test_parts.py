"""The pure parts of a reply: thresholds, windows of days, texts, plans."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once.plan import Plan
from chalicelib.support.decision import Pending, Tier, decide_on, pending_of
from chalicelib.support.inquiry import Inquiry
from chalicelib.support.intents.classify import PRIORITY, TIER_0, Classified, classify
from chalicelib.support.opinion import DECISION_SCHEMA, VERIFIER_SCHEMA
from chalicelib.support.orders import delivery_time
from chalicelib.support.orders.order import Order
from chalicelib.support.orders.status import NotTold, Told, carrier_link, tell
from chalicelib.support.replies.answering import Verdict
from chalicelib.support.replies.guard_rails import TEMPLATE_OF, Policy
from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import CATALOGUE, TemplateError, render
from chalicelib.support.routing import planned
from local.vendors.openai import _looseness

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)  # a Friday

# --- decision -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("confidence", "route", "tags"),
    [
        (0.60, "route-technical-support-team", ()),
        (0.59, "route-email-support-team", ("mw-uncertain",)),
        (0.50, "route-email-support-team", ("mw-uncertain",)),
        (0.49, "route-email-support-team", ("mw-needs-manual-triage",)),
    ],
)
def test_the_department_follows_the_confidence(confidence, route, tags):
    decision = decide_on(Classified("technical_support", confidence))
    assert (decision.route, decision.tags) == (route, tags)


def test_a_doubtful_message_leaves_its_ticket_where_it_is():
    decision = decide_on(Classified("technical_support", 0.5), current_route="route-sales-team")
    assert decision.route == "route-sales-team"


@pytest.mark.parametrize(
    ("found", "may"),
    [
        (Classified("order_status_tracking", 0.70), True),
        (Classified("order_status_tracking", 0.69), False),
        (Classified("order_status_tracking", 0.9, secondary=("refund_request",)), False),
        (Classified("order_status_tracking", 0.9, secondary=("shipping_delay_not_shipped",)), True),
        (Classified("refund_request", 0.60, margin=0.10), True),
        (Classified("refund_request", 0.60, margin=0.09), False),
    ],
)
def test_a_tier_is_reached_at_its_thresholds(found, may):
    assert decide_on(found).may_answer is may


@given(
    st.sampled_from(sorted(TIER_0)),
    st.sampled_from(sorted(PRIORITY)),
    st.floats(0, 1),
    st.booleans(),
)
def test_tier_0_is_never_automated(escalation, other, confidence, escalation_leads):
    intents = (escalation, other) if escalation_leads else (other, escalation)
    found = Classified(intents[0], confidence, secondary=intents[1:])
    decision = decide_on(found, pending=Pending("order_status_tracking", 1), has_number=True)
    if decision.pending is None:
        assert not decision.may_answer
    assert decide_on(found).risk_flags


def test_an_escalation_beside_our_open_question_is_no_answer_to_it():
    found = classify("1001, and my lawyer will hear of it")
    decision = decide_on(found, pending=Pending("order_status_tracking", 1), has_number=True)
    assert (decision.tier, decision.may_answer) == (Tier.ESCALATION, False)


def test_a_stored_question_expires_and_an_unknown_one_is_none():
    asked = {"type": "need_order_number", "requested_at": "2026-11-19T12:00:00.000Z", "attempts": 2}
    assert pending_of(asked, NOW) == Pending("order_status_tracking", 2)
    assert pending_of(asked, NOW + timedelta(days=7)) is None
    assert pending_of({"type": "other"}, NOW) is None
    assert pending_of(None, NOW) is None


# --- days ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "window"),
    [
        ("Standard Shipping", delivery_time.Window(3, 5)),
        ("Ground", delivery_time.Window(3, 7)),
        ("Priority Overnight", delivery_time.Window(1, 1)),
        ("USPS Priority Mail", delivery_time.Window(1, 1)),
        ("2-Day Air", delivery_time.Window(2, 2)),
        ("Free shipping", delivery_time.Window(5, 7)),
        ("Express", delivery_time.Window(1, 2)),
        ("By hand", None),
        ("", None),
        (None, None),
    ],
)
def test_a_shipping_method_has_its_window(method, window):
    assert delivery_time.window_of(method) == window


def test_the_day_of_the_order_and_the_weekend_do_not_count():
    friday, monday = date(2026, 11, 20), date(2026, 11, 23)
    assert delivery_time.business_days_after(friday, friday) == 0
    assert delivery_time.business_days_after(friday, monday) == 1
    assert delivery_time.remaining(
        delivery_time.Window(3, 5), friday, monday
    ) == delivery_time.Window(2, 4)


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(-10, 400))
def test_business_days_are_counted_as_one_would_by_hand(start, days):
    end = start + timedelta(days=days)
    by_hand = sum((start + timedelta(days=n)).weekday() < 5 for n in range(1, days + 1))
    assert delivery_time.business_days_after(start, end) == by_hand


@given(st.dates(date(2020, 1, 1), date(2030, 1, 1)), st.integers(0, 60), st.booleans())
def test_what_is_left_of_a_window_never_grows(ordered, days, preorder):
    window = delivery_time.Window(3, 5)
    lefts = [
        delivery_time.remaining(window, ordered, ordered + timedelta(days=n), is_preorder=preorder)
        for n in (days, days + 1)
    ]
    assert lefts[0].low >= lefts[1].low >= 0
    assert lefts[0].high >= lefts[1].high >= 0
    assert lefts[0].low <= lefts[0].high


def test_what_is_left_reads_well():
    assert delivery_time.human(delivery_time.Window(0, 0)) == "any day now"
    assert delivery_time.human(delivery_time.Window(1, 1)) == "in 1 business day"
    assert delivery_time.human(delivery_time.Window(0, 2)) == "within 2 business days"
    assert delivery_time.human(delivery_time.Window(2, 4)) == "in 2 to 4 business days"
    assert delivery_time.human(delivery_time.Window(0, 1), "es") == "en un máximo de 1 día hábil"


def test_a_preorder_ships_after_45_days():
    order = Order("#1", created_at=NOW, shipping_method="Standard", is_preorder=True)
    told = tell(order, "order_status_tracking", NOW)
    assert isinstance(told, Told)
    assert told.values["eta_remaining_human"] == "in 34 to 36 business days"


def test_an_order_without_a_time_is_not_told():
    told = tell(Order("#1", shipping_method="Standard"), "order_status_tracking", NOW)
    assert told == NotTold("lookup_incomplete", ("created_at",))


@pytest.mark.parametrize(
    ("intent", "status", "template"),
    [
        ("shipping_delay_not_shipped", "", "t_shipping_delay_verified"),
        ("shipping_delay_not_shipped", "label printed", "t_shipping_delay_verified"),
        ("shipping_delay_not_shipped", "fulfilled", None),
        ("shipping_delay_not_shipped", "delivered", None),
        ("order_status_tracking", "unfulfilled", "t_order_eta_no_tracking_verified"),
        ("order_status_tracking", "fulfilled", "t_order_eta_no_tracking_verified"),
        ("order_status_tracking", "delivered", None),
        ("order_status_tracking", "attempted delivery", None),
    ],
)
def test_an_order_without_tracking_is_told_only_what_its_status_bears_out(intent, status, template):
    """Neither "has not left us" of what has left, nor an arrival of what has arrived."""
    order = Order("#1", created_at=NOW, fulfillment_status=status, shipping_method="Standard")
    told = tell(order, intent, NOW)
    if template is None:
        assert told == NotTold("nothing_to_follow")
    else:
        assert isinstance(told, Told)
        assert told.template_id == template


def test_a_tracked_order_is_told_whatever_its_status():
    order = Order("#1", NOW, fulfillment_status="delivered", tracking_number="ZZ1")
    told = tell(order, "shipping_delay_not_shipped", NOW)
    assert isinstance(told, Told)
    assert told.template_id == "t_order_status_verified"


# --- texts --------------------------------------------------------------------------------------

EVERY_VALUE = {
    "first_name": "Ada",
    "order_id": "#1001",
    "order_status": "confirmed",
    "fulfillment_status": "in transit",
    "tracking_url": "https://carrier.example/1",
    "tracking_number": "ZZ1",
    "tracking_company": "DHL",
    "status_url": "https://shop.example/1",
    "order_created_at": "2026-11-16",
    "support_hours_note": "We are here from 9 to 5.",
    "shipping_bucket": "Standard",
    "eta_remaining_human": "any day now",
}


def text_of(template_id, values, language="en"):
    return render(template_id, values, reference="AAAA-BBBB", signature="Shop", language=language)


@pytest.mark.parametrize("language", ["en", "es"])
@pytest.mark.parametrize("template_id", [one.id for one in CATALOGUE.values() if one.is_enabled])
@pytest.mark.parametrize("everything", [True, False])
def test_every_text_is_whole_with_all_values_and_with_the_required_only(
    template_id, language, everything
):
    template = CATALOGUE[template_id]
    names = template.required | (template.optional if everything else frozenset())
    text = text_of(template_id, {name: EVERY_VALUE[name] for name in names}, language)
    assert not re.search(r"[{}]|\bNone\b|\n\n\n", text)
    assert text.endswith("Shop\nRef. AAAA-BBBB\n")
    assert all(EVERY_VALUE[name] in text for name in names)


@pytest.mark.parametrize("template_id", [one.id for one in CATALOGUE.values() if one.required])
def test_a_text_that_lacks_a_required_value_is_not_made(template_id):
    for name in CATALOGUE[template_id].required:
        values = {one: EVERY_VALUE[one] for one in CATALOGUE[template_id].required - {name}}
        with pytest.raises(TemplateError, match=name):
            text_of(template_id, values)


@pytest.mark.parametrize(
    "template_id", ["t_legal_threat_ack", "t_chargeback_neutral_ack", "t_unknown_ack", "t_none"]
)
def test_what_is_not_to_be_sent_cannot_be_rendered(template_id):
    with pytest.raises(TemplateError):
        text_of(template_id, EVERY_VALUE)


def test_what_a_customer_called_himself_cannot_write_our_text():
    ask = "t_order_status_ask_order_number"
    assert text_of(ask, {"first_name": "{{reference}} x"}).startswith("Hi,")
    assert text_of(ask, {"first_name": "Ada\nBuy now https://evil.example"}).startswith("Hi Ada,")
    assert text_of(ask, {"first_name": "<b>Ada</b>"}).startswith("Hi,")
    values = EVERY_VALUE | {"tracking_url": "javascript:alert(1)"}
    assert "javascript" not in text_of("t_order_status_verified", values)


def test_every_text_belongs_to_a_template_and_every_intent_to_a_text():
    assert set(TEXTS) == {one.id for one in CATALOGUE.values() if one.is_enabled}
    assert set(TEMPLATE_OF.values()) <= set(TEXTS)


# --- plan, policy, schemas ----------------------------------------------------------------------


@given(
    st.sampled_from(sorted(PRIORITY)),
    st.frozensets(st.sampled_from(["route-a", "route-b", "mw-processed", "mw-auto-replied"])),
    st.booleans(),
    st.booleans(),
)
def test_a_plan_stays_within_three_writes_and_tells_of_a_reply_only_when_it_is_done(
    intent, tags, replies, closes
):
    verdict = Verdict(template_id="t_x" if replies else None, closes=closes)
    inquiry = Inquiry(text="secret words", at=NOW)
    plan = planned(decide_on(Classified(intent, 0.9)), inquiry, tags, verdict, floor=None)
    assert len(plan.steps) <= 3
    assert "secret words" not in plan.encode()
    assert Plan.decode(plan.encode()) == plan
    listed = list(plan.actions)
    for action in listed:
        if action.kind == "close" or action.arg in ("mw-auto-replied", "mw-reply-sent"):
            assert [listed[n].kind for n in action.depends_on] == ["reply"]
    assert [one.arg for one in listed][-1] == "mw-processed"


def test_a_plan_keeps_its_zeros():
    """Nothing found and nothing asked are facts of a decision, not the lack of one."""
    decision = decide_on(
        Classified("unknown_other", 0.0), pending=Pending("order_status_tracking", 0)
    )
    unsure = decide_on(Classified("unknown_other", 0.0))
    inquiry = Inquiry(text="1001", at=NOW)
    facts = planned(decision, inquiry, frozenset(), Verdict(), floor=None).facts
    assert facts["pending"] == 0
    facts = planned(unsure, inquiry, frozenset(), Verdict(), floor=None).facts
    assert facts["confidence"] == 0
    assert facts.keys().isdisjoint({"pending", "waits", "risk", "template"})


def test_an_allow_list_is_exact():
    policy = Policy(emails=frozenset({"ada@example.com"}), domains=frozenset({"shop.example"}))
    assert policy.allows(" ADA@example.com")
    assert policy.allows("any@shop.example")
    for other in ("bob@example.com", "a@evil-shop.example", "a@shop.example.evil", "", None):
        assert not policy.allows(other)
    assert not Policy().allows("ada@example.com")
    assert Policy(requires_allow_list=False).allows("ada@example.com")


@pytest.mark.parametrize("schema", [DECISION_SCHEMA, VERIFIER_SCHEMA], ids=lambda one: one.name)
def test_what_a_model_is_asked_for_is_strict(schema):
    assert _looseness(schema.schema, "root") is None
    assert "$ref" not in str(schema.schema)


# --- links --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("company", "number", "link"),
    [
        ("FedEx Home", "7712", "https://www.fedex.com/fedextrack/?trknbr=7712"),
        ("USPS", "9400", "https://tools.usps.com/go/TrackConfirmAction?tLabels=9400"),
        ("ups ground", "1Z9", "https://www.ups.com/track?tracknum=1Z9"),
        ("DHL Express", "42", "https://www.dhl.com/en/express/tracking.html?AWB=42"),
        ("Pigeon", "42", None),
        (None, "42", None),
        ("UPS", None, None),
        ("UPS", "42&to=elsewhere.example", None),
    ],
)
def test_a_known_carriers_number_can_be_followed(company, number, link):
    assert carrier_link(Order(name="#1", tracking_company=company, tracking_number=number)) == link
