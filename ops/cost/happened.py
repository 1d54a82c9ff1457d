"""What a stage or a company has had in a period, and what it cost.

A company's messages are counted by day, project and channel as they happened, and what its models cost is
what their vendors charged.  A stage has what its companies had, and what its doors have counted of tickets,
facts and messages without an answer (the metric ``mw.ingress.accepted``).  Prices and what an event uses
are those of this package, so a figure is an estimate of a bill, and no bill.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import ceil

from chalicelib.outreach.channels import LISTED, Channel
from chalicelib.outreach.conversations.day_counts import DayCount, channel_name
from chalicelib.outreach.project.project import Project
from ops.companies import company, usage
from ops.cost import bill
from ops.cost.bill import CostCause, Dollars, Terms
from ops.cost.event_kinds import EventCount, MessageEvent, counted, on_channel
from ops.inspect import metrics
from ops.inspect.metrics import Query
from ops.session import Session

FACT = "fact, kept"
OF_SOURCE: Mapping[str, str] = {"richpanel": bill.ROUTED, "aloware": FACT, "hubspot": FACT}
"""The door's source, and the kind of event that its requests are charged as."""
REPLIES_FROM = "twilio"
MODEL_SPENT, UNANSWERED = "language models", "texts without an answer"
ANSWERED = (MessageEvent.REPLY, MessageEvent.WRITTEN)
MOST_COMPANIES = 1_000


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

    def with_more(self, other: Charged) -> Charged:
        """The same and others of its kind, of no project."""
        return Charged(self.name, self.count + other.count, bill.added(self.dollars, other.dollars))


def of_stage(session: Session, period: timedelta, terms: Terms) -> list[Charged]:
    """What a stage has had in the newest days, today included: of all companies, and at its doors."""
    came, many = _came_in(session, period), Counter[str]()
    kinds: dict[str, EventCount] = {}
    for source, kind in OF_SOURCE.items():
        kinds[kind] = counted()[kind]
        many[kind] += came[source]
    models = Charged(MODEL_SPENT, 0, {})
    found, _ = company.ids(session, at_most=MOST_COMPANIES)
    for company_id in dict.fromkeys(found):
        for project in _projects(session, company_id, period):
            models = models.with_more(project.models)
            for count, number in project.messages:
                kinds[count.name] = count
                many[count.name] += number
    texts = {of.of(channel) for of in ANSWERED for channel in LISTED}
    kinds[UNANSWERED] = _unanswered()
    many[UNANSWERED] = max(0, came[REPLIES_FROM] - sum(many[name] for name in texts))
    requests = sum(bill.gateway_requests(kinds[name]) * number for name, number in many.items())
    by_tier = replace(terms, month_requests=requests * 30 / _days(period))
    charged = [_charged(kinds[name], number, by_tier) for name, number in many.items()]
    return [charge for charge in (*charged, models) if charge.count]


def of_company(session: Session, company_id: str, period: timedelta, terms: Terms) -> list[Charged]:
    """What a company's projects have had in the newest days, today included.

    Raises:
        OpsError: there is no such company.
    """
    charged: list[Charged] = []
    for project in _projects(session, company_id, period):
        charged += [_charged(count, many, terms, project.name) for count, many in project.messages]
        charged.append(project.models)
    return [charge for charge in charged if charge.count]


@dataclass(frozen=True, slots=True)
class ChargedProject:
    """What a project has had.

    Attributes:
        messages: each kind, and how many.
        models: what language models have cost.
    """

    name: str
    messages: Sequence[tuple[EventCount, int]]
    models: Charged


def _projects(session: Session, company_id: str, period: timedelta) -> Iterator[ChargedProject]:
    projects = company.projects(session, company_id, None)
    days, now = _days(period), session.services.clock.now()
    happened: dict[str, Counter[str]] = defaultdict(Counter)
    since = now - timedelta(days=days - 1)
    for day in session.services.outreach.conversations.days(company_id, since, now):
        happened[day.project_id].update(day.counts)
    spent, calls = Counter[str](), Counter[str]()
    for row in usage.by_day(session, company_id, None, days):
        spent[row["project"]] += row["usd"]
        calls[row["project"]] += row["calls"]
    for project in projects:
        name = project.project_id
        models = Charged(MODEL_SPENT, calls[name], {CostCause.MODEL: spent[name]}, name)
        yield ChargedProject(
            name, _messages(happened[name], project, is_written=calls[name] > 0), models
        )


def _messages(
    counts: Mapping[str, int], project: Project, *, is_written: bool
) -> list[tuple[EventCount, int]]:
    """How many of each kind, on each channel."""
    kinds: dict[str, EventCount] = {}
    many: Counter[str] = Counter()
    for what, kind in (
        (DayCount.OPENED, MessageEvent.START),
        (DayCount.BY_MACHINE, MessageEvent.WRITTEN if is_written else MessageEvent.REPLY),
        (DayCount.BY_PERSON, MessageEvent.REPLY),
    ):
        for channel, number in _by_channel(counts, what, project):
            count = on_channel(kind, channel)
            kinds[count.name] = count
            many[count.name] += number
    return [(kinds[name], number) for name, number in many.items() if number]


def _by_channel(
    counts: Mapping[str, int], what: DayCount, project: Project
) -> Iterator[tuple[Channel, int]]:
    """How many messages went by each channel; older days, which have no channel, by the project's first."""
    known = {channel: counts.get(channel_name(what, channel), 0) for channel in Channel}
    yield from known.items()
    first = (*project.allowed_channels, *Channel)[0]
    yield first, counts.get(what, 0) - sum(known.values())


def _came_in(session: Session, period: timedelta) -> Mapping[str, int]:
    """How many requests each source's door has let in."""
    queries = [
        Query(source, "mw.ingress.accepted", "Sum", {"source": source})
        for source in (*OF_SOURCE, REPLIES_FROM)
    ]
    found = metrics.read(session, queries, period=timedelta(days=1), periods=_days(period))
    return {
        name: round(sum(value or 0 for value in values)) for name, values in found.values.items()
    }


def _unanswered() -> EventCount:
    """A text that came in and was kept: charged as an answered one, less what was sent."""
    reply = on_channel(MessageEvent.REPLY, LISTED[-1])
    came = dict.fromkeys(LISTED[-1].traits.charged_in, 1)
    return replace(reply, name=UNANSWERED, carrier=came, receipts=0, vendors={})


def _charged(count: EventCount, many: int, terms: Terms, project: str = "") -> Charged:
    """So many events; what models have really cost is charged by itself."""
    dollars = {**bill.of_event(count, terms), CostCause.MODEL: 0.0}
    return Charged(count.name, many, bill.times(dollars, many), project)


def _days(period: timedelta) -> int:
    """Whole days, today the last one."""
    return ceil(period / timedelta(days=1))
