"""A mend's dry run is the set of what then happens, in every state that events, effects and letters have."""

import itertools
import time
from enum import StrEnum

import pytest

from chalicelib.once import causes
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.ledger import rows
from chalicelib.once.recovery.rebuilders import rebuilt
from chalicelib.once.timer import due_attributes
from ops.incidents import affected, mend
from ops.incidents.naming import incident_named
from ops.repair import preview
from ops.session import Session
from tests.rigs.one_case import one_case
from tests.rigs.ops_cli import runner
from tests.rigs.replies import RepliesRig

CAUSE = "richpanel.unavailable.tickets"
FIRST = f"{CAUSE}.1"
HOUR = 3600
INTERRUPTED = 130
ROUTE, DEPENDENT, ATTENTION = (
    "route-email-support-team",
    "mw-reply-sent",
    "middleware_error_needs_attention",
)
REPLY = "the reply"


class Row(StrEnum):
    """States of an action's row that are no status of their own."""

    ABSENT = "absent"
    NOT_STARTED = "pending, not started"
    SHOWN = "unknown, and its vendor shows it"
    ABSENT_THERE = "unknown, and twice its vendor did not show it"


class Event(StrEnum):
    """States of an event that are no status of their own."""

    AT_A_WORKER = "at a worker"
    LEASE_OVER = "its worker died"
    WITHHELD = "refused, which is a person's"


class Letter(StrEnum):
    """What a dead-letter queue may hold of an event."""

    NONE = "no letter"
    MESSAGE = "its message"
    HANDOFF = "its hand-off"
    BOTH = "both"


ACTIONS = (*ActionStatus, *Row)
EVENTS = (*EventStatus, *Event)
ENDED = frozenset((EventStatus.PROCESSED, EventStatus.SKIPPED, Event.WITHHELD))
"""States in which nothing holds an event up."""


class Outage:
    """Tickets whose answers are planned and were not sent, put into every state."""

    def __init__(self, system, shopify, run):
        self.system, self.shopify, self.run = system, shopify, run
        self.shown = set()

    @property
    def table(self):
        return self.system.services().ledger._table

    def planned(self, ticket, **more):
        """An answer is planned; Richpanel has refused the request, so nothing is done."""
        mail = f"ada-{ticket}@example.com"
        self.shopify.add_order(f"#{ticket}", email=mail, tracking=TRACKING)
        asked = f"Where is my order #{ticket}?"
        body = self.system.ticket(asked, ticket, customer_email=mail, **more)
        for operation in ("send_message", "add_tags"):
            self.system.richpanel.fault("status", operation=operation, status=429, times=1)
        self.system.run(body)
        self.system.richpanel.clear_faults()
        self.system.new_container()
        self.purge()
        return f"evt:rp:{ticket}:c-1"

    def purge(self):
        self.system.stage.aws.client("sqs").purge_queue(QueueUrl=self.system.stage.queue_url)

    def put_event(self, key, state):
        """Write the row of an event as it is in a state."""
        row = self.table.get({"event_id": key})
        row = {name: value for name, value in row.items() if name not in causes.NAMES}
        row |= {
            "lease_until": 0,
            "released": row["fence"],
            **due_attributes("event", key, time.time()),
        }
        status, reason, more, gone = _of_event(state)
        row |= {"status": status.value, **more}
        row |= {"reason": reason} if status in (EventStatus.FAILED, EventStatus.PARKED) else {}
        cause = causes.of(key, status, reason)
        row |= causes.attributes(cause, key, row["received_at"]) if cause else {}
        self.table.put({name: value for name, value in row.items() if name not in gone})

    def put_action(self, key, about, state):
        """Write the row of one action of an event as it is in a state."""
        ticket = key.split(":")[2]
        template = self.table.get({"event_id": f"act:rp_reply:{ticket}:c-1"})
        if about != REPLY:
            template |= {"event_id": f"act:rp_tag:{ticket}:{about}:c-1", "action_kind": "add_tag"}
            template.pop("probe", None)
        changes = _of_action(template["event_id"], state)
        if changes is None:
            self.table.delete({"event_id": template["event_id"]})
            return
        if state is Row.SHOWN and about == REPLY:
            self._lands(ticket, template)
        self.table.put(template | changes)

    def put_letter(self, key, letter):
        """Put the letters of an event into the lane's dead-letter queue."""
        services, sqs = self.system.services(), self.system.stage.aws.client("sqs")
        job = rebuilt(services.rebuilders, rows.event(self.table.get({"event_id": key})))
        recoveries = {
            Letter.NONE: (),
            Letter.MESSAGE: (Recovery.SWEEP,),
            Letter.HANDOFF: (Recovery.HANDOFF,),
            Letter.BOTH: (Recovery.HANDOFF, Recovery.SWEEP),
        }[letter]
        for recovery in recoveries:
            services.intake.accept(job, recovery=recovery)
            url = self.system.stage.queue_url
            (message,) = sqs.receive_message(QueueUrl=url, AttributeNames=["All"])["Messages"]
            sqs.send_message(
                QueueUrl=self.system.stage.dead_letter_url,
                MessageBody=message["Body"],
                MessageGroupId=message["Attributes"]["MessageGroupId"],
                MessageDeduplicationId=f"{message['MessageId']}-{recovery}",
            )
            sqs.delete_message(QueueUrl=url, ReceiptHandle=message["ReceiptHandle"])

    def _lands(self, ticket, row):
        """The reply has reached its ticket, and its answer was lost."""
        reference = row["probe"]["reference"]
        self.system.richpanel.add_comment(
            ticket,
            f"It is on its way. {reference}",
            operator=True,
            author_id=row["probe"]["author"],
        )

    def dry_run(self):
        return self.run("incidents", "mend", FIRST, "--dry-run", "--json").data

    def mends(self):
        """What Richpanel is asked for by a mend, as keys of actions; and what the mend says."""
        tags, texts = self._seen()
        said = self.run("incidents", "mend", FIRST, "--yes", "--rate", "1000", "--json").data
        while self.system.run():
            pass
        now_tags, now_texts = self._seen()
        return {*now_tags[len(tags) :], *now_texts[len(texts) :]}, said

    def _seen(self):
        richpanel = self.system.richpanel
        tags = [
            f"act:rp_tag:{effect.ticket_id}:{effect.value}:c-1"
            for effect in richpanel.effects
            if effect.kind == "tag_added"
        ]
        sent = richpanel.calls_of("send_message")
        return tags, [f"act:rp_reply:{call.path.split('/')[3]}:c-1" for call in sent]


TRACKING = {
    "number": "1Z999AA10123456784",
    "url": "https://carrier.example/t/1Z999AA10123456784",
    "company": "UPS",
}


def _of_event(state):
    """Status, reason, further attributes, and attributes that such a row lacks."""
    refused = "richpanel_http_503"
    match state:
        case EventStatus.RECEIVED:
            claimed = {"plan", "owner", "fence", "lease_until", "released", "attempts", "tries"}
            return EventStatus.RECEIVED, refused, {"last_reason": refused}, claimed
        case EventStatus.PROCESSING:
            return EventStatus.PROCESSING, refused, {"last_reason": refused}, ()
        case EventStatus.FAILED:
            return EventStatus.FAILED, f"dead_letter:{refused}", {}, ()
        case EventStatus.PARKED:
            return EventStatus.PARKED, f"unknown:{refused}", {}, ()
        case EventStatus.PROCESSED | EventStatus.SKIPPED:
            return state, None, {}, ()
        case Event.AT_A_WORKER:
            held = {"last_reason": refused, "lease_until": int(time.time()) + HOUR}
            return EventStatus.PROCESSING, refused, held, ()
        case Event.LEASE_OVER:
            return EventStatus.PROCESSING, refused, {"last_reason": refused, "lease_until": 1}, ()
        case Event.WITHHELD:
            return EventStatus.FAILED, "refused:404", {}, ()
    raise AssertionError(f"a state of events without a test: {state}")


def _of_action(key, state):
    """Changes to the row of an action; None where it has none."""
    now = int(time.time())
    ended = {"status": str(state), "started": True, "finished_at": "2026-11-20T09:00:00.000Z"}
    began = {"started": True, "started_epoch": now - 10 * HOUR, "horizon": now + HOUR}
    asked = {"horizon": now - HOUR, "looks": 1, "looked_epoch": now - HOUR}
    unknown = began | {
        "status": "unknown",
        "reason": "http_503",
        **due_attributes("action", key, now),
    }
    match state:
        case ActionStatus.PENDING:
            return began | {"status": "pending", "lease_until": 1}
        case ActionStatus.DONE | ActionStatus.ABANDONED:
            return ended
        case ActionStatus.REFUSED | ActionStatus.SKIPPED:
            return ended | {"reason": "shadow"}
        case ActionStatus.UNKNOWN | Row.SHOWN:
            return unknown
        case Row.ABSENT_THERE:
            return unknown | asked
        case Row.NOT_STARTED:
            return {"status": "pending", "started": False, "lease_until": 0}
        case Row.ABSENT:
            return None
    raise AssertionError(f"a state of actions without a test: {state}")


def expected(said, settled):
    """The keys of effects that go, by a dry run and by what is settled first.

    Args:
        said: the dry run.
        settled: by ticket, the further words of the dry run that mean that an effect goes.
    """
    goes = set()
    for effect in said["effects"]:
        ticket = effect["key"].split(":")[2]
        if effect["would"] == preview.GOES or effect["would"] in settled.get(ticket, ()):
            goes.add(effect["key"])
    return goes


SETTLED = {Row.SHOWN: {preview.FOLLOWS}, Row.ABSENT_THERE: {preview.ASKS, preview.FOLLOWS}}
"""The words of a dry run that mean that an effect goes, where a reply is settled first; else none do."""


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


@pytest.fixture
def outage(app, without_rate_limits, stage, richpanel, pump, shopify, capsys):
    return Outage(RepliesRig(app, stage, richpanel, pump), shopify, runner(capsys))


PAIRS = [
    *itertools.product(
        (REPLY, ROUTE, DEPENDENT, ATTENTION), (EventStatus.FAILED, EventStatus.PARKED)
    ),
    (REPLY, EventStatus.PROCESSING),
]


@one_case(("about", "state"), PAIRS)
def test_a_mend_does_what_its_dry_run_says_whatever_the_state_of_an_effect(outage, about, state):
    tickets = {str(1000 + number): state for number, state in enumerate(ACTIONS)}
    for ticket, action in tickets.items():
        key = outage.planned(ticket)
        outage.put_action(key, about, action)
        outage.put_event(key, state)
    said = outage.dry_run()
    assert len(said["events"]) == len(tickets)
    settled = {ticket: SETTLED.get(state, ()) for ticket, state in tickets.items()}
    went, did = outage.mends()
    assert went == expected(said, settled)
    assert did["effects"] == said["effects"]
    assert did["remained"] == said["remained"] == []


@one_case("letter", Letter)
def test_a_mend_does_what_its_dry_run_says_whatever_the_state_of_an_event(outage, letter):
    tickets = {str(1000 + number): state for number, state in enumerate(EVENTS)}
    for ticket, state in tickets.items():
        key = outage.planned(ticket)
        outage.put_letter(key, letter)
        outage.put_event(key, state)
    said = outage.dry_run()
    went, did = outage.mends()
    events = {event["event"].split(":")[2] for event in said["events"]}
    assert {tickets[event] for event in events} == {*EVENTS} - ENDED
    remained = {tickets[event["event"].split(":")[2]]: event["why"] for event in said["remained"]}
    assert remained == {Event.AT_A_WORKER: affected.AT_A_WORKER}
    assert did["remained"] == said["remained"]
    undecided = {
        effect["key"].split(":")[2]
        for effect in said["effects"]
        if effect["would"] == preview.UNDECIDED
    }
    assert {tickets[event] for event in undecided} == {EventStatus.RECEIVED}
    assert {key for key in went if key.split(":")[2] not in undecided} == expected(said, {})
    assert {key.split(":")[2] for key in went} == events - {_of(tickets, Event.AT_A_WORKER)}
    kept = {letter["conversation"] for letter in outage.run("dlq", "list", "--json").data}
    assert {tickets[event] for event in kept} == (
        set() if letter is Letter.NONE else {*ENDED, Event.AT_A_WORKER}
    )


@one_case("switch", ["kill_switch", "shadow_mode", "safe_mode", "automation_enabled"])
def test_a_mend_does_what_its_dry_run_says_whatever_a_switch_forbids(outage, switch):
    tickets = {str(1000 + number): state for number, state in enumerate(ACTIONS)}
    for ticket, action in tickets.items():
        key = outage.planned(ticket)
        outage.put_action(key, ATTENTION, Row.NOT_STARTED)
        outage.put_action(key, REPLY, action)
        outage.put_event(key, EventStatus.PARKED)
    outage.system.switch(**{switch: switch != "automation_enabled"})
    said = outage.dry_run()
    went, _ = outage.mends()
    assert went == expected(said, {})
    assert not [key for key in went if key.startswith("act:rp_reply")]


def test_what_is_in_place_already_is_not_listed_as_going(outage):
    outage.put_event(outage.planned("1000", tags=["mw-routing-applied", ROUTE]), EventStatus.FAILED)
    said = outage.dry_run()
    went, _ = outage.mends()
    assert went == expected(said, {})
    assert f"act:rp_tag:1000:{ROUTE}:c-1" not in went


def test_what_cannot_be_run_again_remains_and_says_why(outage):
    key, gone = outage.planned("1000"), "evt:gone:1000:c-1"
    outage.put_event(key, EventStatus.FAILED)
    outage.table.put(outage.table.get({"event_id": key}) | {"event_id": gone})
    said = outage.dry_run()
    _, did = outage.mends()
    assert said["remained"] == did["remained"] == [{"event": gone, "why": affected.CANNOT_RUN}]


HELD_BY = {causes.CAUSE: f"{CAUSE}#2026-11-20T09:00:00.000Z"}
MEANWHILE = {
    "another cause has it": (
        {causes.CAUSE: "us.bug_KeyError.tickets#2026-11-20T09:00:00.000Z"},
        mend.OTHER_CAUSE,
    ),
    "it was refused": ({"status": "failed"}, mend.OTHER_CAUSE),
    "a worker took it": (
        {"status": "processing", "lease_until": int(time.time()) + HOUR, **HELD_BY},
        affected.AT_A_WORKER,
    ),
    "it has succeeded": ({"status": "processed"}, mend.ENDED),
}


@pytest.mark.parametrize("change", MEANWHILE)
def test_what_has_changed_since_the_dry_run_is_left_and_keeps_its_letter(outage, change):
    key = outage.planned("1000")
    outage.put_letter(key, Letter.MESSAGE)
    outage.put_event(key, EventStatus.FAILED)
    session = Session("dev")
    found = incident_named(session, FIRST)
    held = affected.read(session, found)
    changes, did = MEANWHILE[change]
    without = () if causes.CAUSE in changes else causes.NAMES
    outage.table.update({"event_id": key}, set_=changes, remove=without)
    assert [what for _, what in mend.mend(session, found, held, per_second=100)] == [did]
    assert not outage.system.run()
    letters = outage.run("dlq", "list", "--json").data
    assert len(letters) == int(mend.remains(did))


def test_a_mend_that_died_before_it_sent_a_letter_sends_it_when_it_is_begun_again(
    outage, monkeypatch
):
    key = outage.planned("1000")
    outage.put_letter(key, Letter.MESSAGE)
    outage.put_event(key, EventStatus.FAILED)
    said = outage.dry_run()
    ask = mend.replay.record_request

    def dies(*arguments, **how):
        ask(*arguments, **how)
        raise KeyboardInterrupt

    monkeypatch.setattr(mend.replay, "record_request", dies)
    assert outage.run("incidents", "mend", FIRST, "--yes").code == INTERRUPTED
    monkeypatch.setattr(mend.replay, "record_request", ask)
    went, did = outage.mends()
    assert did["did"] == {mend.ASKED: 1}
    assert went == expected(said, {})


def _of(tickets, state):
    return next(ticket for ticket, its in tickets.items() if its == state)
