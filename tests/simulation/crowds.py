"""Thousands of rows that wait, against sweeps that take a thousand at a time.

The rows belong to events that only another version of the product can resume: a sweep looks at
each, changes nothing, and must still reach the others.
"""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from chalicelib.clock import iso
from chalicelib.once.keys import digest
from chalicelib.once.timer import due_attributes

if TYPE_CHECKING:
    from tests.simulation.world import World

PREFIX = "evt:rp:crowd"
SIZES = (250, 600, 1_500, 3_000)


def drawn(rng: random.Random) -> int:
    """How many rows wait beside a schedule's own: none in most."""
    return rng.choice(SIZES) if rng.random() < 0.02 else 0


def _indexed(key: str, number: int, now: float) -> dict[str, object]:
    """The attributes that put a row into the index of dates."""
    return due_attributes("event", key, now - 86_400 - number % 9)


def gather(world: World) -> None:
    """Put the rows into the ledger, as if they had waited for a day."""
    waits_since = iso(world.door.clock.now().replace(microsecond=0))
    for number in range(world.scenario.crowd):
        key = f"{PREFIX}{number}:c0"
        world.ledger.put(
            {
                "event_id": key,
                "conversation_id": f"crowd{number}",
                "source_message_id": "c0",
                "received_at": waits_since,
                "created_at": waits_since,
                "last_processed_at": f"2026-09-{1 + number % 9:02}T00:00:00.000Z",
                "expires_at": int(world.now) + 20 * 86_400,
                "mode": "automation_candidate",
                "safe_mode": False,
                "automation_enabled": True,
                "payload_sha256": digest(key),
                "payload_bytes": 1,
                "source": "richpanel_http_target",
                "trace_id": "1f" * 8,
                "status": "parked",
                "reason": "plan_not_known_here",
                "owner": "gone",
                "fence": 1,
                "attempts": 1,
                "lease_until": 0,
                **_indexed(key, number, world.now),
            }
        )
    if world.scenario.crowd:
        world.happened["row_of_a_crowd"] += world.scenario.crowd
