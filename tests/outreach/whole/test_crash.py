"""Killed before and after every AWS call of a start and of a reply: sent once, or visibly parked.

The kill is a `BaseException` from the SDK, which our code does not catch; then the lease ends and
the queue redelivers the message to another container.
"""

import pytest

from chalicelib.once.lanes import OUTREACH
from local import company
from tests.rigs.crash_injection import ProcessKilled, boundaries, kill_at


def recover(system):
    """As after a crash: the lease is over, the message visible, the container new."""
    system.let_leases_end()
    system.again()
    system.new_container()


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_a_start_killed_at_any_call_of_the_worker_is_sent_once_or_parked(
    outreach, crash_injector, channel
):
    outcomes = set()
    for number, moment in boundaries():
        name = f"{number}-{moment}"
        recipient = (
            f"r{name}@example.com" if channel == "email" else f"+1555010{number:03d}{len(moment)}"
        )
        assert outreach.start(name, channel, recipient).status_code == 200
        assert outreach.services.worker
        assert outreach.services.switches.current()
        if not kill_at(outreach, crash_injector, number, moment):
            break
        recover(outreach)
        vendor = outreach.ses if channel == "email" else outreach.twilio
        state = outreach.fate(name).json_body["state"]
        sent = len(vendor.sent_to(recipient))
        outcomes.add((state, sent))
        assert (state, sent) in {("sent", 1), ("parked", 1), ("parked", 0)}, (name, state, sent)
    assert number > 6
    assert ("sent", 1) in outcomes


def test_a_reply_killed_at_any_call_of_the_worker_is_answered_once_or_parked(
    outreach, crash_injector
):
    for number, moment in boundaries():
        recipient = f"+1555010{number:03d}{len(moment)}"
        outreach.hears_from(f"{number}-{moment}", recipient)
        if not kill_at(outreach, crash_injector, number, moment):
            break
        recover(outreach)
        (row,) = [
            row
            for row in outreach.rows()
            if row["event_id"]["S"].startswith("evt:reply:")
            and row["event_id"]["S"].endswith(outreach.twilio_sid)
        ]
        sent = len(outreach.twilio.sent_to(recipient))
        ended = (row["status"]["S"], sent)
        assert ended in {("processed", 2), ("parked", 1), ("parked", 2)}, (number, moment, ended)
        record = outreach.record("sms", recipient)
        texts = [text for role, text in outreach.history(record) if role == "user"]
        assert texts == ["Tell me more"]
    assert number > 6


def test_a_start_killed_at_any_call_of_the_door_is_kept_when_it_is_posted_again(
    outreach, crash_injector
):
    for number, moment in boundaries():
        recipient = f"+1555010{number:03d}{len(moment)}"
        body = company.request(f"{number}-{moment}", "sms", recipient)
        outreach.services.outbox._url(OUTREACH)
        outreach.services.opaque_ids  # noqa: B018 - read once per container
        outreach.services.outreach_doors._initiate.callers.access()
        crash_injector.arm(number, moment)
        was_killed = False
        try:
            outreach.post(body)
        except ProcessKilled:
            was_killed = True
        crash_injector.disarm()
        if not was_killed:
            break
        assert outreach.post(body).status_code == 200
        outreach.run()
        assert len(outreach.twilio.sent_to(recipient)) == 1
    assert number == 4
