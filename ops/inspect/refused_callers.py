"""Lists who was answered 429 and when: companies beyond their shares, and strangers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.once.caller_shares import SHARES
from ops.companies import senders
from ops.inspect import metrics
from ops.inspect.metrics import Query
from ops.session import Session

STRANGERS = "strangers"
ANY_DOOR = "any"
_AT_ONCE = 100
_HOUR = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class RefusedCaller:
    """A caller that was refused at one route.

    Attributes:
        caller: a company's id, or `STRANGERS`, whose addresses are not kept.
        first: the hour of the first refusal, as an ISO time.
        last: the hour of the newest refusal.
        times: the number of refusals.
    """

    door: str
    caller: str
    first: str
    last: str
    times: int


def refused(session: Session, *, hours: int) -> list[RefusedCaller]:
    """Each refused caller by route, the most often refused first; the current hour counts as one."""
    companies = sorted({project.company_id for project in senders.projects(session)})
    asked = [
        (ANY_DOOR, STRANGERS, Query(STRANGERS, "mw.door.strangers_refused", "Sum")),
        *((door, company, _company(door, company)) for door in SHARES for company in companies),
    ]
    found = [
        caller
        for start in range(0, len(asked), _AT_ONCE)
        for caller in _read(session, asked[start : start + _AT_ONCE], hours)
    ]
    return sorted(found, key=lambda caller: -caller.times)


def _read(
    session: Session, asked: Sequence[tuple[str, str, Query]], hours: int
) -> Iterator[RefusedCaller]:
    queries = [query for _, _, query in asked]
    series = metrics.read(session, queries, period=_HOUR, periods=hours)
    for door, caller, query in asked:
        values = series.values[query.name]
        when = [at for at, value in zip(series.times, values, strict=True) if value]
        if when:
            times = round(sum(value or 0 for value in values))
            yield RefusedCaller(door, caller, when[0], when[-1], times)


def _company(door: str, company_id: str) -> Query:
    where = {"company": company_id, "source": door}
    return Query(f"{door} of {company_id}", "mw.door.refused", "Sum", where)
