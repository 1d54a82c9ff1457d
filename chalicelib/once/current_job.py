"""Whose job this thread works on: what a vendor's pace must know of it.

A worker's slot is no place to wait.  A call that may not leave within a second is refused instead
(`errors.PacedError`), and the worker sets its job aside until its turn.  The sweep has no slot to
keep free: it takes its turns among the jobs and waits for them in place.  Operators' commands have a
pace of their own.
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
        turns: how often it was given a time, which has come.
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
            turns: how often it was set aside until its turn, which has come.
            age_seconds: since its receipt.
        """
        self._number += 1
        is_late = age_seconds > LATE_AFTER_SECONDS
        with self._at(Place(self._number, turns, is_late)):
            yield

    @contextmanager
    def in_place(self) -> Iterator[None]:
        """Within this block the thread takes its turns among the jobs, and waits for them in place."""
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
        """That of this thread's job; None outside one."""
        place: Place | None = getattr(self._here, "place", None)
        return place
