"""Shared by all outreach messages before planning: quiet hours, credentials, the draft."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Any

from chalicelib.errors import PermanentError, UnavailableError, reason_of
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import rules
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conclusions import Conclusions
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.event_context import FLOW, EventContext, hand_off_plan, may_send
from chalicelib.outreach.notices import person_will_answer
from chalicelib.outreach.spending.budget import BUDGET_REACHED, BudgetReachedError
from chalicelib.outreach.waiting import Turns
from chalicelib.outreach.writing.composer import Composer

UNREADABLE_WAIT_SECONDS = 1800.0
"""How often a setting of quiet hours that cannot be read is looked at again."""


class Drafting:
    """Has a message composed and plans its sending.

    Args:
        check_secrets: raises if the company's credentials are missing or malformed.
        turns: keeps the order of a conversation while an event of it waits.
        current: a project's settings as they are now.
    """

    def __init__(
        self,
        composer: Composer,
        clock: Clock,
        check_secrets: Callable[[Record], None],
        conclusions: Conclusions,
        turns: Turns,
        current: Callable[[Record], Mapping[str, Any]],
    ) -> None:
        self._composer = composer
        self.turns = turns
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
        if not may_send(switches):
            return Plan(FLOW, ((send,),), facts)  # withheld by `effects`; composed if released
        if context.draft is None:
            compose = self._composer.opening if is_opening else self._composer.answer
            try:
                context.draft = compose(record, entry_id)
            except BudgetReachedError:
                return self._out_of_budget(context, entry_id, is_opening=is_opening)
        draft = context.draft
        if draft.opts_out:
            self._conclusions.opt_out(record)
            confirmation = ((PlannedAction("confirm_stop", entry_id),),) if draft.text else ()
            return Plan(FLOW, confirmation, {"entry_id": entry_id, "notice": True})
        steps: list[tuple[PlannedAction, ...]] = []
        if draft.text or draft.variables is not None:
            steps.append((send,))
        if draft.hand_off_reason is not None:
            steps.append((PlannedAction("hand_off", "|asked_by_writer"),))
        if draft.function_call is not None:
            facts["function"] = draft.function_call
        return Plan(FLOW, tuple(steps), facts)

    def _out_of_budget(self, context: EventContext, entry_id: str, *, is_opening: bool) -> Plan:
        """A person opens; who has written is answered once that a person will come back to them."""
        if is_opening:
            return hand_off_plan("start", BUDGET_REACHED)
        record = context.conversation
        wording = Draft(text=person_will_answer(record))
        context.draft = self._composer.fixed(record, entry_id, wording)
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        steps = (
            (PlannedAction(kind, entry_id),),
            (PlannedAction("hand_off", f"|{BUDGET_REACHED}"),),
        )
        return Plan(FLOW, steps, {"entry_id": entry_id, "opening": False})

    @contextmanager
    def fail_on_permanent_error(self, record: Record) -> Iterator[None]:
        """A permanent error fails the conversation, with stage and reason; others are retried."""
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
            self.give_up(record, stage, reason)
            raise NotAnEvent(EventStatus.FAILED, f"{stage}:{reason}")

    def give_up(self, record: Record, stage: str, reason: str) -> None:
        """Fail a conversation before its first message."""
        self._conclusions.fail(record, stage, reason)
        self._conclusions.free(record)

    def answer(self, context: EventContext, entry_id: str, switches: Switches) -> Plan:
        """The plan of an answer; a permanent error hands the conversation to a person."""
        try:
            self.check_secrets(context.conversation)
            return self.plan(context, entry_id, switches, is_opening=False)
        except PermanentError as error:
            return hand_off_plan("reply", reason_of(error))
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return hand_off_plan("reply", reason_of(error))

    def wait_out_quiet_hours(self, record: Record, event_key: str) -> None:
        """Raise `Waits` while the recipient has quiet hours, or while their setting cannot be read.

        Then the project's current setting is read, which an operator may have corrected.
        """
        now = self._clock.now()
        try:
            until = rules.quiet_until(self._with_readable_hours(record, now), now)
        except rules.UnreadableQuietHoursError:
            self.turns.wait(
                record,
                event_key,
                now + timedelta(seconds=UNREADABLE_WAIT_SECONDS),
                "quiet_hours_unreadable",
            )
        else:
            if until is not None:
                self.turns.wait(record, event_key, until, "quiet_hours")

    def _with_readable_hours(self, record: Record, now: datetime) -> Record:
        """The record, with its project's current setting if its own copy cannot be read."""
        try:
            rules.quiet_until(record, now)
        except rules.UnreadableQuietHoursError:
            current = self._current(record).get("quiet_hours")
            kept = {name: one for name, one in record.item.items() if name != "quiet_hours"}
            return Record(kept if current is None else {**kept, "quiet_hours": current})
        return record
