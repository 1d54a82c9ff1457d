"""How a project answers: the quiet period before an answer, and the limit of answers to a recipient.

Optional settings of a project, all with defaults (`fields.AnsweringSetting`)::

    answering   {"quiet_period_seconds": 10, "answers_per_hour": 10, "answers_per_day": 30}

Quick messages of one person get one answer.  Each message waits for the quiet period.  If another
one follows within it, the earlier message's event ends; the newest message is answered, for all of
them. Nothing is stored for that: the conversation shows what followed a message, and each message
has its own event, so one event is always left to answer.  With a quiet period of 0 each message
gets its own answer.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from chalicelib.clock import parsed
from chalicelib.once import keys
from chalicelib.once.allowances import Allowances, Limit
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent, NotYet
from chalicelib.once.ports import Clock
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.records import HELP, OPT_OUT, UNSAID, Entry, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.project.project import Project

TOGETHER = reasons.TOGETHER
"""The reason of a message whose answer is the one to a newer message."""
QUIET_PERIOD = reasons.QUIET_PERIOD
"""The reason of a message that waits for the quiet period."""
MOST_WAITED = timedelta(seconds=60)
"""No message waits longer than this, however many follow."""
MOST_READ = 50
"""Entries that are read; a message older than these has been followed by others."""
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_NOT_ANSWERED = UNSAID | {OPT_OUT, HELP}
"""Notes of messages whose own answer does not also answer an earlier message."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPace:
    """Decides when a recipient's message is answered, and whether the limit of answers allows it.

    Args:
        current: gives a conversation's project as it is now.
    """

    conversations: Conversations
    allowances: Allowances
    clock: Clock
    opaque: Callable[[], keys.OpaqueIds]
    current: Callable[[Record], Project]

    def check_quiet_period(self, record: Record, message_id: str, received_at: str) -> None:
        """Check that a message's quiet period is over, and that no newer message is answered in its place.

        The message may be answered now if nothing is raised.

        Raises:
            NotYet: another message may follow.
            NotAnEvent: another one has followed and is answered instead.
        """
        quiet = self.current(record).answering.quiet_period_seconds
        if not quiet:
            return
        entries = self.conversations.newest_entries(record, MOST_READ)
        if any(entry.note not in _NOT_ANSWERED for entry in _after(entries, message_id)):
            raise NotAnEvent(EventStatus.PROCESSED, TOGETHER)
        due = _due(entries, received_at, timedelta(seconds=quiet))
        if due is not None and self.clock.now() < due:
            raise NotYet(QUIET_PERIOD, due.timestamp())

    def count_answer(self, record: Record, by: str) -> str | None:
        """Count an answer to a recipient, once per key, and return None.

        Where a limit is reached already, count nothing and return the limit's code.

        Args:
            record: the conversation.
            by: the key of the answer.

        Raises:
            TransientError: it could not be counted.
        """
        setting = self.current(record).answering
        limits = (
            Limit(reasons.ANSWERS_PER_HOUR, setting.answers_per_hour, _HOUR),
            Limit(reasons.ANSWERS_PER_DAY, setting.answers_per_day, _DAY),
        )
        recipient = self.opaque().of("answers", record.company_id, record.primary_channel)
        return self.allowances.take("answers:recipient", recipient, by, limits)


def _after(entries: Sequence[Entry], message_id: str) -> Sequence[Entry]:
    """The recipient's messages after the message with a given id; all of them if none has that id."""
    at = next((n for n, entry in enumerate(entries) if entry.entry_id == message_id), -1)
    return [entry for entry in entries[at + 1 :] if entry.role == "user"]


def _due(entries: Sequence[Entry], received_at: str, quiet: timedelta) -> datetime | None:
    """The time at which the newest message is to be answered; None where its own time is unreadable.

    That is after its quiet period, at the latest `MOST_WAITED` after the first unanswered message.
    """
    received = parsed(received_at)
    if received is None:
        return None
    unanswered = itertools.takewhile(lambda entry: entry.role == "user", reversed(entries))
    times = [parsed(entry.message_timestamp) for entry in unanswered]
    first = min((time for time in times if time is not None), default=received)
    return min(received + quiet, first + MOST_WAITED)
