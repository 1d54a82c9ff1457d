"""The one door in: what a caller is told, what the queue gets, what a crash in between leaves."""

import json

import pytest

from chalicelib.errors import PayloadError, SignatureError, UnavailableError
from chalicelib.once import keys
from chalicelib.once.door import Answer
from chalicelib.once.event import RECEIPT_GONE, EventStatus
from chalicelib.once.intake import Intake, listed
from chalicelib.once.job import Recovery, facts_of
from chalicelib.once.ledger.events import Ledger
from chalicelib.once.ports import UNDECIDED
from chalicelib.support.jobs import TicketMessage
from chalicelib.wiring.jobs import decode
from tests.rigs.engines import table_a_in_memory
from tests.rigs.fakes import ManualClock, RecordingLog

OPAQUE = keys.OpaqueIds(b"a key of the stage")
KEY = "evt:rp:1042:c-77"
SOURCE = "richpanel_http_target"


class Outbox:
    """The queue's sending side; fails as often as it is told to."""

    def __init__(self):
        self.messages, self.fails, self.before_answer = [], [], lambda: None

    def put(self, body, *, group_id, deduplication_id):
        if self.fails:
            raise self.fails.pop(0)
        self.messages.append((body, group_id, deduplication_id))
        self.before_answer()
        return f"m-{len(self.messages)}"


class Broken:
    """A ledger that cannot be reached for the methods named."""

    def __init__(self, ledger, *methods):
        self._ledger, self._methods = ledger, methods

    def __getattr__(self, name):
        if name in self._methods:
            raise ConnectionError("no table")
        return getattr(self._ledger, name)


def parse(request):
    """A message as its source would parse it: the text is all that the body has."""
    return TicketMessage(
        event_key=KEY,
        conversation_id="1042",
        received_at=request.received_at,
        source=SOURCE,
        trace_id=request.delivery_id,
        message_id="c-77",
        text=request.body.decode(),
    )


class Door:
    """The door with a queue and, where asked for, a ledger."""

    def __init__(self, *, ingress_ledger=False):
        self.clock, self.log, self.outbox = ManualClock(), RecordingLog(), Outbox()
        ids = (f"id-{n}" for n in range(1, 100))
        self.table = table_a_in_memory()
        self.ledger = Ledger(self.table, self.clock, lambda: "owner")
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
            listed(parse),
        )

    def job(self, position=0):
        return decode(self.outbox.messages[position][0])

    def row(self):
        return self.table.get({"event_id": KEY})

    def break_ledger(self, *methods):
        self.ledger = Broken(self.ledger, *methods)


@pytest.fixture
def door():
    return Door()


@pytest.fixture
def noted():
    return Door(ingress_ledger=True)


# --- what is taken --------------------------------------------------------------------------


def test_a_request_is_answered_accepted_with_its_event_id(door):
    assert door.post() == Answer(200, {"status": "accepted", "event_id": KEY})


def test_an_accepted_request_is_one_message_of_its_conversation_on_the_queue(door):
    door.post()
    ((body, group, deduplication),) = door.outbox.messages
    assert json.loads(body)["text"] == "hello"
    assert group == OPAQUE.fifo_group("1042")
    assert deduplication == keys.fifo_deduplication_id(KEY)


def test_two_copies_at_the_front_door_share_a_deduplication_id(door):
    """F01: the queue itself drops what comes twice within five minutes."""
    door.post()
    door.post()
    (_, _, one), (_, _, other) = door.outbox.messages
    assert one == other


def test_a_request_carries_the_time_of_its_receipt_and_an_id_of_its_own(door):
    door.post()
    door.clock.forward(1.5)
    door.post()
    assert [(door.job(n).received_at, door.job(n).trace_id) for n in (0, 1)] == [
        ("2026-11-20T12:00:00.000Z", "id-1"),
        ("2026-11-20T12:00:01.500Z", "id-2"),
    ]


def test_header_names_reach_the_source_in_lower_case_and_values_as_they_came(door):
    seen = []

    def parsing(request):
        seen.append(request.headers)
        return parse(request)

    door.post(headers={"X-Richpanel-Webhook-Token": "AbC"}, parse=parsing)
    assert door.verified == seen == [{"x-richpanel-webhook-token": "AbC"}]


def test_what_was_accepted_is_logged_with_its_trace_and_counted_by_source(door):
    door.post()
    assert door.log.events == [("ingress.accepted", {"source": SOURCE, "mw_trace_id": "id-1"})]
    assert door.log.metrics == [("mw.ingress.accepted", 1, {"source": SOURCE})]


# --- what is refused ------------------------------------------------------------------------


def refuse(error):
    def verify(headers):
        raise error

    return verify


def test_a_request_that_proves_nothing_is_not_even_read(door):
    """F14."""
    parsed = []
    answer = door.post(verify=refuse(SignatureError("invalid_token")), parse=parsed.append)
    assert answer == Answer(
        401, {"status": "error", "code": "invalid_token", "message": "invalid_token"}
    )
    assert (parsed, door.outbox.messages) == ([], [])


def test_a_refusal_says_which_field_is_wrong_and_queues_nothing(door):
    def parsing(request):
        raise PayloadError("missing_conversation_id", "ticket_id is missing")

    assert door.post(parse=parsing) == Answer(
        400,
        {
            "status": "error",
            "code": "missing_conversation_id",
            "message": "ticket_id is missing",
        },
    )
    assert door.outbox.messages == []


def test_a_refusal_is_logged_and_counted_by_its_code(door):
    door.post(verify=refuse(SignatureError("invalid_token")))
    told = {"source": SOURCE, "code": "invalid_token"}
    assert door.log.events == [("ingress.request.rejected", told)]
    assert door.log.metrics == [("mw.ingress.rejected", 1, told)]


# --- what could not be kept -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("cause", "status", "code"),
    [("enqueue_failed", 503, "enqueue_failed"), ("secret_unreadable", 500, "internal_error")],
)
def test_what_was_not_kept_is_never_answered_2xx(door, cause, status, code):
    """F03: the sender repeats; what is wrong with us inside is not for the caller."""
    door.outbox.fails = [UnavailableError(cause)]
    assert door.post() == Answer(
        status, {"status": "error", "code": code, "message": "try again later"}
    )


def test_a_failure_is_logged_and_counted_by_its_true_cause(door):
    door.outbox.fails = [UnavailableError("secret_unreadable")]
    door.post()
    told = {"source": SOURCE, "code": "secret_unreadable"}
    assert door.log.events == [("ingress.failed", told)]
    assert door.log.metrics == [("mw.ingress.failed", 1, told)]


# --- recovery -------------------------------------------------------------------------------


def test_a_recovery_send_is_not_swallowed_as_a_copy_and_says_why_it_is_sent(door):
    door.post()
    for _ in range(2):
        door.intake.accept(door.job(), recovery=Recovery.SETTLED)
    deduplications = [deduplication for _, _, deduplication in door.outbox.messages]
    assert len(set(deduplications)) == 3
    assert [door.job(n).recovery for n in range(3)] == [None, Recovery.SETTLED, Recovery.SETTLED]
    assert len({group for _, group, _ in door.outbox.messages}) == 1


def test_an_event_that_is_received_anew_is_no_copy_of_what_it_was(noted):
    """Its first message was given up as gone; the queue would swallow a copy for five minutes."""
    noted.post()
    noted.ledger.record(facts_of(noted.job()), UNDECIDED, EventStatus.FAILED, reason=RECEIPT_GONE)
    noted.clock.forward(20)
    noted.post()
    (_, _, first), (_, _, anew) = noted.outbox.messages
    assert first != anew
    assert (noted.row()["status"], "queued_at" in noted.row()) == ("received", True)


def test_copies_that_the_ledger_has_not_seen_queued_share_a_deduplication_id(noted):
    """The first one's answer was lost: the queue may have it."""
    kept = noted.outbox.put

    def put(*message, **attributes):
        kept(*message, **attributes)
        raise UnavailableError("enqueue_failed")

    noted.outbox.put = put
    assert noted.post().status == 503
    noted.clock.forward(20)
    noted.outbox.put = kept
    assert noted.post().status == 200
    (_, _, first), (_, _, again) = noted.outbox.messages
    assert first == again


def test_a_recovery_send_is_kept_whatever_the_ledger_has_of_it(noted):
    """What was queued once and lost on the way must be queued again."""
    noted.post()
    noted.intake.accept(noted.job(), recovery=Recovery.SWEEP)
    assert len(noted.outbox.messages) == 2


def test_a_recovery_send_leaves_no_received_row(noted):
    noted.post()
    noted.table.delete({"event_id": KEY})
    noted.intake.accept(noted.job(), recovery=Recovery.OPERATOR)
    assert noted.row() is None


# --- a ledger at the door -------------------------------------------------------------------


def test_without_a_ledger_at_the_door_no_row_is_written(door):
    door.post()
    assert door.row() is None


def test_the_row_is_there_before_the_queue_has_the_job_and_is_marked_after(noted):
    """F04: whatever crashes in between, the row says that the job was not queued yet."""
    seen = []
    noted.outbox.before_answer = lambda: seen.append(noted.row())
    noted.post()
    assert (seen[0]["status"], "queued_at" in seen[0]) == (EventStatus.RECEIVED, False)
    assert noted.row()["queued_at"] == "2026-11-20T12:00:00.000Z"


def test_a_copy_of_what_is_queued_is_accepted_and_not_queued_again(noted):
    assert noted.post() == noted.post()
    assert len(noted.outbox.messages) == 1


def test_a_retry_of_what_never_reached_the_queue_is_queued(noted):
    """F04."""
    noted.outbox.fails = [UnavailableError("enqueue_failed")]
    assert noted.post().status == 503
    assert noted.post().status == 200
    assert len(noted.outbox.messages) == 1


def test_a_door_whose_ledger_cannot_be_written_keeps_nothing_and_says_so(noted):
    noted.break_ledger("receive")
    answer = noted.post()
    assert (answer.status, answer.body["code"]) == (503, "enqueue_failed")
    assert noted.outbox.messages == []


def test_what_is_on_the_queue_is_accepted_although_its_row_could_not_be_marked(noted):
    """The job is kept; the sweep queues it once more, which does no harm."""
    noted.break_ledger("queued")
    assert noted.post().status == 200
    assert len(noted.outbox.messages) == 1
    assert noted.log.events[0] == ("ingress.mark_failed", {"mw_trace_id": "id-1"})
