"""One worker process of a throughput run: `python -m bench.measures.consumer ours|raw`.

It prints ``ready`` once warm, waits for a line on standard input, works until the queue is empty,
and prints how many messages it handled and when the last one ended.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

import boto3

from chalicelib.wiring.core import _FAST as CLIENT
from local.stack.pump import Pump

POLL_SECONDS = 1
"""A long poll, as Lambda's pollers use, so that idle pollers cost the engine no time."""

Handler = Callable[[dict[str, Any], Any], Any]


def main() -> int:
    """Run the worker process."""
    handler = {"ours": ours, "raw": Raw}[sys.argv[1]]()
    sqs = boto3.client("sqs")
    pump = Pump(sqs, os.environ["BENCH_QUEUE_URL"], os.environ["BENCH_QUEUE_ARN"], handler)
    sqs.get_queue_attributes(QueueUrl=pump.queue_url, AttributeNames=["QueueArn"])
    print("ready", flush=True)
    sys.stdin.readline()
    handled, failed, ended = 0, 0, time.monotonic()
    while True:
        done = pump._receive(*pump.queues[0], wait_seconds=POLL_SECONDS)  # noqa: SLF001 - on this thread, waiting
        if done is None and not pump.depth():
            break
        if done is not None:
            handled += done.error is None
            failed += done.error is not None
            ended = time.monotonic()
    print(json.dumps({"handled": handled, "failed": failed, "ended": ended}), flush=True)
    return 0


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


class Raw:
    """Sends only the DynamoDB requests of one routed event: no decision, no vendor, no log.

    The requests were recorded from our own worker, so their number, order, size and conditions are
    the same; only the ids in them change.
    """

    def __init__(self) -> None:
        self._dynamodb = boto3.client("dynamodb", config=CLIENT)
        self._recorded = json.loads(os.environ["BENCH_RECORDED"])
        self._name = os.environ["BENCH_RECORDED_NAME"]
        self._comment = os.environ["BENCH_RECORDED_COMMENT"]

    def __call__(self, event: dict[str, Any], context: Any) -> None:  # noqa: ANN401 - Lambda's
        """Send them with this message's ids."""
        del context
        job = json.loads(event["Records"][0]["body"])
        for operation, arguments in self._recorded:
            text = arguments.replace(self._comment, job["message_id"])
            parsed = json.loads(text.replace(self._name, job["conversation_id"]))
            getattr(self._dynamodb, operation)(**parsed)


if __name__ == "__main__":
    sys.exit(main())
