"""A process that forks one process per invocation, so that each is real and none pays for imports.

It reads one JSON line per job on standard input, answers ``{"pid": ...}`` at once and ``{"ended": pid,
"status": ...}`` when the process has ended; the function's result is in the job's file, its log
beside it.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import app
from chalicelib.once.lanes import LANES
from local.stack.lambda_events import LambdaContext
from tests.crash import product

FUNCTIONS = {
    "api": app.app,
    **{lane.handler: getattr(app, lane.handler) for lane in LANES},
    "later": app.later,
    "mail": app.mail,
    "reconcile": app.reconcile,
    "post_facts": app.post_facts,
}
_answering = threading.Lock()


def main() -> None:
    """Fork until standard input ends."""
    product.warm_up()
    gc.disable()  # a process ends before collecting garbage pays off, and collecting would copy every page
    for line in sys.stdin:
        job = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(job)
        _answer({"pid": pid})
        threading.Thread(target=_wait, args=(pid,), daemon=True).start()


def _answer(answer: dict[str, Any]) -> None:
    with _answering:
        print(json.dumps(answer), flush=True)


def _wait(pid: int) -> None:
    _, status = os.waitpid(pid, 0)
    _answer({"ended": pid, "status": status})


def _run(job: dict[str, Any]) -> None:
    """In the new process: run one invocation and exit."""
    code = 0
    log = os.open(f"{job['file']}.log", os.O_WRONLY | os.O_CREAT)
    os.dup2(log, 1)
    os.dup2(log, 2)
    try:
        os.environ.update(job["environ"])
        answer = _handler(job)(job["event"], LambdaContext(timeout_seconds=120.0))
        _write_result(job, {"returned": answer})
    except BaseException as error:  # noqa: BLE001 - as in Lambda, every error is reported
        _write_result(job, {"error": f"{type(error).__name__}: {error}"})
        code = 1
    sys.stdout.flush()
    os._exit(code)


def _write_result(job: dict[str, Any], result: dict[str, Any]) -> None:
    """Write the result atomically: the process may be killed meanwhile."""
    written = Path(f"{job['file']}.new")
    written.write_text(json.dumps(result))
    written.rename(job["file"])


def _handler(job: dict[str, Any]) -> Any:
    """The product's function, or that of another design."""
    if job["design"]:
        peer = importlib.import_module(job["design"])
        peer.enter(shift_seconds=product.SharedShift(Path(job["shift"])).seconds)
        return getattr(peer, job["function"])
    product.enter(
        os.environ,
        shift=Path(job["shift"]),
        patience_seconds=job["patience_seconds"],
        is_cold=job["is_cold"],
    )
    return FUNCTIONS[job["function"]]


if __name__ == "__main__":
    main()
