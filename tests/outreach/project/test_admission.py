"""The status of a start that its sender can read, and for how long."""

import pytest

from chalicelib.once.event import EventStatus
from chalicelib.outreach.conversations.records import NEVER_OPENED
from chalicelib.outreach.project.admission import AcceptedBefore, Admitted, Starts
from chalicelib.outreach.project.fields import RateLimits
from tests.rigs.ledger import KEY, facts


def test_a_starts_status_is_returned_until_its_row_expires(ledger_rig):
    starts = Starts(table=ledger_rig.table, ledger=ledger_rig.ledger, clock=ledger_rig.clock)
    assert starts.outcome(KEY) is None
    ledger_rig.ledger.receive(facts())
    assert starts.outcome(KEY).status == EventStatus.RECEIVED
    ledger_rig.at_expiry()
    assert starts.outcome(KEY) is None, "the engine deletes an expired row when it likes"


def test_a_delivery_only_advances_and_is_not_noted_on_a_missing_row(ledger_rig):
    starts = Starts(table=ledger_rig.table, ledger=ledger_rig.ledger, clock=ledger_rig.clock)
    starts.note_outcome(KEY, delivery=("delivered", 3))
    assert starts.outcome(KEY) is None
    ledger_rig.ledger.receive(facts())
    for delivery in (("delivered", 3), ("sent", 2), ("undelivered", 3)):
        starts.note_outcome(KEY, delivery=delivery)
    assert starts.outcome(KEY).delivery == "delivered"
    starts.note_outcome(KEY, delivery=("read", 4))
    starts.note_outcome(KEY, outcome="handed_off")
    found = starts.outcome(KEY)
    assert (found.delivery, found.outcome) == ("read", "handed_off")


@pytest.mark.parametrize(
    ("status", "reason", "answer"),
    [
        (EventStatus.FAILED, NEVER_OPENED, Admitted(facts().received_at, is_new=True)),
        (EventStatus.FAILED, "refused:code_21211", AcceptedBefore(facts().received_at)),
        (EventStatus.PARKED, NEVER_OPENED, AcceptedBefore(facts().received_at)),
    ],
)
def test_a_start_is_accepted_again_only_if_nothing_of_it_had_begun(
    ledger_rig, status, reason, answer
):
    """After any other failure a message may have been sent: the sender gets the final status."""
    starts, limits = (
        Starts(table=ledger_rig.table, ledger=ledger_rig.ledger, clock=ledger_rig.clock),
        RateLimits(requests_per_minute=9, requests_per_day=9, concurrent_conversations=9),
    )
    assert starts.admit(facts(), "ci-1", limits) == Admitted(facts().received_at, is_new=True)
    ledger_rig.ledger.finish(ledger_rig.claim(), status, reason=reason)
    assert starts.admit(facts(), "ci-1", limits) == answer
