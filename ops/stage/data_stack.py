"""A stage's data stack: made, updated, and made once more over what a deleted one has left.

Tables and buckets that are left are taken back by their names.  A queue's name is none that
CloudFormation could find it by, so queues are imported by their addresses before the rest is made:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/resource-import-new-stack.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from ops.stage import stack, stack_states
from ops.stage.provision import Clients, Made
from ops.stage.stack import Deployer
from ops.stage.template import StageTemplate, parameters

QUEUE = "AWS::SQS::Queue"


def make(clients: Clients, template: StageTemplate, by: Deployer) -> Made:
    """Create or update the stack of a stage; may be interrupted and repeated at every point.

    Raises:
        OpsError: CloudFormation failed; names the first reasons.
    """
    name = stack.data_stack(template.stage)
    if stack_states.ready(clients.client("cloudformation"), name) == "CREATE":
        _take_queues_back(clients, name, template, by)
    did = stack.apply(clients, name, template.to_deploy(), parameters(template.stage), by=by)
    return Made("Data", name, did)


def _take_queues_back(clients: Clients, name: str, template: StageTemplate, by: Deployer) -> None:
    left = dict(_left(clients.client("sqs"), template))
    if not left:
        return
    declared = template.to_deploy()["Resources"]
    resources = {
        one.logical_id: {**declared[one.logical_id], "Properties": one.properties}
        for one in template.resources(QUEUE)
        if one.logical_id in left
    }
    client, change = clients.client("cloudformation"), f"import-{time.time_ns()}"
    client.create_change_set(
        StackName=name,
        ChangeSetName=change,
        ChangeSetType="IMPORT",
        TemplateBody=json.dumps({"Resources": resources}),
        RoleARN=by.role_arn,
        ResourcesToImport=[
            {
                "ResourceType": QUEUE,
                "LogicalResourceId": logical_id,
                "ResourceIdentifier": {"QueueUrl": url},
            }
            for logical_id, url in left.items()
        ],
    )
    stack.carried_out(client, name, change, "IMPORT")


def _left(sqs: Any, template: StageTemplate) -> Iterator[tuple[str, str]]:  # noqa: ANN401 - a boto3 client
    """The declared queues that are there, by logical id: each one's address."""
    for one in template.resources(QUEUE):
        try:
            url = sqs.get_queue_url(QueueName=one.properties["QueueName"])["QueueUrl"]
        except sqs.exceptions.QueueDoesNotExist:
            continue
        yield one.logical_id, url
