"""The conversations table on every engine of the store contract, and a clock that is moved."""

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.outreach.conversations.store import Conversations
from tests.rigs.fakes import ManualClock


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table(ddb):
    return Table(ddb.client, ddb.tables["ConversationsTable"])


@pytest.fixture
def conversations(table, clock):
    return Conversations(table, clock)


@pytest.fixture
def raced_conversations(ddb, clock):
    """Makes conversations before whose every transaction others do something of their own."""

    def make(others):
        table = Table(ddb.client, ddb.tables["ConversationsTable"])
        transact = table.transact

        def late(writes):
            others()
            return transact(writes)

        table.transact = late
        return Conversations(table, clock)

    return make
