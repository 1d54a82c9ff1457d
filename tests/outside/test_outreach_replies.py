"""The promises of docs/outreach.md, tried from outside: e-mail, and what recipients write."""

from tests.outside.conversations import (
    SECOND_ACCOUNT,
    by_whatsapp,
    clicked,
    started,
    unsubscribe_path,
)
from tests.outside.running import FIRST, PROJECT, SECOND


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


def test_every_e_mail_ends_with_its_sender_their_postal_address_and_the_link(stack):
    project = stack.put_project(language="fr")
    to = stack.mail()
    started(stack, to, "email", of=project)
    stack.writes(to, stack.mails_to(to)[0]["reply_to"], "Tell me more, please.")
    opening, answer = stack.mails_to(to)
    for mail in (opening, answer):
        sender, address, line, link = mail["text"].replace("\n\n", "\n").splitlines()[-4:]
        assert (sender, address) == ("Cucumber Recruitment", PROJECT["company_address"])
        assert line == "Se désabonner de nos messages."
        assert link.endswith(unsubscribe_path(mail))
        assert unsubscribe_path(mail) in mail["html"]
    assert "STOP" in opening["text"]


def test_a_person_takes_back_by_the_link_what_they_have_set_and_nothing_of_an_operator(stack):
    to = stack.mail()
    started(stack, to, "email")
    (mail,) = stack.mails_to(to)
    path = unsubscribe_path(mail)
    clicked(stack, path)
    stack.writes(to, mail["reply_to"], "STOP")
    assert "resume" in stack.request("GET", path).text
    assert clicked(stack, path, "choice=resume").status_code == 200
    assert stack.outcome(started(stack, to, "email"))["state"] == "sent"
    entry = ("--company", FIRST.id, "--address", to, "--reason", "asked by phone", "--yes")
    stack.ops("do-not-contact", "add", *entry)
    assert "resume" not in stack.request("GET", path).text
    clicked(stack, path, "choice=resume")
    assert stack.outcome(started(stack, to, "email"))["reason"] == "do_not_contact"


def test_the_page_of_a_link_shows_that_a_question_is_open_and_takes_the_persons_answer(stack):
    to = stack.mail()
    started(stack, to, "email")
    mail = stack.mails_to(to)[0]
    path = unsubscribe_path(mail)
    stack.writes(to, mail["reply_to"], "stop, what is this?")
    assert "may write" not in stack.request("GET", path).text
    assert stack.outcome(started(stack, to, "email"))["reason"] == "do_not_contact"
    assert "may write" in clicked(stack, path, "choice=resume").text
    assert stack.outcome(started(stack, to, "email"))["state"] == "sent"


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
    assert not [header for header in mail["headers"] if header.startswith("List-")]
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


def test_a_reply_that_twilio_posts_three_times_is_answered_once(stack):
    to, sid = stack.tel(), f"SM{stack.number():032x}"
    request_id = started(stack, to)
    for _ in range(3):
        assert stack.says(to, "Tell me more", sid=sid) == 200
    assert len(stack.texts_to(to)) == 2
    assert [message["from"] for message in stack.said(request_id)] == [
        "company",
        "recipient",
        "company",
    ]


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
    assert (
        len([message for message in stack.said(request_id) if message["from"] == "recipient"]) == 3
    )


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
    assert [len(stack.said(request_id)) for request_id in (first, second)] == [3, 1]


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


# --- e-mails that nothing proves ----------------------------------------------------------------------

UNPROVEN = {"spf": "FAIL", "dkim": "FAIL", "dmarc": "GRAY"}
"""SPF and DKIM have failed, and the author's domain has no DMARC policy."""
ADDRESS = "replies@company.example"
"""The company's, without the token of a conversation."""


def test_an_e_mail_that_nothing_proves_goes_to_a_person_and_gets_no_answer(stack):
    for words in ("Tell me more.", "START"):
        to = stack.mail()
        request_id = started(stack, to, "email")
        stack.writes(to, ADDRESS, words, **UNPROVEN)
        assert stack.outcome(request_id)["waiting"]["reason"] == "unproven_sender"
        assert stack.said(request_id)[1]["text"] == words
        assert len(stack.mails_to(to)) == 1


def test_an_e_mail_is_proven_by_its_domain_or_by_the_token_that_only_its_recipient_has(stack):
    for checks in (
        {"spf": "FAIL", "dkim": "FAIL", "dmarc": "PASS"},
        {"spf": "FAIL", "dmarc": "GRAY"},
        {"dkim": "FAIL", "dmarc": "GRAY"},
        {"by": "bounces.mail.example", "dmarc": "GRAY"},
    ):
        to = stack.mail()
        started(stack, to, "email")
        stack.writes(to, ADDRESS, "Tell me more.", **checks)
        assert len(stack.mails_to(to)) == 2, checks
    to = stack.mail()
    started(stack, to, "email")
    stack.writes(to, stack.mails_to(to)[0]["reply_to"], "Tell me more.", **UNPROVEN)
    assert len(stack.mails_to(to)) == 2


def test_another_domains_signature_or_a_header_of_the_senders_own_proves_nothing(stack):
    own = "amazonses.com; dkim=pass header.i=@mail.example; dmarc=pass header.from=mail.example"
    for checks in (
        {"by": "evil-mail.example", "dmarc": "GRAY"},
        {**UNPROVEN, "Authentication_Results": own},
        {**UNPROVEN, "by": f"evil.example; {own}"},
    ):
        to = stack.mail()
        request_id = started(stack, to, "email")
        stack.writes(to, ADDRESS, "Tell me more.", **checks)
        assert stack.outcome(request_id)["waiting"]["reason"] == "unproven_sender", checks


def test_a_machine_that_repeats_a_long_e_mail_is_answered_once(stack):
    to = stack.mail()
    started(stack, to, "email")
    (opening,) = stack.mails_to(to)
    text = "Our office is moving to another floor, and the lifts are out of order. " * 80
    for number in range(3):
        stack.writes(to, opening["reply_to"], text, Message_ID=f"<moving{number}@mail.example>")
    assert len(stack.mails_to(to)) == 2
