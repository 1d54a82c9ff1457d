"""Counts the events and model calls of a stage or a company in a period, and estimates their cost.

A company's messages are counted by day, project and channel as they happen.  Its model calls cost what the
vendors charged.  A stage has the events of its companies.  Its doors add tickets, facts and messages
without an answer (the metric ``mw.ingress.accepted``).  The prices and the usage of an event are those of
this package, so a figure estimates a bill and may differ from it.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from math import ceil

from chalicelib.outreach.channels import LISTED_CHANNELS, Channel
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
"""The kind of event that a request is charged as, by the source that its door names."""
REPLIES_FROM = "twilio"
MODEL_SPENT, UNANSWERED = "language models", "texts without an answer"
ANSWERED = (MessageEvent.REPLY, MessageEvent.WRITTEN)
MOST_COMPANIES = 1_000


@dataclass(frozen=True, slots=True)
class Charged:
    """The events of a kind, and what they cost.

    Attributes:
        count: the number of events; for language models, of calls.
        project: the id of the project; empty for a whole stage.
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
        """Dollars on the carrier's bill."""
        return self.dollars.get(CostCause.CARRIER, 0.0)

    def with_more(self, other: Charged) -> Charged:
        """The sum with others of the same kind, without a project."""
        return Charged(
            self.name, self.count + other.count, bill.sum_of_bills(self.dollars, other.dollars)
        )


def of_stage(session: Session, period: timedelta, terms: Terms) -> list[Charged]:
    """The events of a stage in the newest days, with today: of all companies, and those at its doors."""
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
    texts = {answer.of(channel) for answer in ANSWERED for channel in LISTED_CHANNELS}
    kinds[UNANSWERED] = _unanswered()
    many[UNANSWERED] = max(0, came[REPLIES_FROM] - sum(many[name] for name in texts))
    requests = sum(bill.gateway_requests(kinds[name]) * number for name, number in many.items())
    by_tier = replace(terms, month_requests=requests * 30 / _days(period))
    charged = [_charged(kinds[name], number, by_tier) for name, number in many.items()]
    return [charge for charge in (*charged, models) if charge.count]


def of_company(session: Session, company_id: str, period: timedelta, terms: Terms) -> list[Charged]:
    """The events of a company's projects in the newest days, with today.

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
    """The events and model calls of a project.

    Attributes:
        messages: the number of events, by kind.
        models: the calls of language models and their cost.
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
    """The number of events of each kind on each channel."""
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
    """The messages by channel; those of older days, counted without one, go to the project's first."""
    known = {channel: counts.get(channel_name(what, channel), 0) for channel in Channel}
    yield from known.items()
    first = (*project.allowed_channels, *Channel)[0]
    yield first, counts.get(what, 0) - sum(known.values())


def _came_in(session: Session, period: timedelta) -> Mapping[str, int]:
    """The number of requests that each source's door has accepted."""
    queries = [
        Query(source, "mw.ingress.accepted", "Sum", {"source": source})
        for source in (*OF_SOURCE, REPLIES_FROM)
    ]
    found = metrics.read(session, queries, period=timedelta(days=1), periods=_days(period))
    return {
        name: round(sum(value or 0 for value in values)) for name, values in found.values.items()
    }


def _unanswered() -> EventCount:
    """A text that came in and was not answered: charged as an answered one without its answer."""
    reply = on_channel(MessageEvent.REPLY, Channel.SMS)
    came = dict.fromkeys(Channel.SMS.traits.charged_in, 1)
    return replace(reply, name=UNANSWERED, carrier=came, receipts=0, vendors={})


def _charged(count: EventCount, many: int, terms: Terms, project: str = "") -> Charged:
    """A number of events with their cost, without models, whose real cost is charged separately."""
    dollars = {**bill.of_event(count, terms), CostCause.MODEL: 0.0}
    return Charged(count.name, many, bill.times(dollars, many), project)


def _days(period: timedelta) -> int:
    """The whole days of a period; today is the last."""
    return ceil(period / timedelta(days=1))
