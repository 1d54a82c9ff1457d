"""What may be said of an order: each state with its answer, or with the reason for a person.

The expectations are those of docs/support-orders.md: an order is answered only where it is the
customer's own, paid, without hold, return or dispute, in one piece, and in time.
"""

from dataclasses import replace

import pytest

from chalicelib.support.orders.delivery_time import DeliveryCalendar
from chalicelib.support.orders.order_answers import LOOKUP_MISSING, NoAnswer, proven_answers
from chalicelib.support.orders.order_question import Question
from chalicelib.support.orders.order_rules import WindowRow
from chalicelib.support.replies.templates import render
from tests.rigs.each_row import each_row
from tests.rigs.orders import ADA, DHL, NOW, UPS, november, parcel, sent, waiting

FOLLOWED, UNFOLLOWED = "t_order_status_verified", "t_order_eta_no_tracking_verified"
NOT_SENT, PARCELS = "t_shipping_delay_verified", "t_order_parcels_verified"
WHERE, WHY_NOT, NOT_RECEIVED = Question.STATUS, Question.NOT_SENT, Question.NOT_RECEIVED
ABROAD = DeliveryCalendar(
    own_windows=(
        WindowRow("free", 10, 15, ("AU", "NZ")),
        WindowRow("express", 3, 6, ("GB",)),
        WindowRow("free|standard", 3, 5),
    ),
    own_home=frozenset({"US", "CA"}),
)


def outcome(order, question=WHERE, *, now=NOW, who=ADA, calendar=None):
    """The template of the answer, or the reason for a person."""
    orders = order if isinstance(order, tuple) else (order,)
    more = {"calendar": calendar} if calendar else {}
    found = proven_answers(orders, question, now, requester=who, **more)
    if isinstance(found, NoAnswer):
        assert set(found.missing) <= LOOKUP_MISSING
        return found.reason
    return " ".join(answer.template_id for answer in found)


def text_of(*orders, question=WHERE, language="en", calendar=None):
    more = {"calendar": calendar} if calendar else {}
    found = proven_answers(orders, question, NOW, requester=ADA, language=language, **more)
    assert not isinstance(found, NoAnswer), found.reason
    return render(*found, reference="REF", signature="Shop", language=language)


# --- money x goods x carrier x time x country -------------------------------------------------------

PAYMENTS = [
    ("PAID", FOLLOWED),
    ("AUTHORIZED", "order_unpaid"),
    ("PENDING", "order_unpaid"),
    ("PARTIALLY_PAID", "order_unpaid"),
    ("EXPIRED", "order_unpaid"),
    ("REFUNDED", "order_refunded"),
    ("PARTIALLY_REFUNDED", "order_partly_refunded"),
    ("VOIDED", "order_voided"),
    ("PAID_IN_BEANS", "order_unknown:financial_status"),
    (None, "order_unknown:financial_status"),
]
CARRIER = [
    ("IN_TRANSIT", FOLLOWED),
    ("OUT_FOR_DELIVERY", FOLLOWED),
    ("CARRIER_PICKED_UP", FOLLOWED),
    ("FULFILLED", FOLLOWED),
    ("MARKED_AS_FULFILLED", FOLLOWED),
    ("CONFIRMED", FOLLOWED),
    ("LABEL_PRINTED", FOLLOWED),
    ("LABEL_PURCHASED", FOLLOWED),
    ("SUBMITTED", FOLLOWED),
    ("DELIVERED", "order_delivered"),
    ("PICKED_UP", "order_delivered"),
    ("READY_FOR_PICKUP", "order_ready_for_pickup"),
    ("ATTEMPTED_DELIVERY", "order_delivery_attempted"),
    ("DELAYED", "order_delivery_exception"),
    ("NOT_DELIVERED", "order_delivery_exception"),
    ("FAILURE", "order_delivery_exception"),
    ("ERROR", "order_delivery_exception"),
    ("LABEL_VOIDED", "order_delivery_exception"),
    ("CANCELED", "order_delivery_exception"),
    ("EATEN_BY_DOG", "order_unknown:shipment_status"),
    (None, "order_unknown:shipment_status"),
]
GOODS = [
    ("UNFULFILLED", UNFOLLOWED),
    ("OPEN", UNFOLLOWED),
    ("IN_PROGRESS", UNFOLLOWED),
    ("PENDING_FULFILLMENT", UNFOLLOWED),
    ("ON_HOLD", "order_on_hold"),
    ("REQUEST_DECLINED", "order_on_hold"),
    ("SCHEDULED", "order_scheduled"),
    ("RESTOCKED", "order_restocked"),
    ("PARTIALLY_FULFILLED", "order_several_shipments"),
    ("FULFILLMENT_NOT_REQUIRED", "nothing_to_follow"),
    ("FULFILLED", "order_contradictory"),
    ("SOMEWHERE", "order_unknown:fulfillment_status"),
    (None, "order_unknown:fulfillment_status"),
]
TROUBLE = [
    ({"email": "bo@example.com"}, "not_theirs"),
    ({"email": None}, "not_theirs"),
    ({"cancelled_at": november(17)}, "order_cancelled"),
    ({"disputes": ("NEEDS_RESPONSE",)}, "order_disputed"),
    ({"disputes": ("UNDER_REVIEW",)}, "order_disputed"),
    ({"disputes": ("LOST",)}, "order_disputed"),
    ({"disputes": ("CHARGE_REFUNDED",)}, "order_disputed"),
    ({"disputes": ("ACCEPTED",)}, "order_disputed"),
    ({"disputes": ("WON", "UNDER_REVIEW")}, "order_disputed"),
    ({"disputes": ("ODD",)}, "order_unknown:disputes"),
    ({"disputes": None}, "order_unknown:disputes"),
    ({"refunds": ("refund",)}, "order_partly_refunded"),
    ({"refunds": None}, "order_unknown:refunds"),
    ({"returns": ("RETURN_REQUESTED",)}, "order_return_in_progress"),
    ({"returns": ("REQUESTED",)}, "order_return_in_progress"),
    ({"returns": ("OPEN",)}, "order_return_in_progress"),
    ({"returns": ("IN_PROGRESS",)}, "order_return_in_progress"),
    ({"returns": ("INSPECTION_COMPLETE",)}, "order_return_in_progress"),
    ({"returns": ("RETURNED",)}, "order_return_in_progress"),
    ({"returns": ("CLOSED",)}, "order_return_in_progress"),
    ({"returns": ("DECLINED",)}, "order_return_in_progress"),
    ({"returns": ("RETURN_FAILED",)}, "order_return_in_progress"),
    ({"returns": ("ODD",)}, "order_unknown:returns"),
    ({"returns": None}, "order_unknown:returns"),
    ({"holds": ("INCORRECT_ADDRESS",)}, "order_on_hold"),
    ({"holds": ("AWAITING_PAYMENT",)}, "order_on_hold"),
    ({"holds": None}, "order_unknown:holds"),
    ({"warehouse": ("ON_HOLD",)}, "order_on_hold"),
    ({"warehouse": ("INCOMPLETE",)}, "order_on_hold"),
    ({"warehouse": ("CLOSED", "SCHEDULED")}, "order_scheduled"),
    ({"warehouse": ("CANCELLED",)}, "order_lines_cancelled"),
    ({"warehouse": ("ODD",)}, "order_unknown:warehouse"),
    ({"risk": "INVESTIGATE"}, "order_risky"),
    ({"risk": "CANCEL"}, "order_risky"),
    ({"risk": None}, "order_unknown:risk"),
    ({"is_edited": True}, "order_lines_cancelled"),
    ({"is_edited": None}, "order_unknown:lines"),
    ({"tags": ("vip", "On-Hold")}, "order_tagged"),
    ({"tags": ("fraud_suspected",)}, "order_tagged"),
    ({"tags": ("reship",)}, "order_tagged"),
    ({"tags": None}, "order_unknown:tags"),
    ({"country": None}, "order_unknown:country"),
    ({"fulfillments": None}, "order_unknown:fulfillments"),
    ({"created_at": None}, "lookup_incomplete"),
    ({"created_at": november(19)}, "order_contradictory"),
    ({"name": ""}, "lookup_incomplete"),
]
HARMLESS = [
    {"disputes": ("WON",)},
    {"disputes": ("PREVENTED",)},
    {"returns": ("NO_RETURN",)},
    {"returns": ("CANCELED",)},
    {"warehouse": ("OPEN", "CLOSED", "IN_PROGRESS")},
    {"risk": "ACCEPT"},
    {"tags": ("vip", "newsletter", "returning customer", "household")},
    {"email": "ADA@example.com "},
]
TIME = [
    # Dispatched on a day of November; today is Wednesday 18, and Standard takes five business days.
    (sent(parcel(at=18)), FOLLOWED),
    (sent(parcel(at=13)), FOLLOWED),
    (sent(parcel(at=11)), FOLLOWED),
    (sent(parcel(at=10)), "delivery_window_over"),
    (sent(parcel(at=2)), "delivery_window_over"),
    (sent(parcel(at=19)), "order_contradictory"),
    (sent(parcel(at=16), shipping_method="Express"), FOLLOWED),
    (sent(parcel(at=13), shipping_method="Express"), "delivery_window_over"),
    (sent(parcel(at=17), shipping_method="Overnight"), FOLLOWED),
    (sent(parcel(at=16), shipping_method="Overnight"), "delivery_window_over"),
    (sent(parcel(at=9), shipping_method="Free shipping"), FOLLOWED),
    (sent(parcel(at=6), shipping_method="Free shipping"), "delivery_window_over"),
    (sent(parcel(at=4), shipping_method="Pigeon"), FOLLOWED),
    (sent(parcel(at=3), shipping_method="Pigeon"), "delivery_window_over"),
    (sent(parcel(at=4), shipping_method=None), FOLLOWED),
    # The carrier's estimate counts as well.
    (sent(parcel(estimate=18)), FOLLOWED),
    (sent(parcel(estimate=20)), FOLLOWED),
    (sent(parcel(estimate=17)), "delivery_window_over"),
    (sent(parcel(at=10, estimate=20)), "delivery_window_over"),
    # A label that no carrier has scanned for more than three business days.
    (sent(parcel("LABEL_PRINTED", at=13)), FOLLOWED),
    (sent(parcel("LABEL_PRINTED", at=12)), "order_not_sent_in_time"),
    (sent(parcel("CONFIRMED", at=12)), "order_not_sent_in_time"),
    # Orders that wait: two business days after the day of the order.
    (waiting(placed=18), UNFOLLOWED),
    (waiting(placed=16), UNFOLLOWED),
    (waiting(placed=14), "order_not_sent_in_time"),  # a Saturday
    (waiting(placed=13), "order_not_sent_in_time"),
    (waiting(placed=12), "order_not_sent_in_time"),
    (waiting(placed=10), "order_not_sent_in_time"),
    (waiting(shipping_method="Pigeon"), "lookup_incomplete"),
    (waiting(shipping_method=None), "lookup_incomplete"),
    (waiting(tags=("Pre-Order",)), "order_preordered"),
    # What shop and carrier say does not fit together.
    (sent(parcel("IN_TRANSIT", "DELIVERED")), "order_delivered"),
    (sent(parcel("IN_TRANSIT", "DELAYED", "IN_TRANSIT")), "order_delivery_exception"),
    (sent(parcel("OUT_FOR_DELIVERY", "ATTEMPTED_DELIVERY")), "order_delivery_attempted"),
    (sent(parcel("IN_TRANSIT", "LOST_AT_SEA")), "order_unknown:events"),
    (sent(parcel("IN_TRANSIT", "LABEL_PRINTED", "CARRIER_PICKED_UP")), FOLLOWED),
    (sent(fulfillment_status="UNFULFILLED"), "order_contradictory"),
    (sent(replace(parcel(), created_at=None)), "lookup_incomplete"),
    (sent(replace(parcel(), events=None)), "order_unknown:events"),
    (sent(replace(parcel(), tracking=None)), "order_unknown:tracking"),
    # Without anything to follow.
    (sent(parcel("FULFILLED", tracking=())), UNFOLLOWED),
    (sent(parcel("IN_TRANSIT", tracking=())), UNFOLLOWED),
    (sent(parcel("LABEL_PRINTED", tracking=())), "nothing_to_follow"),
    (sent(parcel("FULFILLED", tracking=()), shipping_method="Pigeon"), "lookup_incomplete"),
]
PIECES = [
    ((parcel(), parcel(tracking=(DHL,))), PARCELS),
    ((parcel(), parcel("OUT_FOR_DELIVERY", tracking=(DHL,))), PARCELS),
    ((parcel(), parcel("CARRIER_PICKED_UP", tracking=(DHL,)), parcel()), PARCELS),
    ((parcel(), parcel("DELIVERED", tracking=(DHL,))), "order_delivered"),
    ((parcel("DELIVERED"), parcel(tracking=(DHL,))), "order_delivered"),
    ((parcel(), parcel("LABEL_PRINTED", tracking=(DHL,))), "order_several_shipments"),
    ((parcel(), parcel("FULFILLED", tracking=(DHL,))), "order_several_shipments"),
    ((parcel(), parcel(tracking=())), "order_several_shipments"),
    ((parcel(), parcel(at=10, tracking=(DHL,))), "delivery_window_over"),
    ((parcel(), parcel(estimate=17, tracking=(DHL,))), "delivery_window_over"),
    ((parcel(), parcel("DELAYED", tracking=(DHL,))), "order_delivery_exception"),
    ((parcel(), parcel(None, tracking=(DHL,))), "order_unknown:shipment_status"),
    ((parcel(tracking=(UPS, DHL)),), "order_several_shipments"),
]
ELSEWHERE = [
    # The shop's own windows hold at home; abroad only those that name the country, or an estimate.
    (waiting(country="AU", shipping_method="Free shipping"), None, "order_abroad"),
    (waiting(country="CA"), None, "order_abroad"),
    (waiting(country="MX", shipping_method="Express"), None, "order_abroad"),
    (sent(country="GB"), None, "order_abroad"),
    (sent(parcel(estimate=25), country="GB"), None, FOLLOWED),
    (sent(parcel(at=2, estimate=19), country="AU"), None, FOLLOWED),
    (sent(parcel(estimate=17), country="GB"), None, "delivery_window_over"),
    (sent(parcel("FULFILLED", tracking=()), country="GB"), None, "order_abroad"),
    (waiting(country="AU", shipping_method="Free shipping"), ABROAD, UNFOLLOWED),
    (waiting(country="AU", shipping_method="Express"), ABROAD, "order_abroad"),
    (waiting(country="CA"), ABROAD, UNFOLLOWED),
    (waiting(country="MX"), ABROAD, "order_abroad"),
    (sent(parcel(at=2), country="AU", shipping_method="Free"), ABROAD, FOLLOWED),
    (sent(parcel(at=2), country="NZ", shipping_method="Free"), ABROAD, FOLLOWED),
    (sent(parcel(at=2), country="GB", shipping_method="Express"), ABROAD, "delivery_window_over"),
    (sent(parcel(at=13), country="GB", shipping_method="Express"), ABROAD, FOLLOWED),
]


@pytest.mark.parametrize(("status", "expected"), PAYMENTS)
def test_an_order_is_answered_only_if_it_is_paid(status, expected):
    assert outcome(sent(financial_status=status)) == expected


@each_row(("status", "expected"), CARRIER)
def test_a_parcel_is_answered_while_it_is_on_its_way(status, expected):
    assert outcome(sent(parcel(status))) == expected


@each_row(("status", "expected"), CARRIER)
def test_not_received_is_answered_where_it_is_on_its_way_and_not_where_it_is_delivered(
    status, expected
):
    assert outcome(sent(parcel(status)), NOT_RECEIVED) == expected


@each_row(("status", "expected"), GOODS)
def test_an_order_that_has_not_left_is_answered_while_it_is_being_prepared(status, expected):
    assert outcome(waiting(fulfillment_status=status)) == expected


@each_row(("status", "expected"), GOODS)
def test_why_it_has_not_left_is_answered_likewise(status, expected):
    wanted = NOT_SENT if expected == UNFOLLOWED else expected
    assert outcome(waiting(fulfillment_status=status), WHY_NOT) == wanted


@each_row(("fields", "expected"), TROUBLE)
@each_row("make", [sent, waiting])
def test_an_order_in_trouble_or_not_known_goes_to_a_person(make, fields, expected):
    assert outcome(replace(make(), **fields)) == expected


@pytest.mark.parametrize("fields", HARMLESS, ids=str)
def test_what_is_over_or_harmless_does_not_prevent_an_answer(fields):
    assert outcome(sent(**fields)) == FOLLOWED


@each_row(("order", "expected"), TIME)
def test_an_order_is_answered_only_in_time(order, expected):
    assert outcome(order) == expected


@each_row(("parcels", "expected"), PIECES)
def test_several_parcels_are_answered_only_if_every_one_can_be(parcels, expected):
    assert outcome(sent(*parcels)) == expected


@each_row(("order", "calendar", "expected"), ELSEWHERE)
def test_windows_hold_in_their_countries(order, calendar, expected):
    assert outcome(order, calendar=calendar) == expected


@pytest.mark.parametrize("who", [None, "", "bo@example.com"])
def test_an_order_is_answered_to_its_customer_only(who):
    assert outcome(sent(), who=who) in {"requester_not_known", "not_theirs"}


def test_the_table_has_every_state_that_it_promises():
    tables = (PAYMENTS, CARRIER, GOODS, TROUBLE, HARMLESS, TIME, PIECES, ELSEWHERE)
    assert sum(len(table) for table in tables) >= 140


# --- several orders ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("orders", "expected"),
    [
        ((sent(), waiting(name="#1002")), f"{FOLLOWED} {UNFOLLOWED}"),
        ((sent(), sent(parcel("DELIVERED"), name="#1002")), "order_delivered"),
        ((sent(email="bo@example.com"), waiting(name="#1002")), "not_theirs"),
        (
            (sent(), sent(name="#1002"), waiting(name="#1003")),
            f"{FOLLOWED} {FOLLOWED} {UNFOLLOWED}",
        ),
        ((sent(),) * 4, "too_many_orders"),
        ((), "too_many_orders"),
    ],
)
def test_several_orders_are_answered_all_or_none(orders, expected):
    assert outcome(orders) == expected


# --- what is said, and what proves it ---------------------------------------------------------------


def test_a_date_is_the_carriers_estimate_or_none():
    assert "by November 20." in text_of(sent(parcel(estimate=20))).text
    assert "November" not in text_of(sent()).text


def test_a_window_is_said_from_dispatch_and_no_date_is_computed():
    waits = text_of(waiting()).text
    assert "in 3 to 5 business days from the day it leaves us" in waits
    assert "usually leave us within 2 business days" in waits
    left = text_of(sent(parcel("FULFILLED", tracking=()))).text
    assert "in 3 to 5 business days from November 16, when it left us" in left
    assert "not left us yet" not in left


def test_every_parcel_is_named_with_its_state():
    text = text_of(sent(parcel(), parcel("OUT_FOR_DELIVERY", tracking=(DHL,)))).text
    assert "in transit, tracking number 1Z5550001 (UPS)" in text
    assert "out for delivery, tracking number ZZ5550002 (DHL)" in text


def test_each_sentence_names_the_facts_that_prove_it():
    proof = {
        claim.sentence: claim.facts for claim in text_of(sent(parcel(estimate=20)), waiting()).proof
    }
    first, estimate = "Your order #1001 is confirmed; delivery status: in transit.", "November 20."
    assert {
        "orders[0].name",
        "orders[0].financial_status",
        "orders[0].disputes",
        "orders[0].fulfillments[0].shipment_status",
    } <= set(proof[first])
    (dated,) = (facts for said, facts in proof.items() if said.endswith(estimate))
    assert dated == ("orders[0].fulfillments[0].estimated_delivery_at",)
    (window,) = (facts for said, facts in proof.items() if "3 to 5 business days" in said)
    assert {"orders[1].shipping_method", "orders[1].country"} <= set(window)


def test_a_proof_points_to_where_the_order_was_given():
    (first, *_) = text_of(sent(path="orders[4]")).proof
    assert all(fact.startswith("orders[4].") for fact in first.facts)


def test_an_answer_is_written_in_spanish():
    text = text_of(waiting(), language="es").text
    assert "en 3 a 5 días hábiles desde el día de su salida" in text
    assert "en camino" in text_of(sent(), language="es").text


# --- the shop's own days ----------------------------------------------------------------------------


def test_a_shop_may_take_longer_until_an_order_leaves():
    slow = DeliveryCalendar(own_handling_days=5)
    assert outcome(waiting(placed=11), calendar=slow) == UNFOLLOWED
    assert outcome(waiting(placed=10), calendar=slow) == "order_not_sent_in_time"
    assert "within 5 business days" in text_of(waiting(placed=11), calendar=slow).text


def test_a_pre_order_is_answered_only_with_the_shops_own_days():
    says = DeliveryCalendar(preorder_days=45)
    order = waiting(placed=2, tags=("preorder",))
    assert outcome(order, calendar=says) == NOT_SENT
    assert "within 45 days" in text_of(order, calendar=says).text
    late = replace(order, created_at=november(2).replace(month=9))
    assert outcome(late, calendar=says) == "order_preordered"
