"""What follows an opening: a reminder, an end message, another channel; each once, and none after a reply."""

import itertools
from contextlib import suppress
from dataclasses import replace
from datetime import timedelta

import pytest

from chalicelib.clock import iso
from chalicelib.errors import UnavailableError
from chalicelib.once.job import Recovery
from chalicelib.outreach import keys
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Entry, Status
from chalicelib.outreach.resume import ResumeRebuilder
from tests.rigs.crash_injection import ProcessKilled, killed_at
from tests.rigs.desk import OTHERS, OURS, TEL
from tests.rigs.following import CHAIN, DAY, END, MAIL, REMINDER, REOPENING, FollowRig, refused

OPT_OUT = "Reply STOP to opt out."
BOTH = {"recipient_data": {"recipient_email": MAIL}}
TO_SMS = {"fallback": ["sms"]}


def answer(rig, record, text="Yes"):
    """Store the recipient's message as a worker does, and do nothing else."""
    entry = Entry(f"SM-{text}", rig.now(), "user", text)
    rig.conversations.append(record, entry, changes={"last_inbound_at": rig.now()})


# --- reminder and end -------------------------------------------------------------------------


def test_a_reminder_is_sent_once_when_it_is_due_and_not_before(following):
    following.project(follow_ups=DAY)
    following.started()
    following.passes(hours=23)
    assert len(following.sent()) == 1
    following.passes(hours=1, minutes=1)
    assert following.sent()[1:] == [f"{REMINDER} {OPT_OUT}"]
    following.passes(days=3)
    assert len(following.sent()) == 2
    record = following.record()
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert [entry[1] for entry in following.entries(record)] == ["prompt", None, "follow_up"]


def test_an_end_message_follows_the_reminder_and_nothing_follows_it(following):
    following.project(follow_ups=CHAIN)
    following.started()
    following.passes(hours=24, minutes=1)
    assert following.fate()["next"]["step"] == "end"
    following.passes(hours=47)
    assert len(following.sent()) == 2
    following.passes(hours=2)
    assert following.sent()[2:] == [f"{END} {OPT_OUT}"]
    following.passes(days=20)
    assert len(following.sent()) == 3
    assert "next" not in following.fate()


def test_an_end_message_may_follow_without_a_reminder(following):
    following.project(follow_ups={"end": {"after_minutes": 60, "text": END}})
    following.started()
    following.passes(minutes=61)
    assert following.sent()[1:] == [f"{END} {OPT_OUT}"]


def test_a_reply_cancels_what_follows(following):
    following.project(follow_ups=CHAIN)
    following.says(following.started(), "Yes?")
    assert len(following.sent()) == 2
    following.passes(days=5)
    assert len(following.sent()) == 2
    assert following.ended("evt:follow:") == [("skipped", "recipient_answered")]


def test_a_reply_to_another_conversation_on_another_channel_cancels_it(following):
    following.project(follow_ups=DAY)
    following.started("req1", "sms")
    following.clock.forward(60)
    answer(following, following.started("req2", "whatsapp"))
    following.passes(days=2)
    assert following.ended(f"evt:follow:{following.record().opaque_id}") == [
        ("skipped", "recipient_answered")
    ]


def test_what_was_said_before_the_conversation_cancels_nothing(following):
    following.project(follow_ups=DAY)
    answer(following, following.started("before", "whatsapp"))
    following.clock.forward(3600)
    following.started("req1", "sms")
    following.passes(hours=25)
    assert REMINDER in " ".join(following.sent())


def test_a_reply_to_another_company_cancels_nothing(following):
    for company_id in (OURS, OTHERS):
        following.project(company_id, follow_ups=DAY)
        following.started(company_id=company_id)
    theirs = following.record(company_id=OTHERS)
    following.says(theirs, "Yes?")
    following.passes(hours=25)
    assert following.ended(f"evt:follow:{theirs.opaque_id}") == [("skipped", "recipient_answered")]
    mine = following.record().opaque_id
    assert following.ended(f"evt:follow:{mine}") == [("processed", None)]


@pytest.mark.parametrize("address", [TEL, MAIL])
def test_an_opt_out_of_any_address_of_the_person_cancels_it(following, address):
    following.project(follow_ups=DAY)
    following.started(**BOTH)
    following.conversations.forbid(address, OURS, "stop")
    following.passes(hours=25)
    assert len(following.sent()) == 1
    assert following.ended("evt:follow:") == [("skipped", "do_not_contact")]


def test_a_person_who_has_the_conversation_is_not_disturbed(following):
    following.project(follow_ups=DAY)
    record = following.started()
    following.act("take", record)
    following.passes(hours=25)
    assert following.ended("evt:follow:") == [("skipped", "person_answers")]


def test_who_did_not_get_the_opening_is_not_reminded_of_it(following):
    following.project(follow_ups=DAY)
    following.reported(following.started(), "undelivered", "30008")
    following.passes(hours=25)
    assert following.ended("evt:follow:") == [("skipped", "opening_not_delivered")]


def test_a_reply_between_the_plan_and_the_request_withdraws_it(following):
    """The recipient's message is stored by another lane while the reminder's draft is written."""
    other = following.started("req2", "whatsapp")
    following.project(follow_ups=CHAIN)
    record = following.started()
    following.clock.forward(24 * 3600 + 60)
    following.sweep()
    following.conversations_table.before["put"] = lambda: answer(following, other)
    following.work()
    mine = f"evt:follow:{record.opaque_id}"
    assert following.ended(mine) == [("processed", "withheld:recipient_answered")]
    assert all(REMINDER not in text for text in following.sent())
    following.passes(days=5)
    assert len(following.ended(mine)) == 1


def test_a_stop_between_the_plan_and_the_request_refuses_it(following):
    following.project(follow_ups=DAY)
    following.started()
    following.clock.forward(24 * 3600 + 60)
    following.sweep()
    following.conversations_table.before["put"] = lambda: following.conversations.forbid(
        TEL, OURS, "stop"
    )
    following.work()
    assert len(following.sent()) == 1
    assert following.ended("evt:follow:") == [("failed", "refused:do_not_contact")]


SOON = {"reminder": {"after_minutes": 120, "text": REMINDER}}


def night(rig):
    """Quiet hours that begin in an hour and last six hours."""
    now = rig.clock.now()
    begins, ends = (f"{now + timedelta(hours=by):%H:%M}" for by in (1, 7))
    return {"from": begins, "until": ends, "zone": "UTC"}


def test_a_reminder_waits_out_quiet_hours_and_nothing_waits_behind_it(following):
    hours = night(following)
    for company_id in (OURS, OTHERS):
        following.project(company_id, follow_ups=SOON, quiet_hours=hours)
        following.started(company_id=company_id)
    following.passes(hours=3)
    assert len(following.sent()) == 2
    assert [record.waiting for record in following.all_records()] == [(), ()]
    following.passes(hours=5)
    assert [text for text in following.sent() if REMINDER in text] == [f"{REMINDER} {OPT_OUT}"] * 2


def test_a_reminder_waits_for_the_hours_of_its_recipients_place(following):
    """It is 15:00 there when the opening is sent, and 21:00 when the reminder is due."""
    florida, ahead = "+13055550100", (15 - following.clock.now().hour + 12) % 24 - 12
    zone = f"Etc/GMT{-ahead:+d}" if ahead else "UTC"
    late = {"reminder": {"after_minutes": 360, "text": REMINDER}}
    following.project(follow_ups=late, jurisdictions={"enforced": True})
    following.started(tel=florida, recipient_data={"recipient_timezone": zone})
    following.passes(hours=7)
    assert len(following.sent(florida)) == 1
    following.passes(hours=13)
    assert len(following.sent(florida)) == 2
    (record,) = following.all_records()
    rules = [
        entry.rules for entry in following.conversations.history(record) if entry.note != "prompt"
    ]
    assert all("us-federal@2026-11" in rule for rule in rules)


def test_a_reply_during_the_night_cancels_what_waits_for_its_end(following):
    following.project(follow_ups=SOON, quiet_hours=night(following))
    record = following.started()
    following.passes(hours=3)
    following.says(record, "Yes?")
    following.passes(hours=5)
    assert all(REMINDER not in text for text in following.sent())
    assert len(following.sent()) == 2


def test_on_whatsapp_the_template_carries_it(following):
    config = FollowRig.whatsapp(reopening_template_sid=REOPENING)
    following.project(follow_ups=DAY, channel_config=config)
    following.started(channel="whatsapp")
    following.passes(hours=25)
    assert following.sent()[1:] == [f"Hi Jo: {REMINDER}"]


def test_on_whatsapp_without_a_template_it_is_not_sent_and_says_so(following):
    following.project(follow_ups=DAY)
    following.started(channel="whatsapp")
    following.passes(hours=25)
    assert following.ended("evt:follow:") == [("failed", "twilio_window_closed")]


def test_a_switch_withholds_it_and_a_replay_sends_it_unless_answered(following):
    following.project(follow_ups=DAY)
    record = following.started()
    following.switches.switches = replace(following.switches.switches, safe_mode=True)
    following.passes(hours=25)
    assert following.ended("evt:follow:") == [("processed", "withheld:safe_mode")]
    following.switches.switches = replace(following.switches.switches, safe_mode=False)
    answer(following, record)
    replay(following, keys.follow(record.opaque_id, "reminder"))
    assert len(following.sent()) == 1


def replay(rig, event_key):
    stored = rig.ledger.stored(event_key)
    job = ResumeRebuilder(rig.conversations)(stored.event)
    rig.intake.accept(job, recovery=Recovery.OPERATOR)
    rig.work()


def test_a_declaration_that_cannot_be_read_sends_nothing(following):
    following.project(follow_ups={"reminder": {"after_minutes": "soon", "text": REMINDER}})
    following.started()
    following.passes(days=2)
    assert len(following.sent()) == 1
    assert following.ended("evt:follow:") == []


# --- another channel --------------------------------------------------------------------------


def test_a_refused_opening_is_sent_by_the_next_channel_once(following):
    following.project(follow_ups=TO_SMS)
    following.twilio.fault("status", **refused())
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == ["sms"]
    first, linked = following.all_records()
    assert (first.status, linked.status) == (Status.FAILED, Status.INITIAL_MESSAGE_SENT)
    link = {"conversation": linked.opaque_id, "request_id": linked.request_id, "channel": "sms"}
    fate = following.fate()
    assert (fate["state"], fate["continued_by"]) == ("failed", link)
    theirs = following.fate(linked.request_id)
    assert (theirs["state"], theirs["continues"]["request_id"]) == ("sent", "req1")
    assert linked.start_event != first.start_event
    assert linked.item["project_data"] == first.item["project_data"]


@pytest.mark.parametrize("status", ["undelivered", "failed"])
def test_an_opening_that_was_not_delivered_is_sent_by_the_next_channel_once(following, status):
    following.project(follow_ups=TO_SMS)
    first = following.started(channel="whatsapp")
    for _ in range(2):
        following.reported(first, status, "63016")
    following.passes(minutes=10)
    assert following.channels() == ["whatsapp", "sms"]


def test_each_company_falls_back_by_its_own_number(following):
    for company_id in (OURS, OTHERS):
        following.project(company_id, follow_ups=TO_SMS)
        following.twilio.fault("status", **refused())
        following.started(channel="whatsapp", company_id=company_id)
    following.passes(minutes=10)
    senders = [message["from"] for message in following.twilio.sent_to(TEL)]
    assert senders == ["+15550109002", "+15550109012"]


def test_an_unknown_outcome_opens_no_other_channel(following):
    following.project(follow_ups=TO_SMS)
    following.twilio.fault("act_then_drop", operation="create_message")
    following.started(channel="whatsapp")
    assert following.ended("evt:start:")[0][0] == "parked"
    assert following.channels() == ["whatsapp"]
    assert len(following.all_records()) == 1


def test_a_wish_not_to_be_contacted_closes_every_channel(following):
    following.project(follow_ups=TO_SMS)
    following.conversations.forbid(TEL, OURS, "operator")
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == []
    assert len(following.all_records()) == 1
    assert following.ended("evt:start:") == [("failed", "do_not_contact")]


def test_a_number_that_is_dead_on_one_channel_is_tried_on_the_next(following):
    following.project(follow_ups=TO_SMS)
    following.conversations.forbid(TEL, OURS, "dead_number", channel=Channel.WHATSAPP)
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == ["sms"]


def test_a_channel_that_the_address_does_not_work_on_is_passed_over(following):
    following.project(follow_ups={"fallback": ["sms", "email"]})
    following.conversations.forbid(TEL, OURS, "landline", channel=Channel.SMS)
    following.twilio.fault("status", **refused())
    following.started(channel="whatsapp", **BOTH)
    (_, linked) = following.all_records()
    assert (linked.channel, linked.primary_channel) == ("email", MAIL)
    resume = ResumeRebuilder(following.conversations)
    job = resume(following.ledger.stored(linked.start_event).event)
    assert job.lane.name == "email"
    assert job.group == ("pair", "replies@company.example", MAIL)


def test_a_channel_is_tried_once_and_the_last_failure_stays(following):
    following.project(follow_ups={"fallback": ["whatsapp", "sms"]})
    following.twilio.fault("status", **refused(times=5))
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert [record.channel for record in following.all_records()] == ["whatsapp", "sms"]
    assert {record.status for record in following.all_records()} == {Status.FAILED}


def test_a_reply_before_the_other_channels_opening_withholds_it(following):
    """The conversation was opened, and waits for the sweep, as its job could not be queued."""
    following.project(follow_ups=TO_SMS)
    other = following.started("req2", "sms")
    first = following.started(channel="whatsapp")
    following.clock.forward(60)
    following.queue_is_away = True
    following.reported(first, "undelivered", "63016")
    answer(following, other)
    following.queue_is_away = False
    following.passes(minutes=10)
    assert following.channels() == ["sms", "whatsapp"]
    linked = following.all_records()[-1]
    assert (linked.status, linked.item["withheld_reason"]) == ("withheld", "recipient_answered")
    assert following.fate(linked.request_id)["state"] == "withheld"


def test_a_fallback_that_could_not_be_queued_is_sent_by_the_sweep(following):
    following.project(follow_ups=TO_SMS)
    first = following.started(channel="whatsapp")
    following.queue_is_away = True
    following.reported(first, "undelivered", "63016")
    following.queue_is_away = False
    assert following.channels() == ["whatsapp"]
    following.passes(minutes=10)
    assert following.channels() == ["whatsapp", "sms"]


def test_a_conversation_that_another_continues_is_opened_no_more(following):
    following.project(follow_ups=TO_SMS)
    following.twilio.fault("status", **refused())
    first = following.started(channel="whatsapp")
    following.passes(minutes=10)
    replay(following, first.start_event)
    assert following.channels() == ["sms"]
    assert following.ended(first.start_event) == [("processed", "withheld:continued")]


def test_a_channel_that_is_not_allowed_is_replaced_by_one_that_is(following):
    following.project(allowed_channels=["sms"], follow_ups=TO_SMS)
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == ["sms"]
    fate = following.fate()
    assert (fate["state"], fate["reason"]) == ("failed", "send:channel_not_allowed")
    assert fate["continued_by"]["channel"] == "sms"


def test_a_channel_that_is_not_allowed_and_has_no_settings_is_replaced_too(following):
    item = FollowRig.whatsapp()
    following.project(
        allowed_channels=["sms"], follow_ups=TO_SMS, channel_config={"sms": item["sms"]}
    )
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == ["sms"]


@pytest.mark.parametrize("declared", [None, {"fallback": ["whatsapp"]}, {"fallback": ["email"]}])
def test_without_another_way_to_the_recipient_it_is_refused(following, declared):
    following.project(allowed_channels=["sms", "email"], follow_ups=declared)
    found = following.post(channel="whatsapp")
    assert (found.status, found.body["error_code"]) == (403, "CHANNEL_NOT_ALLOWED")


def test_a_fallback_has_its_own_reminder(following):
    following.project(follow_ups={**DAY, **TO_SMS})
    following.reported(following.started(channel="whatsapp"), "undelivered", "63016")
    following.passes(minutes=10)
    following.passes(hours=25)
    assert following.sent()[2:] == [f"{REMINDER} {OPT_OUT}"]


def told(rig, record):
    """Name and facts of each event of a conversation."""
    rows, found = rig.events.rows, []
    while (event := rows.event(record.opaque_id, len(found) + 1)) is not None:
        found.append((event.name.value, event.facts))
    return found


def test_the_company_hears_of_the_other_channel_and_of_the_reminder(following):
    hook = {"url": "https://hooks.example.com/conversations"}
    following.project(follow_ups={**DAY, **TO_SMS}, event_webhook=hook)
    following.twilio.fault("status", **refused())
    following.started(channel="whatsapp")
    following.passes(hours=25)
    first, linked = following.all_records()
    assert [name for name, _ in told(following, first)] == ["accepted", "failed", "continued"]
    assert told(following, first)[2][1] == {
        "linked_conversation": linked.opaque_id,
        "linked_request_id": linked.request_id,
        "linked_channel": "sms",
    }
    names = [name for name, _ in told(following, linked)]
    assert names == ["accepted", "sent", "followed_up"]
    assert told(following, linked)[0][1] == {"continues": first.opaque_id}
    assert told(following, linked)[2][1]["step"] == "reminder"


# --- a start at a time ------------------------------------------------------------------------


def at(rig, **time):
    return {"request_data": {"send_at": iso(rig.clock.now() + timedelta(**time))}}


def test_a_scheduled_start_is_sent_at_its_time_once(following):
    asked = at(following, days=20)
    accepted = following.post(**asked)
    assert (accepted.status, accepted.body["send_at"]) == (202, asked["request_data"]["send_at"])
    following.work()
    fate = following.fate()
    until = asked["request_data"]["send_at"]
    assert (fate["state"], fate["waiting"]) == ("scheduled", {"for": "send_at", "until": until})
    following.passes(days=19)
    assert following.sent() == []
    following.passes(days=1, minutes=1)
    assert len(following.sent()) == 1
    assert following.fate()["state"] == "sent"
    again = following.post(**asked)
    assert (again.status, again.body["duplicate"]) == (202, True)
    following.passes(days=1)
    assert len(following.sent()) == 1


def test_a_stop_cancels_a_scheduled_start(following):
    following.started(**at(following, hours=5))
    following.conversations.forbid(TEL, OURS, "stop")
    following.passes(hours=6)
    assert following.sent() == []
    assert following.fate()["reason"] == "do_not_contact"


def test_a_scheduled_start_is_not_one_in_progress(following):
    limits = {"concurrent_conversations": 1}
    following.project(rate_limits=limits)
    for number in range(3):
        following.started(f"req{number}", tel=f"+1555010000{number}", **at(following, hours=5))
    following.passes(hours=6)
    assert all(len(following.sent(f"+1555010000{number}")) == 1 for number in range(3))


def test_a_scheduled_start_in_quiet_hours_waits_for_their_end(following):
    following.project(quiet_hours=night(following))
    following.started(**at(following, hours=4))
    following.passes(hours=5)
    assert following.sent() == []
    following.passes(hours=3)
    assert len(following.sent()) == 1


def test_a_scheduled_start_that_is_approved_early_waits_for_its_time(following):
    following.project(auto_queue_initial_message=True)
    record = following.started(**at(following, hours=5))
    following.act("approve", record)
    following.work()
    assert following.sent() == []
    following.passes(hours=6)
    assert len(following.sent()) == 1


@pytest.mark.parametrize(
    "given",
    ["tomorrow", 5, "", "2026-12-01T09:00:00", "2020-01-01T00:00:00Z", "2999-01-01T00:00:00Z"],
)
def test_a_time_that_is_none_or_has_no_zone_or_is_out_of_bounds_is_refused(following, given):
    found = following.post(request_data={"send_at": given})
    assert (found.status, found.body["error_code"]) == (400, "INVALID_SEND_AT")
    assert "send_at" in found.body["message"]
    assert str(given) not in found.body["message"] or not given


# --- killed at every write --------------------------------------------------------------------


def crashes(twilio, arrange, act):
    """Kill an act before and after each of its writes, and go on; returns the rigs, and how far it got."""
    usual, found = twilio._now, []
    try:
        for number in itertools.count(1):
            for moment in ("before", "after"):
                twilio.reset()
                rig = FollowRig(twilio)
                twilio._now = lambda rig=rig: rig.clock.now().timestamp()
                arrange(rig)
                with killed_at(rig, number, moment) as counted, suppress(ProcessKilled):
                    act(rig)
                if not counted["killed"]:
                    return found, number
                rig.outbox.messages, left = [], list(rig.outbox.messages)
                rig.clock.forward(1_000)
                rig.outbox.messages = left  # received again, after its visibility timeout
                rig.work()
                for _ in range(6):
                    rig.passes(minutes=31)
                found.append(((number, moment), rig))
    finally:
        twilio._now = usual


def test_a_reminder_killed_at_any_write_is_sent_once_or_parked(twilio):
    def arrange(rig):
        rig.project(follow_ups=DAY)
        rig.started()
        rig.clock.forward(24 * 3600 + 60)

    def act(rig):
        rig.sweep()
        rig.work()

    found, number = crashes(twilio, arrange, act)
    outcomes = set()
    for where, rig in found:
        sends = [
            row["status"]
            for row in rig.table.rows.values()
            if row["event_id"].startswith("act:send:")
        ]
        ((status, _),) = rig.ended("evt:follow:")
        outcomes.add((status, len(sends)))
        assert status in {"processed", "parked"}, (where, status)
        assert sends.count("done") + (status == "parked") == 2, (where, sends)
    assert ("processed", 2) in outcomes
    assert number > 5


def test_the_opening_and_its_reminder_are_written_together_or_not_at_all(twilio):
    def arrange(rig):
        rig.project(follow_ups=DAY)
        rig.post()

    found, number = crashes(twilio, arrange, lambda rig: rig.work())
    for where, rig in found:
        is_sent = rig.record().status == Status.INITIAL_MESSAGE_SENT
        assert len(rig.ended("evt:follow:")) == is_sent, where
    assert number > 5


def test_a_fallback_killed_at_any_write_opens_one_conversation_and_sends_once(twilio):
    def arrange(rig):
        rig.project(follow_ups=TO_SMS)
        rig.twilio.fault("status", **refused())
        rig.post(channel="whatsapp")

    found, number = crashes(twilio, arrange, lambda rig: rig.work())
    outcomes = set()
    for where, rig in found:
        records = rig.all_records()
        statuses = [status for status, _ in rig.ended("evt:start:")]
        channels = rig.channels()
        outcomes.add((tuple(statuses), tuple(channels)))
        assert len(records) <= 2, where
        assert len(channels) <= 1, (where, channels)
        if "parked" not in statuses:
            assert len(channels) == 1, (where, statuses, channels)
    assert (("failed", "processed"), ("sms",)) in outcomes
    assert number > 8


def without_a_secret(rig):
    """The secret of WhatsApp is missing: its name, and what it held."""
    name = rig.whatsapp()["whatsapp"]["whatsapp_credentials_id"]
    held = rig.secrets.texts[name]
    rig.secrets.texts[name] = UnavailableError("secret_missing")
    return name, held


def test_a_run_that_has_lost_its_lease_opens_no_other_channel(following):
    """It found a secret missing; the run that took the event over finds it, and sends."""
    following.project(follow_ups=TO_SMS)
    name, secret = without_a_secret(following)
    following.post(channel="whatsapp")
    key = next(key for (key,) in following.table.rows if key.startswith("evt:start:"))

    def taken_over():
        following.table.rows[(key,)] |= {"fence": 99, "owner": "another"}
        following.secrets.texts[name] = secret

    following.conversations_table.before["update"] = taken_over  # as it marks it failed
    following.work()
    assert len(following.all_records()) == 1
    assert following.channels() == []


def test_a_missing_secret_is_a_reason_for_another_channel(following):
    following.project(follow_ups=TO_SMS)
    without_a_secret(following)
    following.started(channel="whatsapp")
    following.passes(minutes=10)
    assert following.channels() == ["sms"]
    assert following.fate()["reason"] == "secrets:secret_missing"
