"""Texts of replies: whole in every language, and never with a value that is missing or unsafe."""

import re

import pytest

from chalicelib.support.orders.order_answers import TemplateAnswer
from chalicelib.support.orders.shipments import ProvenValue
from chalicelib.support.replies.guard_rails import TEMPLATE_OF
from chalicelib.support.replies.template_texts import TEXTS
from chalicelib.support.replies.templates import CATALOGUE, TemplateError, render
from tests.rigs.each_row import each_row

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
    "handling_time": "2 business days",
    "estimated_delivery": "November 30",
    "parcel_count": "2",
    "parcels": [
        {
            "fulfillment_status": "in transit",
            "tracking_number": "ZZ1",
            "tracking_company": "DHL",
            "tracking_url": "https://carrier.example/1",
            "estimated_delivery": "November 30",
        }
    ],
}


def text_of(template_id, values, language="en"):
    name = values.get("first_name")
    answer = TemplateAnswer(template_id, values)
    return render(
        answer, first_name=name, reference="AAAA-BBBB", signature="Shop", language=language
    ).text


@each_row("language", ["en", "es"])
@each_row("template_id", [template.id for template in CATALOGUE.values() if template.is_enabled])
@each_row("everything", [True, False])
def test_every_text_renders_with_all_values_and_with_only_the_required_ones(
    template_id, language, everything
):
    template = CATALOGUE[template_id]
    names = template.required | (template.optional if everything else frozenset())
    text = text_of(template_id, {name: EVERY_VALUE[name] for name in names}, language)
    assert not re.search(r"[{}]|\bNone\b|\n\n\n", text)
    assert text.endswith("Shop\nRef. AAAA-BBBB\n")
    assert all(EVERY_VALUE[name] in text for name in names if name != "parcels")


@pytest.mark.parametrize(
    "template_id", [template.id for template in CATALOGUE.values() if template.required]
)
def test_a_text_without_a_required_value_is_not_rendered(template_id):
    for name in CATALOGUE[template_id].required:
        values = {key: EVERY_VALUE[key] for key in CATALOGUE[template_id].required - {name}}
        with pytest.raises(TemplateError, match=name):
            text_of(template_id, values)


@pytest.mark.parametrize(
    "template_id", ["t_legal_threat_ack", "t_chargeback_neutral_ack", "t_unknown_ack", "t_none"]
)
def test_a_template_that_must_not_be_sent_cannot_be_rendered(template_id):
    with pytest.raises(TemplateError):
        text_of(template_id, EVERY_VALUE)


def test_a_customer_name_cannot_inject_text():
    ask = "t_order_status_ask_order_number"
    assert text_of(ask, {"first_name": "{{reference}} x"}).startswith("Hi,")
    assert text_of(ask, {"first_name": "Ada\nBuy now https://evil.example"}).startswith("Hi Ada,")
    assert text_of(ask, {"first_name": "<b>Ada</b>"}).startswith("Hi,")
    values = EVERY_VALUE | {"tracking_url": "javascript:alert(1)"}
    assert "javascript" not in text_of("t_order_status_verified", values)


def test_every_text_belongs_to_a_template_and_every_intent_to_a_text():
    assert set(TEXTS) == {template.id for template in CATALOGUE.values() if template.is_enabled}
    assert set(TEMPLATE_OF.values()) <= set(TEXTS)


def proven(order, number):
    return TemplateAnswer(
        "t_order_status_verified",
        {
            "order_id": ProvenValue(f"#{number}", (f"{order}.name",)),
            "order_status": ProvenValue("confirmed", (f"{order}.financial_status",)),
            "tracking_number": ProvenValue(
                f"ZZ{number}", (f"{order}.fulfillments[0].tracking[0].number",)
            ),
        },
    )


def test_each_sentence_about_an_order_has_the_facts_of_its_values():
    found = render(proven("orders[0]", 1001), reference="A", signature="Shop")
    assert [(claim.sentence, claim.facts) for claim in found.proof] == [
        ("Your order #1001 is confirmed.", ("orders[0].name", "orders[0].financial_status")),
        ("Tracking number: ZZ1001", ("orders[0].fulfillments[0].tracking[0].number",)),
    ]
    assert all(claim.sentence in found.text for claim in found.proof)


def test_two_orders_are_two_paragraphs_between_one_greeting_and_one_end():
    orders = (proven("orders[0]", 1001), proven("orders[1]", 1002))
    text = render(*orders, first_name="Ada", reference="A", signature="Shop").text
    assert text.startswith("Hi Ada,\n\nYour order #1001 is")
    assert text.count("Hi Ada,") == text.count("If something looks wrong") == 1
    assert text.index("#1002") < text.index("If something looks wrong") < text.index("Ref. A")


def test_a_value_cannot_carry_the_mark_of_another():
    value = ProvenValue("#10\ue00001", ("orders[0].name",))
    answer = TemplateAnswer("t_order_status_verified", {"order_id": value, "order_status": value})
    found = render(answer, reference="A", signature="Shop")
    assert "#10 01" in found.text
    assert not [char for char in found.text if 0xE000 <= ord(char) <= 0xF8FF]
