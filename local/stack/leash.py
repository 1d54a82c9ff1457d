"""Runs a command that must not outlive the process that started it.

Run by path, ``python -I -S leash.py COMMAND...``: it starts the command, reads its own standard
input until the end, and then kills the command's process group.  A killed parent closes its end of
the pipe, so nothing stays behind, on any Unix, without code in the parent.  The command gets an
empty directory as ``TMPDIR``, which is removed afterwards.
"""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading


def main(command: list[str]) -> int:
    """Run the command; return its exit code, or 0 if the parent ended or a signal arrived."""
    with tempfile.TemporaryDirectory(prefix="rp-mw-engine-", ignore_cleanup_errors=True) as scratch:
        process = subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": scratch},
            start_new_session=True,
        )
        released = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: _kill_group(process, released))
        threading.Thread(target=_watch, args=(process, released), daemon=True).start()
        status = process.wait()
    return 0 if released.is_set() else status


def _watch(process: subprocess.Popen[bytes], released: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    _kill_group(process, released)


def _kill_group(process: subprocess.Popen[bytes], released: threading.Event) -> None:
    released.set()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
