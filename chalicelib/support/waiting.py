"""The events of a ticket that wait for their turn at Richpanel, listed in table B (`once.order`)."""

from __future__ import annotations

from chalicelib.once.order import EventKeys
from chalicelib.support.state import ConversationState, States


class TicketLine:
    """The list of one ticket's waiting events, stored in table B, with which `once.order` works.

    Args:
        known: the conversation's state as it was read; None where there is none.
    """

    def __init__(
        self, states: States, conversation_id: str, known: ConversationState | None
    ) -> None:
        self._states = states
        self._conversation_id = conversation_id
        self.waiting: EventKeys = known.waiting if known is not None else ()

    def replace(self, waiting: EventKeys) -> None:
        """Store another list of waiting events; does nothing if it equals the list as it was read.

        Raises `TransientError` if another writer has changed the list since.
        """
        if list(waiting) != list(self.waiting):
            self._states.set_waiting(self._conversation_id, self.waiting, waiting)
            self.waiting = tuple(waiting)
