"""Look-ups of what is a key of the ledgers already: events, actions, facts."""

from __future__ import annotations

from ops.inspect.explain.found import Found, Looking


def action(looking: Looking, key: str) -> Found:
    """An action's event; raises `OpsError` where there is no such action."""
    return Found(key, frozenset({str(looking.session.row(key)["event_key"])}))


def event(looking: Looking, key: str) -> Found:
    """An event; raises `OpsError` where there is none."""
    return Found(str(looking.session.row(key)["event_id"]), frozenset({key}))


def fact(looking: Looking, key: str) -> Found | None:
    """A fact of the report."""
    row = looking.session.services.fact_ledger.row(key)
    return Found(key, facts=(row,)) if row is not None and "metric" in row else None
