"""The door out over a real ledger, with a scripted vendor: what it performs, and what it sent."""

import itertools

import pytest

from chalicelib.once.effect import Effect, EffectKind, Executor, Settle
from chalicelib.once.effects import Attempt, Effects, StepAction
from chalicelib.once.event import EventFacts
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import Modes
from chalicelib.once.settlement import Settlement
from chalicelib.support.effects import add_tag
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

MODES = Modes("automation_candidate", safe_mode=False, automation_enabled=True)
EVENT = EventFacts("evt:rp:1:c", "1", "2026-11-20T11:59:59.000Z", "9f", 9, "test", "c")
TAG, OTHER = add_tag("1", "mw-processed", "c"), add_tag("1", "mw-routing-applied", "c")


def reply(settle=Settle.QUERY, key="act:rp_reply:1:c"):
    """An effect that reaches a customer; `settle` says how its outcome can be found out."""
    kind = EffectKind("say", "richpanel", settle, reaches_customer=True, executor=Executor)
    payload, probe = {"template": "t_1"}, {"body": "hash"}
    return Effect(kind, key, "1", "t_1", "auto_reply", payload, probe)


class EffectsRig:
    """Effects over a ledger, with a vendor of the test's own.

    Attributes:
        sent: the keys of the actions of each request.
        deadlines: the seconds that each request was given.
        fails: the errors that the next requests raise.
        shows: what the vendor shows when it is asked whether an action happened.
        prepares: what happens while the next requests are prepared.
        looks: what happens in the next last looks.
    """

    def __init__(self, table):
        self.clock, self.log, self.switches = ManualClock(), RecordingLog(), SetSwitches()
        owners = (f"o{n}" for n in itertools.count())
        self.table = table
        self.ledger = Ledger(table=table, clock=self.clock, new_owner=lambda: next(owners))
        self.sent, self.deadlines, self.fails, self.shows, self.prepares = [], [], [], [], []
        self.looks = []
        say = Executor(
            self.send, self.prepare, self.last_look, settler=lambda _action: tuple(self.shows)
        )
        executors = {"add_tag": Executor(self.send), "say": say}
        self.effects = Effects(
            ledger=self.ledger,
            switches=self.switches,
            executors=executors,
            settlement=Settlement(ledger=self.ledger, executors=executors, clock=self.clock),
            clock=self.clock,
            log=self.log,
        )
        self.lease = self.claim()

    def claim(self):
        return self.ledger.claim(EVENT, MODES, lease_seconds=250, takeover=frozenset())

    def claim_later(self, seconds=300):
        """Another worker claims the event after the first one's lease has ended."""
        self.clock.forward(seconds)
        self.lease = self.claim()
        return self.lease

    def last_look(self, actions):  # noqa: ARG002 - the looks' signature
        if self.looks:
            self.looks.pop(0)()

    def prepare(self, actions):  # noqa: ARG002 - the preparers' signature
        if self.prepares:
            self.prepares.pop(0)()

    def send(self, actions, *, deadline_seconds):
        self.sent.append([action.key for action in actions])
        self.deadlines.append(deadline_seconds)
        if self.fails:
            raise self.fails.pop(0)
        return "ref-1"

    def perform(self, *step, lease=None, earlier=None, operator=False, **more):
        """How each action of a step ended: its status and reason."""
        items = [act if isinstance(act, StepAction) else StepAction(act, **more) for act in step]
        attempt = Attempt(lease or self.lease, MODES, operator=operator)
        rows = self.effects.perform(attempt, items, earlier or {})
        return [(rows[i.action.key].status.value, rows[i.action.key].reason) for i in items]

    def row(self, action):
        return self.table.get({"event_id": action.key})


@pytest.fixture
def effects_rig():
    """Over a table in memory whose calls can fail."""
    return EffectsRig(FaultyTable(tables.ledger()))
