"""The events of a ticket that wait for their turn at Richpanel, listed in table B (`once.order`)."""

from __future__ import annotations

from chalicelib.once.order import EventKeys
from chalicelib.support.state import ConversationState, States


class TicketLine:
    """`once.order.Line` of one ticket.

    Args:
        known: the conversation's state as it was read.
    """

    def __init__(
        self, states: States, conversation_id: str, known: ConversationState | None
    ) -> None:
        self._states = states
        self._conversation_id = conversation_id
        self.waiting: EventKeys = known.waiting if known is not None else ()

    def replace(self, waiting: EventKeys) -> None:
        """Store another list in table B if it differs; raises `TransientError` if it has changed since."""
        if list(waiting) != list(self.waiting):
            self._states.set_waiting(self._conversation_id, self.waiting, waiting)
            self.waiting = tuple(waiting)
