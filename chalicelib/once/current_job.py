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
"""A job that is older than this when it begins belongs to a backlog."""


@dataclass(frozen=True, slots=True)
class TurnPlace:
    """The position of one job in the queue for a vendor's rate limit.

    Attributes:
        number: a new one for each job that a thread begins.
        turns: how often the job was set aside until a time at which it may call the vendor, and
            came back.
        is_late: the job is part of a backlog, as after an outage.
        is_patient: the job waits for its turn within its call, up to the call's deadline.
    """

    number: int
    turns: int = 0
    is_late: bool = False
    is_patient: bool = False


class CurrentJob:
    """Remembers which job each thread works on, for the vendors' rate limits."""

    def __init__(self) -> None:
        self._here = threading.local()
        self._number = 0

    @contextmanager
    def working_on(self, *, turns: int, age_seconds: float) -> Iterator[None]:
        """Within this block the thread is recorded as working on one job of the queue.

        Args:
            turns: how often the job was set aside until a time at which it may call the vendor, and
                came back.
            age_seconds: of the job, since its receipt.
        """
        self._number += 1
        is_late = age_seconds > LATE_AFTER_SECONDS
        with self._at(TurnPlace(self._number, turns, is_late)):
            yield

    @contextmanager
    def waiting_for_turns(self) -> Iterator[None]:
        """Within this block the thread's calls wait for their turns at a vendor instead of being refused."""
        self._number += 1
        with self._at(TurnPlace(self._number, is_patient=True)):
            yield

    @contextmanager
    def _at(self, place: TurnPlace) -> Iterator[None]:
        self._here.place = place
        try:
            yield
        finally:
            self._here.place = None

    @property
    def place(self) -> TurnPlace | None:
        """The `TurnPlace` of the job that this thread works on; None outside a job."""
        place: TurnPlace | None = getattr(self._here, "place", None)
        return place
