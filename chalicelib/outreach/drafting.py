"""What every message of outreach waits for before it is planned: quiet hours, secrets, its words."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from chalicelib.errors import HandBackError, PermanentError, UnavailableError
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import rules
from chalicelib.outreach.conclusions import Conclusions
from chalicelib.outreach.conversations.records import Channel, Record
from chalicelib.outreach.work import FLOW, Work, handed_off, may_speak
from chalicelib.outreach.writing.composer import Composer


class Drafting:
    """Has a message written and plans its sending.

    Args:
        check_secrets: raises where the company's credentials are missing or malformed.
    """

    def __init__(
        self,
        composer: Composer,
        clock: Clock,
        check_secrets: Callable[[Record], None],
        conclusions: Conclusions,
    ) -> None:
        self._composer = composer
        self._clock = clock
        self.check_secrets = check_secrets
        self._conclusions = conclusions

    def plan(self, work: Work, entry_id: str, switches: Switches, *, is_opening: bool) -> Plan:
        """The plan that sends one message, or asks for a person, or both."""
        record = work.known
        kind = "send_email" if record.channel == Channel.EMAIL else "send_text"
        send = PlannedAction(kind, entry_id)
        facts: dict[str, Any] = {"entry_id": entry_id, "opening": is_opening}
        if not may_speak(switches):
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

    @contextmanager
    def typed_failures(self, record: Record) -> Iterator[None]:
        """What will never succeed ends in `failed` with stage and reason; the rest is retried."""
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
        """The conversation has failed before anything was said in it."""
        self._conclusions.fail(record, stage, reason)
        self._conclusions.free(record)

    def answer(self, work: Work, entry_id: str, switches: Switches) -> Plan:
        """The plan of an answer; what will never succeed goes to a person."""
        try:
            self.check_secrets(work.known)
            return self.plan(work, entry_id, switches, is_opening=False)
        except PermanentError as error:
            return handed_off("reply", f"{error.provider}_{error.reason}")
        except UnavailableError as error:
            if error.code != "secret_missing":
                raise
            return handed_off("reply", error.code)

    def wait_out_quiet_hours(self, record: Record) -> None:
        """Raises `HandBackError` until they are over."""
        now = self._clock.now()
        until = rules.quiet_until(record, now)
        if until is not None:
            wait = min((until - now).total_seconds(), rules.MAX_WAIT.total_seconds())
            raise HandBackError("quiet_hours", delay_seconds=wait)
