"""A process that forks one process an invocation, so that each is real and none pays for imports.

It reads one JSON line a job on standard input, answers ``{"pid": ...}`` at once and ``{"ended": pid,
"status": ...}`` when the process is gone; what the function returned stands in the job's file.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import app
from local.lambda_events import Context
from tests.crash import product

_saying = threading.Lock()


def main() -> None:
    """Fork until standard input ends."""
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(job)
        _say({"pid": pid})
        threading.Thread(target=_wait, args=(pid,), daemon=True).start()


def _say(words: dict[str, Any]) -> None:
    with _saying:
        print(json.dumps(words), flush=True)


def _wait(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    _say({"ended": pid, "status": status})


def _run(job: dict[str, Any]) -> None:
    """In the new process: one invocation, then the end."""
    code = 0
    try:
        os.environ.update(job["environ"])
        if job["wiring"] in ("replied", "product"):
            product.enter(os.environ, shift_seconds=job["shift_seconds"], wiring=job["wiring"])
            ours = {"worker": app.worker, "reconcile": app.reconcile, "api": app.app}
            handler = ours[job["function"]]
        else:  # another design, for comparison
            peer = importlib.import_module(job["wiring"])
            peer.enter(shift_seconds=job["shift_seconds"])
            handler = getattr(peer, job["function"])
        answer = handler(job["event"], Context(timeout_seconds=120.0))
        Path(job["file"]).write_text(json.dumps({"returned": answer}))
    except BaseException as error:  # noqa: BLE001 - as Lambda: whatever is raised is reported
        Path(job["file"]).write_text(json.dumps({"error": f"{type(error).__name__}: {error}"}))
        code = 1
    os._exit(code)


if __name__ == "__main__":
    main()
