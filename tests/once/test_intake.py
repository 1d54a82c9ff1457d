"""The one door in: responses to callers, messages to the queue, and crashes in between."""

import json

import pytest

from chalicelib.errors import PayloadError, SignatureError, UnavailableError
from chalicelib.once import keys
from chalicelib.once.door import Answer
from chalicelib.once.event import RECEIPT_GONE, EventStatus
from chalicelib.once.intake import Intake, as_list_parser
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import UNDECIDED
from chalicelib.support.jobs import TicketMessage
from chalicelib.wiring.jobs import decode
from tests.rigs.fakes import ManualClock, RecordingLog, RecordingOutbox
from tests.rigs.tables import FaultyTable
from tests.simulation import tables

UNREACHABLE = ConnectionError("no table")
OPAQUE = keys.OpaqueIds(b"a key of the stage")
KEY = "evt:rp:1042:c-77"
SOURCE = "richpanel_http_target"


def parse(request):
    """A message as its source would parse it: the body is only the text."""
    return TicketMessage(
        event_key=KEY,
        conversation_id="1042",
        received_at=request.received_at,
        source=SOURCE,
        trace_id=request.delivery_id,
        message_id="c-77",
        text=request.body.decode(),
    )


class IntakeRig:
    """The intake with a queue and, where asked for, a ledger."""

    def __init__(self, *, ingress_ledger=False):
        self.clock, self.log, self.outbox = ManualClock(), RecordingLog(), RecordingOutbox()
        ids = (f"id-{n}" for n in range(1, 100))
        self.table = FaultyTable(tables.ledger())
        self.ledger = Ledger(table=self.table, clock=self.clock, new_owner=lambda: "owner")
        self.intake = Intake(
            outbox=self.outbox,
            opaque=lambda: OPAQUE,
            clock=self.clock,
            log=self.log,
            new_id=lambda: next(ids),
            ledger=(lambda: self.ledger) if ingress_ledger else None,
        )
        self.verified = []

    def post(self, *, verify=None, parse=parse, headers=None):
        return self.intake.receive(
            SOURCE,
            headers or {"X-Token": "t"},
            b"hello",
            verify or self.verified.append,
            as_list_parser(parse),
        )

    def job(self, position=0):
        return decode(self.outbox.messages[position][0])

    def row(self):
        return self.table.get({"event_id": KEY})


@pytest.fixture
def intake_rig():
    return IntakeRig()


@pytest.fixture
def ledgered_rig():
    return IntakeRig(ingress_ledger=True)


# --- accepted requests ----------------------------------------------------------------------


def test_a_request_is_answered_accepted_with_its_event_id(intake_rig):
    assert intake_rig.post() == Answer(200, {"status": "accepted", "event_id": KEY})


def test_an_accepted_request_is_one_message_of_its_conversation_on_the_queue(intake_rig):
    intake_rig.post()
    ((body, group, deduplication),) = intake_rig.outbox.messages
    assert json.loads(body)["text"] == "hello"
    assert group == OPAQUE.fifo_group("1042")
    assert deduplication == keys.fifo_deduplication_id(KEY)


def test_two_copies_at_the_front_door_share_a_deduplication_id(intake_rig):
    """F01: the queue itself drops a copy within five minutes."""
    intake_rig.post()
    intake_rig.post()
    (_, _, first), (_, _, second) = intake_rig.outbox.messages
    assert first == second


def test_a_request_carries_the_time_of_its_receipt_and_an_id_of_its_own(intake_rig):
    intake_rig.post()
    intake_rig.clock.forward(1.5)
    intake_rig.post()
    assert [(intake_rig.job(n).received_at, intake_rig.job(n).trace_id) for n in (0, 1)] == [
        ("2026-11-20T12:00:00.000Z", "id-1"),
        ("2026-11-20T12:00:01.500Z", "id-2"),
    ]


def test_header_names_reach_the_source_in_lower_case_and_values_unchanged(intake_rig):
    seen = []

    def parsing(request):
        seen.append(request.headers)
        return parse(request)

    intake_rig.post(headers={"X-Richpanel-Webhook-Token": "AbC"}, parse=parsing)
    assert intake_rig.verified == seen == [{"x-richpanel-webhook-token": "AbC"}]


def test_an_accepted_request_is_logged_with_its_trace_and_counted_by_source(intake_rig):
    intake_rig.post()
    assert intake_rig.log.events == [
        ("ingress.accepted", {"source": SOURCE, "mw_trace_id": "id-1"})
    ]
    assert intake_rig.log.metrics == [("mw.ingress.accepted", 1, {"source": SOURCE})]


# --- requests of no job, or of several --------------------------------------------------------


def test_a_request_without_a_job_is_accepted_and_queues_nothing(intake_rig):
    assert intake_rig.post(parse=lambda _request: None) == Answer(200, {"status": "accepted"})
    assert intake_rig.outbox.messages == []
    assert intake_rig.log.events == [("ingress.accepted", {"source": SOURCE, "jobs": 0})]


def batch(request):
    """Two events in one request."""
    event = parse(request)
    return [event, event.model_copy(update={"event_key": f"{KEY}8", "message_id": "c-778"})]


def receive_batch(intake_rig, patience_seconds=0.0):
    return intake_rig.intake.receive(
        SOURCE,
        {},
        b"hello",
        lambda _headers: None,
        batch,
        patience_seconds=patience_seconds,
        answer=lambda jobs: {"kept": len(jobs)},
    )


def test_every_job_of_a_request_is_queued_and_the_response_counts_them(intake_rig):
    assert receive_batch(intake_rig) == Answer(200, {"status": "accepted", "kept": 2})
    assert [intake_rig.job(n).event_key for n in (0, 1)] == [KEY, f"{KEY}8"]
    assert intake_rig.log.events == [("ingress.accepted", {"source": SOURCE, "jobs": 2})]


def test_the_queue_is_tried_again_within_the_senders_patience_and_no_job_is_left_out(intake_rig):
    intake_rig.outbox.fails = [UnavailableError("enqueue_failed")] * 2
    assert receive_batch(intake_rig, patience_seconds=1.0).status == 200
    assert len(intake_rig.outbox.messages) == 2
    assert intake_rig.clock.slept == [0.25, 0.5]


def test_no_attempt_starts_after_the_senders_patience(intake_rig):
    intake_rig.outbox.fails = [UnavailableError("enqueue_failed")] * 9
    assert receive_batch(intake_rig, patience_seconds=1.0).status == 503
    assert intake_rig.clock.slept == [0.25, 0.5]


# --- refused requests -----------------------------------------------------------------------


def refuse(error):
    def verify(headers):
        raise error

    return verify


def test_a_request_that_fails_authentication_is_not_parsed(intake_rig):
    """F14: wrong or rotated secret."""
    parsed = []
    answer = intake_rig.post(verify=refuse(SignatureError("invalid_token")), parse=parsed.append)
    assert answer == Answer(
        401, {"status": "error", "code": "invalid_token", "message": "invalid_token"}
    )
    assert (parsed, intake_rig.outbox.messages) == ([], [])


def test_a_request_is_measured_then_authenticated_then_parsed(intake_rig):
    """Nothing of a body that is too large is read, and nothing of a stranger's is parsed."""
    seen = []

    def post(limit, verify):
        return intake_rig.intake.receive(
            SOURCE,
            {},
            b"hello",
            verify,
            as_list_parser(lambda request: seen.append("parsed") or parse(request)),
            max_body_bytes=limit,
        ).status

    assert post(4, lambda _headers: seen.append("verified")) == 413
    assert seen == []
    assert post(5, refuse(SignatureError("invalid_token"))) == 401
    assert seen == []
    assert post(5, lambda _headers: seen.append("verified")) == 200
    assert seen == ["verified", "parsed"]


def test_a_refusal_says_which_field_is_wrong_and_queues_nothing(intake_rig):
    def parsing(request):
        raise PayloadError("missing_conversation_id", "ticket_id is missing")

    assert intake_rig.post(parse=parsing) == Answer(
        400,
        {
            "status": "error",
            "code": "missing_conversation_id",
            "message": "ticket_id is missing",
        },
    )
    assert intake_rig.outbox.messages == []


def test_a_refusal_is_logged_and_counted_by_its_code(intake_rig):
    intake_rig.post(verify=refuse(SignatureError("invalid_token")))
    fields = {"source": SOURCE, "code": "invalid_token"}
    assert intake_rig.log.events == [("ingress.request.rejected", fields)]
    assert intake_rig.log.metrics == [("mw.ingress.rejected", 1, fields)]


# --- requests that could not be kept --------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "status", "code"),
    [("enqueue_failed", 503, "enqueue_failed"), ("secret_unreadable", 500, "internal_error")],
)
def test_a_request_that_was_not_kept_is_never_answered_2xx(intake_rig, cause, status, code):
    """F03: the sender retries; internal causes are not shown to the caller."""
    intake_rig.outbox.fails = [UnavailableError(cause)]
    assert intake_rig.post() == Answer(
        status, {"status": "error", "code": code, "message": "try again later"}
    )


def test_a_failure_is_logged_and_counted_by_its_true_cause(intake_rig):
    intake_rig.outbox.fails = [UnavailableError("secret_unreadable")]
    intake_rig.post()
    fields = {"source": SOURCE, "code": "secret_unreadable"}
    assert intake_rig.log.events == [("ingress.failed", fields)]
    assert intake_rig.log.metrics == [("mw.ingress.failed", 1, fields)]


# --- recovery -------------------------------------------------------------------------------


def test_a_recovery_send_is_not_deduplicated_and_carries_its_reason(intake_rig):
    intake_rig.post()
    for _ in range(2):
        intake_rig.intake.accept(intake_rig.job(), recovery=Recovery.SETTLED)
    deduplications = [deduplication for _, _, deduplication in intake_rig.outbox.messages]
    assert len(set(deduplications)) == 3
    assert [intake_rig.job(n).recovery for n in range(3)] == [
        None,
        Recovery.SETTLED,
        Recovery.SETTLED,
    ]
    assert len({group for _, group, _ in intake_rig.outbox.messages}) == 1


def test_an_event_received_again_after_it_was_given_up_is_not_deduplicated(ledgered_rig):
    """Its first message was given up as lost; the queue would drop a copy for five minutes."""
    ledgered_rig.post()
    ledgered_rig.ledger.record_end(
        facts_of(ledgered_rig.job()), UNDECIDED, EventStatus.FAILED, reason=RECEIPT_GONE
    )
    ledgered_rig.clock.forward(20)
    ledgered_rig.post()
    (_, _, first), (_, _, later) = ledgered_rig.outbox.messages
    assert first != later
    assert ledgered_rig.row()["status"] == "received"


def test_copies_of_an_event_that_is_not_claimed_share_a_deduplication_id(ledgered_rig):
    """The response to the first send was lost: the queue may have it."""
    kept = ledgered_rig.outbox.put

    def put(*message, **attributes):
        kept(*message, **attributes)
        raise UnavailableError("enqueue_failed")

    ledgered_rig.outbox.put = put
    assert ledgered_rig.post().status == 503
    ledgered_rig.clock.forward(20)
    ledgered_rig.outbox.put = kept
    assert ledgered_rig.post().status == 200
    (_, _, first), (_, _, again) = ledgered_rig.outbox.messages
    assert first == again


def test_a_recovery_send_is_queued_whatever_the_ledger_holds(ledgered_rig):
    """An event that was queued once and lost on the way must be queued again."""
    ledgered_rig.post()
    ledgered_rig.intake.accept(ledgered_rig.job(), recovery=Recovery.SWEEP)
    assert len(ledgered_rig.outbox.messages) == 2


def test_a_recovery_send_leaves_no_received_row(ledgered_rig):
    ledgered_rig.post()
    ledgered_rig.table.delete({"event_id": KEY})
    ledgered_rig.intake.accept(ledgered_rig.job(), recovery=Recovery.OPERATOR)
    assert ledgered_rig.row() is None


# --- a ledger at the door -------------------------------------------------------------------


def test_without_a_ledger_at_the_door_no_row_is_written(intake_rig):
    intake_rig.post()
    assert intake_rig.row() is None


def test_the_row_is_there_and_dated_before_the_queue_has_the_job(ledgered_rig):
    """F04: after a crash in between, the sweep queues the job."""
    seen = []
    ledgered_rig.outbox.before_answer = lambda: seen.append(ledgered_rig.row())
    ledgered_rig.post()
    assert (seen[0]["status"], "due_at" in seen[0]) == (EventStatus.RECEIVED, True)
    assert ledgered_rig.row() == seen[0]


def test_a_copy_of_a_claimed_event_is_accepted_and_not_queued_again(ledgered_rig):
    first = ledgered_rig.post()
    ledgered_rig.ledger.claim(
        facts_of(ledgered_rig.job()), UNDECIDED, lease_seconds=9, takeover=frozenset()
    )
    assert ledgered_rig.post() == first
    assert len(ledgered_rig.outbox.messages) == 1


def test_a_retry_of_an_event_that_never_reached_the_queue_is_queued(ledgered_rig):
    """F04: crash between row and queue."""
    ledgered_rig.outbox.fails = [UnavailableError("enqueue_failed")]
    assert ledgered_rig.post().status == 503
    assert ledgered_rig.post().status == 200
    assert len(ledgered_rig.outbox.messages) == 1


def test_a_request_is_refused_when_the_ledger_cannot_be_written(ledgered_rig):
    ledgered_rig.table.fails["put"] = [UNREACHABLE]
    answer = ledgered_rig.post()
    assert (answer.status, answer.body["code"]) == (503, "enqueue_failed")
    assert ledgered_rig.outbox.messages == []
