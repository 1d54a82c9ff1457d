"""The calls of tools as they begin: what announces each was taken, and the recipient has agreed to it.

Judged where a call is stored, on the entries that the conversation holds at that moment, in the order in
which the product stored them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.items import digest_of, internal_partition
from chalicelib.outreach.conversations.records import AUTO_REPLY, PROMPT
from tests.rigs.histories import pages
from tests.simulation.answered import landed_as
from tests.simulation.tools import AGREED, QUESTION

if TYPE_CHECKING:
    from tests.simulation.world import World

_CALL = "tool#"
_NOT_THEIRS = frozenset({AUTO_REPLY, PROMPT})
"""Notes on entries that the recipient did not write: a machine of theirs did, or it is our prompt."""


class Agreed:
    """The judgement of every call of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._begun: set[tuple[str, ...]] = set()

    def wrote(self, key: tuple[str, ...]) -> None:
        """A row of the conversations was perhaps written."""
        is_new = key in self._world.conversations.rows and key not in self._begun
        if len(key) > 1 and key[1].startswith(_CALL) and is_new:
            self._begun.add(key)
            self._begins(*key)

    def _begins(self, partition: str, name: str) -> None:
        _, digest, _ = name.split("#", 2)
        world = self._world
        entry_id = world.conversations.rows[partition, name]["entry_id"]
        opaque_id = next(
            row["opaque_id"]
            for (address, slot), row in world.conversations.rows.items()
            if "start_event" in row
            and digest_of(slot) == digest
            and internal_partition(address, row["company_id"]) == partition
        )
        key = outreach_keys.tool_action(opaque_id, entry_id)
        if not landed_as(world, outreach_keys.send_action(opaque_id, entry_id)):
            world.oracle.broken("P1", f"{key} begins and no carrier took what announces it")
        row = world.row(key) or {}
        is_approved = str(row.get("event_key")).startswith("evt:release:")
        if world.scenario.tools == "confirmed" and not is_approved:
            world.happened["call_after_a_yes"] += 1
            self._judge_yes(key, partition, digest)

    def _judge_yes(self, key: str, partition: str, digest: str) -> None:
        """P1: the recipient's newest message is a yes, and comes right after the question."""
        begins = f"page#{digest}#"
        found = {
            row["conversation_id"]: row
            for row in pages(self._world.conversations.rows.values())
            if row["primary_channel"] == partition and row["conversation_id"].startswith(begins)
        }
        said = [row for _, row in sorted(found.items()) if _counts(row)]
        if [_is_question(row) for row in said[-2:]] != [True, False]:
            self._world.oracle.broken("P1", f"{key} begins after more than a yes to its question")
        elif said[-1]["content"].strip() != AGREED:
            self._world.oracle.broken("P1", f"{key} begins after an answer that is no yes")


def _counts(row: dict[str, Any]) -> bool:
    """Whether an entry is a question, or was written by the recipient themselves."""
    return _is_question(row) or (row["role"] == "user" and row.get("note") not in _NOT_THEIRS)


def _is_question(row: dict[str, Any]) -> bool:
    return row["role"] == "assistant" and QUESTION in row["content"]
