"""Events received and never queued, or begun and never ended, are found and done once."""

import itertools

import pytest

from chalicelib.clock import SystemClock
from chalicelib.errors import UnavailableError
from chalicelib.once.job import Recovery
from chalicelib.outreach.conversations.records import Status
from chalicelib.wiring.jobs import decode
from tests.rigs.crash_injection import boundaries, kill_at, run_until_killed
from tests.rigs.keys import unsealed
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import MAIL, TEL

LONG_AGO = "2026-01-01T00:00:00.000Z"


def age(outreach, prefix="evt:"):
    """Age every event: the sweep reads only rows that are due."""
    table = outreach.services.ledger._table
    for row in outreach.rows():
        if row["event_id"]["S"].startswith(prefix):
            due = {"due_at": 1} if "due_at" in row else {}
            aged = {"last_processed_at": LONG_AGO, **due}
            table.update({"event_id": row["event_id"]["S"]}, set_=aged)


def event(outreach, prefix):
    """The newest event of a kind."""
    found = [row for row in outreach.rows() if row["event_id"]["S"].startswith(prefix)]
    return max(found, key=lambda row: row["received_at"]["S"])


@pytest.fixture
def ledgered_outreach(outreach, monkeypatch):
    """Every webhook leaves a row before it is queued."""
    monkeypatch.setenv("INGRESS_LEDGER", "true")
    outreach.new_container()
    return outreach


class QueueDown:
    """While it lasts the queue keeps nothing."""

    def __init__(self, outreach, monkeypatch):
        self._outreach, self._monkeypatch = outreach, monkeypatch

    def __enter__(self):
        def refuses(*_, **__):
            raise UnavailableError("enqueue_failed")

        outbox = self._outreach.services.outbox
        self._context = self._monkeypatch.context()
        patch = self._context.__enter__()
        patch.setattr(outbox, "put", refuses)
        patch.setattr(SystemClock, "sleep", lambda _clock, _seconds: None)  # between its attempts

    def __exit__(self, *_):
        self._context.__exit__(None, None, None)


@pytest.fixture
def queue_down(ledgered_outreach, monkeypatch):
    return lambda: QueueDown(ledgered_outreach, monkeypatch)


@pytest.fixture
def lost_text(ledgered_outreach, queue_down):
    """A reply that was received and never queued; its signed post."""
    ledgered_outreach.start(channel="sms")
    ledgered_outreach.run()
    post = ledgered_outreach.says("Tell me more", whatsapp=False)
    with queue_down():
        assert ledgered_outreach.deliver(post).status_code == 503
    assert event(ledgered_outreach, "evt:reply:")["status"]["S"] == "received"
    return post


def test_a_request_the_door_could_not_keep_counts_as_failed_and_not_as_rejected(
    ledgered_outreach, queue_down, monkeypatch
):
    """The alarm of the doors counts it."""
    ledgered_outreach.start(channel="sms")
    ledgered_outreach.run()
    posts = ledgered_outreach.twilio.callbacks()
    counted = []
    log = ledgered_outreach.services.log
    monkeypatch.setattr(
        type(log), "metric", lambda _log, name, *_, **about: counted.append((name, about))
    )
    with queue_down():
        assert ledgered_outreach.start("req124", recipient="+15550100002").status_code == 500
        assert ledgered_outreach.deliver(posts[0]).status_code == 503
    assert counted == [
        ("mw.ingress.failed", {"source": "channel_router", "code": "QUEUE_ERROR"}),
        ("mw.ingress.failed", {"source": "twilio_status", "code": "enqueue_failed"}),
    ]


def test_a_reply_never_queued_is_answered_when_its_sender_repeats_it(ledgered_outreach, lost_text):
    assert ledgered_outreach.deliver(lost_text).status_code == 200
    ledgered_outreach.run()
    assert len(ledgered_outreach.twilio.sent_to(TEL)) == 2


@ON_ENGINE
def test_a_reply_never_queued_is_found_in_twilios_list_and_answered_once(
    ledgered_outreach, lost_text
):
    age(ledgered_outreach)
    ledgered_outreach.twilio.age_received(600.0)
    ledgered_outreach.sweep()
    ledgered_outreach.run()
    assert event(ledgered_outreach, "evt:reply:")["status"]["S"] == "processed"
    record = ledgered_outreach.record("sms")
    assert [text for role, text in ledgered_outreach.history(record) if role == "user"] == [
        "Tell me more"
    ]
    assert record.status == Status.REPLY_SENT
    assert ledgered_outreach.deliver(lost_text).status_code == 200
    ledgered_outreach.run()
    assert len(ledgered_outreach.twilio.sent_to(TEL)) == 2


@pytest.mark.parametrize("status", [404, 503, 401])
def test_a_reply_that_twilio_does_not_show_waits_for_its_sender(
    ledgered_outreach, lost_text, status
):
    age(ledgered_outreach)
    ledgered_outreach.twilio.age_received(600.0)
    ledgered_outreach.twilio.fault("status", operation="list_messages", status=status, times=4)
    assert ledgered_outreach.sweep()["orphans"] == 1
    ledgered_outreach.run()
    assert event(ledgered_outreach, "evt:reply:")["status"]["S"] == "received"
    assert ledgered_outreach.deliver(lost_text).status_code == 200
    ledgered_outreach.run()
    assert len(ledgered_outreach.twilio.sent_to(TEL)) == 2


def test_an_email_reply_never_queued_waits_for_its_sender_through_every_sweep(
    ledgered_outreach, queue_down
):
    ledgered_outreach.start(channel="email")
    ledgered_outreach.run()
    (first,) = ledgered_outreach.ses.sent_to(MAIL)
    reply = ledgered_outreach.ses.inbound(MAIL, first["reply_to"], "Tell me more")
    with queue_down(), pytest.raises(UnavailableError):
        ledgered_outreach.mail(reply)
    age(ledgered_outreach)
    assert ledgered_outreach.sweep()["orphans"] == 1
    ledgered_outreach.run()
    ledgered_outreach.mail(reply)
    ledgered_outreach.run()
    assert len(ledgered_outreach.ses.sent_to(MAIL)) == 2


def test_a_parked_answer_resumes_where_every_webhook_leaves_a_row(ledgered_outreach):
    ledgered_outreach.start(channel="sms")
    ledgered_outreach.run()
    ledgered_outreach.twilio.fault("act_then_drop", operation="create_message")
    ledgered_outreach.deliver(ledgered_outreach.says("Tell me more", whatsapp=False))
    ledgered_outreach.run()
    assert event(ledgered_outreach, "evt:reply:")["status"]["S"] == "parked"
    age(ledgered_outreach)
    ledgered_outreach.sweep()
    ledgered_outreach.run()
    assert event(ledgered_outreach, "evt:reply:")["status"]["S"] == "processed"
    assert len(ledgered_outreach.twilio.sent_to(TEL)) == 2
    assert ledgered_outreach.record("sms").status == Status.REPLY_SENT


# --- begun and never ended ----------------------------------------------------------------------


def lose_the_message(outreach):
    """The queue was purged while a dead worker had the message."""
    outreach.stage.aws.client("sqs").delete_message(
        QueueUrl=outreach.last_url, ReceiptHandle=outreach.handles[-1]
    )


def sweep_later(outreach):
    """Sweep as if time had passed: in a new container, after every lease has ended."""
    outreach.new_container()
    outreach.let_leases_end()
    age(outreach)
    found = outreach.sweep()
    outreach.run()
    return found


def test_a_start_whose_worker_died_and_message_was_lost_is_found_and_sent_once(
    outreach, crash_injector
):
    outcomes = set()
    for number, moment in boundaries():
        name, recipient = f"{number}-{moment}", f"+1555010{number:03d}{len(moment)}"
        outreach.start(name, "sms", recipient)
        assert outreach.services.worker
        assert outreach.services.switches.current()
        if not kill_at(outreach, crash_injector, number, moment):
            break
        if outreach.fate(name).json_body["state"] == "queued":  # only the queue has it yet
            outreach.again()
            continue
        lose_the_message(outreach)
        sweep_later(outreach)
        fate = outreach.fate(name).json_body
        ended = (fate["state"], fate.get("reason"), len(outreach.twilio.sent_to(recipient)))
        outcomes.add(ended)
        is_parked = ended[0] == "parked" and ended[2] <= 1
        assert is_parked or ended == ("sent", None, 1), (name, ended)
    assert number > 6
    assert ("sent", None, 1) in outcomes


def test_a_reply_whose_worker_died_and_message_was_lost_is_found_and_answered_once(
    outreach, crash_injector
):
    outcomes = set()
    for number, moment in boundaries():
        recipient = f"+1555010{number:03d}{len(moment)}"
        outreach.hears_from(f"{number}-{moment}", recipient)
        if not kill_at(outreach, crash_injector, number, moment):
            break
        has_row = any(row["event_id"]["S"].endswith(outreach.twilio_sid) for row in outreach.rows())
        if not has_row:  # only the queue has it yet
            outreach.again()
            continue
        lose_the_message(outreach)
        sweep_later(outreach)
        row = event(outreach, f"evt:reply:sms:{outreach.twilio_sid}")
        ended = (row["status"]["S"], len(outreach.twilio.sent_to(recipient)))
        outcomes.add(ended)
        assert ended in {("processed", 2), ("parked", 1), ("parked", 2)}, (number, moment, ended)
        record = outreach.record("sms", recipient)
        texts = [text for role, text in outreach.history(record) if role == "user"]
        assert texts == ["Tell me more"], (number, moment)
    assert number > 6
    assert ("processed", 2) in outcomes


def test_a_stop_whose_worker_died_is_heeded_and_never_answered(outreach, crash_injector):
    """Whatever the sweep finds: the opt-out is stored and confirmed once at most, and not answered."""
    for number, moment in boundaries():
        recipient = f"+1555010{number:03d}{len(moment)}"
        outreach.start(f"{number}-{moment}", "whatsapp", recipient)
        outreach.run()
        sent = len(outreach.twilio.calls_of("create_message"))
        outreach.deliver(outreach.says("STOP", from_=recipient))
        if not kill_at(outreach, crash_injector, number, moment):
            break
        has_row = any(row["event_id"]["S"].endswith(outreach.twilio_sid) for row in outreach.rows())
        if not has_row:  # only the queue has it yet
            outreach.again()
        else:
            lose_the_message(outreach)
            sweep_later(outreach)
        company_id = outreach.record("whatsapp", recipient).company_id
        assert outreach.services.outreach.conversations.is_forbidden(recipient, company_id), (
            number,
            moment,
        )
        asked = outreach.twilio.calls_of("create_message")[sent:]
        assert len(asked) <= 1, (number, moment)
        confirmed = outreach.twilio.sent_to(recipient)[1:]
        assert all("START" in message["body"] for message in confirmed), (number, moment)
    assert number > 3


def test_an_automatic_email_stored_before_its_worker_died_is_not_answered(outreach, crash_injector):
    for number in itertools.count(1):
        recipient = f"r{number}@example.com"
        outreach.start(f"start-{number}", "email", recipient)
        outreach.run()
        (first,) = outreach.ses.sent_to(recipient)
        away = outreach.ses.inbound(recipient, first["reply_to"], "Away", Precedence="bulk")
        outreach.mail(away)
        crash_injector.arm(number, "after")
        assert run_until_killed(outreach)
        crash_injector.disarm()
        if outreach.record("email", recipient).message_count == 3:
            break
        outreach.again()
    lose_the_message(outreach)
    sweep_later(outreach)
    assert event(outreach, "evt:reply:")["reason"]["S"] == "automatic_message"
    assert len(outreach.ses.sent_to(recipient)) == 1


def lose_a_mail_before_it_is_stored(outreach, crash_injector, text):
    """A worker has claimed an e-mail's event, and is killed; its message is lost. The recipient."""
    for number in itertools.count(1):
        recipient = f"r{number}@example.com"
        outreach.start(f"start-{number}", "email", recipient)
        outreach.run()
        (first,) = outreach.ses.sent_to(recipient)
        outreach.mail(outreach.ses.inbound(recipient, first["reply_to"], text))
        crash_injector.arm(number, "after")
        assert run_until_killed(outreach)
        crash_injector.disarm()
        record = outreach.record("email", recipient)
        if any(
            row["event_id"]["S"].startswith("evt:reply:")
            and row["conversation_id"]["S"] == record.opaque_id
            for row in outreach.rows()
        ):
            break
        outreach.again()
    lose_the_message(outreach)
    return recipient


def test_an_email_its_dead_worker_had_not_stored_is_handed_off(outreach, crash_injector):
    recipient = lose_a_mail_before_it_is_stored(outreach, crash_injector, "Tell me more")
    sweep_later(outreach)
    record = outreach.record("email", recipient)
    assert (record.status, record.message_count) == (Status.HANDED_OFF, 2)
    assert record.handoff["reason"] == "message_gone"
    assert len(outreach.ses.sent_to(recipient)) == 1
    assert event(outreach, "evt:reply:")["status"]["S"] == "failed"


def test_a_stop_by_email_is_in_force_although_its_mail_is_lost_and_kept_when_its_letter_comes(
    outreach, crash_injector
):
    recipient = lose_a_mail_before_it_is_stored(outreach, crash_injector, "STOP")
    letter = decode(unsealed(outreach.last_body))
    sweep_later(outreach)
    record = outreach.record("email", recipient)
    assert outreach.services.outreach.conversations.forbids(record) == "stop"
    assert ("user", "STOP") not in outreach.history(record)
    outreach.services.intake.accept(letter, recovery=Recovery.OPERATOR)
    outreach.run()
    record = outreach.record("email", recipient)
    assert outreach.services.outreach.conversations.forbids(record) == "stop"
    assert ("user", "STOP") in outreach.history(record)
    assert event(outreach, "evt:reply:")["status"]["S"] == "processed"


def test_an_email_settled_by_ses_after_its_worker_died_needs_no_person(outreach, crash_injector):
    """The SES event is processed before the settlement asks, and is not repeated."""
    for number in itertools.count(1):
        recipient = f"r{number}@example.com"
        outreach.start(f"start-{number}", "email", recipient)
        assert outreach.services.worker
        assert outreach.services.switches.current()
        crash_injector.arm(number, "before")
        assert run_until_killed(outreach)
        crash_injector.disarm()
        if outreach.ses.sent_to(recipient):
            break
        outreach.again()
    assert event(outreach, "act:send:")["status"]["S"] == "pending"
    lose_the_message(outreach)
    outreach.new_container()
    for result in outreach.ses.events():
        outreach.mail(result)
    outreach.run()
    sweep_later(outreach)
    assert outreach.fate(f"start-{number}").json_body["state"] == "delivered"
    assert event(outreach, "act:send:")["status"]["S"] == "done"
    assert outreach.record("email", recipient).status == Status.INITIAL_MESSAGE_SENT
    assert len(outreach.ses.sent_to(recipient)) == 1


def test_an_event_a_worker_holds_is_left_to_it(outreach, crash_injector):
    outreach.start(channel="sms")
    assert outreach.services.worker
    assert outreach.services.switches.current()
    crash_injector.arm(4, "after")
    assert run_until_killed(outreach)
    crash_injector.disarm()
    outreach.new_container()
    age(outreach)
    assert outreach.sweep()["left_behind"] == 0
    outreach.let_leases_end()
    age(outreach)
    assert outreach.sweep()["left_behind"] == 1
    assert outreach.sweep()["left_behind"] == 0, "its job waits on the queue already"


def test_finished_events_leave_nothing_for_the_sweep(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    assert not [row for row in outreach.rows() if "due_at" in row]
