"""A ledger over a table in memory that others use too: what tests of its rows and races share."""

import itertools
import re

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus, Settle
from chalicelib.once.event import EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.support.actions import AddTag
from tests.rigs.engines import table_a_in_memory
from tests.rigs.fakes import NOON, ManualClock
from tests.simulation.memory_table import MemoryTable

KEY = "evt:rp:1042:c-77"
MODES = Modes(mode="automation_candidate", safe_mode=False, automation_enabled=True)
DAY = 86_400
NOW = int(NOON.timestamp())
TAG = AddTag("1042", "route-returns-admin", "c-77")
OTHER = AddTag("1042", "mw-processed", "c-77")


class Say:
    """An action that can be read back, as a reply can."""

    kind, vendor, settle, speaks, audit_type = "say", "richpanel", Settle.QUERY, True, "auto_reply"

    def __init__(self, key="act:rp_reply:1042:c-77", conversation_id="1042"):
        self.key, self.conversation_id = key, conversation_id

    def payload(self):
        return {"template": "t_1", "by": "call 212-555-0142"}

    def probe(self):
        return {"author": "bot", "body": "hash"}


class Shared(MemoryTable):
    """A table that others use too: `before` runs once, ahead of the next call of its name.

    `sent_back` tells of each update whether the new row came back with its answer.
    """

    def __init__(self, made):
        super().__init__(made.name, made.key, made._indexes)
        self.before, self.calls, self.sent_back = {}, [], []

    def _meet(self, name):
        self.calls.append(name)
        self.before.pop(name, lambda: None)()

    def put(self, item, **more):
        self._meet("put")
        super().put(item, **more)

    def update(self, key, **more):
        self._meet("update")
        self.sent_back.append(more.get("reading", True))
        return super().update(key, **more)

    def get(self, key, **more):
        self._meet("get")
        return super().get(key, **more)

    def insert_all(self, items):
        self._meet("insert_all")
        return super().insert_all(items)

    def query(self, **arguments):
        """As strict as DynamoDB: each name is declared, and all are keys of the index."""
        names = arguments["ExpressionAttributeNames"]
        assert set(re.findall(r"#\w+", arguments["KeyConditionExpression"])) == set(names)
        assert tuple(names.values()) == self._indexes[arguments["IndexName"]]
        assert isinstance(arguments["Limit"], int), "a burst is read a page at a time"
        return super().query(**arguments)

    def update_all(self, keys, **more):
        calls = [*self.calls, "update_all"]  # its updates are one call
        try:
            return super().update_all(keys, **more)
        finally:
            self.calls = calls

    def transact(self, writes):
        self.before.pop("transact", lambda: None)()
        calls = [*self.calls, "transact"]  # likewise
        try:
            super().transact(writes)
        finally:
            self.calls = calls


class Desk:
    """A ledger and what a test does to it."""

    def __init__(self):
        self.clock, self.table = ManualClock(), Shared(table_a_in_memory())
        self._owners = (f"owner-{n}" for n in itertools.count(1))
        self.ledger = Ledger(self.table, self.clock, lambda: next(self._owners))

    def claim(self, key=KEY, *, lease_seconds=250, **more):
        more.setdefault("takeover", frozenset())
        return self.ledger.claim(facts(key), MODES, lease_seconds=lease_seconds, **more)

    def row(self, key=KEY):
        return self.table.rows[(key,)]

    def unknown(self, action, lease=None):
        """An action of unknown outcome, as the sweep finds it."""
        lease = lease or self.claim()
        self.ledger.begin(lease, [action], MODES)
        self.ledger.end_action(lease, action, ActionStatus.UNKNOWN, reason="read_timeout")
        (found,) = [one for one in self.ledger.unsettled(limit=10) if one.key == action.key]
        return found

    def stranded(self, *, limit=10):
        later = self.clock.now().timestamp() + 1
        return self.ledger.stranded(older_than_epoch=later, limit=limit)

    def at_expiry(self):
        """To the very second in which rows written now expire."""
        self.clock.forward(30 * DAY)


def facts(key=KEY, **changes):
    values = {
        "event_key": key,
        "conversation_id": "1042",
        "received_at": "2026-11-20T11:59:59.000Z",
        "payload_sha256": "9f" * 32,
        "payload_bytes": 131,
        "source": "richpanel_http_target",
        "source_message_id": "c-77",
        "trace_id": "1f",
    }
    return EventFacts(**(values | changes))


REQUIRED = {
    "created_at": iso(NOON),
    "last_processed_at": iso(NOON),
    "received_at": "2026-11-20T11:59:59.000Z",
    "expires_at": NOW + 30 * DAY,
    "mode": "automation_candidate",
    "conversation_id": "1042",
    "safe_mode": False,
    "automation_enabled": True,
}
OF_EVENT = {
    "event_id": KEY,
    "source_message_id": "c-77",
    "payload_sha256": "9f" * 32,
    "payload_bytes": 131,
    "source": "richpanel_http_target",
    "trace_id": "1f",
}
