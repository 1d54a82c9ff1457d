"""The message in a stored plan; no other module reads or writes the plan facts of outreach.

Example::

    {"purpose": "reminder", "entry_id": "5c0d...", "after": "", "step": "reminder"}
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.outreach.conversations.records import CONTINUES, Record
from chalicelib.outreach.messages.purpose import RULES, Look, Purpose, PurposeRule

FLOW = "outreach"
_OF_PERSONS = frozenset({Purpose.PERSON, Purpose.APPROVED})
_FLAGS = ("unwritten", "approved")


@dataclass(frozen=True, slots=True)
class MessagePlan:
    """The message that an event's stored plan sends.

    Attributes:
        purpose: what the message is for.
        entry_id: the id of its draft.
        after: id of the newest act of a person when the message was planned; if a person acts
            later, the message is not sent.  None: a person's own words, which no later act stops.
        step: the step of a reminder or closing message.
        function: the function that the writer asked for.
        is_unwritten: a switch withheld the message before it was written.  If the draft then asks
            for a person or a function, the message is not sent, as its plan performs neither.
        is_approved: a person has approved the message unchanged.
        rules: the rule files of the recipient's place that allowed the message, with versions.
    """

    purpose: Purpose
    entry_id: str
    after: str | None = ""
    step: str | None = None
    function: str | None = None
    is_unwritten: bool = False
    is_approved: bool = False
    rules: tuple[str, ...] = ()

    @property
    def rule(self) -> PurposeRule:
        """How messages of this message's purpose are treated: what is checked, stored and reported."""
        return RULES[self.purpose]

    @property
    def is_persons(self) -> bool:
        """Whether the message is a person's: their reply, or an answer that they edited or approved."""
        return self.after is None and (self.purpose in _OF_PERSONS or self.is_approved)

    def look(self, record: Record) -> Look:
        """The checks to make in the last look before the message leaves."""
        look = self.rule.look
        if self.after is None:
            look &= ~Look.PERSON
        if Look.CONTINUED in look and CONTINUES in record.item:
            look |= Look.ANSWERED
        return look

    def plan(self, *steps: PlannedAction) -> Plan:
        """The storable plan that sends this message and performs further actions."""
        facts: dict[str, Any] = {"purpose": self.purpose.value, "entry_id": self.entry_id}
        for name in ("after", "step", "function"):
            if getattr(self, name) is not None:
                facts[name] = getattr(self, name)
        facts |= {name: True for name in _FLAGS if getattr(self, f"is_{name}")}
        if self.rules:
            facts["rules"] = list(self.rules)
        return Plan(FLOW, tuple((step,) for step in steps), facts)

    @classmethod
    def of(cls, plan: Plan) -> MessagePlan | None:
        """The message of a stored plan.

        None where the plan sends none and only hands the conversation off.
        """
        facts = plan.facts
        if "purpose" not in facts:
            return None
        return cls(
            Purpose(facts["purpose"]),
            facts["entry_id"],
            facts.get("after"),
            facts.get("step"),
            facts.get("function"),
            **{f"is_{name}": name in facts for name in _FLAGS},
            rules=tuple(facts.get("rules", ())),
        )


def hand_off_plan(held: str, reason: str, *, lacks: str | None = None) -> Plan:
    """The plan that hands a conversation to a person.

    `held` is the message that waits for the person: ``start``, ``reply`` or empty for none.
    """
    return Plan(FLOW, ((hand_off_action(held, reason),),), lacks=lacks)


def hand_off_action(held: str, reason: str) -> PlannedAction:
    """The planned action that hands a conversation to a person, because of `reason`.

    `held` is the message that waits for the person: ``start``, ``reply`` or empty for none.
    """
    return PlannedAction("hand_off", f"{held}|{reason}")


def held_message(argument: str) -> str:
    """The message that a planned hand-off holds: ``start``, ``reply`` or empty for none."""
    return argument.partition("|")[0]
