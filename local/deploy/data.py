"""Makes a stage's access and data stack on the local engine, as `python -m ops provision` does."""

from __future__ import annotations

from local.stack import resources
from local.stack.engine import REGION, EngineError
from ops.session import OpsError
from ops.stage import access_stack, data_stack
from ops.stage.template import StageTemplate


def made(aws: resources.Aws, stage: str, known: resources.Secrets) -> resources.Stage:
    """Create or update a stage's access and data stack, switches that let it act, and its secrets.

    Raises:
        EngineError: CloudFormation failed.
    """
    template = StageTemplate.load(stage, account=aws.account, region=REGION)
    try:
        access_stack.make(aws, access_stack.declared(stage, aws.account, REGION))
        by = access_stack.deployer(stage, aws.account, REGION)
        data_stack.make(aws, template, by)
    except OpsError as error:
        raise EngineError(str(error)) from None
    tables = {
        resource.logical_id: resource.properties["TableName"]
        for resource in template.resources("AWS::DynamoDB::Table")
    }
    names = {
        resource.logical_id: resource.properties["QueueName"]
        for resource in template.resources("AWS::SQS::Queue")
    }
    urls = {k: aws.client("sqs").get_queue_url(QueueName=v)["QueueUrl"] for k, v in names.items()}
    return resources.completed(aws, template, known, tables, urls)
