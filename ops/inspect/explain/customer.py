"""A customer's story: newest first, what they wrote, what was answered, by whom and why.

A turn is an event that a person would name: somebody wrote, something was sent, a person acted. What
machines tell each other (receipts, notices, events for the company, notifications) is counted and folded.
Texts are read where they are, for this one answer: outreach's in its table, a ticket's at Richpanel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.outreach import keys as outreach_keys
from chalicelib.support import keys as ticket_keys
from chalicelib.support.ticket_texts import CUSTOMER
from ops import journal
from ops.inspect.explain import plain_words, story, written
from ops.inspect.explain.conversations import NEWEST_MESSAGES
from ops.inspect.explain.searching import LookedUp
from ops.inspect.explain.stored import ENDED, Stored
from ops.inspect.explain.subjects import SubjectKind
from ops.session import Session

PERSONS = frozenset(
    {
        *(SubjectKind.ADDRESS, SubjectKind.TICKET, SubjectKind.START, SubjectKind.CONVERSATION),
        *(SubjectKind.REQUEST, SubjectKind.ORDER, SubjectKind.HANDOFF),
    }
)
"""What is of a customer or their conversation, and not of one event."""
_TURNS = {
    "evt:reply": "the customer wrote",
    "evt:rp": "the customer wrote",
    "evt:start": "a conversation was started",
    "evt:follow": "a declared message was due",
    "evt:release": "a person released the held message",
    "evt:desk": "a person acted",
    "evt:silence": "a doubt was to be decided",
    "evt:unsubscribe": "the customer unsubscribed",
}
VIEW = "story view"
"""In the journal: a person saw what was written."""
Texts = Mapping[str, list[tuple[str, str]]]
"""Authors and texts, by the key of the event or the effect that they belong to."""
Allowed = Callable[[str], bool]
"""Whether the reader may see the texts of a company's conversations; of tickets for ``""``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that happened to a customer.

    Attributes:
        at: ISO time.
        what: what began it, in words.
        became: why it was not answered, or what became of it.
        more: what happened besides, where it was not answered.
        event: its key.
        conversation: the opaque id of its conversation; empty for a ticket.
        is_open: it has not ended, or its outcome is not known.
        is_answered: whatever was to be sent was sent.
        said: texts with their authors, oldest first.
    """

    at: str
    what: str
    became: str
    more: str
    event: str
    conversation: str
    is_open: bool
    is_answered: bool
    said: tuple[tuple[str, str], ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Customer:
    """The story of a customer.

    Attributes:
        open: what has not ended, the oldest first: it waits longest.
        turns: all others, the newest first.
        folded: events between machines.
        notes: what was not asked, and why.
    """

    open: tuple[Turn, ...]
    turns: tuple[Turn, ...]
    folded: int
    notes: tuple[str, ...] = ()

    @property
    def unanswered(self) -> tuple[Turn, ...]:
        """What ended without an answer, the newest first."""
        return tuple(one for one in self.turns if not one.is_answered)

    @property
    def answered(self) -> tuple[Turn, ...]:
        """What ended as it was meant to, the newest first."""
        return tuple(one for one in self.turns if one.is_answered)


def no_texts(_company_id: str) -> bool:
    """For who may see none."""
    return False


def note_view(session: Session, found: LookedUp) -> None:
    """Enter in the journal that the caller sees what was written, right before it is read."""
    journal.enter(session, VIEW, f"story:{found.findings[0].result.about}"[:200])


def tell(session: Session, found: LookedUp, *, allowed: Allowed = no_texts) -> Customer:
    """The story of whom an identifier names; with texts where the reader may see them."""
    texts, notes = _texts(session, found.events, allowed)
    turns = [one for stored in found.events if (one := _turn(stored, texts)) is not None]
    return Customer(
        open=tuple(one for one in turns if one.is_open),
        turns=tuple(one for one in reversed(turns) if not one.is_open),
        folded=len(found.events) - len(turns),
        notes=tuple(notes),
    )


def plain(customer: Customer) -> dict[str, Any]:
    """The story as JSON has it."""

    def of(one: Turn) -> dict[str, Any]:
        said = [{"by": by, "text": text} for by, text in one.said]
        shown = {name: getattr(one, name) for name in ("at", "what", "became", "more", "event")}
        return {**shown, "answered": one.is_answered, "said": said}

    return {
        "open": [of(one) for one in customer.open],
        "turns": [of(one) for one in customer.turns],
        "folded": customer.folded,
        "notes": list(customer.notes),
    }


def _turn(stored: Stored, texts: Texts) -> Turn | None:
    kind = ":".join(stored.key.split(":")[:2])
    is_thin = kind == "evt:rp" and ":n:" in stored.key
    if kind not in _TURNS or (is_thin and stored.status in ENDED):
        return None
    event_story = story.tell(stored)
    keys = (stored.key, *(str(one["event_id"]) for one in stored.actions))
    return Turn(
        at=str(stored.row.get("received_at", "")),
        what="Richpanel announced a message" if is_thin else _TURNS[kind],
        became=event_story.why_not or event_story.paragraph,
        more=event_story.paragraph if event_story.why_not else "",
        event=stored.key,
        conversation="" if kind == "evt:rp" else _story(stored),
        is_open=stored.status not in ENDED,
        is_answered=event_story.why_not is None,
        said=tuple(one for key in keys for one in texts.get(key, ())),
    )


def _texts(session: Session, events: list[Stored], allowed: Allowed) -> tuple[Texts, list[str]]:
    """The texts, and what could not be read."""
    found: dict[str, list[tuple[str, str]]] = {}
    notes: list[str] = []
    tickets = {_story(one) for one in events if one.key.startswith("evt:rp:")}
    silent: set[str] = set()
    for name in dict.fromkeys(map(_story, events)):
        read = _of_ticket if name in tickets else _of_conversation
        place = "Richpanel" if name in tickets else "the table of conversations"
        if place in silent:  # what did not answer once makes no reader wait for each of its stories
            continue
        try:
            for key, by, text in read(session, name, allowed):
                found.setdefault(key, []).append((by, text))
        except MiddlewareError as error:
            silent.add(place)
            because = plain_words.reason(reason_of(error))
            notes.append(f"{place} was not asked for texts: {because}")
    return found, notes


def _story(stored: Stored) -> str:
    return str(stored.row.get("conversation_id", ""))


def _of_ticket(
    session: Session, ticket_id: str, allowed: Allowed
) -> Iterator[tuple[str, str, str]]:
    """A ticket's comments: those of ours belong to the customer's before them."""
    if not allowed(""):
        return
    theirs = ""
    for comment_id, by, text in written.in_ticket(session, ticket_id):
        if by == CUSTOMER:
            theirs = ticket_keys.ticket_message(ticket_id, comment_id)
        if theirs:
            yield theirs, by, text


def _of_conversation(
    session: Session, opaque_id: str, allowed: Allowed
) -> Iterator[tuple[str, str, str]]:
    conversations = session.services.outreach.conversations
    record = conversations.find(opaque_id)
    if record is None or not allowed(record.company_id):
        return
    for one in conversations.newest(record, NEWEST_MESSAGES):
        if one.role == "user":
            key = outreach_keys.reply(record.channel, one.entry_id)
            yield key, CUSTOMER, one.content
        elif one.role == "assistant":
            key = outreach_keys.send_action(opaque_id, one.entry_id)
            yield key, one.by or "the machine", one.content
