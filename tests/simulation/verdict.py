"""The promises at the end of a schedule, judged on the tables and the providers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chalicelib.facts.posting.effects import INSERT_DIMENSION, REPLACE_DIMENSION
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, NEVER_OPENED
from chalicelib.outreach.hearing.lost_texts import YOUNG
from tests.simulation import answered, purposes, stored_records, tools
from tests.simulation.oracle import SET_LIKE
from tests.simulation.outreach import TEXTS

if TYPE_CHECKING:
    from tests.simulation.world import World

_UNDONE = frozenset({"received", "processing"})
_ENDED = frozenset({"processed", "failed", "parked", "skipped"})
_PASSING = frozenset({"connect_failed", "http_429", "timeout", "http_503"})
"""Reasons of an effect that did not happen and may be tried again."""
_BY_QUERY = frozenset({"reply_queried", "reply", *TEXTS})
"""Kinds whose outcome the provider always shows: they never stay unknown."""
AGE_SECONDS = 2 * YOUNG.total_seconds()
"""At this age, in seconds, a text is young no longer, however late it is listed."""
_DIMENSIONS = frozenset({INSERT_DIMENSION.name, REPLACE_DIMENSION.name})


def is_at_rest(world: World) -> bool:
    """Whether nothing is left that could still change on its own."""
    return _rest(world, list(world.ledger.rows.values()))


def _rest(world: World, rows: Sequence[Mapping[str, Any]]) -> bool:
    if any("due_at" in row and row["status"] in _UNDONE for row in rows):
        return False
    if any(row.get("status") == "unknown" and row["action_kind"] in _BY_QUERY for row in rows):
        return False
    if any(row.get("status") == "failed" and "due_at" in row for row in rows):
        return False  # its hand-off is pending
    for_good = {
        row["event_key"]
        for row in rows
        if row.get("status") == "unknown" and stays_unknown(world, row)
    }
    if any(_is_resumable(row) and row["event_id"] not in for_good for row in rows):
        return False  # a sweep that takes 200 rows has not reached it yet
    if world.twilio.newest_received() > world.sweepers[0].clock.now().timestamp() - AGE_SECONDS:
        return False  # a carrier whose clock is ahead: the sweep takes a text for a young one
    return not any(map(_is_being_posted, world.facts.rows.values()))


def silent_until(world: World) -> float:
    """When the first silence about a doubt is over, where nothing else waits; 0 where something does."""
    rows = world.ledger.rows.values()
    silent = [row for row in rows if row["event_id"].startswith("evt:silence:") and "due_at" in row]
    if not _rest(world, [row for row in rows if row not in silent]):
        return 0.0
    return min((float(row.get("until") or 0) for row in silent), default=0.0)


def _is_being_posted(row: Mapping[str, Any]) -> bool:
    """A dimension is being posted while its own row says so: a replacement supersedes the one before."""
    if row.get("action_kind") in _DIMENSIONS:
        return False
    return row.get("status") == "pending" or bool(row.get("posting") or row.get("again_at"))


def _is_resumable(row: Mapping[str, Any]) -> bool:
    return row.get("status") == "parked" and str(row.get("reason")).startswith("unknown:")


def judge(world: World) -> None:
    """P1, P2, P4 and P7."""
    rows = {row["event_id"]: row for row in world.ledger.rows.values()}
    dead = {json.loads(message.body)["event_key"] for message in world.queue.dead}
    broken = world.oracle.broken
    for key, conversation_id in world.oracle.accepted.items():
        _judge_event(world, key, conversation_id, rows, dead)
    for key, row in rows.items():
        if "action_kind" in row:
            _judge_action(world, row, rows)
        elif key.startswith("evt:"):
            _judge_reason(world, key, row)
    _judge_texts(world, rows)
    _judge_facts(world)
    stored_records.judge(world, rows)
    answered.judge(world, rows)
    world.pairs.judge(rows)
    world.consent.judge(rows)
    world.follow_ups.judge(rows)
    world.endpoints.judge()
    tools.judge(world, rows)
    purposes.ended(world, rows)
    if world.queue.waiting():
        broken("P2", "messages are left on the queue")


def _judge_event(
    world: World, key: str, conversation_id: str, rows: Mapping[str, Any], dead: set[str]
) -> None:
    row = rows.get(key)
    container = f"evt:rp:{conversation_id}:n:"
    is_dead = key in dead or any(letter.startswith(container) for letter in dead)
    if row is None and not is_dead:
        world.oracle.broken("P2", f"{key} was accepted and is nowhere")
    elif row is not None and row["status"] not in _ENDED and not is_dead:
        world.oracle.broken("P2", f"{key} was accepted and is {row['status']}")
    # Even without faults a person may approve or replay a message its recipient does not want.
    unwanted = {DO_NOT_CONTACT, *([NEVER_OPENED] if world.scenario.resumes else [])}
    is_refused = row is not None and row.get("reason") in unwanted
    if world.is_fault_free and not is_refused and (row is None or row["status"] != "processed"):
        world.oracle.broken("P2", f"{key} met no fault and is {row and row['status']}")


def _judge_reason(world: World, key: str, row: Mapping[str, Any]) -> None:
    reason = str(row.get("reason"))
    if row["status"] in {"failed", "parked", "skipped"} and not row.get("reason"):
        world.oracle.broken("P7", f"{key} is {row['status']} without a reason")
    if row["status"] != "parked" or reason == "plan_not_known_here":
        return
    unknown = [
        other
        for other in world.ledger.rows.values()
        if other.get("event_key") == key and other.get("status") == "unknown"
    ]
    if not any(stays_unknown(world, other) for other in unknown):
        world.oracle.broken("P2", f"{key} is parked for {reason} and could be settled")


def stays_unknown(world: World, row: Mapping[str, Any]) -> bool:
    """Whether no provider can settle it: it shows nothing, or would have reported it."""
    kind = row["action_kind"]
    if kind == "reply_keyed":  # its repetition was refused
        return True
    return kind == "reply_blind" or (kind == "send_email" and not world.landed[row["event_id"]])


def _judge_action(world: World, row: Mapping[str, Any], rows: Mapping[str, Any]) -> None:
    key, status, broken = row["event_id"], row["status"], world.oracle.broken
    event = rows.get(row["event_key"], {})
    if status in {"refused", "skipped", "unknown", "abandoned"} and not row.get("reason"):
        broken("P7", f"{key} is {status} without a reason")
    if status == "refused" and row.get("reason") in _PASSING:
        broken("P2", f"{key} is refused for {row['reason']}, which passes")
    if status == "pending" and event.get("status") == "processed":
        broken("P2", f"{key} is pending and its event is processed")
    if status == "unknown" and event.get("status") == "processed":
        broken("P2", f"{key} is unknown and its event is processed")
    landed = world.landed[key]
    if row["action_kind"] in SET_LIKE:
        if status == "done" and not landed and row["action_kind"] != "hand_off":
            broken("P2", f"{key} is done and never happened")
    elif (
        landed
        and status in {"skipped", "refused"}
        and not _was_credited_to_an_equal_text(world, key, rows)
    ):
        broken("P7", f"{key} happened and is {status}:{row.get('reason')}")
    elif row.get("reason") == "superseded" and not _is_superseded(world, row):
        broken("P2", f"{key} is superseded, but nobody answered")


def _is_superseded(world: World, row: Mapping[str, Any]) -> bool:
    """A reply is superseded only if its ticket was answered or closed."""
    return world.vendor.was_dealt_with(row["conversation_id"])


def _was_credited_to_an_equal_text(world: World, key: str, rows: Mapping[str, Any]) -> bool:
    """Whether an equal text that was not sent was credited with this one's message."""
    equal_texts = world.oracle.texts.get(world.oracle.bodies.get(key, ("", "")), ())
    return any(rows[text]["status"] == "done" and not world.landed[text] for text in equal_texts)


def _judge_texts(world: World, rows: Mapping[str, Any]) -> None:
    """Equal texts are judged by count: as many done as happened."""
    oracle = world.oracle
    for said, action_keys in oracle.texts.items():
        done = sum(rows[key]["status"] == "done" for key in action_keys)
        happened = oracle.landed_texts[said]
        open_ = sum(rows[key]["status"] in {"unknown", "pending"} for key in action_keys)
        if done > happened:
            oracle.broken("P2", f"{done} messages {said} are done, {happened} happened")
        if happened > done + open_:
            oracle.broken("P1", f"{happened} messages {said} happened, {done} are done")


def _judge_facts(world: World) -> None:
    """Every fact is in the dataset, in one batch; once if the dataset has sequence numbers."""
    broken, posted = world.oracle.broken, world.dataset.batches_of()
    dead = {
        int(event["object_id"])
        for message in world.queue.dead
        for event in json.loads(message.body).get("events", ())
    }
    for key in sorted(world.oracle.accepted_facts):
        row = world.facts.rows.get((key,))
        if row is None:
            if int(key.split(":")[2]) not in dead:
                broken("P2", f"{key} was accepted and is nowhere")
        elif row["status"] == "pending":
            broken("P2", f"{key} was accepted and is pending")
        elif row["status"] == "posted" and key not in posted:
            broken("P2", f"{key} is posted and never happened")
        elif row["status"] != "posted" and key in posted:
            broken("P2", f"{key} is posted and its row says {row['status']}")
        elif row["status"] in {"failed", "skipped"} and not row.get("reason"):
            broken("P7", f"{key} is {row['status']} without a reason")
    for key, batches in posted.items():
        if len(set(batches)) > 1:
            broken("P1", f"{key} is in the batches {sorted(set(batches))}")
        if world.dataset.is_numbered and len(batches) > 1:
            broken("P1", f"{key} is {len(batches)} times in the dataset")
    for table, number in world.dataset.dimension_keys().items():
        if number > 1:
            broken("P1", f"a key of {table} is twice in its dimension")


def judge_month(world: World, before: Counter[str]) -> None:
    """P1 beyond retention: the age gate refuses events that the ledger no longer holds."""
    for key, number in world.landed.items():
        if number > before[key]:
            world.oracle.broken("P1", f"{key} happened once more a month later")
