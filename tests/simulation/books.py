"""What must be on record once all is at rest: who looks things up later finds what happened.

Audit, a person's summons, what is remembered of a ticket, a conversation's history and list of
hand-offs, the dataset's dimensions.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from chalicelib.facts.dataset import DIMENSIONS, FACT_EVENT
from chalicelib.once import keys
from chalicelib.once.plan import Plan
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.handoffs import WAITING
from chalicelib.outreach.conversations.records import DO_NOT_CONTACT
from chalicelib.support import keys as ticket_keys
from chalicelib.support.actions import ATTENTION_TAG
from tests.simulation.scenario import CANARIES

if TYPE_CHECKING:
    from tests.simulation.world import World

Rows = Mapping[str, Mapping[str, Any]]

LISTED_SECONDS = 80_000.0
"""A sweep after the last fault looks a day back, less the time that it took to come to rest."""
_RESULTS = {"done": "success", "refused": "fail"}
_SUMMONS = frozenset({"escalate", "hand_off"})
"""What `action_type` says of an action that asks for a person."""
_UNASKED = ("evt:start:", "evt:receipt:")
"""A start that failed is told to its sender, a receipt is nobody's conversation."""
_ORDER_NUMBERS = re.compile(r"(?<![0-9a-f])(?:1234567|10023[456])(?![0-9a-f])")
"""Those that the customers write; within a hash the digits mean nothing."""
_LIKE_AN_ORDER = ("1234567", "10023")
"""One of these stands in what the pattern finds; searching for them is a tenth of its work."""


def judge(world: World, rows: Rows) -> None:
    """P1 to P4 and P7, on what is stored."""
    rows = {key: row for key, row in rows.items() if "status" in row}
    _judge_marks(world, rows)
    _judge_audit(world, rows)
    _judge_summons(world, rows)
    _judge_withheld(world, rows)
    _judge_tickets(world, rows)
    _judge_memory(world, rows)
    _judge_histories(world, rows)
    _judge_starts(world, rows)
    _judge_dimensions(world)
    _judge_privacy(world)


def _judge_marks(world: World, rows: Rows) -> None:
    """P2: what waits for somebody stands in the index, where the sweep and a person look."""
    for key, row in rows.items():
        if row["status"] in {"parked", "unknown"} and "unfinished" not in row:
            world.oracle.broken("P2", f"{key} is {row['status']} and in no index")


def _judge_audit(world: World, rows: Rows) -> None:
    """P7: every action of an event that went through has its end in the audit."""
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


def _judge_summons(world: World, rows: Rows) -> None:
    """P2: of what failed in our hands a person is told, or a reason says why not."""
    asked = {
        row["event_key"]: row["status"]
        for row in rows.values()
        if row.get("action_type") in _SUMMONS
    }
    for key, row in rows.items():
        reason = str(row.get("reason"))
        is_asked_of = "fence" in row and not key.startswith(_UNASKED)
        if row["status"] != "failed" or not is_asked_of or reason.endswith(DO_NOT_CONTACT):
            continue
        if reason.startswith(("dead_letter:", "refused:")) and asked.get(key) in {None, "pending"}:
            world.oracle.broken("P2", f"{key} has failed, {reason}, and nobody is told")


def _judge_withheld(world: World, rows: Rows) -> None:
    """P7: an event says of itself that something of it was withheld."""
    for row in rows.values():
        is_withheld = row["status"] == "skipped" and row.get("reason") != "already"
        if "action_kind" not in row or not is_withheld:
            continue
        event = _event(row, rows)
        told = str(event.get("reason"))
        if event.get("status") == "processed" and not told.startswith("withheld:"):
            world.oracle.broken("P7", f"{row['event_id']} was withheld, its event says {told}")


def _judge_tickets(world: World, rows: Rows) -> None:
    """P2: what a customer wrote on an open ticket is known, whether or not anybody told us."""
    for ticket_id, ticket in world.vendor.tickets.items():
        newest = ticket.comments[-1]
        is_listed = ticket.is_open and ATTENTION_TAG not in ticket.tags
        is_recent = ticket.updated_at > world.rested_at - LISTED_SECONDS
        if newest.is_operator or not is_listed or not is_recent:
            continue
        notices = [row for key, row in rows.items() if key.startswith(f"evt:rp:{ticket_id}:n:")]
        key = ticket_keys.ticket_message(ticket_id, newest.id)
        if key not in rows and all(row["status"] == "processed" for row in notices):
            world.oracle.broken("P2", f"{key} stands on an open ticket and nobody knows it")


def _judge_memory(world: World, rows: Rows) -> None:
    """P3: the newest message that was decided on is the one that is remembered."""
    newest: dict[str, str] = {}
    for key, row in rows.items():
        if ":resend:" in key:  # of doing a thing again nothing is learnt
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
    """P1 and P2: a conversation holds each message once, counts them, and holds what was said."""
    pages: dict[str, list[str]] = {}
    for row in world.conversations.rows.values():
        kind, _, rest = row["conversation_id"].partition("#")
        if kind == "page":
            pages.setdefault(rest.partition("#")[0], []).append(row["entry_id"])
    for entries in pages.values():
        twice = [entry for entry, number in Counter(entries).items() if number > 1]
        if twice:
            world.oracle.broken("P1", f"entry {twice[0]} stands twice in its conversation")
    held = sum(len(entries) for entries in pages.values())
    counted = sum(row.get("message_count", 0) for row in world.conversations.rows.values())
    if held != counted:
        world.oracle.broken("P2", f"conversations count {counted} messages and hold {held}")
    there = {entry for entries in pages.values() for entry in entries}
    for key, entry in _said(rows):
        if entry not in there:
            world.oracle.broken("P2", f"{key} is in no conversation")


def _said(rows: Rows) -> Iterator[tuple[str, str]]:
    """What was sent and what was heard: whose it is, and its entry."""
    for key, row in rows.items():
        is_sent = key.startswith("act:send:") and row["status"] == "done"
        if is_sent and _event(row, rows).get("status") == "processed":
            yield key, key.rpartition(":")[2]
        is_heard = key.startswith("evt:reply:") and row["status"] == "processed"
        if is_heard and not _is_about_a_mail_gone(row):
            yield key, str(row["source_message_id"])


def _is_about_a_mail_gone(row: Mapping[str, Any]) -> bool:
    """Its job was lost before it was kept, and SES shows no mail: that is why a person has it."""
    if not row["event_id"].startswith("evt:reply:email:"):
        return False
    plan = Plan.decode(row["plan"]).actions if "plan" in row else ()
    return any(action.arg.endswith("|message_gone") for action in plan)


def _judge_starts(world: World, rows: Rows) -> None:
    """P2: a start that is over has a conversation that says so, and takes up no place."""
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
    _judge_handoffs(world, [one for one in records if one["opaque_id"] not in held_up])
    _judge_asked(world, rows)
    _judge_deliveries(world, rows)


def _judge_handoffs(world: World, records: list[Mapping[str, Any]]) -> None:
    """P1 and P2: who has a conversation is asked for it once, on the list."""
    listed = Counter(
        row["opaque_id"]
        for row in world.conversations.rows.values()
        if row.get("handoff_state") in {WAITING, "taken"}
    )
    # A person's command that dies half-way leaves on the list what it has given back.
    most = 1 + (0 if world.is_fair else len(world.scenario.approvals))
    for record in records:
        number = listed[record["opaque_id"]]
        is_handed = record["conversation_status"] == "handed_off"
        if number > most:
            world.oracle.broken("P1", f"{record['opaque_id']} is handed off {number} times")
        if is_handed and not number:
            world.oracle.broken("P2", f"{record['opaque_id']} is handed off to nobody")


def _judge_asked(world: World, rows: Rows) -> None:
    """P2: a conversation that was given to a person is, or was, on the list."""
    listed = {
        row["opaque_id"] for row in world.conversations.rows.values() if "handoff_state" in row
    }
    for key, row in rows.items():
        is_asked = row.get("action_kind") == "hand_off" and row["status"] == "done"
        if is_asked and row["conversation_id"] not in listed:
            world.oracle.broken("P2", f"{key} is done and nobody was asked")


def _judge_deliveries(world: World, rows: Rows) -> None:
    """P2: what a carrier told of an opening is told to whoever asked for it."""
    for row, ref in _openings(world, rows):
        told = [rows.get(outreach_keys.receipt(ref, one)) for one in _DELIVERED]
        is_told = any(one is not None and one["status"] == "processed" for one in told)
        if is_told and "delivery" not in rows.get(row["event_key"], {}):
            world.oracle.broken("P2", f"{row['event_id']} was delivered, its start does not know")


def _openings(world: World, rows: Rows) -> Iterator[tuple[Mapping[str, Any], str]]:
    """What was sent for a start, and the carrier's id of it.

    Of a text its callback says whose it is; the row that has its id may be its twin's.
    """
    opening = {
        row["probe"]["entry_id"]: row
        for key, row in rows.items()
        if key.startswith("act:send:") and row["event_key"].startswith("evt:start:")
    }
    for message in world.twilio.messages:
        row = opening.get(message.callback.rpartition(".")[2])
        if row is not None:
            yield row, message.sid
    for row in opening.values():
        if row["action_kind"] == "send_email":
            yield row, str(row.get("ref"))


_DELIVERED = ("delivered", "delivery")


def _judge_dimensions(world: World) -> None:
    """P2: the dataset has the keys that its facts name, but for those that it refused."""
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
    """P4: nothing of a customer's in a table but where conversations are."""
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
