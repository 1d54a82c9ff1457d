"""Queries of CloudWatch Logs Insights, for what only the logs have."""

from __future__ import annotations


def of_trace(trace_id: object) -> str | None:
    """Every line of an event; None without a trace id."""
    return query(f'mw_trace_id = "{trace_id}"') if trace_id else None


def query(condition: str) -> str:
    """The lines of a condition, in their order."""
    return (
        "fields @timestamp, event, reason, http_status, mw_trace_id"
        f" | filter {condition} | sort @timestamp"
    )
