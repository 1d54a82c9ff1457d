"""A stage of one queue becomes one of lanes while messages arrive: nothing overtakes."""

import heapq
import itertools
import random

import pytest

from chalicelib.once import opening
from chalicelib.once.intake import Intake
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lanes import TICKETS
from chalicelib.once.opening import Opening, OpenLanes
from chalicelib.once.recovery.cursor import SweepCursor
from chalicelib.once.recovery.lane_opener import LaneOpener
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.outreach.jobs import InboundMessage
from chalicelib.wiring.jobs import decode
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.worker import WorkerRig
from tests.simulation import tables
from tests.simulation.memory_queue import MemoryQueue

PAIRS = (
    ("+15550109001", "+15550100001"),
    ("+15550109001", "+15550100002"),
    ("hello@company.example", "j.doe@example.com"),
)
VISIBILITY, SWEEP_EVERY, LASTS = 720.0, 300.0, 1_500.0
COUNTS_BEHIND_SECONDS = 60.0
"""How far behind SQS may count."""


class HeldError(Exception):
    """A door waits for so many seconds."""


class DoorClock:
    """A door's clock; the world goes on while it sleeps."""

    def __init__(self, clock):
        self.now, self.monotonic, self.has_slept = clock.now, clock.monotonic, False

    def sleep(self, seconds):
        if not self.has_slept:
            raise HeldError(seconds)


class Stage:
    """Doors, the lanes' queues, workers that forward, and a sweep that opens the lanes."""

    def __init__(self, seed):
        self.rng, self.clock, self.timeline = random.Random(seed), ManualClock(), []
        self.numbers = itertools.count()
        self.queue = MemoryQueue(
            lambda: self.clock.now().timestamp(), visibility_seconds=VISIBILITY, max_receives=10
        )
        self.opening = Opening(tables.ledger(), self.clock, lambda: "sweeper")
        self.opener = LaneOpener(self.opening, self, self.clock)
        self.doors = [self.door() for _ in range(3)]
        self.rig = WorkerRig()
        object.__setattr__(self.rig.worker, "forward", self.doors[0][0].forward)
        self.accepted, self.done, self.direct = {}, {}, 0
        self.used = [(self.seconds, False)]

    @property
    def seconds(self):
        return self.clock.elapsed

    def put(self, text, *, group_id, deduplication_id, lane=TICKETS):
        """The doors' and the worker's outbox."""
        self.queue.send(text, group_id=group_id, deduplication_id=deduplication_id, lane=lane)
        self._note_use()

    def is_empty(self, lane):
        """As SQS counts: of some moment within the last minute."""
        assert lane == TICKETS
        seen_at = self.seconds - self.rng.uniform(0, COUNTS_BEHIND_SECONDS)
        return not [used for at, used in self.used if at <= seen_at][-1]

    def _note_use(self):
        self.used.append((self.seconds, any(one.lane == TICKETS for one in self.queue.waiting())))

    def door(self):
        clock = DoorClock(self.clock)
        ids = (f"id-{n}" for n in itertools.count())
        lanes_open = OpenLanes(lambda: self.opening, clock)
        key = OpaqueIds(b"a key of the stage")
        return (
            Intake(self, lambda: key, clock, RecordingLog(), lambda: next(ids), None, lanes_open),
            clock,
        )

    def at(self, seconds, act):
        heapq.heappush(self.timeline, (seconds, next(self.numbers), act))

    def run(self):
        while self.timeline:
            at, _, act = heapq.heappop(self.timeline)
            self.clock.forward(max(0.0, at - self.seconds))
            act()

    # --- what happens -------------------------------------------------------------------------

    def arrives(self, job, *, has_slept=False):
        intake, clock = self.rng.choice(self.doors)
        if not has_slept:
            self.accepted.setdefault(job.recipient, []).append(job.event_key)
        clock.has_slept = has_slept
        try:
            intake.accept(job)
        except HeldError as held:
            self.at(self.seconds + held.args[0], lambda: self.arrives(job, has_slept=True))

    def looks(self):
        sweep = SweepActions(None, None, Summary(), lambda: 200.0, dry_run=False)
        self.opener.run(SweepCursor("o", 1), sweep, since=self.clock.now())

    def works(self):
        """Each lane's worker takes what is ready; the one of the old queue only forwards."""
        for _ in self.queue.ready_groups():
            message = self.queue.receive()
            job = decode(message.body)
            if message.lane == TICKETS:
                assert self.rig.process(job, lane=TICKETS, message_id=message.id) == "done"
            elif job.event_key not in self.done.setdefault(job.recipient, []):
                assert message.lane == job.lane
                self.direct += self.opened
                self.done[job.recipient].append(job.event_key)
            self.queue.delete(message.receipt)
            self._note_use()

    @property
    def opened(self):
        return 0 < self.opening.read().get("opens_at", 0) <= self.clock.now().timestamp()


def upgraded(seed):
    """Messages that arrive close together, by any door, before, while and after the lanes open."""
    stage = Stage(seed)
    at, rng = 0.0, stage.rng
    for number in range(6_000):
        at += rng.expovariate(4.0)
        if at > LASTS:
            break
        pair = rng.choice(PAIRS)
        job = InboundMessage(
            event_key=f"evt:reply:{number}",
            conversation_id="c",
            received_at="2026-11-20T12:00:00.000Z",
            source="test",
            trace_id="1f",
            channel="email" if "@" in pair[0] else "sms",
            sender=pair[0],
            recipient=pair[1],
            message_id=str(number),
            sent_at="2026-11-20T12:00:00.000Z",
        )
        if not 100 < at % SWEEP_EVERY < 250:  # the old queue is seen empty in quiet minutes only
            stage.at(at, lambda job=job: stage.arrives(job))
    for tick in range(int(LASTS * 2)):
        stage.at(tick / 2 + rng.uniform(0, 0.4), stage.works)
    for run in range(1, 6):
        stage.at(run * SWEEP_EVERY - 70, stage.looks)
    stage.run()
    while stage.queue.waiting():
        stage.works()
    return stage


@pytest.mark.parametrize("seed", range(4))
def test_nothing_overtakes_while_the_lanes_open(seed):
    stage = upgraded(seed)

    assert stage.opened
    assert stage.direct > 100
    assert stage.done == stage.accepted


def test_without_the_holding_a_job_overtakes_the_one_before(monkeypatch):
    monkeypatch.setattr(opening, "HOLD_SECONDS", 0.0)
    assert any(stage.done != stage.accepted for stage in map(upgraded, range(12)))
