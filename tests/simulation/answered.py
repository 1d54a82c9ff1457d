"""What is recorded as said was said: by the very message that the record names.

A customer's message counts as answered by an action that is done; the vendor's own record must hold
the message that the action names, with its text, to its recipient, and name it for no other action.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from tests.simulation.outreach import TEXTS

if TYPE_CHECKING:
    from tests.simulation.world import World

_KINDS = frozenset({"reply", "reply_queried", "reply_keyed", "reply_blind", "send_email", *TEXTS})


def judge(world: World, rows: Mapping[str, Mapping[str, Any]]) -> None:
    """P1 and P2: every answer that is done is a message that landed for it."""
    landed = _landed(world)
    named: dict[str, str] = {}
    for key, row in rows.items():
        if row.get("action_kind") not in _KINDS or row["status"] != "done":
            continue
        world.happened["answer_judged"] += 1
        ref = row.get("ref")
        if ref is None:
            if not landed_as(world, key):
                world.oracle.broken("P2", f"{key} is done, names no message, and none landed")
            continue
        if ref in named:
            world.oracle.broken("P1", f"{ref} is the message of {named[ref]} and of {key}")
        named[ref] = key
        sender = landed.get(ref)
        if sender is None:
            world.oracle.broken("P2", f"{key} is done by {ref}, which no vendor has")
        elif sender != key and not _says_the_same(world, sender, key):
            world.oracle.broken("P2", f"{key} is done by {ref}, which {sender} sent")


def landed_as(world: World, key: str) -> bool:
    """Whether a message of this action, or of one with the same text, landed."""
    senders = _landed(world).values()
    return any(sender == key or _says_the_same(world, sender, key) for sender in senders)


def _landed(world: World) -> dict[str, str]:
    """The action of every message that a vendor has, by the message's id."""
    return world.twilio.keys_by_id | world.vendor.keys_by_id | world.ses.keys_by_id


def _says_the_same(world: World, first: str, other: str) -> bool:
    """Which of two equal texts arrived cannot be known, and makes no difference."""
    said = world.oracle.bodies.get(first)
    return said is not None and said == world.oracle.bodies.get(other)
