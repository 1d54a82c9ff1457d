"""Makes an event wait: for its planned time, quiet hours, the rules of a place, or an earlier event.

The conversation's record lists the events that wait (`once.order`).  STOP, START, hand-offs and
what a person asks for do not wait for it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from chalicelib.clock import parsed
from chalicelib.once import order
from chalicelib.once.event import SCHEDULED
from chalicelib.once.flow import NotYet
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.order import EventKeys
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.preferring import preferences_of_person
from chalicelib.outreach.conversations.records import QUIET_HOURS, SEND_AT, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.conversations.subject import Subject
from chalicelib.outreach.jurisdictions.conversation_rules import ConversationRules
from chalicelib.outreach.jurisdictions.next_time import next_time
from chalicelib.outreach.messages.ending import Endings
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.project.rules import UnmetWishError
from chalicelib.outreach.project.unreadable import UnreadableQuietHoursError
from chalicelib.outreach.wishes.preference import Hours

UNREADABLE_WAIT_SECONDS = 1800.0
"""How often a setting of quiet hours that cannot be read is looked at again."""


class NotPermittedError(Exception):
    """A message may never be sent: the legal rules forbid it, or no hours remain that the recipient wishes.

    Attributes:
        reason: the reason code.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _RecordLine:
    """The list of waiting events that a conversation's record holds, for `once.order`."""

    conversations: Conversations
    record: Record

    @property
    def waiting(self) -> EventKeys:
        """The keys of the conversation's waiting events, oldest first."""
        return self.record.waiting

    def replace(self, waiting: EventKeys) -> None:
        """Store another list of the conversation's waiting events.

        Raises:
            TransientError: another writer has changed the list since the record was read.
        """
        self.conversations.set_waiting(self.record, waiting)


class ConversationOrder:
    """Keeps the order of a conversation's events: while one waits, later ones wait behind it."""

    def __init__(self, *, conversations: Conversations, ledger: Ledger, clock: Clock) -> None:
        self._conversations = conversations
        self._in_order = order.InOrder(ledger=ledger, clock=clock)

    def wait(self, record: Record, event_key: str, until: datetime, reason: str) -> None:
        """Let an event, and later ones of its conversation, wait until a time; always raises.

        Raises:
            NotYet: always; it says when the event comes back.
        """
        raise NotYet(reason, self.let_wait(record, event_key, until.timestamp()))

    def let_wait(self, record: Record, event_key: str, until_epoch: float) -> float:
        """List an event as waiting until a time; returns the time at which it comes back.

        The given and the returned time are epoch seconds.
        """
        return self._in_order.join(self._line(record), event_key, until_epoch)

    def check(self, record: Record, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            NotYet: this event waits behind the earlier one.
        """
        self._in_order.check(self._line(record), event_key)

    def _line(self, record: Record) -> _RecordLine:
        return _RecordLine(self._conversations, record)


class WaitingEvents:
    """Makes events wait for planned times, quiet hours and legal rules.

    Args:
        in_order: keeps the order of a conversation while an event of it waits.
        current: gives a project's settings as they are now.
    """

    def __init__(
        self,
        *,
        in_order: ConversationOrder,
        endings: Endings,
        clock: Clock,
        current: Callable[[Record], Project],
    ) -> None:
        self.in_order = in_order
        self._endings = endings
        self._clock = clock
        self._current = current
        self._rules = ConversationRules(endings.conversations)

    def wait_until_send_at(self, record: Record) -> None:
        """Let a start wait for the time at which the company wants its first message sent.

        Meanwhile no later event waits behind the start, and it does not count as in progress, as it
        may wait for weeks.

        Raises:
            NotYet: that time has not come.
        """
        at = parsed(record.item.get(SEND_AT))
        if at is not None and at > self._clock.now():
            self._endings.free_start(record)
            raise NotYet(SCHEDULED, at.timestamp())

    def wait_out_quiet_hours(
        self,
        record: Record,
        event_key: str,
        *,
        wished: Hours | None = None,
        is_in_line: bool = True,
    ) -> None:
        """Let an event wait during quiet hours, or outside the hours that the recipient wishes.

        Where the conversation's quiet hours are unreadable, the project's current ones are read;
        where those are unreadable too, the event waits.

        Args:
            record: the conversation.
            event_key: key of the event that waits.
            wished: the hours that the recipient asked for; None where they have just asked for the
                message.
            is_in_line: later events of the conversation wait behind it.

        Raises:
            NotYet: it waits.
            NotPermittedError: quiet hours leave nothing of the wished hours.
        """
        now = self._clock.now()
        reason: str = QUIET_HOURS
        try:
            readable = self._with_readable_hours(record, now)
            until = rules.quiet_until(readable, now, wished)
            if until is not None and rules.quiet_until(readable, now) is None:
                reason = reasons.QUIET_HOURS_WISHED
        except UnmetWishError:
            raise NotPermittedError(reasons.WISH_UNMET) from None
        except UnreadableQuietHoursError:
            until = now + timedelta(seconds=UNREADABLE_WAIT_SECONDS)
            reason = f"{QUIET_HOURS}_unreadable"
        if until is None:
            return
        if not is_in_line:
            raise NotYet(reason, until.timestamp())
        if wished is not None:
            self._endings.free_start(
                record
            )  # a start that waits, perhaps for days, does not count as in progress
        self.in_order.wait(record, event_key, until, reason)

    def wait_by_rules(
        self,
        record: Record,
        event_key: str,
        subjects: Sequence[Subject],
        *,
        is_opening: bool,
        is_in_line: bool = True,
    ) -> tuple[str, ...]:
        """Let an unsolicited message wait until the legal rules of its recipient's place allow it.

        Args:
            record: the conversation.
            event_key: key of the event that waits.
            subjects: the recipient's records, as read from the register.
            is_opening: the message is the first, not a reminder or an end message.
            is_in_line: later events of the conversation wait behind this event.

        Returns:
            The rule files that allow the message now, with their versions.

        Raises:
            NotYet: the message waits.
            NotPermittedError: waiting does not help.
        """
        now = self._clock.now()
        found = self._rules.permission(record, now, is_opening=is_opening, subjects=subjects)
        if found.allowed:
            return found.stamps
        code = found.why[0]
        if found.next_at is None:
            raise NotPermittedError(code)
        wished = preferences_of_person(subjects).hours
        if wished is not None and not self._is_ever(record, now, subjects, is_opening=is_opening):
            raise NotPermittedError(reasons.WISH_UNMET)
        if is_opening:
            self._endings.free_start(
                record
            )  # a start that waits, perhaps for days, does not count as in progress
        if not is_in_line:
            raise NotYet(code, found.next_at.timestamp())
        self.in_order.wait(record, event_key, found.next_at, code)
        return ()

    def _is_ever(
        self, record: Record, now: datetime, subjects: Sequence[Subject], *, is_opening: bool
    ) -> bool:
        """Whether a time comes, within 60 days, that both the rules and the recipient's wish allow."""
        found = next_time(self._rules, record, now, subjects, is_opening=is_opening)
        return found is not None

    def _with_readable_hours(self, record: Record, now: datetime) -> Record:
        """The record with its project's current quiet hours, if its own copy of them cannot be read."""
        try:
            rules.quiet_until(record, now)
        except UnreadableQuietHoursError:
            return rules.with_current_quiet_hours(record, self._current(record))
        return record
