"""A worker over the real ledger and door out, in memory: what a test sends it, and what it sees."""

import itertools

import pytest

from chalicelib.errors import PermanentError, TransientError, UncertainError
from chalicelib.once import trace
from chalicelib.once.effect import Effect, EffectKind, Executor, Settle
from chalicelib.once.event import EventStatus
from chalicelib.once.flow import Event, Flow, NotAnEvent, suffix
from chalicelib.once.job import encode, facts_of
from chalicelib.once.lanes import TICKETS
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.plan import Plan, PlannedAction
from chalicelib.once.ports import Delivery
from chalicelib.once.worker import HandedBackError
from chalicelib.support import effects
from chalicelib.support.effects import ATTENTION_TAG, add_tag
from chalicelib.support.jobs import TicketMessage, TicketNotification
from tests.rigs.fakes import ManualClock, RecordingLog, SetSwitches
from tests.rigs.tables import FaultyTable
from tests.rigs.worker_parts import settlement_of, worker_of
from tests.simulation import tables

KEY = "evt:rp:1042:c-77"
TAG = "act:rp_tag:1042:{}:c-77"
ROUTED, CLOSED = TAG.format("route-returns-admin"), TAG.format("mw-processed")
ATTENTION = TAG.format(ATTENTION_TAG)
REPLY_KEY = "act:rp_reply:1042:c-77"
BUSY_FOR = 250
"""Seconds of a lease: the function's remaining time and the grace."""


def job(**changes):
    values = {
        "event_key": KEY,
        "conversation_id": "1042",
        "received_at": "2026-11-20T11:59:58.750Z",
        "payload_sha256": "9f",
        "payload_bytes": 9,
        "source": "richpanel_http_target",
        "trace_id": "1f",
        "message_id": "c-77",
        "text": "I want a refund",
    }
    return TicketMessage(**(values | changes))


def notification(**changes):
    values = job().model_dump(exclude={"kind", "message_id", "text", "created_at"})
    return TicketNotification(**(values | {"event_key": "evt:rp:1042:n:d-1"} | changes))


def delivered(sent, *, receive=1, time_left=120.0, message_id="sqs-1", lane=None):
    return Delivery(
        body=sent if isinstance(sent, str) else encode(sent),
        message_id=message_id,
        receipt_handle=f"handle-{receive}",
        receive_count=receive,
        max_receives=10,
        time_left_seconds=lambda: time_left,
        lane=lane or (TICKETS if isinstance(sent, str) else sent.lane),
    )


SAY = EffectKind("say", "twilio", Settle.NONE, reaches_customer=True, executor=Executor)
UNSETTLEABLE = Effect(SAY, REPLY_KEY, "1042", "t_1", "auto_reply", {"template": "t_1"})
"""A reply whose unknown outcome cannot be settled, at a vendor of its own."""


def planned(*steps, **facts):
    """A plan whose steps are lists of tags, or of ready `PlannedAction`s."""
    return Plan(
        "small",
        tuple(
            tuple(
                PlannedAction("add_tag", action) if isinstance(action, str) else action
                for action in step
            )
            for step in steps
        ),
        {"intent": "refund_request", **facts},
    )


CLOSE = PlannedAction("add_tag", "mw-processed", depends_on=(0,))
REPLY = PlannedAction("say")
PLAN = planned(["route-returns-admin"], [CLOSE])


class SmallFlow(Flow):
    """A flow that does what its test sets; an error in `raises` is raised at its place."""

    def __init__(self):
        self.decides, self.decided, self.built_from, self.traces = PLAN, [], [], []
        self.raises, self.concluded, self.is_newest = {}, [], True
        self.resolves_to = None

    def events(self, job):
        self.traces.append(dict(trace.current()))
        if "events" in self.raises:
            raise self.raises["events"]
        found = [facts_of(job)] if self.resolves_to is None else self.resolves_to
        return [Event(facts, None) for facts in found]

    def is_container(self, job):
        return job.kind == "ticket_notification"

    def plan(self, event, switches):
        self.traces.append(dict(trace.current()))
        self.decided.append((event.facts.event_key, switches))
        if "plan" in self.raises:
            raise self.raises["plan"]
        return self.decides

    def build(self, planned, event, plan):
        self.built_from.append(plan)
        if planned.kind == "say":
            return UNSETTLEABLE
        return effects.build(
            planned,
            conversation_id=event.facts.conversation_id,
            suffix=suffix(event),
        )

    def escalation(self, event, reason):  # noqa: ARG002 - the signature of flows
        return add_tag(event.facts.conversation_id, ATTENTION_TAG, suffix(event))

    def conclude(self, lease, event, plan, rows):
        status = {key: row.status.value for key, row in rows.items()}
        self.concluded.append((lease.fence, event.facts.event_key, plan, status))
        return self.is_newest


class EscalatingFlow(SmallFlow):
    """A flow with an escalation of its own; `escalated` holds the events and reasons it was asked for."""

    def __init__(self, action=None):
        super().__init__()
        self.action, self.escalated = action, []

    def escalation(self, event, reason):
        self.escalated.append((event.facts.event_key, reason))
        return self.action


class WatchedFlow(SmallFlow):
    """A flow whose events no provider lists."""

    is_watched = True


class UnwatchedFlow(SmallFlow):
    """A flow that declares that its events need no watching."""

    is_watched = False


class RecheckingFlow(SmallFlow):
    """A flow that finds on its recheck that there is nothing to do."""

    def __init__(self):
        super().__init__()
        self.rechecked = []

    def recheck(self, event, plan, switches):
        self.rechecked.append((event.facts.event_key, plan, switches))
        raise NotAnEvent(EventStatus.SKIPPED, "operator_comment")


class Queue:
    """The queue, as far as the worker defers messages; raises the errors in `fails`."""

    def __init__(self):
        self.deferred, self.fails, self.lanes = [], [], []

    def defer(self, receipt_handle, seconds, *, lane=TICKETS):
        self.lanes.append(lane)
        self.deferred.append((receipt_handle, seconds))
        if self.fails:
            raise self.fails.pop(0)


class WorkerDied(BaseException):
    """The process dies in the middle of a vendor call; nothing catches it."""


class WorkerRig:
    """A worker over the real ledger and the real door out, with a scripted vendor."""

    def __init__(self, flow=None):
        self.clock, self.log, self.switches = ManualClock(), RecordingLog(), SetSwitches()
        self.table, self.queue = tables.ledger(), Queue()
        self.audit_table = FaultyTable(tables.audit())
        owners = (f"o{n}" for n in itertools.count(1))
        self.ledger = Ledger(table=self.table, clock=self.clock, new_owner=lambda: next(owners))
        self.flow = flow or SmallFlow()
        self.sent, self.fails, self.kept, self.chance = [], {}, [], 0.5
        self.put_back, self.copies = [], []
        self.flows = dict.fromkeys(("ticket_message", "ticket_notification"), self.flow)
        self.worker = worker_of(
            self,
            self.flows,
            dict.fromkeys(("add_tag", "say"), Executor(self.send)),
            settlement=settlement_of(self, {}),
            audit_table=self.audit_table,
            send_later=lambda later, seconds: self.copies.append((later, seconds)),
            outbox=self.queue,
            put_back=self.put_back.append,
            jitter=lambda: self.chance,
            keepers={"aloware_delivery": self.kept.append},
        )

    def sends_copies_by(self, send_later):
        """Send copies of jobs by a function of the test."""
        object.__setattr__(self.worker.postponing.aside, "send_later", send_later)

    def send(self, step, *, deadline_seconds):  # noqa: ARG002 - the executors' signature
        keys_of_step = [action.key for action in step]
        self.sent += keys_of_step
        errors = self.fails.get(keys_of_step[0]) or self.fails.get("any") or []
        if errors:
            raise errors.pop(0)

    def process(self, sent=None, **delivery):
        """`done` when the message was acknowledged, else the reason it was handed back for."""
        try:
            self.worker.process(delivered(sent or job(), **delivery))
        except HandedBackError as error:
            return str(error)
        return "done"

    def row(self, key=KEY):
        return self.table.get({"event_id": key})

    def ended(self, key=KEY):
        row = self.row(key)
        return (row["status"], row.get("reason"))

    def lines(self, prefix="worker."):
        return [(name, fields) for name, fields in self.log.events if name.startswith(prefix)]

    def counted(self, prefix="mw.worker."):
        return [metric for metric in self.log.metrics if metric[0].startswith(prefix)]

    def audited(self):
        """Rows of the audit, in the order in which they were first written."""
        return list(self.audit_table.rows.values())

    def results(self):
        return {row["idempotency_key"]: row["result"] for row in self.audited()}

    def unfinished(self):
        return [event.key for event in self.ledger.stranded(limit=10)]


@pytest.fixture
def worker_rig():
    return WorkerRig()


def refused(status=422):
    return PermanentError("richpanel", "add_tags", status=status)


def too_many(**more):
    return TransientError("richpanel", "add_tags", status=429, **more)


def lost():
    return UncertainError("twilio", "send", reason="timeout")
