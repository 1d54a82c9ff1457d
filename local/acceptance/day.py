"""The steps of the acceptance: each does something to the stage, and says what it saw."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import requests

from chalicelib.facts.dataset import FACT_EVENT
from chalicelib.support.settable_tags import every_tag
from local import aligned
from local.acceptance import entering
from local.deploy import bundle
from local.deploy.deployment import wait_for
from local.stack.lambda_events import schedule_event
from local.vendors.twilio import SimulatedTwilio
from ops.session import OpsError
from ops.stage import access_stack, stack, stack_states
from ops.stage.template import StageTemplate

if TYPE_CHECKING:
    from collections.abc import Callable

    from local.acceptance.account import Account
    from local.acceptance.remote_vendors import RemoteVendors

SWITCHES_SECONDS = 31
"""Every container reads the switches within 30 seconds."""
HAPPENS_SECONDS = 300.0
COMMAND_SECONDS = 3600
REDELIVERED_AFTER_SECONDS = 10
KILLED = Path(__file__).with_name("killed_worker.py")
TABLE_SECONDS = 3600.0
RECOVERY = {"PointInTimeRecoveryEnabled": True}
TABLE_WAITS = {"Delay": 20, "MaxAttempts": 180}
"""An hour: a table is restored in as long as its partitions take."""


class AcceptanceError(Exception):
    """The stage did not do what it should."""


@dataclass
class StageDay:
    """A stage and what has been done to it.

    Attributes:
        folder: with a copy of the project, whose configuration setup writes.
        tickets: those that a customer has written in, of which every effect must be there once.
        latencies: seconds from a webhook to its effect at the vendor.
        firsts: of each system, what it took from the empty account to its first message.
    """

    account: Account
    stage: str
    folder: Path
    vendors: RemoteVendors
    pastes: dict[str, Any] = field(default_factory=dict)
    tickets: list[str] = field(default_factory=list)
    latencies: list[float] = field(default_factory=list)
    firsts: list[dict[str, Any]] = field(default_factory=list)
    done: list[dict[str, Any]] = field(default_factory=list)
    began: float = field(default_factory=time.monotonic)

    @property
    def project(self) -> Path:
        """The copy of the project."""
        return self.folder / "project"

    @cached_property
    def template(self) -> StageTemplate:
        """The stage's declared resources."""
        return StageTemplate.load(
            self.stage, account=self.account.number, region=self.account.region
        )

    @property
    def ledger(self) -> str:
        """The ledger's table."""
        return f"rp_mw_idempotency-{self.stage}"

    def ops(self, *arguments: object) -> str:
        """Run a command of the operator's in the copy; returns what it printed.

        Raises:
            AcceptanceError: it failed; has the end of what it said.
        """
        run = subprocess.run(  # noqa: S603 - the command is ours
            [sys.executable, "-m", "ops", *map(str, arguments), "--stage", self.stage],
            cwd=self.project,
            env={**os.environ, **entering.SECRETS},
            capture_output=True,
            text=True,
            timeout=COMMAND_SECONDS,
            check=False,
        )
        if run.returncode != 0:
            said = (run.stdout[-1500:] + run.stderr[-1500:]).strip()
            raise AcceptanceError(f"ops {' '.join(map(str, arguments))}: {said}")
        return run.stdout

    def customer_writes(self, ticket_id: str) -> None:
        """A webhook of a new ticket."""
        entering.ticket(self.account, self.pastes, self.vendors, ticket_id)
        self.tickets.append(ticket_id)

    def is_done(self, ticket_id: str) -> bool:
        """Whether a ticket is marked as processed."""
        return any("mw-processed" in one for one in self.vendors.changes(ticket_id))

    def processed(self, ticket_id: str) -> None:
        """Wait until a ticket is done.

        Raises:
            TimeoutError: it is not, in time.
        """
        began = time.monotonic()
        wait_for(lambda: self.is_done(ticket_id), f"ticket {ticket_id}", HAPPENS_SECONDS)
        self.latencies.append(time.monotonic() - began)

    def function(self, suffix: str) -> str:
        """A function's name."""
        return f"rp-mw-{self.stage}{suffix}"

    def health(self) -> dict[str, Any]:
        """What the stage says of itself."""
        config = json.loads((self.project / ".chalice" / "config.json").read_text())
        base = config["stages"][self.stage]["environment_variables"]["PUBLIC_BASE_URL"]
        answer = requests.get(f"{base}/health", timeout=60)
        answer.raise_for_status()
        found: dict[str, Any] = answer.json()
        return found


def place(day: StageDay) -> str:
    """The account is the one that is meant, and has nothing of the stage, which is removed at the end."""
    client = day.account.client("cloudformation")
    stacks = (
        stack.access_stack(day.stage),
        stack.data_stack(day.stage),
        stack.functions_stack(day.stage),
    )
    there = [one for one in stacks if stack_states.status(client, one)]
    if there:
        raise AcceptanceError(f"{', '.join(there)}: is there, and would be removed; take it away")
    return f"account {day.account.number}, {day.account.region}: nothing of {day.stage}"


def vendors(day: StageDay) -> str:
    """The simulated vendors are a function behind a token."""
    day.vendors.make()
    refused = day.vendors.status("richpanel", "_sim", token="wrong")  # noqa: S106 - no token
    if refused != requests.codes.not_found:
        raise AcceptanceError(f"without the token the vendors answer {refused}")
    return "answer with the token, and 404 without"


def setup(day: StageDay) -> str:
    """`ops setup` leads the empty account to a stage in shadow mode, by three stacks."""
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
    at_its_pace = sorted(every_tag())[3:]  # all of them take minutes
    day.vendors.ask("richpanel", "tags", {"names": at_its_pace})
    done = json.loads(day.ops("setup", "--yes", "--file", answers, "--json"))
    day.pastes.update({one["name"]: one for one in done["pastes"]})
    day.done += done["steps"]
    return f"{len(done['steps'])} steps; seconds {done['seconds_by_system']}"


def doors(day: StageDay) -> str:
    """A message comes in at every door, and each system acts."""
    day.ops("switch", "set", "shadow_mode", "false", "--yes")
    day.ops("switch", "set", "automation_enabled", "true", "--yes")
    day.account.client("dynamodb").update_continuous_backups(  # of prod alone by declaration
        TableName=day.ledger, PointInTimeRecoverySpecification=RECOVERY
    )
    time.sleep(SWITCHES_SECONDS)
    day.customer_writes("1043")
    entering.start(day.account, day.pastes, "req-1", entering.RECIPIENT)
    entering.facts(day.account, day.pastes)
    wanted = {
        "support": lambda: day.is_done("1043"),
        "outreach": lambda: bool(_texts(day)),
        "facts": lambda: _reported(day) == {"ALOWARE", "HUBSPOT"},
    }
    wait_for(lambda: _seen(day, wanted), "the first messages", HAPPENS_SECONDS)
    with SimulatedTwilio() as sender:
        entering.reply(day.pastes, sender)
    return "a ticket tagged, a text sent, its reply taken, two facts reported"


def kill(day: StageDay) -> str:
    """A worker is killed after Richpanel has acted and before it has recorded that."""
    functions, sqs = day.account.client("lambda"), day.account.client("sqs")
    name = day.function("-worker")
    (mapping,) = functions.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]
    url = sqs.get_queue_url(QueueName=mapping["EventSourceArn"].rpartition(":")[2])["QueueUrl"]
    kept = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    brief = {"VisibilityTimeout": str(REDELIVERED_AFTER_SECONDS)}
    sqs.set_queue_attributes(QueueUrl=url, Attributes=brief)
    handler = functions.get_function_configuration(FunctionName=name)["Handler"]
    _handle_by(functions, name, f"{KILLED.stem}.worker")
    day.customer_writes("1044")
    wait_for(lambda: day.vendors.changes("1044"), "Richpanel to act", HAPPENS_SECONDS)
    _handle_by(functions, name, handler)
    held = _row(day, "1044")["status"]
    day.account.client("dynamodb").update_item(
        TableName=day.ledger,
        Key={"event_id": {"S": _event("1044")}},
        UpdateExpression="SET lease_until = :past",  # what minutes would do
        ExpressionAttributeValues={":past": {"N": "1"}},
    )
    wait_for(lambda: _row(day, "1044")["status"] == "processed", "its successor", HAPPENS_SECONDS)
    sqs.set_queue_attributes(QueueUrl=url, Attributes=kept["Attributes"])
    return f"the event was {held}, and its successor ended it; attempts {_row(day, '1044')['attempts']}"


def outage(day: StageDay) -> str:
    """Richpanel refuses for a while."""
    day.vendors.fault("richpanel", kind="status", operation="add_tags", status=503, times=1)
    day.customer_writes("1045")
    day.processed("1045")
    return "the ticket was done after it"


def roll_back(day: StageDay) -> str:
    """An update of the functions fails, and CloudFormation takes it back."""
    client, name = day.account.client("cloudformation"), stack.functions_stack(day.stage)
    found = client.get_template(StackName=name, TemplateStage="Original")["TemplateBody"]
    broken = {
        "Type": "AWS::Lambda::Url",
        "Properties": {"TargetFunctionArn": day.function("-absent"), "AuthType": "AWS_IAM"},
    }
    template = {**found, "Resources": {**found["Resources"], "Broken": broken}}
    by = access_stack.deployer(day.stage, day.account.number, day.account.region)
    try:
        stack.apply(day.account, name, template, {"Stage": day.stage}, by=by)
    except OpsError as error:
        now = stack_states.status(client, name)
        if now != "UPDATE_ROLLBACK_COMPLETE":
            raise AcceptanceError(str(error)) from None
    else:
        raise AcceptanceError("an update that cannot work was carried out")
    day.health()
    day.customer_writes("1046")
    day.processed("1046")
    day.ops("setup", "--yes", "--file", day.folder / "answers.toml", "--json")
    return f"{now}; the stage went on, and the next setup found it in order"


def restore(day: StageDay) -> str:
    """The ledger is restored as the page says, and what was done is not done again."""
    dynamodb, then = day.account.client("dynamodb"), f"{day.ledger}-then"
    day.ops("switch", "set", "shadow_mode", "true")
    wait_for(lambda: _latest(dynamodb, day.ledger), "a time to restore to", TABLE_SECONDS)
    backup = _latest(dynamodb, day.ledger)
    dynamodb.restore_table_to_point_in_time(
        SourceTableName=day.ledger, TargetTableName=then, RestoreDateTime=backup
    )
    _exists(dynamodb, then)
    made = dynamodb.create_backup(TableName=then, BackupName=then)["BackupDetails"]["BackupArn"]
    wait_for(lambda: _is_available(dynamodb, made), "the backup", HAPPENS_SECONDS)
    dynamodb.update_table(TableName=day.ledger, DeletionProtectionEnabled=False)
    _exists(dynamodb, day.ledger)
    dynamodb.delete_table(TableName=day.ledger)
    dynamodb.get_waiter("table_not_exists").wait(TableName=day.ledger, WaiterConfig=TABLE_WAITS)
    dynamodb.restore_table_from_backup(BackupArn=made, TargetTableName=day.ledger)
    _exists(dynamodb, day.ledger)
    table = dynamodb.update_table(TableName=day.ledger, DeletionProtectionEnabled=True)
    dynamodb.tag_resource(
        ResourceArn=table["TableDescription"]["TableArn"],
        Tags=[{"Key": "stage", "Value": day.stage}],
    )
    dynamodb.update_time_to_live(
        TableName=day.ledger,
        TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"},
    )
    dynamodb.update_continuous_backups(
        TableName=day.ledger, PointInTimeRecoverySpecification=RECOVERY
    )
    dynamodb.delete_backup(BackupArn=made)
    dynamodb.delete_table(TableName=then)
    at = datetime.fromtimestamp(backup, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    day.ops("restore", "--at", at, "--yes")
    day.ops("reconcile", "--since", "48h", "--yes")
    day.ops("restore", "--at", at, "--release", "--yes")
    time.sleep(SWITCHES_SECONDS)
    return f"as of {at}, completed and released"


def once(day: StageDay) -> str:
    """Every webhook comes once more, and every effect was there once."""
    before, texts = {one: day.vendors.changes(one) for one in day.tickets}, len(_texts(day))
    entering.start(day.account, day.pastes, "req-1", entering.RECIPIENT)
    for ticket_id in before:
        entering.post(day.account, day.pastes, ticket_id)
    day.customer_writes("1047")
    day.processed("1047")
    after = {one: day.vendors.changes(one) for one in before}
    twice = [
        f"{ticket_id}: {kind} {value[:40]}, {number} times"
        for ticket_id, changes in after.items()
        for (kind, value), number in Counter(changes).items()
        if number > 1
    ]
    again = [one for one, changes in after.items() if changes != before[one]]
    if twice or again or len(_texts(day)) != texts:
        raise AcceptanceError(f"twice: {twice}; by a repetition: {again}, {len(_texts(day))} texts")
    return f"{sum(map(len, after.values()))} changes at {len(after)} tickets, each once"


STEPS = (place, vendors, setup, doors, kill, outage, roll_back, restore, once)


def _seen(day: StageDay, wanted: dict[str, Callable[[], bool]]) -> bool:
    """Note the first message of each system, and whether none is wanted any more."""
    for system in [one for one, is_there in wanted.items() if is_there()]:
        del wanted[system]
        steps = [one for one in day.done if one["system"] in ("stage", system)]
        day.firsts.append(
            {
                "system": system,
                "steps of setup": len(steps),
                "things to paste": sum(one["system"] == system for one in day.pastes.values()),
                "setup's seconds": round(sum(one["seconds"] for one in steps)),
                "seconds to the first message": round(time.monotonic() - day.began),
            }
        )
    return not wanted


def _texts(day: StageDay) -> list[Any]:
    found = day.vendors.ask("twilio", "messages")["messages"]
    return [one for one in found if one["to"] == entering.RECIPIENT]


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


def _event(ticket_id: str) -> str:
    return f"evt:rp:{ticket_id}:c-{ticket_id}"


def _row(day: StageDay, ticket_id: str) -> dict[str, Any]:
    rows = aligned.rows(day.account, day.ledger)
    return next((one for one in rows if one["event_id"] == _event(ticket_id)), {"status": ""})


def _handle_by(functions: Any, name: str, handler: str) -> None:  # noqa: ANN401 - a boto3 client
    functions.update_function_configuration(FunctionName=name, Handler=handler)
    functions.get_waiter("function_updated_v2").wait(FunctionName=name)


def _exists(dynamodb: Any, table: str) -> None:  # noqa: ANN401 - a boto3 client
    dynamodb.get_waiter("table_exists").wait(TableName=table, WaiterConfig=TABLE_WAITS)


def _latest(dynamodb: Any, table: str) -> float:  # noqa: ANN401 - a boto3 client
    """The last second that a table can be restored to; 0 while there is none."""
    found = dynamodb.describe_continuous_backups(TableName=table)["ContinuousBackupsDescription"]
    recovery = found["PointInTimeRecoveryDescription"]
    until, since = (recovery.get(f"{one}RestorableDateTime") for one in ("Latest", "Earliest"))
    return float(until.timestamp()) if until and since and until >= since else 0.0


def _is_available(dynamodb: Any, backup: str) -> bool:  # noqa: ANN401 - a boto3 client
    found = dynamodb.describe_backup(BackupArn=backup)["BackupDescription"]["BackupDetails"]
    return bool(found["BackupStatus"] == "AVAILABLE")
