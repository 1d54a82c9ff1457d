"""Outreach: start a conversation, answer a reply, release what a person held back.

::

    start    open record -> hand-off rule -> quiet hours -> secrets -> compose, store -> send
    reply    append once -> STOP, robots, media -> hand-off rule -> quiet hours -> compose -> send
    release  give it back to the machine -> compose unless drafted -> send what was held

Each is resumable at every step: the record and the draft are there or not, the plan is stored or
not, and the send has its own action row.  A resume needs nothing but the event's key: the record
holds what the job brought.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from chalicelib import keys, outreach_actions
from chalicelib.actions import Action
from chalicelib.clock import iso
from chalicelib.conversations.ports import ComposerPort, ConversationsPort, StartsPort
from chalicelib.conversations.records import AUTOMATED, Channel, Draft, Entry, Record, Status
from chalicelib.errors import HandBackError, PermanentError, UnavailableError
from chalicelib.flows import Event, NotAnEvent, suffix
from chalicelib.flows.outreach import rules
from chalicelib.jobs import (
    HandoffRelease,
    InboundMessage,
    OutreachResume,
    Recovery,
    StartConversation,
    facts_of,
)
from chalicelib.outreach_actions import HandOff, Loaded
from chalicelib.plans import Plan, PlannedAction
from chalicelib.ports import ActionRow, ActionStatus, Clock, EventStatus, Lease, Switches

FLOW = "outreach"
OPT_OUT_CODE = "21610"
NEVER_OPENED = "never_opened"
"""A start of which nothing but its row is left: nothing was sent, and its sender may repeat it."""
SWITCHES = frozenset({"kill_switch", "shadow", "safe_mode", "automation_disabled"})
"""Reasons of `ports.Switches.forbids`: what they stopped may be done later."""
_OVER = ("withheld_reason", "failure_stage", "failure_reason")
"""What a message that was sent makes untrue."""
Job = StartConversation | InboundMessage | OutreachResume | HandoffRelease


@dataclass(slots=True)
class Work:
    """What a run knows of its event so far.

    Attributes:
        job: what the queue brought.
        record: the conversation; for a start not before it is opened.
        draft: what will be sent, once it is written.
        started: monotonic seconds.
    """

    job: Job
    started: float
    record: Record | None = None
    draft: Draft | None = None
    loaded: Loaded | None = field(default=None, repr=False)


class OutreachFlow:
    """`flows.Flow` for everything in which the company speaks or the recipient did.

    Args:
        check_secrets: raises where the company's credentials are missing or malformed.
        message_id_header: an e-mail's Message-ID from the vendor's id of it.
        receive_count: how many times the queue has handed over the message at work.
        processor_version: kept with every conversation it sends in.
    """

    is_watched = True

    def __init__(
        self,
        conversations: ConversationsPort,
        composer: ComposerPort,
        starts: StartsPort,
        clock: Clock,
        *,
        check_secrets: Callable[[Record], None],
        message_id_header: Callable[[str], str],
        receive_count: Callable[[], int],
        processor_version: str,
    ) -> None:
        self._conversations = conversations
        self._composer = composer
        self._starts = starts
        self._clock = clock
        self._check_secrets = check_secrets
        self._message_id_header = message_id_header
        self._receive_count = receive_count
        self._version = processor_version

    def is_container(self, job: Job) -> bool:
        """Every job is its own event."""
        del job
        return False

    def events(self, job: Job) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        work = Work(job, self._clock.monotonic())
        match job:
            case StartConversation():
                return [Event(facts_of(job), work)]
            case InboundMessage():
                work.record = self._whose(job)
            case _:
                if job.event_key.startswith("evt:receipt:"):
                    raise NotAnEvent(EventStatus.FAILED, "receipt_gone")
                work.record = self._conversations.find(job.conversation_id)
                if work.record is None:
                    is_start = job.event_key.startswith("evt:start:")
                    if is_start and job.recovery == Recovery.SWEEP:
                        return [Event(facts_of(job), work)]  # perhaps claimed: ended under a lease
                    reason = NEVER_OPENED if is_start else "conversation_gone"
                    raise NotAnEvent(EventStatus.FAILED, reason)
        facts = replace(facts_of(job), conversation_id=work.record.opaque_id)
        return [Event(facts, work)]

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        key = event.facts.event_key
        if key.startswith("evt:start:"):
            return self._plan_start(event, switches)
        if key.startswith("evt:release:"):
            return self._plan_release(event, switches)
        return self._plan_reply(event, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """See `flows.Flow.build`."""
        del plan
        work: Work = event.subject
        if work.record is not None and work.loaded is None:
            work.loaded = Loaded(work.record, work.draft)
        opaque_id = event.facts.conversation_id
        return outreach_actions.build(
            planned,
            conversation_id=opaque_id,
            suffix=suffix(event),
            loaded=work.loaded,
            receive=self._receive_count(),
        )

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`: the entry, the status, and what the sender may learn.

        An entry is appended once per id and a status moves only from the expected one, so that a
        worker that has lost its lease writes what its successor writes, or nothing.
        """
        del lease
        work: Work = event.subject
        record = work.record or self._conversations.find(event.facts.conversation_id)
        if record is None:
            return False
        for planned in plan.actions:
            action = outreach_actions.build(
                planned, conversation_id=record.opaque_id, suffix=suffix(event), loaded=work.loaded
            )
            row = rows[action.key]
            if isinstance(action, HandOff):
                self._concluded_hand_off(event, record, row)
            elif row.status == ActionStatus.DONE:
                record = self._concluded_send(event, plan, record, action.entry_id, row)
            elif row.status == ActionStatus.REFUSED:
                self._concluded_refusal(event, record, row, plan)
            if row.status == ActionStatus.SKIPPED and row.reason in SWITCHES:
                record = self._concluded_withheld(event, record, plan, row.reason)
        return True

    def escalation(self, event: Event, reason: str) -> Action | None:
        """Whom a failed event goes to: a start fails, anything else goes to a person.

        A start that failed is told to its sender, who repeats it or does not.
        """
        work: Work | None = event.subject
        known = work.record if work else None
        record = known or self._conversations.find(event.facts.conversation_id)
        if record is None:
            return None
        if reason.endswith(f":{OPT_OUT_CODE}"):
            return None
        if event.facts.event_key.startswith("evt:start:"):
            if not reason.startswith("dead_letter"):
                return None
            self._fail(record, "retries", reason)
            self._free(record, event)
            return None
        return HandOff(record.opaque_id, "|failed", suffix(event))

    # --- start --------------------------------------------------------------------------------

    def _plan_start(self, event: Event, switches: Switches) -> Plan:
        work: Work = event.subject
        entry_id = keys.entry_id(event.facts.event_key)
        if work.record is None:
            work.record = self._open(event, work, entry_id, switches)
        record = work.record
        if record.start_event != event.facts.event_key:
            raise NotAnEvent(EventStatus.SKIPPED, "conversation_exists")
        if record.status == Status.FAILED:
            record = work.record = self._reopened(record)
        if rules.is_held(record, "auto_queue_initial_message"):
            return _handed_off("start", "auto_queue_initial_message")
        self._wait_out_quiet_hours(record)
        with self._typed_failures(event, record):
            return self._composed(work, entry_id, switches, is_opening=True)

    def _open(self, event: Event, work: Work, entry_id: str, switches: Switches) -> Record:
        job = work.job
        if not isinstance(job, StartConversation):
            raise NotAnEvent(EventStatus.FAILED, NEVER_OPENED)
        attributes = {**job.record, "processor_version": self._version}
        unopened = Record({"messages": [], "message_count": 0, **attributes})
        first = None
        is_due = not rules.is_held(unopened, "auto_queue_initial_message") and _may_speak(switches)
        if is_due and self._composer.is_instant(unopened):
            try:
                first = (entry_id, self._composer.unsaved_opening(unopened))
            except PermanentError:
                first = None  # it will be refused again below, where the record can say so
        opened = self._conversations.open(attributes, first)
        if opened.record is None:
            self._starts.free(
                str(attributes["company_id"]), event.facts.event_key, event.facts.received_at
            )
            raise NotAnEvent(EventStatus.FAILED, "do_not_contact")
        if first is not None and opened.is_new:
            work.draft = first[1]
        return opened.record

    def _reopened(self, record: Record) -> Record:
        """A person has a failed start run again."""
        moved = self._conversations.move(
            record,
            {Status.FAILED},
            {"conversation_status": Status.PROCESSING.value},
            remove={"failure_stage", "failure_reason"},
        )
        return moved or self._conversations.get(record)

    # --- reply --------------------------------------------------------------------------------

    def _whose(self, job: InboundMessage) -> Record:
        """The conversation a message belongs to: by its token, its thread, or the newest alive."""
        if job.token is not None:
            record = self._conversations.find(job.token)
            if record is not None:
                return record
        found = sorted(
            self._conversations.of_pair(Channel(job.channel), job.sender, job.recipient),
            key=lambda one: one.created_at,
            reverse=True,
        )
        threads = frozenset(job.in_reply_to)
        for record in found:
            if record.item.get("email_id_digest") in threads:
                return self._conversations.get(record)
        alive = [record for record in found if record.status != Status.FAILED]
        if not alive:
            raise NotAnEvent(EventStatus.SKIPPED, "unknown_sender")
        spoken = [record for record in alive if record.status != Status.WITHHELD]
        return self._conversations.get((spoken or alive)[0])

    def _plan_reply(self, event: Event, switches: Switches) -> Plan:
        work: Work = event.subject
        if isinstance(work.job, InboundMessage):
            self._heard(work, work.job)
        record = self._known(work)
        message_id = event.facts.source_message_id
        if message_id is None or not self._is_heard(work, message_id):
            return _handed_off("reply", "message_gone")
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.PROCESSED, "with_a_person")
        if self._conversations.is_forbidden(record.primary_channel, record.company_id):
            raise NotAnEvent(EventStatus.PROCESSED, "do_not_contact")
        if rules.is_held(record, "auto_queue_reply_message"):
            return _handed_off("reply", "auto_queue_reply_message")
        self._wait_out_quiet_hours(record)
        entry_id = keys.entry_id(event.facts.event_key)
        try:
            self._check_secrets(record)
            return self._composed(work, entry_id, switches, is_opening=False)
        except PermanentError as error:
            return _handed_off("reply", f"{error.provider}_{error.reason}")
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return _handed_off("reply", error.code)

    def _is_heard(self, work: Work, message_id: str) -> bool:
        if isinstance(work.job, InboundMessage):
            return True
        return self._conversations.has_entry(self._known(work), message_id)

    def _heard(self, work: Work, job: InboundMessage) -> None:
        """Keep the message, once, and see whether it is one that gets no answer."""
        record = self._known(work)
        note = (
            "auto_reply"
            if job.is_automatic
            else "opt_out"
            if job.opt_out == "stop"
            else "media"
            if job.media_count and not job.text.strip()
            else None
        )
        heard = Entry(job.message_id, job.sent_at, "user", job.text, note=note)
        changes = {"last_email_id": job.email_message_id}
        if not job.is_automatic:
            changes["last_inbound_at"] = job.sent_at
        work.record, _ = self._conversations.append(record, heard, changes=changes)
        if job.is_automatic:
            raise NotAnEvent(EventStatus.PROCESSED, "automatic_message")
        if job.opt_out == "stop":
            self._conversations.forbid(record.primary_channel, record.company_id, "stop")
            raise NotAnEvent(EventStatus.PROCESSED, "opted_out")
        if job.opt_out == "start":
            self._conversations.allow(record.primary_channel, record.company_id)
        if job.opt_out == "help":
            raise NotAnEvent(EventStatus.PROCESSED, "answered_by_provider")
        if not job.text.strip():
            raise NotAnEvent(EventStatus.PROCESSED, "media_only" if note else "empty_message")

    # --- release ------------------------------------------------------------------------------

    def _plan_release(self, event: Event, switches: Switches) -> Plan:
        work: Work = event.subject
        record = self._known(work)
        handoff = record.handoff
        if event.facts.event_key != keys.release(record.opaque_id, str(handoff.get("id"))):
            raise NotAnEvent(EventStatus.SKIPPED, "handoff_over")
        if self._conversations.is_forbidden(record.primary_channel, record.company_id):
            raise NotAnEvent(EventStatus.FAILED, "do_not_contact")
        moved = self._conversations.move(
            record, {Status.HANDED_OFF}, {"conversation_status": handoff["was"]}
        )
        record = work.record = moved or self._conversations.get(record)
        if record.is_handed_off:
            raise NotAnEvent(EventStatus.SKIPPED, "handoff_over")
        is_opening = handoff["held"] == "start"
        if not handoff["held"]:
            raise NotAnEvent(EventStatus.PROCESSED, "returned_to_automation")
        entry_id = keys.entry_id(record.start_event if is_opening else event.facts.event_key)
        with self._typed_failures(event, record):
            return self._composed(work, entry_id, switches, is_opening=is_opening)

    # --- what they share ----------------------------------------------------------------------

    def _composed(self, work: Work, entry_id: str, switches: Switches, *, is_opening: bool) -> Plan:
        """The plan that sends one message, or asks for a person, or both."""
        record = self._known(work)
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        send = PlannedAction(kind, entry_id)
        facts: dict[str, Any] = {"entry_id": entry_id, "opening": is_opening}
        if not _may_speak(switches):
            return Plan(FLOW, ((send,),), facts)  # withheld at the door out; written if released
        if work.draft is None:
            compose = self._composer.opening if is_opening else self._composer.answer
            work.draft = compose(record, entry_id)
        draft = work.draft
        steps: list[tuple[PlannedAction, ...]] = []
        if draft.text or draft.variables is not None:
            steps.append((send,))
        if draft.hand_off_reason is not None:
            steps.append((PlannedAction("hand_off", "|asked_by_writer"),))
        if draft.function_call is not None:
            facts["function"] = draft.function_call
        return Plan(FLOW, tuple(steps), facts)

    def _concluded_send(
        self, event: Event, plan: Plan, record: Record, entry_id: str, row: ActionRow
    ) -> Record:
        work: Work = event.subject
        draft = work.draft or self._conversations.draft(record, entry_id) or Draft()
        now = self._clock.now()
        is_opening = bool(plan.facts.get("opening"))
        said = work.loaded.sent[0] if work.loaded and work.loaded.sent else draft.text
        entry = Entry(
            entry_id=entry_id,
            message_timestamp=iso(now),
            role="assistant",
            content=said or " | ".join((draft.variables or {}).values()),
            ai_prompt_tokens=draft.prompt_tokens,
            ai_completion_tokens=draft.completion_tokens,
            ai_total_tokens=draft.total_tokens,
            processing_time_ms=draft.processing_time_ms,
            provider_id=row.ref,
        )
        status = Status.INITIAL_MESSAGE_SENT if is_opening else Status.REPLY_SENT
        expected = AUTOMATED | {Status.FAILED} if is_opening else AUTOMATED
        changes: dict[str, Any] = {"conversation_status": status.value, "task_complete": 1}
        if plan.facts.get("function"):
            changes |= {"function_call": True, "function_call_type": plan.facts["function"]}
        also: tuple[dict[str, Any], ...] = ()
        if is_opening:
            changes["processing_time_ms"] = int((self._clock.monotonic() - work.started) * 1000)
            also = (self._freed(record),)
            if record.channel == Channel.EMAIL and row.ref:
                changes["email_id"] = header = self._message_id_header(row.ref)
                changes["email_id_digest"] = keys.digest("message-id", header)[:32]
        record, _ = self._conversations.append(
            record, entry, expected=expected, changes=changes, remove=_OVER, also=also
        )
        if event.facts.event_key.startswith("evt:release:") and is_opening:
            self._starts.note(record.start_event, outcome="sent")
        return record

    def _concluded_refusal(self, event: Event, record: Record, row: ActionRow, plan: Plan) -> None:
        if row.reason == OPT_OUT_CODE:
            self._conversations.forbid(record.primary_channel, record.company_id, "code_21610")
        if not plan.facts.get("opening"):
            return
        self._fail(record, "send", row.reason or "refused")
        self._free(record, event)

    def _concluded_withheld(self, event: Event, record: Record, plan: Plan, reason: str) -> Record:
        """A switch stopped it: that is told, and its event goes on when it is replayed."""
        changes = {"withheld_reason": reason}
        if plan.facts.get("opening"):
            changes["conversation_status"] = Status.WITHHELD.value
            self._free(record, event)
            if event.facts.event_key != record.start_event:
                self._starts.note(record.start_event, outcome=f"withheld:{reason}")
        expected = {Status.PROCESSING, Status.WITHHELD} if plan.facts.get("opening") else AUTOMATED
        return self._conversations.move(record, expected, changes) or record

    def _concluded_hand_off(self, event: Event, record: Record, row: ActionRow) -> None:
        if row.status == ActionStatus.DONE and event.facts.event_key == record.start_event:
            self._starts.note(record.start_event, outcome="handed_off")
            self._free(record, event)

    def _fail(self, record: Record, stage: str, reason: str) -> None:
        self._conversations.move(
            record,
            AUTOMATED,
            {
                "conversation_status": Status.FAILED.value,
                "failure_stage": stage,
                "failure_reason": reason,
            },
        )

    def _freed(self, record: Record) -> dict[str, Any]:
        return self._starts.ended(
            record.company_id, record.start_event, str(record.item.get("received_at") or "")
        )

    def _free(self, record: Record, event: Event) -> None:
        del event
        self._starts.free(
            record.company_id, record.start_event, str(record.item.get("received_at") or "")
        )

    @contextmanager
    def _typed_failures(self, event: Event, record: Record) -> Iterator[None]:
        """What will never succeed ends in `failed` with stage and reason; the rest is retried."""
        stage, reason = "secrets", ""
        try:
            self._check_secrets(record)
            stage = "compose"
            yield
        except PermanentError as error:
            stage = "secrets" if error.provider == "secrets" else stage
            reason = error.reason
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            reason = error.code
        if reason:
            self._fail(record, stage, reason)
            self._free(record, event)
            raise NotAnEvent(EventStatus.FAILED, f"{stage}:{reason}")

    def _wait_out_quiet_hours(self, record: Record) -> None:
        now = self._clock.now()
        until = rules.quiet_until(record, now)
        if until is not None:
            wait = min((until - now).total_seconds(), rules.MAX_WAIT.total_seconds())
            raise HandBackError("quiet_hours", delay_seconds=wait)

    def _known(self, work: Work) -> Record:
        if work.record is None:
            raise NotAnEvent(EventStatus.FAILED, "conversation_gone")
        return work.record


def _handed_off(held: str, reason: str) -> Plan:
    step = (PlannedAction("hand_off", f"{held}|{reason}"),)
    return Plan(FLOW, (step,), {"opening": held == "start"})


def _may_speak(switches: Switches) -> bool:
    """Nothing is written that would not be sent; a person who has it run later gets it written."""
    modes = switches.modes
    return modes.mode == "automation_candidate" and not switches.shadow_mode
