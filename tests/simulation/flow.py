"""The support flow with actions of every settling kind behind its tags, in two versions.

It covers what the product's own flows do not use yet: a reply that is settled by query, by the
provider's key or not at all, and a closing that depends on the reply.
Version 2 orders the steps differently and knows a kind that version 1 does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from chalicelib.once import keys
from chalicelib.once.action import ActionRow
from chalicelib.once.effect import Effect, EffectKind, Executor, Settle, kinds
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, Flow, suffix
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support.flow import SupportFlow

AUTHOR = "bot"


def _kind(name: str, settle: Settle, *, reaches_customer: bool = True) -> EffectKind:
    return EffectKind(
        name,
        "richpanel",
        settle,
        reaches_customer=reaches_customer,
        executor=_queried if settle is Settle.QUERY else lambda parts: Executor(parts.perform),
    )


def _queried(parts: Any) -> Executor:
    return Executor(parts.perform, settler=parts.replies)


KINDS = kinds(
    _kind("reply_queried", Settle.QUERY),
    _kind("reply_keyed", Settle.KEY),
    _kind("reply_blind", Settle.NONE),
    _kind("close", Settle.REPEATABLE, reaches_customer=False),
    _kind("note", Settle.REPEATABLE, reaches_customer=False),  # only version 2
)
"""Replies of every settling kind, and states of the ticket; their parts are those of `Provoking`."""
REPLIES = tuple(name for name in KINDS if name.startswith("reply_"))


class RepliedFlow(Flow):
    """`flows.Flow`: the support flow's tags, then a reply, then the actions that depend on it.

    Args:
        reply: the kind of reply.
        version: the deployed version, 1 or 2.
    """

    def __init__(self, inner: SupportFlow, *, reply: str, version: int) -> None:
        self._inner = inner
        self._reply = reply
        self._version = version

    def is_container(self, job: Any) -> bool:
        """See `flows.Flow.is_container`."""
        return self._inner.is_container(job)

    def events(self, job: Any) -> Sequence[Event]:
        """See `flows.Flow.events`."""
        return self._inner.events(job)

    def note_complete(self, job: Any) -> None:
        """See `flow.Flow.note_complete`."""
        self._inner.note_complete(job)

    def plan(self, event: Event, switches: Switches) -> Plan:
        """See `flows.Flow.plan`."""
        plan = self._inner.plan(event, switches)
        tags = sum(len(step) for step in plan.steps)
        template = str(plan.facts["intent"])
        reply = (PlannedAction(self._reply, template),)
        if self._version == 1:
            close = (PlannedAction("close", depends_on=(tags,)),)
            return replace(plan, steps=(*plan.steps, reply, close))
        shifted = tuple(
            tuple(replace(a, depends_on=tuple(n + 1 for n in a.depends_on)) for a in step)
            for step in plan.steps
        )
        close = (PlannedAction("close", depends_on=(0,)),)
        note = (PlannedAction("note"),)
        return replace(plan, steps=(reply, *shifted, note, close))

    def recheck(self, event: Event, plan: Plan, switches: Switches) -> None:
        """See `flow.Flow.recheck`."""
        self._inner.recheck(event, plan, switches)

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Effect:
        """See `flows.Flow.build`."""
        if planned.kind == "note" and self._version == 1:
            raise KeyError(planned.kind)
        if planned.kind in KINDS:
            ticket = event.facts.conversation_id
            return built(planned.kind, ticket, planned.arg, suffix(event))
        return self._inner.build(planned, event, plan)

    def escalation(self, event: Event, reason: str) -> Effect | None:
        """See `flow.Flow.escalation`."""
        return self._inner.escalation(event, reason)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`."""
        theirs = {key: row for key, row in rows.items() if not key.startswith("act:rp_reply:")}
        return self._inner.conclude(lease, event, plan, theirs)


def built(name: str, ticket: str, argument: str, key_suffix: keys.Suffix) -> Effect:
    """An effect of one of these kinds."""
    is_reply = name in REPLIES
    key = keys.joined("act", "note", ticket, key_suffix)
    if name != "note":
        named = ticket_keys.reply_action if is_reply else ticket_keys.close_action
        key = named(ticket, key_suffix)
    probe = {"author": AUTHOR, "body": argument} if is_reply else {}
    audit_type = "auto_reply" if is_reply else name
    return Effect(KINDS[name], key, ticket, argument, audit_type, {"template": argument}, probe)
