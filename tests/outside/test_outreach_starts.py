"""The promises of docs/outreach.md, tried from outside: starts, and sends of unknown outcome."""

from datetime import timedelta

import pytest

from tests.outside.conversations import posted, started, words_to
from tests.outside.running import SECOND


@pytest.mark.parametrize("channel", ["sms", "email"])
def test_an_opening_by_sms_or_e_mail_says_how_to_opt_out(stack, channel):
    to = stack.mail() if channel == "email" else stack.tel()
    started(stack, to, channel)
    (text,) = words_to(stack, to)
    assert "Jo" in text
    assert "STOP" in text


def test_a_start_reaches_its_recipient_on_the_channel_that_it_names_and_on_no_other(stack):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    started(stack, tel, "whatsapp", recipient_data=both)
    assert [text["to"] for text in stack.texts_to(tel)] == [f"whatsapp:{tel}"]
    started(stack, mail, "email", recipient_data=both)
    assert (len(stack.texts_to(tel)), len(stack.mails_to(mail))) == (1, 1)


def test_a_wrong_start_gets_a_4xx_that_names_the_field_and_never_its_value(stack):
    soon = stack.now() + timedelta(days=22)
    wrong = {
        ("recipient_data", "recipient_tel", "07700-900123"): "INVALID_RECIPIENT_TEL",
        ("recipient_data", "recipient_tel", None): "MISSING_RECIPIENT_TEL",
        ("recipient_data", "comms_consent", "certainly"): "INVALID_COMMS_CONSENT_TYPE",
        ("recipient_data", "comms_consent_at", "last week"): "INVALID_COMMS_CONSENT_PROOF",
        ("recipient_data", "consent", "a form"): "INVALID_CONSENT",
        ("request_data", "purpose", "amusement"): "INVALID_PURPOSE",
        ("request_data", "request_id", "four words in it"): "INVALID_REQUEST_ID",
        ("request_data", "channel_method", "carrier pigeon"): "UNSUPPORTED_CHANNEL",
        ("request_data", "initial_request_timestamp", "yesterday"): "INVALID_TIMESTAMP",
        ("request_data", "send_at", "2031-01-01T09:00:00"): "INVALID_SEND_AT",
        ("request_data", "send_at", soon.isoformat()): "INVALID_SEND_AT",
        ("company_data", "project_id", "pi-unheard-of"): "COMPANY_NOT_FOUND",
        ("company_data", "company_id", ""): "MISSING_IDENTIFIERS",
    }
    to, request_id = stack.tel(), f"req-{stack.number()}"
    for (section, field, value), code in wrong.items():
        body = stack.start_body(to, request_data={"request_id": request_id})
        body[section][field] = value
        if value is None:
            del body[section][field]
        answer = posted(stack, body)
        assert (answer.json()["error_code"], answer.status_code // 100) == (code, 4)
        assert not value or value not in answer.text.replace(request_id, "")
    assert stack.outcome(request_id)["error_code"] == "REQUEST_NOT_FOUND"
    assert stack.texts_to(to) == []
    assert not stack.start(to, request_data={"request_id": request_id}).json()["duplicate"]


def test_a_request_id_that_comes_with_another_payload_gets_409_and_changes_nothing(stack):
    first, second = stack.tel(), stack.tel()
    request_id = started(stack, first)
    answer = stack.start(second, request_data={"request_id": request_id})
    assert (answer.status_code, answer.json()["error_code"]) == (409, "REQUEST_ID_REUSED")
    assert (len(stack.texts_to(first)), stack.texts_to(second)) == (1, [])


def test_a_companys_key_starts_and_reads_only_its_own_conversations(stack):
    to, own = stack.tel(), stack.tel()
    request_id = started(stack, own)
    for key, status in ((SECOND.router_key, 403), ("nobodys-key", 401)):
        answer = posted(stack, stack.start_body(to), key)
        assert answer.status_code == status
        for path in (request_id, f"{request_id}/messages"):
            answer = stack.request("GET", f"/conversations/{path}", headers={"x-api-key": key})
            assert answer.status_code == (404 if status == 403 else 401)
            assert own not in answer.text
    assert stack.texts_to(to) == []


def test_a_start_without_consent_is_refused_and_nothing_is_sent(stack):
    to = stack.tel()
    for consent in (False, None):
        body = stack.start_body(to, recipient_data={"comms_consent": consent})
        if consent is None:
            del body["recipient_data"]["comms_consent"]
        answer = posted(stack, body)
        assert (answer.status_code, answer.json()["error_code"]) == (403, "CONSENT_REQUIRED")
    without = stack.put_project(require_consent=False)
    assert stack.texts_to(to) == []
    started(stack, to, of=without, recipient_data={"comms_consent": False})
    assert len(stack.texts_to(to)) == 1


def test_a_project_that_is_not_active_or_has_not_the_channel_starts_nothing(stack):
    paused = stack.put_project(project_status="inactive")
    by_mail = stack.put_project(allowed_channels=["email"])
    to = stack.tel()
    for project, code in ((paused, "PROJECT_INACTIVE"), (by_mail, "CHANNEL_NOT_ALLOWED")):
        answer = stack.start(to, of=project)
        assert (answer.status_code, answer.json()["error_code"]) == (403, code)
    assert stack.texts_to(to) == []


def test_over_the_limit_of_a_minute_a_start_gets_429_and_a_repeated_one_does_not(stack):
    limits = {"requests_per_minute": 2, "requests_per_day": 9999, "concurrent_conversations": 999}
    project = stack.put_project(rate_limits=limits)
    stack.forward(seconds=60 - stack.now().second)
    to, late = stack.tel(), stack.tel()
    bodies = [stack.start_body(tel, of=project) for tel in (to, to, late)]
    assert [posted(stack, body).status_code for body in bodies[:2]] == [200, 200]
    refused = posted(stack, bodies[2])
    assert refused.json()["error_code"] == "RATE_LIMIT_EXCEEDED"
    assert posted(stack, bodies[0]).json()["duplicate"]
    stack.forward(seconds=int(refused.headers["Retry-After"]))
    assert posted(stack, bodies[2]).status_code == 200
    stack.settle()
    assert (len(stack.texts_to(to)), len(stack.texts_to(late))) == (2, 1)


def test_a_start_with_send_at_is_sent_then_and_after_a_stop_never(stack):
    kept, stopped = stack.tel(), stack.tel()
    scheduled = {"send_at": (stack.now() + timedelta(hours=2)).isoformat()}
    first, second = (started(stack, tel, request_data=scheduled) for tel in (kept, stopped))
    assert stack.outcome(first)["waiting"]["for"] == "send_at"
    stack.says(stopped, "STOP")
    stack.forward(minutes=100)
    assert stack.texts_to(kept) == []
    stack.forward(minutes=26)
    assert (len(stack.texts_to(kept)), stack.texts_to(stopped)) == (1, [])
    assert stack.outcome(first)["state"] == "sent"
    assert stack.outcome(second) | {"state": "failed", "reason": "do_not_contact"} == (
        stack.outcome(second)
    )


def test_a_delivery_state_never_goes_back(stack):
    to = stack.tel()
    stack.twilio.modes(fates=["delivered", "sent", "queued"])
    request_id = started(stack, to)
    assert stack.outcome(request_id)["state"] == "sent"
    stack.carriers_report()
    assert stack.outcome(request_id)["state"] == "delivered"


def test_an_e_mail_of_unknown_outcome_waits_for_the_word_of_ses(stack):
    to = stack.mail()
    stack.ses.fails("act_then_drop")
    request_id = started(stack, to, "email")
    stack.forward(hours=2)
    assert stack.outcome(request_id)["state"] == "parked"
    stack.carriers_report()
    stack.forward(hours=1)
    assert stack.outcome(request_id)["state"] == "delivered"
    assert len(stack.mails_to(to)) == 1


def test_a_text_that_twilio_says_to_have_taken_and_has_not_is_sent_once_that_is_certain(stack):
    to = stack.tel()
    stack.twilio.fails("ignored", operation="create_message")
    request_id = started(stack, to)
    assert stack.outcome(request_id)["state"] == "parked"
    stack.forward(hours=1)
    stack.forward(hours=1)
    assert stack.outcome(request_id)["state"] == "sent"
    assert len(stack.texts_to(to)) == 1
