"""The promises, judged from the outside: after every write, start and landing, and at the end.

It knows what really happened (the provider's truth, the queue's order, the switches' history) and
never asks the product.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.simulation.scenario import CANARY, Post

if TYPE_CHECKING:
    from tests.simulation.world import World

SWITCH_SECONDS = 30.0
SKEW_SECONDS = 121.0
_ENDED = frozenset({"processed", "failed", "parked", "skipped"})
_SET_LIKE = frozenset({"add_tag", "remove_tag", "close", "note"})


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that did not hold."""

    promise: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.what}"


class Oracle:
    """Of one world."""

    def __init__(self, world: World) -> None:
        self._world = world
        self.violations: list[Violation] = []
        self.logs: Counter[str] = Counter()
        self._accepted: dict[str, Post] = {}
        self._order: dict[str, dict[str, int]] = {}
        self._head: dict[str, int] = {}
        self._late: set[str] = set()
        self._texts: dict[tuple[str, str], set[str]] = {}
        self._landed_texts: Counter[tuple[str, str]] = Counter()
        self._stopped_since: dict[str, float] = {}

    # --- what the world tells -----------------------------------------------------------------

    def accepted(self, post: Post) -> None:
        """A webhook was answered 2xx."""
        key = f"evt:rp:{post.conversation_id}:{post.comment_id}"
        self._accepted[key] = post

    def sent(self, body: str) -> None:
        """A job goes onto the queue: the order of the front door is the order of the effects."""
        job = json.loads(body)
        order = self._order.setdefault(job["conversation_id"], {})
        if job["kind"] == "ticket_message" and job["event_key"] not in order:
            number = int(job["message_id"][1:])
            if number > max(order.values(), default=-1):  # a copy of an older one tells no order
                order[job["event_key"]] = number
        if job["recovery"] is not None:
            self._late.add(job["event_key"])

    def recovered(self, event_key: str) -> None:
        """An operator brings an event back: it may run after its successors."""
        self._late.add(event_key)

    def flipped(self) -> None:
        """A switch changed: note since when effects are forbidden without a break."""
        now, switches = self._world.now, self._world.switches
        stops = {
            "any": switches["kill_switch"] or switches["shadow_mode"],
            "speaks": switches["safe_mode"] or not switches["automation_enabled"],
        }
        for name, is_on in stops.items():
            if is_on:
                self._stopped_since.setdefault(name, now)
            else:
                self._stopped_since.pop(name, None)

    def logged(self, name: str, fields: Mapping[str, object]) -> None:
        """P4: nothing of a customer's in a log line or metric."""
        self.logs[name] += 1
        for value in fields.values():
            if value.__class__ is str and CANARY in value:  # type: ignore[operator]
                self._broken("P4", f"text in log {name}")

    def surprised(self, error: Exception) -> None:
        """Something escaped that should not."""
        self._broken("P2", f"escaped: {type(error).__name__}: {error}")

    def wrote(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """P6 and the states: a row of the ledger changed."""
        actor = self._world.actor
        key = after["event_id"]
        if actor is not None and key.startswith("evt:"):
            self._wrote_event(actor, before, after)
        if before is None or key.startswith("ref:"):
            return
        if not key.startswith("act:"):
            return
        if before["status"] == "done" and after["status"] != "done":
            self._broken("P1", f"{key} was done and is {after['status']}")
        same_event = before["event_key"] == after["event_key"]
        mine = actor.fences.get(before["event_key"]) if actor is not None else None
        if same_event and mine is not None and mine < before["fence"]:
            self._broken("P6", f"{key} at fence {before['fence']} changed by fence {mine}")
        if same_event and after["fence"] < before["fence"]:
            self._broken("P6", f"{key} taken from fence {before['fence']} by {after['fence']}")

    def _wrote_event(
        self,
        actor: Any,
        before: Mapping[str, Any] | None,
        after: Mapping[str, Any],
    ) -> None:
        key = after["event_id"]
        fence, was = after.get("fence", 0), (before or {}).get("fence", 0)
        if fence > was:
            actor.fences[key] = fence
            is_running = before is not None and before["status"] == "processing"
            if is_running and before["lease_until"] > self._world.now + SKEW_SECONDS:  # type: ignore[index]
                self._broken(
                    "P6", f"{key} claimed {before['lease_until'] - self._world.now:.0f} s early"
                )  # type: ignore[index]
            return
        mine = actor.fences.get(key)
        if was and mine is not None and mine < was:
            self._broken("P6", f"{key} changed under fence {mine}, it is at {was}")
        if (
            before is not None
            and before["status"] == "processed"
            and after["status"] != "processed"
        ):
            self._broken("P2", f"{key} was processed and is {after['status']}")

    def effect_starts(self, actions: Any) -> None:
        """P3, P5 and P6: an effect leaves the machine."""
        world, actor = self._world, self._world.actor
        for action in actions:
            row = world.ledger.rows.get((action.key,))
            if row is None or row["status"] != "pending" or not row["started"]:
                self._broken("P1", f"{action.key} starts without a pending row")
                continue
            event_key = row["event_key"]
            event = world.ledger.rows.get((event_key,), {})
            mine = actor.fences.get(event_key) if actor is not None else None
            if mine is None or event.get("fence") != mine or event.get("status") != "processing":
                self._broken(
                    "P6", f"{action.key} starts under fence {mine}, event at {event.get('fence')}"
                )
            self._check_order(action, event_key)
            self._check_switches(action)
            if action.kind.startswith("reply"):
                text = (action.conversation_id, action.arg)
                self._texts.setdefault(text, set()).add(action.key)

    def _check_order(self, action: Any, event_key: str) -> None:
        order = self._order.get(action.conversation_id, {})
        number = order.get(event_key)
        if number is None or action.key.split(":")[3:4] == ["middleware_error_needs_attention"]:
            return
        head = self._head.get(action.conversation_id, -1)
        if number < head and event_key not in self._late:
            self._broken("P3", f"{action.key} starts after an effect of a later event")
        self._head[action.conversation_id] = max(head, number)

    def _check_switches(self, action: Any) -> None:
        scopes = ("any", "speaks") if action.speaks else ("any",)
        for scope in scopes:
            since = self._stopped_since.get(scope)
            if since is not None and self._world.now - since > SWITCH_SECONDS:
                self._broken(
                    "P5", f"{action.key} starts {self._world.now - since:.0f} s after the stop"
                )

    def landed(self, actions: Any) -> None:
        """P1: an effect happened at the provider."""
        for action in actions:
            if action.kind in _SET_LIKE:
                continue
            text = (action.conversation_id, action.arg)
            mine = self._texts.get(text, set())
            happened = sum(self._world.vendor.landed[key] for key in mine)
            self._landed_texts[text] = happened
            if happened > len(mine):
                self._broken("P1", f"{action.key}: {happened} replies of one text")

    # --- the end ------------------------------------------------------------------------------

    def is_at_rest(self) -> bool:
        """Nothing is left that could still move on its own."""
        rows = self._world.ledger.rows.values()
        if any("unfinished" in row and row["status"] in {"received", "processing"} for row in rows):
            return False
        return not any(
            row["status"] == "unknown" and row["action_kind"] == "reply_queried" for row in rows
        )

    def at_the_end(self) -> None:
        """P1, P2, P4 and P7 on what the tables hold."""
        rows = {row["event_id"]: row for row in self._world.ledger.rows.values()}
        dead = {json.loads(message.body)["event_key"] for message in self._world.queue.dead}
        for key, post in self._accepted.items():
            self._check_event(key, post, rows, dead)
        for key, row in rows.items():
            if key.startswith("act:"):
                self._check_action(row, rows)
            elif key.startswith("evt:"):
                self._check_reason(key, row)
        self._check_texts(rows)
        self._check_privacy()
        self._check_progress(rows)
        if self._world.queue.waiting():
            self._broken("P2", "messages are left on the queue")

    def _check_event(self, key: str, post: Post, rows: Mapping[str, Any], dead: set[str]) -> None:
        row = rows.get(key)
        if row is None:
            container_dead = any(k.startswith(f"evt:rp:{post.conversation_id}:n:") for k in dead)
            if key not in dead and not container_dead:
                self._broken("P2", f"{key} was accepted and is nowhere")
            return
        container = f"evt:rp:{post.conversation_id}:n:"
        if row["status"] not in _ENDED and not any(
            k == key or k.startswith(container) for k in dead
        ):
            self._broken("P2", f"{key} was accepted and is {row['status']}")

    def _check_reason(self, key: str, row: Mapping[str, Any]) -> None:
        if row["status"] in {"failed", "parked", "skipped"} and not row.get("reason"):
            self._broken("P7", f"{key} is {row['status']} without a reason")
        reason = str(row.get("reason"))
        if row["status"] == "parked" and reason != "plan_not_known_here":
            unknown = [
                other
                for other in self._world.ledger.rows.values()
                if other.get("event_key") == key and other["status"] == "unknown"
            ]
            if not any(other["action_kind"] == "reply_blind" for other in unknown):
                self._broken("P2", f"{key} is parked for {reason} and could be settled")

    def _check_action(self, row: Mapping[str, Any], rows: Mapping[str, Any]) -> None:
        key, status = row["event_id"], row["status"]
        event = rows.get(row["event_key"], {})
        if status in {"refused", "skipped", "unknown", "abandoned"} and not row.get("reason"):
            self._broken("P7", f"{key} is {status} without a reason")
        is_help = row["action_type"] == "escalate"  # asked for by an attempt that a replay followed
        if status == "pending" and event.get("status") == "processed" and not is_help:
            self._broken("P2", f"{key} is pending and its event is processed")
        if status == "unknown" and event.get("status") == "processed":
            self._broken("P2", f"{key} is unknown and its event is processed")
        landed = self._world.vendor.landed[key]
        if row["action_kind"] in _SET_LIKE:
            if status == "done" and not landed:
                self._broken("P2", f"{key} is done and never happened")
        elif landed and status in {"skipped", "refused"}:
            self._broken("P7", f"{key} happened and is {status}:{row.get('reason')}")

    def _check_texts(self, rows: Mapping[str, Any]) -> None:
        """Twins are told apart by number: as many done as happened."""
        for (conversation_id, text), action_keys in self._texts.items():
            done = sum(rows[key]["status"] == "done" for key in action_keys)
            happened = self._landed_texts[conversation_id, text]
            open_ = sum(rows[key]["status"] in {"unknown", "pending"} for key in action_keys)
            if done > happened:
                self._broken("P2", f"{done} replies {text} are done, {happened} happened")
            if happened > done + open_:
                self._broken("P1", f"{happened} replies {text} happened, {done} are done")

    def _check_progress(self, rows: Mapping[str, Any]) -> None:
        """Where nothing went wrong, everything was done."""
        if not self._world.is_fair:
            return
        for key in self._accepted:
            row = rows.get(key)
            if row is None or row["status"] != "processed":
                self._broken("P2", f"{key} met no fault and is {row and row['status']}")

    def _check_privacy(self) -> None:
        world = self._world
        for table in (world.ledger, world.state, world.audit):
            for row in table.rows.values():
                if CANARY in repr(row):
                    self._broken("P4", f"text in table {table.name}")

    def _broken(self, promise: str, what: str) -> None:
        violation = Violation(promise, what)
        if violation not in self.violations:
            self.violations.append(violation)
