"""Rebuilds jobs from stored rows: jobs that the queue lost, or that an operator wants to run again.

A row holds identifiers and digests only, so a rebuilt job has no text; the worker reads it at its
source.  Each system registers its rebuilders by the first two parts of its event keys, e.g.
``evt:rp``.
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
    """Rebuilds the job of an event from its row."""

    def __call__(self, event: EventFacts) -> Job | None:
        """The job, or None where the row does not hold enough."""
        ...


class StalledFinder(Protocol):
    """Finds conversations that started and made no progress, by their own records."""

    def __call__(self, *, older_than: datetime, limit: int) -> Iterable[Job]:
        """Jobs that resume them, oldest first; their keys make repeated jobs harmless."""
        ...


class StalledEvents:
    """Finds watched events whose worker died and whose message has left the queue."""

    def __init__(self, ledger: Ledger, rebuilders: Mapping[str, Rebuilder], clock: Clock) -> None:
        self._ledger = ledger
        self._rebuilders = rebuilders
        self._clock = clock

    def __call__(self, *, older_than: datetime, limit: int) -> Iterator[Job]:
        """See `StalledFinder`; a worker that is only slow still has its lease."""
        now = self._clock.now().timestamp()
        for row in self._ledger.left(older_than_epoch=older_than.timestamp(), limit=limit):
            job = rebuilt(self._rebuilders, row.event) if row.lease_until_epoch < now else None
            if job is not None:
                yield job


def rebuilt(rebuilders: Mapping[str, Rebuilder], event: EventFacts) -> Job | None:
    """The job of a stored event; None where it cannot be rebuilt."""
    rebuild = rebuilders.get(":".join(event.event_key.split(":")[:2]))
    return rebuild(event) if rebuild else None
