"""Whether the account that signed a form owns the number in the form, as far as the door knows.

This decides only in which FIFO group the job waits: another company that posts "from your recipient to
your number" under its own signature waits in a group of its own.  The worker decides with the company's
secret whether the message counts.
"""

from __future__ import annotations

from typing import TypeVar

from chalicelib.errors import TransientError
from chalicelib.once.ports import Clock
from chalicelib.outreach.jobs import DeliveryReceipt, InboundMessage
from chalicelib.outreach.senders import Senders

KEPT_SECONDS = 60.0
"""How long a container remembers a number's account."""
MOST_KEPT = 1000
"""Limit of numbers that a container remembers, as any account can name any number."""

_Job = TypeVar("_Job", InboundMessage, DeliveryReceipt)


class Owners:
    """Finds which Twilio account a number belongs to; keeps what the map of senders says for a minute."""

    def __init__(self, *, senders: Senders, clock: Clock) -> None:
        self._senders = senders
        self._clock = clock
        self._known: dict[str, tuple[float, str | None]] = {}

    def set_apart_unless_owned(self, job: _Job) -> _Job:
        """The job; marked `is_apart` where the account that signed it does not own the company's number.

        A marked job waits in the FIFO group of the signing account.  Where the map of senders
        cannot be read, the job stays unmarked, in its conversation's group.
        """
        try:
            account = self._account(job.sender)
        except TransientError:
            return job
        return job if account == job.account else job.model_copy(update={"is_apart": True})

    def _account(self, number: str) -> str | None:
        now = self._clock.monotonic()
        known = self._known.get(number)
        if known is not None and now - known[0] < KEPT_SECONDS:
            return known[1]
        owner = self._senders.owner_of(number)
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        account = owner.account if owner is not None else None
        self._known[number] = (now, account)
        return account
