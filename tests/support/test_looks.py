"""A burst of notifications of one ticket costs few reads, and none of them loses a comment."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.aws.queue import SqsDelayQueue
from chalicelib.clock import SystemClock, iso
from chalicelib.errors import PermanentError, TransientError
from chalicelib.once.event import EventStatus, Lease
from chalicelib.once.flow import NotAnEvent, NotYet
from chalicelib.once.job import Recovery
from chalicelib.support.jobs import TicketNotification
from chalicelib.support.looks import LOOK_AFTER_SECONDS, TOGETHER_SECONDS, Looks, TicketLook
from chalicelib.support.state import StateChange, States
from chalicelib.support.tickets import Ticket
from local.stack.pump import Pump
from tests.rigs.fakes import NOON, ManualClock
from tests.rigs.ledger import facts
from tests.simulation import tables


def look(began):
    """A read of a ticket without comments."""
    return TicketLook(began, Ticket("1042", "OPEN", frozenset(), ()), None)


class LooksRig:
    """The looks at two tickets over a table in memory."""

    def __init__(self):
        self.clock = ManualClock()
        self.state = States(table=tables.state(), clock=self.clock)
        self.looks = Looks(state=self.state, clock=self.clock)

    def job(self, *, ago=0.0, ticket="1042", delivery="d-1", **more):
        """A notification that was received so many seconds before noon."""
        return TicketNotification(
            event_key=f"evt:rp:{ticket}:n:{delivery}",
            conversation_id=ticket,
            received_at=iso(NOON - timedelta(seconds=ago)),
            source="richpanel_http_target",
            trace_id="1f",
            **more,
        )

    def store_look_time(self, *, ago=0.0, ticket="1042"):
        """A look that began so many seconds before noon and has ended."""
        job = self.job(ticket=ticket, delivery=f"look-{ago}")
        self.looks.remember_look(job, look(NOON - timedelta(seconds=ago)))
        self.looks.store_look(job)

    def is_read(self, job):
        self.looks.state_if_read_needed(job)
        return True


@pytest.fixture
def rig():
    return LooksRig()


def test_the_first_notification_of_a_ticket_is_read_at_once(rig):
    assert rig.is_read(rig.job())


def test_a_look_that_began_long_enough_after_the_receipt_covers(rig):
    rig.store_look_time()
    with pytest.raises(NotAnEvent) as ended:
        rig.looks.state_if_read_needed(rig.job(ago=LOOK_AFTER_SECONDS))
    assert (ended.value.status, ended.value.reason) == (EventStatus.PROCESSED, "covered")


@pytest.mark.parametrize("ago", [0.001, 1.0, LOOK_AFTER_SECONDS - 0.001])
def test_a_look_that_began_sooner_covers_nothing_and_the_next_one_is_shared(rig, ago):
    rig.store_look_time()
    with pytest.raises(NotYet) as waits:
        rig.looks.state_if_read_needed(rig.job(ago=ago))
    covers = NOON.timestamp() - ago + LOOK_AFTER_SECONDS
    assert waits.value.until_epoch % TOGETHER_SECONDS == 0
    assert covers <= waits.value.until_epoch < covers + TOGETHER_SECONDS


@pytest.mark.parametrize("before", [0.0, 0.001, 1_000.0])
def test_a_look_that_began_before_the_receipt_covers_nothing(rig, before):
    rig.store_look_time(ago=before)
    assert rig.is_read(rig.job())


def test_what_has_waited_is_read_and_that_look_covers_the_others(rig):
    rig.store_look_time()
    with pytest.raises(NotYet) as waits:
        rig.looks.state_if_read_needed(rig.job(ago=2, delivery="d-2"))
    rig.clock.sleep(waits.value.until_epoch - NOON.timestamp())
    assert rig.is_read(rig.job(ago=2, delivery="d-2"))
    rig.store_look_time(ago=NOON.timestamp() - waits.value.until_epoch)
    with pytest.raises(NotAnEvent):
        rig.looks.state_if_read_needed(rig.job(ago=1, delivery="d-3"))


def test_a_look_covers_no_other_ticket(rig):
    rig.store_look_time(ticket="7")
    assert rig.is_read(rig.job(ago=LOOK_AFTER_SECONDS))


def test_a_look_that_has_not_ended_covers_nothing(rig):
    """Its worker died, or one of its events was handed back."""
    rig.looks.remember_look(rig.job(delivery="d-0"), look(NOON))
    assert rig.is_read(rig.job(ago=LOOK_AFTER_SECONDS))


def test_a_job_without_a_read_notes_no_look(rig):
    """Its ticket could not be read, or another job's read was the last one."""
    rig.looks.remember_look(rig.job(delivery="d-0"), look(NOON))
    rig.looks.store_look(rig.job(delivery="d-1"))
    assert rig.is_read(rig.job(ago=LOOK_AFTER_SECONDS))


def test_looks_that_end_in_another_order_keep_the_newest(rig):
    rig.store_look_time()
    rig.store_look_time(ago=3_600)
    with pytest.raises(NotAnEvent):
        rig.looks.state_if_read_needed(rig.job(ago=LOOK_AFTER_SECONDS))


@pytest.mark.parametrize("recovery", [Recovery.OPERATOR, Recovery.SETTLED])
def test_what_a_person_or_a_settled_action_sends_is_always_read(rig, recovery):
    rig.store_look_time()
    assert rig.is_read(rig.job(ago=LOOK_AFTER_SECONDS, recovery=recovery))


def test_the_sweeps_notification_of_a_state_seen_before_the_look_is_covered(rig):
    rig.store_look_time()
    with pytest.raises(NotAnEvent):
        rig.looks.state_if_read_needed(rig.job(ago=LOOK_AFTER_SECONDS, recovery=Recovery.SWEEP))


def test_a_look_changes_nothing_else_that_is_known_of_a_conversation(rig):
    change = StateChange("1042", iso(NOON), intent="refund_request", first_contact_floor=iso(NOON))
    rig.store_look_time()
    assert rig.state.apply(Lease(facts(), "o", 1, 2e9, 1), change)
    before = rig.state.read("1042")
    rig.clock.sleep(1)
    rig.store_look_time(ago=-1)
    after = rig.state.read("1042")
    assert (after.last_intent, after.first_contact_floor) == ("refund_request", iso(NOON))
    assert before.looked_at < after.looked_at
    assert before.last_message_at == after.last_message_at


# --- the whole pipeline -----------------------------------------------------------------------


TICKETS = [f"t-{number}" for number in range(10)]


class BurstSystem:
    """Notifications at the door, and what Richpanel is asked for them."""

    def __init__(self, system, later, hold):
        self.system, self.later, self.hold = system, later, hold

    def notify(self, *tickets, times=1):
        return [
            self.system.post({"ticket_id": ticket, "trigger": "customer_message"}).json_body[
                "event_id"
            ]
            for _ in range(times)
            for ticket in tickets
        ]

    def run(self):
        self.hold.seconds += 1  # a look begins later than the receipts
        while self.system.pump.pump_one() is not None:
            pass

    def let_waits_end(self):
        """The moment has come for which the jobs of the queue `later` have waited."""
        self.hold.seconds += LOOK_AFTER_SECONDS + TOGETHER_SECONDS
        while self.later.pump_one() is not None:
            pass
        self.run()

    def asked(self, operation):
        return [call for call in self.system.richpanel.calls if call.operation == operation]

    def ends(self, events):
        rows = [self.system.row(event) for event in events]
        return [(row["status"], row.get("reason")) if row else None for row in rows]


class _Hold:
    seconds = 0.0


@pytest.fixture
def burst(system, stage, app, monkeypatch, without_rate_limits):
    hold, put = _Hold(), SqsDelayQueue.put
    monkeypatch.setattr(
        SystemClock, "now", lambda self: datetime.now(UTC) + timedelta(seconds=hold.seconds)
    )
    monkeypatch.setattr(
        SqsDelayQueue, "put", lambda self, body, *, delay_seconds: put(self, body, delay_seconds=0)
    )
    queue = "LaterQueue"
    sqs = stage.aws.client("sqs")
    later = Pump(sqs, stage.queues[queue], stage.queue_arns[queue], app.later)
    return BurstSystem(system, later, hold)


def test_forty_notifications_of_ten_tickets_cost_twenty_reads_at_most(burst):
    for ticket in TICKETS:
        burst.system.richpanel.add_ticket(ticket, comments=["I want a refund"])
    events = burst.notify(*TICKETS, times=4)
    burst.run()
    assert len(burst.asked("read_ticket")) == len(TICKETS), "each ticket is routed by one read"
    burst.let_waits_end()
    assert len(burst.asked("read_ticket")) <= 20
    assert len(burst.asked("add_tags")) == len(TICKETS)
    ends = burst.ends(events)
    assert ends[:10] == [("processed", "resolved")] * 10
    assert sorted(ends[10:]) == sorted(
        [("processed", "nothing_new")] * 10 + [("processed", "covered")] * 20
    )


def test_a_backlog_of_notifications_of_a_ticket_is_one_read(burst):
    burst.system.richpanel.add_ticket("7", comments=["I want a refund"])
    events = burst.notify("7", times=4)
    burst.hold.seconds += LOOK_AFTER_SECONDS + 1
    burst.run()
    assert [call.operation for call in burst.system.richpanel.calls] == ["read_ticket", "add_tags"]
    assert burst.ends(events) == [("processed", "resolved")] + [("processed", "covered")] * 3


def test_a_comment_that_no_read_has_shown_yet_is_found_by_the_shared_look(burst):
    """Four comments, of which the ticket shows only the first when the first notification is read."""
    burst.system.richpanel.add_ticket("7", comments=["I want a refund"])
    burst.notify("7", times=4)
    burst.run()
    burst.system.richpanel.add_comment("7", "My password does not work", id="c-late")
    burst.let_waits_end()
    assert burst.system.event("c-late", "7")["status"] == "processed"
    assert len(burst.asked("read_ticket")) == 2


def test_a_comment_after_the_look_is_read_at_once(burst):
    burst.system.richpanel.add_ticket("7", comments=["I want a refund"])
    burst.notify("7")
    burst.run()
    burst.system.richpanel.add_comment("7", "My password does not work", id="c-2")
    burst.notify("7")
    burst.run()
    assert burst.system.event("c-2", "7")["status"] == "processed"


def test_four_new_comments_of_one_notification_cost_one_read(burst):
    texts = ["I want a refund", "hello?", "My password does not work", "anyone?"]
    burst.system.richpanel.add_ticket("7", comments=texts)
    burst.notify("7")
    burst.run()
    assert len(burst.asked("read_ticket")) == 1
    assert [burst.system.event(f"comment-{n}", "7")["status"] for n in (1, 2, 3, 4)] == [
        "processed"
    ] * 4
    routes = {tag for tag in burst.system.richpanel.tags_of("7") if tag.startswith("route-")}
    assert routes == {"route-technical-support-team"}


@pytest.mark.parametrize("error", [TransientError, PermanentError])
def test_a_read_that_fails_covers_nothing(burst, error):
    status = 503 if error is TransientError else 404
    burst.system.richpanel.add_ticket("7", comments=["I want a refund"])
    burst.notify("7", times=2)
    burst.hold.seconds += LOOK_AFTER_SECONDS + 1
    burst.system.richpanel.fault("status", operation="read_ticket", status=status, times=1)
    burst.run()
    if error is TransientError:
        burst.system.again()
        burst.run()
    assert burst.system.event("comment-1", "7")["status"] == "processed"
