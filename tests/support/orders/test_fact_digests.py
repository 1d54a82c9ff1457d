"""A digest changes with every fact behind a sentence, and with nothing else."""

from dataclasses import replace
from datetime import UTC, datetime

from chalicelib.once.keys import OpaqueIds
from chalicelib.support.orders.fact_digests import fact_digest
from chalicelib.support.orders.shop_order import CarrierEvent, Order, Shipment, Tracking

KEY = OpaqueIds(b"a key")
AT = datetime(2026, 11, 20, tzinfo=UTC)
PARCEL = Shipment(AT, "IN_TRANSIT", None, (Tracking("UPS", "1Z9"),), (CarrierEvent("MOVED", AT),))
ORDER = Order("#1001", "ada@example.com", created_at=AT, fulfillments=(PARCEL,))
PATHS = (
    "orders[0].name",
    "orders[0].created_at",
    "orders[0].fulfillments[0].shipment_status",
    "orders[0].fulfillments[0].tracking[0].number",
    "orders[0].fulfillments[0].events",
)


def of(order, paths=PATHS, key=KEY):
    return fact_digest({"orders[0]": order}, paths, key)


def test_the_same_facts_give_the_same_digest_in_any_order():
    assert of(ORDER) == of(replace(ORDER), PATHS[::-1])
    assert len(of(ORDER)) == 16


def test_every_fact_changes_it():
    lost = replace(PARCEL, shipment_status="FAILURE")
    other = replace(PARCEL, tracking=(Tracking("UPS", "1Z8"),))
    later = replace(PARCEL, events=(*PARCEL.events, CarrierEvent("LOST", AT)))
    changed = [replace(ORDER, fulfillments=(fulfillment,)) for fulfillment in (lost, other, later)]
    found = {of(order) for order in (ORDER, replace(ORDER, name="#1002"), *changed)}
    assert len(found) == 5


def test_a_fact_behind_no_word_of_the_sentence_does_not():
    assert of(ORDER) == of(replace(ORDER, tags=("vip",)))


def test_it_cannot_be_made_without_the_key():
    assert of(ORDER) != of(ORDER, key=OpaqueIds(b"another"))
