"""What a stage or a company has had in a period, and what it cost.

A stage's events are counted by its doors (the metric ``mw.ingress.accepted``), a company's by day and
project as they happened; what its models cost is what their vendors charged.  Prices and what an event
uses are those of this package, so a figure is an estimate of a bill, and no bill.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from math import ceil

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.day_counts import ANSWERS, DayCount
from ops.companies import company, usage
from ops.cost import bill
from ops.cost.bill import CostCause, Dollars, Terms
from ops.cost.event_kinds import counted
from ops.cost.prices import each
from ops.inspect import metrics
from ops.inspect.metrics import Query
from ops.session import Session

START, REPLY, ROUTED, FACT = (
    "conversation started, SMS",
    "reply answered, SMS",
    "routed event",
    "fact, kept",
)
OF_SOURCE: Mapping[str, str] = {
    "richpanel": ROUTED,
    "channel_router": START,
    "twilio": REPLY,
    "ses": REPLY,
    "aloware": FACT,
    "hubspot": FACT,
}
"""The door's source, and the kind of event that its requests are charged as."""
MODEL_SPENT = "language models"


@dataclass(frozen=True, slots=True)
class Charged:
    """Events of a kind, and what they cost.

    Attributes:
        project: of a company's; empty for a stage's.
        count: how many; of language models, calls.
    """

    name: str
    count: int
    dollars: Dollars
    project: str = ""

    @property
    def aws(self) -> float:
        """Dollars on AWS's bill."""
        return bill.total(self.dollars, bill.AWS)

    @property
    def carrier(self) -> float:
        """Dollars on the carrier's."""
        return self.dollars.get(CostCause.CARRIER, 0.0)


def of_stage(session: Session, period: timedelta, terms: Terms) -> list[Charged]:
    """What came in at a stage's doors in the newest days, today included, and its models."""
    queries = [
        Query(source, "mw.ingress.accepted", "Sum", {"source": source}) for source in OF_SOURCE
    ]
    queries.append(Query(MODEL_SPENT, "mw.model.microusd", "Sum"))
    found = metrics.read(session, queries, period=timedelta(days=1), periods=_days(period))
    sums = {name: sum(one or 0 for one in values) for name, values in found.values.items()}
    by_kind: Counter[str] = Counter()
    for source, kind in OF_SOURCE.items():
        by_kind[kind] += round(sums[source])
    events = [
        Charged(name, many, bill.times(bill.of_event(counted()[name], terms), many))
        for name, many in by_kind.items()
        if many
    ]
    spent = sums[MODEL_SPENT] / 1e6
    return [*events, *([Charged(MODEL_SPENT, 0, {CostCause.MODEL: spent})] if spent else [])]


def of_company(session: Session, company_id: str, period: timedelta, terms: Terms) -> list[Charged]:
    """What a company's projects have had in the newest days, today included.

    A message costs what it does on the first channel that its project allows.

    Raises:
        OpsError: there is no such company.
    """
    projects = company.projects(session, company_id, None)
    days, now = _days(period), session.services.clock.now()
    happened: dict[str, Counter[str]] = {one.project_id: Counter() for one in projects}
    since = now - timedelta(days=days - 1)
    for day in session.services.outreach.conversations.days(company_id, since, now):
        happened.setdefault(day.project_id, Counter()).update(day.counts)
    spent, calls = Counter[str](), Counter[str]()
    for row in usage.by_day(session, company_id, None, days):
        spent[row["project"]] += row["usd"]
        calls[row["project"]] += row["calls"]
    charged = []
    for one in projects:
        name, counts = one.project_id, happened[one.project_id]
        channel = (*one.allowed_channels, *Channel)[0].traits
        answers = sum(counts[answer] for answer in ANSWERS)
        charged += [
            _messages(START, counts[DayCount.OPENED], channel.charged_out, terms, name),
            _messages(REPLY, answers, (*channel.charged_in, *channel.charged_out), terms, name),
            Charged(MODEL_SPENT, calls[name], {CostCause.MODEL: spent[name]}, name),
        ]
    return [one for one in charged if one.count]


def _messages(kind: str, many: int, carrier: Sequence[str], terms: Terms, project: str) -> Charged:
    """So many events of a kind, with the carrier's price of this channel."""
    of_one = {**bill.of_event(counted()[kind], terms), CostCause.CARRIER: sum(map(each, carrier))}
    return Charged(kind, many, bill.times(of_one, many), project)


def _days(period: timedelta) -> int:
    """Whole days, today the last one."""
    return max(1, ceil(period / timedelta(days=1)))
