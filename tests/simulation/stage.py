"""Invocations that take turns: exactly one runs, so a schedule is the same every time.

An invocation runs on a stack of its own (a greenlet) only when it may have to stand still while
others go on; a switch between two is a function call and takes no lock.
"""

from __future__ import annotations

from collections.abc import Callable

import greenlet


class Runner:
    """One stack; its job may give the turn back in the middle and be resumed there."""

    def __init__(self, job: Callable[[], None]) -> None:
        self._stack = greenlet.greenlet(job)

    @property
    def is_done(self) -> bool:
        """The job has ended; otherwise it stands still."""
        return self._stack.dead

    def resume(self) -> None:
        """Start the job, or let it go on, until it ends or stands still."""
        self._stack.parent = greenlet.getcurrent()
        self._stack.switch()

    def stand_still(self) -> None:
        """Called from inside the job: give the turn back and wait to be resumed."""
        parent = self._stack.parent
        assert parent is not None  # only the main stack has none, and runs no job
        parent.switch()
