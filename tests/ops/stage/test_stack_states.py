"""Every status of a stack leads to one that takes a change set, or to a person."""

import boto3
import pytest
from botocore.stub import Stubber

from ops.session import OpsError
from ops.stage import stack_states
from ops.stage.stack_states import NEEDS, Need

NAME = "rp-mw-dev-data"
ROLL_BACK = ("rollback_stack", {"RetainExceptOnCreate": True})
CONTINUE = ("continue_update_rollback", {})
DELETE = ("delete_stack", {})
LEAVE = ("delete_stack", {"RetainResources": ["FactsArchive"]})
WAY: dict[str, list] = {
    "": ["CREATE"],
    "REVIEW_IN_PROGRESS": ["CREATE"],
    "DELETE_COMPLETE": ["CREATE"],
    "CREATE_COMPLETE": ["UPDATE"],
    "UPDATE_COMPLETE": ["UPDATE"],
    "UPDATE_ROLLBACK_COMPLETE": ["UPDATE"],
    "IMPORT_COMPLETE": ["UPDATE"],
    "IMPORT_ROLLBACK_COMPLETE": ["UPDATE"],
    "CREATE_IN_PROGRESS": ["CREATE_COMPLETE"],
    "ROLLBACK_IN_PROGRESS": ["ROLLBACK_COMPLETE"],
    "UPDATE_IN_PROGRESS": ["UPDATE_COMPLETE"],
    "UPDATE_COMPLETE_CLEANUP_IN_PROGRESS": ["UPDATE_COMPLETE"],
    "UPDATE_ROLLBACK_IN_PROGRESS": ["UPDATE_ROLLBACK_COMPLETE"],
    "UPDATE_ROLLBACK_COMPLETE_CLEANUP_IN_PROGRESS": ["UPDATE_ROLLBACK_COMPLETE"],
    "DELETE_IN_PROGRESS": [""],
    "IMPORT_IN_PROGRESS": ["IMPORT_COMPLETE"],
    "CREATE_FAILED": [ROLL_BACK, "ROLLBACK_COMPLETE"],
    "UPDATE_FAILED": [ROLL_BACK, "UPDATE_ROLLBACK_COMPLETE"],
    "UPDATE_ROLLBACK_FAILED": [CONTINUE, "UPDATE_ROLLBACK_COMPLETE"],
    "ROLLBACK_COMPLETE": [DELETE, ""],
    "ROLLBACK_FAILED": [DELETE, ""],
    "DELETE_FAILED": [LEAVE, ""],
    "IMPORT_ROLLBACK_IN_PROGRESS": ["PERSON"],
    "IMPORT_ROLLBACK_FAILED": ["PERSON"],
}
"""What is called in each status, and the status that it ends in."""
ENDS = ("CREATE", "UPDATE", "PERSON")


@pytest.fixture
def client():
    return boto3.client(
        "cloudformation",
        region_name="us-east-1",
        endpoint_url="http://127.0.0.1:9",
        aws_access_key_id="none",
        aws_secret_access_key="none",
    )


@pytest.fixture
def stub(client):
    with Stubber(client) as made:
        yield made
        made.assert_no_pending_responses()


def answer(stub, status, times=1):
    for _ in range(times):
        if not status:
            stub.add_client_error("describe_stacks", "ValidationError", http_status_code=400)
            continue
        stack = {"StackName": NAME, "CreationTime": "2026-11-28", "StackStatus": status}
        stub.add_response("describe_stacks", {"Stacks": [stack]}, {"StackName": NAME})


def say_what_is_stuck(stub):
    found = [
        {
            "LogicalResourceId": name,
            "ResourceType": "AWS::S3::Bucket",
            "ResourceStatus": status,
            "Timestamp": "2026-11-28",
        }
        for name, status in (("FactsArchive", "DELETE_FAILED"), ("Other", "DELETE_COMPLETE"))
    ]
    stub.add_response("describe_stack_resources", {"StackResources": found}, {"StackName": NAME})


def say_why(stub):
    event = {
        "StackId": "arn:aws:cloudformation:us-east-1:000000000000:stack/one",
        "EventId": "1",
        "StackName": NAME,
        "Timestamp": "2026-11-28",
        "LogicalResourceId": "FactsArchive",
        "ResourceStatus": "DELETE_FAILED",
        "ResourceStatusReason": "The bucket is not empty",
    }
    asked = {"StackName": NAME, "Filters": {"FailedEvents": True}}
    stub.add_response("describe_events", {"OperationEvents": []}, asked)
    stub.add_response("describe_stack_events", {"StackEvents": [event]}, {"StackName": NAME})


def test_the_table_has_every_status_that_cloudformation_has(client):
    shape = client.meta.service_model.shape_for("StackStatus")
    assert NEEDS.keys() == {*shape.enum, stack_states.ABSENT} == WAY.keys()


@pytest.mark.parametrize("begin", WAY)
def test_each_status_is_led_to_a_change_set_or_to_a_person(client, stub, begin):
    now, kind = begin, ""
    while not kind:
        answer(stub, now)
        *calls, ends = WAY[now]
        if ends in ENDS:
            kind = ends
            break
        for name, more in calls:
            if "RetainResources" in more:
                say_what_is_stuck(stub)
            stub.add_response(name, {}, {"StackName": NAME, **more})
        answer(stub, now, times=0 if calls else 1)  # what runs is looked at until it has ended
        answer(stub, ends)
        now = ends
    if kind == "PERSON":
        say_why(stub)
        with pytest.raises(OpsError, match=f"is {begin}: an import .*not empty"):
            stack_states.make_ready(client, NAME)
    else:
        assert stack_states.make_ready(client, NAME) == kind


@pytest.mark.parametrize(
    "begin",
    [
        state
        for state, (need, _) in NEEDS.items()
        if need in (Need.DELETE, Need.LEAVE, Need.CONTINUE)
    ],
)
def test_a_status_that_is_not_left_names_its_reasons_and_is_tried_once(client, stub, begin):
    """`DELETE_FAILED` again after a deletion, `UPDATE_ROLLBACK_FAILED` after a continued roll-back."""
    need, _ = NEEDS[begin]
    call = {Need.DELETE: DELETE, Need.LEAVE: LEAVE, Need.CONTINUE: CONTINUE}[need]
    failed = begin if begin.startswith("UPDATE") else "DELETE_FAILED"
    answer(stub, begin)
    if call is LEAVE:
        say_what_is_stuck(stub)
    stub.add_response(call[0], {}, {"StackName": NAME, **call[1]})
    answer(stub, failed, times=2)
    if failed != begin:  # another status, which has a try of its own
        say_what_is_stuck(stub)
        stub.add_response(LEAVE[0], {}, {"StackName": NAME, **LEAVE[1]})
        answer(stub, failed, times=2)
    say_why(stub)
    with pytest.raises(OpsError, match=f"is {failed}: .*FactsArchive: The bucket is not empty"):
        stack_states.make_ready(client, NAME)


def test_a_refused_question_is_no_absent_stack(client, stub):
    """Without the right to ask, the command would otherwise create a stack that exists."""
    stub.add_client_error("describe_stacks", "AccessDenied", http_status_code=403)
    with pytest.raises(client.exceptions.ClientError, match="AccessDenied"):
        stack_states.make_ready(client, NAME)
