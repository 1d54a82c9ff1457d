"""A message or a receipt touches only conversations of the company it belongs to."""

import json
from urllib.parse import parse_qsl, urlencode

import pytest
from twilio.request_validator import RequestValidator

from chalicelib.outreach import senders
from local import company
from local.vendors import twilio as twilio_vendor
from local.vendors.twilio import WebhookPost
from tests.rigs import neighbour as other
from tests.rigs.outreach import MAIL, TEL


@pytest.fixture
def conversation(outreach, neighbour):
    """The first company's conversation by SMS, whose opening was sent."""
    assert outreach.start("req1", "sms").status_code == 200
    outreach.run()
    return outreach.record("sms")


def by_neighbour(post, **changes):
    """The same form signed by the neighbour's account with the token it knows."""
    form = dict(parse_qsl(post.body.decode(), keep_blank_values=True))
    form |= {"AccountSid": other.ACCOUNT_SID, **changes}
    made = RequestValidator(other.AUTH_TOKEN).compute_signature(post.url, form)
    return WebhookPost(
        post.url, {**post.headers, "X-Twilio-Signature": made}, urlencode(form).encode()
    )


def reasons(outreach):
    return {row["event_id"]["S"]: row["reason"]["S"] for row in outreach.rows() if "reason" in row}


def test_another_companys_account_opts_no_recipient_out(outreach, conversation):
    genuine = outreach.says("STOP", whatsapp=False)
    assert outreach.deliver(by_neighbour(genuine)).status_code == 200
    outreach.run()
    assert outreach.services.outreach.conversations.reread(conversation) == conversation
    assert not outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
    assert "wrong_account" in reasons(outreach).values()
    assert outreach.deliver(genuine).status_code == 200
    outreach.run()
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_another_companys_account_uses_up_no_receipt(outreach, conversation):
    genuine = outreach.twilio.callbacks()
    for post in genuine:
        outreach.deliver(by_neighbour(post))
        outreach.deliver(by_neighbour(post, MessageStatus="undelivered", ErrorCode="21610"))
    outreach.run()
    assert outreach.services.outreach.conversations.reread(conversation) == conversation
    assert not outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
    for post in genuine:
        outreach.deliver(post)
    outreach.run()
    assert outreach.fate("req1").json_body["state"] == "delivered"


def test_a_receipt_in_ones_own_conversation_uses_up_no_receipt_of_anothers(
    outreach, neighbour, conversation
):
    genuine = outreach.twilio.callbacks()
    neighbour.start("own1", "sms")
    outreach.run()
    sids = [dict(parse_qsl(post.body.decode()))["MessageSid"] for post in genuine]
    for post, sid in zip(outreach.twilio.callbacks(), sids, strict=True):
        outreach.deliver(by_neighbour(post, MessageSid=sid))
    outreach.run()
    for post in genuine:
        outreach.deliver(post)
    outreach.run()
    assert outreach.fate("req1").json_body["state"] == "delivered"


def test_a_form_that_names_two_accounts_is_refused(outreach, conversation):
    genuine = outreach.says("STOP", whatsapp=False)
    body = genuine.body + b"&AccountSid=" + other.ACCOUNT_SID.encode()
    form = dict(parse_qsl(body.decode(), keep_blank_values=True))
    pairs = [(name, value) for name, value in form.items() if name != "AccountSid"]
    pairs += [("AccountSid", account) for account in (twilio_vendor.ACCOUNT_SID, other.ACCOUNT_SID)]
    text = genuine.url + "".join(name + value for name, value in sorted(pairs))
    made = RequestValidator(other.AUTH_TOKEN).compute_signature(text, {})
    post = WebhookPost(genuine.url, {**genuine.headers, "X-Twilio-Signature": made}, body)
    assert outreach.deliver(post).status_code == 401


def test_a_reply_token_counts_only_at_its_companys_own_address(outreach, neighbour):
    outreach.start("req1", "email")
    outreach.run()
    (mail,) = outreach.ses.sent_to(MAIL)
    record = outreach.record("email")
    token = record.opaque_id
    there = other.EMAIL.replace("@", f"+{token}@")
    outreach.mail(
        outreach.ses.inbound(MAIL, there, "Stop it", In_Reply_To=f"<{mail['message_id']}>")
    )
    outreach.run()
    assert outreach.services.outreach.conversations.reread(record) == record
    assert "unknown_sender" in reasons(outreach).values()
    outreach.mail(outreach.ses.inbound(MAIL, mail["reply_to"], "Tell me more"))
    outreach.run()
    assert outreach.record("email").message_count == 4


def test_a_reply_goes_to_the_company_that_owns_the_sender(outreach, neighbour):
    """Both used the number before it was mapped; the other's conversation is the newer one."""
    shared = {
        **neighbour.project["channel_config"]["sms"],
        "company_sms_number": company.SMS_NUMBER,
    }
    channels = {**neighbour.project["channel_config"], "sms": shared}
    company.put_project(outreach.stage, {**neighbour.project, "channel_config": channels})
    company.put_project(outreach.stage, outreach.project)
    outreach.start("req1", "sms")
    neighbour.start("own1", "sms")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    is_forbidden = outreach.services.outreach.conversations.is_forbidden
    assert is_forbidden(TEL, company.COMPANY_ID)
    assert not is_forbidden(TEL, other.COMPANY_ID)


@pytest.mark.parametrize("is_mapped", [True, False])
def test_a_company_whose_account_changed_still_hears_its_recipients(
    outreach, neighbour, conversation, is_mapped
):
    """The map may be older than the secret, or not filled yet: the secret decides."""
    name = outreach.project["channel_config"]["sms"]["sms_credentials_id"]
    company.put_secrets(outreach.stage, {name: json.dumps(other.TWILIO)})
    if not is_mapped:
        table = outreach.services.table(outreach.services.settings.company_data_table)
        table.delete(senders.key(company.SMS_NUMBER))
    outreach.new_container()
    outreach.deliver(by_neighbour(outreach.says("STOP", whatsapp=False)))
    outreach.run()
    assert outreach.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
