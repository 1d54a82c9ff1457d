"""Starts, kills and stops invocations: the client of the fork server."""

from __future__ import annotations

import itertools
import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

ROOT = Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 300.0
"""Longer than any invocation on the slowest machine."""


class ForkServer:
    """Starts and ends invocations; a context manager."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="crash-"))
        self.running: list[int] = []
        self.ended: dict[int, int] = {}
        self._files = itertools.count()
        self._pids: queue.Queue[int] = queue.Queue()
        self._changed = threading.Condition()
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.crash.fork_server"],
            cwd=ROOT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, "STAGE": "dev", "PYTHONPATH": os.pathsep.join(_path())},
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def start(self, **job: Any) -> Invocation:
        """Fork an invocation."""
        file = self.folder / str(next(self._files))
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps({**job, "file": str(file)}) + "\n")
        self._process.stdin.flush()
        pid = self._pids.get(timeout=PATIENCE_SECONDS)
        self.running.append(pid)
        return Invocation(self, pid, file)

    def wait(self, pid: int, *, seconds: float, unless: threading.Event | None = None) -> bool:
        """Wait until a process has ended or `unless` is set; returns whether it has ended."""
        stopped = unless or threading.Event()
        with self._changed:
            for _ in range(int(seconds / 0.02)):
                if pid in self.ended:
                    break
                if stopped.is_set():
                    return False
                self._changed.wait(0.02)
            else:
                raise TimeoutError(f"invocation {pid} does not end")
        if pid in self.running:
            self.running.remove(pid)
        return True

    def kill(self) -> None:
        """SIGKILL to the oldest running invocation; returns when it has ended."""
        pid = self.running[0]
        os.kill(pid, signal.SIGKILL)
        self.wait(pid, seconds=PATIENCE_SECONDS)

    def stop(self) -> None:
        """SIGSTOP to the oldest running invocation, which is no longer waited for."""
        os.kill(self.running.pop(0), signal.SIGSTOP)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=PATIENCE_SECONDS)
        self._reader.join(timeout=PATIENCE_SECONDS)
        assert self._process.stdout is not None
        self._process.stdout.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            message = json.loads(line)
            with self._changed:
                if "pid" in message:
                    self.ended.pop(message["pid"], None)  # pids are reused: it was another process
                    self._pids.put(message["pid"])
                else:
                    self.ended[message["ended"]] = message["status"]
                    self._changed.notify_all()


@dataclass(frozen=True, slots=True)
class Invocation:
    """One process."""

    fork_server: ForkServer
    pid: int
    file: Path

    def result(self, *, unless: threading.Event | None = None) -> Any:
        """``{"returned": ...}``, ``{"error": ...}`` when it raised, None when it was killed.

        None also when `unless` is set: the process is paused.
        """
        if not self.fork_server.wait(self.pid, seconds=PATIENCE_SECONDS, unless=unless):
            return None
        return json.loads(self.file.read_text()) if self.file.exists() else None

    def resume(self) -> None:
        """SIGCONT; returns when it has ended."""
        os.kill(self.pid, signal.SIGCONT)
        self.fork_server.wait(self.pid, seconds=PATIENCE_SECONDS)


def _path() -> list[str]:
    return [str(ROOT), *[p for p in os.environ.get("PYTHONPATH", "").split(os.pathsep) if p]]
