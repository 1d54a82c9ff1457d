"""The acceptance's faults: a killed worker, a vendor's outage, a failing update."""

from __future__ import annotations

from typing import Any

from local import aligned
from local.acceptance.beginning import KILLED
from local.acceptance.stage_day import HAPPENS_SECONDS, AcceptanceError, StageDay
from local.deploy.deployment import wait_for
from ops.session import OpsError
from ops.stage import access_stack, stack, stack_states

REDELIVERED_AFTER_SECONDS = 10


def kill(day: StageDay) -> str:
    """Kill a worker after Richpanel's effect and before its record; the next worker must finish the event."""
    functions, sqs = day.account.client("lambda"), day.account.client("sqs")
    name = day.function("-worker")
    (mapping,) = functions.list_event_source_mappings(FunctionName=name)["EventSourceMappings"]
    url = sqs.get_queue_url(QueueName=mapping["EventSourceArn"].rpartition(":")[2])["QueueUrl"]
    kept = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=["VisibilityTimeout"])
    brief = {"VisibilityTimeout": str(REDELIVERED_AFTER_SECONDS)}
    sqs.set_queue_attributes(QueueUrl=url, Attributes=brief)
    handler = functions.get_function_configuration(FunctionName=name)["Handler"]
    _handle_by(functions, name, f"{KILLED.stem}.worker")
    day.customer_writes("1044")
    wait_for(lambda: day.vendors.changes("1044"), "Richpanel to act", HAPPENS_SECONDS)
    _handle_by(functions, name, handler)
    held = _row(day, "1044")["status"]
    day.account.client("dynamodb").update_item(
        TableName=day.ledger,
        Key={"event_id": {"S": _event("1044")}},
        UpdateExpression="SET lease_until = :past",  # as if the lease had run out
        ExpressionAttributeValues={":past": {"N": "1"}},
    )
    wait_for(lambda: _row(day, "1044")["status"] == "processed", "its successor", HAPPENS_SECONDS)
    sqs.set_queue_attributes(QueueUrl=url, Attributes=kept["Attributes"])
    return f"the event was {held}, and its successor ended it; attempts {_row(day, '1044')['attempts']}"


def outage(day: StageDay) -> str:
    """Let Richpanel fail once; the ticket must be processed all the same."""
    day.vendors.fault("richpanel", kind="status", operation="add_tags", status=503, times=1)
    day.customer_writes("1045")
    day.processed("1045")
    return "the ticket was done after it"


def roll_back(day: StageDay) -> str:
    """Make an update of the functions fail; CloudFormation must roll it back."""
    client, name = day.account.client("cloudformation"), stack.functions_stack(day.stage)
    found = client.get_template(StackName=name, TemplateStage="Original")["TemplateBody"]
    broken = {
        "Type": "AWS::Lambda::Url",
        "Properties": {"TargetFunctionArn": day.function("-absent"), "AuthType": "AWS_IAM"},
    }
    template = {**found, "Resources": {**found["Resources"], "Broken": broken}}
    by = access_stack.deployer(day.stage, day.account.number, day.account.region)
    try:
        stack.apply(day.account, name, template, {"Stage": day.stage}, by=by)
    except OpsError as error:
        now = stack_states.status(client, name)
        if now != "UPDATE_ROLLBACK_COMPLETE":
            raise AcceptanceError(str(error)) from None
    else:
        raise AcceptanceError("an update that cannot work was carried out")
    day.health()
    day.customer_writes("1046")
    day.processed("1046")
    day.ops("setup", "--yes", "--file", day.folder / "answers.toml", "--json")
    return f"{now}; the stage went on, and the next setup found it in order"


def _event(ticket_id: str) -> str:
    return f"evt:rp:{ticket_id}:c-{ticket_id}"


def _row(day: StageDay, ticket_id: str) -> dict[str, Any]:
    rows = aligned.rows(day.account, day.ledger)
    return next((row for row in rows if row["event_id"] == _event(ticket_id)), {"status": ""})


def _handle_by(functions: Any, name: str, handler: str) -> None:  # noqa: ANN401 - a boto3 client
    functions.update_function_configuration(FunctionName=name, Handler=handler)
    functions.get_waiter("function_updated_v2").wait(FunctionName=name)
