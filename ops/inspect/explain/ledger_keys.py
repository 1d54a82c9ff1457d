"""Look-ups of what is a key of the ledgers already: events, actions, facts."""

from __future__ import annotations

from ops.inspect import whereabouts
from ops.inspect.explain.found import Looking, LookupResult
from ops.session import OpsError


def action(looking: Looking, key: str) -> LookupResult:
    """An action's event; raises `OpsError` where there is no such action."""
    return LookupResult(key, frozenset({str(looking.session.row(key)["event_key"])}))


def event(looking: Looking, key: str) -> LookupResult:
    """An event; without a row, what can be known of one that only the queue has.

    Raises:
        OpsError: it has no row and the queues are empty, so it is not there either.
    """
    if looking.reader.rows([key]):
        return LookupResult(key, frozenset({key}))
    known = whereabouts.without_row(looking.session)
    if not known["may_be_queued"]:
        raise OpsError(
            f"no such event: {key}; it has no row and the queue is empty"
            f" (dead letters: {sum(known['dead_letters'].values())}, see `dlq list`)"
        )
    note = (
        "it has no row yet: if it was accepted, it is on the queue and waits for its turn."
        " Not known: whether this id was accepted, and its place in the queue; see the door's log"
    )
    return LookupResult(key, notes=(note,), state=known, is_known=True)


def fact(looking: Looking, key: str) -> LookupResult | None:
    """A fact of the report."""
    row = looking.session.services.facts.ledger.row(key)
    return LookupResult(key, facts=(row,)) if row is not None and "metric" in row else None
