"""Creates log groups, alarms, topics and the dashboard of a provisioned stage, as a stack would.

A repeated run changes only what the declaration changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ops.stage.template import StageTemplate

Client = Callable[[str], Any]

COMPOSITE = "AWS::CloudWatch::CompositeAlarm"
ALARM_TOPIC = "AlarmTopic"
"""The alarm topic's logical id; its subscribers are notified of alarms only, never of mail."""


def create(client: Client, template: StageTemplate, *, email: str = "") -> list[str]:
    """Create or update everything that monitors a stage; returns the names.

    Args:
        client: returns a boto3 client by the service's name.
        template: of the stage.
        email: the address to notify of alarms; AWS asks its owner to confirm.  Empty adds none.
    """
    return [
        *_log_groups(client("logs"), template),
        *_topics(client("sns"), template, email),
        *_alarms(client("cloudwatch"), template),
        *composites(client("cloudwatch"), template),
        *_dashboards(client("cloudwatch"), template),
    ]


def _log_groups(logs: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::Logs::LogGroup"):
        name = one.properties["LogGroupName"]
        with suppress(logs.exceptions.ResourceAlreadyExistsException):
            logs.create_log_group(logGroupName=name, tags=_pairs(one.properties))
        days = one.properties["RetentionInDays"]
        logs.put_retention_policy(logGroupName=name, retentionInDays=days)
        yield name


def _topics(sns: Any, template: StageTemplate, email: str) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::SNS::Topic"):
        name = one.properties["TopicName"]
        tags = one.properties.get("Tags", [])
        arn = sns.create_topic(Name=name, Tags=tags)["TopicArn"]
        if email and one.logical_id == ALARM_TOPIC:
            sns.subscribe(TopicArn=arn, Protocol="email", Endpoint=email)
        yield name


def _alarms(cloudwatch: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::CloudWatch::Alarm"):
        cloudwatch.put_metric_alarm(**one.properties)
        yield one.properties["AlarmName"]
    off = [one.properties["AlarmName"] for one in template.left_out("AWS::CloudWatch::Alarm")]
    if off:  # a system that is no longer wanted pages no one
        cloudwatch.delete_alarms(AlarmNames=off)


def composites(cloudwatch: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    """Create or update the alarms that watch other alarms, which must exist; yields the names."""
    for one in template.resources(COMPOSITE):
        cloudwatch.put_composite_alarm(**one.properties)
        yield one.properties["AlarmName"]


def _dashboards(cloudwatch: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::CloudWatch::Dashboard"):
        cloudwatch.put_dashboard(**one.properties)
        yield one.properties["DashboardName"]


def _pairs(properties: Any) -> dict[str, str]:  # noqa: ANN401 - a resource's properties
    return {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
