"""The last look before a message leaves: at the register, at who has the conversation, at answers.

The look is a consistent read right before a request, beside the checks of the switches and the lease.
Waiting for the rate limit may come between look and request.  So a request that leaves more than two
seconds after its look began looks again: a do-not-contact mark is missed for two seconds at most.
"""

from __future__ import annotations

from chalicelib.errors import PermanentError, TransientError, WithdrawnError
from chalicelib.once.effects import DEADLINE_SECONDS
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.messages.purpose import Look

FRESH_SECONDS = 2.0
PERSON_ANSWERS = reasons.PERSON_ANSWERS
"""Reason of an automatic message that is not sent: a person has the conversation, or answered."""
ANSWERED = reasons.ANSWERED
"""Reason of a reminder, closing message or fallback that is not sent: the recipient has written."""
CONTINUED = reasons.CONTINUED
"""Reason of a first message that is not sent: a conversation on another channel took its place."""
GIVEN_WAY = frozenset({PERSON_ANSWERS, ANSWERED, CONTINUED})
"""Reasons for which a message is withdrawn (`WithdrawnError`) instead of refused."""
TRIES = 3
"""Limit of looks right before a request; if none is fresh, the table is slow and a later run tries again."""


def is_stopped(forbidden: str | None, look: Look) -> bool:
    """Whether the recipient's do-not-contact mark stops a message.

    `forbidden` is the mark's reason, None without a mark.  A mark for a possible opt-out that no person
    has decided (`DOUBT`) counts only where `look` includes it.
    """
    if forbidden == MarkReason.DOUBT and Look.DOUBT not in look:
        return False
    return Look.REGISTER in look and forbidden is not None


class LastLook:
    """Checks one last time, right before a message leaves, whether the message may still be sent."""

    def __init__(self, *, conversations: Conversations, clock: Clock) -> None:
        self._conversations = conversations
        self._clock = clock
        self._began: dict[str, float] = {}
        self._first: dict[str, float] = {}

    def take(
        self,
        record: Record,
        action_key: str,
        look: Look,
        planned_after: str,
    ) -> None:
        """Check now whether a message may still be sent.

        Args:
            record: the conversation as it was read before.
            action_key: the key of the sending action.
            look: the checks to make.
            planned_after: the newest act of a person when the message was planned.

        Raises:
            PermanentError: ``do_not_contact``: the message is not sent.
            WithdrawnError: ``person_answers``: a person has taken the conversation, or answered;
                ``recipient_answered``; ``continued``: another conversation has taken its place.
            TransientError: the register could not be read.
        """
        self._first = {action_key: self._clock.monotonic()}
        self._look(record, action_key, look, planned_after)

    def _look(self, record: Record, action_key: str, look: Look, planned_after: str) -> None:
        began = self._clock.monotonic()
        forbidden, now = self._conversations.look_before_send(record)
        if is_stopped(forbidden, look):
            raise PermanentError("conversations", "read", reason=DO_NOT_CONTACT)
        if Look.PERSON in look and now.person_act != planned_after:
            raise WithdrawnError("conversations", "read", reason=PERSON_ANSWERS)
        if Look.CONTINUED in look and now.is_continued:
            raise WithdrawnError("conversations", "read", reason=CONTINUED)
        if Look.ANSWERED in look and self._conversations.has_recipient_written(record):
            raise WithdrawnError("conversations", "read", reason=ANSWERED)
        self._began = {action_key: began}  # only one action is performed at a time

    def refresh(self, record: Record, action_key: str, look: Look, planned_after: str) -> None:
        """Check again whether a message may be sent, unless the last check is under two seconds old.

        Called right before the request leaves, with the arguments of `take`.  A worker that was
        paused for longer than `DEADLINE_SECONDS` since the first check sends nothing, as its lease
        may be over.

        Raises:
            PermanentError: ``do_not_contact``.
            WithdrawnError: a person or the recipient has written, or a fallback conversation took the
                place of this one.
            TransientError: the register could not be read in time, or the worker was paused.
        """
        began = self._first.get(action_key, self._clock.monotonic())
        for _ in range(TRIES):
            if self._is_fresh(action_key):
                break
            self._look(record, action_key, look, planned_after)
        is_late = self._clock.monotonic() - began > DEADLINE_SECONDS
        if is_late or not self._is_fresh(action_key):
            raise TransientError("conversations", "read", reason=reasons.SLOW_LOOK)

    def _is_fresh(self, action_key: str) -> bool:
        began = self._began.get(action_key)
        return began is not None and self._clock.monotonic() - began <= FRESH_SECONDS
