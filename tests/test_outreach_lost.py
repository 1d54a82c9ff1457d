"""What was received and never queued, or begun and never ended: found again, and done once."""

import pytest
from outreach_system import MAIL, TEL

from chalicelib.conversations.records import Status
from chalicelib.errors import UnavailableError

LONG_AGO = "2026-01-01T00:00:00.000Z"


def age(outreach, prefix="evt:"):
    """Time passes for every event: the sweep looks at rows that have rested for a while."""
    table = outreach.services.ledger._table
    for row in outreach.rows():
        if row["event_id"]["S"].startswith(prefix):
            table.update({"event_id": row["event_id"]["S"]}, set_={"last_processed_at": LONG_AGO})


def event(outreach, prefix):
    """The newest event of a kind."""
    found = [one for one in outreach.rows() if one["event_id"]["S"].startswith(prefix)]
    return max(found, key=lambda one: one["received_at"]["S"])


@pytest.fixture
def ledgered(outreach, monkeypatch):
    """Every webhook leaves a row before it is queued."""
    monkeypatch.setenv("INGRESS_LEDGER", "true")
    outreach.new_container()
    return outreach


class Unqueued:
    """While it lasts the queue keeps nothing."""

    def __init__(self, outreach, monkeypatch):
        self._outreach, self._monkeypatch = outreach, monkeypatch

    def __enter__(self):
        def refuses(*_, **__):
            raise UnavailableError("enqueue_failed")

        outbox = self._outreach.services.outbox
        self._context = self._monkeypatch.context()
        self._context.__enter__().setattr(outbox, "put", refuses)

    def __exit__(self, *_):
        self._context.__exit__(None, None, None)


@pytest.fixture
def unqueued(ledgered, monkeypatch):
    return lambda: Unqueued(ledgered, monkeypatch)


@pytest.fixture
def lost_text(ledgered, unqueued):
    """A reply that was received and never queued; its signed post."""
    ledgered.start(channel="sms")
    ledgered.run()
    post = ledgered.says("Tell me more", whatsapp=False)
    with unqueued():
        assert ledgered.deliver(post).status_code == 503
    assert event(ledgered, "evt:reply:")["status"]["S"] == "received"
    return post


def test_a_reply_never_queued_is_answered_when_its_sender_repeats_it(ledgered, lost_text):
    assert ledgered.deliver(lost_text).status_code == 200
    ledgered.run()
    assert len(ledgered.twilio.sent_to(TEL)) == 2


def test_a_reply_never_queued_is_read_again_from_twilio_and_answered_once(ledgered, lost_text):
    age(ledgered)
    ledgered.sweep()
    ledgered.run()
    assert event(ledgered, "evt:reply:")["status"]["S"] == "processed"
    record = ledgered.record("sms")
    assert [text for role, text in ledgered.history(record) if role == "user"] == ["Tell me more"]
    assert record.status == Status.REPLY_SENT
    assert ledgered.deliver(lost_text).status_code == 200
    ledgered.run()
    assert len(ledgered.twilio.sent_to(TEL)) == 2


def test_a_stop_never_queued_is_respected_once_it_is_read_again(ledgered, unqueued):
    ledgered.start(channel="sms")
    ledgered.run()
    with unqueued():
        ledgered.deliver(ledgered.says("STOP", whatsapp=False))
    age(ledgered)
    ledgered.sweep()
    ledgered.run()
    assert ledgered.services.conversations.is_forbidden(TEL, "ci-aaa-001")
    assert len(ledgered.twilio.sent_to(TEL)) == 1


@pytest.mark.parametrize("status", [404, 503, 401])
def test_a_reply_that_twilio_does_not_show_waits_for_its_sender(ledgered, lost_text, status):
    age(ledgered)
    ledgered.twilio.fault("status", operation="fetch_message", status=status, times=2)
    assert ledgered.sweep()["orphans"] == 1
    ledgered.run()
    assert event(ledgered, "evt:reply:")["status"]["S"] == "received"
    assert ledgered.deliver(lost_text).status_code == 200
    ledgered.run()
    assert len(ledgered.twilio.sent_to(TEL)) == 2


def test_an_email_reply_never_queued_waits_for_its_sender_through_every_sweep(ledgered, unqueued):
    ledgered.start(channel="email")
    ledgered.run()
    (first,) = ledgered.ses.sent_to(MAIL)
    reply = ledgered.ses.inbound(MAIL, first["reply_to"], "Tell me more")
    with unqueued(), pytest.raises(UnavailableError):
        ledgered.mail(reply)
    age(ledgered)
    assert ledgered.sweep()["orphans"] == 1
    ledgered.run()
    ledgered.mail(reply)
    ledgered.run()
    assert len(ledgered.ses.sent_to(MAIL)) == 2


def test_a_parked_answer_goes_on_where_every_webhook_leaves_a_row(ledgered):
    ledgered.start(channel="sms")
    ledgered.run()
    ledgered.twilio.fault("act_then_drop", operation="create_message")
    ledgered.deliver(ledgered.says("Tell me more", whatsapp=False))
    ledgered.run()
    assert event(ledgered, "evt:reply:")["status"]["S"] == "parked"
    age(ledgered)
    ledgered.sweep()
    ledgered.run()
    assert event(ledgered, "evt:reply:")["status"]["S"] == "processed"
    assert len(ledgered.twilio.sent_to(TEL)) == 2
    assert ledgered.record("sms").status == Status.REPLY_SENT
