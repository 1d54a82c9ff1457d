"""The acceptance's first steps: an empty account, the vendors, `ops setup`, a message to every system."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path
from typing import TYPE_CHECKING

import requests

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.support.settable_tags import every_tag
from local.acceptance import entering
from local.acceptance.stage_day import HAPPENS_SECONDS, SWITCHES_SECONDS, AcceptanceError, StageDay
from local.deploy import bundle
from local.deploy.deployment import wait_for
from local.stack.lambda_events import schedule_event
from local.vendors.twilio import SimulatedTwilio
from ops.stage import stack, stack_states

if TYPE_CHECKING:
    from collections.abc import Callable


KILLED = Path(__file__).with_name("killed_worker.py")
RECOVERY = {"PointInTimeRecoveryEnabled": True}


def place(day: StageDay) -> str:
    """Check that the account has nothing of the stage, because the end removes everything of it."""
    client = day.account.client("cloudformation")
    stacks = (
        stack.access_stack(day.stage),
        stack.data_stack(day.stage),
        stack.functions_stack(day.stage),
    )
    there = [name for name in stacks if stack_states.status(client, name)]
    if there:
        raise AcceptanceError(f"{', '.join(there)}: is there, and would be removed; take it away")
    return f"account {day.account.number}, {day.account.region}: nothing of {day.stage}"


def vendors(day: StageDay) -> str:
    """Deploy the simulated vendors as a function behind a token."""
    day.vendors.make()
    refused = day.vendors.status("richpanel", "_sim", token="wrong")  # noqa: S106 - no token
    if refused != requests.codes.not_found:
        raise AcceptanceError(f"without the token the vendors answer {refused}")
    return "answer with the token, and 404 without"


def setup(day: StageDay) -> str:
    """Run `ops setup`, which makes a stage in shadow mode in the empty account."""
    day.project.mkdir()
    bundle.sources(day.project)
    bundle.locks(day.project)
    (day.project / "vendor").mkdir()  # what Chalice bundles beside app.py
    shutil.copy(KILLED, day.project / "vendor")
    variables = entering.variables(*map(day.vendors.url, ("richpanel", "twilio", "powerbi")))
    answers = entering.answers(
        day.folder,
        day.stage,
        day.account.number,
        {"OPENAI_BASE_URL": bundle.NOWHERE, **variables},
        way="stack",
    )
    said = [{"body": "Where is my order?", "id": "c-1"}]
    day.vendors.add_ticket("1042", comments=said)
    at_its_pace = sorted(every_tag())[3:]  # creating every tag takes minutes
    day.vendors.ask("richpanel", "tags", {"names": at_its_pace})
    done = json.loads(day.ops("setup", "--yes", "--file", answers, "--json"))
    day.pastes.update({paste["name"]: paste for paste in done["pastes"]})
    day.done += done["steps"]
    return f"{len(done['steps'])} steps; seconds {done['seconds_by_system']}"


def doors(day: StageDay) -> str:
    """Send a message to every entry point, and wait until each system acts."""
    day.ops("switch", "set", "shadow_mode", "false", "--yes")
    day.ops("switch", "set", "automation_enabled", "true", "--yes")
    day.account.client("dynamodb").update_continuous_backups(  # declared for prod only
        TableName=day.ledger, PointInTimeRecoverySpecification=RECOVERY
    )
    time.sleep(SWITCHES_SECONDS)
    day.customer_writes("1043")
    entering.start(day.account, day.pastes, "req-1", entering.RECIPIENT)
    entering.facts(day.account, day.pastes)
    wanted = {
        "support": lambda: day.is_done("1043"),
        "outreach": lambda: bool(day.texts()),
        "facts": lambda: _reported(day) == {"ALOWARE", "HUBSPOT"},
    }
    wait_for(lambda: _seen(day, wanted), "the first messages", HAPPENS_SECONDS)
    with SimulatedTwilio() as sender:
        entering.reply(day.pastes, sender)
    return "a ticket tagged, a text sent, its reply taken, two facts reported"


def _seen(day: StageDay, wanted: dict[str, Callable[[], bool]]) -> bool:
    """Note the first message of each system; return whether all have come."""
    for system in [name for name, is_there in wanted.items() if is_there()]:
        del wanted[system]
        steps = [step for step in day.done if step["system"] in ("stage", system)]
        day.firsts.append(
            {
                "system": system,
                "steps of setup": len(steps),
                "things to paste": sum(paste["system"] == system for paste in day.pastes.values()),
                "setup's seconds": round(sum(step["seconds"] for step in steps)),
                "seconds to the first message": round(time.monotonic() - day.began),
            }
        )
    return not wanted


def _reported(day: StageDay) -> set[str]:
    day.account.client("lambda").invoke(
        FunctionName=day.function("-post_facts"), Payload=json.dumps(schedule_event()).encode()
    )
    found: set[str] = set()
    for dataset in day.vendors.ask("powerbi", "datasets")["datasets"]:
        path = f"datasets/{dataset['id']}/tables/{FACT_EVENT}/rows"
        rows = day.vendors.ask("powerbi", path)["rows"]
        found |= {row["EventID"].partition(":")[0] for row in rows}
    return found
