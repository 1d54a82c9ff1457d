"""Sets up mail for a provisioned stage as a stack would: topic policies, what SES reports.

Settings of a function can only be made once `chalice deploy` has created the function, so
provisioning again after the first deployment completes them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

from ops.stage.template import StageTemplate

Client = Callable[[str], Any]

UNPUBLISHED = "$LATEST"
"""The function version that is invoked; SAM names it when it expands the template."""


def create(client: Client, template: StageTemplate) -> list[str]:
    """Create or update everything; returns the names of what was set up."""
    return [
        *_topic_policies(client("sns"), template),
        *_configuration_sets(client("sesv2"), template),
        *_event_destinations(client("sesv2"), template),
        *keep_failures(client("lambda"), template),
    ]


def keep_failures(functions: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    """Set where Lambda keeps events that a function failed on; a missing function is skipped."""
    for name, properties in template.functions():
        if "EventInvokeConfig" not in properties:
            continue
        declared = properties["EventInvokeConfig"]
        kept = declared["DestinationConfig"]["OnFailure"]["Destination"]
        with suppress(functions.exceptions.ResourceNotFoundException):
            functions.put_function_event_invoke_config(
                FunctionName=name,
                Qualifier=UNPUBLISHED,
                MaximumRetryAttempts=declared["MaximumRetryAttempts"],
                DestinationConfig={"OnFailure": {"Destination": kept}},
            )
            yield f"{name}: failures"


def _topic_policies(sns: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::SNS::TopicPolicy"):
        policy = json.dumps(one.properties["PolicyDocument"])
        for topic in one.properties["Topics"]:
            sns.set_topic_attributes(TopicArn=topic, AttributeName="Policy", AttributeValue=policy)
            yield f"{topic.rsplit(':', 1)[-1]}: policy"


def _configuration_sets(ses: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::SES::ConfigurationSet"):
        name = one.properties["Name"]
        with suppress(ses.exceptions.AlreadyExistsException):
            ses.create_configuration_set(ConfigurationSetName=name)
        yield name


def _event_destinations(ses: Any, template: StageTemplate) -> Iterator[str]:  # noqa: ANN401
    for one in template.resources("AWS::SES::ConfigurationSetEventDestination"):
        declared = one.properties["EventDestination"]
        which = {
            "ConfigurationSetName": one.properties["ConfigurationSetName"],
            "EventDestinationName": declared["Name"],
            "EventDestination": {
                "Enabled": declared["Enabled"],
                "MatchingEventTypes": [_upper(kind) for kind in declared["MatchingEventTypes"]],
                "SnsDestination": {"TopicArn": declared["SnsDestination"]["TopicARN"]},
            },
        }
        try:
            ses.create_configuration_set_event_destination(**which)
        except ses.exceptions.AlreadyExistsException:
            ses.update_configuration_set_event_destination(**which)
        yield f"{which['ConfigurationSetName']}: {declared['Name']}"


def _upper(kind: str) -> str:
    """An event type in SES v2's spelling: ``renderingFailure`` is ``RENDERING_FAILURE``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", kind).upper()
