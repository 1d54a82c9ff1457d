"""Rebuilds jobs from stored rows: jobs that the queue lost, or that an operator wants to run again.

A row holds identifiers and digests only, so a rebuilt job has no text; the worker reads it at its
source.  Each system registers its rebuilders by the first two parts of its event keys, e.g.
``evt:rp``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from chalicelib.once.event import EventFacts
from chalicelib.once.job import Job


class Rebuilder(Protocol):
    """Makes the job of an event from the event's row."""

    def __call__(self, event: EventFacts) -> Job | None:
        """The job of a stored event, or None where its row does not hold enough."""
        ...


def rebuilt(rebuilders: Mapping[str, Rebuilder], event: EventFacts) -> Job | None:
    """The job of a stored event; None where it cannot be made from the row."""
    rebuild = rebuilders.get(":".join(event.event_key.split(":")[:2]))
    return rebuild(event) if rebuild else None
