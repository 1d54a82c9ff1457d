"""How a project answers: the quiet period before an answer, and how many a recipient may get.

Optional settings of a project, all with defaults (`fields.AnsweringSetting`)::

    answering   {"quiet_period_seconds": 10, "answers_per_hour": 10, "answers_per_day": 30}

Quick messages of one person are answered together.  A message waits for the quiet period; one that
was followed by another within it ends, and the newest of them is answered, from all of them.
Nothing is stored for that: the conversation itself shows what came after a message, and each
message has its own event, so that one of them is always left to answer.  A quiet period of 0 answers
each message on its own.
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
"""Reason of a message that is answered with a newer one."""
QUIET_PERIOD = reasons.QUIET_PERIOD
"""Reason of the wait."""
MOST_WAITED = timedelta(seconds=60)
"""However many follow, a message is not kept waiting for longer."""
MOST_READ = 50
"""Entries; a message before them has been followed by others."""
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_NOT_ANSWERED = UNSAID | {OPT_OUT, HELP}
"""Notes on messages that get no answer which would cover an earlier one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPace:
    """When a message is answered, and whether it may be.

    Args:
        current: a project's settings as they are now.
    """

    conversations: Conversations
    allowances: Allowances
    clock: Clock
    opaque: Callable[[], keys.OpaqueIds]
    current: Callable[[Record], Project]

    def wait(self, record: Record, message_id: str, received_at: str) -> None:
        """Let a message be answered with those that follow it closely.

        Raises:
            NotYet: another may follow it.
            NotAnEvent: one has followed it, and is answered instead.
        """
        quiet = self.current(record).answering.quiet_period_seconds
        if not quiet:
            return
        entries = self.conversations.newest(record, MOST_READ)
        if any(one.note not in _NOT_ANSWERED for one in _after(entries, message_id)):
            raise NotAnEvent(EventStatus.PROCESSED, TOGETHER)
        due = _due(entries, received_at, timedelta(seconds=quiet))
        if due is not None and self.clock.now() < due:
            raise NotYet(QUIET_PERIOD, due.timestamp())

    def take(self, record: Record, by: str) -> str | None:
        """Count an answer to a recipient, once; the name of the limit that is reached, if one is.

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
    """What the recipient wrote after a message; one that is not among the entries is older."""
    at = next((n for n, one in enumerate(entries) if one.entry_id == message_id), -1)
    return [one for one in entries[at + 1 :] if one.role == "user"]


def _due(entries: Sequence[Entry], received_at: str, quiet: timedelta) -> datetime | None:
    """When the newest message is answered: after its quiet period, or as the first has waited enough."""
    received = parsed(received_at)
    if received is None:
        return None
    unanswered = itertools.takewhile(lambda one: one.role == "user", reversed(entries))
    times = [parsed(one.message_timestamp) for one in unanswered]
    first = min((one for one in times if one is not None), default=received)
    return min(received + quiet, first + MOST_WAITED)
