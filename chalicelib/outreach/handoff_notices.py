"""E-mails to a company about conversations that wait for a person; no message and no address is in them.

Optional setting of a project; the project's own address of `channel_config.email` sends them::

    handoff_notice   {"email": "desk@example.com", "after_minutes": 15}

A hand-off leads to two notices at most, each once: ``asked``, at once, where the recipient wishes for a
person, and ``waiting``, where no person has taken it after so many minutes.  Each is an event of the
lane `email`, whatever the channel of its conversation, and looks again before it is sent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from chalicelib.clock import iso, parsed
from chalicelib.errors import PermanentError, UnavailableError, WithdrawnError
from chalicelib.once import keys
from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import COPY_SECONDS, EventFacts, EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent, NotYet
from chalicelib.once.job import Job, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.actions import NOTIFY_DESK, notify_desk
from chalicelib.outreach.channels import SENDER_OF, Channel
from chalicelib.outreach.conversations.handoffs import listed_id
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import HandoffNotice
from chalicelib.outreach.ses.client import Email, Ses

SETTING = "handoff_notice"
AFTER_MINUTES = 15
MOST_MINUTES = 24 * 60
ASKED, WAITING = "asked", "waiting"
WISHES = frozenset({"asked_by_writer"})
"""Reasons of hand-offs for which the recipient has asked for a person."""
FLOW = "notices"
_SUBJECT: Mapping[str, str] = {
    ASKED: "A recipient asks for a person",
    WAITING: "A conversation waits for a person",
}


@dataclass(frozen=True, slots=True)
class Setting:
    """`handoff_notice` of a project."""

    email: str = field(repr=False)
    after: timedelta

    @classmethod
    def of(cls, project: Mapping[str, Any]) -> Setting | None:
        """A project's setting; None where it has none that can be read."""
        raw = project.get(SETTING)
        given = raw if isinstance(raw, Mapping) else {}
        email, minutes = given.get("email"), given.get("after_minutes", AFTER_MINUTES)
        is_time = isinstance(minutes, int) and not isinstance(minutes, bool)
        if not isinstance(email, str) or "@" not in email or not is_time or minutes <= 0:
            return None
        return cls(email, timedelta(minutes=minutes))


@dataclass(frozen=True, slots=True)
class Notices:
    """Asks for the notices of a hand-off, and sends them.

    Attributes:
        ses: built for the first notice.
        current: a project's settings as they are now.
        ledger: has the row of each notice.
        put_later: queues a job outside its lane for so many seconds.
    """

    conversations: Conversations
    ses: Callable[[], Ses]
    current: Callable[[Record], Mapping[str, Any]]
    ledger: Ledger
    put_later: Callable[[Job, float], None]
    clock: Clock

    def ask(self, record: Record, handoff_id: str, reason: str) -> None:
        """Ask for the notices of a hand-off; repeating it changes nothing.

        Each has its row first, which the sweep queues where the copy is lost.

        Raises:
            TransientError: not all of them have a row; call again.
        """
        if Setting.of(self.current(record)) is None:
            return
        for about in (ASKED, WAITING) if reason in WISHES else (WAITING,):
            event_key = outreach_keys.notice(record.opaque_id, handoff_id, about)
            asked = job(event_key, record.opaque_id, iso(self.clock.now()))
            self.ledger.schedule(facts_of(asked), self.clock.now().timestamp() + COPY_SECONDS)
            with suppress(UnavailableError):
                self.put_later(asked, 0.0)

    def send(self, actions: Sequence[Effect], *, deadline_seconds: float) -> str:
        """Send one notice, as `outreach.actions.NOTIFY_DESK` asks."""
        (action,) = actions
        record = self.conversations.find(action.conversation_id)
        project = self.current(record) if record else {}
        setting = Setting.of(project)
        if record is None or setting is None:
            raise WithdrawnError("ses", "notify", reason="no_notice")
        config = (project.get("channel_config") or {}).get(Channel.EMAIL.value) or {}
        sender = str(config.get(SENDER_OF[Channel.EMAIL]) or "")
        if not sender:
            raise PermanentError("ses", "notify", reason="no_sender")
        email = Email(
            to=setting.email,
            sender=sender,
            reply_to=sender,
            subject=_SUBJECT[action.argument],
            text=_text(record, action.data),
            headers={"Auto-Submitted": "auto-generated"},
            tag=f"notice_{keys.digest(action.key)[:32]}",  # no receipt of a message names it
        )
        return self.ses().send(email, deadline_seconds=deadline_seconds)


@dataclass(frozen=True, slots=True)
class NoticeFlow(Flow):
    """`once.flow.Flow` for `jobs.HandoffNotice`."""

    conversations: Conversations
    current: Callable[[Record], Mapping[str, Any]]
    clock: Clock

    is_watched = True

    def events(self, job: HandoffNotice) -> Sequence[Event]:
        """See `once.flow.Flow.events`."""
        record = self.conversations.find(job.conversation_id)
        if record is None:
            raise NotAnEvent(EventStatus.SKIPPED, "conversation_gone")
        return [Event(facts_of(job), record)]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `once.flow.Flow.plan`."""
        del switches
        record: Record = event.subject
        handoff_id, about = outreach_keys.noticed(event.facts.event_key)
        setting = Setting.of(self.current(record))
        if setting is None:
            raise NotAnEvent(EventStatus.PROCESSED, "no_notice")
        handoff = record.handoff
        is_over = not record.is_handed_off or listed_id(handoff) != handoff_id
        if is_over or handoff.get("taken_by") or handoff.get("releasing"):
            raise NotAnEvent(EventStatus.PROCESSED, "no_longer_waiting")
        now = self.clock.now()
        due = (parsed(str(handoff["since"])) or now) + setting.after
        if about == WAITING and now < due:
            raise NotYet(SETTING, due.timestamp())
        return Plan(FLOW, ((PlannedAction(NOTIFY_DESK.name, about),),))

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """See `once.flow.Flow.build`."""
        del plan
        if planned.kind != NOTIFY_DESK.name:
            raise KeyError(planned.kind)
        handoff_id, about = outreach_keys.noticed(event.facts.event_key)
        return notify_desk(event.facts.conversation_id, handoff_id, about)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `once.flow.Flow.conclude`: nothing is kept of a notice but its action."""
        del lease, event, plan, rows
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """A person has the conversation on their list, with or without a notice."""
        del event, reason
        return None


def job(event_key: str, opaque_id: str, received_at: str) -> HandoffNotice:
    """The job of one notice."""
    return HandoffNotice(
        event_key=event_key,
        conversation_id=opaque_id,
        received_at=received_at,
        source=SETTING,
        trace_id=keys.digest(event_key)[:16],
    )


def rebuilt(event: EventFacts) -> HandoffNotice:
    """`once.recovery.rebuild.Rebuilder` for ``evt:notice``."""
    return job(event.event_key, event.conversation_id, event.received_at)


def _text(record: Record, handoff_id: str) -> str:
    handoff = record.handoff
    lines = {
        "Project": record.item.get("project_name") or record.project_id,
        "Request": record.request_id,
        "Conversation": record.opaque_id,
        "Hand-off": handoff_id,
        "Channel": record.channel.value,
        "Reason": handoff.get("reason", ""),
        "Waiting since": handoff.get("since", ""),
    }
    return "\n".join(f"{name}: {value}" for name, value in lines.items())
