"""An AWS account in memory, as a drop-in for one of an engine: `aws`, and so `stage` and `app`.

A folder whose tests are not about the engine says so with one fixture in its `conftest`, and gets
everything that is made from `aws` on it; a test of a flow's one path on the engine is marked
`ON_ENGINE`::

    @pytest.fixture
    def aws(request):
        return memory_or_engine(request)

Of every service the clients do what the product, its operators and the tests call.  A service
that is not simulated here, such as CloudWatch, is that of a fresh account on the engine, which
starts when the first such client is built; one that a variable gives an address of its own, such
as SES, is a real client of that address.
"""

import functools
import os
import time

import boto3
import pytest

from local.stack.engine import REGION
from local.stack.resources import Aws
from tests.rigs.memory_clients import ACCOUNT, Client, Events
from tests.rigs.memory_dynamo import DynamoDb
from tests.rigs.memory_names import SecretsManager, Ssm
from tests.rigs.memory_sqs import Sqs

NOWHERE = "http://127.0.0.1:9"
"""An endpoint where nothing listens: a client that passes the memory by fails at once."""


class MemoryAws:
    """As `local.stack.resources.Aws`: clients of one account, by service.

    Args:
        elsewhere: makes an account of an engine, for the services that are not simulated here.
        now: the queues' time, in epoch seconds.
    """

    url, account = NOWHERE, ACCOUNT

    def __init__(self, elsewhere=None, now=time.time):
        self._clients = {
            "dynamodb": DynamoDb(),
            "sqs": Sqs(now),
            "ssm": Ssm(),
            "secretsmanager": SecretsManager(),
        }
        self._elsewhere = elsewhere
        self.session = Session(self)

    def client(self, service):
        found = self._clients.get(service)
        return self._elsewhere().client(service) if found is None else found

    @property
    def environment(self):
        return Aws(self.url, self.account).environment


class Session:
    """As boto3's default session, from which the product builds its clients.

    Attributes:
        events: as of boto3's session: handlers of every client that is built from now on.
    """

    region_name = REGION

    def __init__(self, aws):
        self._aws, self.events = aws, Events()

    def client(self, service, **how):
        variable = f"AWS_ENDPOINT_URL_{service.upper().replace('-', '_')}"
        if "endpoint_url" in how or variable in os.environ:
            made = _real().client(service, **how)
            for name, handler in self.events.handlers:
                made.meta.events.register(name, handler)
            return made
        found = self._aws.client(service)
        return found.of_session(self.events) if isinstance(found, Client) else found


@functools.cache
def _real():
    """The process's only real session, which keeps the parsed models of the services."""
    return boto3.session.Session()


def another_session():
    """A default session with events of its own, for the account of the test."""
    current = boto3.DEFAULT_SESSION
    return Session(current._aws) if isinstance(current, Session) else boto3.session.Session()


ON_ENGINE = pytest.mark.parametrize("aws", ["engine"], indirect=True)
"""A flow's path on the engine, in a folder that runs in memory."""
ON_BOTH = pytest.mark.parametrize(
    "aws", ["memory", pytest.param("engine", marks=pytest.mark.long)], indirect=True
)
"""For a test that dies at each call: in memory, and in the long run at each call on the wire too."""


def memory_or_engine(request):
    """The account for the fixture `aws` of such a folder: in memory, unless the test is marked."""
    name = getattr(request, "param", "memory")
    return request.getfixturevalue(f"{name}_aws")


@pytest.fixture
def memory_aws(request):
    """An account in memory in which nothing was made yet."""
    return MemoryAws(functools.cache(lambda: request.getfixturevalue("engine_aws")))
