"""Events per second through engine and worker, by worker processes, against the engine's own limit.

The limit is the same number of receives and deletes with the same DynamoDB requests in between,
sent by processes that do nothing else.  It is measured in the same run with the same number of
processes, each pair in turns.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from botocore import xform_name

from bench.report.sizes import Sizes
from bench.rig.system import System

ROOT = Path(__file__).resolve().parents[2]
PROCESSES = (1, 2, 4)
REPEATABLE = {"update_item", "put_item", "batch_write_item", "batch_execute_statement", "get_item"}
"""Operations that another process can send again with other ids in them."""


@dataclass(frozen=True, slots=True)
class Run:
    """Events per second of both sides in one run.

    Attributes:
        shape: ``parallel``, or ``one hot conversation``.
    """

    shape: str
    processes: int
    ours: float
    raw: float


def measure(system: System, sizes: Sizes) -> list[Run]:
    """Measure all runs."""
    recorded = _record(system)
    runs = [
        _run(system, recorded, "parallel", n, sizes.messages, sizes.conversations)
        for n in PROCESSES
    ]
    hot = sizes.messages // 4
    return [*runs, *(_run(system, recorded, "one hot conversation", n, hot, 1) for n in (1, 2))]


@dataclass(frozen=True, slots=True)
class _Recorded:
    requests: str
    name: str
    comment: str


def _record(system: System) -> _Recorded:
    """The DynamoDB requests of one routed event, in order."""
    system.post(system.message("warm-up"))
    system.work()  # the first event also checks every table's stage
    name = f"recorded-{uuid.uuid4().hex}"
    body = system.message(name)
    system.post(body)
    found: list[tuple[str, str]] = []

    def note(params: dict[str, Any], model: Any, **_: Any) -> None:  # noqa: ANN401 - botocore's
        kept = {k: v for k, v in params.items() if k != "ReturnConsumedCapacity"}
        found.append((xform_name(model.name), json.dumps(kept)))

    system.services.switches.current()
    client = system.services._dynamodb  # noqa: SLF001 - to listen to what it sends
    client.meta.events.register("provide-client-params.dynamodb", note)
    try:
        assert system.work() == 1
    finally:
        client.meta.events.unregister("provide-client-params.dynamodb", note)
    assert all(operation in REPEATABLE for operation, _ in found), found
    return _Recorded(json.dumps(found), name, body["message_id"])


def _run(
    system: System,
    recorded: _Recorded,
    shape: str,
    processes: int,
    messages: int,
    conversations: int,
) -> Run:
    seconds = {"raw": 0.0, "ours": 0.0}
    half = messages // 2
    for side in (
        "raw",
        "ours",
        "ours",
        "raw",
    ):  # so that a drift of the machine affects both equally
        _fill(system, half, conversations)
        seconds[side] += half / _rate(system, recorded, side, processes, half)
    return Run(shape, processes, 2 * half / seconds["ours"], 2 * half / seconds["raw"])


def _fill(system: System, messages: int, conversations: int) -> None:
    """Put new messages on new tickets, all on the queue before it is read."""
    tickets = [f"t-{uuid.uuid4().hex[:12]}" for _ in range(conversations)]
    for number in range(messages):
        ticket = tickets[number % conversations]
        comment = {"id": f"c-{number}-{ticket}", "body": "I want a refund"}
        if number < conversations:
            system.richpanel.add_ticket(ticket, comments=[comment])
        else:
            system.richpanel.add_comment(ticket, comment["body"], id=comment["id"])
        system.post({"ticket_id": ticket, "message_id": comment["id"], "message": comment["body"]})


def _rate(system: System, recorded: _Recorded, side: str, processes: int, messages: int) -> float:
    environ = {
        **os.environ,
        **system.variables,
        "BENCH_QUEUE_URL": system.stage.queue_url,
        "BENCH_QUEUE_ARN": system.stage.queue_arn,
        "BENCH_RECORDED": recorded.requests,
        "BENCH_RECORDED_NAME": recorded.name,
        "BENCH_RECORDED_COMMENT": recorded.comment,
    }
    started = [
        subprocess.Popen(  # noqa: S603 - our own module
            [sys.executable, "-m", "bench.measures.consumer", side],
            cwd=ROOT,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for _ in range(processes)
    ]
    try:
        for one in started:
            assert one.stdout is not None
            assert one.stdout.readline() == "ready\n"
        began = time.monotonic()
        for one in started:
            assert one.stdin is not None
            one.stdin.write("go\n")
            one.stdin.flush()
        answers = [json.loads(one.communicate()[0]) for one in started]
    finally:
        for one in started:
            one.kill()
            one.wait()
    handled = sum(answer["handled"] for answer in answers)
    assert handled == messages, (side, handled, messages, answers)
    return messages / (max(answer["ended"] for answer in answers) - began)
