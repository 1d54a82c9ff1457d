"""Brings a CloudFormation stack from any status to one that accepts a change set.

CloudFormation refuses to update a stack whose first create failed, and to create one that exists.
`make_ready` says whether the change set must create or update.  A stack that was ever complete is
deleted only if a person had begun its deletion.  Source of the statuses and what each allows:
https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/view-stack-events.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from enum import StrEnum
from typing import Any, Literal

from botocore.exceptions import ClientError, WaiterError

from ops.session import OpsError

Kind = Literal["CREATE", "UPDATE"]
ABSENT = ""
"""The status of a stack that does not exist."""
DELAY_SECONDS = 5
MOST_LOOKS = 720
"""The most polls, an hour's: building an index takes as long as reading its table."""


class Need(StrEnum):
    """What must happen to a stack in some status."""

    CREATE = "a change set that creates"
    UPDATE = "a change set that updates"
    WAIT = "an operation runs: wait for its end"
    ROLL_BACK = "a failed operation was left as it was: roll it back"
    CONTINUE = "the roll-back failed: continue it"
    DELETE = "a create has failed: delete what is left"
    LEAVE = "a deletion has failed: delete the stack, and leave what does not go"
    PERSON = "an import that a person has begun: a person ends it"


CREATED, UPDATED, ROLLED_BACK, DELETED, IMPORTED = (
    "stack_create_complete",
    "stack_update_complete",
    "stack_rollback_complete",
    "stack_delete_complete",
    "stack_import_complete",
)
NEEDS: Mapping[str, tuple[Need, str]] = {
    ABSENT: (Need.CREATE, ""),
    "REVIEW_IN_PROGRESS": (Need.CREATE, ""),  # a change set was made and never executed
    "DELETE_COMPLETE": (Need.CREATE, ""),
    "CREATE_COMPLETE": (Need.UPDATE, ""),
    "UPDATE_COMPLETE": (Need.UPDATE, ""),
    "UPDATE_ROLLBACK_COMPLETE": (Need.UPDATE, ""),
    "IMPORT_COMPLETE": (Need.UPDATE, ""),
    "IMPORT_ROLLBACK_COMPLETE": (Need.UPDATE, ""),
    "CREATE_IN_PROGRESS": (Need.WAIT, CREATED),
    "ROLLBACK_IN_PROGRESS": (Need.WAIT, CREATED),
    "UPDATE_IN_PROGRESS": (Need.WAIT, UPDATED),
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS": (Need.WAIT, UPDATED),
    "UPDATE_ROLLBACK_IN_PROGRESS": (Need.WAIT, ROLLED_BACK),
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS": (Need.WAIT, ROLLED_BACK),
    "DELETE_IN_PROGRESS": (Need.WAIT, DELETED),
    "IMPORT_IN_PROGRESS": (Need.WAIT, IMPORTED),
    "CREATE_FAILED": (Need.ROLL_BACK, CREATED),
    "UPDATE_FAILED": (Need.ROLL_BACK, ROLLED_BACK),
    "UPDATE_ROLLBACK_FAILED": (Need.CONTINUE, ROLLED_BACK),
    "ROLLBACK_COMPLETE": (Need.DELETE, DELETED),
    "ROLLBACK_FAILED": (Need.DELETE, DELETED),
    "DELETE_FAILED": (Need.LEAVE, DELETED),
    "IMPORT_ROLLBACK_IN_PROGRESS": (Need.PERSON, ""),  # boto3 has no waiter for its end
    "IMPORT_ROLLBACK_FAILED": (Need.PERSON, ""),
}
"""What each status needs, and the boto3 waiter that ends with that operation, even with a failure."""

_KINDS: Mapping[Need, Kind] = {Need.CREATE: "CREATE", Need.UPDATE: "UPDATE"}
_CALLS: Mapping[Need, Callable[[Any, str], object]] = {
    Need.WAIT: lambda _client, _name: None,
    Need.ROLL_BACK: lambda client, name: client.rollback_stack(
        StackName=name, RetainExceptOnCreate=True
    ),
    Need.CONTINUE: lambda client, name: client.continue_update_rollback(StackName=name),
    Need.DELETE: lambda client, name: client.delete_stack(StackName=name),
    Need.LEAVE: lambda client, name: client.delete_stack(
        StackName=name, RetainResources=_stuck(client, name)
    ),
}


def make_ready(client: Any, name: str) -> Kind:  # noqa: ANN401 - a boto3 client
    """Bring a stack to a status that accepts a change set; return that change set's type.

    Waits for operations of another run.  May be interrupted at any point and repeated.

    Raises:
        OpsError: the stack stays in a status, or a person must act; names the reasons.
    """
    seen: set[str] = set()
    while True:
        now = status(client, name)
        need, waiter = NEEDS[now]
        if need in _KINDS:
            return _KINDS[need]
        if now in seen or need not in _CALLS:
            raise OpsError(f"stack {name} is {now}: {need}; {why(client, name)}")
        seen.add(now)
        _CALLS[need](client, name)
        with suppress(WaiterError):  # the new status says how the operation ended
            wait(client, waiter, name)


def _stuck(client: Any, name: str) -> list[str]:  # noqa: ANN401 - a boto3 client
    """The logical ids of resources that a stack's deletion could not delete."""
    found = client.describe_stack_resources(StackName=name)["StackResources"]
    return [
        event["LogicalResourceId"] for event in found if event["ResourceStatus"] == "DELETE_FAILED"
    ]


def status(client: Any, name: str) -> str:  # noqa: ANN401 - a boto3 client
    """A stack's status; `ABSENT` if there is no stack.

    Raises:
        ClientError: CloudFormation cannot be queried, or refuses.
    """
    try:
        found: str = client.describe_stacks(StackName=name)["Stacks"][0]["StackStatus"]
    except ClientError as error:
        if error.response["Error"]["Code"] != "ValidationError":  # it means: does not exist
            raise
        return ABSENT
    return found


def wait(client: Any, waiter: str, name: str, **more: str) -> None:  # noqa: ANN401 - a boto3 client
    """Wait by one of boto3's waiters, for an hour at most.

    Raises:
        WaiterError: the operation failed, or has not ended in an hour.
    """
    is_here = client.meta.endpoint_url.startswith("http://127.")  # a local engine is done at once
    config = {"Delay": 0.1 if is_here else DELAY_SECONDS, "MaxAttempts": MOST_LOOKS}
    client.get_waiter(waiter).wait(StackName=name, WaiterConfig=config, **more)


def why(client: Any, name: str) -> str:  # noqa: ANN401 - a boto3 client
    """The first five resources that failed or were refused by validation, with the reasons."""
    refused = client.describe_events(StackName=name, Filters={"FailedEvents": True})
    failed = client.describe_stack_events(StackName=name)["StackEvents"]
    found = [
        *(
            (event["LogicalResourceId"], event["ValidationStatusReason"])
            for event in refused["OperationEvents"]
            if "ValidationStatusReason" in event
        ),
        *(
            (event["LogicalResourceId"], event["ResourceStatusReason"])
            for event in failed
            if "FAILED" in event["ResourceStatus"] and event.get("ResourceStatusReason")
        ),
    ]
    return "; ".join(f"{resource}: {reason}" for resource, reason in found[:5])
