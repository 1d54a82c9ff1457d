"""Events per second by number of worker processes, compared with sending the same requests alone.

Our workers are compared with processes that receive a message, send the recorded requests of such an
event to engine and vendor, and delete the message.  These decide and log nothing, so their rate is the
limit that engine and vendor set on this machine.  A further comparison leaves out the vendor's requests.

All processes of a contest are warm before it begins, and wait while another side works.  The sides take
turns on equal numbers of messages, in changing order; the median of the rounds counts.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from botocore import xform_name

from bench.report.sizes import Sizes
from bench.rig.system import System
from local.vendors.richpanel import API_KEY as RICHPANEL_KEY

ROOT = Path(__file__).resolve().parents[2]
OURS, REQUESTS, AWS = "ours", "requests", "aws"
REPEATABLE = {"update_item", "put_item", "batch_write_item", "batch_execute_statement", "get_item"}
"""Operations that another process can repeat with other ids."""


@dataclass(frozen=True, slots=True)
class Side:
    """A number of worker processes of one kind.

    Attributes:
        name: `OURS`, `REQUESTS` or `AWS`.
    """

    name: str
    processes: int


@dataclass(frozen=True, slots=True)
class Contest:
    """Sides that take turns; the others are compared with the first.

    Attributes:
        is_hot: all messages belong to one conversation.
    """

    sides: tuple[Side, ...]
    is_hot: bool = False


Rates = dict[Side, float]
"""Events per second by side, as medians of the rounds."""


def contests(sizes: Sizes) -> list[Contest]:
    """The contests: our workers against the same requests alone, for each number of processes.

    Two of our workers are also compared with the requests to AWS alone, and four with two.
    """
    more = {2: (Side(AWS, 2),), 4: (Side(OURS, 2),)}
    wide = [Contest((Side(OURS, n), Side(REQUESTS, n), *more.get(n, ()))) for n in sizes.processes]
    return wide + [Contest((Side(OURS, n), Side(REQUESTS, n)), is_hot=True) for n in sizes.hot]


def measure(system: System, sizes: Sizes) -> list[tuple[Contest, Rates]]:
    """Run every contest; returns each with its rates."""
    recorded = _record(system)
    return [(contest, _run(system, recorded, contest, sizes)) for contest in contests(sizes)]


def _record(system: System) -> str:
    """The requests of one routed event to DynamoDB and to the vendor, in order, as JSON."""
    system.post(system.message("warm-up"))
    system.work()  # the first event also checks every table's stage
    name = f"recorded-{uuid.uuid4().hex}"
    body = system.message(name)
    system.post(body)
    sent: list[tuple[str, str]] = []

    def note(params: dict[str, Any], model: Any, **_: Any) -> None:  # noqa: ANN401 - botocore's
        kept = {k: v for k, v in params.items() if k != "ReturnConsumedCapacity"}
        sent.append((xform_name(model.name), json.dumps(kept)))

    system.read_switches()
    system.reset_counts()
    client = system.services._dynamodb  # noqa: SLF001 - to listen to what it sends
    client.meta.events.register("provide-client-params.dynamodb", note)
    try:
        assert system.work() == 1
    finally:
        client.meta.events.unregister("provide-client-params.dynamodb", note)
    assert all(operation in REPEATABLE for operation, _ in sent), sent
    headers = {"x-richpanel-key": RICHPANEL_KEY}
    vendor = [
        json.dumps(
            {
                "method": call.method,
                "url": f"{system.richpanel.url}{call.path}",
                "params": dict(call.query),
                "json": call.body,
                "headers": headers,
            }
        )
        for call in system.richpanel.calls
    ]
    return json.dumps({"aws": sent, "vendor": vendor, "name": name, "comment": body["message_id"]})


def _run(system: System, recorded: str, contest: Contest, sizes: Sizes) -> Rates:
    messages, tickets = sizes.messages, sizes.conversations
    if contest.is_hot:
        messages, tickets = messages // 4, 1
    seconds: dict[Side, list[float]] = {side: [] for side in contest.sides}
    with ExitStack() as stack:
        workers = [stack.enter_context(_workers(system, recorded, side)) for side in contest.sides]
        for _ in range(sizes.rounds):
            for side in workers:
                _fill(system, messages, tickets)
                seconds[side.side].append(side.drain(messages))
            workers.reverse()
    return {side: messages / statistics.median(taken) for side, taken in seconds.items()}


def _fill(system: System, messages: int, conversations: int) -> None:
    """Fill the queue with new messages of new tickets, before any is read."""
    tickets = [f"t-{uuid.uuid4().hex[:12]}" for _ in range(conversations)]
    for number in range(messages):
        ticket = tickets[number % conversations]
        comment = {"id": f"c-{number}-{ticket}", "body": "I want a refund"}
        if number < conversations:
            system.richpanel.add_ticket(ticket, comments=[comment])
        else:
            system.richpanel.add_comment(ticket, comment["body"], id=comment["id"])
        system.post({"ticket_id": ticket, "message_id": comment["id"], "message": comment["body"]})


@dataclass(frozen=True, slots=True)
class _Workers:
    """The warm processes of a side, each waiting for a line."""

    side: Side
    processes: Sequence[subprocess.Popen[str]]

    def drain(self, messages: int) -> float:
        """Let the processes work; returns the seconds until `messages` messages were handled."""
        began = time.monotonic()
        for process in self.processes:
            _pipe(process.stdin).write("go\n")
            _pipe(process.stdin).flush()
        answers = [json.loads(self._line(process)) for process in self.processes]
        assert sum(answer["handled"] for answer in answers) == messages, (self.side, answers)
        return max(answer["ended"] for answer in answers) - began

    def wait_until_warm(self) -> None:
        """Wait until each process has handled its first message."""
        for process in self.processes:
            assert self._line(process) == "ready\n"

    def _line(self, process: subprocess.Popen[str]) -> str:
        line = _pipe(process.stdout).readline()
        assert line, f"a worker of {self.side.name} ended; its error is above"
        return line


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


@contextmanager
def _workers(system: System, recorded: str, side: Side) -> Iterator[_Workers]:
    environ = {
        **os.environ,
        **system.variables,
        "BENCH_QUEUE_URL": system.stage.queue_url,
        "BENCH_QUEUE_ARN": system.stage.queue_arn,
        "BENCH_RECORDED": recorded,
    }
    _fill(system, side.processes, side.processes)  # one message for each process, to warm it up
    command = [sys.executable, "-m", "bench.measures.consumer", side.name]
    pipes: Any = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    started = [
        subprocess.Popen(command, cwd=ROOT, env=environ, **pipes)  # noqa: S603 - our own module
        for _ in range(side.processes)
    ]
    try:
        workers = _Workers(side, started)
        workers.wait_until_warm()
        yield workers
    finally:
        for process in started:
            process.kill()
            process.communicate()
