"""Watches a trial's event until it has ended, or will clearly wait too long."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from typing import Any

from chalicelib.clock import iso
from chalicelib.outreach import reasons
from chalicelib.outreach.jurisdictions.rulebook import REASON_CODES
from ops.inspect import whereabouts
from ops.repair import replay
from ops.session import Session
from ops.setup.walk import StuckError

ENDS_WITHIN_SECONDS = 120.0
POLL_SECONDS = 0.5
ENDED = frozenset({"processed", "skipped", "failed", "parked"})
_BY_RULES = frozenset(
    f"{reasons.STAGE_SEND}{code}" for code in REASON_CODES.values() if code != reasons.WORDS_MISSING
)
"""Refusals by rules of the invented recipient's place, which prove no fault of the stage.  Missing words are
left out, because they are a fault of the company's settings."""


@dataclass(frozen=True, slots=True)
class TrialWait:
    """The delay of an event that will be tried again later.

    Attributes:
        until: ISO time by which the next attempt begins.
        why: the reason of the delay, a fixed code.
        is_aside: the event is on no queue, so that a replay can run it before its time.
    """

    until: str
    why: str
    is_aside: bool

    def is_within(self, session: Session, seconds: float) -> bool:
        """Whether the next attempt comes within a number of seconds."""
        now = session.services.clock.now()
        return self.until <= iso(now + timedelta(seconds=seconds))


def delay_of(session: Session, row: Mapping[str, Any]) -> TrialWait | None:
    """The delay of an event; None if it has ended or is merely queued."""
    if row["status"] in ENDED:
        return None
    found = whereabouts.of_row(row, now_epoch=session.services.clock.now().timestamp())
    is_aside = found.place == whereabouts.ASIDE
    if found.next_try is None or not (is_aside or found.place == whereabouts.BACK_ON_THE_QUEUE):
        return None
    return TrialWait(found.next_try, found.why or "", is_aside)


def wait_for_end(session: Session, key: str) -> str:
    """Wait until an event has ended, and say how; replay one that an earlier run left set aside."""
    read = partial(session.ledger_table.get, {"event_id": key})
    found = read()
    before = delay_of(session, found) if found is not None else None
    if found is not None and before is not None and before.is_aside:
        list(replay.replay(session, [found], per_second=1.0, because="setup"))
    row = _watch(session, key, read, lambda row: row["status"] in ENDED, before)
    reason = row.get("reason")
    if row["status"] in ("failed", "parked") and reason not in _BY_RULES:
        raise _stuck(session, key, f"{row['status']}: {reason}")
    return f"{key} {row['status']} {reason or ''}".rstrip()


def wait_for_fact(session: Session, key: str) -> str:
    """Wait until a fact is in its ledger, and say its status."""
    read = partial(session.services.facts.ledger.row, key)
    row = _watch(session, key, read, lambda _row: True)
    return f"{key} {row['status']} {row.get('reason') or ''}".rstrip()


def _watch(
    session: Session,
    key: str,
    read: Callable[[], Mapping[str, Any] | None],
    has_ended: Callable[[Mapping[str, Any]], bool],
    asked: TrialWait | None = None,
) -> Mapping[str, Any]:
    """Wait for a row that `has_ended`; `asked` is the delay that it had before a replay.

    Raises:
        StuckError: it takes too long; raised at once if the row already says so.
    """
    deadline = time.monotonic() + ENDS_WITHIN_SECONDS
    while True:
        row, left = read(), deadline - time.monotonic()
        if row is not None and has_ended(row):
            return row
        wait = delay_of(session, row) if row is not None else None
        is_new = wait != asked or (wait is not None and not wait.is_aside)
        if wait is not None and (left < 0 or (is_new and not wait.is_within(session, left))):
            raise _stuck(session, key, f"waits after {wait.why} and is tried again by {wait.until}")
        if left < 0:
            state = "was accepted and is not there yet" if row is None else f"is {row['status']}"
            raise _stuck(session, key, state)
        time.sleep(POLL_SECONDS)


def _stuck(session: Session, key: str, what: str) -> StuckError:
    return StuckError(f"{key} {what}", next=f"python -m ops explain {key} --stage {session.stage}")
