"""The support flow with actions of every settling kind behind its tags, in two versions.

It covers what the product's own flows do not use yet: a reply that is settled by query, by the
provider's key or not at all, and a closing that depends on the reply.
Version 2 orders the steps differently and knows a kind that version 1 does not.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from chalicelib.once import keys
from chalicelib.once.action import Action, ActionRow, Settle
from chalicelib.once.event import Lease
from chalicelib.once.flow import Event, Flow, suffix
from chalicelib.once.keys import Suffix
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Switches
from chalicelib.support import keys as ticket_keys
from chalicelib.support.flow import SupportFlow

AUTHOR = "bot"


@dataclass(frozen=True, slots=True)
class _Simulated:
    conversation_id: str
    arg: str
    suffix: Suffix

    vendor: ClassVar[str] = "richpanel"

    def payload(self) -> Mapping[str, str]:
        return {"template": self.arg}

    def probe(self) -> Mapping[str, str]:
        return {}


class _Reply(_Simulated):
    __slots__ = ()
    reaches_customer: ClassVar[bool] = True
    is_id_global: ClassVar[bool] = False
    audit_type: ClassVar[str] = "auto_reply"

    @property
    def key(self) -> str:
        return ticket_keys.reply_action(self.conversation_id, self.suffix)

    def probe(self) -> Mapping[str, str]:
        return {"author": AUTHOR, "body": self.arg}


class QueriedReply(_Reply):
    """A reply whose outcome the provider's ticket shows."""

    __slots__ = ()
    kind: ClassVar[str] = "reply_queried"
    settle: ClassVar[Settle] = Settle.QUERY


class KeyedReply(_Reply):
    """A reply the provider de-duplicates by our key."""

    __slots__ = ()
    kind: ClassVar[str] = "reply_keyed"
    settle: ClassVar[Settle] = Settle.KEY


class BlindReply(_Reply):
    """A reply whose outcome nothing can show."""

    __slots__ = ()
    kind: ClassVar[str] = "reply_blind"
    settle: ClassVar[Settle] = Settle.NONE


class Close(_Simulated):
    """Close the ticket; again changes nothing."""

    __slots__ = ()
    kind: ClassVar[str] = "close"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    reaches_customer: ClassVar[bool] = False
    is_id_global: ClassVar[bool] = False
    audit_type: ClassVar[str] = "close"

    @property
    def key(self) -> str:
        return ticket_keys.close_action(self.conversation_id, self.suffix)


class Note(_Simulated):
    """Something only version 2 does."""

    __slots__ = ()
    kind: ClassVar[str] = "note"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    reaches_customer: ClassVar[bool] = False
    is_id_global: ClassVar[bool] = False
    audit_type: ClassVar[str] = "note"

    @property
    def key(self) -> str:
        return keys.joined("act", "note", self.conversation_id, self.suffix)


_KINDS: Mapping[str, type[_Simulated]] = {
    cls.kind: cls for cls in (QueriedReply, KeyedReply, BlindReply, Close, Note)
}
REPLIES = (QueriedReply.kind, KeyedReply.kind, BlindReply.kind)


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

    def resolved(self, job: Any) -> None:
        """See `flows.Flow.resolved`."""
        self._inner.resolved(job)

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

    def build(self, planned: PlannedAction, event: Event, plan: Plan) -> Action:
        """See `flows.Flow.build`."""
        if planned.kind == "note" and self._version == 1:
            raise KeyError(planned.kind)
        if planned.kind in _KINDS:
            built: Any = _KINDS[planned.kind](
                event.facts.conversation_id, planned.arg, suffix(event)
            )
            return built
        return self._inner.build(planned, event, plan)

    def escalation(self, event: Event, reason: str) -> Action | None:
        """See `flow.Flow.escalation`."""
        return self._inner.escalation(event, reason)

    def conclude(
        self, lease: Lease, event: Event, plan: Plan, rows: Mapping[str, ActionRow]
    ) -> bool:
        """See `flows.Flow.conclude`."""
        theirs = {key: row for key, row in rows.items() if not key.startswith("act:rp_reply:")}
        return self._inner.conclude(lease, event, plan, theirs)
