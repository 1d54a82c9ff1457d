"""Checks deployed queues, buckets, routes' throttles and e-mail senders against their declaration."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from ops.companies import identities, senders
from ops.inspect.finding import Finding, finding
from ops.session import Session
from ops.stage import lost
from ops.stage.address import API
from ops.stage.lost import BUCKET, QUEUE

_LIMITS = {
    "ThrottlingRateLimit": "throttlingRateLimit",
    "ThrottlingBurstLimit": "throttlingBurstLimit",
}


def resources(session: Session) -> Iterator[Finding]:
    """Check that every declared queue and bucket exists: a person may have deleted one."""
    has_bucket = not session.services.settings.facts_folder  # a local stage keeps facts in a folder
    kinds = (QUEUE, BUCKET) if has_bucket else (QUEUE,)
    gone = [lost.name(resource) for resource in lost.absent(session, session.template, kinds)]
    problems = [f"not there: {', '.join(gone)}"] if gone else []
    yield finding("resources", problems, good="every queue and bucket is there")


def throttles(session: Session) -> Iterator[Finding]:
    """Compare each route's throttle with the declared one; needs a deployed API."""
    gateway = session.client("apigateway")
    (declared,) = session.template.resources("AWS::Serverless::Api")
    wanted = {
        _route(f"{setting['ResourcePath']}/{setting['HttpMethod']}"): tuple(
            setting[name] for name in _LIMITS
        )
        for setting in declared.properties["MethodSettings"]
    }
    try:
        found = list(_settings(gateway, session.stage))
    except (ClientError, BotoCoreError) as error:
        yield _not_asked("throttles", "API Gateway", error)
        return
    if not found:
        yield Finding(
            "throttles", "warn", f"no API {API} has the stage: the routes are not deployed"
        )
    for settings in found:
        problems = [
            f"{route} {_shown(settings.get(route))}, declared {_shown(limits)}"
            for route, limits in wanted.items()
            if settings.get(route) != limits
        ]
        yield finding("throttles", problems, good=f"{len(wanted)} routes")


def sender_identities(session: Session) -> Iterator[Finding]:
    """Compare every company's e-mail senders with what the worker's role may send as."""
    check = "sender identities"
    try:
        allowed = identities.allowed(session)
    except (ClientError, BotoCoreError) as error:
        yield _not_asked(check, "the worker's role", error)
        return
    if allowed is None:
        yield Finding(check, "warn", "the worker is not deployed")
        return
    problems = [
        f"{' '.join(project.ids)}: {problem}"
        for project in senders.projects(session)
        for problem in identities.uncovered(project, allowed)
    ]
    yield finding(check, problems, good=f"{len(allowed)} named")


def _settings(gateway: Any, stage: str) -> Iterator[dict[str, tuple[float, ...]]]:  # noqa: ANN401
    """The throttles by route of each deployed API that has the stage."""
    for page in gateway.get_paginator("get_rest_apis").paginate():
        for api in page["items"]:
            if api["name"] != API:
                continue
            for deployed in gateway.get_stages(restApiId=api["id"])["item"]:
                if deployed["stageName"] == stage:
                    yield {
                        _route(path): tuple(limits.get(name, 0) for name in _LIMITS.values())
                        for path, limits in deployed.get("methodSettings", {}).items()
                    }


def _route(path: str) -> str:
    """Path and method without API Gateway's escapes, with one leading slash."""
    return "/" + path.replace("~1", "/").lstrip("/")


def _shown(limits: tuple[float, ...] | None) -> str:
    return f"{limits[0]:g} a second and {limits[1]:g} at once" if limits else "has none"


def _not_asked(check: str, what: str, error: ClientError | BotoCoreError) -> Finding:
    code = type(error).__name__
    if isinstance(error, ClientError):
        code = error.response.get("Error", {}).get("Code", "unknown")
    return Finding(check, "warn", f"{what} cannot be queried: {code}")
