"""What a provider's receipt settles, whom it marks, and which of them concern the start."""

from types import SimpleNamespace

import pytest

from chalicelib.once.action import ActionRow, ActionStatus, UnsettledAction
from chalicelib.once.event import EventStatus
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.jobs import DeliveryReceipt
from chalicelib.outreach.receipts import BY_RECEIPT, ReceiptFlow
from tests.rigs.fakes import SetSwitches

START = "evt:start:1"
OPENING, LATER = outreach_keys.entry_id(START), outreach_keys.entry_id("evt:reply:sms:2")
RECORD = Record(
    {
        "opaque_id": "c1",
        "start_event": START,
        "primary_channel": "+15550100001",
        "company_id": "ci-aaa-001",
    }
)


class World:
    """Everything a receipt reaches, noting what it is told."""

    def __init__(self, row=None, *, is_claimed=True, status=EventStatus.PARKED):
        self.did, self.refs = [], []
        self._row, self._is_claimed, self._status = row, is_claimed, status
        conversations = SimpleNamespace(
            find=lambda _id: RECORD,
            note_delivery=self._noted,
            forbid=lambda *told: self.did.append(("forbidden", *told)),
            move=lambda _record, _status, changes: self.did.append(
                ("failed", changes["failure_reason"])
            ),
        )
        starts = SimpleNamespace(note=lambda *_told, delivery, **_m: self.did.append(delivery))
        self._flow = ReceiptFlow(conversations, starts, self, self._resumed)

    def _noted(self, _record, entry_id, *_told, reason, ref):
        del reason
        self.did.append(("noted", entry_id))
        self.refs.append(ref)

    def action(self, _key):
        return self._row

    def statuses(self, event_keys):
        return dict.fromkeys(event_keys, self._status)

    def claim_ref(self, _action, ref):
        self.did.append(("claimed", ref))
        return self._is_claimed

    def settle(self, _action, status, *, ref, reason):
        self.did.append(("settled", status.value, ref, reason))
        return True

    def _resumed(self, _record, event_key):
        self.did.append(("resumed", event_key))

    def hear(self, status="delivered", entry_id=OPENING, **more):
        job = DeliveryReceipt(
            event_key=f"evt:receipt:SM1:{status}",
            conversation_id="c1",
            received_at="2026-11-20T12:00:00.000Z",
            source="twilio_status",
            trace_id="t",
            channel="text",
            sender="+15550109002",
            recipient="+15550100001",
            entry_id=entry_id,
            provider_id="SM1",
            status=status,
            rank=3,
            **more,
        )
        (event,) = self._flow.events(job)
        self._flow.plan(event, SetSwitches().current())
        return self.did


def sent(status, reason=None):
    unsettled = UnsettledAction("act:send:1", "send_text", "c1", START, 0, 0, {})
    return ActionRow("act:send:1", status, reason, unsettled=unsettled)


def test_a_receipt_settles_the_send_it_speaks_of_and_lets_its_event_go_on():
    did = World(sent(ActionStatus.UNKNOWN)).hear()
    assert did[:3] == [
        ("claimed", "SM1"),
        ("settled", "done", "SM1", BY_RECEIPT),
        ("resumed", START),
    ]


def test_a_message_that_is_another_sends_already_settles_nothing():
    did = World(sent(ActionStatus.UNKNOWN), is_claimed=False).hear()
    assert {one[0] for one in did} == {"claimed", "noted", "delivered"}


def test_a_receipt_that_died_after_settling_still_lets_the_event_go_on():
    assert ("resumed", START) in World(sent(ActionStatus.DONE, BY_RECEIPT)).hear()
    assert ("resumed", START) not in World(sent(ActionStatus.DONE, "settled")).hear()
    ended = World(sent(ActionStatus.DONE, BY_RECEIPT), status=EventStatus.PROCESSED)
    assert ("resumed", START) not in ended.hear()


@pytest.mark.parametrize(("settled", "kept"), [("SM2", None), ("SM1", "SM1"), (None, "SM1")])
def test_a_receipt_of_what_a_twins_message_stands_for_is_left_to_the_twin(settled, kept):
    world = World(ActionRow("act:send:1", ActionStatus.DONE, "settled", ref=settled))
    world.hear()
    assert world.refs == [kept]


@pytest.mark.parametrize("status", ["undelivered", "failed", "bounced", "rejected"])
def test_an_opening_that_did_not_arrive_fails_its_start(status):
    assert World().hear(status) == [("noted", OPENING), (status, 3), ("failed", status)]
    assert World().hear(status, reason="30003")[-1] == ("failed", "30003")


def test_what_becomes_of_a_later_message_is_not_told_of_the_start():
    assert World().hear("failed", LATER) == [("noted", LATER)]


def test_who_opts_out_by_a_receipt_is_marked_for_that_company():
    marked = ("forbidden", "+15550100001", "ci-aaa-001", "failed")
    assert marked in World().hear("failed", LATER, opts_out=True)
