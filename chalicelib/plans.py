"""The stored decision of an event: ordered steps of actions, named by key, without any text.

A plan is written into the event's row before the first effect.  Whoever resumes the event runs
that plan or parks; it never decides again, also when a newer version would decide otherwise.

A step is one request to one vendor.  It may carry several actions, each with a key of its own
(four tags go out in one call).

Example, as stored::

    {"flow": "support", "v": 1, "facts": {"intent": "refund_request", "route": "route-returns-admin"},
     "steps": [[{"kind": "add_tag", "key": "act:rp_tag:1042:route-returns-admin:c-77",
                 "params": {"conversation_id": "1042", "tag": "route-returns-admin"},
                 "depends_on": [], "already": false}]]}
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

PLAN_VERSION = 1


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One action as the plan names it.

    Attributes:
        kind: which class of `actions` it is, e.g. ``add_tag``.
        key: its key in the ledger.
        params: what the class needs to be built again; identifiers only, never text.
        depends_on: keys that must be done (or already so) before this one starts.
        already: the vendor had it so when the plan was made; nothing is sent.
    """

    kind: str
    key: str
    params: Mapping[str, str]
    depends_on: tuple[str, ...] = ()
    already: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What an event will do, in order.

    Attributes:
        flow: the flow that made it.
        steps: each one vendor request; its actions share its outcome.
        facts: small redacted facts for the records: intent, route, template id, reasons.
    """

    flow: str
    steps: tuple[tuple[PlannedAction, ...], ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    version: int = PLAN_VERSION

    @property
    def actions(self) -> Iterator[PlannedAction]:
        """Every action in order."""
        return (action for step in self.steps for action in step)

    @property
    def hash(self) -> str:
        """Hex SHA-256 of the canonical form; equal plans have equal hashes in every process."""
        return hashlib.sha256(self.encode().encode()).hexdigest()

    def encode(self) -> str:
        """Canonical JSON of the plan."""
        raw = {
            "flow": self.flow,
            "v": self.version,
            "facts": dict(self.facts),
            "steps": [[_encoded(action) for action in step] for step in self.steps],
        }
        return json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    @classmethod
    def decode(cls, text: str) -> Plan:
        """The plan in a stored text.

        Raises:
            ValueError: the text is no plan of a version known here.
        """
        raw = json.loads(text)
        if raw.get("v") != PLAN_VERSION:
            raise ValueError("unknown plan version")
        steps = tuple(tuple(_decoded(action) for action in step) for step in raw["steps"])
        return cls(flow=raw["flow"], steps=steps, facts=raw["facts"])


def _encoded(action: PlannedAction) -> dict[str, Any]:
    raw = asdict(action)
    raw["depends_on"] = list(action.depends_on)
    return raw


def _decoded(raw: Mapping[str, Any]) -> PlannedAction:
    return PlannedAction(
        kind=raw["kind"],
        key=raw["key"],
        params=raw["params"],
        depends_on=tuple(raw["depends_on"]),
        already=raw["already"],
    )
