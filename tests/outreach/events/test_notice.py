"""E-mails to a company about conversations that wait: each once, while they wait, without a word said."""

import itertools
from contextlib import suppress
from datetime import UTC, datetime

import boto3
import pytest

from chalicelib.once.event import EventStatus
from chalicelib.once.ports import Switches
from chalicelib.outreach import keys
from chalicelib.outreach.events.notice import NoticeFlow
from chalicelib.outreach.project.check import faults
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.sending.notices import Notices, rebuilt
from chalicelib.outreach.ses.client import SES_CONFIG, Ses
from local import company
from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.desk import DeskRig
from tests.rigs.outreach_parts import CHANNELS

DESK, OTHER_DESK = "desk@example.com", "other-desk@example.com"
OTHER_TEL = "+15550100002"
WISH, SECRET = "Can I talk to a human?", "Tell me more about the canary"
MINUTE = 60.0
LATE = 60
"""Minutes after which a notice was sent although its message was lost."""


@pytest.fixture
def rig(twilio, ses):
    return with_notices(DeskRig(twilio), ses)


def with_notices(rig, ses):
    rig.clock.forward((datetime.now(UTC) - rig.clock.now()).total_seconds())
    client = boto3.Session().client(
        "sesv2",
        endpoint_url=ses.base_url,
        region_name="us-east-1",
        config=SES_CONFIG,
        aws_access_key_id="x",
        aws_secret_access_key="x",
    )
    sender = Ses(
        client=client, configuration_set=None, region="us-east-1", clock=rig.clock, log=rig.log
    )
    notices = Notices(
        conversations=rig.conversations,
        ses=lambda: sender,
        current=rig.current,
        ledger=rig.ledger,
        put_later=lambda job, _seconds: rig.intake.put_back(job),
        clock=rig.clock,
    )
    rig.hand_offs.notices = rig.notices = notices
    rig.worker.handlers.flows["handoff_notice"] = NoticeFlow(
        conversations=rig.conversations, current=rig.current, clock=rig.clock
    )
    project(rig, handoff_notice={"email": DESK, "after_minutes": 15})
    return rig


def project(rig, project_id=company.PROJECT_ID, **settings):
    key = {"company_id": company.COMPANY_ID, "project_id": project_id}
    rig.companies_table.put({**key, "channel_config": CHANNELS, **settings})


def later(rig, minutes):
    """Time passes; the sweep queues what is due."""
    rig.clock.forward(minutes * MINUTE)
    for stranded in rig.ledger.stranded(due_by_epoch=rig.clock.now().timestamp(), limit=50):
        if stranded.event.event_key.startswith("evt:notice:"):
            rig.intake.put_back(rebuilt(stranded.event))
    rig.work()


def subjects(ses, to=DESK):
    return [mail["subject"] for mail in ses.sent_to(to)]


ASKED, WAITS = "A recipient asks for a person", "A conversation waits for a person"


def test_a_wish_for_a_person_is_told_at_once_and_a_wait_later_each_once(rig, ses):
    record = rig.says(rig.begun(), WISH)
    assert subjects(ses) == [ASKED]
    for _ in range(3):
        later(rig, 20)
    assert subjects(ses) == [ASKED, WAITS]
    for about in ("asked", "waiting"):
        again = keys.notice(record.opaque_id, record.handoff["id"], about)
        rig.intake.put_back(rebuilt(rig.ledger.stored(again).event))
    rig.work()
    assert len(ses.emails) == 2


@pytest.mark.parametrize("act", ["take", "approve", "close"])
def test_what_a_person_has_by_then_is_not_told(rig, ses, act):
    record = rig.says(rig.begun(auto_queue_reply_message=True), SECRET)
    other = rig.says(rig.begun("req2", tel=OTHER_TEL, auto_queue_reply_message=True), SECRET)
    assert subjects(ses) == []
    rig.act(act, record)
    later(rig, LATE)
    (mail,) = ses.sent_to(DESK)
    assert other.opaque_id in mail["text"]
    assert record.opaque_id not in mail["text"]


def test_a_notice_says_no_word_and_names_no_recipient(rig, ses):
    rig.says(rig.begun(auto_queue_reply_message=True), SECRET)
    later(rig, LATE)
    (mail,) = ses.emails
    whole = str(mail)
    assert company.EMAIL in mail["from"]
    for personal in ("canary", "15550100001", "Jo", "Thank you"):
        assert personal not in whole


def test_only_the_project_that_wants_it_is_told(rig, ses):
    project(rig)
    rig.says(rig.begun(), WISH)
    later(rig, 60)
    assert not ses.emails
    assert not [key for (key,) in rig.table.rows if "notice" in key]


def test_the_setting_counts_as_it_is_when_the_notice_is_due(rig, ses):
    rig.says(rig.begun(auto_queue_reply_message=True), SECRET)
    project(rig, handoff_notice={"email": OTHER_DESK})
    later(rig, LATE)
    assert (subjects(ses), subjects(ses, OTHER_DESK)) == ([], [WAITS])


def test_a_switch_stops_it(rig, ses):
    rig.says(rig.begun(auto_queue_reply_message=True), SECRET)
    rig.switches.switches = Switches(kill_switch=True)
    later(rig, LATE)
    assert not ses.emails


def test_a_notice_of_unknown_outcome_is_parked_and_not_sent_again(rig, ses):
    ses.fault("act_then_drop", times=9)
    record = rig.says(rig.begun(), WISH)
    for _ in range(4):
        later(rig, 4)
    key = keys.notice(record.opaque_id, record.handoff["id"], "asked")
    assert rig.ledger.stored(key).status == EventStatus.PARKED
    assert subjects(ses).count(ASKED) == 1


def test_a_worker_killed_at_any_write_sends_it_once_or_parks_it(twilio, ses):
    ended = set()
    for number in itertools.count(1):
        for moment in ("before", "after"):
            twilio.reset()
            ses.reset()
            rig = with_notices(DeskRig(twilio), ses)
            record = rig.begun()
            rig.hears(record, WISH)
            first = list(rig.outbox.messages)
            with killed_at(rig, number, moment) as counted, suppress(ProcessKilled):
                rig.work()
            if not counted["killed"]:
                break
            for _ in range(3):
                rig.outbox.messages += first
                rig.work()
                later(rig, LATE)
            key = keys.notice(
                record.opaque_id, rig.conversations.reread(record).handoff["id"], "asked"
            )
            state = rig.ledger.stored(key).status.value
            ended.add((state, subjects(ses).count(ASKED)))
        else:
            continue
        break
    assert ("processed", 1) in ended
    assert ended <= {("processed", 1), ("parked", 1), ("parked", 0)}
    assert number > 8


@pytest.mark.parametrize(
    "wrong", [{"email": "desk"}, {"email": DESK, "after_minutes": 0}, {"after_minutes": 5}, 5]
)
def test_a_setting_that_cannot_be_read_is_refused_and_asks_for_nothing(wrong):
    assert Project({"handoff_notice": wrong}).handoff_notice is None
    item = {**company.project("dev"), "handoff_notice": wrong}
    assert any("handoff_notice" in fault for fault in faults(item))
    without = {**company.project("dev"), "handoff_notice": {"email": DESK}}
    assert faults(without) == []
    config = {name: value for name, value in without["channel_config"].items() if name != "email"}
    allowed = [channel for channel in without["allowed_channels"] if channel != "email"]
    assert faults({**without, "channel_config": config, "allowed_channels": allowed})
