"""Threads that take turns: exactly one runs, so a schedule is the same every time.

An invocation runs on a thread of its own only when it may have to stand still while others go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable


class Runner:
    """One thread; it runs a job, and the job may hand the baton back in the middle."""

    def __init__(self) -> None:
        self._go = threading.Lock()
        self._back = threading.Lock()
        self._go.acquire()
        self._back.acquire()
        self._job: Callable[[], None] | None = None
        self.is_done = True
        self._thread = threading.Thread(target=self._run, name="simulated", daemon=True)
        self._thread.start()

    def start(self, job: Callable[[], None]) -> None:
        """Run a job until it ends or stands still; `is_done` tells which."""
        self._job = job
        self.is_done = False
        self.resume()

    def resume(self) -> None:
        """Let a job that stands still go on."""
        self._go.release()
        self._back.acquire()

    def stand_still(self) -> None:
        """Called from inside the job: give the baton back and wait to be resumed."""
        self._back.release()
        self._go.acquire()

    def close(self) -> None:
        """End the thread."""
        self._job = None
        self._go.release()
        self._thread.join()

    def _run(self) -> None:
        while True:
            self._go.acquire()
            if self._job is None:
                return
            self._job()
            self.is_done = True
            self._back.release()


class Stage:
    """Runners at rest, to be used again by the next schedule."""

    def __init__(self) -> None:
        self._idle: list[Runner] = []

    def take(self) -> Runner:
        """A runner at rest, or a new one."""
        return self._idle.pop() if self._idle else Runner()

    def give_back(self, runner: Runner) -> None:
        """The runner's job is done."""
        self._idle.append(runner)

    def close(self) -> None:
        """End all threads at rest."""
        for runner in self._idle:
            runner.close()
        self._idle.clear()
