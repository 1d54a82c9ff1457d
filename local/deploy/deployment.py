"""A stage deployed to the local engine, in either way: its routes, functions, mappings and logs."""

from __future__ import annotations

import json
import subprocess
import time
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chalicelib.once.lanes import LANES
from local.deploy import venv
from local.stack import engine as engines
from local.stack.lambda_events import schedule_event
from ops.stage import address

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from local.stack.engine import Engine
    from local.stack.resources import Aws, Stage

_WAITING = frozenset(
    {
        "ApproximateNumberOfMessages",
        "ApproximateNumberOfMessagesNotVisible",
        "ApproximateNumberOfMessagesDelayed",
    }
)


_ROLES = (
    *("api", "reconcile", "facts", "mail", "later", "ticket_texts", "console"),
    *(lane.handler for lane in LANES),
)
_SUFFIXES = {"api": "", "facts": "-post_facts"}
"""The name suffixes of functions that are not named after their role."""


@dataclass(frozen=True, slots=True)
class Deployment:
    """A deployed stage.

    Attributes:
        api_url: the API stage's URL, without a trailing slash.
        functions: function names by role (``api``, ``worker``, ``outreach_worker``,
            ``reconcile``, ``facts``, ``mail``, ...).
    """

    engine: Engine
    stage: Stage
    api_url: str
    functions: dict[str, str]

    @classmethod
    def of(cls, engine: Engine, stage: Stage) -> Deployment:
        """The deployment of a stage on an engine.

        Raises:
            EngineError: the stage has no API, or more than one.
        """
        url = address.of(stage.aws.client("apigateway"), stage.name)
        if url is None:
            raise engines.EngineError(f"there is not exactly one API of stage {stage.name}")
        name = f"rp-mw-{stage.name}"
        functions = {role: name + _SUFFIXES.get(role, f"-{role}") for role in _ROLES}
        return cls(engine=engine, stage=stage, api_url=url, functions=functions)

    @property
    def aws(self) -> Aws:
        """Clients of the engine."""
        return self.stage.aws

    def configuration(self, function: str) -> dict[str, Any]:
        """A function's configuration in Lambda."""
        name = self.functions[function]
        found: dict[str, Any] = self.aws.client("lambda").get_function_configuration(
            FunctionName=name
        )
        return found

    def mappings(self) -> list[dict[str, Any]]:
        """Every event source mapping of the account."""
        found: list[dict[str, Any]] = self.aws.client("lambda").list_event_source_mappings()[
            "EventSourceMappings"
        ]
        return found

    def invoke(self, function: str, event: dict[str, Any]) -> Any:  # noqa: ANN401 - its answer
        """Invoke a function as a schedule would, and wait for its result.

        Raises:
            RuntimeError: the function raised; the message is Lambda's error payload.
        """
        answer = self.aws.client("lambda").invoke(
            FunctionName=self.functions[function], Payload=json.dumps(event).encode()
        )
        payload = json.loads(answer["Payload"].read() or b"null")
        if "FunctionError" in answer:
            raise RuntimeError(f"{function}: {payload}")
        return payload

    def tick(self) -> Any:  # noqa: ANN401 - reconciliation's summary
        """Run reconciliation once, as its schedule does."""
        return self.invoke("reconcile", schedule_event())

    def waiting(self) -> int:
        """The number of messages in the lanes: visible, in flight and delayed."""
        sqs = self.aws.client("sqs")
        found = [
            sqs.get_queue_attributes(QueueUrl=self.stage.lane_url(lane), AttributeNames=["All"])
            for lane in LANES
        ]
        return sum(int(queue["Attributes"][name]) for queue in found for name in _WAITING)

    def wait_until_quiet(self, timeout_seconds: float = 180.0) -> None:
        """Wait until every lane is empty.

        Raises:
            TimeoutError: a lane is not empty in time.
        """
        wait_for(lambda: self.waiting() == 0, "the lanes to be empty", timeout_seconds)

    def log_lines(self, function: str) -> list[dict[str, Any]]:
        """A function's log lines that are JSON."""
        logs = self.aws.client("logs")
        name = self.functions[function]
        group = self.configuration(function).get("LoggingConfig", {}).get("LogGroup")
        lines = []
        for page in logs.get_paginator("filter_log_events").paginate(
            logGroupName=group or f"/aws/lambda/{name}"
        ):
            for event in page["events"]:
                lines += [_json(line) for line in event["message"].splitlines()]
        return [line for line in lines if line is not None]

    def worker_processes(self) -> list[int]:
        """Process ids of the deployed worker's containers (on this engine: processes)."""
        return [
            pid
            for pid in _descendants(self.engine.pid)
            if _variable(pid, "AWS_LAMBDA_FUNCTION_NAME") == self.functions["worker"]
        ]


@contextmanager
def engine(port: int = 0, *, log: Path | None = None) -> Iterator[Engine]:
    """MiniStack with everything a deployment needs, under its own interpreter."""
    with engines.ministack(
        port,
        log=log,
        command=(str(venv.python()), "-P", str(engines.SHIM)),
        settings={"LAMBDA_EXECUTOR": "local"},
    ) as running:
        yield running


def wait_for(happens: Callable[[], object], what: str, timeout_seconds: float = 60.0) -> None:
    """Poll a condition until it holds.

    Raises:
        TimeoutError: the condition does not hold in time.
    """
    deadline = time.monotonic() + timeout_seconds
    while not happens():
        if time.monotonic() > deadline:
            raise TimeoutError(f"waited {timeout_seconds:.0f} s for {what}")
        time.sleep(0.2)


def _json(line: str) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


def _descendants(pid: int) -> list[int]:
    """The ids of all descendants of a process, by ``ps``."""
    listed = subprocess.run(
        ["ps", "-eo", "pid=,ppid="],  # noqa: S607 - found on the PATH
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    parents = {int(child): int(parent) for child, parent in map(str.split, listed.splitlines())}
    found = [pid]
    for process in found:
        found += [child for child, parent in parents.items() if parent == process]
    return found[1:]


def _variable(pid: int, name: str) -> str | None:
    try:
        block = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return None
    pairs = (variable.partition(b"=") for variable in block.split(b"\0"))
    return next((value.decode() for key, _, value in pairs if key == name.encode()), None)
