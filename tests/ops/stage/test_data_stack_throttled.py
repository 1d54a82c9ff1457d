"""A control plane that throttles, as CloudFormation does while others deploy."""

from collections import Counter

import pytest
from botocore.awsrequest import AWSResponse
from botocore.exceptions import ClientError

from ops.stage import access_stack, data_stack, stack, stack_states
from ops.stage.template import StageTemplate

THROTTLED = b"""<ErrorResponse><Error><Type>Sender</Type><Code>Throttling</Code>
<Message>Rate exceeded</Message></Error></ErrorResponse>"""
NAME = stack.data_stack("dev")


class Body:
    """The body of an answer that is read once."""

    def __init__(self, content):
        self._content = content

    def stream(self, **_):
        yield self._content


class ThrottlingAccount:
    """Clients whose calls to CloudFormation are refused the first so many times each."""

    def __init__(self, aws):
        self._aws, self.account = aws, aws.account
        self.times, self.refused = {}, Counter()

    def client(self, service):
        made = self._aws.client(service)
        made.meta.events.register_first("before-send.cloudformation", self._answer, unique_id="all")
        return made

    def _answer(self, request, event_name, **_):
        operation = event_name.rpartition(".")[2]
        if self.refused[operation] < self.times.get(operation, 1):
            self.refused[operation] += 1
            return AWSResponse(request.url, 400, {}, Body(THROTTLED))
        return None


@pytest.fixture
def account(engine_aws):
    return ThrottlingAccount(engine_aws)


@pytest.fixture
def by(engine_aws):
    access_stack.make(engine_aws, access_stack.declared("dev", engine_aws.account, "us-east-1"))
    return access_stack.deployer("dev", engine_aws.account, "us-east-1")


def apply(account, by):
    template = StageTemplate.load("dev", account=account.account, region="us-east-1")
    return data_stack.make(account, template, by).did


def test_a_stack_is_made_although_every_call_is_throttled_once(account, by):
    assert apply(account, by) == stack.CREATED
    assert {"CreateChangeSet", "ExecuteChangeSet", "DescribeStacks"} <= account.refused.keys()


@pytest.mark.parametrize("operation", ["CreateChangeSet", "ExecuteChangeSet"])
def test_a_call_that_is_throttled_for_good_ends_and_the_next_run_makes_the_stack(
    account, by, engine_aws, operation
):
    account.times = {operation: 100}
    with pytest.raises(ClientError, match="Throttling"):
        apply(account, by)
    left = stack_states.status(engine_aws.client("cloudformation"), NAME)
    assert left in (stack_states.ABSENT, "REVIEW_IN_PROGRESS")
    account.times = {}
    assert apply(account, by) == stack.CREATED
