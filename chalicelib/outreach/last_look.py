"""The last look at the register before a message leaves.

It is a consistent read and part of the checks right before a request, with the switches and the lease.
What comes between, such as waiting for the rate limit, may take long: a request that leaves more than
two seconds after its look began looks again.  So no send leaves whose last look began after a mark
was written, and a mark is missed for two seconds at most.
"""

from __future__ import annotations

from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.ports import Clock
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Record
from chalicelib.outreach.conversations.store import Conversations

FRESH_SECONDS = 2.0
TRIES = 3
"""Looks right before a request; a table that is slower than this is read again by a later run."""


class LastLook:
    """Looks, and knows when it did."""

    def __init__(self, conversations: Conversations, clock: Clock) -> None:
        self._conversations = conversations
        self._clock = clock
        self._began: dict[str, float] = {}

    def take(self, record: Record, action_key: str) -> None:
        """Look now.

        Raises:
            PermanentError: ``do_not_contact``: the message is not sent.
            TransientError: the register could not be read.
        """
        began = self._clock.monotonic()
        if self._conversations.forbids(record) is not None:
            raise PermanentError("conversations", "read", reason=DO_NOT_CONTACT)
        self._began = {action_key: began}  # of the one action that is being performed

    def refresh(self, record: Record, action_key: str) -> None:
        """Look again unless the last look is fresh; called when the request is about to leave.

        Raises:
            PermanentError: see `take`.
            TransientError: the register could not be read, or only slowly.
        """
        for _ in range(TRIES):
            if self._is_fresh(action_key):
                return
            self.take(record, action_key)
        if not self._is_fresh(action_key):
            raise TransientError("conversations", "read", reason="slow_look")

    def _is_fresh(self, action_key: str) -> bool:
        began = self._began.get(action_key)
        return began is not None and self._clock.monotonic() - began <= FRESH_SECONDS
