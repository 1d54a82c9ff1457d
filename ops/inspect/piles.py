"""Counts what waits, in six piles by harm, with the oldest's time; without a scan.

The most harm first: effects of unknown outcome, dead letters, hand-offs to a person, parked events,
unfinished events that the machine still retries, and facts not yet posted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError
from ops.inspect import unfinished
from ops.repair import dead_letters, settle
from ops.session import OpsError, Session
from ops.stage import switches
from ops.unreachable import why

AT_MOST = 50
"""The most rows read for a pile; a larger one is shown as "50+"."""


@dataclass(frozen=True, slots=True)
class Pile:
    """The count of one kind of waiting work.

    Attributes:
        name: ``unknown``, ``dead_letters``, ``handoffs``, ``parked``, ``unfinished`` or ``facts``.
        is_more: the pile holds more than `count`.
        oldest: ISO time since when the oldest waits; None if unknown or the pile is empty.
        reasons: each reason's count among the rows read, the most frequent first.
        problem: why the pile cannot be read; None if it can.
    """

    name: str
    count: int = 0
    is_more: bool = False
    oldest: str | None = None
    reasons: tuple[tuple[str, int], ...] = ()
    problem: str | None = None


def piles(session: Session) -> list[Pile]:
    """Read every pile, the most harm first; a pile that cannot be read has a `problem`.

    The piles are read in threads, because their tens of reads wait for AWS.
    """
    reads: tuple[tuple[tuple[str, ...], Callable[[Session], Sequence[Pile]]], ...] = (
        (("unknown",), _unknown),
        (("dead_letters",), _dead_letters),
        (("handoffs",), _handoffs),
        (("parked", "unfinished"), _unfinished),
        (("facts",), _facts),
    )
    with ThreadPoolExecutor(len(reads)) as pool:
        found = pool.map(lambda read: _read(session, *read), reads)
        return [pile for piles in found for pile in piles]


def stopping(session: Session) -> list[str]:
    """The switches that keep effects from starting now, each with its value or "missing"."""
    stored = switches.read(session)
    tight = {name: "true" if switches.TIGHT[name] else "false" for name in stored}
    return [
        f"{name} is {value or 'missing'}"
        for name, value in stored.items()
        if value is None or (name in ("kill_switch", "shadow_mode") and value == tight[name])
    ]


def _read(
    session: Session, names: tuple[str, ...], read: Callable[[Session], Sequence[Pile]]
) -> Sequence[Pile]:
    try:
        return read(session)
    except OpsError as error:
        problem = str(error)
    except (MiddlewareError, ClientError, BotoCoreError) as error:
        problem = why(error)
    return [Pile(name, problem=problem) for name in names]


def _unknown(session: Session) -> list[Pile]:
    found = settle.unsettled(session, limit=AT_MOST + 1, after=unfinished.START)
    times = [iso(datetime.fromtimestamp(action.started_epoch, UTC)) for action in found[:AT_MOST]]
    reasons = [action.reason for action in found[:AT_MOST]]
    return [_pile("unknown", times, reasons, is_more=len(found) > AT_MOST)]


def _dead_letters(session: Session) -> list[Pile]:
    totals = dead_letters.totals(session)
    lanes = tuple((name, count) for name, count in totals.items() if count)
    return [Pile("dead_letters", sum(totals.values()), reasons=lanes)]


def _handoffs(session: Session) -> list[Pile]:
    found = list(islice(session.services.outreach.desk.waiting(), AT_MOST + 1))
    times = [conversation.since for conversation in found[:AT_MOST]]
    reasons = [conversation.reason for conversation in found[:AT_MOST]]
    return [_pile("handoffs", times, reasons, is_more=len(found) > AT_MOST)]


def _unfinished(session: Session) -> list[Pile]:
    found = unfinished.events(session, limit=AT_MOST + 1)
    is_more = len(found) > AT_MOST
    waiting: dict[str, list[dict[str, Any]]] = {"parked": [], "unfinished": []}
    for row in found[:AT_MOST]:
        waiting["parked" if row["status"] == "parked" else "unfinished"].append(row)
    return [
        _pile(
            name,
            [event["received_at"] for event in events],
            [event["reason"] for event in events],
            is_more=is_more and bool(events),
        )
        for name, events in waiting.items()
    ]


def _facts(session: Session) -> list[Pile]:
    ledger = session.services.facts.ledger
    found = ledger.pending_keys(at_most=AT_MOST + 1)
    oldest = ledger.row(found[0]) if found else None
    since = str(oldest["created_at"]) if oldest else None
    return [Pile("facts", min(len(found), AT_MOST), len(found) > AT_MOST, since)]


def _pile(name: str, times: Sequence[str], reasons: Sequence[str | None], *, is_more: bool) -> Pile:
    counted = Counter(reason or "no reason stored" for reason in reasons).most_common()
    return Pile(name, len(times), is_more, min(times, default=None), tuple(counted))
