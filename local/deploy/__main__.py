"""`make deploy-local`: deploys to the local engine, uses the deployed stage, checks the result.

It makes the data stack, then deploys the functions by a stack or by `chalice deploy`.  The exit
code is 0 only if a webhook posted to the deployed route reached Richpanel once through the deployed
worker, and the deployed sweep found a lost webhook.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tempfile
import time
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from local import aligned
from local.deploy import bundle, data, deployment, ways
from local.stack import environment, resources
from local.stack.engine import EngineError
from local.vendors.richpanel import SimulatedRichpanel
from ops.stage import console_layer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from local.deploy.deployment import Deployment

STAGE = "dev"
_MB = 1_000_000


def main(arguments: Sequence[str] | None = None) -> int:
    """Deploy and check; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m local.deploy", description=__doc__)
    parser.add_argument("way", nargs="?", choices=("stack", "direct"), default="stack")
    parser.add_argument("--log", type=Path, default=environment.RUN / "deploy-engine.log")
    options = parser.parse_args(arguments)
    try:
        problems = _deploy_and_use(options.way, options.log)
    except (EngineError, TimeoutError) as error:
        problems = [str(error)]
    for problem in problems:
        print(f"FAILED: {problem}")
    return 1 if problems else 0


def _deploy_and_use(way: str, log: Path) -> list[str]:
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedRichpanel() as richpanel,
        deployment.engine(log=log) as engine,
    ):
        started = time.monotonic()
        variables = environment.vendors(richpanel_url=richpanel.base_url)
        project = bundle.project(Path(folder), STAGE, variables)
        made = data.made(resources.Aws(engine.url), STAGE, resources.Secrets())
        deploy = {"stack": ways.by_stack, "direct": ways.direct}[way]
        deployed = deploy(engine, project, made)
        print(f"deployed in {time.monotonic() - started:.0f} s to {deployed.api_url}\n")
        print(_functions(deployed), flush=True)
        if way == "stack":
            print(_sizes(project / "out"))
        print(_first_requests(deployed), flush=True)
        return list(_used(deployed, richpanel))


def _functions(deployed: Deployment) -> str:
    found = [deployed.configuration(function) for function in deployed.functions]
    columns = ("FunctionName", "Handler", "Runtime", "MemorySize", "Timeout", "CodeSize")
    return aligned.shown(found, columns) + "\n"


def _sizes(out: Path) -> str:
    """A table of the sizes that `chalice package` wrote, beside AWS's limits."""
    template = json.loads((out / "sam.json").read_text())
    with tempfile.TemporaryDirectory() as folder:
        layer = Path(shutil.make_archive(f"{folder}/layer", "zip", out / console_layer.FOLDER))
        layer_mb = _mb(layer)
    unzipped_mb = sum(
        _mb(path) for path in (out / console_layer.FOLDER).rglob("*") if path.is_file()
    )
    with zipfile.ZipFile(out / "deployment.zip") as bundled:
        bundle_mb = sum(file.file_size for file in bundled.infolist()) / _MB
    rows = [
        ("template: resources", str(len(template["Resources"])), "500"),
        ("template", f"{_mb(out / 'sam.json'):.2f} MB", "1 MB, from a bucket"),
        ("bundle of every function, zipped", f"{_mb(out / 'deployment.zip'):.1f} MB", "50 MB"),
        ("layer of the console, zipped", f"{layer_mb:.1f} MB", "50 MB"),
        ("both unzipped", f"{bundle_mb + unzipped_mb:.0f} MB", "250 MB"),
    ]
    columns = ("what", "size", "allowed")
    return aligned.shown([dict(zip(columns, row, strict=True)) for row in rows], columns) + "\n"


def _mb(file: Path) -> float:
    return file.stat().st_size / _MB


def _first_requests(deployed: Deployment) -> str:
    """A sentence on how long a new container's first request takes, and the next."""
    took = []
    for _ in range(2):
        began = time.monotonic()
        requests.get(f"{deployed.api_url}/health", timeout=60).raise_for_status()
        took.append(f"{(time.monotonic() - began) * 1000:.0f} ms")
    return "the API's first request {}, the next {}\n".format(*took)


def _used(deployed: Deployment, richpanel: SimulatedRichpanel) -> Iterator[str]:
    for ticket_id in ("1042", "1043"):
        richpanel.add_ticket(ticket_id, comments=[{"body": "I want a refund", "id": "c-1"}])
    for _ in range(3):
        answer = requests.post(
            f"{deployed.api_url}/webhook/richpanel",
            json={"ticket_id": "1042", "message_id": "c-1"},
            headers={"x-richpanel-webhook-token": deployed.stage.secrets.webhook_token},
            timeout=60,
        )
        if answer.status_code != requests.codes.ok:
            yield f"the webhook got status {answer.status_code}"
    deployed.wait_until_quiet()
    print(f"1042, webhook posted three times: {sorted(richpanel.tags_of('1042'))}")
    print(f"reconciliation: {deployed.tick()}")
    deployed.wait_until_quiet()
    print(f"1043, webhook lost: {sorted(richpanel.tags_of('1043'))}")
    for ticket_id in ("1042", "1043"):
        counts = richpanel.effects_of(ticket_id, "tag_added")
        if "mw-processed" not in counts or set(counts.values()) != {1}:
            yield f"ticket {ticket_id} got {dict(counts)}"


if __name__ == "__main__":
    sys.exit(main())
