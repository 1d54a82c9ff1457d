"""Builds queries of CloudWatch Logs Insights, for what only the logs hold."""

from __future__ import annotations


def of_trace(trace_id: object) -> str | None:
    """A query for every line of an event; None without a trace id."""
    return query(f'mw_trace_id = "{trace_id}"') if trace_id else None


def query(condition: str) -> str:
    """A query for the lines that match a condition, in order of time."""
    return (
        "fields @timestamp, event, reason, http_status, mw_trace_id"
        f" | filter {condition} | sort @timestamp"
    )
