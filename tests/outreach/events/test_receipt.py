"""A provider's receipts: the sends they settle, opt-outs, and those about the start."""

import pytest

from chalicelib.clock import iso
from chalicelib.once.action import ActionStatus
from chalicelib.once.event import EventFacts, EventStatus
from chalicelib.once.job import Recovery
from chalicelib.once.ports import UNDECIDED
from chalicelib.outreach import keys as outreach_keys
from chalicelib.outreach.channels import SEND_TEXT, Channel
from chalicelib.outreach.conversations.records import Draft, Entry, Status
from chalicelib.outreach.events.receipt import BY_RECEIPT, ReceiptFlow
from chalicelib.outreach.jobs import DeliveryReceipt
from chalicelib.outreach.project.admission import ConversationStores
from chalicelib.outreach.resume import resume_through
from chalicelib.outreach.sending.effects import send_effect
from chalicelib.wiring.jobs import decode
from tests.rigs.conversation_samples import new
from tests.rigs.fakes import SetSwitches
from tests.rigs.outreach import TEL as TEXTED
from tests.rigs.outreach import sent

START = "evt:start:1"
OPENING, LATER = outreach_keys.entry_id(START), outreach_keys.entry_id("evt:reply:sms:2")
ITEM = {**new(channel="sms"), "start_event": START}
OPAQUE_ID, COMPANY, TEL = ITEM["opaque_id"], ITEM["company_id"], ITEM["primary_channel"]
SEND = send_effect(SEND_TEXT, OPAQUE_ID, OPENING)
SAID = Entry("SM9", "2026-01-01T00:00:00.000Z", "user", "hello")


class Receipts:
    """A conversation whose opening was sent, and receipts of its messages."""

    def __init__(self, parts):
        self.parts = parts
        sent = Draft(text="Hello")
        record = parts.open(ITEM, (OPENING, sent), (LATER, sent))
        sent_status = {"conversation_status": Status.INITIAL_MESSAGE_SENT.value}
        parts.conversations.change_while(record, {record.status}, sent_status)
        self._flow = ReceiptFlow(
            kept=ConversationStores(
                conversations=parts.conversations, starts=parts.starts, ledger=parts.ledger
            ),
            resume=resume_through(parts.intake),
            ownership=parts.ownership,
            events=parts.events,
            follow_ups=parts.follow_ups(),
        )
        self._lease = self._claimed(START)

    def opening_unknown(self, *, event=EventStatus.PARKED):
        """End the opening's send as unknown, and its event in this status."""
        self.parts.ledger.begin(self._lease, [SEND], UNDECIDED)
        self.parts.ledger.end_action(self._lease, SEND, ActionStatus.UNKNOWN, reason="timeout")
        self.parts.ledger.finish(self._lease, event, reason="unknown:timeout")

    def opening_settled(self, reason, *, ref="SM1", event=EventStatus.PARKED):
        """Settle the opening's send as done, and end its event in this status."""
        self.opening_unknown(event=event)
        unsettled = self.parts.ledger.action(SEND.key).unsettled
        self.parts.ledger.settle(unsettled, ActionStatus.DONE, ref=ref, reason=reason)

    def other_send_is(self, ref):
        """Give that provider id to another message of the conversation."""
        other = send_effect(SEND_TEXT, OPAQUE_ID, LATER)
        lease = self._claimed("evt:reply:sms:2")
        self.parts.ledger.begin(lease, [other], UNDECIDED)
        self.parts.ledger.end_action(lease, other, ActionStatus.DONE, ref=ref)

    def hear(self, status="delivered", entry_id=OPENING, **more):
        job = DeliveryReceipt(
            event_key=f"evt:receipt:SM1:{status}",
            conversation_id=OPAQUE_ID,
            received_at="2026-11-20T12:00:00.000Z",
            source="twilio_status",
            trace_id="t",
            channel="text",
            account=None,
            sender="+15550109002",
            recipient=TEL,
            entry_id=entry_id,
            provider_id="SM1",
            status=status,
            rank=3,
            **more,
        )
        (event,) = self._flow.events(job)
        self._flow.plan(event, SetSwitches().current())

    def wrote(self):
        """Let the recipient write now."""
        at = iso(self.parts.clock.now())
        said = Entry(f"SM-{at}", at, "user", "hello")
        self.parts.conversations.append(self.record, said, changes={"last_inbound_at": at})

    @property
    def send(self):
        """The opening's row: its status, the provider's id, and how it was settled."""
        row = self.parts.ledger.action(SEND.key)
        return row.status.value, row.ref, row.reason

    @property
    def resumed(self):
        """Events that were put on the queue again, and why."""
        jobs = [decode(body) for body, _, _ in self.parts.outbox.messages]
        return [(job.event_key, job.recovery) for job in jobs]

    def noted(self, entry_id):
        """How far a message is known to have come, and under which provider id."""
        record = self.record
        conversations = self.parts.conversations
        return conversations.delivery(record, entry_id), conversations.reported_id(record, entry_id)

    @property
    def record(self):
        return self.parts.conversations.find(OPAQUE_ID)

    @property
    def start(self):
        """The delivery status that the start's sender can read."""
        outcome = self.parts.starts.outcome(START)
        return outcome.delivery, outcome.delivery_reason

    def _claimed(self, event_key):
        event = EventFacts(event_key, OPAQUE_ID, "2026-11-20T11:59:59.000Z", "9f", 9, "test")
        return self.parts.ledger.claim(event, UNDECIDED, lease_seconds=250, takeover=frozenset())


@pytest.fixture
def receipts(outreach_parts):
    return Receipts(outreach_parts)


RESUMED = [(START, Recovery.SETTLED)]


def test_a_receipt_settles_its_send_and_resumes_the_event(receipts):
    receipts.opening_unknown()
    receipts.hear()
    assert receipts.send == ("done", "SM1", BY_RECEIPT)
    assert receipts.resumed == RESUMED


def test_a_message_already_bound_to_another_send_settles_nothing(receipts):
    receipts.other_send_is("SM1")
    receipts.opening_unknown()
    receipts.hear()
    assert receipts.send == ("unknown", None, "timeout")
    assert receipts.resumed == []
    assert receipts.noted(OPENING)[0] == receipts.start[0] == "delivered"


@pytest.mark.parametrize(
    ("reason", "event", "resumed"),
    [
        (BY_RECEIPT, EventStatus.PARKED, RESUMED),
        ("settled", EventStatus.PARKED, []),
        (BY_RECEIPT, EventStatus.PROCESSED, []),
    ],
)
def test_a_receipt_whose_worker_died_after_settling_still_resumes_the_event(
    receipts, reason, event, resumed
):
    receipts.opening_settled(reason, event=event)
    receipts.hear()
    assert receipts.resumed == resumed


@pytest.mark.parametrize(("settled", "kept"), [("SM2", None), ("SM1", "SM1"), (None, "SM1")])
def test_a_receipt_of_a_send_settled_by_another_message_notes_no_id(receipts, settled, kept):
    receipts.opening_settled("settled", ref=settled)
    receipts.hear()
    assert receipts.noted(OPENING) == ("delivered", kept)


@pytest.mark.parametrize("reason", [None, "30003"])
@pytest.mark.parametrize("status", ["undelivered", "failed", "bounced", "rejected"])
def test_an_opening_that_did_not_arrive_fails_its_start(receipts, status, reason):
    receipts.hear(status, reason=reason)
    assert receipts.noted(OPENING)[0] == status
    assert receipts.start == (status, reason)
    assert receipts.record.status == Status.FAILED
    assert receipts.record.item["failure_reason"] == (reason or status)


def test_a_later_messages_delivery_does_not_change_the_start(receipts):
    receipts.hear("failed", LATER)
    assert receipts.noted(LATER)[0] == "failed"
    assert receipts.noted(OPENING) == receipts.start == (None, None)
    assert receipts.record.status == Status.INITIAL_MESSAGE_SENT


def test_an_opt_out_in_a_receipt_marks_the_recipient_for_that_company(receipts):
    receipts.hear("failed", LATER, opts_out=True)
    assert receipts.parts.conversations.is_forbidden(TEL, COMPANY)
    (mark,) = receipts.parts.conversations.marks_of(TEL, COMPANY)
    assert mark.reason == "code_21610"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("30005", "dead_number"),
        ("30006", "landline"),
        ("63014", "blocked"),
        ("30003", None),
        ("30007", None),
    ],
)
def test_a_number_that_takes_no_texts_is_entered_for_its_channel(receipts, code, reason):
    receipts.hear("undelivered", LATER, reason=code)
    register = receipts.parts.conversations
    assert register.forbids(receipts.record) == reason
    assert not register.is_forbidden(TEL, COMPANY)
    other = [
        channel for channel in Channel if channel not in (receipts.record.channel, Channel.EMAIL)
    ]
    assert not any(register.is_forbidden(TEL, COMPANY, channel) for channel in other)


def test_a_code_of_a_message_that_arrived_enters_nothing(receipts):
    receipts.hear("delivered", LATER, reason="30006")
    assert receipts.parts.conversations.forbids(receipts.record) is None


def test_an_opening_that_was_answered_arrived_whatever_its_report_says(receipts):
    receipts.parts.conversations.append(
        receipts.record, SAID, changes={"last_inbound_at": SAID.message_timestamp}
    )
    receipts.hear("undelivered", reason="30005")
    assert not receipts.parts.conversations.is_forbidden(TEL, COMPANY, Channel.SMS)


@pytest.mark.parametrize(("wrote", "blocks"), [("before", True), ("after", False)])
def test_a_block_counts_unless_the_recipient_wrote_after_the_message_that_met_it(
    receipts, wrote, blocks
):
    """Who has answered may block us later; who writes after the block has ended it."""
    register = receipts.parts.conversations
    if wrote == "before":
        receipts.wrote()
    receipts.other_send_is("SM1")
    if wrote == "after":
        receipts.parts.clock.forward(1)
        receipts.wrote()
    receipts.parts.clock.forward(1)
    receipts.hear("undelivered", LATER, reason="63014")
    channel = receipts.record.channel
    assert register.is_forbidden(TEL, COMPANY, channel) is blocks
    assert register.forbids(receipts.record) == ("blocked" if blocks else None)
    assert not register.is_forbidden(TEL, COMPANY)
    receipts.parts.clock.forward(1)
    receipts.wrote()
    assert register.forbids(receipts.record) is None, "a recipient who writes is answered"
    register.lift_technical(receipts.record)
    assert not register.is_forbidden(TEL, COMPANY, channel)


def test_a_message_from_a_dead_number_is_answered_and_brings_the_number_back(outreach):
    outreach.start(channel="sms")
    outreach.run()
    record = outreach.record("sms")
    register = outreach.services.outreach.conversations
    register.forbid(TEXTED, record.company_id, "dead_number", channel=Channel.SMS)
    outreach.start("second", channel="sms")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"
    outreach.deliver(outreach.says("tell me more", whatsapp=False))
    outreach.run()
    assert len(sent(outreach, "sms")) == 2
    outreach.start("third", channel="sms")
    outreach.run()
    assert outreach.fate("third").json_body["state"] == "sent"
