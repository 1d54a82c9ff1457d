"""Chalice's record of a stage's deployment, shared between machines and completed from the account.

Chalice records what it deployed in a local file, at the end of a deployment.  The record is also
kept in the bucket of artifacts and read from there, so that another machine updates the same API.
An interrupted deployment leaves no record: Chalice would make a second API, and fail at queues that
already have a reader.  So this module finds what Chalice cannot find by name: the API by its
stage's tag, the event sources by their function.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import boto3
from chalice.config import DeployedResources
from chalice.deploy.planner import PlanStage

from ops.stage import address, artifacts

Record = dict[str, Any]
_EMPTY: Record = {"schema_version": "2.0", "backend": "api", "resources": []}


def plan_by_shared_record(stage: str, bucket: str, project: Path) -> Callable[[], None]:
    """Make Chalice plan by the shared record; return a function that stores the new record.

    Raises:
        SystemExit: the stage has an API that is neither recorded nor tagged as the stage's.
    """
    s3, gateway = boto3.client("s3"), boto3.client("apigateway")
    file = artifacts.record_file(project, stage)
    kept = artifacts.record(s3, bucket, stage)
    if kept is None and file.exists():
        kept = file.read_text()
    record = completed(json.loads(kept) if kept else _EMPTY, stage)
    there = address.ids(gateway, stage)
    if there and not any(resource.get("rest_api_id") in there for resource in record["resources"]):
        sys.exit(
            f"stage {stage} is deployed already, and neither {file} nor the bucket {bucket} has "
            "the record of it: a deployment would make a second API beside the first. Deploy from "
            "the machine that has the record, or copy its file here."
        )
    _use(record)
    return lambda: artifacts.keep_record(s3, bucket, stage, file.read_text())


def completed(record: Record, stage: str) -> Record:
    """The record completed by the API and event sources found in the account."""
    known = {resource["name"]: resource for resource in record["resources"]}
    for found in (*_apis(stage), *_event_sources(stage)):
        known.setdefault(found["name"], found)
    return {**record, "resources": [*known.values()]}


def _apis(stage: str) -> Iterator[Record]:
    gateway = boto3.client("apigateway")
    for page in gateway.get_paginator("get_rest_apis").paginate():
        for item in page["items"]:
            if item["name"] == address.API and item.get("tags", {}).get("stage") == stage:
                yield {"name": "rest_api", "resource_type": "rest_api", "rest_api_id": item["id"]}


def _event_sources(stage: str) -> Iterator[Record]:
    pages = boto3.client("lambda").get_paginator("list_event_source_mappings").paginate()
    for mapping in (mapping for page in pages for mapping in page["EventSourceMappings"]):
        function = mapping["FunctionArn"].rpartition(":")[2]
        if function.startswith(f"rp-mw-{stage}-"):
            yield {
                "name": f"{function.removeprefix(f'rp-mw-{stage}-')}-sqs-event-source",
                "resource_type": "sqs_event",
                "event_uuid": mapping["UUID"],
                "lambda_arn": mapping["FunctionArn"],
                "queue": mapping["EventSourceArn"].rpartition(":")[2],
                "queue_arn": mapping["EventSourceArn"],
            }


def _use(record: Record) -> None:
    """Make Chalice plan by this record; it has already read its file when it imports `app`."""
    plan = PlanStage.execute  # there is no hook for it
    deployed = DeployedResources(record)

    def planned(self: PlanStage, resources: Any) -> Any:  # noqa: ANN401 - as Chalice calls it
        self._remote_state._deployed_resources = deployed  # noqa: SLF001
        return plan(self, resources)

    setattr(PlanStage, plan.__name__, planned)
