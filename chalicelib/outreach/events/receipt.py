"""The flow of delivery receipts from providers: settles unknown sends, advances the delivery status.

A receipt causes no vendor call, so its plan is empty; its results are conditional writes that never
revert a later status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from chalicelib.once.action import ActionRow, ActionStatus
from chalicelib.once.effect import Effect
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import Event, Flow, NotAnEvent
from chalicelib.once.job import facts_of
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach import reasons
from chalicelib.outreach.company_events.event_names import EventName
from chalicelib.outreach.company_events.recorder import CompanyEvents
from chalicelib.outreach.conversations.records import Record, Status
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.hearing.ownership import WRONG_ACCOUNT, Ownership, foreign_key, key_of
from chalicelib.outreach.jobs import DeliveryReceipt
from chalicelib.outreach.messages.following import FollowUps
from chalicelib.outreach.project.admission import ConversationStores
from chalicelib.outreach.resume import Resume
from chalicelib.outreach.sending.effects import KINDS
from chalicelib.outreach.twilio.refusals import dead_address_reason

FLOW = "receipts"
BY_RECEIPT = "receipt"
NOT_DELIVERED = frozenset({"undelivered", "failed", "bounced", "rejected"})

_TOLD = {"delivered": EventName.DELIVERED, "read": EventName.READ}
"""Statuses that become events of their own, beside those of a message that was not delivered."""


@dataclass(frozen=True, slots=True)
class Reported:
    """A delivery receipt with its conversation, and the ledger row of the message that it reports on."""

    job: DeliveryReceipt
    record: Record
    row: ActionRow | None


class ReceiptFlow(Flow):
    """Handles delivery receipts: settles unknown sends, and stores the delivery status.

    Args:
        kept: the stores; the ledger settles the send that a receipt proves.
        resume: puts a parked event back on the queue.
        events: records events for the company.
        follow_ups: starts a fallback where a first message was not delivered.
    """

    def __init__(
        self,
        *,
        kept: ConversationStores,
        resume: Resume,
        ownership: Ownership,
        events: CompanyEvents,
        follow_ups: FollowUps,
    ) -> None:
        self._conversations = kept.conversations
        self._starts = kept.starts
        self._ledger = kept.ledger
        self._resume = resume
        self._ownership = ownership
        self._events = events
        self._follow_ups = follow_ups

    def events(self, job: DeliveryReceipt) -> Sequence[Event]:
        """The receipt's event, with its conversation and the ledger row of the message that it reports on.

        The event's key names the vendor's message id, so only the message's own account may use
        that key.  Where the ledger knows the message by another id, the key names the receipt's
        account as well.

        Raises:
            NotAnEvent: the conversation is unknown, or another account signed the receipt.
        """
        record = self._conversations.find(job.conversation_id)
        if record is None:
            raise NotAnEvent(
                EventStatus.SKIPPED, reasons.UNKNOWN_CONVERSATION, event_key=key_of(job)
            )
        if not self._ownership.is_signed_for(record, job):
            raise NotAnEvent(EventStatus.SKIPPED, WRONG_ACCOUNT, event_key=foreign_key(job))
        row = self._ledger.action(outreach_keys.send_action(record.opaque_id, job.entry_id))
        facts = facts_of(job)
        if row is not None and row.ref not in (None, job.provider_id):
            facts = replace(facts, event_key=foreign_key(job))
        return [Event(facts, Reported(job, record, row))]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """Store what the receipt reports: the send's outcome and the delivery status.

        The plan itself is empty.
        """
        del switches
        reported: Reported = event.subject
        self._settle(reported.job, reported.record, reported.row)
        self._advance(reported.job, reported.record, reported.row)
        return Plan(FLOW, ())

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """Never called: a receipt has no actions.

        Raises:
            KeyError: always.
        """
        del event, plan
        raise KeyError(planned.kind)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """Return True always: `plan` has already stored everything that a receipt changes."""
        del lease, event, plan, rows
        return True

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """Return None always: a failed receipt needs no person."""
        del event, reason
        return None

    def _settle(self, job: DeliveryReceipt, record: Record, row: ActionRow | None) -> None:
        """Settle a send of unknown outcome as done, since the provider reports on its message.

        The event that is parked because of it is resumed.  Nothing is done where another send has
        the provider's id.
        """
        if row is None or row.unsettled is None:
            return
        if row.status == ActionStatus.UNKNOWN:
            is_id_global = KINDS[row.unsettled.kind].is_id_global
            if not self._ledger.claim_ref(
                row.unsettled, job.provider_id, is_id_global=is_id_global
            ):
                return
            self._ledger.settle(
                row.unsettled, ActionStatus.DONE, ref=job.provider_id, reason=BY_RECEIPT
            )
        elif (row.status, row.reason) != (ActionStatus.DONE, BY_RECEIPT):
            return
        event_key = row.unsettled.event_key  # an attempt that crashed before this line is repeated
        if self._ledger.statuses([event_key]).get(event_key) == EventStatus.PARKED:
            self._resume(record, event_key)

    def _advance(self, job: DeliveryReceipt, record: Record, row: ActionRow | None) -> None:
        """Store a message's delivery status, mark a dead address or an opt-out, and inform the company.

        A first message that was not delivered fails its conversation, and the next channel is
        tried.
        """
        settled = row.ref if row is not None and row.status == ActionStatus.DONE else None
        ref = job.provider_id if settled in (None, job.provider_id) else None
        self._conversations.note_delivery(
            record, job.entry_id, job.status, job.rank, reason=job.reason, ref=ref
        )
        if job.opts_out:
            reason = MarkReason(job.channel.traits.opts_out_as)
            self._conversations.forbid_person(record, reason)
            self._events.record(record, EventName.OPTED_OUT, reason.value, reason=reason.value)
        self._tell(job, record)
        dead = (
            MarkReason.BOUNCED
            if job.is_dead
            else dead_address_reason(job.channel.traits, job.reason)
        )
        is_opening = job.entry_id == outreach_keys.entry_id(record.start_event)
        was_answered = is_opening and record.item.get("last_inbound_at") is not None
        if dead is not None and job.status in NOT_DELIVERED and not was_answered:
            sent_at = row.finished_at if row is not None else None
            self._conversations.forbid_on_channel(record, dead, sent_at=sent_at)
        if not is_opening:
            return
        self._starts.note_outcome(
            record.start_event, delivery=(job.status, job.rank), reason=job.reason
        )
        if job.status in NOT_DELIVERED:
            why = job.reason or job.status
            moved = self._conversations.change_while(
                record,
                {Status.INITIAL_MESSAGE_SENT},
                {
                    "conversation_status": Status.FAILED.value,
                    "failure_stage": "delivery",
                    "failure_reason": why,
                },
            )
            if moved is not None:
                self._conversations.count_failed(record, why)
            self._follow_ups.fall_back(record)

    def _tell(self, job: DeliveryReceipt, record: Record) -> None:
        name = EventName.FAILED if job.status in NOT_DELIVERED else _TOLD.get(job.status)
        if name is not None:
            key = f"{job.entry_id}:{job.status}"
            self._events.record(
                record, name, key, message_id=job.entry_id, status=job.status, reason=job.reason
            )
