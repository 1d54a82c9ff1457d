"""The rows of what each status means: every value of Shopify's enumerations, and every other row."""

import re

import pytest

from chalicelib.once.reasons import declared
from chalicelib.support import reasons
from chalicelib.support.orders import order_checks, order_rules
from chalicelib.support.orders.delivery_time import DEFAULT_CALENDAR, Window
from chalicelib.support.orders.order_question import Question, question_of
from chalicelib.support.orders.order_rules import OrderRules, StatusRow
from chalicelib.support.orders.shipments import carrier_link
from chalicelib.support.orders.shop_order import Tracking
from chalicelib.tables import TableError, read
from tests.rigs.each_row import each_row
from tests.rigs.orders import waiting

RULES = order_rules.order_rules()
ENUMERATIONS = {
    "financial_status": (
        "AUTHORIZED EXPIRED PAID PARTIALLY_PAID PARTIALLY_REFUNDED PENDING REFUNDED VOIDED"
    ),
    "fulfillment_status": (
        "FULFILLED FULFILLMENT_NOT_REQUIRED IN_PROGRESS ON_HOLD OPEN PARTIALLY_FULFILLED"
        " PENDING_FULFILLMENT REQUEST_DECLINED RESTOCKED SCHEDULED UNFULFILLED"
    ),
    "warehouse": "CANCELLED CLOSED INCOMPLETE IN_PROGRESS ON_HOLD OPEN SCHEDULED",
    "shipment_status": (
        "ATTEMPTED_DELIVERY CANCELED CARRIER_PICKED_UP CONFIRMED DELAYED DELIVERED FAILURE FULFILLED"
        " IN_TRANSIT LABEL_PRINTED LABEL_PURCHASED LABEL_VOIDED MARKED_AS_FULFILLED NOT_DELIVERED"
        " OUT_FOR_DELIVERY PICKED_UP READY_FOR_PICKUP SUBMITTED"
    ),
    "disputes": ("ACCEPTED CHARGE_REFUNDED LOST NEEDS_RESPONSE PREVENTED UNDER_REVIEW WON"),
    "returns": (
        "INSPECTION_COMPLETE IN_PROGRESS NO_RETURN RETURNED RETURN_FAILED RETURN_REQUESTED"
        " CANCELED CLOSED DECLINED OPEN REQUESTED"
    ),
    "risk": "ACCEPT CANCEL INVESTIGATE NONE",
}
"""Shopify's, of API version 2026-10."""
STATES = {
    "financial_status": {"paid"},
    "fulfillment_status": {"waiting", "sent"},
    "warehouse": {"fine"},
    "shipment_status": {"moving", "announced", "sent"},
    "disputes": {"over"},
    "returns": {"none"},
    "risk": {"fine"},
}
ROWS = [(table, status) for table in ENUMERATIONS for status in getattr(RULES, table)]


@pytest.mark.parametrize("table", ENUMERATIONS)
def test_every_value_of_an_enumeration_has_a_row(table):
    assert set(ENUMERATIONS[table].split()) <= set(getattr(RULES, table))


@each_row(("table", "status"), ROWS)
def test_a_row_is_a_known_state_or_a_declared_reason(table, status):
    row = getattr(RULES, table)[status]
    assert re.fullmatch("[A-Z_]+", status)
    assert row.state in STATES[table] or row.person in declared(reasons)


@pytest.mark.parametrize(
    "status", [status for status, row in RULES.shipment_status.items() if row.state]
)
def test_a_parcels_state_is_said_in_both_languages(status):
    row = RULES.shipment_status[status]
    assert row.in_words("en")
    assert row.in_words("es") not in ("", row.in_words("en"))


@each_row("tag", RULES.tags.person)
def test_a_tag_that_says_something_is_the_matter_is_found_in_any_spelling(tag):
    for written in (tag, tag.upper(), tag.replace(" ", "-"), f"x_{tag.replace(' ', '_')}_2"):
        assert (
            order_checks.trouble_of(waiting(tags=(written,)), "ada@example.com") == "order_tagged"
        )
    assert order_checks.trouble_of(waiting(tags=(f"{tag}s1",)), "ada@example.com") == ""


@pytest.mark.parametrize("tag", RULES.tags.preorder)
def test_a_tag_of_a_pre_order_is_found(tag):
    assert order_checks.has_tag(waiting(tags=(tag.title(),)), RULES.tags.preorder)


@pytest.mark.parametrize("word", RULES.said_delivered.words)
def test_not_received_with_a_word_of_delivery_is_no_question_of_an_order(word):
    assert question_of("delivered_not_received", f"I have not received it, {word}") is None
    assert question_of("delivered_not_received", "I have not received it") is Question.NOT_RECEIVED
    assert question_of("order_status_tracking", f"Will it be {word}?") is Question.STATUS


@each_row("word", RULES.said_gone.words)
@each_row("intent", list(Question))
def test_what_is_said_to_be_gone_is_no_question_of_an_order(word, intent):
    assert question_of(intent, f"Where is it?  Is it {word}?") is None


@pytest.mark.parametrize("word", RULES.said_gone.by_themselves)
def test_what_a_customer_has_lost_is_not_the_order(word):
    assert question_of("order_status_tracking", f"{word} lost the number") is Question.STATUS


@each_row(
    ("method", "window"),
    [
        ("Priority Overnight", (1, 1)),
        ("Next-Day Air", (1, 1)),
        ("1 day", (1, 1)),
        ("2-Day Air", (2, 2)),
        ("Express", (1, 2)),
        ("Rush", (1, 2)),
        ("Expedited", (2, 3)),
        ("USPS Priority Mail", (1, 1)),
        ("Ground", (3, 7)),
        ("Standard Shipping", (3, 5)),
        ("Free shipping", (5, 7)),
        ("Economy", (5, 7)),
        ("By hand", None),
        ("", None),
        (None, None),
    ],
)
def test_each_shipping_method_has_its_window_at_home_only(method, window):
    found = DEFAULT_CALENDAR.window_of(method, RULES.times.home)
    assert found == (None if window is None else Window(*window))
    assert DEFAULT_CALENDAR.window_of(method, "AU") is None


def test_every_window_is_one_and_can_be_reached():
    reached = [RULES.windows.index(window) for window in RULES.windows]
    assert reached == list(range(len(RULES.windows)))
    assert all(0 < window.low <= window.high for window in RULES.windows)
    assert min(RULES.times.handling_days, RULES.times.announced_days) > 0


@pytest.mark.parametrize("carrier", RULES.carriers)
def test_a_known_carriers_number_is_followed_by_its_link(carrier):
    link = carrier_link(Tracking(f"{carrier.upper()} Ground", "1Z9"))
    assert link == f"{RULES.carriers[carrier]}1Z9"
    assert link.startswith("https://")


@pytest.mark.parametrize("fields", [{}, {"state": "paid", "person": "order_unpaid"}])
def test_a_row_that_is_neither_or_both_is_refused(fields):
    with pytest.raises(TableError, match="a state or a person"):
        StatusRow(**fields)


@pytest.mark.parametrize(
    ("wrong", "place"),
    [
        ('PAID = { state = "paid", fr = "x" }', "financial_status.PAID.fr"),
        ('PAID = "paid"', "financial_status.PAID"),
    ],
)
def test_a_file_that_is_not_of_its_schema_is_refused_with_its_place(tmp_path, wrong, place):
    file = tmp_path / "rules.toml"
    text = order_rules.FILE.read_text()
    line = next(line for line in text.splitlines() if line.startswith("PAID ="))
    file.write_text(text.replace(line, wrong))
    with pytest.raises(TableError, match=re.escape(place)):
        read(file, OrderRules)
