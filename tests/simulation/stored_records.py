"""The records that must be complete once the system is at rest.

Audit, hand-offs of failures, ticket state, a conversation's history and its hand-offs, the
dataset's dimensions.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chalicelib.facts.dataset import DIMENSIONS, FACT_EVENT
from chalicelib.once import keys
from chalicelib.once.plan import Plan
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.handoffs import INDEX, WAITING
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT, HELP, OPT_OUT, UNSAID
from chalicelib.outreach.project.pace import TOGETHER
from chalicelib.support import keys as ticket_keys
from chalicelib.support.effects import ATTENTION_TAG
from tests.rigs.histories import pages
from tests.simulation.scenario import CANARIES
from tests.simulation.vendor import CLOSED, epoch

if TYPE_CHECKING:
    from tests.simulation.world import World

ROOT = Path(__file__).resolve().parents[2]
Rows = Mapping[str, Mapping[str, Any]]

LISTED_SECONDS = 80_000.0
"""A sweep after the last fault reads a day back, less the time it took to come to rest."""
_RESULTS = {"done": "success", "refused": "fail"}
_HANDOFF_TYPES = frozenset({"escalate", "hand_off"})
"""The `action_type` of an action that hands off to a person."""
_WITHOUT_HANDOFF = ("evt:start:", "evt:receipt:", "evt:follow:", "evt:silence:")
"""A failed start is reported to its sender; a receipt has no conversation; the others wait for no one."""
_SILENT_ACTS = frozenset({"take", "close"})
"""What a person at a desk does without sending anything."""
_TABLE = json.loads((ROOT / ".chalice" / "resources.json").read_text())["Resources"][
    "ConversationsTable"
]["Properties"]
_INDEXES = {
    index["IndexName"]: {key["AttributeName"] for key in index["KeySchema"]}
    for index in (*_TABLE["GlobalSecondaryIndexes"], *_TABLE["LocalSecondaryIndexes"])
}
"""The attributes that put a row of the conversations into each index."""
_ORDER_NUMBERS = re.compile(r"(?<![0-9a-f])(?:1234567|10023[456])(?![0-9a-f])")
"""The order numbers that customers write; within a hash the digits mean nothing."""
_LIKE_AN_ORDER = ("1234567", "10023")
"""Every match of the pattern contains one of these; searching for them is ten times faster."""


def judge(world: World, rows: Rows) -> None:
    """P1 to P4 and P7, on the stored rows."""
    rows = {key: row for key, row in rows.items() if "status" in row}
    _judge_index(world, rows)
    _judge_audit(world, rows)
    _judge_failures_are_handed_off(world, rows)
    _judge_withheld(world, rows)
    _judge_tickets(world, rows)
    _judge_state(world, rows)
    _judge_histories(world, rows)
    _judge_batches(world, rows)
    _judge_starts(world, rows)
    _judge_dimensions(world)
    _judge_privacy(world)


def _judge_index(world: World, rows: Rows) -> None:
    """P2: everything that waits is in the index that the sweep and operators read."""
    for key, row in rows.items():
        if row["status"] in {"parked", "unknown"} and "due_at" not in row:
            world.oracle.broken("P2", f"{key} is {row['status']} and in no index")


def _judge_audit(world: World, rows: Rows) -> None:
    """P7: every action of a processed event has its end in the audit."""
    written = {row["ts_action_id"]: str(row.get("result")) for row in world.audit.rows.values()}
    for key, row in rows.items():
        if "action_kind" not in row or _event(row, rows).get("status") != "processed":
            continue
        if row["status"] == "pending":
            continue  # judged where actions are
        word = _RESULTS.get(row["status"], row["status"])
        result = written.get(f"{row['finished_at']}#{key}", "nothing")
        if result.partition(":")[0] != word:
            world.oracle.broken("P7", f"{key} is {row['status']}, the audit has {result}")


_NOTICES = frozenset({"confirm_stop", "answer_help"})


def _judge_failures_are_handed_off(world: World, rows: Rows) -> None:
    """P2: every failed event is handed off, or a reason says why not.

    A person's act that sends nothing is done at the door: its event only informs the company, and
    there is nothing to hand off.  (Judged otherwise in the schedules 77700309 and 77701648.)
    """
    silent = {
        row["event"] for row in world.conversations.rows.values() if row.get("act") in _SILENT_ACTS
    }
    asked = {
        row["event_key"]: row["status"]
        for row in rows.values()
        if row.get("action_type") in _HANDOFF_TYPES
    }
    notices = {
        row["event_key"] for row in rows.values() if row.get("action_kind") in _NOTICES
    }  # a confirmation of a STOP that is refused needs no person
    for key, row in rows.items():
        reason = str(row.get("reason"))
        if reason.startswith("refused:") and key in notices:
            continue
        is_asked_of = "fence" in row and not key.startswith(_WITHOUT_HANDOFF) and key not in silent
        if row["status"] != "failed" or not is_asked_of or reason.endswith(DO_NOT_CONTACT):
            continue
        if reason.startswith(("dead_letter:", "refused:")) and asked.get(key) in {None, "pending"}:
            world.oracle.broken("P2", f"{key} has failed, {reason}, and was not handed off")


def _judge_withheld(world: World, rows: Rows) -> None:
    """P7: an event's own reason says that one of its actions was withheld."""
    for row in rows.values():
        is_withheld = row["status"] == "skipped" and row.get("reason") != "already"
        if "action_kind" not in row or not is_withheld:
            continue
        event = _event(row, rows)
        reason = str(event.get("reason"))
        if event.get("status") == "processed" and not reason.startswith("withheld:"):
            world.oracle.broken("P7", f"{row['event_id']} was withheld, its event says {reason}")


def _judge_tickets(world: World, rows: Rows) -> None:
    """P2: a customer's comment on an open ticket is known, with or without a webhook."""
    for ticket in map(world.vendor.ticket, world.vendor.ticket_ids):
        ticket_id, newest = ticket["id"], ticket["comments"][-1]
        is_listed = ticket["status"] != CLOSED and ATTENTION_TAG not in ticket["tags"]
        is_recent = epoch(ticket["updated_at"]) > world.faults_ended_at - LISTED_SECONDS
        if newest["is_operator"] or not is_listed or not is_recent:
            continue
        notices = [row for key, row in rows.items() if key.startswith(f"evt:rp:{ticket_id}:n:")]
        key = ticket_keys.ticket_message(ticket_id, newest["id"])
        if key not in rows and all(row["status"] == "processed" for row in notices):
            world.oracle.broken("P2", f"{key} is on an open ticket and unknown")


def _judge_state(world: World, rows: Rows) -> None:
    """P3: a ticket's state is that of the newest decided message."""
    newest: dict[str, str] = {}
    for key, row in rows.items():
        if ":resend:" in key:  # a resend changes no state
            continue
        if key.startswith("evt:rp:") and row["status"] == "processed" and "plan" in row:
            at = str(Plan.decode(row["plan"]).facts["at"])
            ticket = row["conversation_id"]
            newest[ticket] = max(at, newest.get(ticket, ""))
    for ticket, at in newest.items():
        known = world.state.rows.get((ticket,), {}).get("last_message_at", "")
        if known < at:
            world.oracle.broken("P3", f"{ticket} remembers {known or 'nothing'}, not {at}")


def _judge_histories(world: World, rows: Rows) -> None:
    """P1 and P2: a conversation holds each message once, counts them, and misses none."""
    histories: dict[str, list[str]] = {}
    for row in pages(world.conversations.rows.values()):
        digest = row["conversation_id"].split("#")[1]
        histories.setdefault(digest, []).append(row["entry_id"])
    for entries in histories.values():
        twice = [entry for entry, number in Counter(entries).items() if number > 1]
        if twice:
            world.oracle.broken("P1", f"entry {twice[0]} is twice in its conversation")
    held = sum(len(entries) for entries in histories.values())
    counted = sum(row.get("message_count", 0) for row in world.conversations.rows.values())
    if held != counted:
        world.oracle.broken("P2", f"conversations count {counted} messages and hold {held}")
    there = {entry for entries in histories.values() for entry in entries}
    for key, entry in _said(rows):
        if entry not in there:
            world.oracle.broken("P2", f"{key} is in no conversation")


def _said(rows: Rows) -> Iterator[tuple[str, str]]:
    """Messages sent and received: the key of each, and its entry."""
    for key, row in rows.items():
        is_sent = key.startswith("act:send:") and row["status"] == "done"
        if is_sent and _event(row, rows).get("status") == "processed":
            yield key, key.rpartition(":")[2]
        if key.startswith("evt:reply:") and row["status"] == "processed":
            yield key, str(row["source_message_id"])


def _judge_batches(world: World, rows: Rows) -> None:
    """P2: a message that is answered with a newer one has a newer one, which is not STOP or HELP.

    The newest of them has its own end, so none is lost: answered, or with a person.
    """
    theirs = [page for page in pages(world.conversations.rows.values()) if page["role"] == "user"]
    for key, row in rows.items():
        if row.get("reason") != TOGETHER:
            continue
        world.happened["answered_together"] += 1
        own = [their for their in theirs if their["entry_id"] == outreach_keys.parsed(key).name]
        if not any(_is_newer(their, mine) for mine in own for their in theirs):
            world.oracle.broken("P2", f"{key} is answered with a newer message, and there is none")


def _is_newer(event: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (
        event["conversation_id"].rpartition("#")[0] == other["conversation_id"].rpartition("#")[0]
        and event["number"] > other["number"]
        and event.get("note") not in (OPT_OUT, HELP, *UNSAID)
    )


def _judge_starts(world: World, rows: Rows) -> None:
    """P2: a finished start has a finished conversation and no longer counts against the limit."""
    taken = set[str]()
    for key, row in rows.items():
        if key.startswith("rate:"):
            taken |= row.get("open", set())
    records = [row for row in world.conversations.rows.values() if "start_event" in row]
    held_up = {
        row["conversation_id"]
        for key, row in rows.items()
        if key.startswith("evt:release:") and row["status"] != "processed"
    }
    status = {
        row["start_event"]: row["conversation_status"]
        for row in records
        if row["opaque_id"] not in held_up
    }
    for key, row in rows.items():
        if not key.startswith("evt:start:") or row["status"] not in {"processed", "failed"}:
            continue
        if keys.digest(key)[:16] in taken:
            world.oracle.broken("P2", f"{key} is over and counts as open")
        if status.get(key) == "processing":
            world.oracle.broken("P2", f"{key} is over, its conversation is not")
    _judge_handoffs(world, [record for record in records if record["opaque_id"] not in held_up])
    _judge_handoff_list(world, rows)
    _judge_indexes(world)
    _judge_deliveries(world, rows)


def _judge_handoffs(world: World, records: list[Mapping[str, Any]]) -> None:
    """P1 and P2: a handed-off conversation is on the list once."""
    listed = Counter(
        row["opaque_id"]
        for row in world.conversations.rows.values()
        if row.get("handoff_state") in {WAITING, "taken"}
    )
    # An approval that crashes half-way leaves the released hand-off on the list.
    most = 1 + (0 if world.is_fault_free else len(world.scenario.approvals))
    for record in records:
        number = listed[record["opaque_id"]]
        is_handed = record["conversation_status"] == "handed_off"
        if number > most:
            world.oracle.broken("P1", f"{record['opaque_id']} is handed off {number} times")
        if is_handed and not number:
            world.oracle.broken("P2", f"{record['opaque_id']} is handed off and not listed")


def _judge_handoff_list(world: World, rows: Rows) -> None:
    """P2: a conversation that was handed off is, or was, on the list."""
    listed = {
        row["opaque_id"] for row in world.conversations.rows.values() if "handoff_state" in row
    }
    for key, row in rows.items():
        is_asked = row.get("action_kind") == "hand_off" and row["status"] == "done"
        if is_asked and row["conversation_id"] not in listed:
            world.oracle.broken("P2", f"{key} is done and was never listed")


def _judge_indexes(world: World) -> None:
    """The indexes find conversations: another row is in none, but a hand-off in its partition's by time."""
    for row in world.conversations.rows.values():
        of = {name for name, keys in _INDEXES.items() if keys <= row.keys()}
        if "start_event" not in row and of != ({INDEX} if "handoff_state" in row else set()):
            world.oracle.broken("P4", f"{row['conversation_id']} is in {sorted(of)}")


def _judge_deliveries(world: World, rows: Rows) -> None:
    """P2: a carrier's report on an opening reaches the start's row."""
    for row, ref in _openings(world, rows):
        receipts = [rows.get(outreach_keys.receipt(ref, state)) for state in _DELIVERED]
        is_reported = any(
            receipt is not None and receipt["status"] == "processed" for receipt in receipts
        )
        if is_reported and "delivery" not in rows.get(row["event_key"], {}):
            world.oracle.broken("P2", f"{row['event_id']} was delivered, its start does not know")


def _openings(world: World, rows: Rows) -> Iterator[tuple[Mapping[str, Any], str]]:
    """The openings that were sent, each with the carrier's id.

    A text is matched by its callback; the row that has its id may belong to an equal text.
    """
    opening = {
        row["probe"]["entry_id"]: row
        for key, row in rows.items()
        if key.startswith("act:send:") and row["event_key"].startswith("evt:start:")
    }
    for message in world.twilio.messages:
        row = opening.get(message["_callback"].rpartition(".")[2])
        if row is not None:
            yield row, message["sid"]
    for row in opening.values():
        if row["action_kind"] == "send_email":
            yield row, str(row.get("ref"))


_DELIVERED = ("delivered", "delivery")


def _judge_dimensions(world: World) -> None:
    """P2: the dataset has every key that its facts name, unless it refused one."""
    if world.oracle.logs["facts.dimension_refused"]:
        return
    known = {table: world.dataset.keys_of(table) for table in _NAMED}
    for row in world.dataset.rows_of(FACT_EVENT):
        for table, column in _NAMED.items():
            if row[column] not in known[table]:
                world.oracle.broken("P2", f"{table} has not {row[column]}")


_NAMED = {"DimAgent": "AgentID", "DimMetric": "MetricID", "DimDate": "FactDateKey"}
assert set(_NAMED) == set(DIMENSIONS)


def _judge_privacy(world: World) -> None:
    """P4: no customer data in any table but that of conversations."""
    for table in (world.ledger, world.state, world.audit, world.facts, world.sweeps):
        for row in table.rows.values():
            shown = repr(row)
            is_named = any(canary in shown for canary in CANARIES)
            is_counted = table is world.sweeps  # its numbers are how many, and how long
            if is_named or (not is_counted and _shows_an_order(shown)):
                world.oracle.broken("P4", f"text in table {table.name}")


def _shows_an_order(shown: str) -> bool:
    is_like = any(digits in shown for digits in _LIKE_AN_ORDER)
    return is_like and _ORDER_NUMBERS.search(shown) is not None


def _event(row: Mapping[str, Any], rows: Rows) -> Mapping[str, Any]:
    return rows.get(str(row["event_key"]), {})
