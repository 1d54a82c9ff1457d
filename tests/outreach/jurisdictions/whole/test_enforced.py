"""Openings wait for the rules of their recipient's place, or fail by them; answers do not look at them."""

from datetime import UTC, datetime, timedelta

import pytest

from local import company
from tests.rigs.memory_stage import ON_ENGINE

FLORIDA = "+13055550100"
ENFORCED = {"enforced": True}
EXPIRED = {"given_at": "2024-01-01T00:00:00Z", "expires_at": "2025-01-01T00:00:00Z"}
STAMPS = ["us-federal@2026-11", "us-fl@2026-11", "worldwide@2026-11"]


def where_it_is(hour):
    """The name of a zone in which it is so late now."""
    ahead = (hour - datetime.now(UTC).hour + 12) % 24 - 12
    return f"Etc/GMT{-ahead:+d}" if ahead else "UTC"


@pytest.fixture
def ruled(outreach):
    """A project that keeps the rules."""
    outreach.set_project(jurisdictions=ENFORCED)
    return outreach


def start(outreach, request_id="req123", channel="sms", to=FLORIDA, *, hour=12, **recipient):
    data = {"recipient_timezone": where_it_is(hour), **recipient}
    answer = outreach.start(request_id, channel, to, recipient_data=data)
    assert answer.status_code == 200, answer.json_body
    outreach.run()
    return outreach.fate(request_id).json_body


def test_by_day_an_opening_is_sent_and_says_which_rules_allowed_it(ruled):
    assert start(ruled)["state"] == "sent"
    record = ruled.record("sms", FLORIDA)
    (opening,) = [
        entry
        for entry in ruled.services.outreach.conversations.history(record)
        if entry.role == "assistant"
    ]
    assert set(STAMPS) <= set(opening.rules)
    assert all("@" in rule for rule in opening.rules)


@ON_ENGINE
def test_an_opening_says_what_the_place_asks_for(ruled):
    start(ruled)
    (sent,) = ruled.twilio.sent_to(FLORIDA)
    assert "Cucumber Recruitment" in sent["body"]
    assert "Msg frequency varies. Msg & data rates may apply. " in sent["body"]


def test_at_night_it_waits_until_the_hours_begin(ruled):
    fate = start(ruled, hour=23)
    assert ruled.twilio.sent_to(FLORIDA) == []
    waiting = fate["waiting"]
    assert (waiting["for"], waiting["reason"]) == ("rules", "calling_hours")
    until = datetime.fromisoformat(waiting["until"])
    assert timedelta(hours=7) < until - datetime.now(UTC) < timedelta(hours=11)


def test_an_answer_is_sent_at_night(ruled):
    start(ruled)
    record = ruled.record("sms", FLORIDA)
    night = {"recipient_timezone": where_it_is(2)}
    ruled.services.outreach.conversations.change_while(record, [record.status], night)
    ruled.deliver(ruled.says("Tell me more", whatsapp=False, from_=FLORIDA))
    ruled.run()
    assert len(ruled.twilio.sent_to(FLORIDA)) == 2


def test_the_fourth_message_of_a_day_waits(ruled):
    for number in range(3):
        assert start(ruled, f"req-{number}")["state"] == "sent"
    waiting = start(ruled, "req-3")["waiting"]
    assert (waiting["for"], waiting["reason"]) == ("rules", "frequency_cap")
    assert len(ruled.twilio.sent_to(FLORIDA)) == 3


@pytest.mark.parametrize(
    ("channel", "project", "recipient", "reason"),
    [
        ("sms", {"require_consent": False}, {"comms_consent": False}, "consent_missing"),
        ("sms", {}, {"consent": EXPIRED}, "consent_expired"),
        ("whatsapp", {}, {}, "template_category"),
        ("sms", {"company_address": None}, {}, "words_missing"),
    ],
)
def test_what_time_does_not_heal_fails_with_a_reason_of_its_own(
    outreach, channel, project, recipient, reason
):
    """The zone is none of the area code's, so that Canada's words are asked for as well."""
    outreach.set_project(jurisdictions=ENFORCED, **project)
    fate = start(outreach, channel=channel, **recipient)
    assert (fate["state"], fate["reason"]) == ("failed", f"send:{reason}")
    assert outreach.twilio.sent_to(FLORIDA) == []


def test_a_consent_is_not_carried_over_to_the_next_channel(outreach):
    outreach.set_project(jurisdictions=ENFORCED, follow_ups={"fallback": ["sms"]})
    fate = start(outreach, channel="whatsapp")
    outreach.run()
    linked = outreach.fate(fate["continued_by"]["request_id"]).json_body
    assert (linked["state"], linked["reason"]) == ("failed", "send:consent_missing")
    assert outreach.twilio.sent_to(FLORIDA) == []


def test_an_opening_that_a_person_has_approved_waits_as_well(outreach):
    outreach.set_project(jurisdictions=ENFORCED, auto_queue_initial_message=True)
    company.open_desk(outreach.stage)
    outreach.new_container()
    assert start(outreach, hour=23)["state"] == "handed_off"
    (held,) = outreach.desk("/desk/conversations").json_body["conversations"]
    path = f"/desk/conversations/{held['id']}"
    version = outreach.desk(path).json_body["version"]
    act = {"act": "approve", "by": "sam", "version": version}
    assert outreach.desk(f"{path}/acts", act).status_code == 200
    outreach.run()
    assert outreach.fate().json_body["waiting"]["reason"] == "calling_hours"
    assert outreach.twilio.sent_to(FLORIDA) == []


def test_what_concerns_an_order_has_no_hours(outreach):
    outreach.set_project(jurisdictions=ENFORCED, message_kind="transactional")
    assert start(outreach, hour=3)["state"] == "sent"


def test_rules_that_are_off_ask_nothing(outreach):
    assert start(outreach, hour=3)["state"] == "sent"
    entries = outreach.services.outreach.conversations.history(outreach.record("sms", FLORIDA))
    assert all(entry.rules is None for entry in entries)


def test_a_start_that_waits_takes_no_place_of_its_companys_starts(outreach):
    limits = {"concurrent_conversations": 1}
    outreach.set_project(jurisdictions=ENFORCED, rate_limits=limits)
    assert "waiting" in start(outreach, "by-night", hour=23)
    assert start(outreach, "by-day", to="+13055550101")["state"] == "sent"
