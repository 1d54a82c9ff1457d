"""What breaks first where traffic grows: each limit with the factor of an ordinary day at which it is met.

Traffic is that of `assumptions`, at noon, all of it one company's with one sender and one project, which is
the worst case of what a company shares.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from bench.load import ceilings
from bench.load.assumptions import PER_MINUTE
from bench.load.kinds import kinds_of
from bench.load.scenarios import LAMBDA_LIMIT
from chalicelib.once.timer import SHARDS as DUE_SHARDS
from ops.cost import bill
from ops.cost.bill import Terms
from ops.cost.event_kinds import counted
from ops.cost.happened import FACT, REPLY, ROUTED, START

FACTORS = (1, 10, 100, 1_000)
PARTITION_UNITS = 1_000.0
"""Write units a second of one partition key, in a table and in an index:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/bp-partition-key-design.html ."""
NEW_TABLE_UNITS = 4_000.0
"""Write units a second that a new on-demand table takes at once; later twice its highest peak:
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/on-demand-capacity-mode.html ."""
TABLE_UNITS = 40_000.0
"""Of one table, the account's default quota; it is raised on request."""
WEBHOOKS_A_SECOND = 40.0
"""Of a route of `.chalice/functions.json`."""
SES_A_SECOND = 14.0
SMS_A_SECOND = 1.0
"""Of one long code."""
START_COUNTER_UNITS = 3.0


@dataclass(frozen=True, slots=True)
class PlannedLimit:
    """One limit.

    Attributes:
        what: what breaks.
        now: events a second of an ordinary day's noon that it bounds.
        most: as many as it lets through.
        why: where `most` comes from.
        then: what to do before it is met.
    """

    what: str
    now: float
    most: float
    why: str
    then: str

    @property
    def factor(self) -> float:
        """How many times an ordinary day's noon meets it."""
        return self.most / self.now


def at_noon(lane: str) -> float:
    """Events a second of a lane."""
    day = PER_MINUTE[lane]
    return day.mean * (1 + day.swing) / 60


def limits() -> Sequence[PlannedLimit]:
    """Every limit, the one that is met first at the beginning."""
    return sorted((*_lanes(), *_keys(), *_stage()), key=lambda one: one.factor)


def _lanes() -> Sequence[PlannedLimit]:
    by_lane = {one.lane: one for one in ceilings.ceilings()}
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
    reply, now = counted()[REPLY], at_noon("outreach")
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
    """What all events of a stage share."""
    events = sum(map(at_noon, PER_MINUTE))
    seconds = sum(
        at_noon(lane) * sum(kind.share * ceilings.seconds_of(kind) for kind in kinds_of(lane))
        for lane in PER_MINUTE
    )
    of_messages = at_noon("outreach") + at_noon("email")
    conversations = counted()[REPLY].writes
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
    """AWS's bill of a month of events, by lane, at so many times an ordinary day."""
    kind_of = {"tickets": ROUTED, "outreach": REPLY, "email": START, "facts": FACT}
    minutes = 30 * 24 * 60 * factor
    return {
        lane: PER_MINUTE[lane].mean
        * minutes
        * bill.total(bill.of_event(counted()[kind], terms), bill.AWS)
        for lane, kind in kind_of.items()
    }
