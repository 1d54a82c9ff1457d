"""The flow of e-mail notices to a company's desk that a handed-off conversation waits for a person."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta

from chalicelib.clock import parsed
from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent, NotYet
from chalicelib.once.job import facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.conversations.handoffs import listed_id
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.jobs import HandoffNotice
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.sending.effects import NOTIFY_DESK, notify_desk_effect
from chalicelib.outreach.sending.notices import SETTING, WAITING

FLOW = "notices"


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeFlow(Flow):
    """Handles the jobs `HandoffNotice`: e-mails a company's desk that a hand-off waits."""

    conversations: Conversations
    current: Callable[[Record], Project]
    clock: Clock

    is_watched = True

    def events(self, job: HandoffNotice) -> Sequence[Event]:
        """The notice's event, with its conversation.

        Raises:
            NotAnEvent: the conversation is gone.
        """
        record = self.conversations.find(job.conversation_id)
        if record is None:
            raise NotAnEvent(EventStatus.SKIPPED, reasons.CONVERSATION_GONE)
        return [Event(facts_of(job), record)]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Plan to send the notice.

        Raises:
            NotAnEvent: the project wants no notices, or a person has taken the conversation, or the
                hand-off is over.
            NotYet: the project's delay before a notice is not over.
        """
        del switches
        record: Record = event.subject
        handoff_id, about = outreach_keys.parsed(event.facts.event_key).parts[-2:]
        setting = self.current(record).handoff_notice
        if setting is None:
            raise NotAnEvent(EventStatus.PROCESSED, reasons.NO_NOTICE)
        handoff = record.handoff
        is_over = not record.is_handed_off or listed_id(handoff) != handoff_id
        if is_over or handoff.get("taken_by") or handoff.get("releasing"):
            raise NotAnEvent(EventStatus.PROCESSED, reasons.NO_LONGER_WAITING)
        now = self.clock.now()
        due = (parsed(str(handoff["since"])) or now) + timedelta(minutes=setting.after_minutes)
        if about == WAITING and now < due:
            raise NotYet(SETTING, due.timestamp())
        return Plan(FLOW, ((PlannedAction(NOTIFY_DESK.name, about),),))

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """The action that sends the notice by e-mail.

        Raises:
            KeyError: the plan names a kind of action that this flow does not have.
        """
        del plan
        if planned.kind != NOTIFY_DESK.name:
            raise KeyError(planned.kind)
        handoff_id, about = outreach_keys.parsed(event.facts.event_key).parts[-2:]
        return notify_desk_effect(event.facts.conversation_id, handoff_id, about)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Return True always: of a notice, nothing is stored beyond the ledger's row of its action."""
        del lease, event, plan, rows
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """Return None always: where a notice fails, the conversation is on a person's list all the same."""
        del event, reason
        return None
