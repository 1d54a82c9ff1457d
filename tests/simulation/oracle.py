"""The promises, judged from the outside after every write, start and landing; `verdict` at the end.

It knows what really happened (the providers' truth, the queue's order, the switches' history) and
never asks the product.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from chalicelib.once.action import Action
from chalicelib.once.keys import Suffix
from chalicelib.outreach.actions import HandOff
from chalicelib.outreach.conversations.handoffs import PARTITION
from chalicelib.outreach.conversations.records import Status
from chalicelib.support import keys as ticket_keys
from chalicelib.support.actions import Close
from tests.simulation.carriers import decided_text
from tests.simulation.flow import REPLIES
from tests.simulation.scenario import CANARIES

if TYPE_CHECKING:
    from tests.simulation.world import World

OURS = "reply-"
"""Begins the ids of our own comments on a ticket."""
SWITCH_SECONDS = 30.0
SKEW_SECONDS = 121.0
LEAST_LEASE_SECONDS = 149.0
"""A request's total deadline and the margin, but for the second that the ledger's times are cut to."""
ONCE = frozenset({"reply_queried", "reply_blind", "reply", "send_text", "send_email"})
"""Kinds that are never repeated while their outcome is not known."""
_ENDS = frozenset({"processed", "parked", "skipped"})
"""Of an event: nothing but a claim leads out of them; what has failed may be recorded anew."""
_ASKING = frozenset({"add_tag", "hand_off"})
"""Kinds that ask for a person: they need no plan, as where making it failed.

What was told of and could never be looked at may have been our own.
"""
SET_LIKE = frozenset(
    {
        *("add_tag", "remove_tag", "assign", "close", "note", "hand_off"),
        *("post_facts", "insert_dimension", "replace_dimension"),
    }
)
"""Kinds of which a second landing changes nothing, or is judged by what it leaves behind."""

_A_RECEIVE = "receive"
"""In an action's payload: which receive of its message it is of, for the sandbox of a carrier."""
_A_LOOK = frozenset({"looks", "looked_epoch"})
"""What a look at the provider leaves on an action's row."""
_A_NOTE = frozenset({"outcome"})
"""What a start's sender is told of its end."""


@dataclass(frozen=True, slots=True)
class Violation:
    """A promise that did not hold."""

    promise: str
    what: str

    def __str__(self) -> str:
        return f"{self.promise}: {self.what}"


class Oracle:
    """Of one world.

    Attributes:
        accepted: what a sender was answered 2xx for: event key to the conversation it stands in.
        texts: the keys of actions that say the same to the same person: twins.
        bodies: what a text says to whom, by its action's key.
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
        self._meant: dict[str, tuple[str, dict[str, str]]] = {}
        self._order: dict[str, int] = {}
        self._head: dict[str, int] = {}
        self._event_head: dict[str, int] = {}
        self._late: set[str] = set()
        self._buried: set[str] = set()
        self._stopped_since: dict[str, float] = {}

    # --- what the world tells -----------------------------------------------------------------

    def sent(self, job: Mapping[str, Any], position: int) -> None:
        """A job went onto the queue: the order of the front door is the order of the effects."""
        if job["recovery"] is None:
            self._order.setdefault(job["event_key"], position)
        else:
            self._late.add(job["event_key"])

    def recovered(self, event_key: str) -> None:
        """An event comes back after what followed it: by an operator, or from the dead letters."""
        self._late.add(event_key)

    def buried(self, message_id: str, event_key: str) -> None:
        """The queue gave a message up: what follows runs on, also while its last worker does."""
        self._buried.add(message_id)
        self._late.add(event_key)

    def given_up(self, event_key: str) -> None:
        """P7: a message was handed back for the last time, by a worker that lives."""
        if self._world.row(event_key) is None and not self.logs["worker.dead_letter_not_recorded"]:
            self.broken("P7", f"{event_key} is in the DLQ and no row says why")

    def begun(self, action: Action) -> None:
        """P2: what passes for another under one key is never done, and nobody sees it."""
        told = {name: value for name, value in action.payload().items() if name != _A_RECEIVE}
        means = (action.kind, told)
        if self._meant.setdefault(action.key, means) != means:
            self.broken("P2", f"{action.key} is the key of {self._meant[action.key]} and {means}")

    def handed_off(self, action: HandOff) -> None:
        """P2: it is on the persons' list, or a person has the conversation for another reason."""
        rows, opaque_id = self._world.conversations.rows, action.conversation_id
        if (PARTITION, f"{action.suffix.text}#{opaque_id}") in rows:
            return
        of_it = [row for row in rows.values() if row.get("opaque_id") == opaque_id]
        if all(row.get("conversation_status") != Status.HANDED_OFF for row in of_it):
            self.broken("P2", f"{action.key} was handed to nobody")

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
            if value.__class__ is str:
                for canary in CANARIES:
                    if canary in value:  # type: ignore[operator]
                        self.broken("P4", f"text in log {name}")

    def surprised(self, error: Exception) -> None:
        """Something escaped that should not."""
        self.broken("P2", f"escaped: {type(error).__name__}: {error}")

    # --- writes -------------------------------------------------------------------------------

    def wrote(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """P6 and the states: a row of a ledger changed."""
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
        same_event = before["event_key"] == after["event_key"]
        mine = actor.fences.get(before["event_key"]) if actor is not None else None
        if _is_only(_A_LOOK, before, after):  # what its provider shows of this start, whoever looks
            return
        if same_event and mine is not None and mine < before["fence"]:
            self.broken("P6", f"{key} at fence {before['fence']} changed by fence {mine}")
        if same_event and after["fence"] < before["fence"]:
            self.broken("P6", f"{key} taken from fence {before['fence']} by {after['fence']}")

    def _wrote_event(
        self, actor: Any, before: Mapping[str, Any] | None, after: Mapping[str, Any]
    ) -> None:
        key = after["event_id"]
        if before is not None and before["expires_at"] < self._world.now - SKEW_SECONDS:
            before = None  # TTL is late; by value the row is gone
        fence, was = after.get("fence", 0), (before or {}).get("fence", 0)
        if fence > was:
            actor.fences[key] = fence
            if before is not None and before["status"] == "processing":
                early = before["lease_until"] - self._world.now
                if early > SKEW_SECONDS:
                    self.broken("P6", f"{key} claimed {early:.0f} s early")
            return
        mine = actor.fences.get(key)
        if _is_only(_A_NOTE, before or {}, after):  # what is true of it, whoever tells
            return
        if was and mine is not None and mine < was:
            self.broken("P6", f"{key} changed under fence {mine}, it is at {was}")
        if before is not None:
            self._check_end(key, before, after, is_mine=mine == was)
            self._check_history(key, before, after)

    def _check_end(
        self, key: str, before: Mapping[str, Any], after: Mapping[str, Any], *, is_mine: bool
    ) -> None:
        """P2 and P6: an end stays until a claim opens it, and what is left waiting is found."""
        was, now = before["status"], after["status"]
        if was in _ENDS and now != was:
            self.broken("P2", f"{key} was {was} and is {now}")
        is_given_back = now == "processing" and after.get("lease_until") == 0
        if (is_given_back or now == "parked") and "unfinished" not in after:
            self.broken("P2", f"{key} is {now}, held by nobody, and in no index")
        if was == now == "processing" and "unfinished" in before and "unfinished" not in after:
            self.broken("P2", f"{key} is held and was taken out of the index")
        is_held = was == "processing" and before["lease_until"] > self._world.now + SKEW_SECONDS
        if is_held and now != was and not is_mine:
            self.broken("P6", f"{key} is {now} while another holds it")

    def _check_history(self, key: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        """P1 and P3: an event is decided once, and what is known of a delivery goes forward."""
        decided = before.get("plan")
        if decided is not None and decided != after.get("plan") and key.startswith("evt:"):
            self.broken("P1", f"{key} was decided and is decided again")
        if before.get("delivery_rank", 0) > after.get("delivery_rank", 0):
            self.broken("P3", f"{key} knows less of its delivery than before")

    def remembered(self, before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> None:
        """P3 and P6: what is remembered of a ticket goes forward, by message and then by fence."""
        if before is None:
            return
        key = after["conversation_id"]
        was, now = ((row["last_message_at"], row["last_fence"]) for row in (before, after))
        if was[0] > now[0]:
            self.broken("P3", f"{key} remembers a message before the one it knew")
        is_same = before["last_processed_message_id"] == after["last_processed_message_id"]
        if is_same and was[0] == now[0] and was[1] > now[1]:
            self.broken("P6", f"{key} of fence {was[1]} was changed by fence {now[1]}")

    # --- effects ------------------------------------------------------------------------------

    def _decided(self, row: Mapping[str, Any]) -> None:
        """Whose twin a text is: its worker may die before it is sent, and a twin be taken for it."""
        said: tuple[str, str] | None = None
        if row["action_kind"] == "send_text":
            said = decided_text(self._world, row["conversation_id"], row["probe"]["entry_id"])
        elif row["action_kind"] in REPLIES:
            said = (row["conversation_id"], row["probe"]["body"])
        if said is not None:
            self.bodies[row["event_id"]] = said
            self.texts.setdefault(said, set()).add(row["event_id"])

    def effect_starts(self, actions: Sequence[Any], *, within: float) -> None:
        """P1, P3, P5 and P6: an effect leaves the machine, or goes on so many seconds later."""
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
            is_ours = (
                action.conversation_id in world.vendor.tickets
                and action.suffix.name.startswith(OURS)
            )
            if is_ours and (is_decided or action.kind not in _ASKING):
                self.broken("P1", f"{action.key} answers ourselves")
            if not is_decided and action.kind not in _ASKING:
                self.broken("P1", f"{action.key} starts and no plan is stored")
            self._check_order(action, event_key)
            self._check_switches(action, within)
            if actor is not None:
                self._check_holder(actor, action, event, within)
            if action.kind not in SET_LIKE:
                self.texts.setdefault(self._said(action), set()).add(action.key)

    def surely_not(self, actions: Sequence[Any]) -> None:
        """An effect was refused on its way, and whoever asked for it knows."""
        actor = self._world.actor
        if actor is not None and actions[0].kind in ONCE:
            actor.undone = (actions[0].key, self._world.network.troubles)

    def handed_back(self, actor: Any) -> None:
        """P2: what surely did not happen does not wait for a person as if it might have."""
        key, troubles = actor.undone
        row = self._world.row(key)
        if row is None or troubles != self._world.network.troubles:
            return
        if row["status"] == "pending" and row["started"]:
            self.broken("P2", f"{key} surely did not happen and is left as if it had begun")

    def _check_order(self, action: Any, event_key: str) -> None:
        """P3: no message of a group starts an effect after a later message did.

        And no event of a conversation after one that came later, unless it comes back on purpose:
        then it has a message of its own, whose place in its group is the one that counts.
        """
        message = self._world.actor.message if self._world.actor is not None else None
        if message is None or message.id in self._buried:
            return
        position, group = int(message.id[1:]), action.conversation_id
        if position < self._head.get(message.group, -1):
            self.broken("P3", f"{action.key} starts after an effect of a later message")
        self._head[message.group] = max(self._head.get(message.group, -1), position)
        number = min(position, self._order.get(event_key, position))
        if number < self._event_head.get(group, -1) and event_key not in self._late:
            self.broken("P3", f"{action.key} starts after an effect of a later event")
        self._event_head[group] = max(self._event_head.get(group, -1), number)

    def _check_holder(
        self, actor: Any, action: Any, event: Mapping[str, Any], within: float
    ) -> None:
        """P5 and P6, by what the worker itself can know, also where nothing came of it."""
        left = event.get("lease_until", 0) - actor.clock.now().timestamp()
        if left < LEAST_LEASE_SECONDS - within:
            self.broken("P6", f"{action.key} starts with {left:.0f} s of its lease left")
        age = self._world.now - actor.ssm.read_at
        stood_still = actor.woke_at > actor.ssm.read_at  # what nobody can notice between two steps
        if age > SWITCH_SECONDS + within and not stood_still:
            self.broken("P5", f"{action.key} starts on switches read {age:.0f} s ago")

    def _check_switches(self, action: Any, within: float) -> None:
        for scope in ("any", "speaks") if action.speaks else ("any",):
            since = self._stopped_since.get(scope)
            if since is not None and self._world.now - since > SWITCH_SECONDS + within:
                self.broken(
                    "P5", f"{action.key} starts {self._world.now - since:.0f} s after the stop"
                )

    def landed(self, actions: Sequence[Any]) -> None:
        """P1: an effect happened at the provider."""
        landed = self._world.landed
        for action in actions:
            if isinstance(action, Close):
                message = Suffix(action.suffix.name)  # an operator closes once more
                reply = ticket_keys.reply_action(action.conversation_id, message)
                if not landed[reply]:
                    self.broken("P2", f"{action.key}: closed unanswered")
            if action.kind in SET_LIKE:
                continue
            said = self._said(action)
            mine = self.texts.get(said, set())
            happened = sum(landed[key] for key in mine)
            self.landed_texts[said] = happened
            if happened > len(mine):
                self.broken("P1", f"{action.key}: {happened} messages of one text")

    def _said(self, action: Any) -> tuple[str, str]:
        """Twins say the same; an e-mail and a reply with a reference are told apart."""
        return self.bodies.get(action.key, (action.conversation_id, action.key))

    def broken(self, promise: str, what: str) -> None:
        """Note a violation, once."""
        violation = Violation(promise, what)
        if violation not in self.violations:
            self.violations.append(violation)


def _is_only(noted: frozenset[str], before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether nothing has come or changed but what may be noted by anybody."""
    return all(before.get(name) == value or name in noted for name, value in after.items())
