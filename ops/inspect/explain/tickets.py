"""Look-ups of tickets: by their id, and by an order that was looked up for one."""

from __future__ import annotations

from chalicelib.errors import MiddlewareError
from chalicelib.support import keys as ticket_keys
from chalicelib.support.orders.cache import newest_ticket
from ops.inspect.explain import scanning
from ops.inspect.explain.found import Found, Looking

NOT_SHOWN = "Richpanel did not show the ticket"


def ticket(looking: Looking, conversation_id: str) -> Found | None:
    """The events of a ticket's comments, which Richpanel lists, and those that its trail names."""
    found, notes = looking.reader.events_of(conversation_id), []
    try:
        shown = looking.session.services.richpanel.read_ticket(conversation_id)
    except MiddlewareError:
        if not looking.deep:
            notes.append(f"{NOT_SHOWN}: events without any action are listed with --deep only")
    else:
        theirs = [comment for comment in shown.comments if not comment.is_operator]
        found |= {ticket_keys.ticket_message(conversation_id, comment.id) for comment in theirs}
    if looking.deep:
        found |= scanning.of_conversation(looking, conversation_id)
    known = looking.session.services.state.read(conversation_id)
    state = {}
    if known is not None:
        state = {
            "last_intent": known.last_intent,
            "last_routed_team": known.last_routed_team,
            "last_message_at": known.last_message_at,
            "last_processed_at": known.last_processed_at,
        }
    return Found(
        conversation_id,
        frozenset(found),
        notes=tuple(notes),
        state=state,
        is_known=known is not None or bool(looking.reader.trail(conversation_id)),
    )


def order(looking: Looking, number: str) -> Found | None:
    """The newest ticket for which the shop was asked about an order."""
    try:
        opaque = looking.session.services.opaque_ids
    except MiddlewareError:  # the key of the hashes cannot be read
        return None
    key = ticket_keys.order_pointer(opaque.of("order", number.lstrip("#").lower()))
    conversation_id = newest_ticket(looking.session.ledger_table.get({"event_id": key}))
    if conversation_id is None:
        return None
    return ticket(looking, conversation_id)
