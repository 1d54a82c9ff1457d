"""Look-ups of tickets: by id, by customer, and by an order that was looked up for them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from chalicelib.errors import MiddlewareError, ProviderError, reason_of
from chalicelib.support import keys as ticket_keys
from ops.inspect.explain import scanning
from ops.inspect.explain.found import Looking, LookupResult
from ops.inspect.explain.nothing import Unasked

NOT_SHOWN = "Richpanel did not show the ticket"
MOST_TICKETS = 20
"""The most tickets of one customer that are looked up."""
_NUMBER = re.compile(r"\d{1,9}")
_BY_ID = "paste the ticket's number"
_NONE = 404
"""HTTP status: Richpanel answered that it has no such ticket."""


def ticket(looking: Looking, conversation_id: str) -> LookupResult | None:
    """Look up a ticket by its id, or by the number that people see."""
    result = _of_id(looking, conversation_id)
    if (
        result.event_keys
        or result.state
        or result.is_known
        or not _NUMBER.fullmatch(conversation_id)
    ):
        return result
    try:
        shown = looking.session.services.support.richpanel.read_ticket_by_number(
            int(conversation_id)
        )
    except MiddlewareError:  # `result.unasked` names Richpanel already
        return result
    return _of_id(looking, shown.id) if shown is not None else result


def _of_id(looking: Looking, conversation_id: str) -> LookupResult:
    """Collect a ticket's events: from the comments that Richpanel lists and from its trail."""
    found, unasked = _stored(looking, conversation_id), []
    notes: tuple[str, ...] = ()
    try:
        shown = looking.session.services.support.richpanel.read_ticket(conversation_id)
    except MiddlewareError as error:
        notes = (f"{NOT_SHOWN}: events that ended without an action need --deep",)
        if not (isinstance(error, ProviderError) and error.status == _NONE):
            because = f"it did not show the ticket ({reason_of(error)})"
            unasked.append(Unasked("Richpanel", because, "try again when it answers"))
    else:
        theirs = [comment for comment in shown.comments if not comment.is_operator]
        found |= {ticket_keys.ticket_message(conversation_id, comment.id) for comment in theirs}
    if looking.deep:  # every row is read, so Richpanel's list does not matter
        found, unasked, notes = found | scanning.of_conversation(looking, conversation_id), [], ()
    else:
        unasked += [scanning.unasked(scanning.IN_NO_INDEX), *looking.reader.unfinished.unasked]
    known = looking.session.services.support.state.read(conversation_id)
    state = {}
    if known is not None:
        state = {
            "last_intent": known.last_intent,
            "last_routed_team": known.last_routed_team,
            "last_message_at": known.last_message_at,
            "last_processed_at": known.last_processed_at,
            "requests": [_request(request) for request in known.requests],
        }
    return LookupResult(
        conversation_id,
        frozenset(found),
        notes=notes,
        state=state,
        is_known=known is not None or bool(looking.reader.trail(conversation_id)),
        unasked=tuple(unasked),
    )


def of_customer(looking: Looking, address: str) -> LookupResult:
    """Look up the tickets that Richpanel lists for a customer's address: one call, no ticket is read."""
    listed = looking.session.services.support.richpanel.ticket_ids_of_customer
    try:
        ids = listed("email" if "@" in address else "phone", address)
    except MiddlewareError as error:
        because = f"it did not list the customer's tickets ({reason_of(error)})"
        return LookupResult(address, unasked=(Unasked("Richpanel", because, _BY_ID),))
    events: set[str] = set()
    for id_ in ids[:MOST_TICKETS]:
        events |= _stored(looking, id_)
        events |= scanning.of_conversation(looking, id_) if looking.deep else set()
    unasked = []
    if ids and not looking.deep:
        unasked = [scanning.unasked(scanning.IN_NO_INDEX), *looking.reader.unfinished.unasked]
    if (more := len(ids) - MOST_TICKETS) > 0:
        unasked.append(Unasked(f"{more} further tickets", f"only {MOST_TICKETS} were read", _BY_ID))
    return LookupResult(address, frozenset(events), unasked=tuple(unasked))


def _stored(looking: Looking, conversation_id: str) -> set[str]:
    """The keys of a ticket's events in its trail, and of its unfinished events."""
    ours = ticket_keys.ticket_message(conversation_id, "")
    unfinished = {key for key in looking.reader.unfinished.keys if key.startswith(ours)}
    return unfinished | looking.reader.events_of(conversation_id)


def _request(stored: Mapping[str, Any]) -> str:
    """A line on a customer's request, with the order as a keyed id."""
    about = f", order {stored['order']}" if stored.get("order") else ""
    return f"{stored.get('kind')} {stored.get('state')} since {stored.get('at')}{about}"


def order(looking: Looking, number: str) -> LookupResult | None:
    """Look up the tickets for which the shop was asked about an order.

    Rows hold an order's number as a keyed hash after the ticket's id.  No index has it, because the
    index would cost every answered event a write.  So only `--deep` finds it.
    """
    if not looking.deep:
        return LookupResult("an order", unasked=(scanning.unasked("tickets by an order"),))
    try:
        opaque = looking.session.services.opaque_ids
    except MiddlewareError:  # the key of the keyed hashes cannot be read
        return None
    hashed = opaque.of("order", number.lstrip("#").lower())
    asked = sorted(scanning.of_order(looking, hashed))
    events = {key for ticket in asked for key in looking.reader.events_of(ticket)}
    return LookupResult(
        "an order", frozenset(events), notes=tuple(f"ticket {ticket}" for ticket in asked)
    )
