"""Checks what a deployment made: its settings, functions and address, and what SES lets it send."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import requests
from botocore.exceptions import BotoCoreError, ClientError

from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import access_stack, address, config, runtime, stack

TIMEOUT_SECONDS = 30.0
"""API Gateway itself ends a request after 29 seconds; a new function's first takes some of them."""
NEEDED: Mapping[str, tuple[str, ...]] = {
    "facts": ("POWERBI_TENANT_ID", "POWERBI_CLIENT_ID", "POWERBI_WORKSPACE_ID"),
}
"""Variables that a system cannot work without, of those that have no default."""
_OF_THE_DEPLOYMENT = frozenset({"RELEASE"})
"""Variables that the deployment sets itself."""


def variables(session: Session) -> Iterator[Finding]:
    """Variables that the systems of the stage need and `.chalice/config.json` does not have."""
    given = config.configured(session.stage)
    if "SYSTEMS" not in given:
        yield Finding("variables", "ok", "SYSTEMS is not set: every system")
        return
    needed = [name for one in sorted(session.services.settings.systems) for name in needs(one)]
    if session.services.settings.facts_report == "archive":
        needed = [name for name in needed if not name.startswith("POWERBI_")]
    problems = [f"missing: {name}" for name in needed if not given.get(name)]
    yield finding("variables", problems, good=f"SYSTEMS={given['SYSTEMS']}")


def needs(system: str) -> tuple[str, ...]:
    """The variables that a system cannot work without."""
    return NEEDED.get(system, ())


def access(session: Session) -> Iterator[Finding]:
    """The stack of the policies, and of what deploys."""
    name = stack.access_stack(session.stage)
    is_declared = access_stack.is_as_declared(session, access_stack.of(session))
    problems = [] if is_declared else [f"{name} is not as this version declares it"]
    yield finding("access", problems, good=name)


def functions(session: Session) -> Iterator[Finding]:
    """Every declared function, with the variables that `.chalice/config.json` gives the stage."""
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
        differ = [one for one in wanted if values.get(one) != wanted[one]]
        if differ:
            problems.append(f"{name} has other values than configured: {', '.join(differ)}")
        if found["Runtime"] != runtime.name():
            problems.append(f"{name} runs on {found['Runtime']}, and {runtime.name()} is pinned")
    release = next((_variables(one).get("RELEASE", "") for one in there.values() if one), "")
    yield finding("functions", problems, good=f"{len(names)} deployed; release {release}")


def own_address(session: Session) -> Iterator[Finding]:
    """Whether `PUBLIC_BASE_URL` leads to this stage, and to its only API."""
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
    stage = _stage_at(base)
    if stage == session.stage:
        yield Finding(check, "ok", base)
    else:
        yield Finding(check, "fail", f"{base}/health does not belong to stage {session.stage}")


def ses(session: Session) -> Iterator[Finding]:
    """Whether SES lets the account send, and knows the identities that the stage may send as."""
    given = config.configured(session.stage).get("SENDER_IDENTITIES", "")
    arns = [one.strip() for one in given.split(",") if one.strip()]
    if not arns:
        detail = "SENDER_IDENTITIES is not set: no e-mail is sent"
        yield Finding("ses", "ok", detail)
        return
    client = session.client("sesv2")
    try:
        is_open = bool(client.get_account().get("ProductionAccessEnabled"))
    except (ClientError, BotoCoreError) as error:
        yield Finding("ses", "warn", f"SES cannot be asked: {type(error).__name__}")
        return
    sandbox = "the account is in SES's sandbox: only verified addresses get e-mail"
    yield Finding("ses account", "ok" if is_open else "warn", "" if is_open else sandbox)
    names = [arn.rpartition("identity/")[2] for arn in arns]
    problems = [f"{name} is not verified" for name in names if not _is_verified(client, name)]
    yield finding("ses identities", problems, good=f"{len(names)} verified")


def _configuration(client: Any, name: str) -> dict[str, Any] | None:  # noqa: ANN401 - a boto3 client
    """A function's configuration; None where it is not deployed."""
    try:
        found: dict[str, Any] = client.get_function_configuration(FunctionName=name)
    except client.exceptions.ResourceNotFoundException:
        return None
    return found


def _variables(found: Mapping[str, Any]) -> dict[str, str]:
    made: dict[str, str] = found.get("Environment", {}).get("Variables", {})
    return made


def _stage_at(base: str) -> str:
    """The stage whose health an address shows; empty where it does not answer."""
    try:
        answer = requests.get(f"{base}/health", timeout=TIMEOUT_SECONDS, allow_redirects=False)
        return str(answer.json().get("stage", ""))
    except (requests.RequestException, ValueError, AttributeError):
        return ""


def _is_verified(client: Any, identity: str) -> bool:  # noqa: ANN401 - a boto3 client
    try:
        found = client.get_email_identity(EmailIdentity=identity)
    except ClientError:
        return False
    return bool(found.get("VerifiedForSendingStatus"))
