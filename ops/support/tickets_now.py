"""Reads back from Richpanel, at a low rate, what agents did with the report's tickets.

Texts are read only to recognise a complaint after an automatic answer; none is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from chalicelib.clock import parsed
from chalicelib.errors import PermanentError
from chalicelib.support.configuration.applied import Rules
from chalicelib.support.intents import message_reading
from chalicelib.support.routing import INTENT_TAG
from chalicelib.support.shadow_decisions import Record, done_since
from chalicelib.support.tickets import Comment, Ticket
from ops.inspect.ledger_rows import LoopPace
from ops.session import Session
from ops.support.decided import Decided

MOST = 200
"""The most tickets read in one run."""


@dataclass(frozen=True, slots=True)
class Now:
    """A ticket as it is now, beside the newest decision on it.

    Attributes:
        department: the department that has it now; None if unknown.
        tagged_otherwise: the tag of our intent is gone, because agents changed it.
        wrote_again: the customer wrote after the automatic reply.
        complained: what the customer then wrote was a complaint.
        first_answer: how long the customer waited for an agent's first answer.
        done: what agents have done since a decision made in shadow mode.
    """

    decided: Decided
    url: str | None
    department: str | None
    tagged_otherwise: bool
    reopened: bool
    wrote_again: bool
    complained: bool
    first_answer: timedelta | None
    done: Record | None = None

    @property
    def routed_otherwise(self) -> bool:
        """Whether agents moved it to another department."""
        return not self.decided.is_kept and self.department not in (None, self.decided.department)


def read(
    session: Session,
    sample: Sequence[Decided],
    rules: Rules,
    *,
    per_second: float,
    records: Mapping[str, Record],
) -> Iterator[Now | None]:
    """Yield each ticket, at most `MOST`; None for one that Richpanel does not show.

    Args:
        session: the stage.
        sample: the newest decision on each ticket.
        rules: the settings that name the departments.
        per_second: the most tickets read in a second.
        records: the shadow decision to compare agents' later acts with, by ticket.
    """
    pace = LoopPace(session.services.clock, per_second)
    author = session.services.settings.support.bot_agent_id
    for decided in sample[:MOST]:
        pace.wait()
        try:
            ticket = session.services.support.richpanel.read_ticket(decided.conversation_id)
        except PermanentError:
            yield None
            continue
        now = _compared(decided, ticket, rules, author)
        record = records.get(decided.conversation_id)
        if record is not None:
            at = session.services.clock.now()
            now = replace(now, done=done_since(ticket, record, rules, bot=author or None, now=at))
        yield now


def _compared(decided: Decided, ticket: Ticket, rules: Rules, author: str) -> Now:
    replied = parsed(decided.replied_at)
    after = _after(ticket, replied) if replied is not None else []
    theirs = [comment for comment in after if not comment.is_operator]
    was_tagged = decided.status == "processed" and not decided.is_withheld
    intents = {tag.removeprefix(INTENT_TAG) for tag in ticket.tags if tag.startswith(INTENT_TAG)}
    return Now(
        decided=decided,
        url=ticket.url,
        department=rules.current_department(ticket.tags, ticket.assigned_to),
        tagged_otherwise=was_tagged and decided.intent not in intents,
        reopened=decided.closed and ticket.is_open,
        wrote_again=bool(theirs),
        complained=any(_is_complaint(comment.text, rules) for comment in theirs),
        first_answer=_first_answer(decided, ticket, author),
    )


def _after(ticket: Ticket, moment: datetime) -> list[Comment]:
    return [
        comment for comment in ticket.comments if comment.created_at and comment.created_at > moment
    ]


def _first_answer(decided: Decided, ticket: Ticket, author: str) -> timedelta | None:
    received = parsed(decided.at)
    if received is None:
        return None
    answers = (
        comment.created_at
        for comment in _after(ticket, received)
        if comment.is_operator and comment.author_id != author
    )
    first = min((at for at in answers if at is not None), default=None)
    return None if first is None else first - received


def _is_complaint(text: str, rules: Rules) -> bool:
    """Whether a text says that something is still wrong, or is about a grave matter."""
    found = message_reading.read(text, phrases=rules.phrases)
    return found.is_complaint or bool(found.risks)
