"""Shared by all outreach messages before planning: quiet hours, credentials, the draft."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Any

from chalicelib.clock import parsed
from chalicelib.errors import PermanentError, UnavailableError, reason_of
from chalicelib.once import keys
from chalicelib.once.event import SCHEDULED, EventStatus, Lease
from chalicelib.once.flow import NotAnEvent, NotYet
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.company_events.names import Name
from chalicelib.outreach.conversations.records import CONTINUES, QUIET_HOURS, SEND_AT, Draft, Record
from chalicelib.outreach.events.context import FLOW, EventContext, hand_off_plan, may_send
from chalicelib.outreach.events.waiting import ConversationOrder
from chalicelib.outreach.messages import reopening
from chalicelib.outreach.messages.fixed import person_will_answer, with_opt_out_line
from chalicelib.outreach.messages.look import PERSON_ANSWERS
from chalicelib.outreach.messages.sent import Conclusions
from chalicelib.outreach.project import ai_config, rules
from chalicelib.outreach.spending.budget import CONVERSATION_BUDGET_REACHED, BudgetReachedError
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.template_writer import REFUSED, DraftRefusedError

FOR_A_PERSON = (REFUSED, ai_config.PROVIDER)
"""In errors after which a person decides about an opening too; an answer is always a person's then."""
UNREADABLE_WAIT_SECONDS = 1800.0
"""How often a setting of quiet hours that cannot be read is looked at again."""


class Drafting:
    """Has a message composed and plans its sending.

    Args:
        check_secrets: raises if the company's credentials are missing or malformed.
        in_order: keeps the order of a conversation while an event of it waits.
        current: a project's settings as they are now.
    """

    def __init__(
        self,
        composer: Composer,
        clock: Clock,
        check_secrets: Callable[[Record], None],
        conclusions: Conclusions,
        in_order: ConversationOrder,
        current: Callable[[Record], Mapping[str, Any]],
    ) -> None:
        self._composer = composer
        self.in_order = in_order
        self._current = current
        self._clock = clock
        self.check_secrets = check_secrets
        self._conclusions = conclusions

    def plan(
        self, context: EventContext, entry_id: str, switches: Switches, *, is_opening: bool
    ) -> Plan:
        """The plan that sends one message, hands the conversation to a person, or both."""
        record = context.conversation
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        send = PlannedAction(kind, entry_id)
        facts: dict[str, Any] = {"entry_id": entry_id, "opening": is_opening}
        if record.person_act:
            facts["person_act"] = record.person_act
        if is_opening and CONTINUES in record.item:
            facts["unless_answered"] = True
        if not may_send(switches):
            # Withheld by `effects`; written when its event is replayed.
            return Plan(FLOW, ((send,),), facts | {"unwritten": True})
        if context.draft is None:
            compose = self._composer.opening if is_opening else self._composer.answer
            try:
                context.draft = compose(record, entry_id)
            except BudgetReachedError as error:
                return self._out_of_budget(context, entry_id, error.reason, is_opening=is_opening)
            except PermanentError as error:
                if is_opening and error.provider in FOR_A_PERSON:
                    self.keep_refused(context, error)
                    return hand_off_plan("start", reason_of(error))
                raise
        if context.draft.opts_out:
            return self.opting_out(context, entry_id)
        if not is_opening:
            entry_id = self._fit(context, entry_id)
            send, facts["entry_id"] = PlannedAction(kind, entry_id), entry_id
        draft = context.draft
        if draft.by is not None:
            facts["by_person"] = True
        return self.sending(draft, send, facts)

    def confirmed(self, context: EventContext, *entry_ids: str) -> Plan | None:
        """The plan of a message in which an earlier run has recognised the wish to get no further one.

        That run has written the mark, and perhaps nothing else.  None where it recognised none.

        Args:
            context: of the event.
            entry_ids: under which that run may have stored what it was to send.
        """
        for entry_id in entry_ids:
            draft = self._composer.stored(context.conversation, entry_id)
            if draft is not None and draft.opts_out:
                context.draft = draft
                return self.opting_out(context, entry_id)
        return None

    def keep_refused(self, context: EventContext, error: PermanentError) -> None:
        """Keep a draft that may not be sent, for the person who decides."""
        if isinstance(error, DraftRefusedError):
            held_id = outreach_keys.held_entry_id(context.handoff_id)
            self._composer.keep_refused(context.conversation, held_id, error)

    def opting_out(self, context: EventContext, entry_id: str) -> Plan:
        """The plan that confirms the wish to get no further message, which is noted first."""
        steps: tuple[tuple[PlannedAction, ...], ...] = ()
        self._conclusions.opt_out(context.conversation)
        with suppress(PermanentError):  # WhatsApp takes no free text any more: nothing confirms it
            entry_id = self._fit(context, entry_id)
            if context.draft is not None and context.draft.text:
                steps = ((PlannedAction("confirm_stop", entry_id),),)
        return Plan(FLOW, steps, {"entry_id": entry_id, "notice": True})

    @staticmethod
    def sending(draft: Draft, send: PlannedAction, facts: dict[str, Any]) -> Plan:
        """The plan of a draft: its message, a person, a function that the writer asked for."""
        steps: list[tuple[PlannedAction, ...]] = []
        if draft.text or draft.variables is not None:
            steps.append((send,))
        if draft.hand_off_reason is not None:
            steps.append((PlannedAction("hand_off", "|asked_by_writer"),))
        if draft.function_call is not None:
            facts["function"] = draft.function_call
        if draft.function_step is not None:
            facts["tool"] = draft.function_step
        return Plan(FLOW, tuple(steps), facts)

    def _out_of_budget(
        self, context: EventContext, entry_id: str, reason: str, *, is_opening: bool
    ) -> Plan:
        """A person opens; who has written is answered once that a person will come back to them."""
        if is_opening:
            return hand_off_plan("start", reason)
        record = context.conversation
        if reason == CONVERSATION_BUDGET_REACHED:
            entry_id = keys.digest("budget", record.opaque_id)[:32]
            if self._composer.is_sent(record, entry_id):
                return hand_off_plan("", reason)
        wording = Draft(text=person_will_answer(record))
        context.draft = self._composer.fixed(record, entry_id, wording)
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        steps = (
            (PlannedAction(kind, entry_id),),
            (PlannedAction("hand_off", f"|{reason}"),),
        )
        return Plan(FLOW, steps, {"entry_id": entry_id, "opening": False})

    def of_person(self, context: EventContext, entry_id: str) -> Plan:
        """The plan that sends what a person wrote; the person learns what stops it."""
        record = context.conversation
        try:
            self.check_secrets(record)
            entry_id = self._fit(context, entry_id)
        except (PermanentError, UnavailableError) as error:
            if isinstance(error, UnavailableError) and error.code != "secret_missing":
                raise
            self.reply_failed(record, reason_of(error))
            raise NotAnEvent(EventStatus.FAILED, reason_of(error)) from None
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        facts = {"entry_id": entry_id, "opening": False, "by_person": True, "desk": True}
        return Plan(FLOW, ((PlannedAction(kind, entry_id),),), facts)

    def follow_up(self, context: EventContext, entry_id: str, step: str, text: str) -> Plan:
        """The plan that sends a reminder or an end message.

        Raises:
            NotAnEvent: it cannot be sent; no person is asked, as the recipient has asked for nothing.
        """
        record = context.conversation
        wording = with_opt_out_line(record, Draft(text=text))
        context.draft = self._composer.fixed(record, entry_id, wording)
        try:
            self.check_secrets(record)
            entry_id = self._fit(context, entry_id)
        except (PermanentError, UnavailableError) as error:
            if isinstance(error, UnavailableError) and error.code != "secret_missing":
                raise
            raise NotAnEvent(EventStatus.FAILED, reason_of(error)) from None
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        facts = {
            "entry_id": entry_id,
            "opening": False,
            "follow_up": step,
            "unless_answered": True,
        }
        return Plan(FLOW, ((PlannedAction(kind, entry_id),),), facts)

    def person_acted(self, record: Record, name: Name, act_id: str) -> None:
        """A person has taken the conversation, or closed it."""
        self._conclusions.person_acted(record, name, act_id)

    def reply_failed(self, record: Record, reason: str) -> None:
        """What a person wrote was not sent: the recipient waits for an answer again."""
        self._conclusions.reply_failed(record, reason)

    def _fit(self, context: EventContext, entry_id: str) -> str:
        """Have WhatsApp's template carry a free text that comes after the window has closed.

        Returns:
            The entry id under which the message is stored.

        Raises:
            PermanentError: ``window_closed``: the project has no such template.
        """
        record, draft = context.conversation, context.draft
        is_free = draft is not None and draft.text and draft.variables is None
        if draft is None or not is_free or rules.takes_free_text(record, self._clock.now()):
            return entry_id
        template = reopening.template_of(self._current(record))
        if template is None:
            raise PermanentError("twilio", "create_message", reason=reopening.WINDOW_CLOSED)
        other = keys.digest("reopening", entry_id)[:32]
        carried = reopening.carried(record, draft, template)
        context.draft = self._composer.fixed(record, other, carried)
        return other

    @contextmanager
    def fail_on_permanent_error(self, record: Record, lease: Lease | None = None) -> Iterator[None]:
        """A permanent error fails the conversation, with stage and reason; others are retried.

        Args:
            record: the conversation.
            lease: of the event that found the error; see `Conclusions.fail`.
        """
        stage, reason = "secrets", ""
        try:
            self.check_secrets(record)
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
            self.give_up(record, stage, reason, lease)
            raise NotAnEvent(EventStatus.FAILED, f"{stage}:{reason}")

    def give_up(self, record: Record, stage: str, reason: str, lease: Lease | None = None) -> None:
        """Fail a conversation before its first message; see `Conclusions.fail`."""
        self._conclusions.fail(record, stage, reason, lease)
        self._conclusions.free(record)

    def continued(self, record: Record) -> None:
        """Another conversation has taken its place; see `Conclusions.continued`."""
        self._conclusions.continued(record)

    def give_way(self, record: Record, reason: str = PERSON_ANSWERS) -> None:
        """A conversation's opening is not sent, because a person has it, or its recipient has written."""
        self._conclusions.give_way(record, reason)

    def answer(self, context: EventContext, entry_id: str, switches: Switches) -> Plan:
        """The plan of an answer; a permanent error hands the conversation to a person."""
        try:
            self.check_secrets(context.conversation)
            return self.plan(context, entry_id, switches, is_opening=False)
        except PermanentError as error:
            self.keep_refused(context, error)
            return hand_off_plan("reply", reason_of(error))
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return hand_off_plan("reply", reason_of(error))

    def wait_until_send_at(self, record: Record) -> None:
        """Raise `NotYet` before the time at which the company wants the first message sent.

        No other event waits behind it, and the start is in progress no more: it may wait for weeks.
        """
        at = parsed(record.item.get(SEND_AT))
        if at is not None and at > self._clock.now():
            self._conclusions.free(record)
            raise NotYet(SCHEDULED, at.timestamp())

    def wait_out_quiet_hours(
        self, record: Record, event_key: str, *, is_in_line: bool = True
    ) -> None:
        """Raise `NotYet` while the recipient has quiet hours, or while their setting cannot be read.

        Then the project's current setting is read, which an operator may have corrected.

        Args:
            record: the conversation.
            event_key: of the event that waits.
            is_in_line: later events of the conversation wait behind it.
        """
        now = self._clock.now()
        reason = QUIET_HOURS
        try:
            until = rules.quiet_until(self._with_readable_hours(record, now), now)
        except rules.UnreadableQuietHoursError:
            until = now + timedelta(seconds=UNREADABLE_WAIT_SECONDS)
            reason = f"{QUIET_HOURS}_unreadable"
        if until is None:
            return
        if not is_in_line:
            raise NotYet(reason, until.timestamp())
        self.in_order.wait(record, event_key, until, reason)

    def _with_readable_hours(self, record: Record, now: datetime) -> Record:
        """The record, with its project's current setting if its own copy cannot be read."""
        try:
            rules.quiet_until(record, now)
        except rules.UnreadableQuietHoursError:
            current = self._current(record).get("quiet_hours")
            kept = {name: one for name, one in record.item.items() if name != "quiet_hours"}
            return Record(kept if current is None else {**kept, "quiet_hours": current})
        return record
