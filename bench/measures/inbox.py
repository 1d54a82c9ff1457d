"""Time and bytes of the inbox's pages over many open hand-offs.

`python -m bench.measures.inbox [HANDOFFS ...]`, on dynoxide; exit code 1 if a page's first answer takes
longer than its target.  A page reads only the part of the list that it shows, so its time must not grow
with the list.  Every fourth hand-off is taken by a person; about every hundredth recipient is in doubt.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import count, islice
from typing import Any

from bench.measures.console import HEAD, TARGET_MS, measured, signed_in
from bench.rig.system import System
from chalicelib.clock import iso
from ops.session import Session

HANDOFFS = (1_000, 20_000)
BATCH = 100
ROWS = 4
"""Rows that are written for a hand-off."""
COMPANY, PROJECT = "ci-bench-001", "pi-bench-001"
FIRST = f"/inbox?company={COMPANY}"
PAGES = ("/inbox", FIRST, *(f"{FIRST}&state={state}" for state in ("waiting", "mine", "taken")))


def main(*handoffs: int) -> int:
    """Fill the list up to each number, and request its pages; returns the exit code."""
    slow: list[str] = []
    with System(on_dynoxide=True) as system:
        services: Any = system.services
        session, table = Session("dev"), services.table(services.settings.conversations_table)
        rows = _rows(services, datetime.now(UTC))
        client = signed_in(session)
        filled = 0
        for many in sorted(handoffs or HANDOFFS):
            wanted = ROWS * (many - filled)
            while batch := list(islice(rows, min(BATCH, wanted))):
                table.put_all(batch)
                wanted -= len(batch)
            filled = many
            print(f"{many} open hand-offs")
            print(HEAD)
            slow += [f"{many}: {page}" for page in PAGES if measured(client, page) > TARGET_MS]
    for page in slow:
        print(f"over {TARGET_MS:.0f} ms: {page}")
    return int(bool(slow))


def _rows(services: Any, now: datetime) -> Iterator[dict[str, Any]]:  # noqa: ANN401 - imported late
    """The rows of hand-offs as the product writes them, without messages, each a second older."""
    from chalicelib.outreach.conversations import handoffs as listed  # noqa: PLC0415 - after the environment
    from chalicelib.outreach.conversations import items  # noqa: PLC0415
    from chalicelib.outreach.conversations.records import Record  # noqa: PLC0415

    conversations = services.outreach.conversations
    for number in count():
        opaque_id, tel = f"{number:032x}", f"1555{number:07d}"
        since = iso(now - timedelta(seconds=number))
        taken = {"taken_by": f"person-{number % 16}"} if number % 4 == 0 else {}
        handoff = {"id": f"h{number}", "held": "", "reason": "asked_for_person", "since": since}
        item = items.new_item(
            {
                "primary_channel": f"+{tel}",
                "conversation_id": f"{COMPANY}#{PROJECT}#bench{number}#{tel}",
                "opaque_id": opaque_id,
                "company_id": COMPANY,
                "project_id": PROJECT,
                "channel_method": "sms",
                "recipient_tel": f"+{tel}",
                "recipient_first_name": "Jo",
                "start_event": f"evt:start:{number}",
                "conversation_status": "handed_off",
                "handoff": {**handoff, **taken, "newest_at": since, "was": "processing"},
            },
            now,
        )
        record = Record(item)
        yield item
        yield listed.entry(record, record.handoff)
        yield items.pointer_item(item, item["ttl"])
        member = conversations.place(record.primary_channel, COMPANY).member
        yield {
            **items.handed_key(member, COMPANY),
            items.CONVERSATIONS: frozenset({opaque_id}),
            "ttl": item["ttl"],
        }
        if number == 0:
            conversations.announce_handoff(record)
        if number % 101 == 0:
            conversations.doubt(record.primary_channel, COMPANY, said_at=since)


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:])))
