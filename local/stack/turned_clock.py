"""A clock that tests can move: this machine's, ahead by what a file says.

Every process of a trial stack follows it, so quiet hours, retries and expiries pass in a second::

    python -m local.stack.turned_clock FILE MODULE ARGUMENT...   # as `python -m MODULE`, on that clock

Wall clock and monotonic clock move together.  Nothing of this is deployed.
"""

from __future__ import annotations

import mmap
import runpy
import struct
import sys
import time
from pathlib import Path

import time_machine

_SECONDS = struct.Struct("d")
_real_time_ns = time.time_ns
_real_monotonic = time.monotonic


class MovedClock:
    """By how much a stack's time is ahead; the same for every process that follows the file.

    Args:
        file: made by `new`.
    """

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), _SECONDS.size)

    @classmethod
    def new(cls, file: Path) -> MovedClock:
        """A clock that is not ahead yet."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_SECONDS.pack(0.0))
        return cls(file)

    @property
    def ahead_seconds(self) -> float:
        """By how much it is ahead of this machine's clock."""
        (seconds,) = _SECONDS.unpack(self._shared[: _SECONDS.size])
        return float(seconds)

    def forward(self, seconds: float) -> None:
        """Move it for every process at once; never backwards."""
        if seconds < 0:
            raise ValueError("seconds must not be negative")
        self._shared[: _SECONDS.size] = _SECONDS.pack(self.ahead_seconds + seconds)

    def follow(self) -> None:
        """From now on this process has the moved time.

        Threads that wait for a condition or a socket keep waiting by the machine's clock.
        """
        real = time_machine.escape_hatch.time.time_ns
        traveller = time_machine.travel(0, tick=True).start()
        traveller.time_ns = lambda: real() + int(self.ahead_seconds * 1e9)  # type: ignore[method-assign]
        time.monotonic = lambda: _real_monotonic() + self.ahead_seconds

    def passes_pauses(self) -> None:
        """The product's own pauses in this process are over at once: they move the clock instead."""
        from chalicelib.clock import SystemClock  # noqa: PLC0415 - the engine has no use for it

        def sleep(_: SystemClock, seconds: float) -> None:
            self.forward(max(0.0, seconds))

        SystemClock.sleep = sleep  # type: ignore[method-assign, assignment]


def command(file: Path, module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module on that clock."""
    return (sys.executable, "-m", "local.stack.turned_clock", str(file), module, *arguments)


def main(arguments: list[str]) -> None:
    """Run a module on a clock."""
    file, module, *rest = arguments
    MovedClock(Path(file)).follow()
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main(sys.argv[1:])
