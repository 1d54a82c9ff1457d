"""What the queue carries of the facts system: deliveries of Aloware and batches of HubSpot."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

from chalicelib.facts.drift import Mark
from chalicelib.once.job import Job
from chalicelib.once.lanes import FACTS, Lane


class FactJob(Job):
    """A job of the queue that carries facts: the fields that all kinds of such jobs share."""

    @property
    def lane(self) -> Lane:
        """The queue's lane for facts, apart from the lane of conversations; its jobs may run in any order."""
        return FACTS


class AlowareDelivery(FactJob):
    """A job: one delivery of Aloware about one call or text message, reduced to the fields that a fact needs.

    Names, numbers, recordings and message texts of the delivery are dropped.

    Attributes:
        event: the delivery's name, e.g. ``OutboundPhoneCall-DispositionCompleted``; can be wrong.
        communication_id: id of the call or text message; all its deliveries share it.
        type: 1 call, 2 SMS, ...; see `mapping`.
        direction: 1 inbound, 2 outbound.
        status: 1 initiated, 2 ringing, 9 closed.
        disposition: 1 in progress, 4 completed, ...
        agent: id of the delivery's owner, or else of its user.
        created_at: the communication's own time, in UTC.
        timezone: IANA name of the contact's time zone.
        seconds: how long the call took.
        marks: what the delivery lacked or had in another form.
    """

    kind: Literal["aloware_delivery"] = "aloware_delivery"
    event: str = ""
    communication_id: str
    type: int | None = None
    direction: int | None = None
    status: int | None = None
    disposition: int | None = None
    agent: str | None = None
    created_at: str | None = None
    timezone: str | None = None
    seconds: int | None = None
    marks: tuple[Mark, ...] = ()


class HubSpotEvent(BaseModel):
    """One event of HubSpot, from a batch or a workflow's webhook, reduced to the fields that a fact needs.

    Attributes:
        subscription_type: e.g. ``object.creation``; ``workflow.case_created`` for a workflow.
        object_type: e.g. ``0-5``; derived from the subscription where the sender leaves it out.
        occurred_at_ms: time of the change; the same in every retry.
        untimed: for an entry without a time: its hash, which keeps two changes of one object apart.
        property_value: kept only where it looks like a constant of an enumeration.
        agent: e.g. ``hubspot:5001`` for user 5001, ``hubspot-owner:77`` for owner 77.
        seconds: how long the call took.
        outcome: status of the record, a constant in lower case.
        marks: what the entry lacked or had in another form.
    """

    model_config = ConfigDict(
        frozen=True, extra="forbid", hide_input_in_errors=True, defer_build=True
    )

    subscription_type: str
    object_type: str | None = None
    object_id: str | None = None
    occurred_at_ms: int | None = None
    untimed: str | None = None
    property_name: str | None = None
    property_value: str | None = None
    agent: str | None = None
    seconds: int | None = None
    outcome: str = ""
    marks: tuple[Mark, ...] = ()


class HubSpotBatch(FactJob):
    """A job: up to 100 events of HubSpot in one queue message."""

    kind: Literal["hubspot_batch"] = "hubspot_batch"
    events: tuple[HubSpotEvent, ...]


KINDS = (AlowareDelivery, HubSpotBatch)
"""Every kind of job of this system; `wiring.jobs` joins the systems' lists."""
