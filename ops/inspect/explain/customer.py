"""A customer's story: newest first, what they wrote, what was answered, by whom and why.

A turn is an event that matters to a person: somebody wrote, something was sent, a person acted.
Messages between machines (receipts, notices, events for the company, notifications) are only
counted.  Texts are read for this one answer: outreach's from its table, a ticket's from Richpanel.
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
"""Kinds of identifiers that name a customer or a conversation rather than one event."""
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
"""The journal's name for the act of reading a customer's texts."""
Texts = Mapping[str, list[tuple[str, str]]]
"""(author, text) pairs by the key of their event or action."""
Allowed = Callable[[str], bool]
"""Whether the reader may see a company's texts, by its id; ``""`` asks for tickets' texts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One thing that happened to a customer.

    Attributes:
        at: ISO time.
        what: what began the event, in words.
        became: why the event was not answered, or how it was.
        more: what else happened to an unanswered event.
        event: the event's key.
        conversation: the opaque id of the conversation; empty for a ticket.
        is_open: the event has not ended, or its outcome is unknown.
        is_answered: everything to be sent was sent.
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
        open: turns that have not ended, oldest first.
        turns: ended turns, newest first.
        folded: the number of events between machines.
        notes: which place could not be read for texts, and why.
    """

    open: tuple[Turn, ...]
    turns: tuple[Turn, ...]
    folded: int
    notes: tuple[str, ...] = ()

    @property
    def unanswered(self) -> tuple[Turn, ...]:
        """Ended turns without an answer, newest first."""
        return tuple(turn for turn in self.turns if not turn.is_answered)

    @property
    def answered(self) -> tuple[Turn, ...]:
        """Ended turns that were answered, newest first."""
        return tuple(turn for turn in self.turns if turn.is_answered)


def no_texts(_company_id: str) -> bool:
    """Allow no texts: the default of `tell`."""
    return False


def note_view(session: Session, found: LookedUp) -> None:
    """Enter in the journal that the caller reads texts; call it before they are read."""
    journal.enter(session, VIEW, f"story:{found.findings[0].result.about}"[:200])


def tell(session: Session, found: LookedUp, *, allowed: Allowed = no_texts) -> Customer:
    """The story of what an identifier names, with the texts that the reader may see."""
    texts, notes = _texts(session, found.events, allowed)
    turns = [turn for stored in found.events if (turn := _turn(stored, texts)) is not None]
    return Customer(
        open=tuple(turn for turn in turns if turn.is_open),
        turns=tuple(turn for turn in reversed(turns) if not turn.is_open),
        folded=len(found.events) - len(turns),
        notes=tuple(notes),
    )


def plain(customer: Customer) -> dict[str, Any]:
    """The story as a JSON-ready dictionary."""

    def of(turn: Turn) -> dict[str, Any]:
        said = [{"by": by, "text": text} for by, text in turn.said]
        shown = {name: getattr(turn, name) for name in ("at", "what", "became", "more", "event")}
        return {**shown, "answered": turn.is_answered, "said": said}

    return {
        "open": [of(turn) for turn in customer.open],
        "turns": [of(turn) for turn in customer.turns],
        "folded": customer.folded,
        "notes": list(customer.notes),
    }


def _turn(stored: Stored, texts: Texts) -> Turn | None:
    kind = ":".join(stored.key.split(":")[:2])
    is_thin = kind == "evt:rp" and ":n:" in stored.key
    if kind not in _TURNS or (is_thin and stored.status in ENDED):
        return None
    event_story = story.tell(stored)
    keys = (stored.key, *(str(action["event_id"]) for action in stored.actions))
    return Turn(
        at=str(stored.row.get("received_at", "")),
        what="Richpanel announced a message" if is_thin else _TURNS[kind],
        became=event_story.why_not or event_story.paragraph,
        more=event_story.paragraph if event_story.why_not else "",
        event=stored.key,
        conversation="" if kind == "evt:rp" else _story(stored),
        is_open=stored.status not in ENDED,
        is_answered=event_story.why_not is None,
        said=tuple(said for key in keys for said in texts.get(key, ())),
    )


def _texts(session: Session, events: list[Stored], allowed: Allowed) -> tuple[Texts, list[str]]:
    """Read the texts of events; return them and a note on each place that failed."""
    found: dict[str, list[tuple[str, str]]] = {}
    notes: list[str] = []
    tickets = {_story(event) for event in events if event.key.startswith("evt:rp:")}
    silent: set[str] = set()
    for name in dict.fromkeys(map(_story, events)):
        read = _of_ticket if name in tickets else _of_conversation
        place = "Richpanel" if name in tickets else "the table of conversations"
        if place in silent:  # a place that failed once is not tried again for each conversation
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
    """Yield a ticket's comments; an agent's or our own belongs to the customer's comment before it."""
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
    for entry in conversations.newest_entries(record, NEWEST_MESSAGES):
        if entry.role == "user":
            key = outreach_keys.reply(record.channel, entry.entry_id)
            yield key, CUSTOMER, entry.content
        elif entry.role == "assistant":
            key = outreach_keys.send_action(opaque_id, entry.entry_id)
            yield key, entry.by or "the machine", entry.content
