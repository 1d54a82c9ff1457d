"""The port `support.tickets.Tickets` with one ticket on it."""

from chalicelib.errors import PermanentError
from chalicelib.support.tickets import Ticket


class OneTicket:
    """Ticket 1042 with the comments that a test sets; `reads` counts how often it is read."""

    def __init__(self, *comments, tags=frozenset()):
        self.comments, self.tags, self.is_gone, self.reads = comments, tags, False, 0

    def read_ticket(self, conversation_id):
        assert conversation_id == "1042"
        self.reads += 1
        if self.is_gone:
            raise PermanentError("richpanel", "read_ticket", status=404)
        return Ticket(conversation_id, "OPEN", self.tags, tuple(self.comments))
