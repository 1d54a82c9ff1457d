"""Has messages written that a person must approve before they are sent, and finds the approved draft.

What is approved is exactly what is sent: the draft is stored before the conversation is handed off,
a stored draft is never written over by a machine, and an approval names the version that was seen.
"""

from __future__ import annotations

from chalicelib.errors import (
    PacedError,
    PermanentError,
    ProviderError,
    UnavailableError,
    reason_of,
)
from chalicelib.once.plan import Plan
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Draft, Record
from chalicelib.outreach.events.context import EventContext, may_send
from chalicelib.outreach.events.drafting import FOR_A_PERSON, Drafting
from chalicelib.outreach.messages.plan import hand_off_plan
from chalicelib.outreach.messages.purpose import Purpose
from chalicelib.outreach.project import rules
from chalicelib.outreach.reasons import UNWANTED_CHANNEL
from chalicelib.outreach.spending.budget_limits import BudgetReachedError

DATABASE = "dynamodb"
"""Provider of errors that are no writer's."""


class HeldMessages:
    """Plans messages that a person must approve first, and finds the draft that an approval sends."""

    def __init__(self, drafting: Drafting) -> None:
        self._drafting = drafting
        self._composer = drafting.composer

    def plan(
        self, context: EventContext, rule: str, switches: Switches, *, at_approval: bool = False
    ) -> Plan:
        """Have a message written, and plan to hand it to a person for approval.

        Where no message can be written now, the person gets the conversation without it.  The
        message is then written after the person's approval, and must be approved once more.

        Args:
            context: the event's context.
            rule: the hold's code of `rules.HOLD_REASONS`, or `UNWANTED_CHANNEL`: the recipient asked for
                another channel.
            switches: the switches as they are now.
            at_approval: a person has approved the message before it was written; errors that pass are
                then raised.
        """
        record = context.conversation
        is_opening = rule in (rules.HOLD_REASONS["start"], UNWANTED_CHANNEL)
        holds = "start" if is_opening else "reply"
        if not may_send(switches):
            return hand_off_plan(holds, rule)
        entry_id = outreach_keys.held_entry_id(context.handoff_id)
        if is_opening:
            entry_id = outreach_keys.entry_id(record.start_event)
        compose = self._composer.opening if is_opening else self._composer.answer
        try:
            draft = compose(record, entry_id)
        except BudgetReachedError as error:
            return hand_off_plan(holds, error.reason)
        except PermanentError as error:
            self._drafting.keep_refused(context, error)
            is_for_person = error.provider in FOR_A_PERSON
            return hand_off_plan(holds, reason_of(error) if is_for_person else rule)
        except (ProviderError, UnavailableError) as error:
            is_ours = isinstance(error, ProviderError) and error.provider == DATABASE
            if at_approval or is_ours or isinstance(error, PacedError):
                raise
            return hand_off_plan(holds, rule)
        if draft.opts_out:
            context.draft = draft
            return self._drafting.plan_opt_out(context, entry_id)
        if not draft.text and draft.variables is None:  # the draft asks for a person or a function
            context.draft = draft
            return self._drafting.plan_of_draft(record, draft, entry_id, Purpose.ANSWER)
        return hand_off_plan(holds, rule)

    def approved_answer(
        self, record: Record, own: str, handoff_id: str
    ) -> tuple[str, Draft | None]:
        """The answer that an approval sends, as entry id and draft: the person's edit, else the held draft.

        The draft is None where the answer is still to be written, also where the checks refused the
        held one.

        Args:
            record: the conversation.
            own: the entry id of an edited or new answer.
            handoff_id: the hand-off's id in its company's list.
        """
        edited = self._composer.stored_draft(record, own)
        if edited is not None:
            return own, edited
        held_id = outreach_keys.held_entry_id(handoff_id)
        held = self._composer.stored_draft(record, held_id)
        return (own, None) if held is None or held.refused is not None else (held_id, held)

    def is_unwritten_hold(
        self, record: Record, entry_id: str, rule: str, switches: Switches
    ) -> bool:
        """Whether a person must approve a message before it is sent, and the message is not written yet.

        False while the switches forbid sending.
        """
        if not (rules.is_held(record, rule) and may_send(switches)):
            return False
        return self._composer.stored_draft(record, entry_id) is None
