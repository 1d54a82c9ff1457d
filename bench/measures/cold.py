"""A cold container: importing the app, its memory, the first webhook, the first fact, the package.

`python -m bench --only cold_worker --small` measures the first fact alone and prints it.
"""

from __future__ import annotations

import atexit
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from bench.rig.system import System

ROOT = Path(__file__).resolve().parents[2]
LIBRARIES = (
    "import chalice.app, boto3, botocore.config, botocore.exceptions\n"
    "from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, TypeAdapter,"
    " ValidationError, model_validator"
)
"""What `import app` takes from others, and nothing of ours; pydantic loads what is named."""
APP = "import app"

_MEASURE = """
import sys, time
started = time.perf_counter(); spent = time.process_time()
{statement}
ended, used = time.perf_counter(), time.process_time()
memory = next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]
print(ended - started, used - spent, memory, len(sys.modules))
"""

_FIRST = """
import json, os, sys, time
from local.stack.lambda_events import LambdaContext as context_of
event = json.loads(sys.argv[1])
{make}
sys.stdout, out = open(os.devnull, "w"), sys.stdout
started = time.perf_counter()
first = handler(event, context_of("rp-mw-dev", 25.0))
ended = time.perf_counter()
second = handler({{**event, "body": event["body"].replace("first", "other")}}, context_of("x", 25.0))
assert first["statusCode"] == second["statusCode"] == 200, (first, second)
print(ended - started, time.perf_counter() - ended, 0, 0, file=out)
"""

_OURS = "import app; handler = app.app"
_BARE = """
import hmac, json, boto3
from chalice.app import Chalice, Response
app = Chalice(app_name="bare", configure_logs=False)
clients = []
@app.route("/webhook/richpanel", methods=["POST"])
def webhook():
    if not clients:
        token = boto3.client("secretsmanager").get_secret_value(SecretId=os.environ["WEBHOOK_SECRET_ID"])
        clients[:] = boto3.client("sqs"), token["SecretString"]
    sqs, token = clients
    request = app.current_request
    if not hmac.compare_digest(request.headers.get("x-richpanel-webhook-token", ""), token):
        return Response({"status": "error"}, status_code=401)
    payload = request.json_body
    sqs.send_message(QueueUrl=os.environ["BENCH_QUEUE_URL"], MessageBody=json.dumps(payload),
        MessageGroupId="bare", MessageDeduplicationId="bare-" + payload["message_id"])
    return Response({"status": "accepted"})
handler = app
"""
"""The least that could be called a webhook, secret and client built at the first request."""

_FIRST_FACT = """
import json, os, sys, time
from types import SimpleNamespace
{libraries}
record, context = json.loads(sys.argv[1]), SimpleNamespace(get_remaining_time_in_millis=lambda: 120_000)
sys.stdout, out = open(os.devnull, "w"), sys.stdout
{before}
def ours(): return sum(name.startswith("chalicelib.") for name in sys.modules)
loaded, started, spent = ours(), time.perf_counter(), time.process_time()
{statement}
ended, used = time.perf_counter(), time.process_time()
memory = next(l for l in open("/proc/self/status") if l.startswith("VmRSS")).split()[1]
print(ended - started, used - spent, memory, ours() - loaded, file=out)
"""
_KEEP = 'app.facts_worker({"Records": [record]}, context)'
_ALONE = """
import boto3
from datetime import timedelta
from chalicelib.aws.dynamo import Table
from chalicelib.clock import SystemClock
from chalicelib.facts.jobs import AlowareDelivery
from chalicelib.facts.keeper import FactRecorder
from chalicelib.facts.ledger import ATTRIBUTES, FactLedger
from chalicelib.facts.roster import NoRoster
table = Table(boto3.client("dynamodb"), os.environ["BENCH_FACTS_TABLE"], ATTRIBUTES)
store = FactLedger(table=table, clock=SystemClock(), retention=timedelta(days=14))
log = SimpleNamespace(event=lambda *_, **__: None, metric=lambda *_, **__: None)
fields = json.loads(record["body"])
del fields["mac"]
FactRecorder(store=store, roster=NoRoster(), log=log)(AlowareDelivery.model_validate(fields))
"""
"""The least that keeps a fact: no settings, no check of the stage, no log, no other kind of job."""


@dataclass(frozen=True, slots=True)
class Start:
    """Medians of fresh interpreters.

    Attributes:
        ms: on the wall. cpu_ms: of processor time. memory_mb: resident.
        modules: how many are loaded; of a worker's first job the project's own alone.
    """

    ms: float
    cpu_ms: float
    memory_mb: float
    modules: int


def imports(rounds: int) -> tuple[Start, Start]:
    """The app, and its libraries alone; taken in turns."""
    ours, theirs = [], []
    for _ in range(rounds):
        theirs.append(run(_MEASURE.format(statement=LIBRARIES)))
        ours.append(run(_MEASURE.format(statement=APP)))
    return _median(ours), _median(theirs)


def first_requests(system: System, rounds: int) -> tuple[tuple[float, float], tuple[float, float]]:
    """(first, second) webhook after the import in ms: ours, and the bare route's."""
    from bench.rig.system import gateway_event  # noqa: PLC0415 - after the environment

    environ = {**system.variables, "BENCH_QUEUE_URL": system.stage.queue_url}
    found: dict[str, list[list[float]]] = {_OURS: [], _BARE: []}
    for number in range(rounds):
        for make, runs in found.items():
            name = f"first-{number}-{len(make)}"
            body = json.dumps({"ticket_id": name, "message_id": f"c-{name}", "message": "Hello"})
            token = {"x-richpanel-webhook-token": system.stage.secrets.webhook_token}
            event = gateway_event("/webhook/richpanel", body, token)
            runs.append(run(_FIRST.format(make=make), json.dumps(event), environ=environ))
    ours, bare = (
        tuple(statistics.median(run[n] for run in runs) * 1000 for n in (0, 1))
        for runs in found.values()
    )
    return (ours[0], ours[1]), (bare[0], bare[1])


@dataclass(frozen=True, slots=True)
class FirstFact:
    """What a cold worker takes for its first fact, after the libraries are imported.

    Attributes:
        whole: import of the app and the fact; invocation: the fact alone, the app imported.
        alone: the parts that keep a fact, and nothing else, imported and used.
    """

    whole: Start
    invocation: Start
    alone: Start


def first_fact(system: System, rounds: int) -> FirstFact:
    """The three, taken in turns; every round keeps a new fact."""
    from chalicelib.facts.jobs import AlowareDelivery  # noqa: PLC0415 - after the environment
    from chalicelib.once.job import encode  # noqa: PLC0415
    from chalicelib.once.lanes import FACTS  # noqa: PLC0415
    from local.stack import lambda_events  # noqa: PLC0415

    table = system.stage.tables["QuillLedgerTable"]
    environ = {**system.variables, "BENCH_FACTS_TABLE": table}
    sides: dict[str, tuple[str, str]] = {
        "whole": ("", f"import app; {_KEEP}"),
        "invocation": ("import app", _KEEP),
        "alone": ("", _ALONE),
    }
    found: dict[str, list[list[float]]] = {name: [] for name in sides}
    for number in range(rounds):
        for name, (before, statement) in sides.items():
            job = AlowareDelivery(
                event_key=f"evt:aloware:{name}-{number}",
                conversation_id=name,
                received_at="2026-11-20T09:00:00.000Z",
                source="aloware",
                trace_id="1f",
                event="OutboundPhoneCall-DispositionCompleted",
                communication_id=f"{name}-{number}",
                type=1,
                direction=2,
            )
            arn = lambda_events.QUEUE_ARN.replace("events-dev", "facts-dev")
            body = system.stage.sealed(encode(job), group_id="bench", lane=FACTS)
            record = lambda_events.made_up_record(body, group_id="bench", queue_arn=arn)
            code = _FIRST_FACT.format(libraries=LIBRARIES, before=before, statement=statement)
            found[name].append(run(code, json.dumps(record), environ=environ))
    return FirstFact(**{name: _median(runs) for name, runs in found.items()})


def package_mb(requirements: Path = ROOT / "requirements.txt") -> dict[str, float]:
    """Unzipped size of what is deployed, by part, in 10^6 bytes; boto3 and botocore apart.

    The wheels are those that `chalice package` would fetch for Lambda; of Chalice itself only two
    files are shipped, whatever the requirements say.
    """
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "site"
        subprocess.run(  # noqa: S603 - pip of this environment
            [
                *(sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target)),
                *("--platform", "manylinux2014_x86_64", "--only-binary", ":all:"),
                *("--python-version", "3.11", "--no-compile", "-r", str(requirements)),
            ],
            check=True,
            capture_output=True,
        )
        shutil.rmtree(target / "bin", ignore_errors=True)
        sizes = {one.name: _bytes(one) for one in target.iterdir()}
    runtime = sum(
        size for name, size in sizes.items() if name.startswith(("boto3", "botocore", "s3transfer"))
    )
    chalice = sizes.pop("chalice", 0)
    import chalice.app as shipped  # noqa: PLC0415 - only its place is asked for

    shipped_files = Path(shipped.__file__).parent
    own = _bytes(ROOT / "chalicelib") + (ROOT / "app.py").stat().st_size
    return {
        "ours": own / 1e6,
        "chalice's runtime": sum(
            (shipped_files / name).stat().st_size for name in ("app.py", "__init__.py")
        )
        / 1e6,
        "libraries": (sum(sizes.values()) - runtime) / 1e6,
        "boto3 and botocore": runtime / 1e6,
        "left out of chalice": chalice / 1e6,
    }


def _bytes(path: Path) -> int:
    if path.is_file():
        return path.stat().st_size
    found = (one for one in path.rglob("*") if one.is_file() and "__pycache__" not in one.parts)
    return sum(one.stat().st_size for one in found)


def run(code: str, *arguments: str, environ: dict[str, str] | None = None) -> list[float]:
    """What code prints in a new interpreter, whose bytecode is compiled: numbers between spaces."""
    known = {name: one for name, one in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    compiled = {"PYTHONPYCACHEPREFIX": _compiled()}
    done = subprocess.run(  # noqa: S603 - our own interpreter and code
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
        text=True,
        env={**known, **compiled, "STAGE": "dev", **(environ or {})},
    )
    return [float(word) for word in done.stdout.split()]


@cache
def _compiled() -> str:
    """Where bytecode goes: ours and the libraries' alike, compiled by the first of the runs.

    A checkout may have none of its own code's while an installation has its libraries'.
    """
    folder = tempfile.mkdtemp(prefix="cold-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _median(runs: list[list[float]]) -> Start:
    ms, cpu, memory, modules = (statistics.median(column) for column in zip(*runs, strict=True))
    return Start(ms * 1000, cpu * 1000, memory / 1024, int(modules))
