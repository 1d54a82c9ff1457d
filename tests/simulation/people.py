"""Operators and other persons acting on a running system: replay, redrive, approve, answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.clock import iso
from chalicelib.errors import ConflictError
from chalicelib.once.event import EventFacts
from chalicelib.once.job import ActionResend, Recovery
from chalicelib.once.ledger import rows
from chalicelib.once.recovery.rebuilders import rebuilt
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations import handoffs
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.support import keys as ticket_keys
from chalicelib.support.jobs import TicketMessage
from tests.simulation.scenario import EPOCH

if TYPE_CHECKING:
    from chalicelib.outreach.conversations.records import Record
    from tests.simulation.world import World


AGAIN = frozenset({"reply", "close", "add_tag"})
"""Kinds that an operator resends."""


class People:
    """The operators of one world."""

    def __init__(self, world: World) -> None:
        self._world = world

    def replay(self, number: int) -> None:
        """An operator replays a past event."""
        world = self._world
        posts = [post for post in world.scenario.posts if EPOCH + post.at <= world.now]
        if not posts:
            return
        post = posts[number % len(posts)]
        job = TicketMessage(
            event_key=ticket_keys.ticket_message(post.conversation_id, post.comment_id),
            conversation_id=post.conversation_id,
            message_id=post.comment_id,
            received_at=iso(world.door.clock.now()),
            source="operator",
            trace_id="replay",
        )
        world.oracle.recovered(job.event_key)
        world.invoke(world.door, lambda: world.door.intake.accept(job, recovery=Recovery.OPERATOR))

    def resume(self, number: int) -> None:
        """An operator replays an outreach event from its row."""
        world = self._world
        known = [
            row
            for (key,), row in world.ledger.rows.items()
            if key.startswith(("evt:start:", "evt:reply:")) and row["status"] != "received"
        ]
        if not known:
            return
        event = rows.event(known[number % len(known)])
        world.oracle.recovered(event.event_key)
        world.invoke(world.door, lambda: self._resume(event))

    def _resume(self, event: EventFacts) -> None:
        door = self._world.door
        job = rebuilt(door.outreach.rebuilders, event)
        if job is not None:
            door.intake.accept(job, recovery=Recovery.OPERATOR)

    def resend(self, number: int) -> None:
        """An operator resends an action; the same command again changes nothing."""
        world = self._world
        done = [row for row in world.ledger.rows.values() if self._may_be_resent(row)]
        if not done:
            return
        row = done[number % len(done)]
        facts = rows.event(world.ledger.rows[(row["event_key"],)])
        nonce = f"n{number % 2}"
        job = ActionResend(
            event_key=f"{facts.event_key}:resend:{nonce}",
            conversation_id=facts.conversation_id,
            received_at=iso(world.door.clock.now()),
            source="operator",
            trace_id=facts.trace_id,
            source_event_key=facts.event_key,
            action_key=row["event_id"],
            nonce=nonce,
        )
        world.oracle.recovered(job.event_key)
        world.invoke(world.door, lambda: world.door.intake.accept(job, recovery=Recovery.OPERATOR))

    def _may_be_resent(self, row: Mapping[str, Any]) -> bool:
        """As `ops.repair.replay.resend` requires: a done action of a message with its own plan."""
        if row.get("action_kind") not in AGAIN or row["status"] != "done":
            return False
        source = self._world.ledger.rows.get((row["event_key"],), {})
        is_a_message = source.get("source_message_id") and ":resend:" not in row["event_key"]
        return bool(is_a_message and row["event_key"].startswith("evt:rp:") and "plan" in source)

    def approve(self) -> None:
        """A person releases everything that is handed off."""
        world = self._world
        for row in list(world.conversations.rows.values()):
            if row.get("handoff_state") == handoffs.WAITING:
                world.invoke(world.door, lambda row=row: self._release(row["opaque_id"]))

    def take(self) -> None:
        """A person takes everything that is handed off; automation sends nothing there any more."""
        world = self._world
        desk = world.door.outreach.desk
        for row in list(world.conversations.rows.values()):
            if row.get("handoff_state") == handoffs.WAITING:
                world.invoke(world.door, lambda row=row: desk.take(row["opaque_id"], "agent-7"))

    def work_at_desk(self) -> None:
        """A person does the next act on everything that is handed off, and asks for it twice."""
        world = self._world
        for row in list(world.conversations.rows.values()):
            if row.get("handoff_state") in handoffs.OPEN:
                for _ in range(2):
                    world.invoke(world.door, lambda row=row: self._act(row["opaque_id"]))

    def _act(self, opaque_id: str) -> None:
        inbox = self._world.door.outreach.inbox
        record = inbox.record(opaque_id)
        state = shown.state_of(handoffs.entry(record, record.handoff), inbox._clock.now())
        act = {"waiting": "take", "taken": "reply", "answered": "give_back"}.get(state)
        if act is None or not record.is_handed_off:
            return
        if not self._do(act, record):  # whether they asked to stop must be decided first
            self._do("stop" if record.message_count % 2 else "not_stop", record)

    def _do(self, act: str, record: Record) -> bool:
        """Do an act; False where the question whether they asked to stop is open."""
        inbox, opaque_id = self._world.door.outreach.inbox, record.opaque_id
        key = f"{act}-{record.handoff['id']}-{record.message_count}"
        fields = {"text": f"It is me, {key}."} if act == "reply" else {"reason": "said so"}
        version = shown.version_of(record)
        asked = AskedAct(act, opaque_id, version, key, by="sam", actor="sam", fields=fields)
        for _ in range(2):
            try:
                done = inbox.act(asked)
            except ConflictError as refused:
                if refused.code == "STOP_OR_NOT":
                    return False
                continue
            self._world.happened[f"desk_{act}"] += 1
            if done.event:
                self._world.oracle.accepted[done.event] = opaque_id
        return True

    def _release(self, opaque_id: str) -> None:
        world = self._world
        record = world.door.outreach.desk.show(opaque_id)
        if record is not None and record.is_handed_off and not record.handoff["held"]:
            self._do("close", record)
        elif world.door.outreach.desk.approve(opaque_id) and record is not None:
            world.oracle.accepted[outreach_keys.release(opaque_id, record.handoff["id"])] = (
                opaque_id
            )

    def redrive(self) -> None:
        """An operator redrives the dead letters."""
        world = self._world
        for message in world.queue.redrive():
            world.oracle.recovered(json.loads(message.body)["event_key"])
