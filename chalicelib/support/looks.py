"""Which notifications need a look at their ticket, so that a burst of them costs few reads.

A notification says only that its ticket has changed, and a read may not show the change yet.  A look
is one read of a ticket and the processing of every event that it showed.  Table B keeps when the last
look began::

    the look began LOOK_AFTER_SECONDS after the receipt, or later   covered: ends without a read
    it began after the receipt, but not that much later             waits until then: the look has
                                                                    most likely shown the comment
    it began before the receipt, or there is none                   reads now

Waiting notifications come back at common moments, so that the first one's look covers the others.  A
failed read, and a look whose events have not all ended, cover nothing: they are not noted.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from chalicelib.clock import parsed
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent, NotYet
from chalicelib.once.job import Recovery
from chalicelib.once.ports import Clock
from chalicelib.support import reasons as why
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.state import ConversationState, States
from chalicelib.support.tickets import Ticket
from chalicelib.support.waiting import TicketLine

READ_LAG_SECONDS = 30
"""How long it may take until a ticket shows a comment that its webhook has reported."""
CLOCK_SKEW_SECONDS = 120
"""How far the clocks of the door and of a worker may be apart; leases assume the same."""
LOOK_AFTER_SECONDS = READ_LAG_SECONDS + CLOCK_SKEW_SECONDS
"""A read that begins this long after a notification's receipt shows the reported comment."""
TOGETHER_SECONDS = 30
"""Waiting notifications come back at multiples of this."""

_MAY_BE_COVERED: Mapping[Recovery | None, bool] = {None: True, Recovery.SWEEP: True}


@dataclass(frozen=True, slots=True)
class TicketLook:
    """One read of a ticket for a notification, with the ticket as the read showed it.

    Attributes:
        began: when the read began.
        known: the conversation's state when the read began; None before the first contact.
    """

    began: datetime
    ticket: Ticket
    known: ConversationState | None


@dataclass(slots=True, kw_only=True)
class Looks:
    """Decides which notifications need a read of their ticket, and stores when a finished read began.

    A read that began late enough after a notification's receipt covers that notification.
    """

    state: States
    clock: Clock
    _begun: dict[str, TicketLook] = field(default_factory=dict)

    def state_if_read_needed(self, job: TicketNotification) -> ConversationState | None:
        """Decide whether a notification needs a read of its ticket now.

        If it does, returns the conversation's state, or None before the first contact.

        Raises:
            NotAnEvent: a finished read of the ticket covers the notification.
            NotYet: a finished read most likely covers the notification; the next read is due later.
        """
        known = self.state.read(job.conversation_id)
        looked = parsed(known.looked_at) if known is not None else None
        received = parsed(job.received_at)
        if looked is None or received is None or not _MAY_BE_COVERED.get(job.recovery):
            return known
        covers = received.timestamp() + LOOK_AFTER_SECONDS
        if looked.timestamp() >= covers:
            raise NotAnEvent(EventStatus.PROCESSED, why.COVERED)
        if looked > received and self.clock.now().timestamp() < covers:
            raise NotYet(why.LOOK_DUE, math.ceil(covers / TOGETHER_SECONDS) * TOGETHER_SECONDS)
        return known

    def waiting_line(self, conversation_id: str, known: ConversationState | None) -> TicketLine:
        """The list of a ticket's waiting events, in order, with which `once.order` works."""
        return TicketLine(self.state, conversation_id, known)

    def remember_look(self, job: TicketNotification, look: TicketLook) -> None:
        """Remember a job's read of its ticket, until the job's events have ended."""
        self._begun = {job.event_key: look}

    def store_look(self, job: TicketNotification) -> TicketLook | None:
        """Store in table B when a job's read of its ticket began.

        It is called when every event of that read has ended or waits.  Returns the read; None where
        the job read nothing.
        """
        look = self._begun.pop(job.event_key, None)
        if look is not None:
            self.state.store_look_time(job.conversation_id, look.began)
        return look
