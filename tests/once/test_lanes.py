"""Lanes: each job travels by its own, in order, and through the old queue until that is drained."""

import pytest

from chalicelib.facts.jobs import AlowareDelivery, HubSpotBatch
from chalicelib.once import later
from chalicelib.once.job import ActionResend
from chalicelib.once.keys import OpaqueIds
from chalicelib.once.lanes import (
    COMPANIES,
    EMAIL,
    FACTS,
    LANES,
    OUTREACH,
    TICKETS,
    by_name,
    of_queue,
)
from chalicelib.outreach.jobs import (
    DeliveryReceipt,
    DeskReply,
    HandoffNotice,
    HandoffRelease,
    InboundMessage,
    OutreachResume,
    StartConversation,
    TellCompany,
    UnsubscribeReport,
)
from chalicelib.support.jobs import TicketMessage, TicketNotification
from chalicelib.wiring.jobs import KINDS, decode
from tests.rigs.fakes import RecordingOutbox

TEXTED, MAILED = ("+15550109001", "+15550100001"), ("hello@company.example", "j.doe@example.com")
COMMON = {
    "event_key": "evt:x:1",
    "conversation_id": "c-1",
    "received_at": "2026-11-20T12:00:00.000Z",
    "source": "test",
    "trace_id": "1f",
}
OF = {
    "ticket_message": lambda _: TicketMessage(message_id="m", **COMMON),
    "ticket_notification": lambda _: TicketNotification(**COMMON),
    "start_conversation": lambda pair: StartConversation(
        sender=pair[0], recipient=pair[1], record={}, **COMMON
    ),
    "inbound_message": lambda pair: InboundMessage(
        channel="email" if pair is MAILED else "sms",
        account=None,
        sender=pair[0],
        recipient=pair[1],
        message_id="m",
        sent_at="2026-11-20T12:00:00.000Z",
        carrier_answers=False,
        **COMMON,
    ),
    "delivery_receipt": lambda pair: DeliveryReceipt(
        channel="email" if pair is MAILED else "text",
        account=None,
        sender=pair[0],
        recipient=pair[1],
        entry_id="e",
        provider_id="p",
        status="sent",
        rank=1,
        **COMMON,
    ),
    "outreach_resume": lambda pair: OutreachResume(pair=pair, **COMMON),
    "handoff_release": lambda pair: HandoffRelease(handoff_id="h", pair=pair, **COMMON),
    "tell_company": lambda _: TellCompany(number=1, **COMMON),
    "unsubscribed": lambda pair: UnsubscribeReport(pair=pair, **COMMON),
    "handoff_notice": lambda _: HandoffNotice(**COMMON),
    "desk_reply": lambda pair: DeskReply(pair=pair, **COMMON),
    "aloware_delivery": lambda _: AlowareDelivery(communication_id="7", **COMMON),
    "hubspot_batch": lambda _: HubSpotBatch(events=(), **COMMON),
    "action_resend": lambda _: ActionResend(
        source_event_key="evt:rp:1", action_key="act:1", nonce="n", **COMMON
    ),
}
"""One job of each kind, of a conversation between two addresses."""


# --- which lane ---------------------------------------------------------------------------------


def test_every_kind_of_job_has_a_lane():
    assert OF.keys() == KINDS.keys()
    for kind in ("ticket_message", "ticket_notification", "action_resend"):
        assert OF[kind](TEXTED).lane == TICKETS
    for kind in ("aloware_delivery", "hubspot_batch"):
        assert OF[kind](TEXTED).lane == FACTS
    assert OF["tell_company"](TEXTED).lane == COMPANIES
    assert OF["handoff_notice"](TEXTED).lane == EMAIL
    others = {"ticket_message", "ticket_notification", "action_resend", "tell_company"}
    others |= {"handoff_notice"}
    for kind in OF.keys() - others:
        if "batch" not in kind and "aloware" not in kind:
            assert (OF[kind](TEXTED).lane, OF[kind](MAILED).lane) == (OUTREACH, EMAIL), kind


def test_jobs_of_one_group_are_in_one_lane():
    """Two queues would not keep the order of a conversation."""
    lanes = {}
    for pair in (TEXTED, MAILED):
        for make in OF.values():
            job = make(pair)
            lanes.setdefault(job.group, set()).add(job.lane)
    assert {len(found) for group, found in lanes.items() if group[0] == "pair"} == {1}


def test_a_queue_names_its_lane_and_an_unknown_one_is_the_tickets():
    for lane in LANES:
        assert of_queue(lane.queue("prod")) == lane
        assert by_name(lane.name) == lane
    assert {of_queue("rp-mw-own-name.fifo"), by_name("of-a-newer-release"), by_name(None)} == {
        TICKETS
    }


# --- on the way ---------------------------------------------------------------------------------


def test_a_message_is_deferred_in_the_queue_that_delivered_it(worker_rig):
    worker_rig.process("not a job", lane=EMAIL)
    assert worker_rig.queue.lanes == [EMAIL]


@pytest.mark.parametrize(
    ("kind", "pair"), [("start_conversation", MAILED), ("ticket_message", TEXTED)]
)
def test_a_job_that_waits_comes_back_into_its_own_lane(kind, pair):
    job, put, outbox = OF[kind](pair), [], RecordingOutbox()

    class Delay:
        def put(self, body, *, delay_seconds):
            put.append((body, delay_seconds))

    later.Later(Delay(), lambda: OpaqueIds(b"a key of the stage")).put(job, 30.0)
    later.put_back(put[0][0], "m-1", outbox)
    assert outbox.lanes == [job.lane]
    assert decode(outbox.messages[0][0]) == job
