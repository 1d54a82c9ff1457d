"""The side effects on a Richpanel ticket: tags, assignment, a reply, and closing the ticket.

Richpanel takes no idempotency key, so the reply carries a short reference made from its action key.
By the reference, a reply of unknown outcome is found among the ticket's comments, even when the
vendor has changed the text around it (a signature, HTML).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from chalicelib.once import keys
from chalicelib.once.action import Action, Settle
from chalicelib.once.keys import OpaqueIds, Suffix
from chalicelib.once.plan import PlannedAction
from chalicelib.support import keys as ticket_keys

ATTENTION_TAG = "middleware_error_needs_attention"
"""Set on a ticket when one of its events has failed; operators search for it."""
UNKNOWN_TAG = "unknown_tag"
"""Stored reason: Richpanel takes tags by id, and the tenant has no tag of that name."""
ESCALATION_TAGS = frozenset({ATTENTION_TAG, "mw-escalated-human"})


class _SetsState:
    """An action that sets a state of the ticket: repeating it is harmless, and nothing is read back."""

    __slots__ = ()

    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    reaches_customer: ClassVar[bool] = False
    is_id_global: ClassVar[bool] = False

    def probe(self) -> Mapping[str, str]:
        """See `once.action.Action.probe`."""
        return {}


@dataclass(frozen=True, slots=True)
class AddTag(_SetsState):
    """Put one tag on a Richpanel ticket; several share one request."""

    conversation_id: str
    tag: str
    suffix: Suffix

    kind: ClassVar[str] = "add_tag"

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return ticket_keys.tag_action(self.conversation_id, self.tag, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        if self.tag.startswith("route-"):
            return "route"
        return "escalate" if self.tag in ESCALATION_TAGS else "tag"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"tag": self.tag}


@dataclass(frozen=True, slots=True)
class RemoveTag(_SetsState):
    """Take one tag off a Richpanel ticket; several share one request."""

    conversation_id: str
    tag: str
    suffix: Suffix

    kind: ClassVar[str] = "remove_tag"

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return ticket_keys.untag_action(self.conversation_id, self.tag, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "untag"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"tag": self.tag}


@dataclass(frozen=True, slots=True)
class Assign(_SetsState):
    """Assign a Richpanel ticket: to a user by the vendor's id, or to a team by ``team:`` and its id."""

    conversation_id: str
    team: str
    suffix: Suffix

    kind: ClassVar[str] = "assign"

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return ticket_keys.assign_action(self.conversation_id, self.team, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "assign"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"team": self.team}


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the customer with a template.

    Attributes:
        reference: the short reference in the text.
        compose: makes the text; raises `ProviderError`s when the data for it cannot be read.
        body: hash of the text, when the text was composed while the action was built; a resumed
            action composes its text only when it has to be sent.
    """

    conversation_id: str
    template_id: str
    suffix: Suffix
    author_id: str
    reference: str
    compose: Callable[[], str] = field(repr=False, compare=False)
    body: str | None = None

    kind: ClassVar[str] = "reply"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.QUERY
    reaches_customer: ClassVar[bool] = True
    is_id_global: ClassVar[bool] = False

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return ticket_keys.reply_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "auto_reply"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {"template": self.template_id}

    def probe(self) -> Mapping[str, str]:
        """See `once.action.Action.probe`."""
        found = {"author": self.author_id, "reference": self.reference}
        return found if self.body is None else found | {"body": self.body}


@dataclass(frozen=True, slots=True)
class Close(_SetsState):
    """Close a ticket that a reply has answered.

    Attributes:
        answered_message_id: a customer's comment newer than this one keeps the ticket open.
    """

    conversation_id: str
    answered_message_id: str | None
    suffix: Suffix

    kind: ClassVar[str] = "close"
    reaches_customer: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """See `once.action.Action.key`."""
        return ticket_keys.close_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `once.action.Action.audit_type`."""
        return "close"

    def payload(self) -> Mapping[str, str]:
        """See `once.action.Action.payload`."""
        return {}


def build(planned: PlannedAction, *, conversation_id: str, suffix: Suffix) -> Action:
    """The action a plan names, for the event whose conversation and key suffix are given.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    return _BY_KIND[planned.kind](conversation_id, planned.arg, suffix)


def reference(opaque: OpaqueIds, action_key: str) -> str:
    """The reference a reply carries, e.g. ``3F9A-17BC``; no two replies carry the same.

    A resent reply's begins with that of the first, by which it is known as our own.
    """
    original, resend, _ = action_key.partition(keys.RESEND)
    found = opaque.of("reply_reference", original).upper()
    first = f"{found[:4]}-{found[4:8]}"
    return f"{first}-{opaque.of('reply_reference', action_key).upper()[:4]}" if resend else first


def body_hash(opaque: OpaqueIds, text: str) -> str:
    """A keyed hash of a reply's normalised text."""
    return opaque.of("reply_body", keys.normalised(text))


_BY_KIND: Mapping[str, type[AddTag | RemoveTag | Assign]] = {
    cls.kind: cls for cls in (AddTag, RemoveTag, Assign)
}
