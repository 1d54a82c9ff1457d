"""Maps Aloware deliveries and HubSpot events to facts: metric, agent and day; pure.

The rules are tables.  Aloware: the numbers in the body decide; the delivery's name, which can be
wrong (a text message's name on a ringing call), decides only what the numbers leave open.  Only
outbound communications that have ended count, and all deliveries of one call have one
key.  HubSpot: objects that were created count, by type; a deployment can replace the rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import BaseModel, ConfigDict, TypeAdapter, ValidationError

from chalicelib.clock import parsed
from chalicelib.errors import SettingsError
from chalicelib.facts import keys as fact_keys
from chalicelib.facts import reasons as why
from chalicelib.facts.aloware_webhook import DISPOSITIONS
from chalicelib.facts.delivery_name import DeliveryName, DeliveryPart
from chalicelib.facts.drift import Mark, Reading, without_lacks
from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch, HubSpotEvent
from chalicelib.facts.model import NOT_TERMINAL, UNKNOWN_AGENT, Agent, Fact, Happening, Metric

ALOWARE = "ALOWARE"
HUBSPOT = "HUBSPOT"

COMMUNICATION_TYPES: Mapping[int, Metric] = {1: Metric.CALLS, 2: Metric.TEXTS}
"""Aloware types that count."""

CHANNELS: Mapping[int | Metric | None, str] = {
    1: "call",
    2: "sms",
    3: "conference",
    4: "ringless_voicemail",
    5: "email",
    6: "facebook",
    7: "whatsapp",
    8: "fax",
    10: "note",
    11: "system_note",
    12: "appointment",
    13: "reminder",
    Metric.CALLS: "call",
    Metric.TEXTS: "sms",
    Metric.EMAILS: "email",
    Metric.CASES: "ticket",
}
"""Channel by Aloware's type, or by metric where there is no type."""

OUTCOMES: Mapping[int, str] = {
    number: word.replace(" ", "_") for word, number in DISPOSITIONS.items()
}
"""Outcome by Aloware's disposition; an unknown disposition is shown by its number."""

TERMINAL_DISPOSITIONS = frozenset({2, 3, 4, 5, 6, 7, 12})
"""Abandoned, missed, completed, failed, dead end, invalid, voicemail."""

_IN_PROGRESS = 1
_CLOSED = 9
_STILL_OPEN = frozenset({1, 2})
"""``current_status2``: initiated, ringing."""
_OUTBOUND = 2
_PARTIAL = frozenset({NOT_TERMINAL, why.NOT_A_COMMUNICATION})

MAX_NOTES_CHARACTERS = 4000
"""Power BI's limit for a text column."""


class MetricRule(BaseModel):
    """Which HubSpot events count under a metric; a field that is None matches any value.

    Attributes:
        object_type: e.g. ``0-49``.
        change: last part of the subscription type: creation, propertyChange, ...
        property: the property that must have changed, for property changes.
        value: the constant that the property must have changed to.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", hide_input_in_errors=True)

    object_type: str | None = None
    change: str
    property: str | None = None
    value: str | None = None
    metric: Metric

    def fits(self, event: HubSpotEvent, change: str) -> bool:
        """Whether an event of HubSpot counts under this rule.

        `change` is the last part of the event's subscription type.
        """
        return (
            self.change == change
            and self.object_type in (None, event.object_type)
            and self.property in (None, event.property_name)
            and self.value in (None, event.property_value)
        )


RULES: tuple[MetricRule, ...] = (
    MetricRule(object_type="0-49", change="creation", metric=Metric.EMAILS),
    MetricRule(object_type="0-5", change="creation", metric=Metric.CASES),
)
"""The default rules: created e-mails and created tickets."""

WORKFLOW_EVENTS: Mapping[str, Metric] = {
    "outbound_call": Metric.CALLS,
    "outbound_text": Metric.TEXTS,
    "email_sent": Metric.EMAILS,
    "case_created": Metric.CASES,
}
"""Values of a workflow's static field ``event_key`` that count."""


def configured_rules(text: str) -> tuple[MetricRule, ...]:
    """A deployment's rules for HubSpot's events, parsed from a JSON list; `RULES` for an empty text.

    Raises:
        SettingsError: ``HUBSPOT_FACT_RULES`` is no list of `MetricRule`s; its value is not shown.
    """
    try:
        return TypeAdapter(tuple[MetricRule, ...]).validate_json(text) if text else RULES
    except ValidationError:
        raise SettingsError("environment variable HUBSPOT_FACT_RULES is no list of rules") from None


def aloware_fact(job: AlowareDelivery) -> Fact:
    """The fact that a delivery of Aloware reports.

    If the delivery does not count, the fact's field `skip` gives the reason.
    """
    reading = Reading(job.marks)
    zone = _zone(job.timezone, reading)
    at = parsed(job.created_at)
    day = _day(reading.time_of(at, _receipt(job.received_at)), zone)
    name = DeliveryName(job.event)
    metric, skip = _aloware_metric(job, name)
    _note_unseen(job, name, reading)
    parts = ("contact", job.communication_id) if _is_contact(job, name) else (job.communication_id,)
    agent = job.agent or UNKNOWN_AGENT
    marks = without_lacks(reading.marks) if skip in _PARTIAL else reading.marks
    outcome = "" if job.disposition is None else str(job.disposition)
    return Fact(
        key=fact_keys.fact(ALOWARE, *parts),
        source=ALOWARE,
        agent_id=agent,
        date=day,
        metric=metric,
        notes=_notes(event=job.event or "none", tz=zone.key, agent=agent, day=_guessed(marks)),
        skip=skip,
        happening=Happening(
            at=at,
            timezone=zone.key,
            seconds=job.seconds,
            channel=CHANNELS.get(metric if job.type is None else job.type, ""),
            outcome=OUTCOMES.get(job.disposition or 0, outcome),
            marks=marks,
        ),
    )


def hubspot_facts(
    job: HubSpotBatch, *, rules: Sequence[MetricRule] = RULES, timezone: str = "UTC"
) -> list[Fact]:
    """The facts of a batch of HubSpot's events, in the batch's order; of equal keys only the first fact."""
    found: dict[str, Fact] = {}
    for event in job.events:
        fact = _hubspot_fact(event, job.received_at, rules, timezone)
        found.setdefault(fact.key, fact)
    return list(found.values())


def apply_roster(fact: Fact, roster: Mapping[str, Agent] | None) -> Fact:
    """The fact with its agent's roster id as `agent_id`; unchanged where the roster is None.

    An Aloware fact of an agent who is not on the roster is marked as skipped.  A HubSpot fact
    counts also without an agent on the roster, as HubSpot's users are in no ring group.
    """
    if roster is None:
        return fact
    agent = roster.get(fact.agent_id)
    if agent is not None:
        return replace(fact, agent_id=agent.id)
    if fact.source == ALOWARE and fact.skip is None:
        return fact.skipped_for(why.NOT_ON_ROSTER)
    return fact


def _aloware_metric(job: AlowareDelivery, name: DeliveryName) -> tuple[Metric | None, str | None]:
    """The metric of a delivery of Aloware, and the reason why it does not count, or None if it counts."""
    numbers = (job.type, job.status, job.disposition)
    if Mark.ID_MISSING in job.marks and not any(numbers):
        return None, why.NO_CONTENT
    if _is_contact(job, name):
        return None, why.NOT_A_COMMUNICATION
    metric = name.metric if job.type is None else COMMUNICATION_TYPES.get(job.type)
    if metric is None:
        return None, why.TYPE_NOT_COUNTED
    if not _is_terminal(job, name.part):
        return metric, NOT_TERMINAL
    if not _is_outbound(job, name):
        return metric, why.INBOUND
    return metric, None


def _note_unseen(job: AlowareDelivery, name: DeliveryName, reading: Reading) -> None:
    """Note a `Mark` for a delivery's type, disposition or name that Aloware was never seen to send."""
    if job.type is None:
        reading.note(Mark.TYPE_MISSING)
    elif job.type not in CHANNELS:
        reading.note(Mark.TYPE_UNSEEN)
    if job.disposition is not None and job.disposition not in OUTCOMES:
        reading.note(Mark.OUTCOME_UNSEEN)
    if job.event and job.type in COMMUNICATION_TYPES and not name.is_seen:
        reading.note(Mark.NAME_UNSEEN)


def _is_contact(job: AlowareDelivery, name: DeliveryName) -> bool:
    return name.is_contact and job.type is None


def _is_outbound(job: AlowareDelivery, name: DeliveryName) -> bool:
    return name.is_outbound if job.direction is None else job.direction == _OUTBOUND


def _is_terminal(job: AlowareDelivery, part: DeliveryPart) -> bool:
    """Whether a delivery reports the end of its call, by its numbers or by the name of a disposition.

    A recording's delivery without time or agent is not terminal: it must not take the place of the
    delivery with the call's disposition.
    """
    if job.disposition == _IN_PROGRESS or job.status in _STILL_OPEN:
        return False
    if part == DeliveryPart.ENDING:
        return True
    if part == DeliveryPart.PART and None in (job.agent, job.created_at):
        return False
    return job.disposition in TERMINAL_DISPOSITIONS or job.status == _CLOSED


def _hubspot_fact(
    event: HubSpotEvent, received_at: str, rules: Sequence[MetricRule], timezone: str
) -> Fact:
    reading = Reading(event.marks)
    zone = _zone(timezone, reading)
    prefix, _, change = event.subscription_type.rpartition(".")
    if prefix == "workflow":
        metric = WORKFLOW_EVENTS.get(change)
    else:
        metric = next((rule.metric for rule in rules if rule.fits(event, change)), None)
    agent = event.agent or UNKNOWN_AGENT
    at = _moment(event.occurred_at_ms)
    day = _day(reading.time_of(at, _receipt(received_at)), zone)
    stamp = event.untimed if event.occurred_at_ms is None else str(event.occurred_at_ms)
    return Fact(
        key=fact_keys.fact(
            HUBSPOT,
            event.object_type,
            event.object_id,
            event.subscription_type,
            stamp,
            event.property_name,
        ),
        source=HUBSPOT,
        agent_id=agent,
        date=day,
        metric=metric,
        notes=_notes(
            event=event.subscription_type,
            object=event.object_type,
            tz=zone.key,
            agent=agent,
            day=_guessed(reading.marks),
        ),
        skip=None if metric else why.TYPE_NOT_COUNTED,
        happening=Happening(
            at=at,
            timezone=zone.key,
            seconds=event.seconds,
            channel=CHANNELS.get(metric, ""),
            outcome=event.outcome or (event.property_value or "").lower(),
            marks=reading.marks,
        ),
    )


def _moment(milliseconds: int | None) -> datetime | None:
    try:
        return (
            None
            if milliseconds is None
            else datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=milliseconds)
        )
    except OverflowError:
        return None


def _day(moment: datetime, zone: ZoneInfo) -> str:
    """The date of a time in a time zone; the date in UTC where the local one is outside the calendar."""
    try:
        return moment.astimezone(zone).date().isoformat()
    except OverflowError:
        return moment.date().isoformat()


def _receipt(text: str) -> datetime:
    moment = parsed(text)
    if moment is None:
        raise ValueError("a job always has a time of receipt")
    return moment


def _zone(name: str | None, reading: Reading) -> ZoneInfo:
    """The time zone of this name, or UTC where the name is missing or unknown.

    A `Mark` is noted for a missing or unknown name.
    """
    try:
        if name:
            return ZoneInfo(name)
        if Mark.ZONE_UNKNOWN not in reading.marks:
            reading.note(Mark.ZONE_MISSING)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        reading.note(Mark.ZONE_UNKNOWN)
    return ZoneInfo("UTC")


def _guessed(marks: Sequence[Mark]) -> str | None:
    return "guessed" if Mark.DAY_GUESSED in marks else None


def _notes(**facts: str | None) -> str:
    """The text of a fact's column Notes, ``event=...;tz=...;agent=unknown;day=guessed``.

    A known agent is left out, as the fact has a column for it.
    """
    shown = {k: v for k, v in facts.items() if v and (k, v == UNKNOWN_AGENT) != ("agent", False)}
    return ";".join(f"{name}={value}" for name, value in shown.items())[:MAX_NOTES_CHARACTERS]
