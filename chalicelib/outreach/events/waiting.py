"""When an event waits: for its time, quiet hours, the rules of a place, behind an earlier one.

The conversation's record lists the events that wait (`once.order`).  STOP, START, hand-offs and what
a person asks for never look at it.
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
from chalicelib.outreach.conversations.preferring import preferred
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
    """The rules of the recipient's place forbid a message for good.

    Attributes:
        reason: a fixed code.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class _RecordLine:
    """The list in a conversation's record."""

    conversations: Conversations
    record: Record

    @property
    def waiting(self) -> EventKeys:
        """See `once.order.Line`."""
        return self.record.waiting

    def replace(self, waiting: EventKeys) -> None:
        """See `once.order.Line`."""
        self.conversations.set_waiting(self.record, waiting)


class ConversationOrder:
    """Lets the events of a conversation run one after another, whichever of them waits."""

    def __init__(self, *, conversations: Conversations, ledger: Ledger, clock: Clock) -> None:
        self._conversations = conversations
        self._in_order = order.InOrder(ledger=ledger, clock=clock)

    def wait(self, record: Record, event_key: str, until: datetime, reason: str) -> None:
        """Let an event wait until a time.

        Raises:
            NotYet: always.
        """
        raise NotYet(reason, self.let_wait(record, event_key, until.timestamp()))

    def let_wait(self, record: Record, event_key: str, until_epoch: float) -> float:
        """List an event that waits until a time; returns when it comes."""
        return self._in_order.join(self._line(record), event_key, until_epoch)

    def check(self, record: Record, event_key: str) -> None:
        """Let an event run, unless an earlier one of its conversation waits.

        Raises:
            NotYet: it has joined behind that one.
        """
        self._in_order.check(self._line(record), event_key)

    def _line(self, record: Record) -> _RecordLine:
        return _RecordLine(self._conversations, record)


class WaitingEvents:
    """Lets the events of conversations wait.

    Args:
        in_order: keeps the order of a conversation while an event of it waits.
        current: a project's settings as they are now.
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

    def until_send_at(self, record: Record) -> None:
        """Raise `NotYet` before the time at which the company wants the first message sent.

        No other event waits behind it, and the start is in progress no more: it may wait for weeks.
        """
        at = parsed(record.item.get(SEND_AT))
        if at is not None and at > self._clock.now():
            self._endings.free(record)
            raise NotYet(SCHEDULED, at.timestamp())

    def out_quiet_hours(
        self,
        record: Record,
        event_key: str,
        *,
        wished: Hours | None = None,
        is_in_line: bool = True,
    ) -> None:
        """Raise `NotYet` in quiet hours, at a time at which the recipient wants no message, or unreadable.

        Then the project's current setting is read, which an operator may have corrected.

        Args:
            record: the conversation.
            event_key: of the event that waits.
            wished: the hours that the recipient asked for, where they have not just asked for the message.
            is_in_line: later events of the conversation wait behind it.

        Raises:
            NotPermittedError: those hours never come.
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
            self._endings.free(record)  # it may wait for days, and is in progress no more
        self.in_order.wait(record, event_key, until, reason)

    def by_rules(
        self,
        record: Record,
        event_key: str,
        subjects: Sequence[Subject],
        *,
        is_opening: bool,
        is_in_line: bool = True,
    ) -> tuple[str, ...]:
        """Let a message that its recipient has not asked for wait until the rules of their place allow it.

        Args:
            record: the conversation.
            event_key: of the event that waits.
            subjects: of the recipient, as the look at the register found them.
            is_opening: it is the first message, and not a reminder or an end.
            is_in_line: later events of the conversation wait behind it.

        Returns:
            The rules that allow it now, with their versions.

        Raises:
            NotYet: it waits.
            NotPermittedError: time alone changes nothing.
        """
        now = self._clock.now()
        found = self._rules.permission(record, now, is_opening=is_opening, subjects=subjects)
        if found.allowed:
            return found.stamps
        code = found.why[0]
        if found.next_at is None:
            raise NotPermittedError(code)
        wished = preferred(subjects).hours
        if wished is not None and not self._is_ever(record, now, subjects, is_opening=is_opening):
            raise NotPermittedError(reasons.WISH_UNMET)
        if is_opening:
            self._endings.free(record)  # it may wait for days, and is in progress no more
        if not is_in_line:
            raise NotYet(code, found.next_at.timestamp())
        self.in_order.wait(record, event_key, found.next_at, code)
        return ()

    def _is_ever(
        self, record: Record, now: datetime, subjects: Sequence[Subject], *, is_opening: bool
    ) -> bool:
        """Whether a time comes that both the rules and the recipient's wish allow."""
        found = next_time(self._rules, record, now, subjects, is_opening=is_opening)
        return found is not None

    def _with_readable_hours(self, record: Record, now: datetime) -> Record:
        """The record, with its project's current setting if its own copy cannot be read."""
        try:
            rules.quiet_until(record, now)
        except UnreadableQuietHoursError:
            return rules.with_hours_of(record, self._current(record))
        return record
