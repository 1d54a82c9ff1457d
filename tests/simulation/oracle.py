"""The promises, judged from the outside after every write, start and landing; `verdict` at the end.

It knows what really happened (the providers' state, the queue's order, the switches' history) and
never asks the product.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chalicelib.once import keys
from chalicelib.once.effect import Effect
from chalicelib.once.job import Recovery
from chalicelib.once.keys import Suffix
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.sending.effects import NOTICES, HandOffData
from chalicelib.support import keys as ticket_keys
from chalicelib.support.effects import CLOSE
from tests.simulation import purposes
from tests.simulation.carriers import decided_text
from tests.simulation.flow import REPLIES
from tests.simulation.outreach import TEXTS
from tests.simulation.scenario import CANARIES

if TYPE_CHECKING:
    from tests.simulation.world import World

OURS = "reply-"
"""Begins the ids of our own comments on a ticket."""
SWITCH_SECONDS = 30.0
SKEW_SECONDS = 121.0
LANDING_SECONDS = 900.0
LEAST_LEASE_SECONDS = 149.0
"""A request's total deadline and the margin, less the second to which the ledger's times are cut."""
ONCE = frozenset({"reply_queried", "reply_blind", "reply", "send_email", *TEXTS})
"""Kinds that are never repeated while their outcome is unknown."""
_QUERIED = frozenset({"reply_queried", "reply", *TEXTS})
"""Kinds whose absence at the provider counts, as it shows what it has."""
_ENDS = frozenset({"processed", "parked", "skipped"})
"""An event's ends that only a claim can leave; a failed event may be recorded again."""
_HANDOFF_KINDS = frozenset({"add_tag", "hand_off"})
"""Kinds that hand an event to a person: they need no plan, as planning may have failed.

A notification whose ticket could never be read may be about our own comment.
"""
SET_LIKE = frozenset(
    {
        *("add_tag", "remove_tag", "assign", "close", "note", "hand_off"),
        *("post_facts", "insert_dimension", "replace_dimension", "tell_company"),
    }
)
"""Kinds whose second landing changes nothing, or is judged by its result."""

_RECEIVE_FIELD = "receive"
"""In an action's payload: the receive count of its message, for a carrier's sandbox."""
_CHECK_FIELDS = frozenset({"looks", "looked_epoch"})
"""The fields that a check of the provider writes on an action's row."""
_NOTE_FIELDS = frozenset({"outcome"})
"""The field that reports a start's end to its sender."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that did not hold."""

    promise: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.what}"


BY_PERSON = frozenset({"handoff_release", "desk_reply"})
"""Jobs of what a person asks for: they do not wait for the conversation's other events."""


class Oracle:
    """The judge of one world.

    Attributes:
        accepted: events answered with 2xx: event key to the conversation it belongs to.
        texts: the keys of actions that say the same to the same person.
        bodies: recipient and text by action key.
    """

    def __init__(self, world: World) -> None:
        self._world = world
        self.violations: list[Violation] = []
        self.logs: Counter[str] = Counter()
        self.accepted: dict[str, str] = {}
        self.accepted_facts: set[str] = set()
        self.texts: dict[tuple[str, str], set[str]] = {}
        self.bodies: dict[str, tuple[str, str]] = {}
        self.landed_texts: Counter[tuple[str, str]] = Counter()
        self._meaning: dict[str, tuple[str, dict[str, str]]] = {}
        self._newest = 0
        self._order: dict[str, int] = {}
        self._earliest: dict[str, int] = {}
        self._head: dict[str, int] = {}
        self._event_head: dict[str, int] = {}
        self._late: set[str] = set()
        self._by_person: set[str] = set()
        self._dead_lettered: set[str] = set()
        self._stopped_since: dict[str, float] = {}

    # --- reports from the world ---------------------------------------------------------------

    def sent(self, job: Mapping[str, Any], position: int, *, is_copy: bool) -> None:
        """A job went onto the queue: the order of the front door is the order of the effects."""
        if job["recovery"] is not None and position <= self._newest and not is_copy:
            self.broken("P2", f"{job['event_key']} was sent again and the queue dropped it")
        self._newest = max(self._newest, position)
        if job.get("pair") and job["kind"] == "inbound_message":  # moved into its own group
            self._order[job["event_key"]] = position
        elif job["recovery"] is None:
            self._order.setdefault(job["event_key"], position)
        else:
            self._late.add(job["event_key"])
        if job["recovery"] == Recovery.OPERATOR or job["kind"] in BY_PERSON:
            self._by_person.add(job["event_key"])

    def recovered(self, event_key: str) -> None:
        """An event is sent again after its successors: by an operator or by a redrive."""
        self._late.add(event_key)

    def is_late(self, event_key: str) -> bool:
        """Whether an event was sent again, by what is kept of it."""
        return event_key in self._late

    def dead_lettered(self, message_id: str, event_key: str) -> None:
        """A message went to the dead-letter queue: its successors run, even beside its last worker."""
        self._dead_lettered.add(message_id)
        self._late.add(event_key)

    def last_receive_failed(self, event_key: str) -> None:
        """P7: a living worker handed a message back on its last receive."""
        row = self._world.row(event_key)
        is_said = row is not None and row["status"] != "received"
        if not is_said and not self.logs["worker.dead_letter_not_recorded"]:
            self.broken("P7", f"{event_key} is in the DLQ and no row says why")

    def begun(self, action: Effect) -> None:
        """P2: two different actions under one key would silently lose one of them."""
        content = {name: value for name, value in action.payload.items() if name != _RECEIVE_FIELD}
        means = (action.kind.name, content)
        if self._meaning.setdefault(action.key, means) != means:
            self.broken("P2", f"{action.key} is the key of {self._meaning[action.key]} and {means}")
        self._world.consent.send_begins(self._world.actor, action)

    def handed_off(self, action: Effect) -> None:
        """P2: a hand-off is listed, or a person already has the conversation."""
        rows, opaque_id = self._world.conversations.rows, action.conversation_id
        handing: HandOffData = action.data
        of_it = [row for row in rows.values() if row.get("opaque_id") == opaque_id]
        if any(row["conversation_id"] == f"{handing.handoff_id}#{opaque_id}" for row in of_it):
            return
        if all(row.get("conversation_status") != Status.HANDED_OFF for row in of_it):
            self.broken("P2", f"{action.key} was handed to nobody")

    def flipped(self) -> None:
        """A switch changed: note since when effects are forbidden without a break."""
        now, switches = self._world.now, self._world.switches
        stops = {
            "any": switches["kill_switch"] or switches["shadow_mode"],
            "reaches_customer": switches["safe_mode"],
            "by_machine": not switches["automation_enabled"],
        }
        for name, is_on in stops.items():
            if is_on:
                self._stopped_since.setdefault(name, now)
            else:
                self._stopped_since.pop(name, None)

    def logged(self, name: str, fields: Mapping[str, object]) -> None:
        """P4: no customer data in a log line or metric."""
        self.logs[name] += 1
        for value in fields.values():
            if value.__class__ is str:
                if value.startswith("bug_"):  # type: ignore[attr-defined]
                    self.broken("P7", f"log {name} has {value}")
                for canary in CANARIES:
                    if canary in value:  # type: ignore[operator]
                        self.broken("P4", f"text in log {name}")

    def unexpected(self, error: Exception) -> None:
        """An exception escaped that must not."""
        self.broken("P2", f"escaped: {type(error).__name__}: {error}")

    # --- writes -------------------------------------------------------------------------------

    def wrote(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """P6 and the state machine: a ledger row changed."""
        actor = self._world.actor
        key = after["event_id"]
        if "fence" not in after and "fence" not in (before or ()):
            return
        if key.startswith(("evt:", "WRITER:")):
            if actor is not None:
                self._wrote_event(actor, before, after)
            return
        if before is None and "action_kind" in after:
            self._decided(after)
        if before is None or "event_key" not in before or not key.startswith("act:"):
            return
        if before["status"] == "done" and after["status"] != "done":
            self.broken("P1", f"{key} was done and is {after['status']}")
        self._check_absence(key, before, after)
        same_event = before["event_key"] == after["event_key"]
        mine = actor.fences.get(before["event_key"]) if actor is not None else None
        if _is_only(_CHECK_FIELDS, before, after):  # a check's result; any worker may write it
            return
        if same_event and mine is not None and mine < before["fence"]:
            self.broken("P6", f"{key} at fence {before['fence']} changed by fence {mine}")
        if same_event and after["fence"] < before["fence"]:
            self.broken("P6", f"{key} taken from fence {before['fence']} by {after['fence']}")

    def _check_absence(self, key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """P1: an effect counts as not done after its landing time and a second look, not before."""
        is_open = before["status"] in {"unknown", "pending"} and before["started"]
        is_other = (before["owner"], before["fence"]) != (after["owner"], after["fence"])
        is_again = after["status"] == "pending" and (
            not after["started"] or after["started_epoch"] != before["started_epoch"]
        )
        is_settled = before["status"] == "unknown" or is_other
        if before["action_kind"] not in _QUERIED or not (is_open and is_again and is_settled):
            return
        waited = self._world.now - before["started_epoch"]
        if waited < LANDING_SECONDS - SKEW_SECONDS:
            self.broken("P1", f"{key} counts as not done {waited:.0f} s after its start")
        if not before.get("looks"):
            self.broken("P1", f"{key} counts as not done after one look")

    def _wrote_event(
        self, actor: Any, before: Mapping[str, Any] | None, after: Mapping[str, Any]
    ) -> None:
        key = after["event_id"]
        if before is not None and before["expires_at"] < self._world.now - SKEW_SECONDS:
            before = None  # TTL is late; by its value the row has expired
        fence, was = after.get("fence", 0), (before or {}).get("fence", 0)
        if fence > was:
            actor.fences[key] = fence
            if actor.message is not None:
                self._may_be_as_early_as(key, actor.message)
            if before is not None and before["status"] == "processing":
                early = before["lease_until"] - self._world.now
                if early > SKEW_SECONDS:
                    self.broken("P6", f"{key} claimed {early:.0f} s early")
            return
        mine = actor.fences.get(key)
        if _is_only(_NOTE_FIELDS, before or {}, after):  # a fact that any worker may write
            return
        if was and mine is not None and mine < was:
            self.broken("P6", f"{key} changed under fence {mine}, it is at {was}")
        if before is not None:
            self._check_end(key, before, after, is_mine=mine == was)
            self._check_history(key, before, after)

    def _check_end(
        self, key: str, before: Mapping[str, Any], after: Mapping[str, Any], *, is_mine: bool
    ) -> None:
        """P2 and P6: an end stays until a claim reopens it, and a waiting event stays indexed."""
        was, now = before["status"], after["status"]
        if was in _ENDS and now != was:
            self.broken("P2", f"{key} was {was} and is {now}")
        is_scheduled = key.startswith("WRITER:")  # its schedule, not a date, brings it back
        is_given_back = now == "processing" and after.get("lease_until") == 0 and not is_scheduled
        if (is_given_back or now == "parked") and "due_at" not in after:
            self.broken("P2", f"{key} is {now}, held by nobody, and in no index")
        if was == now == "processing" and "due_at" in before and "due_at" not in after:
            self.broken("P2", f"{key} is held and was taken out of the index")
        is_held = was == "processing" and before["lease_until"] > self._world.now + SKEW_SECONDS
        if is_held and now != was and not is_mine:
            self.broken("P6", f"{key} is {now} while another holds it")

    def _check_history(self, key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """P1 and P3: an event is decided once, and a delivery status only advances."""
        decided = before.get("plan")
        if decided is not None and decided != after.get("plan") and key.startswith("evt:"):
            self.broken("P1", f"{key} was decided and is decided again")
        if before.get("delivery_rank", 0) > after.get("delivery_rank", 0):
            self.broken("P3", f"{key} knows less of its delivery than before")

    def remembered(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """P3 and P6: a ticket's state only advances, by message and then by fence."""
        if before is None:
            return
        if "last_message_at" not in before:
            return  # it lists what waits, or when the ticket was looked at, and knows no message
        key = after["conversation_id"]
        was, now = ((row["last_message_at"], row["last_fence"]) for row in (before, after))
        if was[0] > now[0]:
            self.broken("P3", f"{key} remembers a message before the one it knew")
        is_same = before["last_processed_message_id"] == after["last_processed_message_id"]
        if is_same and was[0] == now[0] and was[1] > now[1]:
            self.broken("P6", f"{key} of fence {was[1]} was changed by fence {now[1]}")

    # --- effects ------------------------------------------------------------------------------

    def _decided(self, row: Mapping[str, Any]) -> None:
        """Groups equal texts when they are decided: their worker may die before sending."""
        said: tuple[str, str] | None = None
        if row["action_kind"] in TEXTS:
            said = decided_text(self._world, row["conversation_id"], row["probe"]["entry_id"])
        elif row["action_kind"] in REPLIES:
            said = (row["conversation_id"], row["probe"]["body"])
        if said is not None:
            self.bodies[row["event_id"]] = said
            self.texts.setdefault(said, set()).add(row["event_id"])

    def effect_starts(self, actions: Sequence[Any], *, within: float) -> None:
        """P1, P3, P5 and P6: a request leaves, or its follow-up does within so many seconds."""
        world, actor = self._world, self._world.actor
        for action in actions:
            row = world.row(action.key)
            if row is None or row["status"] != "pending" or not row["started"]:
                self.broken("P1", f"{action.key} starts without a pending row")
                continue
            event_key = row["event_key"]
            event = world.row(event_key) or {}
            mine = actor.fences.get(event_key) if actor is not None else None
            if mine is None or event.get("fence") != mine or event.get("status") != "processing":
                self.broken(
                    "P6", f"{action.key} starts under fence {mine}, event at {event.get('fence')}"
                )
            is_decided = "plan" in event or not event_key.startswith("evt:")
            is_ours = action.conversation_id in world.vendor.ticket_ids and _message_of(
                action
            ).startswith(OURS)
            if is_ours and (is_decided or action.kind.name not in _HANDOFF_KINDS):
                self.broken("P1", f"{action.key} answers ourselves")
            if not is_decided and action.kind.name not in _HANDOFF_KINDS:
                self.broken("P1", f"{action.key} starts and no plan is stored")
            self._check_order(action, event_key)
            self._check_switches(action, within)
            self._world.consent.send_starts(actor, action)
            self._world.follow_ups.send_starts(actor, action)
            if actor is not None:
                self._check_holder(actor, action, event, within)
            if action.kind.name not in SET_LIKE and action.kind.name not in TEXTS:
                self.texts.setdefault(self._said(action), set()).add(action.key)

    def texted(self, key: str, said: tuple[str, str]) -> None:
        """A request to send a text has left; only it shows what a template says."""
        self.bodies[key] = said
        self.texts.setdefault(said, set()).add(key)

    def did_not_happen(self, actions: Sequence[Any]) -> None:
        """A request was rejected before it took effect, and its worker knows."""
        actor = self._world.actor
        if actor is not None and actions[0].kind.name in ONCE:
            actor.last_not_done = (actions[0].key, self._world.network.faults_met)

    def handed_back(self, actor: Any) -> None:
        """P2: an effect that certainly did not happen is not left as started."""
        key, faults_met = actor.last_not_done
        row = self._world.row(key)
        if row is None or faults_met != self._world.network.faults_met:
            return
        if row["status"] == "pending" and row["started"]:
            self.broken("P2", f"{key} did not happen and is left as started")

    def _check_order(self, action: Any, event_key: str) -> None:
        """P3: no message of a group starts an effect after a later message did.

        Nor does an event of a conversation after a later one, unless it was sent again on purpose:
        then it has its own message, whose place in the group counts.  An event that a notification
        names may be as early as that, and as late as the copy of it in which the event was seen.
        """
        message = self._world.actor.message if self._world.actor is not None else None
        if message is None or message.id in self._dead_lettered:
            return
        position, group = int(message.id[1:]), action.conversation_id
        if position < self._head.get(message.group, -1):
            self.broken("P3", f"{action.key} starts after an effect of a later message")
        self._head[message.group] = max(self._head.get(message.group, -1), position)
        if action.kind.name == "tell_company":
            return  # a lane of its own; `endpoints` judges the order of its events
        if action.kind.name in NOTICES:
            return  # who has just asked gets it at once, before what waits for the end of quiet hours
        if event_key in self._by_person:
            return  # it does not wait for the conversation's waiting events
        number = min(position, self._order.get(event_key, position))
        if number < self._event_head.get(group, -1) and event_key not in self._late:
            self.broken("P3", f"{action.key} starts after an effect of a later event")
        earliest = min(number, self._may_be_as_early_as(event_key, message))
        self._event_head[group] = max(self._event_head.get(group, -1), earliest)

    def _may_be_as_early_as(self, event_key: str, message: Any) -> int:
        """The first place of any message that has claimed an event, or begun an effect of it."""
        position, named = int(message.id[1:]), json.loads(message.body)["event_key"]
        known = self._earliest.get(event_key, position)
        self._earliest[event_key] = min(known, position, self._order.get(named, position))
        return self._earliest[event_key]

    def _check_holder(
        self, actor: Any, action: Any, event: Mapping[str, Any], within: float
    ) -> None:
        """P5 and P6, by what the worker itself can know, even if nothing was sent."""
        left = event.get("lease_until", 0) - actor.clock.now().timestamp()
        if left < LEAST_LEASE_SECONDS - within:
            self.broken("P6", f"{action.key} starts with {left:.0f} s of its lease left")
        age = self._world.now - actor.ssm.read_at
        was_paused = actor.resumed_at > actor.ssm.read_at  # not noticeable between two steps
        if age > SWITCH_SECONDS + within and not was_paused:
            self.broken("P5", f"{action.key} starts on switches read {age:.0f} s ago")

    def _check_switches(self, action: Any, within: float) -> None:
        scopes = ("any", "reaches_customer", "by_machine")
        for scope in scopes if action.kind.reaches_customer else ("any",):
            since = self._stopped_since.get(scope)
            if since is None or (scope == "by_machine" and self._is_written_by_person(action)):
                continue
            if self._world.now - since > SWITCH_SECONDS + within:
                self.broken(
                    "P5", f"{action.key} starts {self._world.now - since:.0f} s after the stop"
                )

    def _is_written_by_person(self, action: Any) -> bool:
        """Whether a person has written it, by the draft that is stored for it."""
        rows = self._world.conversations.rows.values()
        return any(row.get("action_key") == action.key and "by" in row for row in rows)

    def landed(self, actions: Sequence[Any]) -> None:
        """P1: an effect happened at the provider."""
        landed = self._world.landed
        purposes.taken(self._world, actions)
        for action in actions:
            if action.kind is CLOSE:
                message = Suffix(_message_of(action))  # an operator closes again
                reply = ticket_keys.reply_action(action.conversation_id, message)
                if not landed[reply]:
                    self.broken("P2", f"{action.key}: closed unanswered")
            if action.kind.name in SET_LIKE:
                continue
            said = self._said(action)
            mine = self.texts.get(said, set())
            happened = sum(landed[key] for key in mine)
            self.landed_texts[said] = happened
            if happened > len(mine):
                self.broken("P1", f"{action.key}: {happened} messages of one text")

    def _said(self, action: Any) -> tuple[str, str]:
        """Recipient and text; an e-mail and a reply with a reference are unique by their key."""
        return self.bodies.get(action.key, (action.conversation_id, action.key))

    def broken(self, promise: str, what: str) -> None:
        """Note a violation, once."""
        violation = Violation(promise, what)
        if violation not in self.violations:
            self.violations.append(violation)


def _is_only(noted: frozenset[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether only these fields were added or changed."""
    return all(before.get(name) == value or name in noted for name, value in after.items())


def _message_of(action: Effect) -> str:
    """The message that an effect on a ticket belongs to; of a resend too."""
    return action.key.partition(keys.RESEND)[0].rpartition(":")[2]
