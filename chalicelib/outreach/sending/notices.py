"""E-mails to a company about conversations that wait for a person, without messages or addresses.

A hand-off leads to two notices at most, each once: ``asked``, at once, where the recipient asks for a
person, and ``waiting``, where no person has taken the conversation after the project's number of minutes.
Each notice is an event in the lane `email`; before it is sent, the flow checks whether it still applies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from chalicelib.clock import iso
from chalicelib.errors import PermanentError, UnavailableError, WithdrawnError
from chalicelib.once import keys
from chalicelib.once.effect import Effect
from chalicelib.once.event import COPY_SECONDS, EventFacts
from chalicelib.once.job import Job, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import HandoffNotice
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.ses.client import Email, Ses

SETTING = reasons.HANDOFF_NOTICE
"""The source of a notice's job; also the reason for which it waits."""
ASKED, WAITING = "asked", "waiting"
WISHES = frozenset({"asked_by_writer"})
"""Reasons of hand-offs that mean that the recipient asked for a person."""
_SUBJECT: Mapping[str, str] = {
    ASKED: "A recipient asks for a person",
    WAITING: "A conversation waits for a person",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Notices:
    """Queues and sends the e-mails to a company's desk that a hand-off waits for a person.

    Attributes:
        ses: gives the client of SES, built for the first notice.
        current: gives a project's current settings.
        ledger: stores the row of each notice.
        put_later: queues a job outside its lane, after a number of seconds.
    """

    conversations: Conversations
    ses: Callable[[], Ses]
    current: Callable[[Record], Project]
    ledger: Ledger
    put_later: Callable[[Job, float], None]
    clock: Clock

    def ask(self, record: Record, handoff_id: str, reason: str) -> None:
        """Queue the notices of a hand-off, if the project wants any; idempotent.

        Each notice's ledger row is written first, so the sweep queues a notice whose job is lost.

        Raises:
            TransientError: not all notices have a row; call again.
        """
        if self.current(record).handoff_notice is None:
            return
        for about in (ASKED, WAITING) if reason in WISHES else (WAITING,):
            event_key = outreach_keys.notice(record.opaque_id, handoff_id, about)
            asked = job(event_key, record.opaque_id, iso(self.clock.now()))
            self.ledger.schedule(facts_of(asked), self.clock.now().timestamp() + COPY_SECONDS)
            with suppress(UnavailableError):
                self.put_later(asked, 0.0)

    def send(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one e-mail notice to a company's desk that a hand-off waits; returns SES's message id.

        Raises:
            WithdrawnError: the conversation is gone, or the project wants no notices any more.
            PermanentError: the project has no sender for e-mail.
        """
        (action,) = actions
        record = self.conversations.find(action.conversation_id)
        project = self.current(record) if record else None
        setting = project.handoff_notice if project else None
        if record is None or project is None or setting is None:
            raise WithdrawnError("ses", "notify", reason=reasons.NO_NOTICE)
        sender = project.sender(Channel.EMAIL)
        if not sender:
            raise PermanentError("ses", "notify", reason=reasons.NO_SENDER)
        email = Email(
            to=setting.email,
            sender=sender,
            reply_to=sender,
            subject=_SUBJECT[action.argument],
            text=_text(record, action.data),
            headers={"Auto-Submitted": "auto-generated"},
            tag=f"notice_{keys.digest(action.key)[:32]}",  # not the tag of a message's receipt
        )
        return self.ses().send(email, deadline_seconds=deadline_seconds)


def job(event_key: str, opaque_id: str, received_at: str) -> HandoffNotice:
    """The job that sends one notice to a company's desk, by the notice's event key."""
    return HandoffNotice(
        event_key=event_key,
        conversation_id=opaque_id,
        received_at=received_at,
        source=SETTING,
        trace_id=keys.digest(event_key)[:16],
    )


def rebuilt(event: EventFacts) -> HandoffNotice:
    """The job that sends a hand-off's notice, made again from its ledger row where the first one was lost."""
    return job(event.event_key, event.conversation_id, event.received_at)


def _text(record: Record, handoff_id: str) -> str:
    handoff = record.handoff
    lines = {
        "Project": Project(record.item).project_name or record.project_id,
        "Request": record.request_id,
        "Conversation": record.opaque_id,
        "Hand-off": handoff_id,
        "Channel": record.channel.value,
        "Reason": handoff.get("reason", ""),
        "Waiting since": handoff.get("since", ""),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())
