"""Checks a deployment: its settings, access stack, functions and address."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from typing import Any

import requests
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.settings import Settings
from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import access_stack, address, config, runtime, stack

TIMEOUT_SECONDS = 30.0
"""API Gateway ends a request after 29 seconds, and a new function's first request is slow."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    "powerbi": ("POWERBI_TENANT_ID", "POWERBI_CLIENT_ID", "POWERBI_WORKSPACE_ID"),
    "onelake": (
        "FABRIC_TENANT_ID",
        "FABRIC_CLIENT_ID",
        "FABRIC_WORKSPACE_ID",
        "FABRIC_DATABASE_ID",
    ),
}
"""The variables without a default that each kind of report needs."""
_OF_THE_DEPLOYMENT = frozenset({"RELEASE"})
"""Variables that the deployment sets itself."""


def variables(session: Session) -> Iterator[Finding]:
    """Check the stage's variables in `.chalice/config.json`: none missing, and not too long together."""
    given = config.configured(session.stage)
    used, most = config.environment_bytes(given), config.MOST_ENVIRONMENT_BYTES
    if used > most:
        longest = max(given, key=lambda name: len(given[name]))
        detail = f"{used} bytes, and a function has at most {most}: {longest} is the longest"
        yield Finding("variables", "fail", detail)
        return
    if "SYSTEMS" not in given:
        yield Finding("variables", "ok", "SYSTEMS is not set: every system")
        return
    problems = [f"missing: {name}" for name in missing_variables(session.services.settings, given)]
    yield finding("variables", problems, good=f"SYSTEMS={given['SYSTEMS']}")


def missing_variables(settings: Settings, given: Mapping[str, str]) -> list[str]:
    """The names of needed variables that are not given."""
    reports = sorted(settings.facts_report) if "facts" in settings.systems else []
    needed = [name for report in reports for name in NEEDED.get(report, ())]
    return [name for name in needed if not given.get(name)]


def unset_variables(settings: Settings, report: str) -> str:
    """A message with the variables that a kind of report lacks; a token URL replaces the tenant."""
    either = {name: name.replace("TENANT_ID", "TOKEN_URL") for name in NEEDED[report]}
    missing = ", ".join(
        name
        for name, other in either.items()
        if not any(getattr(settings, variable.lower()) for variable in (name, other))
    )
    return f"not set: {missing}" if missing else ""


def access(session: Session) -> Iterator[Finding]:
    """Check that the access stack, with the roles' policies, is as this version declares it."""
    name = stack.access_stack(session.stage)
    is_declared = access_stack.is_as_declared(session, access_stack.of(session))
    problems = [] if is_declared else [f"{name} is not as this version declares it"]
    yield finding("access", problems, good=name)


def functions(session: Session) -> Iterator[Finding]:
    """Check every declared function: deployed, with the configured variables and the pinned Python."""
    client = session.client("lambda")
    wanted = {
        name: value
        for name, value in config.configured(session.stage).items()
        if name not in _OF_THE_DEPLOYMENT
    }
    names = [name for name, _ in session.template.functions()]
    there = {name: _configuration(client, name) for name in names}
    missing = [name for name, found in there.items() if found is None]
    if len(missing) == len(names):
        yield Finding("functions", "warn", "no function is deployed")
        return
    problems = [f"not deployed: {name}" for name in missing]
    for name, found in there.items():
        if found is None:
            continue
        values = _variables(found)
        differ = [variable for variable in wanted if values.get(variable) != wanted[variable]]
        if differ:
            problems.append(f"{name} has other values than configured: {', '.join(differ)}")
        if found["Runtime"] != runtime.name():
            problems.append(f"{name} runs on {found['Runtime']}, and {runtime.name()} is pinned")
    release = next(
        (_variables(function).get("RELEASE", "") for function in there.values() if function), ""
    )
    yield finding("functions", problems, good=f"{len(names)} deployed; release {release}")


def own_address(session: Session) -> Iterator[Finding]:
    """Check that `PUBLIC_BASE_URL` belongs to this stage and that the stage has one API."""
    check = "address"
    base = session.services.settings.public_base_url
    try:
        found = address.ids(session.client("apigateway"), session.stage)
    except (ClientError, BotoCoreError) as error:
        yield Finding(check, "warn", f"API Gateway cannot be queried: {type(error).__name__}")
        return
    if len(found) > 1:
        detail = (
            f"{len(found)} APIs have the stage ({', '.join(found)}): delete those that "
            "PUBLIC_BASE_URL does not name"
        )
        yield Finding(check, "fail", detail)
        return
    if base.endswith(address.UNSET_HOST):
        detail = "PUBLIC_BASE_URL is not set: signatures and links are made over it"
        yield Finding(check, "fail" if found else "warn", detail)
        return
    stage, said = _stage_at(base)
    if stage == session.stage:
        yield Finding(check, "ok", base)
    elif not stage:
        yield Finding(check, "fail", f"{base}/health names no stage: {said}")
    else:
        yield Finding(check, "fail", f"{base}/health does not belong to stage {session.stage}")


def _configuration(client: Any, name: str) -> dict[str, Any] | None:  # noqa: ANN401 - a boto3 client
    """A function's configuration; None if it is not deployed."""
    try:
        found: dict[str, Any] = client.get_function_configuration(FunctionName=name)
    except client.exceptions.ResourceNotFoundException:
        return None
    return found


def _variables(found: Mapping[str, Any]) -> dict[str, str]:
    made: dict[str, str] = found.get("Environment", {}).get("Variables", {})
    return made


def _stage_at(base: str) -> tuple[str, str]:
    """The stage named by an address's ``/health`` (empty if none), and the answer in words."""
    began = time.monotonic()
    try:
        answer = requests.get(f"{base}/health", timeout=TIMEOUT_SECONDS, allow_redirects=False)
    except requests.RequestException as error:
        return "", f"{type(error).__name__} after {time.monotonic() - began:.1f} s"
    said = f"HTTP {answer.status_code} after {time.monotonic() - began:.1f} s"
    try:
        return str(answer.json().get("stage", "")), said
    except (ValueError, AttributeError):
        return "", said
