"""The stored decision of an event: ordered steps of actions, named by key, without any text.

A plan is written into the event's row before the first effect.  A worker that resumes the event runs
that plan or parks the event; it never decides again, even if a newer version would decide otherwise.
Only a plan that `lacks` something decides nothing yet.

A step is one request to one vendor.  It may carry several actions, each with its own key (four tags
are added by one call).

Example, before it is packed (compact, because every write of the event's row pays for its length;
`Flow.build` derives the keys from the event, so they are not stored)::

    {"v": 1, "flow": "support", "facts": {"intent": "refund_request", "at": "2026-11-20T09:00:00Z"},
     "steps": [[["add_tag", "route-returns-admin"], ["add_tag", "mw-intent-refund_request"]],
               [["add_tag", "mw-processed", "d0,1"]]]}

The third element of an action holds its marks: ``d0,1`` depends on actions 0 and 1 of the plan,
``a`` means already in place at the vendor.
"""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

PLAN_VERSION = 1
MAX_BYTES = 100_000
"""The most bytes of a stored plan that are unpacked."""
_PACKED = "z1:"
_DICTIONARY = (
    b'"reasons":["shopify_lookup","reply","assign","remove_tag","close","template":"language":"en",'
    b'"tier":"TIER_0_ESCALATION""TIER_2_VERIFIED""TIER_1_SAFE_ASSIST""outbound_disabled"'
    b'"route":"route-customer-support""steps":[[["add_tag","mw-intent-"],["add_tag",'
    b'"mw-routing-applied"],["add_tag","mw-processed","d0,1,2"]]],"v":1}{"facts":{"at":"2026-",'
    b'"confidence":0.8,"floor":"1970-01-01T00:00:00.000Z","intent":"},"flow":"support",'
)
"""Compression dictionary: text that most plans contain.

Stored plans are readable only with exactly these bytes: a change needs another prefix than ``z1:``.
"""


@dataclass(frozen=True, slots=True)
class PlannedAction:
    """One action of a plan: its kind, its argument, and the actions that must be done before it.

    Attributes:
        kind: the action class, e.g. ``add_tag``.
        arg: the only input of the class besides its event: a tag, a team, a template id, an entry
            id; an identifier, never text.
        depends_on: numbers of the actions, counted over the whole plan from 0, that must be done
            (or already so) before this one starts.
        already: in place at the vendor when the plan was made; nothing is sent.
    """

    kind: str
    arg: str = ""
    depends_on: tuple[int, ...] = ()
    already: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """The decided actions of an event, in the order in which they are performed.

    Attributes:
        flow: the flow that made it.
        steps: one vendor request each; its actions share its outcome.
        facts: small facts for the records: intent, route, template id, reasons; no personal data.
        lacks: a fixed code for data that its job does not hold and that could not be read
            elsewhere. Such a plan only notifies a person, its event ends as failed, and an
            operator's replay plans again.
    """

    flow: str
    steps: tuple[tuple[PlannedAction, ...], ...]
    facts: Mapping[str, Any] = field(default_factory=dict)
    lacks: str | None = None

    @property
    def actions(self) -> Iterator[PlannedAction]:
        """Every action of the plan's steps, in order."""
        return (action for step in self.steps for action in step)

    @property
    def hash(self) -> str:
        """The plan's hash, 32 hex characters; equal plans have the same one everywhere."""
        return hashlib.sha256(self.encode().encode()).hexdigest()[:32]

    def encode(self) -> str:
        """The plan as canonical JSON."""
        raw = {
            "flow": self.flow,
            "v": PLAN_VERSION,
            "facts": dict(self.facts),
            "steps": [[_encoded(action) for action in step] for step in self.steps],
        }
        if self.lacks is not None:
            raw["lacks"] = self.lacks
        return json.dumps(raw, sort_keys=True, separators=(",", ":"), ensure_ascii=True)

    def packed(self) -> str:
        """The plan as it is stored: compressed to a third of its JSON.

        It keeps an event's row under the kilobyte of one write unit, even with the long ids of
        e-mail tickets.
        """
        packer = zlib.compressobj(level=9, wbits=-15, zdict=_DICTIONARY)
        packed = packer.compress(self.encode().encode()) + packer.flush()
        return _PACKED + base64.b85encode(packed).decode()

    @classmethod
    def decode(cls, text: str) -> Plan:
        """The plan in a stored text.

        Raises:
            ValueError: the text is no plan of a version known here.
        """
        raw = json.loads(_unpacked(text))
        if raw.get("v") != PLAN_VERSION:
            raise ValueError("unknown plan version")
        steps = tuple(tuple(_decoded(action) for action in step) for step in raw["steps"])
        return cls(raw["flow"], steps, raw["facts"], raw.get("lacks"))


def _unpacked(text: str) -> bytes:
    if not text.startswith(_PACKED):
        raise ValueError("unknown form of a plan")
    unpacker = zlib.decompressobj(wbits=-15, zdict=_DICTIONARY)
    try:
        return unpacker.decompress(base64.b85decode(text.removeprefix(_PACKED)), MAX_BYTES)
    except zlib.error:
        raise ValueError("the plan cannot be unpacked") from None


def _encoded(action: PlannedAction) -> list[str]:
    marks = "a" if action.already else ""
    if action.depends_on:
        marks += "d" + ",".join(str(number) for number in action.depends_on)
    return [action.kind, action.arg, marks] if marks else [action.kind, action.arg]


def _decoded(raw: list[str]) -> PlannedAction:
    marks = raw[2] if len(raw) > len(("kind", "arg")) else ""
    already, _, numbers = marks.partition("d")
    return PlannedAction(
        kind=raw[0],
        arg=raw[1],
        depends_on=tuple(int(number) for number in numbers.split(",") if number),
        already=already == "a",
    )
