"""A clock that tests can move: this machine's clock plus the seconds in a file.

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
    """The seconds by which a stack's time is ahead, shared by every process that follows the file.

    Args:
        file: the file that `new` made.
    """

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), _SECONDS.size)

    @classmethod
    def new(cls, file: Path) -> MovedClock:
        """Make a clock file that is not ahead yet."""
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(_SECONDS.pack(0.0))
        return cls(file)

    @property
    def ahead_seconds(self) -> float:
        """The seconds by which it is ahead of this machine's clock."""
        (seconds,) = _SECONDS.unpack(self._shared[: _SECONDS.size])
        return float(seconds)

    def forward(self, seconds: float) -> None:
        """Move the clock forward for every process at once."""
        if seconds < 0:
            raise ValueError("seconds must not be negative")
        self._shared[: _SECONDS.size] = _SECONDS.pack(self.ahead_seconds + seconds)

    def follow(self) -> None:
        """Make this process use the moved time from now on.

        Threads that wait for a condition or a socket keep waiting by the machine's clock.
        """
        real = time_machine.escape_hatch.time.time_ns
        traveller = time_machine.travel(0, tick=True).start()
        traveller.time_ns = lambda: real() + int(self.ahead_seconds * 1e9)  # type: ignore[method-assign]
        time.monotonic = lambda: _real_monotonic() + self.ahead_seconds

    def passes_pauses(self) -> None:
        """Make the product's own pauses in this process move the clock instead of sleeping."""
        from chalicelib.clock import SystemClock  # noqa: PLC0415 - the engine has no use for it

        def sleep(_: SystemClock, seconds: float) -> None:
            self.forward(max(0.0, seconds))

        SystemClock.sleep = sleep  # type: ignore[method-assign, assignment]


def command(file: Path, module: str, *arguments: str) -> tuple[str, ...]:
    """The command that runs a module on the clock of a file."""
    return (sys.executable, "-m", "local.stack.turned_clock", str(file), module, *arguments)


def main(arguments: list[str]) -> None:
    """Run a module on the clock of a file."""
    file, module, *rest = arguments
    MovedClock(Path(file)).follow()
    sys.argv = [module, *rest]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    sys.path.insert(0, str(Path.cwd()))
    main(sys.argv[1:])
