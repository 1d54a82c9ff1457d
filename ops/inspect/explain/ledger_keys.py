"""Look-ups by keys of the ledgers: events, actions, facts."""

from __future__ import annotations

from ops.inspect.explain.found import Looking, LookupResult

_UNCLAIMED = "it has no row: no worker took its message, which is a dead letter; see `dlq show`"


def action(looking: Looking, key: str) -> LookupResult | None:
    """Look up an action's key: finds its event."""
    rows = looking.reader.rows([key])
    return LookupResult(key, frozenset({str(rows[0]["event_key"])})) if rows else None


def event(looking: Looking, key: str) -> LookupResult:
    """Look up an event's key; an event without a row may exist as a dead letter."""
    if looking.reader.rows([key]):
        return LookupResult(key, frozenset({key}))
    letters = looking.reader.dead_letters
    if letters.has(key):
        return LookupResult(key, notes=(_UNCLAIMED,), is_known=True)
    return LookupResult(key, unasked=letters.unasked)


def fact(looking: Looking, key: str) -> LookupResult | None:
    """Look up a fact's key in the facts' ledger."""
    row = looking.session.services.facts.ledger.row(key)
    return LookupResult(key, facts=(row,)) if row is not None and "metric" in row else None
