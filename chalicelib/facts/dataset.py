"""The dataset `Quill_Agent_Realtime`: tables, relationships, measures, and their rows; pure.

Fact rows can arrive twice when an outcome was unknown, as Power BI has no idempotency key; so every
measure counts distinct `EventID`s.  `FactDateKey` and `DimDate.Date` have the same type, which a
relationship requires.
"""

from __future__ import annotations

import calendar
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.facts.drift import marks_of
from chalicelib.facts.model import Agent, Fact, Happening, Metric, Row

DATASET = "Quill_Agent_Realtime"
FACT_EVENT = "FactEvent"
DIM_AGENT = "DimAgent"
DIM_METRIC = "DimMetric"
DIM_DATE = "DimDate"
DIM_SHIFT = "DimShift"
DIMENSIONS = (DIM_AGENT, DIM_METRIC, DIM_DATE)

ROWS_PER_POST = 10_000
"""Power BI's limit; https://learn.microsoft.com/power-bi/developer/embedded/push-datasets-limitations."""
_CONTENT_LIMIT = 2**48
YEARS_AROUND = 5
"""DimDate holds this many years before and after the current one."""

TABLES: Mapping[str, Mapping[str, str]] = {
    FACT_EVENT: {
        "EventID": "String",
        "AgentID": "String",
        "FactDateKey": "DateTime",
        "MetricID": "String",
        "Notes": "String",
    },
    DIM_AGENT: {
        "AgentID": "String",
        "AgentName": "String",
        "Email": "String",
        "TimezoneIANA": "String",
        "ActiveFlag": "Boolean",
    },
    DIM_METRIC: {
        "MetricID": "String",
        "MetricName": "String",
        "DefaultGoal": "Int64",
        "DefaultYellowFloorPct": "Double",
    },
    DIM_DATE: {
        "Date": "DateTime",
        "Year": "Int64",
        "Month": "Int64",
        "Day": "Int64",
        "Quarter": "Int64",
        "DayOfWeek": "Int64",
        "MonthName": "String",
        "DayName": "String",
        "IsWeekend": "Boolean",
    },
    DIM_SHIFT: {
        "AgentID": "String",
        "LocalDate": "DateTime",
        "ShiftStartLocal": "DateTime",
        "ShiftEndLocal": "DateTime",
        "ShiftHours": "Int64",
    },
}
"""Columns and their types per table.  Only measures relate shifts, by agent and date."""

FULL_TABLES: Mapping[str, Mapping[str, str]] = {
    **TABLES,
    FACT_EVENT: {
        **TABLES[FACT_EVENT],
        "OccurredAt": "DateTime",
        "TimeZone": "String",
        "DurationSeconds": "Int64",
        "Channel": "String",
        "Outcome": "String",
        "Marks": "String",
    },
}
"""Columns and types in the archive and in OneLake, whose facts have more columns."""

_RELATIONS = (
    ("AgentID", DIM_AGENT, "AgentID"),
    ("MetricID", DIM_METRIC, "MetricID"),
    ("FactDateKey", DIM_DATE, "Date"),
)
_NAMES: Mapping[Metric, str] = {
    Metric.CALLS: "Calls",
    Metric.TEXTS: "Texts",
    Metric.EMAILS: "E-mails",
    Metric.CASES: "Cases",
}
_GOALS: Mapping[Metric, int] = {Metric.CALLS: 50, Metric.TEXTS: 45}
_YELLOW_FLOOR = 0.85


def definition(name: str = DATASET) -> dict[str, Any]:
    """The body of the Power BI request that creates the dataset: its tables, relationships and measures."""
    return {
        "name": name,
        "defaultMode": "Push",
        "tables": [
            {
                "name": table,
                "columns": [{"name": c, "dataType": kind} for c, kind in columns.items()],
                **({"measures": _measures()} if table == FACT_EVENT else {}),
            }
            for table, columns in TABLES.items()
        ],
        "relationships": [
            {
                "name": f"{FACT_EVENT}_{table}",
                "fromTable": FACT_EVENT,
                "fromColumn": column,
                "toTable": table,
                "toColumn": to_column,
                "crossFilteringBehavior": "OneDirection",
            }
            for column, table, to_column in _RELATIONS
        ],
    }


def fact_row(fact: Fact) -> Row:
    """The row of table FactEvent that Power BI gets for a fact."""
    return {
        "EventID": fact.key,
        "AgentID": fact.agent_id,
        "FactDateKey": _at_midnight(fact.date),
        "MetricID": fact.metric.value if fact.metric else "",
        "Notes": one_line(fact.notes),
    }


def one_line(text: str) -> str:
    """The text with line breaks replaced by spaces, because a row in OneLake is one line of a file."""
    return " ".join(text.splitlines())


def full_row(fact: Fact) -> Row:
    """The row of table FactEvent that the archive and OneLake get for a fact: more columns than Power BI's.

    ``OccurredAt`` is in UTC, e.g. ``2025-11-05T17:29:00.000Z``; it and ``DurationSeconds`` are absent
    where they are not known.  ``Marks`` are joined by commas.
    """
    happening = fact.happening
    row: dict[str, str | int | float | bool] = {
        **fact_row(fact),
        "TimeZone": happening.timezone,
        "Channel": happening.channel,
        "Outcome": one_line(happening.outcome),
        "Marks": ",".join(happening.marks),
    }
    if happening.at is not None:
        row["OccurredAt"] = iso(happening.at)
    if happening.seconds is not None:
        row["DurationSeconds"] = happening.seconds
    return row


def fact_of_row(row: Mapping[str, Any]) -> Fact:
    """The fact that a row of the archive holds, as `full_row` made it."""
    return Fact(
        key=row["EventID"],
        source=row["EventID"].partition(":")[0],
        agent_id=row["AgentID"],
        date=row["FactDateKey"][:10],
        metric=Metric(row["MetricID"]),
        notes=row["Notes"],
        happening=Happening(
            at=parsed(row.get("OccurredAt")),
            timezone=row.get("TimeZone", ""),
            seconds=row.get("DurationSeconds"),
            channel=row.get("Channel", ""),
            outcome=row.get("Outcome", ""),
            marks=marks_of(row.get("Marks", "").split(",")),
        ),
    )


def dimension_keys(facts: Iterable[Fact], this_year: int) -> dict[str, frozenset[str]]:
    """For each dimension table, the keys that these facts refer to: agents' ids, metrics, and years.

    A year is left out if it is more than `YEARS_AROUND` years from this one.
    """
    listed = list(facts)
    years = {
        fact.date[:4] for fact in listed if abs(int(fact.date[:4]) - this_year) <= YEARS_AROUND
    }
    return {
        DIM_AGENT: frozenset(fact.agent_id for fact in listed),
        DIM_METRIC: frozenset(fact.metric.value for fact in listed if fact.metric),
        DIM_DATE: frozenset(years),
    }


def seed_keys(this_year: int) -> dict[str, frozenset[str]]:
    """The keys that a new dataset gets before any fact: every metric, and the years around this year."""
    years = range(this_year - YEARS_AROUND, this_year + YEARS_AROUND + 1)
    return {
        DIM_METRIC: frozenset(metric.value for metric in Metric),
        DIM_DATE: frozenset(f"{year:04d}" for year in years),
    }


def dimension_rows(
    table: str, keys: Sequence[str], agents: Mapping[str, Agent] | None
) -> list[Row]:
    """The rows of a dimension table for these keys: agents, metrics, or for a year all of its days."""
    if table == DIM_AGENT:
        return [_agent_row(key, (agents or {}).get(key)) for key in keys]
    if table == DIM_METRIC:
        return [_metric_row(Metric(key)) for key in keys]
    return [row for key in keys for row in _year_rows(int(key))]


def rows_digest(rows: Iterable[Row]) -> int:
    """A digest of rows as a number, the same in any order; `digest_after` adds further rows."""
    return sum(_digest(row) for row in rows) % _CONTENT_LIMIT


def digest_after(content: int | None, rows: Iterable[Row]) -> int | None:
    """The digest of a table's rows, given as `content`, after further rows were added to the table.

    None, for a table of unknown content, stays None.
    """
    return None if content is None else (content + rows_digest(rows)) % _CONTENT_LIMIT


def _digest(row: Row) -> int:
    text = json.dumps(row, sort_keys=True, separators=(",", ":"))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6])


def _agent_row(key: str, agent: Agent | None) -> Row:
    return {
        "AgentID": key,
        "AgentName": one_line(agent.name if agent and agent.name else key),
        "Email": one_line(agent.email) if agent else "",
        "TimezoneIANA": "",
        "ActiveFlag": True,
    }


def _metric_row(metric: Metric) -> Row:
    row: dict[str, str | int | float] = {"MetricID": metric.value, "MetricName": _NAMES[metric]}
    if metric in _GOALS:
        row |= {"DefaultGoal": _GOALS[metric], "DefaultYellowFloorPct": _YELLOW_FLOOR}
    return row


@cache
def _year_rows(year: int) -> tuple[Row, ...]:
    """The rows of DimDate for a year's days; cached, because formatting dates is slow."""
    return tuple(_day_row(day) for day in _days(year))


def _day_row(day: date) -> Row:
    return {
        "Date": _at_midnight(day.isoformat()),
        "Year": day.year,
        "Month": day.month,
        "Day": day.day,
        "Quarter": (day.month - 1) // 3 + 1,
        "DayOfWeek": day.isoweekday(),
        "MonthName": calendar.month_name[day.month],
        "DayName": calendar.day_name[day.weekday()],
        "IsWeekend": day.isoweekday() > calendar.FRIDAY + 1,
    }


def _days(year: int) -> Iterable[date]:
    first = date(year, 1, 1)
    length = 366 if calendar.isleap(year) else 365
    return (first + timedelta(days=number) for number in range(length))


def _at_midnight(day: str) -> str:
    return f"{day}T00:00:00"


def _measures() -> list[dict[str, str]]:
    distinct = f"DISTINCTCOUNT({FACT_EVENT}[EventID])"
    return [
        {"name": "Events", "expression": distinct},
        *(
            {
                "name": name,
                "expression": f'CALCULATE({distinct}, {FACT_EVENT}[MetricID] = "{metric.value}")',
            }
            for metric, name in _NAMES.items()
        ),
    ]
