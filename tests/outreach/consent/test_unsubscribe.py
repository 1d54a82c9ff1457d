"""One-click unsubscribe: the link in an e-mail, and the page behind it."""

import re
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.clock import iso
from chalicelib.errors import TransientError
from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach.consent import unsubscribe
from chalicelib.outreach.conversations import doubts
from chalicelib.outreach.conversations.statements import Statement
from local import company
from tests.rigs.keys import one_key
from tests.rigs.outreach import MAIL, TEL

FORM = {"content-type": "application/x-www-form-urlencoded"}
ONE_CLICK = b"List-Unsubscribe=One-Click"
STAGE = unsubscribe.LinkKeys(lambda: OpaqueIds(b"a key of the stage"), one_key)


def link_of(outreach, recipient=MAIL):
    headers = outreach.ses.sent_to(recipient)[-1]["headers"]
    assert headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    (url,) = re.findall(r"<(https?://[^>]+)>", headers["List-Unsubscribe"])
    assert url.startswith(company.PUBLIC_URL)
    return url.removeprefix(company.PUBLIC_URL)


def ask(outreach, method, path, headers=FORM, body=ONE_CLICK):
    with outreach._client() as client:
        if method == "GET":
            return client.http.get(path)
        return client.http.post(path, headers=headers, body=body)


@pytest.fixture
def link(outreach):
    outreach.start("first", "email")
    outreach.run()
    return link_of(outreach)


def later_start(outreach, request_id="later", channel="email", **more):
    outreach.start(request_id, channel, **more)
    outreach.run()
    return outreach.fate(request_id).json_body


MULTIPART = (
    {"content-type": "multipart/form-data; boundary=x"},
    b'--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
)


@pytest.mark.parametrize(("headers", "body"), [(FORM, ONE_CLICK), MULTIPART, ({}, b"")])
def test_one_click_forbids_every_later_start_of_the_company(outreach, link, headers, body):
    answer = ask(outreach, "POST", link, headers, body)
    assert answer.status_code == 200
    assert "location" not in {name.lower() for name in answer.headers}
    assert later_start(outreach)["reason"] == "do_not_contact"
    assert len(outreach.ses.emails) == 1


def test_the_page_has_a_button_and_changes_nothing(outreach, link):
    before = outreach.rows("ConversationsTable")
    answer = ask(outreach, "GET", link)
    assert answer.status_code == 200
    assert answer.headers["Content-Type"].startswith("text/html")
    assert b'<form method="post">' in answer.body
    assert b"<button" in answer.body
    assert outreach.rows("ConversationsTable") == before
    assert later_start(outreach)["state"] == "sent"


@pytest.mark.parametrize("choice", [ONE_CLICK, unsubscribe.RESUME])
def test_the_page_of_a_doubt_asks_its_recipient(outreach, link, choice):
    register = outreach.services.outreach.conversations
    register.doubt(MAIL, company.COMPANY_ID, said_at=iso(datetime.now(UTC)))
    assert ask(outreach, "GET", link).body.count(b"<button") == 2
    assert register.is_forbidden(MAIL, company.COMPANY_ID)
    shown = ask(outreach, "POST", link, body=choice).body
    assert shown.count(b"<button") == (1 if choice == ONE_CLICK else 2)  # and that of preferences
    assert register.is_forbidden(MAIL, company.COMPANY_ID) == (choice == ONE_CLICK)


def test_the_page_shows_a_doubt_that_became_a_stop(outreach, link, monkeypatch):
    monkeypatch.setattr(doubts, "DECIDED_WITHIN", timedelta())
    register = outreach.services.outreach.conversations
    register.doubt(MAIL, company.COMPANY_ID, said_at=iso(datetime.now(UTC)))
    shown = ask(outreach, "GET", link).body
    assert shown.count(b"<button") == 1
    assert unsubscribe.RESUME.partition(b"=")[2] in shown


def test_it_forbids_other_channels_of_the_person_and_no_other_person(outreach, link):
    ask(outreach, "POST", link)
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    by_text = later_start(outreach, "by-text", "sms", recipient_data=both)
    assert by_text["reason"] == "do_not_contact"
    other = later_start(outreach, "other", "email", recipient="k.roe@example.com")
    assert other["state"] == "sent"


def test_a_repeated_click_changes_nothing_and_a_link_outlives_its_conversation(outreach, link):
    table = outreach.services.outreach.conversations._table
    for item in table.scan_page(limit=1000)[0]:
        table.delete({name: item[name] for name in ("primary_channel", "conversation_id")})
    for _ in range(2):
        assert ask(outreach, "POST", link).status_code == 200
    assert later_start(outreach)["reason"] == "do_not_contact"


def test_an_operator_lifts_it(outreach, link):
    ask(outreach, "POST", link)
    register = outreach.services.outreach.conversations
    place = register.place(MAIL, company.COMPANY_ID)
    how = Statement(door="ops", by="agent-7")
    assert register.lift(place, how=how) == ["unsubscribed"]
    assert later_start(outreach)["state"] == "sent"


def test_the_link_holds_nothing_personal(link):
    for personal in (MAIL, MAIL.partition("@")[0], "example", TEL[1:]):
        assert personal not in link


def test_a_forged_or_damaged_token_is_refused_and_changes_nothing(outreach, link):
    path = urlsplit(link).path
    hashed, company_id, conversation, signature = path.removeprefix("/unsubscribe/").split(".")
    before = outreach.rows("ConversationsTable")
    forged = [
        f"{'0' * 32}.{company_id}.{conversation}.{signature}",
        f"{hashed}.{company_id[:-2]}AA.{conversation}.{signature}",
        f"{hashed}.{company_id}.{'0' * 32}.{signature}",
        f"{hashed}.{company_id}.{conversation}.{'0' * 32}",
        f"{hashed}.{company_id}.{signature}",
        f"{hashed}.{company_id}",
        "x",
    ]
    for token in forged:
        for method in ("GET", "POST"):
            assert ask(outreach, method, f"/unsubscribe/{token}").status_code == 404
    assert outreach.rows("ConversationsTable") == before


# --- the page ---------------------------------------------------------------------------------------

RESUME = b"choice=resume"


def page(outreach, link):
    return ask(outreach, "GET", link).body.decode()


def buttons(shown):
    return re.findall(r'name="([^"]+)" value="([^"]+)"', shown)


def test_the_page_says_what_holds_and_offers_the_other(outreach, link):
    assert buttons(page(outreach, link)) == [("List-Unsubscribe", "One-Click")]
    done = ask(outreach, "POST", link).body.decode()
    assert "You will get no more messages from Cucumber Recruitment" in done
    assert buttons(done) == buttons(page(outreach, link)) == [("choice", "resume")]
    taken_back = ask(outreach, "POST", link, FORM, RESUME)
    assert taken_back.status_code == 200
    assert buttons(taken_back.body.decode()) == [("List-Unsubscribe", "One-Click")]
    assert later_start(outreach)["state"] == "sent"
    ask(outreach, "POST", link)
    assert later_start(outreach, "again")["reason"] == "do_not_contact"


@pytest.mark.parametrize("by", ["link", "stop by mail", "stop by text", "own words"])
def test_a_person_takes_back_what_they_have_set(outreach, by):
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    outreach.start("first", "email", recipient_data=both)
    outreach.run()
    link, register = link_of(outreach), outreach.services.outreach.conversations
    if by == "link":
        ask(outreach, "POST", link)
    elif by == "stop by mail":
        outreach.mail(outreach.ses.inbound(MAIL, outreach.ses.emails[0]["reply_to"], "STOP"))
        outreach.run()
    else:
        reason = "stop" if by == "stop by text" else "asked_to_stop"
        register.forbid_person(outreach.record("email", MAIL), reason)
    assert buttons(page(outreach, link)) == [("choice", "resume")]
    ask(outreach, "POST", link, FORM, RESUME)
    assert later_start(outreach)["state"] == "sent"
    assert later_start(outreach, "text", "sms", recipient_data=both)["state"] == "sent"


@pytest.mark.parametrize("reason", ["operator", "complained", "imported"])
@pytest.mark.parametrize("is_erased", [False, True])
def test_what_others_have_entered_stays(outreach, link, reason, is_erased):
    register = outreach.services.outreach.conversations
    register.forbid(MAIL, company.COMPANY_ID, reason)
    if is_erased:
        subject = register.subject(register.place(MAIL, company.COMPANY_ID))
        register.replace(subject.erased(datetime.now(UTC)))
    ask(outreach, "POST", link)
    shown = page(outreach, link)
    assert buttons(shown) == []
    assert "Only Cucumber Recruitment can change this. Contact: +1 555 010 9000." in shown
    ask(outreach, "POST", link, FORM, RESUME)
    assert buttons(page(outreach, link)) == []
    assert later_start(outreach)["reason"] == "do_not_contact"


def test_it_takes_back_after_its_conversation_is_gone(outreach, link):
    ask(outreach, "POST", link)
    table = outreach.services.outreach.conversations._table
    for item in table.scan_page(limit=1000)[0]:
        if not item["conversation_id"].startswith("subject#"):
            table.delete({name: item[name] for name in ("primary_channel", "conversation_id")})
    shown = page(outreach, link)
    assert "<p>You will get no more messages from this sender, on any channel.</p>" in shown
    shown = ask(outreach, "POST", link, FORM, RESUME).body.decode()
    assert "<p>This sender may write to you" in shown
    assert later_start(outreach)["state"] == "sent"


def test_a_link_takes_back_nothing_of_another_person_or_company(outreach, link):
    register, others = outreach.services.outreach.conversations, ("k.roe@example.com", MAIL)
    companies = (company.COMPANY_ID, "ci-bbb-002")
    for address, company_id in zip(others, companies, strict=True):
        register.forbid(address, company_id, "stop")
    ask(outreach, "POST", link, FORM, RESUME)
    for address, company_id in zip(others, companies, strict=True):
        assert register.is_forbidden(address, company_id)


@pytest.mark.parametrize(
    "body", [b"List-Unsubscribe=One-Click&choice=resume", b"choice=", b"choice=resume2", b"resume"]
)
def test_whatever_else_is_posted_unsubscribes(outreach, link, body):
    ask(outreach, "POST", link, FORM, body)
    assert later_start(outreach)["reason"] == "do_not_contact"


def test_the_page_is_in_the_conversations_language_and_escapes_what_it_shows(outreach):
    outreach.set_project(language="de", company_name="Gurke <b>& Co")
    outreach.start("first", "email")
    outreach.run()
    shown = page(outreach, link_of(outreach))
    assert '<html lang="de">' in shown
    assert "Gurke &lt;b&gt;&amp; Co darf Ihnen per E-Mail, SMS und WhatsApp schreiben." in shown
    assert "Alle Nachrichten abbestellen" in shown


def test_the_page_names_nobody_and_loads_nothing(outreach, link):
    answer = ask(outreach, "GET", link)
    for personal in (MAIL, "Jo", TEL):
        assert personal not in answer.body.decode()
    assert not re.search(r"<script|<img|<link|https?:", answer.body.decode())
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "frame-ancestors 'none'" in policy


def test_a_register_that_cannot_be_read_gives_503_and_a_mark_that_is_written_200(
    outreach, link, monkeypatch
):
    def fails(*_, **__):
        raise TransientError("dynamodb", "get")

    monkeypatch.setattr(unsubscribe.UnsubscribeDoor, "_page_content", fails)
    assert ask(outreach, "GET", link).status_code == 503
    answer = ask(outreach, "POST", link)
    assert answer.status_code == 200
    assert b"You will get no more messages" in answer.body


def test_every_e_mail_ends_with_who_sends_it_and_the_link_in_both_parts(outreach, link):
    first = outreach.ses.emails[0]
    address = "1 Main Street, Springfield, IL 62701, USA"
    ends = f"Unsubscribe from our messages.\n{company.PUBLIC_URL}{link}"
    assert first["text"].endswith(f"\n\nCucumber Recruitment\n{address}\n\n{ends}")
    assert "Reply STOP to opt out." in first["text"]
    assert f'<a href="{company.PUBLIC_URL}{link}">' in first["html"]
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], "Tell me more"))
    outreach.run()
    assert outreach.ses.emails[1]["text"].endswith(ends)
    record = outreach.record("email", MAIL)
    assert not [message for message in outreach.history(record) if "nsubscribe" in message[1]]


def test_a_reply_that_quotes_the_whole_mail_unmarked_is_answered(outreach, link):
    first = outreach.ses.emails[0]
    footer = first["text"].partition("Cucumber Recruitment\n1 Main")[2]
    said = f"Tell me more, please.\n\nCucumber Recruitment\n1 Main{footer}"
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], said))
    outreach.run()
    assert len(outreach.ses.emails) == 2


def test_a_table_that_cannot_be_written_gives_503_and_never_200(outreach, link, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("down")

    monkeypatch.setattr(outreach.services.outreach.conversations, "forbid_member", fails)
    assert ask(outreach, "POST", link).status_code == 503


def test_a_transactional_project_sends_no_such_header(outreach):
    outreach.set_project(message_kind="transactional")
    outreach.start("first", "email")
    outreach.run()
    mail = outreach.ses.emails[0]
    assert not [n for n in mail["headers"] if n.startswith("List-")]
    assert "/unsubscribe/" not in mail["text"] + mail["html"]
    assert mail["text"].endswith("\n1 Main Street, Springfield, IL 62701, USA")


def test_every_mail_of_a_thread_has_the_header(outreach, link):
    first = outreach.ses.emails[0]
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], "Tell me more"))
    outreach.run()
    assert len(outreach.ses.emails) == 2
    assert link_of(outreach) == link


@pytest.mark.parametrize(
    "text",
    [
        "unsubscribe",
        "STOP",
        "Please unsubscribe me.",
        "Stop\n\nSent from my iPhone",
        "stop\n\n-- \nJo Doe\n+1 555 0100",
        "Unsubscribe\n\nOn Monday, Jo wrote:\n> Hello Jo",
        "> Hello Jo\n> Reply to this message to talk.\n\nunsubscribe",
        "Abmelden",
    ],
)
def test_unsubscribe_by_reply_is_heard_and_not_answered(outreach, link, text):
    first = outreach.ses.emails[0]
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], text))
    outreach.run()
    assert len(outreach.ses.emails) == 1
    assert list(outreach.services.outreach.desk.waiting()) == []
    assert later_start(outreach)["reason"] == "do_not_contact"


@pytest.mark.parametrize("headers", [{}, {"Auto_Submitted": "auto-generated"}])
def test_the_mail_that_the_header_asks_for_unsubscribes(outreach, link, headers):
    found = outreach.ses.emails[0]["headers"]["List-Unsubscribe"]
    (to,) = re.findall(r"<mailto:([^?>]+)\?subject=unsubscribe>", found)
    outreach.mail(outreach.ses.inbound(MAIL, to, "", subject="unsubscribe", **headers))
    outreach.run()
    assert later_start(outreach)["reason"] == "do_not_contact"


def test_stop_from_another_mailbox_forbids_both_and_start_from_there_lifts_none(outreach, link):
    first, other = outreach.ses.emails[0], "j.private@example.com"
    outreach.mail(outreach.ses.inbound(other, first["reply_to"], "unsubscribe"))
    outreach.run()
    outreach.mail(outreach.ses.inbound(other, first["reply_to"], "START"))
    outreach.run()
    assert later_start(outreach)["reason"] == "do_not_contact"
    assert later_start(outreach, "other", recipient=other)["reason"] == "do_not_contact"


@pytest.mark.parametrize("text", ["Yes", "help", "When does it start?", "Tell me more"])
def test_an_ordinary_reply_is_answered(outreach, link, text):
    first = outreach.ses.emails[0]
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], text))
    outreach.run()
    assert len(outreach.ses.emails) == 2


def test_a_hard_bounce_forbids_the_address_and_no_other_channel(outreach):
    outreach.ses.set_modes(fates=["Send", "Bounce"])
    outreach.start("first", "email")
    outreach.run()
    for event in outreach.ses.events():
        outreach.mail(event)
    outreach.run()
    assert later_start(outreach)["reason"] == "do_not_contact"
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    assert later_start(outreach, "by-text", "sms", recipient_data=both)["state"] == "sent"


@given(
    st.text(min_size=1, max_size=60),
    st.emails(),
    st.text("0123456789abcdef", min_size=32, max_size=32),
)
def test_a_token_names_the_company_address_and_conversation_it_was_made_for(
    company_id, address, conversation
):
    token = unsubscribe.signed_token(STAGE, company_id, address, conversation)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", token)
    found = unsubscribe.opened_token(one_key(), token)
    hashed = token.partition(".")[0]
    assert (found.company_id, found.hashed, found.conversation) == (
        company_id,
        hashed,
        conversation,
    )
    assert unsubscribe.opened_token(one_key(b"another stage's key"), token) is None
