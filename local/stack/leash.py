"""Run a command that must not outlive whoever started it.

Run by path, ``python -I -S leash.py COMMAND...``: it starts the command, reads its own standard
input until the end, and then kills the command's whole process group.  A parent that is killed
closes its end of the pipe, so nothing stays behind, on any Unix, without a line in the parent.
The command gets an empty directory as ``TMPDIR``, which is removed afterwards.
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
    """Run the command; returns its exit status, or 0 when the leash was let go."""
    with tempfile.TemporaryDirectory(prefix="rp-mw-engine-", ignore_cleanup_errors=True) as scratch:
        process = subprocess.Popen(  # noqa: S603 - the command is ours
            command,
            stdin=subprocess.DEVNULL,
            env={**os.environ, "TMPDIR": scratch},
            start_new_session=True,
        )
        let_go = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda *_: _kill_group(process, let_go))
        threading.Thread(target=_watch, args=(process, let_go), daemon=True).start()
        status = process.wait()
    return 0 if let_go.is_set() else status


def _watch(process: subprocess.Popen[bytes], let_go: threading.Event) -> None:
    with contextlib.suppress(OSError):
        while os.read(0, 4096):
            pass
    _kill_group(process, let_go)


def _kill_group(process: subprocess.Popen[bytes], let_go: threading.Event) -> None:
    let_go.set()
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
