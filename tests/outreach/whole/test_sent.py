"""Outcomes of an outreach send: no response, a refusal, callbacks in any order."""

import json
import time

import pytest

from chalicelib.outreach.conversations.records import Status
from local import company
from tests.rigs.outreach import CHANNELS, MAIL, TEL, sent


def test_a_start_whose_send_got_no_answer_is_never_sent_again_and_settled_by_its_callback(outreach):
    outreach.twilio.fault("act_then_drop", operation="create_message")
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["state"] == "parked"
    assert len(outreach.twilio.sent_to(TEL)) == 1
    for post in outreach.twilio.callbacks():
        assert outreach.deliver(post).status_code == 200
    outreach.run()
    assert outreach.fate().json_body["state"] == "delivered"
    record = outreach.record("sms")
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert record.message_count == 2
    assert len(outreach.twilio.sent_to(TEL)) == 1


@pytest.mark.parametrize("fault", ["act_then_status", "status"])
def test_an_email_answered_500_is_parked_and_settled_by_an_event_or_not_at_all(outreach, fault):
    outreach.ses.fault(fault, operation="send_email", status=500)
    outreach.start(channel="email")
    outreach.run()
    assert outreach.fate().json_body["state"] == "parked"
    for event in outreach.ses.events():
        outreach.mail(event)
    outreach.run()
    happened = fault == "act_then_status"
    assert outreach.fate().json_body["state"] == ("delivered" if happened else "parked")
    assert len(outreach.ses.sent_to(MAIL)) == int(happened)
    assert len(outreach.ses.calls_of("send_email")) == 1


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_send_refused_for_now_is_repeated_and_sent_once(outreach, channel):
    vendor = outreach.ses if channel == "email" else outreach.twilio
    vendor.fault("status", status=429, headers={"x-amzn-ErrorType": "TooManyRequestsException"})
    outreach.start(channel=channel)
    outreach.run()
    assert sent(outreach, channel) == []
    outreach.again()
    assert len(sent(outreach, channel)) == 1
    assert outreach.fate().json_body["state"] == "sent"


@pytest.mark.parametrize(
    ("recipient", "code"), [("+15005550001", "21211"), ("+15005550009", "21614")]
)
def test_a_refused_send_ends_in_failed_with_stage_and_reason(outreach, recipient, code):
    outreach.start(channel="sms", recipient=recipient)
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", f"refused:{code}")
    record = outreach.record("sms", recipient)
    assert record.status == Status.FAILED
    assert (record.item["failure_stage"], record.item["failure_reason"]) == ("send", code)
    outreach.start("second", channel="sms", recipient=recipient)
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"
    assert len(outreach.twilio.calls_of("create_message")) == 1


def test_a_recipient_who_opted_out_at_twilio_is_not_tried_again(outreach):
    outreach.start(channel="sms", recipient="+15005550004")
    outreach.run()
    outreach.start("second", channel="sms", recipient="+15005550004")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"
    assert len(outreach.twilio.calls_of("create_message")) == 1


def test_a_secret_that_is_missing_or_malformed_fails_with_its_stage(outreach):
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: "not json"})
    outreach.start(channel="sms")
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "secrets:credentials_malformed")
    assert outreach.record("sms").item["failure_stage"] == "secrets"


def test_a_rotated_token_is_read_again_once(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.twilio.accounts[next(iter(outreach.twilio.accounts))] = "rotated"
    try:
        name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
        sid = next(iter(outreach.twilio.accounts))
        new = {"twilio_account_sid": sid, "twilio_auth_token": "rotated"}
        company.put_secrets(outreach.stage, {name: json.dumps(new)})
        outreach.start("second", channel="sms", recipient="+15550100002")
        outreach.run()
    finally:
        outreach.twilio.accounts[sid] = "simulated-twilio-token"
    assert len(outreach.twilio.sent_to("+15550100002")) == 1


def test_callbacks_in_any_order_and_twice_only_advance_the_status(outreach):
    outreach.start(channel="sms")
    outreach.run()
    posts = list(reversed(outreach.twilio.callbacks()))
    for post in posts + posts:
        assert outreach.deliver(post).status_code == 200
        outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["delivery"]) == ("delivered", "delivered")


def test_a_failed_delivery_is_reported_and_fails_the_conversation(outreach):
    outreach.twilio.set_modes(fates=["sent", "undelivered"])
    outreach.start(channel="sms")
    outreach.run()
    outreach.hear_back()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "30003")
    assert outreach.record("sms").item["failure_stage"] == "delivery"


def test_a_text_whose_send_got_no_answer_is_settled_by_twilios_list_in_the_sweep(outreach):
    outreach.twilio.fault("act_then_status", operation="create_message", status=500)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["state"] == "parked"
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert outreach.fate().json_body["state"] == "sent"
    assert outreach.record("sms").status == Status.INITIAL_MESSAGE_SENT
    assert len(outreach.twilio.sent_to(TEL)) == 1


@pytest.mark.parametrize("apart", [-7_200, -130, 130, 7_200])
def test_a_text_is_found_on_twilios_list_however_far_the_clocks_are_apart(
    outreach, monkeypatch, apart
):
    """The list itself shows Twilio's clock; by ours the message is older than its own send."""
    monkeypatch.setattr(outreach.twilio, "_now", lambda: time.time() + apart)
    outreach.twilio.fault("act_then_status", operation="create_message", status=500)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.fate().json_body["state"] == "parked"
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    assert outreach.fate().json_body["state"] == "sent"
    assert len(outreach.twilio.calls_of("create_message")) == 1


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_message_that_is_accepted_without_an_id_is_not_recorded_as_sent(outreach, channel):
    vendor = outreach.ses if channel == "email" else outreach.twilio
    vendor.fault("ignored", operation="send_email" if channel == "email" else "create_message")
    outreach.start(channel=channel)
    outreach.run()
    assert outreach.fate().json_body["state"] == "parked"
    assert sent(outreach, channel) == []
