"""One worker process of a throughput run: `python -m bench.measures.consumer SIDE`.

Sides: ``ours``, the application; ``requests``, only the requests that the application sends for an event;
``aws``, only those requests that go to AWS.

The process handles one message to be warm, and prints ``ready``.  For each line on standard input it
works until the queue is empty, and prints how many messages it handled and when the last one ended.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

import boto3

from chalicelib.wiring.core import _FAST as CLIENT
from local.stack.pump import Pump

POLL_SECONDS = 1
"""Seconds of a long poll, as Lambda's pollers use, so that idle pollers cost the engine no time."""

Handler = Callable[[dict[str, Any], Any], Any]


class HandlingError(Exception):
    """A message was not handled; the queue would redeliver it minutes later, so the run ends."""


def main(side: str, started: Iterable[str]) -> int:
    """Run the worker process until `started` ends."""
    handler = ours() if side == "ours" else Recorded(with_vendor=side == "requests")
    queue = os.environ["BENCH_QUEUE_URL"], os.environ["BENCH_QUEUE_ARN"]
    pump = Pump(boto3.client("sqs"), *queue, handler, on_error=_fail)
    while not _is_one_handled(pump):
        pass
    print("ready", flush=True)
    for _ in started:
        print(json.dumps(_drained(pump)), flush=True)
    return 0


def _drained(pump: Pump) -> dict[str, float]:
    """Work until the queue is empty; returns the messages handled and when the last one ended."""
    handled, ended = 0, time.monotonic()
    while True:
        if _is_one_handled(pump):
            handled, ended = handled + 1, time.monotonic()
        elif not pump.depth():
            return {"handled": handled, "ended": ended}


def _is_one_handled(pump: Pump) -> bool:
    """Wait for a message and handle it on this thread; False if none came."""
    return pump._receive(*pump.queues[0], wait_seconds=POLL_SECONDS) is not None  # noqa: SLF001


def _fail(error: BaseException) -> None:
    raise HandlingError from error


def ours() -> Handler:
    """The application's worker with all its services built."""
    import app  # noqa: PLC0415 - only this side imports it
    from bench.rig.system import lift_rate_limits  # noqa: PLC0415
    from chalicelib.wiring import services  # noqa: PLC0415

    services().log._stream = open(os.devnull, "w")  # noqa: PTH123, SIM115, SLF001
    lift_rate_limits()
    services().worker.runtime.switches.current()
    handler: Handler = app.worker
    return handler


class Recorded:
    """A handler that only sends the recorded requests of one routed event: no decision, no log.

    The requests were recorded from our own worker, so their number, order, size and conditions are the
    same; only the ids change.  The vendor's pace, a row that all workers share, is a row for each
    message here, as DynamoDB would refuse the recorded conditional write from the second time on.
    """

    def __init__(self, *, with_vendor: bool) -> None:
        import requests  # noqa: PLC0415 - only this side needs it by itself

        recorded = json.loads(os.environ["BENCH_RECORDED"])
        self._dynamodb = boto3.client("dynamodb", config=CLIENT)
        self._session = requests.Session()
        self._session.trust_env = False
        self._name, self._comment = recorded["name"], recorded["comment"]
        self._aws = recorded["aws"]
        self._vendor = recorded["vendor"] if with_vendor else []

    def __call__(self, event: dict[str, Any], context: Any) -> None:  # noqa: ANN401 - Lambda's
        """Send the requests with this message's ids."""
        del context
        job = json.loads(event["Records"][0]["body"])
        ids = {
            self._comment: job["message_id"],
            self._name: job["conversation_id"],
            '"pace:': f'"pace:{job["message_id"]}:',
        }
        for operation, arguments in self._aws:
            getattr(self._dynamodb, operation)(**json.loads(_replaced(arguments, ids)))
        for request in self._vendor:
            self._session.request(**json.loads(_replaced(request, ids))).raise_for_status()


def _replaced(text: str, ids: dict[str, str]) -> str:
    for before, after in ids.items():
        text = text.replace(before, after)
    return text


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.stdin))
