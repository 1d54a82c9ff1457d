"""Checks a deployed stage against its declaration, and Richpanel against what we need of it."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.clock import iso
from chalicelib.errors import MiddlewareError, SettingsError
from chalicelib.once.lanes import LANES
from chalicelib.once.ports import Clock
from ops.companies import api_keys, endpoint_events, senders
from ops.identity import of_caller
from ops.inspect import vendor_secrets
from ops.inspect.doctor_account import concurrency, python, ses
from ops.inspect.doctor_alarms import alarms
from ops.inspect.doctor_answers import answers
from ops.inspect.doctor_deployed import access, functions, own_address, variables
from ops.inspect.doctor_facts import facts, report
from ops.inspect.doctor_lanes import lanes
from ops.inspect.doctor_onelake import onelake
from ops.inspect.doctor_richpanel import richpanel
from ops.inspect.doctor_stage import resources, sender_identities, throttles
from ops.inspect.doctor_twilio import twilio
from ops.inspect.finding import Finding, finding
from ops.session import AbsentError, OpsError, Session
from ops.stage import config, lost_keys, names, provision, switches
from ops.stage.failures import UNPUBLISHED
from ops.stage.template import StageTemplateError
from ops.unreachable import NOT_LOGGED_IN


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a stage.

    Attributes:
        name: the name of the check, and of its finding if it cannot run.
        system: the system that is checked; ``stage`` for what every system needs.
        run: performs the check and yields its findings.
        mend: the command that fixes a problem, unless the finding names a better one.
    """

    name: str
    system: str
    run: Callable[[Session], Iterator[Finding]]
    mend: str


def examine(session: Session, only: Collection[str] | None = None) -> Iterator[Finding]:
    """Run the checks in order: first what others depend on, then system by system.

    A check that cannot run yields a failure.  Checks of systems that the stage does not run are
    skipped.  Missing region or credentials are raised as an error, because no check could run.

    Args:
        session: the stage.
        only: the names of the checks to run; None for all.
    """
    settings = session.services.settings  # raises at once if the stage's settings are wrong
    for check in CHECKS:
        if only is not None and check.name not in only:
            continue
        if check.system in ("stage", *settings.systems):
            for found in _run(check, session):
                mend = found.mend or (check.mend if found.result in ("fail", "warn") else "")
                yield replace(found, system=check.system, mend=mend)


def refuse_nothing(session: Session) -> None:
    """Refuse to check a stage without any table: every check would fail for the same reason.

    Raises:
        AbsentError: no declared table exists.
    """
    dynamodb = session.client("dynamodb")
    for resource in session.template.resources("AWS::DynamoDB::Table"):
        with suppress(dynamodb.exceptions.ResourceNotFoundException):
            dynamodb.describe_table(TableName=resource.properties["TableName"])
            return
    raise AbsentError("none of its tables exists")


def _run(check: Check, session: Session) -> Iterator[Finding]:
    try:
        yield from check.run(session)
    except NOT_LOGGED_IN:
        raise
    except (ClientError, BotoCoreError) as error:
        yield Finding(check.name, "fail", f"cannot be checked: {_code(error)}")
    except SettingsError as error:  # its text names the variable and no value
        yield Finding(check.name, "fail", f"cannot be checked: {error}", mend=SETUP)
    except MiddlewareError as error:
        yield Finding(check.name, "fail", f"cannot be checked: {type(error).__name__}")
    except AbsentError as error:
        yield Finding(check.name, "fail", str(error))


def _stage(session: Session) -> Iterator[Finding]:
    """Name the account and region checked: with the wrong one, all other checks fail."""
    sts = session.client("sts")
    who = of_caller(sts)
    release = session.services.settings.release
    yield Finding(
        "stage",
        "ok",
        f"account {who.account}, region {sts.meta.region_name}, as {who.name}; release {release}",
    )


_LOST = "; where it was deleted, what was in it is lost, unless a backup has it: docs/restoring.md"


def _tables(session: Session) -> Iterator[Finding]:
    try:
        names.refuse_other_names(session.template, session.services.settings)
    except StageTemplateError as error:
        yield Finding("tables", "fail", str(error))
    dynamodb = session.client("dynamodb")
    for resource in session.template.resources("AWS::DynamoDB::Table"):
        declared = resource.properties
        name = declared["TableName"]
        try:
            found = dynamodb.describe_table(TableName=name)["Table"]
        except dynamodb.exceptions.ResourceNotFoundException:
            yield Finding(name, "fail", f"does not exist{_LOST}")
            continue
        problems = []
        if found["KeySchema"] != declared["KeySchema"]:
            problems.append("the key differs from the declaration")
        wanted = {index["IndexName"] for index in declared.get("GlobalSecondaryIndexes", [])}
        lacking = wanted - {index["IndexName"] for index in found.get("GlobalSecondaryIndexes", [])}
        problems += [f"no index {index}" for index in sorted(lacking)]
        ttl = declared.get("TimeToLiveSpecification")
        if ttl and not _ttl_is(dynamodb, name, ttl["AttributeName"]):
            problems.append(f"TTL on {ttl['AttributeName']} is off: rows never expire")
        tags = dynamodb.list_tags_of_resource(ResourceArn=found["TableArn"]).get("Tags", [])
        if {"Key": "stage", "Value": session.stage} not in tags:
            problems.append("the stage tag is wrong: the worker refuses to start")
        yield finding(name, problems, good="key, indexes, TTL, tag")


def _queues(session: Session) -> Iterator[Finding]:
    sqs = session.client("sqs")
    timeout = config.worker_timeout_seconds()
    for resource in session.template.resources("AWS::SQS::Queue"):
        declared = resource.properties
        name = declared["QueueName"]
        try:
            url = sqs.get_queue_url(QueueName=name)["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            yield Finding(name, "fail", "does not exist")
            continue
        found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["All"])["Attributes"]
        problems = []
        if sqs.list_queue_tags(QueueUrl=url).get("Tags", {}).get("stage") != session.stage:
            problems.append("the stage tag is wrong: the worker refuses to start")
        waiting = int(found["ApproximateNumberOfMessages"])
        if "RedrivePolicy" not in declared:
            command = "dlq mail" if "mail-failures" in name else "dlq list"
            detail = (
                f"{waiting} dead letters: the sweep sends their events when they are due"
                if "later" in name
                else f"{waiting} dead letters: python -m ops {command}"
            )
            yield (
                Finding(name, "warn", detail)
                if waiting and not problems
                else finding(name, problems, good="empty")
            )
            continue
        problems += _source_problems(found, declared["RedrivePolicy"], timeout)
        yield finding(name, problems, good=f"redrive, visibility, tag; {waiting} waiting")


def _source_problems(
    found: dict[str, str], wanted: dict[str, Any], timeout_seconds: int
) -> list[str]:
    problems = []
    policy = json.loads(found.get("RedrivePolicy") or "{}")
    if policy.get("deadLetterTargetArn") != wanted["deadLetterTargetArn"]:
        problems.append(
            "no redrive to the dead-letter queue: a poison message blocks its conversation"
        )
    elif int(policy["maxReceiveCount"]) != int(wanted["maxReceiveCount"]):
        problems.append(
            f"{policy['maxReceiveCount']} receives, declared {wanted['maxReceiveCount']}"
        )
    if int(found["VisibilityTimeout"]) < timeout_seconds:
        problems.append(
            f"visibility {found['VisibilityTimeout']} s, less than the worker's {timeout_seconds} s"
        )
    return problems


def _switches(session: Session) -> Iterator[Finding]:
    values = switches.read(session)
    missing = [name for name, value in values.items() if value is None]
    if missing:
        yield Finding("switches", "fail", f"missing: {', '.join(missing)}; nothing starts")
        return
    shown = ", ".join(f"{name}={value}" for name, value in values.items())
    stops = values["kill_switch"] == "true" or values["shadow_mode"] == "true"
    yield Finding("switches", "warn" if stops else "ok", shown)


def _secrets(session: Session) -> Iterator[Finding]:
    settings = session.services.settings
    missing = provision.missing_secrets(session, session.template, session.stage, settings)
    client = session.client("secretsmanager")
    problems = [
        f"waits for its deletion: {command}" if command else f"missing: {secret}"
        for secret in missing
        for command in (lost_keys.restoring(client, secret),)
    ]
    yield finding("secrets", problems, good="present")


def _signing(session: Session) -> Iterator[Finding]:
    """Find faults in the API keys' secret for which a company's requests are all refused."""
    try:
        problems = [
            f"{company_id}: {fault}"
            for company_id in api_keys.companies(session)
            for fault in api_keys.faults(session, company_id)
        ]
    except OpsError as error:
        problems = [str(error)]
    yield finding("signing", problems, good="every company's entry is usable")


def _senders(session: Session) -> Iterator[Finding]:
    """Find sender numbers and addresses that are not mapped to exactly one company."""
    stored = senders.projects(session)
    problems = [
        f"{' '.join(project.ids)}: {problem}"
        for project in stored
        for problem in (*senders.faults(project, stored), *senders.unmapped(session, project))
    ]
    yield finding("senders", problems, good=f"{len(stored)} projects")


def _mapping(session: Session) -> Iterator[Finding]:
    """Check the event source mapping of each lane; needs the deployed workers."""
    functions = session.client("lambda")
    try:
        listed = functions.list_event_source_mappings()["EventSourceMappings"]
    except (ClientError, BotoCoreError) as error:
        yield Finding("mapping", "warn", f"Lambda cannot be queried: {_code(error)}")
        return
    for lane in LANES:
        queue = session.services.settings.queue_of(lane)
        ours = [
            mapping
            for mapping in listed
            if str(mapping.get("EventSourceArn", "")).endswith(f":{queue}")
        ]
        if not ours:
            detail = f"no function reads {queue}: {lane.handler} is not deployed"
            yield Finding("mapping", "warn", detail)
        yield from _mapped(ours)


def _mapped(mappings: list[dict[str, Any]]) -> Iterator[Finding]:
    for mapping in mappings:
        problems = []
        if mapping.get("BatchSize") != 1:
            problems.append(
                f"batch size {mapping.get('BatchSize')}: one failure returns the whole batch"
            )
        if mapping.get("State") not in ("Enabled", "Enabling", "Creating"):
            problems.append(f"state {mapping.get('State')}")
        yield finding("mapping", problems, good="batch size 1, enabled")


def _mail(session: Session) -> Iterator[Finding]:
    """Check that Lambda keeps mail events whose function failed; needs the deployed function."""
    functions = session.client("lambda")
    for name, properties in session.template.functions():
        if "EventInvokeConfig" not in properties:
            continue
        wanted = properties["EventInvokeConfig"]["DestinationConfig"]["OnFailure"]["Destination"]
        try:
            found = functions.get_function_event_invoke_config(
                FunctionName=name, Qualifier=UNPUBLISHED
            )
        except functions.exceptions.ResourceNotFoundException:
            found = {}
        kept = found.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
        detail = f"events that {name} fails on are lost: run python -m ops provision once deployed"
        yield Finding("mail", "ok" if kept == wanted else "warn", "" if kept == wanted else detail)


def _sweep(session: Session) -> Iterator[Finding]:
    """Check the result and age of the sweep's last run."""
    last = session.services.sweeps.last()
    if last is None:
        yield Finding("sweep", "warn", "never ran")
        return
    summary = last["summary"]
    is_whole = summary["listing"] == "complete" and not summary["problems"]
    when = f"{last['created_at']}: listing {summary['listing']}, {summary['unknown']} unknown"
    stale = str(last["created_at"]) < iso_minutes_ago(session.services.clock, 30)
    detail = f"{when}; no run since" if stale else when
    yield Finding("sweep", "ok" if is_whole and not stale else "warn", detail)


def iso_minutes_ago(clock: Clock, minutes: int) -> str:
    """The time some minutes ago, in the rows' ISO format."""
    return iso(clock.now() - timedelta(minutes=minutes))


def _ttl_is(dynamodb: Any, table: str, attribute: str) -> bool:  # noqa: ANN401
    found = dynamodb.describe_time_to_live(TableName=table).get("TimeToLiveDescription", {})
    return (
        found.get("TimeToLiveStatus") in ("ENABLED", "ENABLING")
        and found.get("AttributeName") == attribute
    )


def _code(error: ClientError | BotoCoreError) -> str:
    if isinstance(error, ClientError):
        return str(error.response.get("Error", {}).get("Code", "unknown"))
    return type(error).__name__


SETUP = "python -m ops setup"
_QUOTA = (
    "aws service-quotas request-service-quota-increase --service-code lambda"
    " --quota-code L-B99A9384 --desired-value 1000"
)
CHECKS = (
    Check("stage", "stage", _stage, "export AWS_PROFILE=<yours> AWS_DEFAULT_REGION=<region>"),
    Check("concurrency", "stage", concurrency, _QUOTA),
    Check("access", "stage", access, "python -m ops access, as an administrator of the account"),
    Check(
        "runtime", "stage", python, "write a newer Python into .python-version, then: make clean"
    ),
    Check("variables", "stage", variables, SETUP),
    Check("secrets", "stage", _secrets, SETUP),
    Check("vendor secrets", "stage", vendor_secrets.secret_findings, SETUP),
    Check("tables", "stage", _tables, SETUP),
    Check("queues", "stage", _queues, SETUP),
    Check("resources", "stage", resources, SETUP),
    Check("switches", "stage", _switches, "python -m ops switch get"),
    Check("functions", "stage", functions, SETUP),
    Check("address", "stage", own_address, SETUP),
    Check("mapping", "stage", _mapping, SETUP),
    Check("lanes", "stage", lanes, "python -m ops unfinished"),
    Check("throttles", "stage", throttles, SETUP),
    Check("alarms", "stage", alarms, SETUP),
    Check("sweep", "stage", _sweep, "python -m ops reconcile"),
    Check("richpanel", "support", richpanel, "python -m ops explain <ticket id>"),
    Check("answers", "support", answers, SETUP),
    Check("signing", "outreach", _signing, "python -m ops company check <company>"),
    Check("senders", "outreach", _senders, "python -m ops company map"),
    Check("twilio", "outreach", twilio, "python -m ops setup --pastes"),
    Check("ses", "outreach", ses, "python -m ops setup --pastes"),
    Check("sender identities", "outreach", sender_identities, SETUP),
    Check("mail", "outreach", _mail, SETUP),
    Check(
        "events", "outreach", endpoint_events.endpoints, "python -m ops company events <company>"
    ),
    Check("report", "facts", report, "python -m ops facts create"),
    Check("onelake", "facts", onelake, "python -m ops facts create"),
    Check("facts", "facts", facts, "python -m ops facts pending"),
)
"""Every check, in order: first what others depend on, then each system's own."""
