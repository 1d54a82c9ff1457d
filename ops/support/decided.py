"""Reads the decisions of a period from the ledger's event rows, without texts or a scan.

Table B names the conversations, a conversation's audit trail names its actions, and an action names
its event.  A scan of table B follows the hashes of keys, so the first conversations found are a
random sample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from chalicelib.once.plan import Plan
from chalicelib.once.store import Item
from chalicelib.support.effects import UNKNOWN_TAG
from ops.session import Session

PAGE = 200
_SUPPORT_EVENT = "evt:rp:"
_EVENT = ("event_id", "conversation_id", "received_at", "status", "reason", "plan")


@dataclass(frozen=True, slots=True)
class Decided:
    """The decision on one message.

    Attributes:
        facts: the plan's facts: intent, route, template, reasons.
        replied_at: ISO time of the automatic reply; None if none was sent.
        closed: the ticket was closed automatically.
    """

    event: str
    conversation_id: str
    at: str
    status: str
    reason: str | None
    facts: Mapping[str, Any] = field(repr=False)
    replied_at: str | None = None
    closed: bool = False

    @property
    def intent(self) -> str:
        """The primary intent."""
        return str(self.facts["intent"])

    @property
    def department(self) -> str:
        """The department that it was routed to, or would have been."""
        return str(self.facts["route"])

    @property
    def is_escalation(self) -> bool:
        """Whether such a message is never answered automatically."""
        return str(self.facts.get("tier", "")).startswith("TIER_0")

    @property
    def is_kept(self) -> bool:
        """Whether a person had the ticket, so that it was not routed."""
        return bool(self.facts.get("kept"))

    @property
    def is_withheld(self) -> bool:
        """Whether a switch withheld its actions."""
        held = (self.reason or "").partition("withheld:")[2]
        return bool(held) and held != UNKNOWN_TAG


def conversations(session: Session, since: str, at_most: int) -> Iterator[str]:
    """Yield ids of conversations with a message decided since a time, at most `at_most`."""
    table = session.services.table(session.services.settings.state_table)
    start: Item | None = None
    found = 0
    while True:
        rows, start = table.scan_page(
            limit=PAGE,
            start=start,
            FilterExpression="#u >= :since",
            ProjectionExpression="conversation_id",
            ExpressionAttributeNames={"#u": "updated_at"},
            values={"since": since},
        )
        for row in rows:
            if found == at_most:
                return
            found += 1
            yield str(row["conversation_id"])
        if start is None:
            return


def decisions(session: Session, conversation_id: str, since: str) -> list[Decided]:
    """The decisions on a conversation's messages since a time, oldest first."""
    trail = list(
        session.audit_table.query_pages(
            KeyConditionExpression="conversation_id = :c AND ts_action_id >= :since",
            values={"c": conversation_id, "since": since},
        )
    )
    events = _events_of(session, [str(entry["idempotency_key"]) for entry in trail])
    done = {str(entry["idempotency_key"]): entry for entry in trail if entry["result"] == "success"}
    ends = {
        (str(entry["action_type"]), events.get(key, "")): str(entry["ts_action_id"]).partition("#")[
            0
        ]
        for key, entry in done.items()
    }
    rows = session.ledger_table.get_all(
        [{"event_id": event} for event in sorted(set(events.values()))], attributes=_EVENT
    )
    found = [_decided(row, ends) for row in rows if "plan" in row]
    return sorted(
        (decided for decided in found if decided and decided.at >= since),
        key=lambda decided: decided.at,
    )


def _events_of(session: Session, actions: list[str]) -> dict[str, str]:
    """The event key of each action, by action key."""
    wanted = [{"event_id": key} for key in dict.fromkeys(actions)]
    names = ("event_id", "event_key")
    found = session.ledger_table.get_all(wanted, attributes=names) if wanted else []
    return {str(row["event_id"]): str(row["event_key"]) for row in found if "event_key" in row}


def _decided(row: Item, ends: Mapping[tuple[str, str], str]) -> Decided | None:
    event = str(row["event_id"])
    try:
        plan = Plan.decode(row["plan"])
    except (ValueError, KeyError, TypeError):
        return None
    if not event.startswith(_SUPPORT_EVENT) or "intent" not in plan.facts:
        return None
    return Decided(
        event=event,
        conversation_id=str(row["conversation_id"]),
        at=str(row["received_at"]),
        status=str(row["status"]),
        reason=row.get("reason"),
        facts=plan.facts,
        replied_at=ends.get(("auto_reply", event)),
        closed=("close", event) in ends,
    )
