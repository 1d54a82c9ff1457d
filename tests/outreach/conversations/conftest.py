"""The conversations table in memory, a long run's also on every engine; and a clock that is moved."""

import pytest

from chalicelib.aws.dynamo import Table
from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach.conversations.store import Conversations
from tests.rigs.engines import STORE_ENGINES, fresh_tables
from tests.rigs.fakes import ManualClock

OPAQUE = OpaqueIds(b"a key of the stage")


@pytest.fixture
def clock():
    return ManualClock()


# The store contracts use conversations on the engines in every run; a long run also runs each test there.
ENGINES = [pytest.param(engine, marks=pytest.mark.long) for engine in STORE_ENGINES]


@pytest.fixture(params=["memory", *ENGINES])
def ddb(request):
    with fresh_tables(request.param, request) as made:
        yield made


@pytest.fixture
def table(ddb):
    return Table(ddb.client, ddb.tables["ConversationsTable"])


@pytest.fixture
def conversations(table, clock):
    return Conversations(table=table, clock=clock, opaque=lambda: OPAQUE)


@pytest.fixture
def raced_conversations(ddb, clock):
    """`make(other_write)`: a store in which another worker writes before each transaction and append."""

    def make(other_write):
        table = Table(ddb.client, ddb.tables["ConversationsTable"])
        transact, update = table.transact, table.update

        def transact_late(writes):
            other_write()
            return transact(writes)

        def update_late(key, **how):
            if "#message_count" in how.get("condition", ""):
                other_write()
            return update(key, **how)

        table.transact, table.update = transact_late, update_late
        return Conversations(table=table, clock=clock, opaque=lambda: OPAQUE)

    return make
