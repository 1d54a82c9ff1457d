"""The conversations table on every engine of the store contract, and a clock that is moved."""

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach.conversations.store import Conversations
from tests.rigs.fakes import ManualClock

OPAQUE = OpaqueIds(b"a key of the stage")


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def table(ddb):
    return Table(ddb.client, ddb.tables["ConversationsTable"])


@pytest.fixture
def conversations(table, clock):
    return Conversations(table, clock, lambda: OPAQUE)


@pytest.fixture
def raced_conversations(ddb, clock):
    """Makes a store whose every transaction follows a write of another worker: `make(other_write)`."""

    def make(other_write):
        table = Table(ddb.client, ddb.tables["ConversationsTable"])
        transact = table.transact

        def transact_late(writes):
            other_write()
            return transact(writes)

        table.transact = transact_late
        return Conversations(table, clock)

    return make
