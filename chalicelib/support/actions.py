"""The actions that reach a customer on a Richpanel ticket: a reply, and closing what it answers.

Richpanel takes no idempotency key, so the reply carries a short reference made from its action key.
The reference is how a reply of unknown outcome is found among the ticket's comments, also when the
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


def reference(opaque: OpaqueIds, action_key: str) -> str:
    """The reference a reply carries, e.g. ``3F9A-17BC``."""
    found = opaque.of("reply_reference", action_key).upper()
    return f"{found[:4]}-{found[4:8]}"


def body_hash(opaque: OpaqueIds, text: str) -> str:
    """A keyed hash of a reply's normalised text."""
    return opaque.of("reply_body", keys.normalised(text))


@dataclass(frozen=True, slots=True)
class Reply:
    """Answer the customer by a template.

    Attributes:
        reference: what the text carries.
        compose: makes the text; raises `ProviderError`s when what it needs cannot be had.
        body: hash of the text, when the text was composed while the action was built; a resumed
            action composes only if it really has to be sent.
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
    speaks: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """See `actions.Action.key`."""
        return ticket_keys.reply_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `actions.Action.audit_type`."""
        return "auto_reply"

    def payload(self) -> Mapping[str, str]:
        """See `actions.Action.payload`."""
        return {"template": self.template_id}

    def probe(self) -> Mapping[str, str]:
        """See `actions.Action.probe`."""
        found = {"author": self.author_id, "reference": self.reference}
        return found if self.body is None else found | {"body": self.body}


@dataclass(frozen=True, slots=True)
class Close:
    """Close a ticket that a reply has answered.

    Attributes:
        answered_message_id: a customer's comment newer than this one keeps the ticket open.
    """

    conversation_id: str
    answered_message_id: str | None
    suffix: Suffix

    kind: ClassVar[str] = "close"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = True

    @property
    def key(self) -> str:
        """See `actions.Action.key`."""
        return ticket_keys.close_action(self.conversation_id, self.suffix)

    @property
    def audit_type(self) -> str:
        """See `actions.Action.audit_type`."""
        return "close"

    def payload(self) -> Mapping[str, str]:
        """See `actions.Action.payload`."""
        return {}

    def probe(self) -> Mapping[str, str]:
        """See `actions.Action.probe`."""
        return {}


@dataclass(frozen=True, slots=True)
class AddTag:
    """Put one tag on a Richpanel ticket; several share one request."""

    conversation_id: str
    tag: str
    suffix: Suffix

    kind: ClassVar[str] = "add_tag"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return ticket_keys.tag_action(self.conversation_id, self.tag, self.suffix)

    @property
    def audit_type(self) -> str:
        if self.tag.startswith("route-"):
            return "route"
        return "escalate" if self.tag in ESCALATION_TAGS else "tag"

    def payload(self) -> Mapping[str, str]:
        return {"tag": self.tag}

    def probe(self) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True, slots=True)
class RemoveTag:
    """Take one tag off a Richpanel ticket; several share one request."""

    conversation_id: str
    tag: str
    suffix: Suffix

    kind: ClassVar[str] = "remove_tag"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return ticket_keys.untag_action(self.conversation_id, self.tag, self.suffix)

    @property
    def audit_type(self) -> str:
        return "untag"

    def payload(self) -> Mapping[str, str]:
        return {"tag": self.tag}

    def probe(self) -> Mapping[str, str]:
        return {}


@dataclass(frozen=True, slots=True)
class Assign:
    """Assign a Richpanel ticket to a person by the vendor's user id."""

    conversation_id: str
    team: str
    suffix: Suffix

    kind: ClassVar[str] = "assign"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return ticket_keys.assign_action(self.conversation_id, self.team, self.suffix)

    @property
    def audit_type(self) -> str:
        return "assign"

    def payload(self) -> Mapping[str, str]:
        return {"team": self.team}

    def probe(self) -> Mapping[str, str]:
        return {}


ATTENTION_TAG = "middleware_error_needs_attention"
"""On a ticket of which an event has failed; people look for it."""
ESCALATION_TAGS = frozenset({ATTENTION_TAG, "mw-escalated-human"})


_BY_KIND: Mapping[str, type[AddTag | RemoveTag | Assign]] = {
    cls.kind: cls for cls in (AddTag, RemoveTag, Assign)
}


def build(planned: PlannedAction, *, conversation_id: str, suffix: Suffix) -> Action:
    """The action a plan names, for the event whose conversation and key suffix are given.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    return _BY_KIND[planned.kind](conversation_id, planned.arg, suffix)
