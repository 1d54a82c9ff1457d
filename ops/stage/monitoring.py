"""Log groups, alarms, their topic and the dashboard of a provisioned stage, as a stack has them.

Making again what is there changes nothing but what the declaration changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ops.stage.template import Template

Client = Callable[[str], Any]

ALARM_TOPIC = "AlarmTopic"
"""Its logical id: who is told of alarms is told of nothing else, least of all of mail."""


def create(client: Client, template: Template, *, email: str = "") -> list[str]:
    """Make or update everything that watches a stage; returns what was made, by name.

    Args:
        client: gives a boto3 client by the service's name.
        template: of the stage.
        email: who is told of alarms; AWS asks them to confirm.  Empty: nobody yet.
    """
    return [
        *_log_groups(client("logs"), template),
        *_topics(client("sns"), template, email),
        *_alarms(client("cloudwatch"), template),
        *_dashboards(client("cloudwatch"), template),
    ]


def _log_groups(logs: Any, template: Template) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::Logs::LogGroup"):
        name = one.properties["LogGroupName"]
        with suppress(logs.exceptions.ResourceAlreadyExistsException):
            logs.create_log_group(logGroupName=name, tags=_pairs(one.properties))
        days = one.properties["RetentionInDays"]
        logs.put_retention_policy(logGroupName=name, retentionInDays=days)
        yield name


def _topics(sns: Any, template: Template, email: str) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::SNS::Topic"):
        name = one.properties["TopicName"]
        tags = one.properties.get("Tags", [])
        arn = sns.create_topic(Name=name, Tags=tags)["TopicArn"]
        if email and one.logical_id == ALARM_TOPIC:
            sns.subscribe(TopicArn=arn, Protocol="email", Endpoint=email)
        yield name


def _alarms(cloudwatch: Any, template: Template) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::CloudWatch::Alarm"):
        cloudwatch.put_metric_alarm(**one.properties)
        yield one.properties["AlarmName"]


def _dashboards(cloudwatch: Any, template: Template) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::CloudWatch::Dashboard"):
        cloudwatch.put_dashboard(**one.properties)
        yield one.properties["DashboardName"]


def _pairs(properties: Any) -> dict[str, str]:  # noqa: ANN401 - a resource's properties
    return {tag["Key"]: tag["Value"] for tag in properties.get("Tags", [])}
