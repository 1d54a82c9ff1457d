"""What people have done since with tickets of the report, read back from Richpanel at a low rate.

Texts are read to recognise a complaint after an automatic answer; none is kept.
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
"""Tickets read in one run."""


@dataclass(frozen=True, slots=True)
class Now:
    """A ticket as it is now, beside the newest decision on it.

    Attributes:
        department: that has it; None where nothing shows one.
        tagged_otherwise: people took our intent's tag off, or put another intent's on.
        wrote_again: the customer wrote after the automatic reply.
        complained: and it was a complaint.
        first_answer: how long the customer waited for a person's first answer.
        done: what people have done since a decision made in shadow.
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
        """People have it in another department."""
        return not self.decided.is_kept and self.department not in (None, self.decided.department)


def read(
    session: Session,
    sample: Sequence[Decided],
    rules: Rules,
    *,
    per_second: float,
    records: Mapping[str, Record],
) -> Iterator[Now | None]:
    """Each ticket, at most `MOST`; None for one that Richpanel does not show.

    Args:
        session: the stage.
        sample: the newest decision on each ticket.
        rules: name the departments.
        per_second: tickets, at most.
        records: by ticket, decisions made in shadow, since which people's acts are wanted.
    """
    pace = LoopPace(session.services.clock, per_second)
    author = session.services.settings.support.bot_agent_id
    for one in sample[:MOST]:
        pace.wait()
        try:
            ticket = session.services.support.richpanel.read_ticket(one.conversation_id)
        except PermanentError:
            yield None
            continue
        now = _compared(one, ticket, rules, author)
        record = records.get(one.conversation_id)
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
    return [one for one in ticket.comments if one.created_at and one.created_at > moment]


def _first_answer(decided: Decided, ticket: Ticket, author: str) -> timedelta | None:
    received = parsed(decided.at)
    if received is None:
        return None
    answers = (
        one.created_at
        for one in _after(ticket, received)
        if one.is_operator and one.author_id != author
    )
    first = min((at for at in answers if at is not None), default=None)
    return None if first is None else first - received


def _is_complaint(text: str, rules: Rules) -> bool:
    """Something is still wrong, or the message is about a grave matter."""
    found = message_reading.read(text, phrases=rules.phrases)
    return found.is_complaint or bool(found.risks)
