"""What breaks first as traffic grows: each limit, and how many times an ordinary day's traffic meets it.

Traffic is that of `assumptions` at noon.  All of it belongs to one company with one sender and one
project, the worst case for limits by company.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from bench.load import ceilings
from bench.load.assumptions import PER_MINUTE
from bench.load.kinds import kinds_of
from bench.load.scenarios import LAMBDA_LIMIT
from chalicelib.once.timer import SHARDS as DUE_SHARDS
from chalicelib.outreach.channels import Channel
from ops.cost import bill
from ops.cost.bill import Terms
from ops.cost.event_kinds import EventCount, MessageEvent, counted, on_channel
from ops.cost.happened import FACT
from ops.cost.prices import unit_price

MONTH_MINUTES = 30 * 24 * 60
TEXT, MAIL = Channel("sms"), Channel("email")
FACTORS = (1, 10, 100, 1_000)
PARTITION_UNITS = 1_000.0
"""Write units a second of one partition key, in a table and in an index:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html ."""
NEW_TABLE_UNITS = 4_000.0
"""Write units a second that a new on-demand table takes at once; later twice its highest peak:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html ."""
TABLE_UNITS = 40_000.0
"""Write units a second of one table, by the account's default quota; AWS raises it on request."""
WEBHOOKS_A_SECOND = 40.0
"""The throttle of a webhook's route in `.chalice/functions.json`."""
SES_A_SECOND = 14.0
SMS_A_SECOND = 1.0
"""Texts a second of one long code (an ordinary phone number)."""
START_COUNTER_UNITS = 3.0


@dataclass(frozen=True, slots=True)
class PlannedLimit:
    """One limit.

    Attributes:
        what: what breaks.
        now: events a second at an ordinary day's noon that the limit bounds.
        most: maximum number of events a second.
        why: where `most` comes from.
        then: what to do before the limit is met.
    """

    what: str
    now: float
    most: float
    why: str
    then: str

    @property
    def factor(self) -> float:
        """How many times the noon traffic of an ordinary day meets the limit."""
        return self.most / self.now


def at_noon(lane: str) -> float:
    """A lane's events a second at an ordinary day's noon."""
    day = PER_MINUTE[lane]
    return day.mean * (1 + day.swing) / 60


def limits() -> Sequence[PlannedLimit]:
    """Every limit; the one that is met first comes first."""
    return sorted((*_lanes(), *_keys(), *_stage()), key=lambda limit: limit.factor)


def _lanes() -> Sequence[PlannedLimit]:
    by_lane = {ceiling.lane: ceiling for ceiling in ceilings.ceilings()}
    tickets, outreach, email, facts = map(at_noon, ("tickets", "outreach", "email", "facts"))
    more = "`LANE_CONCURRENCY`, in proportion"

    def of(lane: str, now: float, then: str) -> PlannedLimit:
        found = by_lane[lane]
        return PlannedLimit(f"{lane}: the lane", now, found.per_minute / 60, found.set_by, then)

    return (
        of("tickets, the mix", tickets, "a larger quota of Richpanel; nothing of ours helps"),
        of("outreach", outreach, more),
        of("email", email, more),
        of("facts, kept", facts, f"{more}; ten facts in a message"),
        of("facts, posted", facts, "the sink in Fabric in place of the push dataset"),
        PlannedLimit(
            "a sender's texts",
            outreach,
            SMS_A_SECOND,
            "one long code",
            "more senders, a short code",
        ),
        PlannedLimit("mail at SES", email, SES_A_SECOND, "a new account", "ask for more"),
    )


def _keys() -> Sequence[PlannedLimit]:
    """Keys that many events share; each has one partition's units."""
    reply, now = on_channel(MessageEvent.REPLY, TEXT), at_noon("outreach")
    by_sender = reply.index_units["company-sms-number-recipient-tel-index"]
    by_company = reply.index_units["company-id-project-id-index"]
    due = 2.0
    return (
        PlannedLimit(
            "the company-number index: replies of a sender",
            now,
            PARTITION_UNITS / by_sender,
            f"{by_sender:g} units a reply on one key",
            "more senders by company",
        ),
        PlannedLimit(
            "the company-project index: replies of a company",
            now,
            PARTITION_UNITS / by_company,
            f"{by_company:g} units a reply on one key",
            "narrow projection, or the key with a shard",
        ),
        PlannedLimit(
            "`day_counts`: messages of a company",
            now,
            PARTITION_UNITS,
            "a unit a count on one key",
            "the company's key with a shard",
        ),
        PlannedLimit(
            "a company's start counters",
            now,
            PARTITION_UNITS / START_COUNTER_UNITS,
            f"{START_COUNTER_UNITS:g} units a start on one key",
            "shards of the counter",
        ),
        PlannedLimit(
            "`due-index`: facts",
            at_noon("facts"),
            PARTITION_UNITS * DUE_SHARDS / due,
            f"{DUE_SHARDS} shards, {due:g} units a fact",
            "`SHARDS` 16",
        ),
    )


def _stage() -> Sequence[PlannedLimit]:
    """The limits that all events of a stage share."""
    events = sum(map(at_noon, PER_MINUTE))
    seconds = sum(
        at_noon(lane) * sum(kind.share * ceilings.seconds_of(kind) for kind in kinds_of(lane))
        for lane in PER_MINUTE
    )
    of_messages = at_noon("outreach") + at_noon("email")
    conversations = on_channel(MessageEvent.REPLY, TEXT).writes
    return (
        PlannedLimit(
            "Richpanel's webhooks at the gateway",
            at_noon("tickets"),
            WEBHOOKS_A_SECOND,
            "the route's throttle",
            "raise it in `.chalice/functions.json`; behind it an HTTP API",
        ),
        PlannedLimit(
            "Lambda's concurrent executions",
            events,
            LAMBDA_LIMIT / (seconds / events),
            f"{LAMBDA_LIMIT:,} of an account, {seconds / events:.2f} s an event",
            "ask for more; reserve the doors'",
        ),
        PlannedLimit(
            "`conversations`, a new table's",
            of_messages,
            NEW_TABLE_UNITS / conversations,
            f"{conversations:g} units a message",
            "warm the table before",
        ),
        PlannedLimit(
            "`conversations`, the quota",
            of_messages,
            TABLE_UNITS / conversations,
            f"{TABLE_UNITS:,.0f} units a second",
            "ask for more",
        ),
    )


def dollars_a_month(factor: float, terms: Terms) -> Mapping[str, float]:
    """AWS's bill of a month of events, by lane, at so many times an ordinary day; the gateway's by tiers."""
    many = {lane: PER_MINUTE[lane].mean * MONTH_MINUTES * factor for lane in PER_MINUTE}
    kinds = _kinds()
    requests = sum(bill.gateway_requests(kinds[lane]) * number for lane, number in many.items())
    by_tier = replace(terms, month_requests=requests)
    return {
        lane: number * bill.total(bill.of_event(kinds[lane], by_tier), bill.AWS)
        for lane, number in many.items()
    }


def break_even() -> float:
    """The use of provisioned write capacity at which it costs what on-demand does."""
    return unit_price("dynamodb_write_hour") / (3_600 * unit_price("dynamodb_writes"))


def _kinds() -> Mapping[str, EventCount]:
    """What a lane's events are charged as."""
    return {
        "tickets": counted()[bill.ROUTED],
        "outreach": on_channel(MessageEvent.REPLY, TEXT),
        "email": on_channel(MessageEvent.START, MAIL),
        "facts": counted()[FACT],
    }
