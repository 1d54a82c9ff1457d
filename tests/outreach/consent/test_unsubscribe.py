"""One-click unsubscribe: the link in an e-mail, and the page behind it."""

import re
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.once.keys import OpaqueIds
from chalicelib.outreach.consent import unsubscribe
from local import company
from tests.rigs.outreach import MAIL, TEL

FORM = {"content-type": "application/x-www-form-urlencoded"}
ONE_CLICK = b"List-Unsubscribe=One-Click"
STAGE = OpaqueIds(b"a key of the stage")


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
        table.delete({k: item[k] for k in ("primary_channel", "conversation_id")})
    for _ in range(2):
        assert ask(outreach, "POST", link).status_code == 200
    assert later_start(outreach)["reason"] == "do_not_contact"


def test_an_operator_lifts_it(outreach, link):
    ask(outreach, "POST", link)
    register = outreach.services.outreach.conversations
    assert register.lift(MAIL, company.COMPANY_ID, by="agent-7") == ["unsubscribed"]
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


def test_a_table_that_cannot_be_written_gives_503_and_never_200(outreach, link, monkeypatch):
    def fails(*_, **__):
        raise RuntimeError("down")

    monkeypatch.setattr(outreach.services.outreach.conversations, "forbid_hashed", fails)
    assert ask(outreach, "POST", link).status_code == 503


def test_a_transactional_project_sends_no_such_header(outreach):
    outreach.set_project(message_kind="transactional")
    outreach.start("first", "email")
    outreach.run()
    assert not [n for n in outreach.ses.emails[0]["headers"] if n.startswith("List-")]


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
    token = unsubscribe.token(STAGE, company_id, address, conversation)
    assert re.fullmatch(r"[A-Za-z0-9._-]+", token)
    found = unsubscribe.opened(STAGE, token)
    hashed = token.partition(".")[0]
    assert (found.company_id, found.hashed, found.conversation) == (
        company_id,
        hashed,
        conversation,
    )
    assert unsubscribe.opened(OpaqueIds(b"another stage's key"), token) is None
