"""Outreach from the Router's door to what Twilio and SES received, on real engines."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from outreach_system import MAIL, TEL

from chalicelib.conversations.records import Channel, Status
from chalicelib.errors import UnavailableError, UncertainError
from chalicelib.jobs import Recovery
from chalicelib.rebuild import rebuilt
from local import company
from local.vendors.twilio import Post

CHANNELS = ["whatsapp", "sms", "email"]


def replay(system, prefix):
    """As `ops replay` does with every event of a kind."""
    for row in system.rows():
        key = row["event_id"]["S"]
        if key.startswith(prefix):
            stored = system.services.ledger.stored(key)
            job = rebuilt(system.services.rebuilders, stored.event)
            system.services.intake.accept(job, recovery=Recovery.OPERATOR)


def sent(system, channel):
    return system.ses.sent_to(MAIL) if channel == "email" else system.twilio.sent_to(TEL)


@pytest.mark.parametrize("channel", CHANNELS)
def test_a_start_posted_twice_is_sent_once_and_answered_twice_alike(outreach, channel):
    first, second = outreach.start(channel=channel), outreach.start(channel=channel)
    outreach.run()
    third = outreach.start(channel=channel)
    outreach.run()
    assert [one.status_code for one in (first, second, third)] == [200, 200, 200]
    assert first.json_body["duplicate"] is False
    for later in (second, third):
        assert later.json_body == {**first.json_body, "duplicate": True}
    assert len(sent(outreach, channel)) == 1
    record = outreach.record(channel)
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert record.item["task_complete"] == 1
    assert record.item["processing_time_ms"] >= 0
    assert record.message_count == 1
    assert outreach.fate().json_body["state"] == "sent"
    recipient = (MAIL if channel == "email" else TEL).lstrip("+")
    expected = f"ci-aaa-001#pi-aaa-001#req123#{recipient}"
    assert first.json_body["conversation_id"] == record.conversation_id == expected


def test_whatsapp_opens_by_template_and_keeps_what_was_really_sent(outreach):
    outreach.start()
    outreach.run()
    (message,) = outreach.twilio.sent_to(TEL)
    assert message["from"] == "whatsapp:" + company.WHATSAPP_NUMBER
    text = "Hello Jo, this is Cucumber Recruitment about Clarify CV. Reply to this message to talk to us."
    assert message["body"] == text
    assert outreach.history(outreach.record()) == [("assistant", text)]


def test_an_email_has_both_bodies_a_reply_token_and_its_tag(outreach):
    outreach.start(channel="email")
    outreach.run()
    (email,) = outreach.ses.sent_to(MAIL)
    record = outreach.record("email")
    assert email["subject"] == "About your application"
    assert email["text"].startswith("Hello Jo, this is Cucumber Recruitment")
    assert "<p>Hello Jo" in email["html"]
    assert email["reply_to"] == f"replies+{record.opaque_id}@company.example"
    assert email["tags"]["send"].startswith(record.opaque_id + "_")
    assert record.item["email_id"] == f"<{email['message_id']}@email.amazonses.com>"


def test_no_personal_data_leaves_the_queue_body_and_the_conversation(outreach, capsys):
    outreach.start()
    outreach.start("req-mail", channel="email")
    queued = outreach.stage.aws.client("sqs").receive_message(
        QueueUrl=outreach.stage.queue_url,
        AttributeNames=["All"],
        MessageAttributeNames=["All"],
        VisibilityTimeout=0,
    )["Messages"]
    outreach.run()
    outreach.deliver(outreach.says("I live in Springfield"))
    for post in outreach.twilio.callbacks():
        outreach.deliver(post)
    outreach.run()
    seen = [json.dumps(outreach.rows(t)) for t in ("IdempotencyTable", "AuditActionsTable")]
    seen += [json.dumps({k: v for k, v in m.items() if k != "Body"}) for m in queued]
    seen.append(capsys.readouterr().out)
    for text in seen:
        assert text
        for secret in (TEL[1:], MAIL, "Springfield", "Jo,"):
            assert secret not in text


def test_the_same_id_with_another_payload_is_a_conflict(outreach):
    outreach.start()
    other = outreach.start(recipient="+15550100002")
    assert other.status_code == 409
    assert other.json_body["error_code"] == "REQUEST_ID_REUSED"
    outreach.run()
    assert outreach.twilio.sent_to("+15550100002") == []


def test_a_context_object_brings_its_request_and_its_id_and_nothing_of_a_company(outreach):
    request = company.request("req9", "sms", TEL)
    body = {
        "frontend_payload": request,
        "company_data_payload": {"channel_config": {"sms": {"company_sms_number": "+15550666666"}}},
        "conversation_data": {
            "conversation_id": "from-the-router",
            "conversation_status": "initiated",
        },
        "metadata": {"router_version": "1.0.1-dev"},
    }
    answer = outreach.post(body)
    outreach.run()
    assert answer.json_body["conversation_id"] == "from-the-router"
    (message,) = outreach.twilio.sent_to(TEL)
    assert message["from"] == company.SMS_NUMBER
    assert outreach.record("sms").item["router_version"] == "1.0.1-dev"


@pytest.mark.parametrize("key", ["", "wrong"])
def test_without_a_known_key_nothing_is_read(outreach, key):
    answer = outreach.post(b"not even json", key=key)
    assert (answer.status_code, answer.json_body["error_code"]) == (401, "UNAUTHORIZED")


def test_a_key_starts_and_asks_for_its_own_company_only(outreach):
    company.put_secrets(
        outreach.stage,
        {
            "rp-mw/dev/router/api_keys": json.dumps(
                {"ci-bbb-002": ["other"], "ci-aaa-001": ["a", "b"]}
            )
        },
    )
    body = company.request("req1", "sms", TEL)
    assert outreach.post(body, key="other").json_body["error_code"] == "AUTHORIZATION_ERROR"
    assert [outreach.post(body, key=k).status_code for k in ("a", "b")] == [200, 200]
    assert outreach.fate("req1", key="other").status_code == 404
    assert outreach.fate("req1", key="a").json_body["state"] == "queued"


@pytest.mark.parametrize(
    ("changes", "status", "code"),
    [
        ({"project_status": "inactive"}, 403, "PROJECT_INACTIVE"),
        ({"allowed_channels": ["email"]}, 403, "CHANNEL_NOT_ALLOWED"),
        ({"channel_config": {}}, 500, "CONFIGURATION_ERROR"),
    ],
)
def test_what_the_company_has_set_is_enforced(outreach, changes, status, code):
    outreach.set_project(**changes)
    answer = outreach.start()
    assert (answer.status_code, answer.json_body["error_code"]) == (status, code)
    assert answer.json_body["request_id"] == "req123"


def test_consent_is_asked_for_where_the_project_asks_for_it(outreach):
    silent = {"recipient_data": {"comms_consent": None}}
    assert outreach.start("a", **silent).status_code == 200
    outreach.run()
    assert outreach.record().item["comms_consent"] is False
    outreach.set_project(require_consent=True)
    assert outreach.start("b", **silent).json_body["error_code"] == "CONSENT_REQUIRED"


def test_an_unknown_project_is_not_found(outreach):
    answer = outreach.start(company_data={"project_id": "pi-none"})
    assert (answer.status_code, answer.json_body["error_code"]) == (404, "COMPANY_NOT_FOUND")


@pytest.mark.parametrize(
    "limit", ["requests_per_minute", "requests_per_day", "concurrent_conversations"]
)
def test_a_company_over_its_limit_is_told_when_to_come_back(outreach, limit):
    outreach.set_project(rate_limits={limit: 2})
    codes = [outreach.start(f"r{n}", recipient=f"+1555010000{n}").status_code for n in range(3)]
    assert codes == [200, 200, 429]
    again = outreach.start("r0", recipient="+15550100000")
    assert (again.status_code, again.json_body["duplicate"]) == (200, True)
    refused = outreach.start("r2", recipient="+15550100002")
    assert int(refused.headers["Retry-After"]) > 0
    outreach.run()
    if limit == "concurrent_conversations":
        assert outreach.start("r2", recipient="+15550100002").status_code == 200


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
    assert record.message_count == 1
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


def test_a_token_that_was_rotated_is_read_anew_once(outreach):
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


def test_callbacks_in_any_order_and_twice_only_ever_advance(outreach):
    outreach.start(channel="sms")
    outreach.run()
    posts = list(reversed(outreach.twilio.callbacks()))
    for post in posts + posts:
        assert outreach.deliver(post).status_code == 200
        outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["delivery"]) == ("delivered", "delivered")


def test_a_delivery_that_fails_is_told_and_fails_the_conversation(outreach):
    outreach.twilio.set_modes(fates=["sent", "undelivered"])
    outreach.start(channel="sms")
    outreach.run()
    for post in outreach.twilio.callbacks():
        outreach.deliver(post)
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "30003")
    assert outreach.record("sms").item["failure_stage"] == "delivery"


@pytest.mark.parametrize("path", ["/webhook/twilio", "/webhook/twilio/status"])
def test_a_post_that_is_not_signed_by_the_accounts_token_is_refused(outreach, path):
    outreach.start(channel="sms")
    outreach.run()
    post = outreach.says("hello", whatsapp=False)
    post = outreach.twilio.callbacks()[0] if path.endswith("status") else post
    forged = Post(post.url, {**post.headers, "X-Twilio-Signature": "AAAA"}, post.body)
    assert outreach.deliver(forged).status_code == 401
    tampered = Post(post.url, post.headers, post.body + b"&Extra=1")
    assert outreach.deliver(tampered).status_code == 401
    assert outreach.run() == []
    assert outreach.deliver(post).status_code == 200


@pytest.mark.parametrize("whatsapp", [True, False])
def test_a_reply_is_answered_once_however_often_it_is_delivered(outreach, whatsapp):
    channel = "whatsapp" if whatsapp else "sms"
    outreach.start(channel=channel)
    outreach.run()
    post = outreach.says("Yes, tell me more", whatsapp=whatsapp)
    for _ in range(3):
        answer = outreach.deliver(post)
        assert (answer.status_code, answer.body) == (200, b"<Response/>")
        outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    record = outreach.record(channel)
    roles = [role for role, _ in outreach.history(record)]
    assert roles == ["assistant", "user", "assistant"]
    assert record.status == Status.REPLY_SENT


def test_an_email_reply_is_answered_in_its_thread(outreach):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    event = outreach.ses.inbound(
        MAIL, first["reply_to"], "Tell me more\n\nOn Friday X wrote:\n> Hello"
    )
    outreach.mail(event)
    outreach.mail(event)
    outreach.run()
    _, answer = outreach.ses.sent_to(MAIL)
    assert answer["headers"]["In-Reply-To"] == "<m2@mail.example.com>"
    assert first["message_id"] in answer["headers"]["References"]
    assert outreach.history(outreach.record("email"))[1] == ("user", "Tell me more")


def test_a_reply_from_another_address_is_found_by_its_token(outreach):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    outreach.mail(outreach.ses.inbound("j.private@example.com", first["reply_to"], "It is me"))
    outreach.run()
    assert outreach.record("email").message_count == 3
    assert len(outreach.ses.sent_to(MAIL)) == 2


@pytest.mark.parametrize(
    "headers",
    [
        {"Auto_Submitted": "auto-replied"},
        {"Precedence": "bulk"},
        {"X_Autoreply": "yes"},
        {"dmarc": "FAIL"},
    ],
    ids=lambda one: next(iter(one)),
)
def test_a_robot_is_recorded_and_never_answered(outreach, headers):
    outreach.start(channel="email")
    outreach.run()
    (first,) = outreach.ses.sent_to(MAIL)
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], "I am away", **headers))
    outreach.run()
    assert len(outreach.ses.sent_to(MAIL)) == 1
    assert outreach.record("email").message_count == 2


def test_a_message_of_media_alone_is_recorded_and_never_answered(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("", whatsapp=False, media=1))
    outreach.run()
    record = outreach.record("sms")
    assert record.messages[-1].note == "media"
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_message_of_a_stranger_is_recorded_without_its_text(outreach):
    answer = outreach.deliver(outreach.says("who is this", from_="+15550100077"))
    outreach.run()
    assert answer.status_code == 200
    (row,) = [r for r in outreach.rows() if r["event_id"]["S"].startswith("evt:reply:")]
    assert (row["status"]["S"], row["reason"]["S"]) == ("skipped", "unknown_sender")
    assert "who is this" not in json.dumps(outreach.rows())


def test_stop_marks_the_recipient_and_later_starts_respect_it_until_start(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    outreach.start("second", channel="sms")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"
    assert outreach.start("third", channel="whatsapp").status_code == 200
    outreach.run()
    assert outreach.fate("third").json_body["state"] == "failed"
    outreach.deliver(outreach.says("start", whatsapp=False))
    outreach.run()
    outreach.start("fourth", channel="sms")
    outreach.run()
    assert outreach.fate("fourth").json_body["state"] == "sent"


def test_a_complaint_marks_the_recipient(outreach):
    outreach.ses.set_modes(fates=["Send", "Complaint"])
    outreach.start(channel="email")
    outreach.run()
    for event in outreach.ses.events():
        outreach.mail(event)
    outreach.run()
    outreach.start("second", channel="email")
    outreach.run()
    assert outreach.fate("second").json_body["reason"] == "do_not_contact"


def test_a_held_start_waits_for_a_person_and_is_sent_once_when_approved(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert outreach.fate().json_body["state"] == "handed_off"
    (waiting,) = outreach.services.desk.waiting()
    assert (waiting.held, waiting.reason) == ("start", "auto_queue_initial_message")
    assert outreach.services.desk.approve(waiting.opaque_id)
    assert outreach.services.desk.approve(waiting.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    assert list(outreach.services.desk.waiting()) == []
    assert not outreach.services.desk.approve(waiting.opaque_id)


def test_a_hand_off_rule_with_a_list_takes_the_listed_alone(outreach):
    outreach.set_project(
        auto_queue_initial_message=True, auto_queue_initial_message_from_number=["+15550100002"]
    )
    outreach.start("a", channel="sms")
    outreach.start("b", channel="sms", recipient="+15550100002")
    outreach.run()
    assert [outreach.fate(one).json_body["state"] for one in "ab"] == ["sent", "handed_off"]


def test_a_recipient_who_asks_for_a_person_gets_one_and_no_machine(outreach):
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human"))
    outreach.run()
    record = outreach.record()
    assert record.status == Status.HANDED_OFF
    assert record.item["hand_off_to_human"] is True
    assert record.item["hand_off_to_human_reason"] == "recipient_asked_for_a_person"
    outreach.deliver(outreach.says("hello?"))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record().message_count == 3
    (waiting,) = outreach.services.desk.waiting(company_id="ci-aaa-001")
    assert outreach.services.desk.take(waiting.opaque_id, "agent-7")
    assert not outreach.services.desk.approve(waiting.opaque_id)
    assert not outreach.services.desk.take(waiting.opaque_id, "agent-8")


def test_a_held_reply_is_answered_once_it_is_released(outreach):
    outreach.set_project(auto_queue_reply_message=True)
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("Tell me more"))
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    (waiting,) = outreach.services.desk.waiting()
    outreach.services.desk.approve(waiting.opaque_id)
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    assert outreach.record().status == Status.REPLY_SENT


@pytest.mark.parametrize(
    ("switch", "value"),
    [
        ("kill_switch", "true"),
        ("safe_mode", "true"),
        ("automation_enabled", "false"),
        ("shadow_mode", "true"),
    ],
)
def test_a_switch_withholds_the_message_with_its_reason(outreach, switch, value):
    outreach.stage.set_switch(switch, value)
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.twilio.calls == ()
    fate = outreach.fate().json_body
    assert fate["state"] == "withheld"
    assert fate["reason"].startswith("withheld:")
    record = outreach.record("sms")
    assert record.status == Status.WITHHELD
    assert f"withheld:{record.item['withheld_reason']}" == fate["reason"]
    lifted = {"true": "false", "false": "true"}[value]
    outreach.stage.set_switch(switch, lifted)
    outreach.new_container()
    assert outreach.run() == [], "lifting a switch starts nothing by itself"
    for _ in range(2):
        replay(outreach, "evt:start:")
        outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    record = outreach.record("sms")
    assert (record.status, record.message_count) == (Status.INITIAL_MESSAGE_SENT, 1)
    assert "withheld_reason" not in record.item


def test_a_withheld_start_is_not_one_of_those_that_are_worked_on(outreach):
    outreach.set_project(rate_limits={"concurrent_conversations": 1})
    outreach.stage.set_switch("kill_switch", "true")
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.start("second", "sms", "+15550100002").status_code == 200


def test_a_withheld_answer_says_why_and_is_sent_when_its_event_is_replayed(outreach):
    outreach.start(channel="sms")
    outreach.run()
    outreach.stage.set_switch("safe_mode", "true")
    outreach.new_container()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    record = outreach.record("sms")
    assert record.status == Status.INITIAL_MESSAGE_SENT
    assert record.item["withheld_reason"] == "safe_mode"
    outreach.stage.set_switch("safe_mode", "false")
    outreach.new_container()
    replay(outreach, "evt:reply:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    record = outreach.record("sms")
    assert record.status == Status.REPLY_SENT
    assert "withheld_reason" not in record.item


def test_a_release_that_a_switch_withholds_says_so_and_is_sent_when_it_is_replayed(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.run()
    (waiting,) = outreach.services.desk.waiting()
    outreach.stage.set_switch("kill_switch", "true")
    outreach.new_container()
    outreach.services.desk.approve(waiting.opaque_id)
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("withheld", "withheld:kill_switch")
    assert outreach.record("sms").status == Status.WITHHELD
    outreach.stage.set_switch("kill_switch", "false")
    outreach.new_container()
    replay(outreach, "evt:release:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    fate = outreach.fate().json_body
    assert fate["state"] == "sent"
    assert "reason" not in fate


def test_a_hand_off_that_a_switch_withholds_says_so_and_comes_when_it_is_replayed(outreach):
    outreach.set_project(auto_queue_initial_message=True)
    outreach.stage.set_switch("shadow_mode", "true")
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.record("sms").status == Status.WITHHELD
    outreach.stage.set_switch("shadow_mode", "false")
    outreach.new_container()
    replay(outreach, "evt:start:")
    outreach.run()
    assert outreach.record("sms").status == Status.HANDED_OFF
    assert outreach.fate().json_body["state"] == "handed_off"
    assert len(list(outreach.services.desk.waiting())) == 1


def test_an_answer_goes_to_what_was_sent_and_not_to_what_was_withheld(outreach):
    outreach.start("first", channel="sms")
    outreach.run()
    outreach.stage.set_switch("kill_switch", "true")
    outreach.new_container()
    outreach.start("second", channel="sms")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    outreach.run()
    found = outreach.services.conversations.by_channel(TEL, Channel.SMS)
    counts = {one.request_id: one.message_count for one in found}
    assert counts == {"first": 2, "second": 0}


def test_a_start_that_was_refused_and_is_replayed_is_told_as_sent(outreach):
    outreach.twilio.fault(
        "status", operation="create_message", status=400, body={"code": 21608, "status": 400}
    )
    outreach.start(channel="sms")
    outreach.run()
    assert outreach.record("sms").status == Status.FAILED
    replay(outreach, "evt:start:")
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"
    record = outreach.record("sms")
    assert (record.status, record.item["task_complete"]) == (Status.INITIAL_MESSAGE_SENT, 1)
    assert not {"failure_stage", "failure_reason"} & record.item.keys()


def test_a_start_that_dies_after_sending_is_resumed_and_not_sent_again(outreach):
    outreach.start(channel="sms")
    flow = outreach.services.worker.flows["start_conversation"]
    append = flow._conversations.append

    def dies(*_, **__):
        raise UncertainError("test", "append", reason="died")

    flow._conversations.append = dies
    outreach.run()
    flow._conversations.append = append
    outreach.let_leases_end()
    outreach.again()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.record("sms").status == Status.INITIAL_MESSAGE_SENT
    assert outreach.fate().json_body["state"] == "sent"


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


def test_a_start_that_nobody_queued_is_given_up_and_may_be_posted_again(outreach):
    put = outreach.services.outbox.put

    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    outreach.services.outbox.put = refuses
    assert outreach.start(channel="sms").json_body["error_code"] == "QUEUE_ERROR"
    outreach.services.outbox.put = put
    outreach.age_starts()
    outreach.sweep()
    outreach.run()
    fate = outreach.fate().json_body
    assert (fate["state"], fate["reason"]) == ("failed", "never_opened")
    assert outreach.start(channel="sms").json_body["duplicate"] is False
    outreach.run()
    assert len(outreach.twilio.sent_to(TEL)) == 1
    assert outreach.fate().json_body["state"] == "sent"


def test_quiet_hours_hold_an_answer_until_they_end(outreach):
    outreach.start(channel="sms")
    outreach.run()
    now = datetime.now(UTC)
    quiet = {
        "from": (now - timedelta(hours=1)).strftime("%H:%M"),
        "until": (now + timedelta(hours=1)).strftime("%H:%M"),
        "zone": "UTC",
    }
    record = outreach.record("sms")
    outreach.services.conversations.move(record, [record.status], {"quiet_hours": quiet})
    outreach.deliver(outreach.says("Tell me more", whatsapp=False))
    (done,) = outreach.run()
    assert done.error == "HandedBackError"
    assert outreach.record("sms").message_count == 2
    over = {**quiet, "until": (now - timedelta(minutes=30)).strftime("%H:%M")}
    outreach.services.conversations.move(record, [record.status], {"quiet_hours": over})
    outreach.again()
    assert len(outreach.twilio.sent_to(TEL)) == 2
    assert outreach.record("sms").message_count == 3
