"""The time of the inbox over many open hand-offs, and its bytes.

`python -m bench.measures.inbox [HANDOFFS]`, on dynoxide.  The list is sorted of all hand-offs of the stage,
so its time grows with them, whatever a page of it shows.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from bench.measures.console import HEAD, measured, signed_in
from bench.rig.system import System
from chalicelib.clock import iso
from ops.session import Session

HANDOFFS = 1_000
BATCH = 100
COMPANY, PROJECT = "ci-bench-001", "pi-bench-001"
PAGES = ("/inbox", "/inbox?state=waiting")


def main(handoffs: int = HANDOFFS) -> int:
    """Fill the list, ask for its first page; returns the exit code."""
    with System(on_dynoxide=True) as system:
        services: Any = system.services
        session, table = Session("dev"), services.table(services.settings.conversations_table)
        rows = list(_rows(handoffs, datetime.now(UTC)))
        for start in range(0, len(rows), BATCH):
            table.put_all(rows[start : start + BATCH])
        client = signed_in(session)
        print(f"{handoffs} open hand-offs")
        print(HEAD)
        for page in PAGES:
            measured(client, page)
    return 0


def _rows(handoffs: int, now: datetime) -> Iterator[dict[str, Any]]:
    """Entries of the list, each a second older than the one before, and their conversations."""
    for number in range(handoffs):
        opaque_id, tel = f"{number:032x}", f"1555{number:07d}"
        key = {
            "primary_channel": f"+{tel}",
            "conversation_id": f"{COMPANY}#{PROJECT}#bench{number}#{tel}",
        }
        of = {"opaque_id": opaque_id, "company_id": COMPANY, "project_id": PROJECT}
        since = iso(now - timedelta(seconds=number))
        yield {
            **of,
            "primary_channel": "handoffs",
            "conversation_id": f"h{number}#{opaque_id}",
            "points_to": key,
            "channel": "sms",
            "handoff_state": "waiting",
            "held": "",
            "reason": "asked_for_person",
            "since": since,
            "unanswered_since": since,
            "newest_at": since,
            "ttl": int(time.time()) + 86_400,
        }
        yield {**of, **key, "channel_method": "sms", "recipient_first_name": "Jo", "messages": []}
        yield {
            "primary_channel": f"opaque#{opaque_id}",
            "conversation_id": "pointer",
            "points_to": key,
        }


if __name__ == "__main__":
    sys.exit(main(*map(int, sys.argv[1:2])))
