"""The promises of docs/outreach.md, tried from outside."""

import json
from datetime import timedelta

import pytest

from tests.outside.running import AGENT_KEY, FIRST, PROJECT, SECOND, WRITTEN_BY_A_MODEL, Company

MODEL = Company(**{**FIRST.__dict__, "project": WRITTEN_BY_A_MODEL})
TEMPLATE = "HX" + "0" * 31 + "1"
"""The account's approved template, which takes two variables."""
SECOND_ACCOUNT = "AC" + "0" * 31 + "2"
"""The second company's at Twilio."""
FOLLOW_UPS = {
    "reminder": {"after_minutes": 60, "text": "Did you see our message?"},
    "end": {"after_minutes": 120, "text": "We close this for now."},
}
AI = {
    "openai_config": {
        one: {"api_key_reference": f"ai-multi-comms/openai-api-key/{one}-dev"}
        for one in ("whatsapp", "sms", "email")
    }
}
"""A model writes for every channel."""
_REFERENCE = {
    "type": "object",
    "required": ["job_ref"],
    "properties": {"job_ref": {"type": "string", "maxLength": 20}},
}
TOOLS = [
    {"name": "note_interest", "parameters": _REFERENCE, "acknowledgement": "Noted."},
    {
        "name": "submit_application",
        "irreversible": True,
        "parameters": _REFERENCE,
        "question": "Shall I submit your application now?",
        "acknowledgement": "Thank you, your application is on its way.",
    },
]

# --- starts ---------------------------------------------------------------------------------------


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
    assert [one["to"] for one in stack.texts_to(tel)] == [f"whatsapp:{tel}"]
    started(stack, mail, "email", recipient_data=both)
    assert (len(stack.texts_to(tel)), len(stack.mails_to(mail))) == (1, 1)


def test_a_wrong_start_gets_a_4xx_that_names_the_field_and_never_its_value(stack):
    soon = stack.now() + timedelta(days=22)
    wrong = {
        ("recipient_data", "recipient_tel", "07700-900123"): "INVALID_RECIPIENT_TEL",
        ("recipient_data", "recipient_tel", None): "MISSING_RECIPIENT_TEL",
        ("recipient_data", "comms_consent", "certainly"): "INVALID_COMMS_CONSENT_TYPE",
        ("recipient_data", "comms_consent_at", "last week"): "INVALID_COMMS_CONSENT_PROOF",
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
    bodies = [stack.start_body(one, of=project) for one in (to, to, late)]
    assert [posted(stack, one).status_code for one in bodies[:2]] == [200, 200]
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
    first, second = (started(stack, one, request_data=scheduled) for one in (kept, stopped))
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


# --- sends of unknown outcome ---------------------------------------------------------------------


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


# --- STOP, START and HELP -------------------------------------------------------------------------


def test_a_stop_by_text_ends_every_later_start_to_that_person_on_every_channel(stack):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    started(stack, tel, recipient_data=both)
    stack.says(tel, "STOP")
    for channel in ("sms", "whatsapp", "email"):
        request_id = started(stack, tel, channel, recipient_data=both)
        assert stack.outcome(request_id)["reason"] == "do_not_contact"
    assert (len(stack.texts_to(tel)), stack.mails_to(mail)) == (1, [])


@pytest.mark.parametrize(
    "wish",
    [
        "ARRÊT !!",
        "Bitte schreiben Sie mir nicht mehr",
        "I moved, please stop texting me",
        "baja 🙏",
    ],
)
def test_a_wish_in_plain_words_or_another_language_counts_as_a_stop(stack, wish):
    to = stack.tel()
    started(stack, to, "whatsapp")
    by_whatsapp(stack, to, wish)
    assert len(stack.texts_to(to)) == 2, "one confirmation"
    by_whatsapp(stack, to, "hello?")
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"
    assert len(stack.texts_to(to)) == 2


@pytest.mark.parametrize("words", ["wrong number", "Please stop texting me, but only before 9"])
def test_what_may_be_a_wish_to_stop_goes_to_a_person_and_is_not_answered(stack, words):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, words)
    assert stack.outcome(request_id)["waiting"]["reason"] == "opt_out_in_doubt"
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(started(stack, to))["state"] == "sent"


def test_a_start_lifts_a_stop_and_nothing_that_an_operator_has_entered(stack):
    stopped, barred = stack.tel(), stack.tel()
    for to in (stopped, barred):
        started(stack, to)
        stack.says(to, "STOP")
    entry = ("--company", FIRST.id, "--address", barred, "--reason", "asked by phone", "--yes")
    stack.ops("do-not-contact", "add", *entry)
    for to, state in ((stopped, "sent"), (barred, "failed")):
        stack.says(to, "START")
        assert stack.outcome(started(stack, to))["state"] == state


def test_a_start_that_was_sent_before_the_stop_and_found_after_it_lifts_nothing(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "START", lost=True)
    stack.forward(seconds=2)
    stack.says(to, "STOP")
    stack.passes(hours=1)
    assert "START" in str(stack.said(request_id))
    asked = len(stack.twilio.requests("create_message"))
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"
    assert len(stack.twilio.requests("create_message")) == asked  # Twilio keeps a list of its own


def test_help_is_answered_with_the_companys_name_and_contact_even_after_a_stop(stack):
    to = stack.tel()
    started(stack, to, "whatsapp")
    by_whatsapp(stack, to, "ARRÊT")
    before = len(stack.texts_to(to))
    by_whatsapp(stack, to, "HELP")
    (answer,) = words_to(stack, to)[before:]
    assert "Cucumber Recruitment" in answer
    assert "+1 555 010 9000" in answer


def test_a_stop_counts_although_everything_is_switched_off(stack):
    to = stack.tel()
    started(stack, to)
    with stack.switched("kill_switch", "on"):
        assert stack.says(to, "STOP") == 200
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"
    assert len(stack.texts_to(to)) == 1


def test_a_stop_that_only_twilio_has_is_found_by_the_sweep(stack):
    to = stack.tel()
    started(stack, to)
    stack.says(to, "ARRÊT", lost=True)
    stack.forward(minutes=6)
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"


def test_a_number_that_the_carrier_says_has_stopped_is_not_written_to_again(stack):
    to = stack.tel()
    stack.says(to, "STOP", to=FIRST.sms, account=SECOND_ACCOUNT)
    before = len(stack.twilio.requests("create_message"))
    assert stack.outcome(started(stack, to))["reason"] == "refused:21610"
    assert stack.outcome(started(stack, to, "whatsapp"))["reason"] == "do_not_contact"
    assert len(stack.twilio.requests("create_message")) == before + 1


def test_a_hard_bounce_forbids_e_mail_only_and_a_complaint_every_channel(stack):
    for fate, by_text in (("Bounce", "sent"), ("Complaint", "failed")):
        tel, mail = stack.tel(), stack.mail()
        both = {"recipient_tel": tel, "recipient_email": mail}
        stack.ses.modes(fates=[fate])
        started(stack, mail, "email", recipient_data=both)
        stack.carriers_report()
        again = started(stack, mail, "email", recipient_data=both)
        assert stack.outcome(again)["reason"] == "do_not_contact"
        assert stack.outcome(started(stack, tel, recipient_data=both))["state"] == by_text
        assert len(stack.mails_to(mail)) == 1


def test_a_list_to_import_is_refused_whole_for_one_wrong_line_and_taken_twice_changes_nothing(
    stack, tmp_path
):
    to, file = stack.tel(), tmp_path / "list.csv"
    command = ("do-not-contact", "import", "--company", FIRST.id, file, "--yes", "--reason", "list")
    file.write_text(f"{to}\nno address\n")
    stack.ops(*command, code=1)
    assert stack.outcome(started(stack, to))["state"] == "sent"
    file.write_text(f"{to}\n")
    stack.ops(*command)
    listed = entries(stack, to)
    stack.ops(*command)
    assert entries(stack, to) == listed != []
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"


# --- e-mail ---------------------------------------------------------------------------------------


def test_opening_the_unsubscribe_link_changes_nothing_and_one_click_ends_the_e_mails(stack):
    to = stack.mail()
    started(stack, to, "email")
    (mail,) = stack.mails_to(to)
    assert mail["headers"]["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    path = unsubscribe_path(mail)
    assert stack.request("GET", path).status_code == 200
    assert stack.outcome(started(stack, to, "email"))["state"] == "sent"
    assert clicked(stack, path).status_code == clicked(stack, path).status_code == 200
    assert stack.outcome(started(stack, to, "email"))["reason"] == "do_not_contact"
    assert len(stack.mails_to(to)) == 2


def test_a_forged_unsubscribe_link_changes_nothing(stack):
    to = stack.mail()
    started(stack, to, "email")
    path = unsubscribe_path(stack.mails_to(to)[0])
    changed = path[:-1] + ("1" if path.endswith("0") else "0")
    assert clicked(stack, changed).status_code == 404
    assert to not in clicked(stack, path[:-8]).text
    assert stack.outcome(started(stack, to, "email"))["state"] == "sent"


def test_a_transactional_project_offers_no_unsubscribing_and_still_heeds_the_register(stack):
    project = stack.put_project(message_kind="transactional")
    to = stack.mail()
    started(stack, to, "email", of=project)
    (mail,) = stack.mails_to(to)
    assert not [one for one in mail["headers"] if one.startswith("List-")]
    stack.writes(to, mail["reply_to"], "unsubscribe")
    assert stack.outcome(started(stack, to, "email", of=project))["reason"] == "do_not_contact"


def test_an_answer_by_e_mail_is_in_its_thread_and_read_without_the_quoted_history(stack):
    to = stack.mail()
    request_id = started(stack, to, "email")
    (opening,) = stack.mails_to(to)
    own = f"<{opening['message_id']}@email.amazonses.com>"
    quoted = "Tell me more.\n\nOn Tue, Nov 24, 2026 at 3 PM Cucumber wrote:\n> a secret history"
    stack.writes(to, opening["reply_to"], quoted, In_Reply_To=own, Message_ID="<a1@mail.example>")
    answer = stack.mails_to(to)[1]
    assert answer["subject"] == f"Re: {opening['subject']}"
    assert answer["headers"]["References"] == f"{own} <a1@mail.example>"
    assert stack.said(request_id)[1]["text"] == "Tell me more."


def test_an_e_mail_from_another_mailbox_goes_to_a_person_and_gets_no_answer(stack):
    to, other = stack.mail(), stack.mail()
    request_id = started(stack, to, "email")
    stack.writes(other, stack.mails_to(to)[0]["reply_to"], "I am somebody else.")
    assert stack.outcome(request_id)["waiting"]["reason"] == "other_sender"
    assert (len(stack.mails_to(to)), stack.mails_to(other)) == (1, [])


def test_an_automatic_e_mail_is_recorded_and_never_answered(stack):
    to = stack.mail()
    request_id = started(stack, to, "email")
    reply_to = stack.mails_to(to)[0]["reply_to"]
    stack.writes(to, reply_to, "I am away until Monday.", Auto_Submitted="auto-replied")
    assert len(stack.mails_to(to)) == 1
    assert "waiting" not in stack.outcome(request_id)
    stack.writes(to, reply_to, "Back again: tell me more.")
    assert len(stack.mails_to(to)) == 2
    assert len(stack.said(request_id)) == 4


# --- replies --------------------------------------------------------------------------------------


def test_a_reply_that_twilio_posts_three_times_is_answered_once(stack):
    to, sid = stack.tel(), f"SM{stack.number():032x}"
    request_id = started(stack, to)
    for _ in range(3):
        assert stack.says(to, "Tell me more", sid=sid) == 200
    assert len(stack.texts_to(to)) == 2
    assert [one["from"] for one in stack.said(request_id)] == ["company", "recipient", "company"]


def test_a_reply_that_only_twilio_has_is_found_and_answered_once(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "Did you hear me?", lost=True)
    stack.forward(minutes=6)
    stack.forward(minutes=6)
    assert len(stack.texts_to(to)) == 2
    assert stack.said(request_id)[1]["text"] == "Did you hear me?"


def test_messages_in_quick_succession_get_one_answer(stack):
    project = stack.put_project(answering={"quiet_period_seconds": 20})
    to = stack.tel()
    request_id = started(stack, to, of=project)
    for text in ("Hello", "I have a question", "When do you open?"):
        stack.says(to, text, settles=False)
    stack.settle()
    assert len(stack.texts_to(to)) == 1
    stack.forward(minutes=1)
    assert len(stack.texts_to(to)) == 2
    assert len([one for one in stack.said(request_id) if one["from"] == "recipient"]) == 3


def test_a_machine_that_answers_ours_gets_no_more_than_a_few_texts(stack):
    to = stack.tel()
    request_id = started(stack, to)
    for _ in range(6):
        stack.says(to, "Thanks for contacting Example Plumbing, somebody will call you back.")
    assert stack.outcome(request_id)["waiting"]["for"] in ("person", "approval")
    assert len(stack.texts_to(to)) <= 3


def test_over_the_answers_of_an_hour_a_person_answers(stack):
    project = stack.put_project(answering={"quiet_period_seconds": 0, "answers_per_hour": 2})
    to = stack.tel()
    request_id = started(stack, to, of=project)
    for number in range(4):
        stack.forward(seconds=10)
        stack.says(to, f"And question number {number}?")
    assert len(stack.texts_to(to)) == 3
    assert stack.outcome(request_id)["waiting"]["reason"] == "answers_per_hour"


def test_a_photo_without_words_goes_to_a_person_and_gets_no_answer(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "", media=1)
    assert stack.outcome(request_id)["waiting"]["reason"] == "media_only"
    assert len(stack.texts_to(to)) == 1
    assert len(stack.said(request_id)[1]["media"]) == 1


def test_a_stranger_is_not_answered_and_their_words_are_not_kept(stack):
    to = stack.tel()
    assert stack.says(to, "the strangers own words") == 200
    assert stack.texts_to(to) == []
    assert "the strangers own words" not in stack.output.read_text()
    assert "the strangers own words" not in stack.ops("person", "export", "--subject", to).out


def test_a_reply_that_may_belong_to_two_conversations_goes_to_a_person(stack):
    to = stack.tel()
    first, second = started(stack, to), started(stack, to)
    stack.says(to, "Yes, gladly.")
    assert "waiting" not in stack.outcome(first)
    assert stack.outcome(second)["waiting"]["reason"] == "several_conversations"
    assert len(stack.texts_to(to)) == 2


def test_a_reply_that_quotes_a_message_belongs_to_that_messages_conversation(stack):
    to = stack.tel()
    first, second = started(stack, to, "whatsapp"), started(stack, to, "whatsapp")
    quoted = {"OriginalRepliedMessageSid": stack.texts_to(to)[0]["sid"]}
    by_whatsapp(stack, to, "Yes, gladly.", form=quoted)
    assert [len(stack.said(one)) for one in (first, second)] == [3, 1]


def test_what_is_written_to_one_company_does_not_reach_another(stack):
    to = stack.tel()
    first = started(stack, to)
    second = started(stack, to, of=SECOND)
    stack.says(to, "For Lettuce only", to=SECOND.sms, account=SECOND_ACCOUNT)
    assert [len(stack.said(first)), len(stack.said(second, of=SECOND))] == [1, 3]
    stack.says(to, "STOP", to=SECOND.sms, account=SECOND_ACCOUNT)
    assert stack.outcome(started(stack, to))["state"] == "sent"
    stopped = started(stack, to, of=SECOND)
    assert stack.outcome(stopped, of=SECOND)["reason"] == "do_not_contact"


def test_a_text_that_another_companys_account_has_signed_is_not_taken(stack):
    to = stack.tel()
    request_id = started(stack, to)
    for text in ("Are you there?", "ARRÊT"):
        assert stack.says(to, text, account=SECOND_ACCOUNT) == 200
    assert len(stack.said(request_id)) == len(stack.texts_to(to)) == 1
    assert stack.outcome(started(stack, to))["state"] == "sent"


# --- quiet hours, reminders, other channels -------------------------------------------------------


def test_nothing_leaves_at_night_and_in_the_morning_opening_and_answers_go_out_in_order(stack):
    project = stack.put_project(quiet_hours=night(stack))
    to, stopped = stack.tel(), stack.tel()
    request_id, _ = started(stack, to, of=project), started(stack, stopped, of=project)
    for text in ("Are you there?", "Hello?"):
        stack.says(to, text)
    stack.says(stopped, "ARRÊT")
    assert stack.outcome(request_id)["waiting"]["for"] == "quiet_hours"
    assert stack.texts_to(to) == []
    stack.forward(minutes=66)
    words = words_to(stack, to)
    assert len(words) == 3
    assert ["Jo" in one for one in words] == [True, False, False]
    assert [one["from"] for one in stack.said(request_id)].count("recipient") == 2
    assert not [one for one in words_to(stack, stopped) if "Hello Jo" in one]


def test_the_recipients_own_time_decides_what_night_is(stack):
    project = stack.put_project(quiet_hours={"from": "22:00", "until": "07:00", "zone": "UTC"})
    for zone, sent in (("Asia/Tokyo", 0), ("Europe/London", 1)):
        to = stack.tel()
        started(stack, to, of=project, recipient_data={"recipient_timezone": zone})
        assert len(stack.texts_to(to)) == sent


def test_a_reminder_and_an_end_are_sent_once_to_those_who_have_not_written(stack):
    project = stack.put_project(follow_ups=FOLLOW_UPS)
    silent, writes, stopped = stack.tel(), stack.tel(), stack.tel()
    request_id = started(stack, silent, of=project)
    for to in (writes, stopped):
        started(stack, to, of=project)
    stack.says(writes, "I am here.")
    stack.says(stopped, "STOP")
    assert stack.outcome(request_id)["next"]["step"] == "reminder"
    for hours in (1.1, 2.1, 24):
        stack.forward(hours=hours)
    reminder, end = words_to(stack, silent)[1:]
    assert reminder.startswith("Did you see our message?")
    assert end.startswith("We close this for now.")
    assert (len(stack.texts_to(writes)), len(stack.texts_to(stopped))) == (2, 1)
    stack.says(silent, "Sorry, I am late.")
    assert len(stack.texts_to(silent)) == 4


def test_where_the_carrier_cannot_deliver_the_conversation_goes_on_on_the_next_channel_once(stack):
    project = stack.put_project(follow_ups={"fallback": ["whatsapp", "email"]})
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    stack.twilio.modes(fates=["undelivered"])
    request_id = started(stack, tel, of=project, recipient_data=both)
    for _ in range(4):
        stack.carriers_report()
    first = stack.outcome(request_id)
    assert (first["state"], first["continued_by"]["channel"]) == ("failed", "whatsapp")
    second = stack.outcome(first["continued_by"]["request_id"])
    assert (second["state"], second["continued_by"]["channel"]) == ("failed", "email")
    assert stack.outcome(second["continued_by"]["request_id"])["state"] == "delivered"
    assert [one["to"] for one in stack.texts_to(tel)] == [tel, f"whatsapp:{tel}"]
    assert len(stack.mails_to(mail)) == 1


def test_after_a_stop_no_other_channel_takes_a_conversations_place(stack):
    project = stack.put_project(follow_ups={"fallback": ["email"]})
    tel, mail = stack.tel(), stack.mail()
    stack.twilio.modes(fates=["undelivered"])
    both = {"recipient_tel": tel, "recipient_email": mail}
    request_id = started(stack, tel, of=project, recipient_data=both)
    stack.says(tel, "STOP")
    stack.carriers_report()
    assert stack.outcome(request_id)["state"] == "failed"
    assert "continued_by" not in stack.outcome(request_id)
    assert stack.mails_to(mail) == []


@pytest.mark.parametrize(("reminded", "answered"), [("sms", "email"), ("email", "sms")])
def test_neither_reminder_nor_end_is_sent_to_who_has_answered_another_conversation_on_another_channel(
    stack, reminded, answered
):
    both = opened_on_both(stack, reminded, answered)
    answers_on(stack, both, answered)
    for hours in (1.1, 2.1, 24):
        stack.forward(hours=hours)
    assert len(on(stack, both, reminded)) == 1


@pytest.mark.parametrize(("reminded", "answered"), [("sms", "email"), ("email", "sms")])
def test_an_end_is_not_sent_to_who_has_written_on_another_channel_since_the_reminder(
    stack, reminded, answered
):
    both = opened_on_both(stack, reminded, answered)
    stack.forward(hours=1.1)
    assert len(on(stack, both, reminded)) == 2
    answers_on(stack, both, answered)
    for hours in (2.1, 24):
        stack.forward(hours=hours)
    assert len(on(stack, both, reminded)) == 2


@pytest.mark.parametrize("answers", [True, False])
def test_an_answer_on_another_channel_keeps_a_failed_conversation_from_going_on_elsewhere(
    stack, answers
):
    project = stack.put_project(follow_ups={"fallback": ["email"]})
    both = two_addresses(stack)
    stack.twilio.modes(fates=["undelivered"])
    request_id = opened(stack, both, "sms", of=project)
    opened(stack, both, "email")
    if answers:
        answers_on(stack, both, "email")
    stack.carriers_report()
    assert stack.outcome(request_id)["state"] == "failed"
    assert ("continued_by" in stack.outcome(request_id)) != answers


def test_a_reminder_is_sent_although_a_machine_has_answered(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.mail()
    started(stack, to, "email", of=project)
    reply_to = stack.mails_to(to)[0]["reply_to"]
    stack.writes(to, reply_to, "I am away until Monday.", Auto_Submitted="auto-replied")
    stack.forward(hours=1.1)
    assert words_to(stack, to)[1].startswith("Did you see our message?")


def test_a_reminder_waits_for_the_end_of_quiet_hours(stack):
    begins, ends = stack.now() + timedelta(minutes=30), stack.now() + timedelta(hours=3)
    quiet = {"from": f"{begins:%H:%M}", "until": f"{ends:%H:%M}", "zone": "UTC"}
    project, to = stack.put_project(follow_ups=FOLLOW_UPS, quiet_hours=quiet), stack.tel()
    started(stack, to, of=project)
    stack.forward(hours=1.2)
    stack.forward(hours=1.2)
    assert len(stack.texts_to(to)) == 1
    stack.forward(hours=0.8)
    assert words_to(stack, to)[1].startswith("Did you see our message?")


def test_a_reminder_is_not_sent_while_a_person_has_the_conversation(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel()
    request_id = started(stack, to, of=project)
    act(stack, conversation(stack, request_id), "take")
    for hours in (1.1, 2.1):
        stack.forward(hours=hours)
    assert len(stack.texts_to(to)) == 1


def test_a_reminder_does_not_follow_an_opening_that_was_not_delivered(stack):
    project, to = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel()
    stack.twilio.modes(fates=["undelivered"])
    started(stack, to, of=project)
    stack.carriers_report()
    for hours in (1.1, 2.1):
        stack.forward(hours=hours)
    assert len(stack.texts_to(to)) == 1


def test_a_later_change_of_the_follow_ups_is_in_force_for_later_conversations_only(stack):
    project, earlier, later = stack.put_project(follow_ups=FOLLOW_UPS), stack.tel(), stack.tel()
    started(stack, earlier, of=project)
    stack.put_project(project_id=project.project)
    stack.forward(minutes=2)
    started(stack, later, of=project)
    stack.forward(hours=1.1)
    assert (len(stack.texts_to(earlier)), len(stack.texts_to(later))) == (2, 1)


def test_where_the_outcome_of_an_opening_is_unknown_no_other_channel_takes_its_place(stack):
    project = stack.put_project(follow_ups={"fallback": ["sms"]})
    both = two_addresses(stack)
    stack.ses.fails("act_then_drop")
    request_id = opened(stack, both, "email", of=project)
    stack.passes(hours=4)
    assert stack.outcome(request_id)["state"] == "parked"
    assert "continued_by" not in stack.outcome(request_id)
    assert on(stack, both, "sms") == []


def test_a_channel_that_the_project_does_not_allow_gives_way_to_the_next_one_of_its_fallback(stack):
    follow_ups = {"fallback": ["whatsapp", "email"]}
    project = stack.put_project(allowed_channels=["email"], follow_ups=follow_ups)
    both = two_addresses(stack)
    request_id = opened(stack, both, "sms", of=project)
    stack.forward(minutes=1)
    assert stack.outcome(request_id)["continued_by"]["channel"] == "email"
    assert (len(on(stack, both, "sms")), len(on(stack, both, "email"))) == (0, 1)


def test_a_conversation_on_another_channel_counts_against_no_limit_of_its_company(stack):
    limits = {"requests_per_minute": 2, "requests_per_day": 9999, "concurrent_conversations": 999}
    fallback = {"fallback": ["email"]}
    project, both = stack.put_project(rate_limits=limits, follow_ups=fallback), two_addresses(stack)
    stack.twilio.modes(fates=["undelivered"])
    stack.forward(seconds=60 - stack.now().second)
    opened(stack, both, "sms", of=project)
    stack.carriers_report()
    assert len(on(stack, both, "email")) == 1
    bodies = [stack.start_body(stack.tel(), of=project) for _ in range(2)]
    assert [posted(stack, one).status_code for one in bodies] == [200, 429]


# --- what a model writes --------------------------------------------------------------------------


def test_an_opening_that_a_model_has_written_says_so_and_how_to_opt_out(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    (text,) = words_to(stack, to)
    assert "automated assistant" in text
    assert "STOP" in text


@pytest.mark.parametrize(
    ("draft", "rule"),
    [
        ("See https://elsewhere.example/pay for it.", "draft_link"),
        ("No, I am a real human being.", "draft_human"),
        ("Your pay is $4,250 a month.", "draft_amount"),
    ],
)
def test_a_draft_that_breaks_a_rule_is_never_sent_and_a_person_gets_it(stack, draft, rule):
    to = stack.tel()
    request_id = started(stack, to, of=MODEL)
    scripted(stack, to, text=draft)
    stack.says(to, f"Tell me more {to}")
    assert stack.outcome(request_id)["waiting"]["reason"] == rule
    assert len(stack.texts_to(to)) == 1
    shown = conversation(stack, request_id)
    assert shown["held_message"]["text"] == draft
    assert act(stack, shown, "approve", text="Our office tells you more.").status_code == 200
    assert words_to(stack, to)[1:] == ["Our office tells you more."]


def test_a_recipient_who_asks_whether_a_bot_writes_learns_that_one_does(stack):
    to = stack.tel()
    started(stack, to, of=MODEL)
    scripted(stack, to, text="I can help you with job offers.")
    stack.says(to, f"Am I talking to a robot? {to}")
    assert "automated assistant" in words_to(stack, to)[1]


def test_when_a_projects_budget_is_spent_no_model_is_asked_and_a_person_answers(stack):
    project = stack.put_project(ai_config=AI, model_budget={"cents_per_day": 1})
    to, late = stack.tel(), stack.tel()
    request_id = started(stack, to, of=project)
    asked = len(stack.openai.requests("respond"))
    stack.says(to, "When do you open?")
    assert len(words_to(stack, to)) == 2
    waiting = started(stack, late, of=project)
    assert stack.outcome(request_id)["waiting"]["reason"] == "budget_reached"
    assert stack.outcome(waiting)["waiting"]["reason"] == "budget_reached"
    assert stack.texts_to(late) == []
    assert len(stack.openai.requests("respond")) == asked


def test_trying_a_writer_stores_and_sends_nothing(stack):
    before = (len(stack.twilio.get("messages")["messages"]), desk_list(stack, MODEL))
    asked = ("--channel", "sms", "--message", "Are you a bot?")
    printed = stack.ops("writer", "try", FIRST.id, MODEL.project, *asked)
    assert "automated assistant" in printed.out
    assert (len(stack.twilio.get("messages")["messages"]), desk_list(stack, MODEL)) == before


# --- tools and events to companies ----------------------------------------------------------------


def test_a_tool_is_called_once_although_the_companys_answer_was_lost(stack):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "note_interest", {"job_ref": "JR123"})
    stack.company.fails("act_then_drop", times=2)
    stack.says(to, f"I am interested {to}")
    stack.passes(hours=2)
    assert words_to(stack, to)[1:] == ["Noted."]
    (called,) = [one for one in events(stack, request_id) if "tool" in one["data"]]
    assert (called["data"]["tool"], called["data"]["arguments"]) == (
        "note_interest",
        {"job_ref": "JR123"},
    )


def test_arguments_that_do_not_fit_a_tools_schema_call_nothing_and_a_person_gets_it(stack):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "note_interest", {"job_ref": "JR123", "salary": "all of it"})
    stack.says(to, f"I am interested {to}")
    assert conversation(stack, request_id)["why"] == "tool_arguments"
    assert "conversation.tool_called" not in types(stack, request_id)
    assert len(stack.texts_to(to)) == 1


@pytest.mark.parametrize(("answer", "is_called"), [("Yes", True), ("Yes, but tomorrow", False)])
def test_a_tool_that_cannot_be_undone_is_called_only_after_a_plain_yes(stack, answer, is_called):
    to, project = stack.tel(), told(stack, ai_config={**AI, "tools": TOOLS})
    request_id = started(stack, to, of=project)
    calls(stack, to, "submit_application", {"job_ref": "JR123"})
    stack.says(to, f"Submit it {to}")
    assert words_to(stack, to)[1:] == ["Shall I submit your application now?"]
    assert "conversation.tool_called" not in types(stack, request_id)
    stack.says(to, answer)
    assert types(stack, request_id).count("conversation.tool_called") == is_called


def test_a_company_hears_everything_once_in_order_signed_and_without_personal_data(stack, tmp_path):
    to, project = stack.tel(), told(stack, file=tmp_path / "project.json")
    request_id = started(stack, to, of=project)
    stack.carriers_report()
    stack.says(to, "my own secret words")
    stack.says(to, "I want to talk to a person")
    told_of = events(stack, request_id)
    assert [one["type"].partition(".")[2] for one in told_of] == [
        *("accepted", "sent", "delivered", "reply_received", "answered"),
        *("reply_received", "handed_off"),
    ]
    assert [one["data"]["number"] for one in told_of] == [*range(1, 8)]
    for personal in (to, to[1:], "secret words", "Jo"):
        assert personal not in str(told_of)


def test_an_endpoint_that_was_down_for_hours_gets_every_event_in_order(stack):
    to, project = stack.tel(), told(stack)
    stack.company.fails(status=503, times=None)
    request_id = started(stack, to, of=project)
    stack.says(to, "Hello?")
    stack.forward(hours=5)
    assert events(stack, request_id) == []
    stack.company.recovers()
    for _ in range(3):
        stack.forward(hours=6)
    assert [one["data"]["number"] for one in events(stack, request_id)] == [1, 2, 3, 4]
    assert len(stack.texts_to(to)) == 2


def test_an_endpoint_that_is_gone_gets_everything_when_an_operator_resumes(stack):
    to, project = stack.tel(), told(stack)
    stack.company.fails(status=410, times=1)
    request_id = started(stack, to, of=project)
    stack.says(to, "Hello?")
    stack.forward(hours=9)
    assert events(stack, request_id) == []
    stack.ops("company", "resume-events", FIRST.id, project.project, "--yes")
    stack.forward(minutes=6)
    assert [one["data"]["number"] for one in events(stack, request_id)] == [1, 2, 3, 4]


# --- people ---------------------------------------------------------------------------------------


def test_a_held_opening_is_sent_once_as_a_person_has_edited_it_and_not_before(stack):
    project, to = stack.put_project(auto_queue_initial_message=True), stack.tel()
    request_id = started(stack, to, of=project)
    stack.forward(hours=1)
    assert stack.outcome(request_id)["waiting"]["for"] == "approval"
    assert stack.texts_to(to) == []
    shown = conversation(stack, request_id)
    for repeated in (False, True):
        answer = act(stack, shown, "approve", once="only-once", text="Hi, Sam here.")
        assert answer.json()["repeated"] is repeated
    (text,) = words_to(stack, to)
    assert text.startswith("Hi, Sam here.")
    assert "STOP" in text
    assert stack.outcome(request_id)["state"] == "sent"


def test_a_declined_opening_is_never_sent(stack):
    project, to = stack.put_project(auto_queue_initial_message=True), stack.tel()
    request_id = started(stack, to, of=project)
    shown = conversation(stack, request_id)
    assert act(stack, shown, "decline", reason="wrong person").status_code == 200
    stack.forward(hours=2)
    outcome = stack.outcome(request_id)
    assert (outcome["state"], outcome["reason"]) == ("failed", "declined")
    assert stack.texts_to(to) == []


def test_while_a_person_has_a_conversation_no_machine_answers_in_it(stack):
    to = stack.tel()
    request_id = started(stack, to)
    assert act(stack, conversation(stack, request_id), "take").status_code == 200
    stack.says(to, "Are you there?")
    assert len(stack.texts_to(to)) == 1
    answer = act(stack, conversation(stack, request_id), "reply", text="Yes, this is Sam.")
    assert answer.status_code == 200
    assert words_to(stack, to)[1:] == ["Yes, this is Sam."]
    stack.says(to, "Thank you, and when do you open?")
    assert len(stack.texts_to(to)) == 2
    assert act(stack, conversation(stack, request_id), "give_back").status_code == 200
    assert len(stack.texts_to(to)) == 3


def test_an_act_upon_a_conversation_that_has_changed_since_does_nothing(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "I want to talk to a person")
    shown = conversation(stack, request_id)
    stack.says(to, "It is about my pay.")
    answer = act(stack, shown, "reply", text="What is it about?")
    assert (answer.status_code, answer.json()["code"]) == (409, "VERSION_CHANGED")
    assert len(stack.texts_to(to)) == 1


def test_a_key_of_one_act_is_refused_for_another(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take", once="the-key")
    answer = act(stack, conversation(stack, request_id), "reply", once="the-key", text="Hi")
    assert (answer.status_code, answer.json()["code"]) == (409, "IDEMPOTENCY_KEY_REUSED")
    assert len(stack.texts_to(to)) == 1


def test_an_agent_leaves_alone_what_another_person_has_and_a_lead_need_not(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take", by="sam")
    reply = {"by": "kim", "text": "Hello, Kim here."}
    answer = act(stack, conversation(stack, request_id), "reply", key=AGENT_KEY, **reply)
    assert (answer.status_code, answer.json()["code"]) == (409, "HELD_BY_ANOTHER")
    assert len(stack.texts_to(to)) == 1
    answer = act(stack, conversation(stack, request_id), "reply", **reply)
    assert answer.status_code == 200
    assert words_to(stack, to)[1:] == ["Hello, Kim here."]


def test_a_wrong_act_gets_a_4xx_that_names_the_field_and_never_its_value(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take")
    wrong_words = ("shout loudly", "next week", "<script>", "bright red")
    for fields, code in (
        ({"act": "shout loudly"}, "INVALID_ACT"),
        ({"act": "reply"}, "INVALID_TEXT"),
        ({"act": "snooze", "until": "next week"}, "INVALID_UNTIL"),
        ({"act": "reply", "text": "Hi", "by": "<script>"}, "INVALID_BY"),
        ({"act": "reply", "text": "Hi", "colour": "bright red"}, "UNKNOWN_FIELD"),
    ):
        answer = act(stack, conversation(stack, request_id), **{"name": fields["act"], **fields})
        assert (answer.status_code, answer.json()["code"]) == (400, code)
        assert not [one for one in wrong_words if one in answer.text]
    assert len(stack.texts_to(to)) == 1


def test_another_companys_desk_sees_and_does_nothing(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "I want to talk to a person")
    shown = conversation(stack, request_id)
    path = f"/desk/conversations/{shown['id']}"
    assert stack.desk("GET", path, key=SECOND.lead_key).json()["code"] == "CONVERSATION_NOT_FOUND"
    assert act(stack, shown, "take", key=SECOND.lead_key).status_code == 404
    listed = stack.desk("GET", "/desk/conversations?limit=200", key=SECOND.lead_key)
    assert shown["id"] not in listed.text
    for key in ("", "nobodys-key", FIRST.router_key):
        assert stack.desk("GET", path, key=key).status_code == 401
    assert conversation(stack, request_id)["version"] == shown["version"]


def test_a_persons_reply_to_a_recipient_who_has_said_stop_is_refused(stack):
    to = stack.tel()
    request_id = started(stack, to)
    act(stack, conversation(stack, request_id), "take")
    stack.says(to, "STOP")
    answer = act(stack, conversation(stack, request_id), "reply", text="One more thing ...")
    assert (answer.status_code, answer.json()["code"]) == (409, "DO_NOT_CONTACT")
    assert len(stack.texts_to(to)) == 1


def test_outside_whatsapps_24_hours_a_reply_needs_a_template(stack):
    channels = PROJECT["channel_config"]
    reopening = {**channels["whatsapp"], "reopening_template_sid": TEMPLATE}
    bare = stack.put_project()
    reopens = stack.put_project(channel_config={**channels, "whatsapp": reopening})
    asked = {}
    for project in (bare, reopens):
        to = stack.tel()
        asked[project.project] = (to, started(stack, to, "whatsapp", of=project))
        by_whatsapp(stack, to, "I want to talk to a person")
    stack.forward(hours=25)
    to, request_id = asked[bare.project]
    answer = act(stack, conversation(stack, request_id), "reply", text="Sam here.")
    assert (answer.status_code, answer.json()["code"]) == (409, "WINDOW_CLOSED")
    assert len(stack.texts_to(to)) == 1
    to, request_id = asked[reopens.project]
    act(stack, conversation(stack, request_id), "reply", text="Sam here.")
    (text,) = words_to(stack, to)[1:]
    assert "Sam here." in text
    assert text != "Sam here."


def test_a_company_gets_one_e_mail_about_who_waits_and_not_what_they_wrote(stack):
    desk, to = stack.mail(), stack.tel()
    notice = {"email": desk, "after_minutes": 15}
    project = stack.put_project(handoff_notice=notice, auto_queue_reply_message=True)
    request_id = started(stack, to, of=project)
    stack.says(to, "my own secret words")
    assert stack.mails_to(desk) == []
    for _ in range(3):
        stack.forward(minutes=20)
    (notice,) = stack.mails_to(desk)
    assert conversation(stack, request_id)["id"] in notice["text"]
    for personal in (to, "secret words", "Jo"):
        assert personal not in notice["text"] + notice["subject"]


def test_what_a_switch_has_stopped_is_sent_by_an_operator_and_not_by_lifting_it(stack):
    to = stack.tel()
    with stack.switched("kill_switch", "on"):
        request_id = started(stack, to)
        assert stack.outcome(request_id)["state"] == "withheld"
    stack.forward(minutes=10)
    assert stack.texts_to(to) == []
    which = ("--status", "processed", "--reason", "withheld:kill_switch")
    stack.ops("replay", *which, "--yes")
    stack.settle()
    assert len(stack.texts_to(to)) == 1
    assert stack.outcome(request_id)["state"] == "sent"


# --- below: who wrote to whom ---------------------------------------------------------------------


def started(stack, to, channel="sms", **changes):
    """A conversation; returns its request's id."""
    answer = stack.start(to, channel, **changes)
    assert answer.status_code in (200, 202), answer.text
    return answer.json()["request_id"]


def two_addresses(stack):
    """A recipient with a phone and an e-mail address."""
    return {"recipient_tel": stack.tel(), "recipient_email": stack.mail()}


def opened(stack, both, channel, **changes):
    """A conversation with such a recipient."""
    to = both["recipient_email" if channel == "email" else "recipient_tel"]
    return started(stack, to, channel, recipient_data=both, **changes)


def opened_on_both(stack, reminded, other):
    """A recipient with two conversations, of which the first is followed up."""
    both = two_addresses(stack)
    opened(stack, both, reminded, of=stack.put_project(follow_ups=FOLLOW_UPS))
    opened(stack, both, other)
    return both


def on(stack, both, channel):
    """What such a recipient got by text, or by e-mail."""
    if channel == "email":
        return stack.mails_to(both["recipient_email"])
    return stack.texts_to(both["recipient_tel"])


def answers_on(stack, both, channel):
    """Such a recipient answers the newest message there."""
    if channel == "email":
        reply_to = on(stack, both, channel)[-1]["reply_to"]
        stack.writes(both["recipient_email"], reply_to, "I am here.")
    else:
        stack.says(both["recipient_tel"], "I am here.")


def posted(stack, body, key=FIRST.router_key):
    """The Router's request as it is."""
    return stack.request("POST", "/initiate-conversation", headers={"x-api-key": key}, json=body)


def words_to(stack, to):
    """The words that a recipient got on any channel, oldest first."""
    return [one["body"] for one in stack.texts_to(to)] + [one["text"] for one in stack.mails_to(to)]


def by_whatsapp(stack, sender, text, **more):
    """The recipient writes to the company's number for WhatsApp."""
    return stack.says(sender, text, to=FIRST.whatsapp, whatsapp=True, **more)


def entries(stack, address):
    """The lines of the register about an address."""
    listed = stack.ops("do-not-contact", "list", "--company", FIRST.id).out
    return [line for line in listed.splitlines() if address in line]


def unsubscribe_path(mail):
    """The path of an e-mail's link."""
    link = mail["headers"]["List-Unsubscribe"].partition(">")[0]
    return f"/unsubscribe/{link.rpartition('/')[2]}"


def clicked(stack, path):
    """A mail service posts the one click."""
    headers = {"content-type": "application/x-www-form-urlencoded"}
    return stack.request("POST", path, headers=headers, data="List-Unsubscribe=One-Click")


def night(stack):
    """Quiet hours that have begun and end within the hour."""
    hour = stack.now()
    begin, end = hour - timedelta(hours=2), hour + timedelta(hours=1)
    return {"from": f"{begin:%H:%M}", "until": f"{end:%H:%M}", "zone": "UTC"}


def scripted(stack, to, **answer):
    """The model's answer, twice, to what this recipient writes; their number must be in it."""
    none = {"text": "", "hand_off_reason": None, "wants_no_more_messages": False}
    stack.openai.post("scripts", json={**none, **answer}, contains=f" {to}", times=2)


def calls(stack, to, tool, arguments):
    """The model asks for a tool when this recipient writes their number."""
    scripted(stack, to, function_call=tool, function_arguments=json.dumps(arguments))


def told(stack, **changes):
    """A project whose company is told of everything, at an address of its own."""
    url = f"{stack.company.url}/events/{stack.number()}"
    return stack.put_project(event_webhook={"url": url}, **changes)


def events(stack, request_id):
    """What the company was told of a conversation, in the order in which it heard it."""
    heard = stack.company.get("events")["events"]
    return [one for one in heard if one["data"]["request_id"] == request_id]


def types(stack, request_id):
    return [one["type"] for one in events(stack, request_id)]


def desk_list(stack, company):
    """What waits for a person in a project."""
    path = f"/desk/conversations?project={company.project}&limit=200"
    return stack.desk("GET", path).json()["conversations"]


def conversation(stack, request_id):
    """A conversation as the desk shows it."""
    path, headers = f"/conversations/{request_id}/messages", {"x-api-key": FIRST.router_key}
    opaque_id = stack.request("GET", path, headers=headers).json()["conversation"]
    return stack.desk("GET", f"/desk/conversations/{opaque_id}").json()


def act(stack, shown, name, *, key=FIRST.lead_key, once="k", by="sam", **fields):
    """A person acts upon a conversation as it was shown."""
    path = f"/desk/conversations/{shown['id']}/acts"
    body = {"act": name, "by": by, "version": shown["version"], **fields}
    return stack.desk("POST", path, body, key=key, once=once)
