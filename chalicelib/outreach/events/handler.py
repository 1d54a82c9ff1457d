"""The base class of the handlers of events: planning, concluding and escalating events of one kind."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass

from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effect import Effect, EffectKind
from chalicelib.once.flow import Event, suffix
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.once.reasons import REFUSED, declared
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, Draft, Record
from chalicelib.outreach.conversations.store import Conversations
from chalicelib.outreach.events.context import EventContext
from chalicelib.outreach.events.drafting import Drafting
from chalicelib.outreach.events.held import HeldMessages
from chalicelib.outreach.events.waiting import WaitingEvents
from chalicelib.outreach.messages.plan import MessagePlan, held_message
from chalicelib.outreach.messages.sent import OPT_OUT_CODE, SWITCHES, SendReport, SentMessages
from chalicelib.outreach.sending.effects import HAND_OFF, MESSAGES, hand_off_effect

_OURS = declared(reasons)


@dataclass(frozen=True, slots=True)
class ActionResult:
    """The result of one action of an event's plan: its kind, its argument and its ledger row."""

    kind: EffectKind
    argument: str
    row: ActionRow


@dataclass(frozen=True, slots=True, kw_only=True)
class HandlerParts:
    """The services that the handlers of all kinds of events use.

    Attributes:
        sent: stores whether a message was sent.
        events: records events for the company.
    """

    conversations: Conversations
    sent: SentMessages
    drafting: Drafting
    held: HeldMessages
    waiting: WaitingEvents
    events: CompanyEvents


class Handler(ABC):
    """The base class for handling one kind of event."""

    def __init__(self, parts: HandlerParts) -> None:
        self._conversations = parts.conversations
        self._sent = parts.sent
        self._drafting = parts.drafting
        self._held = parts.held
        self._waiting = parts.waiting
        self._events = parts.events

    @abstractmethod
    def plan(self, event: Event, switches: Switches) -> Plan:
        """Decide what an event of this kind leads to, as a plan of actions.

        Raises:
            NotAnEvent: nothing is to be done.
            NotYet: the event waits.
        """

    def conclude(self, event: Event, plan: Plan, results: Sequence[ActionResult]) -> None:
        """Store in the conversation the results of the event's actions; idempotent."""
        context: EventContext = event.subject
        record, message = context.conversation, MessagePlan.of(plan)
        is_late = event.facts.event_key != record.start_event
        for result in results:
            if result.kind is HAND_OFF:
                record = self._handed_off(record, result, is_late=is_late)
            elif message is not None and result.kind.name in MESSAGES:
                record = self._message_ended(event, record, message, result.row, is_late=is_late)
        said_nothing = all(result.kind is HAND_OFF for result in results)
        if message is not None and message.function and said_nothing:
            self._sent.store_function(record, message.function)

    def escalation(self, event: Event, record: Record, reason: str) -> Effect | None:
        """The effect that hands the conversation of a failed event to a person.

        None where the event failed because the recipient has opted out or must not be contacted.
        """
        if reason.endswith((f":{OPT_OUT_CODE}", f":{DO_NOT_CONTACT}")):
            return None
        # Not the same key as a hand-off in the event's own plan: after a release it may be replayed.
        key = suffix(event).prefixed("failed-")
        return hand_off_effect(
            record.opaque_id, f"|{reasons.FAILED}", key, _who_refused(record, reason)
        )

    def never_opened(self, event: Event, reason: str) -> None:  # noqa: B027 - most have none
        """Called when an event failed before its conversation was opened; does nothing, unless overridden."""

    def _message_ended(
        self,
        event: Event,
        record: Record,
        message: MessagePlan,
        row: ActionRow,
        *,
        is_late: bool,
    ) -> Record:
        if row.status != ActionStatus.DONE:
            return self._sent.store_unsent(record, message, row, is_late=is_late)
        context: EventContext = event.subject
        report = SendReport(
            draft=context.draft or self._conversations.draft(record, message.entry_id) or Draft(),
            text=context.reported_text,
            started=context.started,
            is_late=is_late,
            sent_at=row.finished_at,
            answers=event.facts.source_message_id,
        )
        return self._sent.store_sent(record, message, report, row.ref)

    def _handed_off(self, record: Record, result: ActionResult, *, is_late: bool) -> Record:
        """Store that a switch prevented the hand-off to a person, and why; returns the conversation's record.

        A hand-off that no switch prevented changes nothing.
        """
        row = result.row
        if row.status != ActionStatus.SKIPPED or row.reason not in SWITCHES:
            return record
        if held_message(result.argument) == "start":
            return self._sent.withhold(record, row.reason, is_late=is_late)
        return self._sent.keep_reason(record, row.reason)


def _who_refused(record: Record, reason: str) -> str:
    """Why a failed event is handed off: our own code, or the carrier's code with its name in front.

    The reason is not part of the action's key, as a later run that finishes the hand-off may not
    know it.
    """
    code = reason.removeprefix(REFUSED)
    if code == reason:
        return reasons.FAILED
    if code in _OURS:
        return code
    return f"{record.channel.traits.carrier.vendor}_{code}"
