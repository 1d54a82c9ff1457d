"""Look-ups of what is a key of the ledgers already: events, actions, facts."""

from __future__ import annotations

from ops.inspect.explain.found import Looking, LookupResult

_UNCLAIMED = "it has no row: no worker took its message, which is a dead letter; see `dlq show`"


def action(looking: Looking, key: str) -> LookupResult | None:
    """An action's event."""
    rows = looking.reader.rows([key])
    return LookupResult(key, frozenset({str(rows[0]["event_key"])})) if rows else None


def event(looking: Looking, key: str) -> LookupResult:
    """An event; without a row, a dead letter may be all that there is of it."""
    if looking.reader.rows([key]):
        return LookupResult(key, frozenset({key}))
    letters = looking.reader.dead_letters
    if letters.has(key):
        return LookupResult(key, notes=(_UNCLAIMED,), is_known=True)
    return LookupResult(key, unasked=letters.unasked)


def fact(looking: Looking, key: str) -> LookupResult | None:
    """A fact of the report."""
    row = looking.session.services.facts.ledger.row(key)
    return LookupResult(key, facts=(row,)) if row is not None and "metric" in row else None
