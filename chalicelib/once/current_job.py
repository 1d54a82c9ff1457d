"""The job that a thread works on, as far as vendors' rate limits must know it.

A worker does not wait in its slot.  A call that may not leave within a second is refused instead
(`errors.PacedError`), and the worker sets its job aside until its turn.  The sweep keeps no slot from
others, so it takes turns among the jobs and waits in place.  Operators' commands have a rate limit of
their own.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

LATE_AFTER_SECONDS = 600.0
"""A job that is older than this when it asks for its first turn belongs to a backlog."""


@dataclass(frozen=True, slots=True)
class Place:
    """The place of one job among those that wait.

    Attributes:
        number: differs for each job that a thread works on.
        turns: how often it was set aside for a turn, all of which have come.
        is_late: it is part of a backlog, as after an outage.
        is_patient: it waits in place, as long as its call's deadline allows.
    """

    number: int
    turns: int = 0
    is_late: bool = False
    is_patient: bool = False


class CurrentJob:
    """The job that each thread works on."""

    def __init__(self) -> None:
        self._here = threading.local()
        self._number = 0

    @contextmanager
    def of(self, *, turns: int, age_seconds: float) -> Iterator[None]:
        """Within this block the thread works on one job.

        Args:
            turns: how often it was set aside for a turn, all of which have come.
            age_seconds: since its receipt.
        """
        self._number += 1
        is_late = age_seconds > LATE_AFTER_SECONDS
        with self._at(Place(self._number, turns, is_late)):
            yield

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within this block the thread takes turns among the jobs, and waits in place."""
        self._number += 1
        with self._at(Place(self._number, is_patient=True)):
            yield

    @contextmanager
    def _at(self, place: Place) -> Iterator[None]:
        self._here.place = place
        try:
            yield
        finally:
            self._here.place = None

    @property
    def place(self) -> Place | None:
        """The place of this thread's job; None outside a job."""
        place: Place | None = getattr(self._here, "place", None)
        return place
