"""`python -m bench.measures.cold`: a function's first job, from the bundle that is really deployed.

The bundle is packaged, unpacked into an empty folder and imported there by new interpreters, with the
local engine as AWS.  `--bundle FILE` measures another archive, `--rounds N` repeats more often.
Counts are exact; times depend on this machine and its load, which the line below the table indicates.
"""

from __future__ import annotations

import argparse
import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from bench.rig.system import System, gateway_event
from bench.rig.unpacked import Step, Unpacked, unpacked
from chalicelib.once import keys

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "import chalice.app, boto3, botocore.config, botocore.exceptions\n"
    "from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter,"
    " ValidationError, model_validator\n"
)
"""The libraries that `import app` loads, without our own modules; pydantic loads the names lazily."""
_OURS = """
import app
mark()
answer = getattr(app, given["handler"])(given["event"], context)
mark()
assert given["handler"] != "app" or answer["statusCode"] == 200, answer
"""
_BARE = """
import hmac, boto3
from chalice.app import Chalice, Response
app = Chalice(app_name="bare", configure_logs=False)
@app.route("/webhook/richpanel", methods=["POST"])
def webhook():
    token = boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["WEBHOOK_SECRET_ID"])
    request, sqs = app.current_request, boto3.client("sqs")
    given = request.headers.get("x-richpanel-webhook-token", "")
    if not hmac.compare_digest(given, token["SecretString"]):
        return Response({"status": "error"}, status_code=401)
    url = sqs.get_queue_url(QueueName=os.environ["QUEUE_NAME"])["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(request.json_body),
        MessageGroupId="bare", MessageDeduplicationId="bare-" + request.json_body["message_id"])
    return Response({"status": "accepted"})
mark()
answer = app(given["event"], context)
mark()
assert answer["statusCode"] == 200, answer
"""
"""A minimal webhook for comparison; it builds its clients at the first request."""
WEBHOOK, EVENT, FACT = "webhook", "routed event", "fact"
BARE, ONLY_LIBRARIES = "bare webhook", "libraries alone"
_PROGRAMS = {
    WEBHOOK: ("app", _OURS),
    BARE: ("app", _BARE),
    EVENT: ("worker", _OURS),
    FACT: ("facts_worker", _OURS),
    ONLY_LIBRARIES: ("app", LIBRARIES + "mark(); mark()"),
}
"""For each first job: the function's handler, and the program that is run."""


@dataclass(frozen=True, slots=True)
class FirstJob:
    """A function's first job after a cold start; medians of new interpreters.

    Attributes:
        init: importing the app, before Lambda hands the job over. call: the job itself.
        memory_mb: resident memory at the end.
    """

    init: Step
    call: Step
    memory_mb: float

    @property
    def cpu_ms(self) -> float:
        """Processor time of import and job together."""
        return self.init.cpu_ms + self.call.cpu_ms

    @property
    def ours(self) -> int:
        """Modules of the project that import and job load together."""
        return self.init.ours + self.call.ours

    @property
    def modules(self) -> int:
        """Modules that import and job load together."""
        return self.init.modules + self.call.modules


def measure(
    system: System, bundle: Unpacked, rounds: int, only: Collection[str] = ()
) -> dict[str, FirstJob]:
    """Measure every first job, or those in `only`, in turns; each run has a new event."""
    programs = {name: program for name, program in _PROGRAMS.items() if not only or name in only}
    runs: dict[str, list[FirstJob]] = {name: [] for name in programs}
    for number in range(rounds):
        for name, (handler, code) in programs.items():
            event = _event(system, handler, f"{keys.digest(name)[:8]}-{number}")
            lambdas = {"_HANDLER": f"app.{handler}", "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand"}
            given = {"handler": handler, "event": event}
            (init, call), memory = bundle.run(code, given, {**system.variables, **lambdas})
            runs[name].append(FirstJob(init, call, memory))
    return {name: _median(found) for name, found in runs.items()}


def _event(system: System, handler: str, name: str) -> Any:  # noqa: ANN401 - a Lambda event
    """An event that invokes a function; for a worker, a job that is not processed otherwise."""
    if handler == "facts_worker":
        return {"Records": [_fact(system, name)]}
    body = system.message(name)
    if handler == "app":
        token = {"x-richpanel-webhook-token": system.stage.secrets.webhook_token}
        return gateway_event("/webhook/richpanel", json.dumps(body), token)
    events: list[Any] = []
    work, system.pump.handler = system.pump.handler, lambda event, _: events.append(event)
    system.work()  # process what earlier webhooks left
    events.clear()
    system.post(body)
    system.work()
    system.pump.handler = work
    (event,) = events
    return event


def _fact(system: System, name: str) -> dict[str, Any]:
    from chalicelib.facts.jobs import AlowareDelivery  # noqa: PLC0415 - after the environment
    from chalicelib.once.job import encode  # noqa: PLC0415
    from chalicelib.once.lanes import FACTS  # noqa: PLC0415
    from local.stack import lambda_events  # noqa: PLC0415

    job = AlowareDelivery(
        event_key=f"evt:aloware:{name}",
        conversation_id=name,
        received_at="2026-11-20T09:00:00.000Z",
        source="aloware",
        trace_id="1f",
        event="OutboundPhoneCall-DispositionCompleted",
        communication_id=name,
        type=1,
        direction=2,
    )
    arn = lambda_events.QUEUE_ARN.replace("events-dev", "facts-dev")
    body = system.stage.sealed(encode(job), group_id="bench", lane=FACTS)
    return dict(lambda_events.made_up_record(body, group_id="bench", queue_arn=arn))


def _median(runs: list[FirstJob]) -> FirstJob:
    def step(steps: list[Step]) -> Step:
        return Step(
            ms=statistics.median(taken.ms for taken in steps),
            cpu_ms=statistics.median(taken.cpu_ms for taken in steps),
            ours=int(statistics.median(taken.ours for taken in steps)),
            modules=int(statistics.median(taken.modules for taken in steps)),
        )

    memory = statistics.median(job.memory_mb for job in runs)
    return FirstJob(step([job.init for job in runs]), step([job.call for job in runs]), memory)


def package_mb() -> dict[str, float]:
    """Unzipped size of the deployed bundle, by part, in 10^6 bytes."""
    with unpacked() as bundle:
        return parts_mb(bundle.archive)


def parts_mb(archive: Path) -> dict[str, float]:
    """Unzipped size of an archive, by part, in 10^6 bytes; each part includes its bytecode."""
    sizes = dict.fromkeys(("ours", "chalice's runtime", "libraries", "boto3 and botocore"), 0.0)
    with zipfile.ZipFile(archive) as zipped:
        for entry in zipped.infolist():
            top = entry.filename.split("/", 1)[0]
            part = "libraries"
            if top in ("app.py", "chalicelib") or entry.filename.startswith("__pycache__/app."):
                part = "ours"
            elif top == "chalice":
                part = "chalice's runtime"
            elif top.startswith(("boto3", "botocore", "s3transfer")):
                part = "boto3 and botocore"
            sizes[part] += entry.file_size / 1e6
    return sizes


def loop_ms() -> float:
    """Processor time of a million additions, in ms: shows how fast this machine is now."""
    spent, total = time.process_time(), 0
    for number in range(1_000_000):
        total += number
    return (time.process_time() - spent) * 1000


def run(code: str, *arguments: str, environ: dict[str, str] | None = None) -> list[float]:
    """The numbers that code prints in a new interpreter with compiled bytecode."""
    known = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = {"PYTHONPYCACHEPREFIX": _compiled()}
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, *arguments],
        capture_output=True,
        check=True,
        cwd=ROOT,
        text=True,
        env={**known, **compiled, "STAGE": "dev", **(environ or {})},
    )
    return [float(word) for word in done.stdout.split()]


@cache
def _compiled() -> str:
    """The folder for the working tree's bytecode, which the first run compiles."""
    folder = tempfile.mkdtemp(prefix="cold-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def main() -> int:
    """Print counts and times."""
    parser = argparse.ArgumentParser(prog="python -m bench.measures.cold")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--bundle", type=Path, help="an archive that was packaged before")
    options = parser.parse_args()
    shown = Table(box=None)
    headings = ("first", "modules", "ours", "init", "job", "both, ms of processor", "ms", "MB")
    for heading in headings:
        shown.add_column(heading, justify="left" if heading == "first" else "right")
    with unpacked(options.bundle) as bundle, System() as system:
        loops = [loop_ms()]
        for name, job in measure(system, bundle, options.rounds).items():
            counts = (f"{job.modules}", f"{job.ours}")
            times = (job.init.cpu_ms, job.call.cpu_ms, job.cpu_ms, job.init.ms + job.call.ms)
            shown.add_row(name, *counts, *(f"{ms:.0f}" for ms in (*times, job.memory_mb)))
        loops.append(loop_ms())
        sizes = ", ".join(f"{part} {mb:.1f}" for part, mb in parts_mb(bundle.archive).items())
        zipped = bundle.archive.stat().st_size
    console = Console(width=None if sys.stdout.isatty() else 110)
    console.print(shown)
    console.print(
        f"bundle: {zipped:,} bytes zipped, {bundle.size:,} in {bundle.files:,} files: MB {sizes}"
    )
    console.print(f"a million additions: {loops[0]:.0f} ms before, {loops[1]:.0f} after")
    return 0


if __name__ == "__main__":
    sys.exit(main())
