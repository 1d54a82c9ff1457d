"""What is due and when: a worker and a sweep every five minutes, over hours of one clock."""

import itertools
from dataclasses import replace

import pytest

from chalicelib.errors import HandBackError, UnavailableError, UncertainError
from chalicelib.once.action import ActionStatus, Found
from chalicelib.once.effect import Executor
from chalicelib.once.event import QUEUED_SECONDS, EventStatus
from chalicelib.once.intake import Intake
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.ports import UNDECIDED
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.once.recovery.unfinished import LIMIT, RowSweep
from chalicelib.once.settlement import Settlement
from chalicelib.once.timer import due_attributes
from chalicelib.wiring.jobs import decode
from tests.rigs.fakes import RecordingOutbox
from tests.rigs.worker import (
    REPLY,
    REPLY_KEY,
    UNSETTLEABLE,
    SmallFlow,
    WatchedFlow,
    WorkerDied,
    WorkerRig,
    job,
    planned,
)

HOUR = 3600.0
RUN_EVERY = 300.0


class SweptRig(WorkerRig):
    """A worker beside a sweep; what the sweep sends waits in `outbox` until a test processes it."""

    def __init__(self, flow=None):
        super().__init__(flow)
        self.outbox, self.shown = RecordingOutbox(), ()
        self.asked, self.broken, self.takes = [], {}, 0.0
        ids = (f"id-{n}" for n in itertools.count())
        self.intake = Intake(
            outbox=self.outbox,
            opaque=lambda: OpaqueIds(b"a key of the stage"),
            clock=self.clock,
            log=self.log,
            new_id=lambda: next(ids),
        )

    def settler(self, action):
        account = action.probe.get("account", "")
        self.asked.append(account)
        if account in self.broken:
            self.clock.forward(self.takes)
            raise self.broken[account]
        return self.shown

    def sweep(self):
        summary = Summary()
        RowSweep(
            ledger=self.ledger,
            settlement=Settlement(
                ledger=self.ledger,
                executors={"say": Executor(None, settler=self.settler)},
                clock=self.clock,
            ),
            rebuilders={"evt:rp": lambda event: job(event_key=event.event_key)},
            clock=self.clock,
            sweep=SweepActions(
                ledger=self.ledger,
                intake=self.intake,
                summary=summary,
                time_left_seconds=lambda: 200.0,
            ),
        ).run()
        return summary

    def sweeps_for(self, seconds):
        """Sweep every five minutes; what each run sent, by its time from now."""
        sent, start = [], self.clock.now().timestamp()
        while self.clock.now().timestamp() < start + seconds:
            self.clock.forward(RUN_EVERY)
            before = len(self.outbox.messages)
            self.sweep()
            at = self.clock.now().timestamp() - start
            sent += [(at, decode(body).recovery) for body, _, _ in self.outbox.messages[before:]]
        return sent


@pytest.fixture(params=[SmallFlow, WatchedFlow])
def swept_rig(request):
    return SweptRig(request.param())


def hand_back(rig, *, seconds, receive=1):
    rig.flow.raises = {"plan": HandBackError("quiet_hours", delay_seconds=seconds)}
    assert rig.process(receive=receive) == "quiet_hours"
    rig.flow.raises = {}


def test_an_event_that_waits_for_quiet_hours_after_a_redrive_is_left_alone(swept_rig):
    """Its earlier claims do not count, as its message returns."""
    for _ in range(12):
        hand_back(swept_rig, seconds=1)
    hand_back(swept_rig, seconds=11.5 * HOUR)
    assert swept_rig.sweeps_for(11.5 * HOUR) == []
    assert swept_rig.ended()[0] == "processing"
    assert swept_rig.process(receive=2) == "done"
    assert swept_rig.ended() == ("processed", None)


def test_an_event_whose_message_does_not_return_is_sent_again(swept_rig):
    """A copy every half hour, not with every run, until a worker has it."""
    hand_back(swept_rig, seconds=HOUR)
    sent = swept_rig.sweeps_for(3 * HOUR)
    assert {recovery for _, recovery in sent} == {Recovery.SWEEP}
    assert min(at for at, _ in sent) >= 1.5 * HOUR
    assert len(sent) <= 4
    swept_rig.process(decode(swept_rig.outbox.messages[0][0]))
    assert swept_rig.ended() == ("processed", None)
    assert swept_rig.sweeps_for(3 * HOUR) == []


@pytest.fixture
def parked_rig():
    """A rig whose event is parked for a reply of unknown outcome."""
    rig = SweptRig()
    rig.flow.decides = planned([REPLY])
    rig.fails = {REPLY_KEY: [UncertainError("twilio", "send", reason="timeout")]}
    assert rig.process() == "done"
    assert rig.ended() == ("parked", "unknown:timeout")
    return rig


def test_a_settled_event_is_not_sent_again_by_every_sweep(parked_rig):
    """Its conversation is held up: a copy at once, then one every half hour."""
    parked_rig.shown = (Found("SM1"),)
    sent = parked_rig.sweeps_for(2 * HOUR)
    assert sent[0] == (RUN_EVERY, Recovery.SETTLED)
    assert len(sent) <= 4
    for body, _, _ in parked_rig.outbox.messages:
        assert parked_rig.process(decode(body)) == "done"
    assert parked_rig.ended() == ("processed", None)
    assert parked_rig.sent == [REPLY_KEY]


def test_a_parked_event_waits_as_long_as_its_action_is_unknown_and_then_resumes(parked_rig):
    parked_rig.shown = None
    assert parked_rig.sweeps_for(48 * HOUR) == []
    assert parked_rig.ended()[0] == "parked"
    parked_rig.shown = (Found("SM1"),)
    (first, *_) = parked_rig.sweeps_for(HOUR)
    assert first[1] == Recovery.SETTLED


def test_an_outcome_that_an_operator_stores_resumes_its_event_at_the_next_sweep(parked_rig):
    parked_rig.shown = None
    parked_rig.sweeps_for(48 * HOUR)
    (unknown,) = parked_rig.ledger.unsettled(limit=9)
    assert parked_rig.ledger.settle(unknown, ActionStatus.DONE, reason="operator")
    parked_rig.clock.forward(1)
    parked_rig.sweep()
    assert [decode(body).recovery for body, _, _ in parked_rig.outbox.messages] == [
        Recovery.SETTLED
    ]


def test_an_event_that_kills_every_worker_is_failed_after_its_last_receive(swept_rig):
    for receive in range(1, 11):
        swept_rig.fails = {"any": [WorkerDied()]}
        with pytest.raises(WorkerDied):
            swept_rig.process(receive=receive)
        assert swept_rig.sweeps_for(720) == ([] if receive < 10 else [(300.0, Recovery.HANDOFF)])
    assert swept_rig.ended() == ("failed", "dead_letter:worker_died")


def test_an_event_without_a_message_is_sent_when_it_is_due(swept_rig):
    """A long wait lives in the row."""
    now = swept_rig.clock.now().timestamp()
    for number in range(2):
        waiting = job(event_key=f"evt:rp:1042:c-{number}")
        lease = swept_rig.ledger.claim(
            facts_of(waiting), UNDECIDED, lease_seconds=250, takeover=frozenset()
        )
        swept_rig.ledger.release(
            lease, reason="quiet_hours", due_epoch=now + (number + 1) * 40 * 86_400
        )
    sent = swept_rig.sweeps_for(2 * HOUR)
    assert sent == []
    swept_rig.clock.forward(40 * 86_400 - 2 * HOUR)
    assert swept_rig.table.expire(swept_rig.clock.now().timestamp()) == 0
    swept_rig.sweep()
    (message,) = swept_rig.outbox.messages
    assert decode(message[0]).event_key == "evt:rp:1042:c-0"
    assert swept_rig.process(decode(message[0])) == "done"
    assert swept_rig.ended("evt:rp:1042:c-0") == ("processed", None)
    assert swept_rig.ended("evt:rp:1042:c-1")[0] == "processing"


# --- one row never stops a sweep ------------------------------------------------------------------

LOST = UnavailableError("secret_unavailable")


def unknown(rig, number, account):
    """An event parked for a reply of unknown outcome at an account."""
    event_key, key = f"evt:rp:{account}:{number}", f"act:{account}:{number}"
    facts = facts_of(job(event_key=event_key, conversation_id=account))
    lease = rig.ledger.claim(facts, UNDECIDED, lease_seconds=250, takeover=frozenset())
    action = replace(UNSETTLEABLE, key=key, probe={"account": account})
    rig.ledger.begin(lease, [action], UNDECIDED)
    rig.ledger.end_action(lease, action, ActionStatus.UNKNOWN, reason="timeout")
    rig.ledger.finish(lease, EventStatus.PARKED, reason="unknown:timeout", waits_for=[key])
    return event_key


def statuses(rig, account):
    rows = rig.table.rows.values()
    return [row["status"] for row in rows if row["event_id"].startswith(f"act:{account}:")]


@pytest.mark.parametrize("error", [LOST, KeyError("text"), UncertainError("twilio", "list")])
def test_a_company_whose_secret_is_gone_stops_nothing_of_another(error):
    rig = SweptRig()
    unknown(rig, 0, "broken")
    unknown(rig, 0, "whole")
    rig.ledger.claim(
        facts_of(job()), UNDECIDED, lease_seconds=250, takeover=frozenset(), last_chance=True
    )
    rig.broken, rig.shown = {"broken": error}, (Found("SM1"),)
    rig.clock.forward(RUN_EVERY)
    summary = rig.sweep()
    assert (statuses(rig, "broken"), statuses(rig, "whole")) == (["unknown"], ["done"])
    assert (summary.settled, summary.resumed, summary.buried) == (1, 1, 1)
    assert (summary.failures, len(summary.problems)) == ({"settle": 1}, 1)
    rig.broken, rig.shown = {}, (Found("SM2"),)
    rig.clock.forward(RUN_EVERY)
    assert (rig.sweep().settled, statuses(rig, "broken")) == (1, ["done"])


def test_rows_that_lack_attributes_stop_nothing():
    rig = SweptRig()
    for key, kind, status in (
        ("evt:rp:1:a", "event", "parked"),
        ("evt:rp:1:b", "event", "processing"),
        ("evt:odd", "event", "odd"),
        ("act:odd", "action", "unknown"),
    ):
        rig.table.put({"event_id": key, "status": status, **due_attributes(kind, key, 1)})
    unknown(rig, 0, "whole")
    rig.shown = (Found("SM1"),)
    rig.clock.forward(RUN_EVERY)
    assert rig.sweep().settled == 1
    assert statuses(rig, "whole") == ["done"]
    assert rig.row("act:odd")["status"] == "unknown"


def test_many_unknown_actions_of_a_failing_account_starve_no_other():
    """It is asked once in a run; its rows are moved on, so that the next run reads others."""
    rig = SweptRig()
    for number in range(LIMIT + 200):
        unknown(rig, number, "broken")
    rig.clock.forward(1)
    unknown(rig, 0, "whole")
    rig.broken, rig.shown, rig.takes = {"broken": LOST}, (Found("SM1"),), 20.0
    rig.clock.forward(RUN_EVERY)
    for _ in range(2):
        rig.sweep()
        rig.clock.forward(RUN_EVERY)
    assert statuses(rig, "whole") == ["done"]
    assert rig.asked.count("broken") == 2


def test_accounts_are_asked_in_turn_and_a_vendor_that_only_fails_is_left():
    rig = SweptRig()
    for account in ("a", "b", "c"):
        for number in range(2):
            unknown(rig, number, account)
    rig.shown = None
    rig.clock.forward(1)
    rig.sweep()
    assert sorted(rig.asked[:3]) == sorted(rig.asked[3:]) == ["a", "b", "c"]
    rig.asked.clear()
    rig.broken, rig.takes = dict.fromkeys("abc", LOST), 16.0
    rig.clock.forward(RUN_EVERY)
    rig.sweep()
    assert len(rig.asked) == 2, "32 seconds were lost on it"


def test_an_event_that_cannot_be_sent_does_not_stop_the_next_and_is_looked_at_again():
    rig = SweptRig()
    for number in range(3):
        facts = facts_of(job(event_key=f"evt:rp:1042:c-{number}"))
        rig.ledger.receive(facts)
    put, rig.outbox.put = rig.outbox.put, None

    def refusing(body, **more):
        if "c-1" in body and rig.broken:
            raise ValueError
        return put(body, **more)

    rig.outbox.put, rig.broken = refusing, {"queue": True}
    rig.clock.forward(QUEUED_SECONDS)
    summary = rig.sweep()
    assert (len(rig.outbox.messages), summary.failures) == (2, {"event": 1})
    assert summary.problems == ["event:bug_ValueError"]
    rig.broken = {}
    rig.clock.forward(RUN_EVERY)
    rig.sweep()
    assert len(rig.outbox.messages) == 3
