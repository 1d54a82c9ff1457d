"""Jobs made anew from stored rows: what the queue lost, or an operator wants to see run again.

A row holds identifiers and digests only, so a rebuilt job has no text; the worker reads it where it
stands.  A system adds its line by the first two parts of its event keys, e.g. ``evt:rp``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Protocol

from chalicelib.once.event import EventFacts
from chalicelib.once.job import Job
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Clock


class Rebuilder(Protocol):
    """Makes the job of an event from its row."""

    def __call__(self, event: EventFacts) -> Job | None:
        """The job, or None where the row does not tell enough."""
        ...


class LeftBehind(Protocol):
    """Finds conversations that began and never came on, by their own records."""

    def __call__(self, *, older_than: datetime, limit: int) -> Iterable[Job]:
        """Jobs that bring them on, oldest first; their keys make repeating them harmless."""
        ...


class LeftByWorkers:
    """Watched events whose worker died and whose message the queue has no more: `LeftBehind`."""

    def __init__(self, ledger: Ledger, rebuilders: Mapping[str, Rebuilder], clock: Clock) -> None:
        self._ledger = ledger
        self._rebuilders = rebuilders
        self._clock = clock

    def __call__(self, *, older_than: datetime, limit: int) -> Iterator[Job]:
        """See `LeftBehind`; a worker that only takes long still has its lease."""
        now = self._clock.now().timestamp()
        for row in self._ledger.left(older_than_epoch=older_than.timestamp(), limit=limit):
            job = rebuilt(self._rebuilders, row.event) if row.lease_until_epoch < now else None
            if job is not None:
                yield job


def rebuilt(rebuilders: Mapping[str, Rebuilder], event: EventFacts) -> Job | None:
    """The job of a stored event; None where nobody can make it."""
    rebuild = rebuilders.get(":".join(event.event_key.split(":")[:2]))
    return rebuild(event) if rebuild else None
