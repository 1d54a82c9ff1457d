"""Has a message composed and plans its sending, with hand-off, tool call or STOP confirmation.

Shared by handlers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from chalicelib.errors import PermanentError, UnavailableError, reason_of
from chalicelib.once import keys
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import NotAnEvent
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Clock, Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.events.context import EventContext, may_send
from chalicelib.outreach.messages import reopening
from chalicelib.outreach.messages.ending import Endings
from chalicelib.outreach.messages.fixed import person_will_answer
from chalicelib.outreach.messages.plan import MessagePlan, hand_off_action, hand_off_plan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.project.unreadable import AI_CONFIG
from chalicelib.outreach.reasons import ASKED_BY_WRITER, BAD_ARGUMENTS, TOOL_WITHOUT_ENDPOINT
from chalicelib.outreach.spending.budget_limits import (
    CONVERSATION_BUDGET_REACHED,
    BudgetReachedError,
)
from chalicelib.outreach.spending.unwritten import MODEL
from chalicelib.outreach.tools.confirmation import ASK, CALL, ToolStep
from chalicelib.outreach.writing.composer import Composer
from chalicelib.outreach.writing.template_writer import REFUSED, DraftRefusedError

FOR_A_PERSON = (REFUSED, AI_CONFIG, MODEL)
"""In errors after which a person decides about an opening too; an answer is always a person's then."""
_OF_TOOLS = (BAD_ARGUMENTS, TOOL_WITHOUT_ENDPOINT)
"""What the reasons begin with that the code gives for a tool; the others are a writer's own words."""
_OF_TOOL = {ASK: Purpose.QUESTION, CALL: Purpose.ACKNOWLEDGEMENT}


class Drafting:
    """Has a message composed by the writer, and makes the plan that sends it.

    Args:
        check_secrets: raises if the company's credentials are missing or malformed.
        current: gives a project's settings as they are now.
    """

    def __init__(
        self,
        *,
        composer: Composer,
        clock: Clock,
        check_secrets: Callable[[Record], None],
        endings: Endings,
        current: Callable[[Record], Project],
    ) -> None:
        self.composer = composer
        self._current = current
        self._clock = clock
        self.check_secrets = check_secrets
        self._endings = endings

    def plan(
        self, context: EventContext, entry_id: str, switches: Switches, purpose: Purpose
    ) -> Plan:
        """Have a message written unless it has a draft; plan to send it, hand the conversation off, or both.

        While the switches forbid sending, the message is planned unwritten, and withheld.

        Args:
            context: the event's context.
            entry_id: the message's entry id.
            switches: the switches as they are now.
            purpose: such as `OPENING`, `ANSWER` or `APPROVED`.

        Raises:
            PermanentError: an answer cannot be written, or a first message cannot, for a reason that no
                person can settle.
        """
        record = context.conversation
        is_persons = context.draft is not None and context.draft.by is not None
        if not is_persons and not may_send(switches):
            # Withheld by `effects`; written when its event is replayed.
            after = record.person_act
            message = MessagePlan(purpose, entry_id, after, is_unwritten=True, rules=context.rules)
            return message.plan(planned_send(record, entry_id))
        is_opening = purpose is Purpose.OPENING
        if context.draft is None:
            compose = self.composer.opening if is_opening else self.composer.answer
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
            return self.plan_opt_out(context, entry_id)
        if not is_opening:
            entry_id = self.fit_template(context, entry_id)
        return self.plan_of_draft(record, context.draft, entry_id, purpose, context.rules)

    def earlier_confirmation(self, context: EventContext, *entry_ids: str) -> Plan | None:
        """The plan to confirm an opt-out that an earlier, interrupted run of this event stored.

        None where no stored draft of that run recognises an opt-out.

        Args:
            context: the event's context.
            entry_ids: ids under which that run may have stored its draft.
        """
        for entry_id in entry_ids:
            draft = self.composer.stored_draft(context.conversation, entry_id)
            if draft is not None and draft.opts_out:
                context.draft = draft
                return self.plan_opt_out(context, entry_id)
        return None

    def keep_refused(self, context: EventContext, error: PermanentError) -> None:
        """Store the draft that the checks refused, for the person who decides; nothing for other errors."""
        if isinstance(error, DraftRefusedError):
            held_id = outreach_keys.held_entry_id(context.handoff_id)
            self.composer.keep_refused(context.conversation, held_id, error)

    def plan_opt_out(self, context: EventContext, entry_id: str) -> Plan:
        """Store the recipient's opt-out, and plan its confirmation, where the channel sends one."""
        steps: tuple[PlannedAction, ...] = ()
        record = context.conversation
        self._endings.opt_out(record)
        asked = (record.primary_channel, record.company_id, entry_id)
        with suppress(
            PermanentError
        ):  # where free text is not allowed any more, no confirmation is sent
            entry_id = self.fit_template(context, entry_id)
            confirms = record.channel.traits.stop_kind
            has_text = confirms and context.draft is not None and context.draft.text
            if confirms and has_text and self._endings.conversations.claim_confirmation(*asked):
                steps = (PlannedAction(confirms.name, entry_id),)
        return MessagePlan(Purpose.STOP_CONFIRMED, entry_id).plan(*steps)

    @staticmethod
    def plan_of_draft(
        record: Record,
        draft: Draft,
        entry_id: str,
        purpose: Purpose,
        rules: tuple[str, ...] = (),
    ) -> Plan:
        """The plan that a written draft asks for: send its message, call its tool, hand off to a person."""
        step = ToolStep.of(draft.tool)
        steps: list[PlannedAction] = []
        if draft.text or draft.variables is not None:
            steps.append(planned_send(record, entry_id))
        if step is not None and step.step == CALL:
            steps.append(PlannedAction("call_tool", entry_id, depends_on=(0,)))
        if draft.hand_off_reason is not None:
            is_code = draft.hand_off_reason.startswith(_OF_TOOLS)
            steps.append(hand_off_action("", draft.hand_off_reason if is_code else ASKED_BY_WRITER))
        message = MessagePlan(
            _OF_TOOL[step.step] if step else purpose,
            entry_id,
            None if draft.by is not None else record.person_act,
            function=draft.function_call,
            is_approved=purpose is Purpose.APPROVED,
            rules=rules,
        )
        return message.plan(*steps)

    def _out_of_budget(
        self, context: EventContext, entry_id: str, reason: str, *, is_opening: bool
    ) -> Plan:
        """The plan where the model's budget is used up: hand the conversation to a person.

        In place of an answer, a fixed text says that a person will reply; only once where it is the
        conversation's own budget.
        """
        if is_opening:
            return hand_off_plan("start", reason)
        record = context.conversation
        if reason == CONVERSATION_BUDGET_REACHED:
            entry_id = keys.digest("budget", record.opaque_id)[:32]
            if self.composer.has_entry(record, entry_id):
                return hand_off_plan("", reason)
        wording = Draft(text=person_will_answer(record))
        context.draft = self.composer.store_fixed(record, entry_id, wording)
        message = MessagePlan(Purpose.HOLDING, entry_id, record.person_act)
        return message.plan(planned_send(record, entry_id), hand_off_action("", reason))

    def fit_template(self, context: EventContext, entry_id: str) -> str:
        """Put a free text into the project's template where the carrier takes no free text any more.

        Returns:
            The entry id under which the message is stored.

        Raises:
            PermanentError: ``window_closed``: the project has no such template.
        """
        record, draft = context.conversation, context.draft
        is_free = draft is not None and draft.text and draft.variables is None
        if draft is None or not is_free or rules.takes_free_text(record, self._clock.now()):
            return entry_id
        template = reopening.template_of(record, self._current(record))
        if template is None:
            vendor = record.channel.traits.carrier.vendor
            raise PermanentError(vendor, "create_message", reason=reopening.WINDOW_CLOSED)
        other = keys.digest("reopening", entry_id)[:32]
        carried = reopening.in_template(record, draft, template)
        context.draft = self.composer.store_fixed(record, other, carried)
        return other

    @contextmanager
    def fail_on_permanent_error(self, record: Record, lease: Lease | None = None) -> Iterator[None]:
        """Check the credentials and run a block.

        A permanent error fails the conversation, with stage and reason.

        Args:
            record: the conversation.
            lease: the lease of the event that found the error; see `Endings.fail`.

        Raises:
            NotAnEvent: the conversation has failed.  Passing errors are raised as they are.
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
            self._endings.fail(record, stage, reason, lease)
            raise NotAnEvent(EventStatus.FAILED, f"{stage}:{reason}")

    def plan_answer(
        self,
        context: EventContext,
        entry_id: str,
        switches: Switches,
        purpose: Purpose = Purpose.ANSWER,
    ) -> Plan:
        """Check the credentials and plan an answer.

        A permanent error plans a hand-off to a person instead.
        """
        try:
            self.check_secrets(context.conversation)
            return self.plan(context, entry_id, switches, purpose)
        except (PermanentError, UnavailableError) as error:
            reason = lasting_reason(error)
            if isinstance(error, PermanentError):
                self.keep_refused(context, error)
            return hand_off_plan("reply", reason)


def planned_send(record: Record, entry_id: str) -> PlannedAction:
    """The planned action that sends the message of an entry id on the conversation's channel."""
    return PlannedAction(record.channel.traits.send_kind.name, entry_id)


def lasting_reason(error: PermanentError | UnavailableError) -> str:
    """The reason code of an error that does not pass by itself.

    Raises:
        UnavailableError: the given error, if it may pass by itself; a missing secret does not.
    """
    if isinstance(error, UnavailableError) and error.code != "secret_missing":
        raise error
    return reason_of(error)
