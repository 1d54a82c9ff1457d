"""A ledger over a table in memory that others use too: what tests of its rows and races share."""

import itertools
import re

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus
from chalicelib.once.effect import Effect, EffectKind, Executor, Settle
from chalicelib.once.event import EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.support.effects import add_tag
from tests.rigs.fakes import NOON, ManualClock
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

KEY = "evt:rp:1042:c-77"
MODES = Modes(mode="automation_candidate", safe_mode=False, automation_enabled=True)
DAY = 86_400
NOW = int(NOON.timestamp())
TAG = add_tag("1042", "route-returns-admin", "c-77")
OTHER = add_tag("1042", "mw-processed", "c-77")


SAY = EffectKind("say", "richpanel", Settle.QUERY, reaches_customer=True, executor=Executor)


def reply(key="act:rp_reply:1042:c-77", conversation_id="1042"):
    """An effect that can be read back, as a reply can."""
    payload = {"template": "t_1", "by": "call 212-555-0142"}
    probe = {"author": "bot", "body": "hash"}
    return Effect(SAY, key, conversation_id, "t_1", "auto_reply", payload, probe)


class StrictTable(FaultyTable):
    """A table whose queries are checked as DynamoDB checks them."""

    def query(self, **arguments):
        """Each name is declared, and all are keys of the index."""
        names = arguments["ExpressionAttributeNames"]
        assert set(re.findall(r"#\w+", arguments["KeyConditionExpression"])) == set(names)
        assert tuple(names.values()) == self._indexes[arguments["IndexName"]]
        return super().query(**arguments)

    def query_pages(self, **arguments):
        """A burst is read a page at a time."""
        assert isinstance(arguments["Limit"], int)
        return super().query_pages(**arguments)


class LedgerRig:
    """A ledger and what a test does to it."""

    def __init__(self):
        self.clock, self.table = ManualClock(), StrictTable(tables.ledger())
        self._owners = (f"owner-{n}" for n in itertools.count(1))
        self.ledger = Ledger(
            table=self.table, clock=self.clock, new_owner=lambda: next(self._owners)
        )

    def claim(self, key=KEY, *, lease_seconds=250, **more):
        more.setdefault("takeover", frozenset())
        return self.ledger.claim(facts(key), MODES, lease_seconds=lease_seconds, **more)

    def row(self, key=KEY):
        return self.table.rows[(key,)]

    def unknown(self, action, lease=None):
        """An action of unknown outcome, as the sweep finds it."""
        lease = lease or self.claim()
        self.ledger.begin(lease, [action], MODES)
        self.ledger.end_action(lease, action, ActionStatus.UNKNOWN, reason="timeout")
        (found,) = [found for found in self.ledger.unsettled(limit=10) if found.key == action.key]
        return found

    def stranded(self, *, limit=10):
        return self.ledger.stranded(limit=limit)

    def at_expiry(self):
        """Move the clock to the second in which rows that are written now expire."""
        self.clock.forward(30 * DAY)


@pytest.fixture
def ledger_rig():
    return LedgerRig()


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
