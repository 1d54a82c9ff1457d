"""Invocations that take turns: exactly one runs, so a schedule is the same every time.

An invocation runs on its own stack (a greenlet) only when it may have to pause while
others run; a switch between two is a function call and takes no lock.
"""

from __future__ import annotations

from collections.abc import Callable

import greenlet


class Runner:
    """One stack; its job may pause in the middle and be resumed there."""

    def __init__(self, job: Callable[[], None]) -> None:
        self._stack = greenlet.greenlet(job)

    @property
    def is_done(self) -> bool:
        """Whether the job has ended; otherwise it is paused."""
        return self._stack.dead

    def resume(self) -> None:
        """Start or resume the job until it ends or pauses."""
        self._stack.parent = greenlet.getcurrent()
        self._stack.switch()

    def pause(self) -> None:
        """Called from inside the job: yield and wait to be resumed."""
        parent = self._stack.parent
        assert parent is not None  # only the main stack has none, and runs no job
        parent.switch()
