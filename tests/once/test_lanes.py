"""Lanes: each job travels by its own, in order, and through the old queue until that is drained."""

import json

import pytest

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch
from chalicelib.once import later, opening
from chalicelib.once.intake import Intake
from chalicelib.once.job import ActionResend, encode
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lanes import COMPANIES, EMAIL, FACTS, LANES, OUTREACH, TICKETS, named, of_queue
from chalicelib.once.opening import Opening, OpenLanes
from chalicelib.once.recovery.cursor import SweepCursor
from chalicelib.once.recovery.lane_opener import BETWEEN_LOOKS_SECONDS, LaneOpener
from chalicelib.once.recovery.sweep import Summary, SweepActions
from chalicelib.outreach.jobs import (
    DeliveryReceipt,
    DeskReply,
    HandoffNotice,
    HandoffRelease,
    InboundMessage,
    OutreachResume,
    StartConversation,
    TellCompany,
    Unsubscribed,
)
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.wiring.jobs import KINDS, decode
from tests.rigs.fakes import ManualClock, RecordingLog, RecordingOutbox
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

TEXTED, MAILED = ("+15550109001", "+15550100001"), ("hello@company.example", "j.doe@example.com")
COMMON = {
    "event_key": "evt:x:1",
    "conversation_id": "c-1",
    "received_at": "2026-11-20T12:00:00.000Z",
    "source": "test",
    "trace_id": "1f",
}
OF = {
    "ticket_message": lambda _: TicketMessage(message_id="m", **COMMON),
    "ticket_notification": lambda _: TicketNotification(**COMMON),
    "start_conversation": lambda pair: StartConversation(
        sender=pair[0], recipient=pair[1], record={}, **COMMON
    ),
    "inbound_message": lambda pair: InboundMessage(
        channel="email" if pair is MAILED else "sms",
        sender=pair[0],
        recipient=pair[1],
        message_id="m",
        sent_at="2026-11-20T12:00:00.000Z",
        **COMMON,
    ),
    "delivery_receipt": lambda pair: DeliveryReceipt(
        channel="email" if pair is MAILED else "text",
        sender=pair[0],
        recipient=pair[1],
        entry_id="e",
        provider_id="p",
        status="sent",
        rank=1,
        **COMMON,
    ),
    "outreach_resume": lambda pair: OutreachResume(pair=pair, **COMMON),
    "handoff_release": lambda pair: HandoffRelease(handoff_id="h", pair=pair, **COMMON),
    "tell_company": lambda _: TellCompany(number=1, **COMMON),
    "unsubscribed": lambda pair: Unsubscribed(pair=pair, **COMMON),
    "handoff_notice": lambda _: HandoffNotice(**COMMON),
    "desk_reply": lambda pair: DeskReply(pair=pair, **COMMON),
    "aloware_delivery": lambda _: AlowareDelivery(communication_id="7", **COMMON),
    "hubspot_batch": lambda _: HubSpotBatch(events=(), **COMMON),
    "action_resend": lambda _: ActionResend(
        source_event_key="evt:rp:1", action_key="act:1", nonce="n", **COMMON
    ),
}
"""One job of each kind, of a conversation between two addresses."""


class Queues:
    """The queues as the opener counts them."""

    def __init__(self):
        self.empty, self.asked = True, 0

    def is_empty(self, lane):
        assert lane == TICKETS
        self.asked += 1
        return self.empty


class Rig:
    """A door, its queues, and the row that opens the lanes."""

    def __init__(self):
        self.clock, self.outbox = ManualClock(), RecordingOutbox()
        self.table = FaultyTable(tables.ledger())
        self.opening = Opening(self.table, self.clock, lambda: "sweeper")
        self.queue = Queues()
        self.opener = LaneOpener(self.opening, self.queue, self.clock)
        self.intake = self.door()

    def door(self):
        """The door of another container."""
        ids = (f"id-{n}" for n in range(1, 100))
        return Intake(
            outbox=self.outbox,
            opaque=lambda: OpaqueIds(b"a key of the stage"),
            clock=self.clock,
            log=RecordingLog(),
            new_id=lambda: next(ids),
            lanes_open=OpenLanes(lambda: self.opening, self.clock),
        )

    def __call__(self, kind="start_conversation", pair=TEXTED, door=None):
        """The lane that a door puts a job into."""
        (door or self.intake).accept(OF[kind](pair))
        return self.outbox.lanes[-1]

    def look(self, *, dry_run=False):
        sweep = SweepActions(None, None, Summary(), lambda: 200.0, dry_run)
        self.opener.run(SweepCursor("o", 1), sweep, since=self.clock.now())

    def opens(self):
        """Two looks at an empty queue, and the notice."""
        self.look()
        self.clock.forward(BETWEEN_LOOKS_SECONDS)
        self.look()
        self.clock.forward(opening.NOTICE_SECONDS)


@pytest.fixture
def rig():
    return Rig()


# --- which lane ---------------------------------------------------------------------------------


def test_every_kind_of_job_has_a_lane():
    assert OF.keys() == KINDS.keys()
    for kind in ("ticket_message", "ticket_notification", "action_resend"):
        assert OF[kind](TEXTED).lane == TICKETS
    for kind in ("aloware_delivery", "hubspot_batch"):
        assert OF[kind](TEXTED).lane == FACTS
    assert OF["tell_company"](TEXTED).lane == COMPANIES
    assert OF["handoff_notice"](TEXTED).lane == EMAIL
    others = {"ticket_message", "ticket_notification", "action_resend", "tell_company"}
    others |= {"handoff_notice"}
    for kind in OF.keys() - others:
        if "batch" not in kind and "aloware" not in kind:
            assert (OF[kind](TEXTED).lane, OF[kind](MAILED).lane) == (OUTREACH, EMAIL), kind


def test_jobs_of_one_group_are_in_one_lane():
    """Else the order of a conversation would be that of two queues."""
    lanes = {}
    for pair in (TEXTED, MAILED):
        for make in OF.values():
            job = make(pair)
            lanes.setdefault(job.group, set()).add(job.lane)
    assert {len(found) for group, found in lanes.items() if group[0] == "pair"} == {1}


def test_a_queue_names_its_lane_and_an_unknown_one_is_the_tickets():
    for lane in LANES:
        assert of_queue(lane.queue("prod")) == lane
        assert named(lane.name) == lane
    assert {of_queue("rp-mw-own-name.fifo"), named("of-a-newer-release"), named(None)} == {TICKETS}


# --- the doors of an upgraded stage -------------------------------------------------------------


def test_until_the_old_queue_was_seen_drained_what_has_an_order_goes_through_it(rig):
    assert (rig(), rig(pair=MAILED), rig("ticket_message")) == (TICKETS,) * 3
    assert (rig("hubspot_batch"), rig("aloware_delivery")) == (FACTS, FACTS)


def test_two_empty_looks_open_the_lanes_after_a_notice(rig):
    rig.look()
    rig.look()
    assert rig() == TICKETS, "two looks at once err in the same way"
    rig.clock.forward(BETWEEN_LOOKS_SECONDS)
    rig.look()
    assert rig() == TICKETS, "another container has not read it yet"
    rig.clock.forward(opening.NOTICE_SECONDS)
    assert (rig(), rig(pair=MAILED), rig("ticket_message")) == (OUTREACH, EMAIL, TICKETS)


def test_a_message_between_the_looks_makes_the_next_empty_one_the_first(rig):
    rig.look()
    rig.clock.forward(BETWEEN_LOOKS_SECONDS)
    rig.queue.empty = False
    rig.look()
    rig.queue.empty = True
    rig.clock.forward(BETWEEN_LOOKS_SECONDS)
    rig.look()
    rig.clock.forward(opening.NOTICE_SECONDS)
    assert rig() == TICKETS
    rig.opens()
    assert rig() == OUTREACH


def test_every_container_changes_over_at_the_same_time(rig):
    doors = [rig.door() for _ in range(3)]
    assert [rig(door=door) for door in doors] == [TICKETS] * 3
    rig.look()
    rig.clock.forward(BETWEEN_LOOKS_SECONDS)
    rig(door=doors[0])  # has read just before
    rig.look()
    rig.clock.forward(opening.NOTICE_SECONDS - 1)
    assert [rig(door=door) for door in doors] == [TICKETS] * 3
    rig.clock.forward(2)
    assert [rig(door=door) for door in (*doors, rig.door())] == [OUTREACH] * 4


def test_open_lanes_are_never_closed_and_never_counted_again(rig):
    rig.opens()
    rig.queue.empty, asked = False, rig.queue.asked
    for opener in (rig.opener, LaneOpener(rig.opening, rig.queue, rig.clock)):
        rig.opener = opener
        rig.look()
    rig.clock.forward(400 * 86_400)
    assert (rig(door=rig.door()), rig.queue.asked) == (OUTREACH, asked)
    assert rig.opening.read()["expires_at"] > rig.clock.now().timestamp()


def test_a_dry_run_opens_nothing(rig):
    rig.look()
    rig.clock.forward(BETWEEN_LOOKS_SECONDS)
    rig.look(dry_run=True)
    rig.clock.forward(opening.NOTICE_SECONDS)
    assert rig() == TICKETS


def test_a_row_that_cannot_be_read_leaves_a_job_on_the_old_way(rig):
    rig.opens()
    door, get = rig.door(), rig.table.get

    def throttled(*_, **__):
        raise TransientError("dynamodb", "get_item")

    rig.table.get = throttled
    assert rig(door=door) == TICKETS
    rig.table.get = get
    assert rig(door=door) == OUTREACH


# --- on the way ---------------------------------------------------------------------------------


def test_a_forwarded_job_keeps_its_group_and_a_repeated_delivery_is_the_same_message(rig):
    job = OF["start_conversation"](TEXTED)
    rig.intake.accept(job)
    rig.intake.forward(job, "sqs-1")
    rig.intake.forward(job, "sqs-1")
    rig.intake.forward(job, "sqs-2")
    bodies, groups, deduplications = zip(*rig.outbox.messages, strict=True)
    assert rig.outbox.lanes == [TICKETS, OUTREACH, OUTREACH, OUTREACH]
    assert len(set(bodies)) == len(set(groups)) == 1
    assert [deduplications.count(one) for one in deduplications] == [1, 2, 2, 1]


def test_a_worker_forwards_what_is_not_of_its_lane_and_does_nothing_else(worker_rig):
    for kind in ("inbound_message", "aloware_delivery"):
        job = OF[kind](TEXTED)
        assert worker_rig.process(job, lane=TICKETS) == "done"
        assert worker_rig.forwarded.pop() == (job, "sqs-1")
    assert (worker_rig.kept, worker_rig.table.rows, worker_rig.sent) == ([], {}, [])


def test_a_job_that_could_not_be_forwarded_stays_where_it_is(worker_rig):
    def refuses(_job, _message_id):
        raise UnavailableError("enqueue_failed")

    object.__setattr__(worker_rig.worker, "forward", refuses)
    assert worker_rig.process(OF["inbound_message"](TEXTED), lane=TICKETS) == "enqueue_failed"
    assert worker_rig.queue.deferred


def test_a_message_is_deferred_in_the_queue_that_delivered_it(worker_rig):
    worker_rig.process("not a job", lane=EMAIL)
    assert worker_rig.queue.lanes == [EMAIL]


@pytest.mark.parametrize(
    ("kind", "pair"), [("start_conversation", MAILED), ("ticket_message", TEXTED)]
)
def test_a_job_that_waits_comes_back_into_its_own_lane(rig, kind, pair):
    job, put = OF[kind](pair), []

    class Delay:
        def put(self, body, *, delay_seconds):
            put.append((body, delay_seconds))

    later.Later(Delay(), lambda: OpaqueIds(b"a key of the stage")).put(job, 30.0)
    later.put_back(put[0][0], "m-1", rig.outbox)
    assert rig.outbox.lanes == [job.lane]
    assert decode(rig.outbox.messages[0][0]) == job


def test_a_job_put_aside_by_an_earlier_release_comes_back_through_the_old_queue(rig):
    body = {"group": "g", "job": encode(OF["start_conversation"](TEXTED))}
    later.put_back(json.dumps(body), "m-1", rig.outbox)
    assert rig.outbox.lanes == [TICKETS]


def test_a_job_that_comes_long_before_its_time_waits_again_and_takes_no_lanes_time(rig):
    put, job = [], OF["start_conversation"](TEXTED).model_copy(update={"slot": 5_000.0})

    class Delay:
        def put(self, body, *, delay_seconds):
            put.append((body, delay_seconds))

    later.Later(Delay(), lambda: OpaqueIds(b"a key of the stage")).put(job, 4_000.0)
    assert put[0][1] == later.MAX_DELAY_SECONDS

    later.put_back(put[0][0], "m-1", rig.outbox, queue=Delay(), now=1_900.0)
    assert put[1] == (put[0][0], later.MAX_DELAY_SECONDS)
    later.put_back(put[1][0], "m-2", rig.outbox, queue=Delay(), now=4_900.0)
    assert put[2] == (put[0][0], 100.0)
    assert rig.outbox.messages == []
    later.put_back(put[2][0], "m-3", rig.outbox, queue=Delay(), now=4_999.5)
    assert len(put) == 3
    assert len(rig.outbox.messages) == 1
