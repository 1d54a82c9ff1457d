"""One small class per side effect: its key, its vendor, and how an unknown outcome is settled.

An action knows nothing of HTTP; `effects` performs it through the executor that `wiring` names for
its class.  To add one: write the class here, its executor in `adapters/`, its line in `wiring`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import ClassVar, Protocol

from chalicelib import keys
from chalicelib.plans import PlannedAction


class Settle(StrEnum):
    """How it is learnt whether an effect of unknown outcome happened."""

    REPEATABLE = "repeatable"
    """Set semantics: doing it again changes nothing, so it is done again."""
    KEY = "key"
    """The provider de-duplicates by our key: done again under the same key."""
    QUERY = "query"
    """Read back from the provider and compared."""
    RECEIPT = "receipt"
    """A status callback or delivery event names it."""
    NONE = "none"
    """Cannot be learnt by machine: stays unknown until a person settles it."""


class Action(Protocol):
    """What the effects door needs to know of any action."""

    kind: ClassVar[str]
    vendor: ClassVar[str]
    settle: ClassVar[Settle]
    speaks: ClassVar[bool]
    """Reaches a customer: withheld in safe mode and while automation is off."""

    @property
    def key(self) -> str:
        """The action's key in the ledger."""
        ...

    @property
    def conversation_id(self) -> str:
        """The conversation it belongs to."""
        ...

    @property
    def audit_type(self) -> str:
        """`action_type` of its audit row: route, tag, auto_reply, escalate, ..."""
        ...

    def payload(self) -> Mapping[str, str]:
        """What its audit row shows, before redaction; no message text."""
        ...

    def probe(self) -> Mapping[str, str]:
        """What a settler needs to recognise the effect later: an author, a keyed hash; no text."""
        ...


@dataclass(frozen=True, slots=True)
class AddTag:
    """Put one tag on a Richpanel ticket; several share one request."""

    conversation_id: str
    tag: str
    suffix: str

    kind: ClassVar[str] = "add_tag"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return keys.tag_action(self.conversation_id, self.tag, self.suffix)

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
    suffix: str

    kind: ClassVar[str] = "remove_tag"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return keys.untag_action(self.conversation_id, self.tag, self.suffix)

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
    suffix: str

    kind: ClassVar[str] = "assign"
    vendor: ClassVar[str] = "richpanel"
    settle: ClassVar[Settle] = Settle.REPEATABLE
    speaks: ClassVar[bool] = False

    @property
    def key(self) -> str:
        return keys.assign_action(self.conversation_id, self.team, self.suffix)

    @property
    def audit_type(self) -> str:
        return "assign"

    def payload(self) -> Mapping[str, str]:
        return {"team": self.team}

    def probe(self) -> Mapping[str, str]:
        return {}


ESCALATION_TAGS = frozenset({"middleware_error_needs_attention", "mw-escalated-human"})

_BY_KIND: Mapping[str, type[AddTag | RemoveTag | Assign]] = {
    cls.kind: cls for cls in (AddTag, RemoveTag, Assign)
}


def build(planned: PlannedAction, *, conversation_id: str, suffix: str) -> Action:
    """The action a plan names, for the event whose conversation and key suffix are given.

    Raises:
        KeyError: the plan names a kind this version does not have.
    """
    return _BY_KIND[planned.kind](conversation_id, planned.arg, suffix)
