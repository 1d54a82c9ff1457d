"""`make drill`: a deployed stage in which webhooks are lost, a worker dies and Richpanel fails.

Deploys the packaged stack to the local engine, posts webhooks to the deployed routes, and lets the
event source mapping drive the deployed worker.  Then faults are injected.  Afterwards
reconciliation runs as its schedule would, and effects are counted: exit code 0 only if none is
missing and none happened twice.

A killed worker's event is claimed again once its lease is over, about four minutes later; the drill
sets the lease's end to the past instead, with the same result.  ``--patient`` waits.
"""

from __future__ import annotations

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from local import aligned
from local.deploy import bundle, data, deployment, ways
from local.deploy.deployment import wait_for
from local.stack import environment, resources
from local.stack.engine import ROOT, EngineError
from local.vendors.richpanel import SimulatedRichpanel

if TYPE_CHECKING:
    from collections.abc import Iterator

    from local.deploy.deployment import Deployment

STAGE = "dev"
REDELIVERED_AFTER_SECONDS = "5"
"""Visibility timeout in the drill, instead of 720: after it a killed worker's message is redelivered."""
TEXTS = ("Where is my order?", "I want a refund", "My parcel arrived broken", "Cancel my order")
ONCE = frozenset({"comment", "message", "closed", "assigned"})
"""Kinds of effect that a ticket of the drill gets at most once."""


@dataclass(slots=True)
class Drill:
    """The deployed stage and what was done to it."""

    deployed: Deployment
    richpanel: SimulatedRichpanel
    patient: bool = False
    tickets: list[str] = field(default_factory=list)
    posts: int = 0
    killed: list[int] = field(default_factory=list)

    def ticket(self, ticket_id: str) -> str:
        """Add a ticket with one customer message."""
        text = TEXTS[len(self.tickets) % len(TEXTS)]
        self.richpanel.add_ticket(ticket_id, comments=[{"body": text, "id": f"c-{ticket_id}"}])
        self.tickets.append(ticket_id)
        return ticket_id

    def post(self, ticket_id: str, *, thin: bool = False) -> None:
        """Post the ticket's webhook to the deployed route."""
        body = {"ticket_id": ticket_id, "trigger": "customer_message"}
        if not thin:
            body |= {"message_id": f"c-{ticket_id}"}
        answer = requests.post(
            f"{self.deployed.api_url}/webhook/richpanel",
            json=body,
            headers={"x-richpanel-webhook-token": self.deployed.stage.secrets.webhook_token},
            timeout=60,
        )
        if answer.status_code != requests.codes.ok:
            raise EngineError(f"the webhook of {ticket_id} got status {answer.status_code}")
        self.posts += 1

    def rows(self, table: str = "IdempotencyTable") -> dict[str, dict[str, Any]]:
        """The ledger, by key."""
        stage = self.deployed.stage
        return {row["event_id"]: row for row in aligned.rows(stage.aws, stage.tables[table])}

    def event(self, ticket_id: str) -> dict[str, Any]:
        """The ledger's row of a ticket's message."""
        return self.rows().get(f"evt:rp:{ticket_id}:c-{ticket_id}", {})


def main(arguments: list[str] | None = None) -> int:
    """Run the drill; returns the exit code."""
    parser = argparse.ArgumentParser(prog="python -m local.drill", description=__doc__)
    parser.add_argument("--patient", action="store_true", help="wait for a dead worker's lease")
    parser.add_argument("--log", type=Path, default=environment.RUN / "drill-engine.log")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    try:
        problems = _drill(options.log, patient=options.patient)
    except (EngineError, TimeoutError) as error:
        problems = [str(error)]
    for problem in problems:
        print(f"FAILED: {problem}")
    if not problems:
        print(f"No effect missing, none repeated ({time.monotonic() - started:.0f} s).")
    return 1 if problems else 0


def _drill(log: Path, *, patient: bool) -> list[str]:
    _say("packaging and deploying ...")
    with (
        tempfile.TemporaryDirectory() as folder,
        SimulatedRichpanel() as richpanel,
        deployment.engine(log=log) as engine,
    ):
        variables = environment.vendors(richpanel_url=richpanel.base_url)
        project = bundle.project(Path(folder), STAGE, variables)
        made = data.made(resources.Aws(engine.url), STAGE, resources.Secrets())
        drill = Drill(ways.by_stack(engine, project, made), richpanel, patient=patient)
        _say(f"deployed to {drill.deployed.api_url}")
        for act in (_traffic, _lost_webhooks, _killed_worker, _vendor_down, _reconcile, _replay):
            _say(act.__doc__ or "")
            act(drill)
        problems = [*_missing(drill), *_repeated(drill), *_unfinished(drill), *_explained(drill)]
        _say(_counts(drill))
        return problems


# --- the scenario -----------------------------------------------------------------------------


def _traffic(drill: Drill) -> None:
    """Webhooks, some of them duplicates or thin notifications."""
    for number in range(4):
        ticket_id = drill.ticket(f"10{number}")
        for _ in range(1 + number % 3):
            drill.post(ticket_id)
    drill.post("100", thin=True)
    drill.post(drill.ticket("110"), thin=True)
    drill.deployed.wait_until_quiet()


def _lost_webhooks(drill: Drill) -> None:
    """Two tickets whose webhooks are lost."""
    drill.ticket("200")
    drill.ticket("201")


def _killed_worker(drill: Drill) -> None:
    """A worker killed after Richpanel has acted and before it responds."""
    sqs, url = drill.deployed.aws.client("sqs"), drill.deployed.stage.queue_url
    normal = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    if not drill.patient:
        brief = {"VisibilityTimeout": REDELIVERED_AFTER_SECONDS}
        sqs.set_queue_attributes(QueueUrl=url, Attributes=brief)
    drill.richpanel.fault("act_then_hang", operation="add_tags", seconds=15)
    drill.post(drill.ticket("300"))
    wait_for(
        lambda: any(call.fault == "act_then_hang" for call in drill.richpanel.calls),
        "the worker to call Richpanel",
    )
    drill.killed = drill.deployed.worker_processes()
    for pid in drill.killed:
        os.kill(pid, signal.SIGKILL)
    if not drill.patient:
        _let_leases_end(drill)
    drill.deployed.wait_until_quiet(900 if drill.patient else 180)
    sqs.set_queue_attributes(QueueUrl=url, Attributes=normal["Attributes"])


def _vendor_down(drill: Drill) -> None:
    """Richpanel is down for a while."""
    drill.richpanel.down()
    for ticket_id in ("400", "401"):
        drill.post(drill.ticket(ticket_id))
    wait_for(
        lambda: all(drill.event(ticket_id).get("last_reason") for ticket_id in ("400", "401")),
        "both events to be returned to the queue",
    )
    drill.richpanel.up()
    drill.deployed.wait_until_quiet()


def _reconcile(drill: Drill) -> None:
    """Reconciliation, twice."""
    for _ in range(2):
        _say(f"  {drill.deployed.tick()}")
        drill.deployed.wait_until_quiet()


def _replay(drill: Drill) -> None:
    """Every webhook posted once more."""
    for ticket_id in drill.tickets:
        drill.post(ticket_id)
    drill.deployed.wait_until_quiet()


def _let_leases_end(drill: Drill) -> None:
    """End the dead worker's lease, as four minutes would."""
    dynamodb = drill.deployed.aws.client("dynamodb")
    for key, row in drill.rows().items():
        if row.get("status") in ("processing", "pending") and "lease_until" in row:
            dynamodb.update_item(
                TableName=drill.deployed.stage.tables["IdempotencyTable"],
                Key={"event_id": {"S": key}},
                UpdateExpression="SET lease_until = :past",
                ExpressionAttributeValues={":past": {"N": "1"}},
            )


# --- the checks -------------------------------------------------------------------------------


def _missing(drill: Drill) -> Iterator[str]:
    for ticket_id in drill.tickets:
        status = drill.event(ticket_id).get("status", "not in the ledger")
        if status != "processed":
            yield f"the message of {ticket_id} is {status}"
        if "mw-processed" not in drill.richpanel.tags_of(ticket_id):
            yield f"ticket {ticket_id} is not tagged mw-processed"
    if not drill.killed:
        yield "no worker was killed, so takeover was not tested"
    taken = [
        line for line in drill.deployed.log_lines("worker") if line.get("event") == _TAKEN_OVER
    ]
    if not taken:
        yield "no worker logged that it took over a lease"


def _repeated(drill: Drill) -> Iterator[str]:
    seen: dict[tuple[str, str, str], int] = {}
    for effect in drill.richpanel.effects:
        if effect.changed:
            value = "" if effect.kind in ONCE else effect.value
            key = (effect.ticket_id, effect.kind, value)
            seen[key] = seen.get(key, 0) + 1
    yield from (f"{key} happened {count} times" for key, count in seen.items() if count > 1)


def _unfinished(drill: Drill) -> Iterator[str]:
    for key, row in drill.rows().items():
        ended = row.get("status") in ("processed", "done", "skipped")
        if key.startswith(("evt:", "act:")) and not ended:
            yield f"{key} is {row.get('status')} ({row.get('reason')})"
    stage = drill.deployed.stage
    sqs = stage.aws.client("sqs")
    if sqs.receive_message(QueueUrl=stage.dead_letter_url).get("Messages"):
        yield "a message is in the dead-letter queue"


def _explained(drill: Drill) -> Iterator[str]:
    """`ops explain` reports the event whose worker was killed as processed."""
    variables = environment.local(STAGE, drill.deployed.aws, richpanel_url=drill.richpanel.base_url)
    key = "evt:rp:300:c-300"
    run = subprocess.run(  # noqa: S603 - the command is ours
        [sys.executable, "-m", "ops", "explain", key, "--stage", STAGE],
        cwd=ROOT,
        env={**os.environ, **variables, "NO_COLOR": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    _say(run.stdout)
    if run.returncode != 0 or not re.search(r"processed", run.stdout):
        yield f"ops explain {key} ended with {run.returncode}: {run.stderr[-500:]}"


def _counts(drill: Drill) -> str:
    rows = drill.rows()
    done = sum(row.get("status") == "done" for row in rows.values())
    changed = sum(effect.changed for effect in drill.richpanel.effects)
    attempts = drill.event("300").get("attempts")
    lines = (
        ("tickets", len(drill.tickets)),
        ("webhooks posted", drill.posts),
        ("workers killed", len(drill.killed)),
        ("attempts of the killed worker's event", attempts),
        ("actions done, by the ledger", done),
        ("changes, by Richpanel", changed),
    )
    return aligned.aligned(("count", ""), lines)


def _say(text: str) -> None:
    print(text, flush=True)


_TAKEN_OVER = "worker.lease_taken_over"

if __name__ == "__main__":
    sys.exit(main())
