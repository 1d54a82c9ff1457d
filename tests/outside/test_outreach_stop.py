"""The promises of docs/outreach.md, tried from outside: STOP, START and HELP."""

import pytest

from tests.outside.conversations import (
    SECOND_ACCOUNT,
    act,
    by_whatsapp,
    conversation,
    desk_list,
    entries,
    events,
    persons_entries,
    started,
    told,
    words_to,
)
from tests.outside.running import FIRST


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


def test_after_a_message_that_may_be_a_wish_to_stop_no_start_leaves_until_the_desk_decides_that_it_is_not_one(
    stack,
):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    request_id = started(stack, tel, recipient_data=both)
    stack.says(tel, "stop, what is this?")
    for channel in ("sms", "whatsapp", "email"):
        again = started(stack, tel, channel, recipient_data=both)
        assert stack.outcome(again)["reason"] == "do_not_contact"
    assert (len(stack.texts_to(tel)), stack.mails_to(mail)) == (1, [])
    shown = conversation(stack, request_id)
    assert shown["stop_or_not"]["due_at"] > shown["stop_or_not"]["since"]
    assert act(stack, shown, "not_stop", reason="asked who we are").status_code < 300
    for channel in ("sms", "email"):
        assert stack.outcome(started(stack, tel, channel, recipient_data=both))["state"] == "sent"


def test_a_person_answers_while_it_is_asked_whether_to_stop_and_automation_does_not(stack):
    to = stack.tel()
    request_id = started(stack, to, of=told(stack))
    stack.says(to, "wrong number stop")
    shown = conversation(stack, request_id)
    assert act(stack, shown, "give_back", once="back").json()["code"] == "STOP_OR_NOT"
    act(stack, shown, "reply", once="reply", text="Sorry, whom do we write to?")
    stack.says(to, "and how did you get my number?")
    assert words_to(stack, to)[1:] == ["Sorry, whom do we write to?"]
    act(stack, conversation(stack, request_id), "stop", once="stop")
    assert stack.outcome(started(stack, to))["reason"] == "do_not_contact"
    ends = {event["type"]: event["data"].get("reason") for event in events(stack, request_id)[-2:]}
    assert ends == {
        "conversation.closed": None,
        "conversation.opted_out": "asked_to_stop",
    }
    assert any("asked_to_stop" in entry and "sam" in entry for entry in entries(stack, to))


def test_the_desks_list_begins_with_what_is_to_be_decided_first_whether_somebody_asked_to_stop(
    stack,
):
    of = stack.put_project()
    wait, late, soon = (started(stack, stack.tel(), of=of) for _ in range(3))
    shown = {request_id: conversation(stack, request_id) for request_id in (wait, late, soon)}
    for request_id in (late, wait):
        stack.says(shown[request_id]["recipient"], "Can I talk to a human?")
    for request_id in (soon, late):
        stack.forward(minutes=1)
        stack.says(shown[request_id]["recipient"], "wrong number")
    listed = [entry["id"] for entry in desk_list(stack, of)]
    assert listed == [shown[request_id]["id"] for request_id in (soon, late, wait)]


def test_of_the_silence_about_what_may_be_a_wish_to_stop_its_company_hears_once_as_of_a_stop(stack):
    def heard(of):
        found = [event for event in events(stack, of) if event["type"] == "conversation.opted_out"]
        return [event["data"]["reason"] for event in found]

    of = told(stack)
    silent, decided = stack.tel(), stack.tel()
    asked, kept = started(stack, silent, of=of), started(stack, decided, of=of)
    for to in (silent, decided):
        stack.says(to, "wrong number")
    stack.says(silent, "stop, who are you?")
    act(stack, conversation(stack, kept), "not_stop", reason="asked who we are")
    stack.forward(days=2, hours=23)
    assert heard(asked) == heard(kept) == []
    stack.forward(hours=2)
    assert heard(asked) == ["stop"]
    stack.forward(days=4)
    assert (heard(asked), heard(kept)) == (["stop"], [])


def test_a_mark_is_lifted_at_the_desk_only_where_its_recipient_has_asked_for_contact_since(stack):
    to = stack.tel()
    request_id = started(stack, to)
    stack.says(to, "STOP")
    act(stack, conversation(stack, request_id), "take", once="take")
    lift = {"reason": "asked on the phone"}
    shown = conversation(stack, request_id)
    assert act(stack, shown, "not_stop", once="early", **lift).json()["code"] == "NOT_ASKED_SINCE"
    stack.says(to, "I meant my order. Please do write to me about the job")
    shown = conversation(stack, request_id)
    assert act(stack, shown, "not_stop", once="late", **lift).status_code < 300
    (entry,) = entries(stack, to)
    assert "asked on the phone" in entry


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


def test_who_has_blocked_the_sender_on_whatsapp_gets_texts_and_after_writing_there_both(stack):
    to = stack.tel()
    stack.twilio.modes(fates=["failed:63014"])
    started(stack, to, "whatsapp")
    stack.carriers_report()
    stack.twilio.modes(fates=["sent"])
    assert [line for line in entries(stack, to) if "blocked" in line]
    assert stack.outcome(started(stack, to, "whatsapp"))["reason"] == "do_not_contact"
    assert stack.outcome(started(stack, to))["state"] == "sent"
    by_whatsapp(stack, to, "Hello, here I am again.")
    assert stack.outcome(started(stack, to, "whatsapp"))["state"] == "sent"


def test_three_stops_get_one_confirmation_and_a_stop_after_a_start_another(stack):
    to = stack.tel()
    started(stack, to, "whatsapp")
    for words, confirmed in (("ARRÊT", 1), ("ARRÊT", 1), ("BAJA", 1), ("START", 1), ("BAJA", 2)):
        by_whatsapp(stack, to, words)
        said = [word for word in words_to(stack, to) if "no more messages" in word]
        assert len(said) == confirmed, words


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


# --- e-mails that nothing proves ----------------------------------------------------------------------

UNPROVEN = {"spf": "FAIL", "dkim": "FAIL", "dmarc": "GRAY"}
"""SPF and DKIM have failed, and the author's domain has no DMARC policy."""
ADDRESS = "replies@company.example"
"""The company's, without the token of a conversation."""


def test_a_stop_that_nothing_proves_suspends_e_mails_to_its_address_for_a_month_and_once(stack):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    request_id = started(stack, mail, "email", recipient_data=both)
    stack.writes(mail, ADDRESS, "STOP", **UNPROVEN)
    assert stack.outcome(request_id)["waiting"]["reason"] == "unproven_sender"
    assert [line for line in entries(stack, mail) if "unproven_refusal" in line]
    suspended = started(stack, mail, "email", recipient_data=both)
    assert stack.outcome(suspended)["reason"] == "do_not_contact"
    assert stack.outcome(started(stack, tel, recipient_data=both))["state"] == "sent"
    stack.forward(days=20)
    stack.writes(mail, ADDRESS, "STOP", **UNPROVEN)
    stack.forward(days=11)
    assert stack.outcome(started(stack, mail, "email"))["state"] == "sent"


def test_a_stop_that_nothing_proves_suspends_an_address_without_a_conversation_too(stack):
    mail = stack.mail()
    stack.writes(mail, ADDRESS, "STOP", **UNPROVEN)
    assert stack.outcome(started(stack, mail, "email"))["reason"] == "do_not_contact"
    assert stack.mails_to(mail) == []


def test_a_start_of_a_proven_sender_or_an_operator_ends_the_suspension(stack):
    lift = ("do-not-contact", "lift", "--company", FIRST.id, "--reason", "asked", "--yes")
    for ends in (
        lambda mail: stack.writes(mail, ADDRESS, "START"),
        lambda mail: stack.ops(*lift, "--address", mail),
    ):
        mail = stack.mail()
        started(stack, mail, "email")
        stack.writes(mail, ADDRESS, "STOP", **UNPROVEN)
        stack.writes(mail, ADDRESS, "START", **UNPROVEN)
        assert stack.outcome(started(stack, mail, "email"))["reason"] == "do_not_contact"
        ends(mail)
        assert stack.outcome(started(stack, mail, "email"))["state"] == "sent"


def test_a_start_that_nothing_proves_does_not_lift_a_stop(stack):
    mail = stack.mail()
    started(stack, mail, "email")
    stack.writes(mail, ADDRESS, "STOP")
    stack.writes(mail, ADDRESS, "START", **UNPROVEN)
    assert stack.outcome(started(stack, mail, "email"))["reason"] == "do_not_contact"


def test_the_token_of_a_conversation_stops_it_from_any_mailbox(stack):
    mail, other = stack.mail(), stack.mail()
    started(stack, mail, "email")
    reply_to = stack.mails_to(mail)[0]["reply_to"]
    stack.writes(other, reply_to, "STOP", **UNPROVEN)
    assert stack.outcome(started(stack, mail, "email"))["reason"] == "do_not_contact"
    assert [line for line in entries(stack, other) if "unproven_refusal" in line]


# --- e-mails as mail programs write them --------------------------------------------------------------

SIGNED = "Best regards,\nJo Doe\nHead of Stop Loss\nExample Freight Ltd.\n+1 555 010 7000"
QUOTED = "On Tue, Nov 24, 2026 at 9:12 AM Us <replies@company.example> wrote:\n\n> Reply STOP to opt out."


def test_a_stop_by_e_mail_is_heard_over_a_signature_and_what_an_e_mail_quotes_is_not(stack):
    stops, briefly, agrees = stack.mail(), stack.mail(), stack.mail()
    for to, words in (
        (stops, f"STOP\n\n{SIGNED}"),
        (briefly, "STOP\n\nJane\nExample Ltd"),
        (agrees, f"Sounds good. Tell me more.\n\n{SIGNED}"),
    ):
        started(stack, to, "email")
        stack.writes(to, stack.mails_to(to)[0]["reply_to"], f"{words}\n\n{QUOTED}")
    for to in (stops, briefly):
        assert [line for line in entries(stack, to) if " stop " in line]
        assert stack.outcome(started(stack, to, "email"))["reason"] == "do_not_contact"
    assert len(stack.mails_to(agrees)) == 2, "the opening and an answer"
    assert stack.outcome(started(stack, agrees, "email"))["state"] == "sent"


def test_a_stop_by_e_mail_stops_texts_while_it_still_waits_for_a_worker(stack):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    started(stack, mail, "email", recipient_data=both)
    about = {"from": mail, "to": stack.mails_to(mail)[0]["reply_to"], "text": "STOP", "headers": {}}
    stack.ses.post("inbound", **about)
    assert [line for line in persons_entries(stack, tel) if " stop " in line]
    assert stack.outcome(started(stack, tel, recipient_data=both))["reason"] == "do_not_contact"
    assert stack.texts_to(tel) == []


def test_a_stop_by_e_mail_from_an_address_without_a_conversation_is_kept(stack):
    mail = stack.mail()
    stack.writes(mail, ADDRESS, "Please stop.")
    assert stack.outcome(started(stack, mail, "email"))["reason"] == "do_not_contact"
    assert stack.mails_to(mail) == []


def test_what_may_be_a_wish_to_stop_by_e_mail_suspends_texts_while_it_still_waits_for_a_worker(
    stack,
):
    tel, mail = stack.tel(), stack.mail()
    both = {"recipient_tel": tel, "recipient_email": mail}
    started(stack, mail, "email", recipient_data=both)
    to = stack.mails_to(mail)[0]["reply_to"]
    stack.ses.post("inbound", **{"from": mail, "to": to, "text": "wrong number", "headers": {}})
    for address in (mail, tel):
        assert [line for line in persons_entries(stack, address) if "refusal_in_doubt" in line]
    assert stack.outcome(started(stack, tel, recipient_data=both))["reason"] == "do_not_contact"
    assert stack.texts_to(tel) == []


def test_a_stop_in_a_mailing_is_a_doubt_that_goes_to_a_person(stack):
    mail = stack.mail()
    request_id = started(stack, mail, "email")
    stack.writes(mail, stack.mails_to(mail)[0]["reply_to"], "STOP", Precedence="list")
    assert stack.outcome(request_id)["waiting"]["reason"] == "opt_out_in_doubt"
    [entry] = entries(stack, mail)
    assert "refusal_in_doubt" in entry
