"""The sweep's follow-ups: reads tickets again a day after a decision in shadow would have answered them.

Each run looks at the next page of table B (a new container begins at the first) and queues
notifications for at most `MOST_A_RUN` tickets.  The worker reads such a ticket as for any
notification, and notes what people have done with it (`shadow_decisions.done_since`).  A decision
is followed up once.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from chalicelib.clock import iso, parsed
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.recovery.cursor import SweepCursor
from chalicelib.once.recovery.sweep import SweepActions
from chalicelib.once.store import Item
from chalicelib.support import keys as ticket_keys
from chalicelib.support import shadow_decisions
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.lost_tickets import SOURCE
from chalicelib.support.state import ConversationState, States

AFTER, UNTIL = timedelta(days=1), timedelta(days=14)
"""The age of a decision that is followed up."""
PAGE = 200
MOST_A_RUN = 5


@dataclass(slots=True, kw_only=True)
class ShadowFollowUps:
    """A `SweepPart` that has tickets read again a day after a decision in shadow, to see what people did.

    In shadow a message is judged and no reply is sent.  Only decisions that would have sent one
    count.
    """

    state: States
    clock: Clock
    _next: Item | None = None

    def run(self, cursor: SweepCursor, sweep: SweepActions, *, since: datetime) -> SweepCursor:
        """Queue a notification for each ticket that is due on the next page of table B.

        The cursor is returned unchanged, as this object itself remembers the page.
        """
        del since
        if sweep.has_time:
            found, self._next = self.state.page(self._next, limit=PAGE)
            for state in [known for known in found if self._is_due(known)][:MOST_A_RUN]:
                with sweep.guard("ticket"):
                    sweep.send_once(self._notification(state))
        return cursor

    def _is_due(self, known: ConversationState) -> bool:
        decided = shadow_decisions.decision_to_follow(known.decisions)
        at = parsed(decided["at"]) if decided else None
        if decided is None or at is None or decided["decision"] == shadow_decisions.PERSON:
            return False
        seen = known.people or {}
        if seen.get("event") == decided["event"] and seen["read"] >= iso(at + AFTER):
            return False
        return AFTER <= self.clock.now() - at <= UNTIL

    def _notification(self, known: ConversationState) -> TicketNotification:
        decided = shadow_decisions.decision_to_follow(known.decisions) or {}
        delivery = keys.digest("follow-up", known.conversation_id, str(decided.get("event")))[:32]
        key = ticket_keys.ticket_notification(known.conversation_id, delivery)
        return TicketNotification(
            event_key=key,
            conversation_id=known.conversation_id,
            received_at=iso(self.clock.now()),
            source=SOURCE,
            trace_id=keys.digest(key)[:16],
        )
