"""SES notifications as jobs: inbound e-mails, events of our e-mails, and neither."""

import base64
import json
import re
import time
from contextlib import suppress
from email.message import EmailMessage

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.errors import PayloadError
from chalicelib.once import keys
from chalicelib.once.job import encode
from chalicelib.outreach.ses import webhook as ses_webhook

OPAQUE = keys.OpaqueIds(b"0" * 32)
TOKEN, ENTRY = "a" * 32, "b" * 32
MAIL, OURS = "j.doe@example.com", "replies@company.example"
PASSED = {"status": "PASS"}


def parse(message):
    text = message if isinstance(message, str) else json.dumps(message)
    return ses_webhook.parse(
        text, received_at="2026-11-20T09:00:00.000Z", delivery_id="d-1", opaque=OPAQUE
    )


def email(
    content="Tell me more", *, headers=(), subtype="plain", message_id="<m1@mail.example.com>"
):
    made = EmailMessage()
    made["From"], made["To"], made["Subject"] = f"Jo Doe <{MAIL.upper()}>", OURS, "Re: hello"
    made["Message-ID"] = message_id
    for name, value in headers:
        made[name] = value
    made.set_content(content, subtype=subtype)
    return made


def received(message, *, recipients=(OURS,), encoding="BASE64", **verdicts):
    raw = message if isinstance(message, bytes) else bytes(message)
    content = base64.b64encode(raw).decode() if encoding == "BASE64" else raw.decode()
    passed = dict.fromkeys(("spamVerdict", "virusVerdict", "dmarcVerdict"), PASSED)
    return {
        "notificationType": "Received",
        "mail": {"messageId": "ses-1", "source": MAIL},
        "receipt": {
            **passed,
            **{name: {"status": value} for name, value in verdicts.items()},
            "recipients": list(recipients),
            "action": {"type": "SNS", "encoding": encoding},
        },
        "content": content,
    }


def event(name, *, tag=f"{TOKEN}_{ENTRY}", **about):
    return {
        "eventType": name,
        "mail": {
            "messageId": "ses-9",
            "source": f'"Company" <replies+{TOKEN}@company.example>',
            "destination": [MAIL.upper()],
            "tags": {"send": [tag]} if tag else {},
        },
        **about,
    }


# --- e-mails that came in -----------------------------------------------------------------------


def test_an_email_becomes_a_message_of_its_pair_under_a_hash_of_its_id():
    job = parse(received(email()))
    assert (job.kind, job.channel, job.source) == ("inbound_message", "email", "ses_inbound")
    assert (job.sender, job.recipient, job.text) == (OURS, MAIL, "Tell me more")
    assert job.event_key == f"evt:reply:email:{job.message_id}"
    assert "@" not in job.event_key
    assert job.email_message_id == "<m1@mail.example.com>"
    assert MAIL not in job.conversation_id
    assert not job.is_automatic
    assert parse(received(email())).event_key == job.event_key
    assert parse(received(email(message_id="<m2@x.example>"))).event_key != job.event_key


@pytest.mark.parametrize("encoding", ["BASE64", "UTF-8"])
def test_the_content_is_read_in_either_encoding(encoding):
    assert parse(received(email("Grüße"), encoding=encoding)).text == "Grüße"


def test_the_token_of_a_reply_address_names_the_conversation():
    others = ("someone@else.example", f"Replies+{TOKEN}@company.example")
    job = parse(received(email(), recipients=others))
    assert (job.token, job.sender) == (TOKEN, OURS)
    assert parse(received(email(), recipients=["replies+sales@company.example"])).token is None


@given(local=st.from_regex(r"[a-z][a-z0-9.]{0,20}", fullmatch=True))
def test_a_reply_address_round_trips_its_token(local):
    address = f"{local}@company.example"
    assert ses_webhook.plus_tag(ses_webhook.reply_address(address, TOKEN)) == (address, TOKEN)


def test_an_emails_references_are_stored_as_hashes():
    thread = (("In-Reply-To", "<a@x.example>"), ("References", "<a@x.example> <b@x.example>"))
    job = parse(received(email(headers=thread)))
    assert set(job.in_reply_to) == {
        ses_webhook.message_id_digest(message_id)
        for message_id in ("<a@x.example>", "<b@x.example>")
    }


def test_of_a_long_thread_the_newest_twenty_are_kept():
    ids = [f"<m{number}@x.example>" for number in range(25)]
    job = parse(received(email(headers=[("References", " ".join(ids))])))
    assert job.in_reply_to == [ses_webhook.message_id_digest(id_) for id_ in ids[5:]]


@pytest.mark.parametrize(
    ("content", "subtype", "text"),
    [
        ("Yes\n\nOn Friday, Jo wrote:\n> Hello", "plain", "Yes"),
        ("Yes\n> Hello", "plain", "Yes"),
        ("Yes\n-----Original Message-----\nHello", "plain", "Yes"),
        ("Yes\n____________________________\nFrom: us", "plain", "Yes"),
        ("> only what was quoted", "plain", ""),
        ("<p>Yes &amp; no</p><p>please</p>", "html", "Yes & no\nplease"),
        ("<style>p {}</style><script>x()</script>Yes<br>now", "html", "Yes\nnow"),
    ],
)
def test_only_what_the_sender_wrote_is_kept(content, subtype, text):
    assert parse(received(email(content, subtype=subtype))).text == text


def test_a_text_of_an_unknown_charset_is_read_as_far_as_it_can_be():
    raw = bytes(email("STOP")).replace(b'charset="utf-8"', b'charset="x-none"')
    job = parse(received(raw))
    assert (job.text, job.opt_out) == ("STOP", "stop")


@pytest.mark.parametrize("half", [0xD83D, 0xDC80, 0xDFFF])
def test_a_broken_character_in_an_email_loses_only_that_character(half):
    """JSON can carry half of a pair, UTF-8 cannot; the notification as a whole is hashed, too."""
    made = received(email("Tell me more"), encoding="UTF8")
    made["content"] = made["content"].replace("Tell me", f"Tell {chr(half)} me")
    job = parse(json.dumps(made, ensure_ascii=False))
    assert re.fullmatch(r"Tell \S+ me more", job.text)
    assert encode(job), "the queue can carry it"


@pytest.mark.parametrize("piece", ["<style ", "<", "<br "])
def test_an_email_of_only_open_tags_is_parsed_quickly(piece):
    """Anyone may send one; half a minute each is more than the function has for three tries."""
    message = received(email(piece * (100_000 // len(piece)), subtype="html"))
    started = time.process_time()
    parse(message)
    assert time.process_time() - started < 1


def test_a_very_long_email_is_cut_to_the_queues_limit():
    assert len(parse(received(email("x" * 50_000))).text) == ses_webhook.MAX_TEXT_CHARACTERS


def test_attachments_are_counted_and_dropped():
    message = email("See this")
    message.add_attachment(b"%PDF", maintype="application", subtype="pdf", filename="cv.pdf")
    job = parse(received(message))
    assert (job.text, job.media_count) == ("See this", 1)
    assert "cv.pdf" not in job.model_dump_json()


@pytest.mark.parametrize(
    "header",
    [
        ("Auto-Submitted", "auto-replied"),
        ("Auto-Submitted", "auto-generated (failure)"),
        ("Precedence", "Bulk"),
        ("Precedence", "auto_reply"),
        ("X-Autoreply", "yes"),
        ("X-Autorespond", "1"),
        ("X-Auto-Response-Suppress", "All"),
        ("List-Id", "<news.example.com>"),
        ("Return-Path", "<>"),
    ],
    ids="=".join,
)
def test_an_automatic_email_is_recognised_by_its_headers(header):
    assert parse(received(email(headers=[header]))).is_automatic


def test_a_mail_server_report_is_recognised_by_its_content_type():
    message = email()
    message.make_mixed()
    message.set_type("multipart/report")
    assert parse(received(message)).is_automatic


@pytest.mark.parametrize("sender", ["MAILER-DAEMON@x.example", "no-reply@x.example"])
def test_an_automatic_email_is_recognised_by_its_sender(sender):
    message = email()
    message.replace_header("From", sender)
    assert parse(received(message)).is_automatic


def test_an_explicit_header_for_a_human_sender_is_believed():
    assert not parse(received(email(headers=[("Auto-Submitted", "No")]))).is_automatic


@pytest.mark.parametrize("verdict", ["spamVerdict", "virusVerdict", "dmarcVerdict"])
def test_spam_viruses_and_forged_senders_are_never_answered(verdict):
    assert parse(received(email(), **{verdict: "FAIL"})).is_automatic
    assert not parse(received(email(), **{verdict: "GRAY"})).is_automatic


# --- events of our e-mails ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "status", "rank"),
    [
        ("Send", "sent", 2),
        ("Delivery", "delivered", 3),
        ("Open", "read", 4),
        ("Reject", "rejected", 5),
        ("Rendering Failure", "failed", 5),
        ("Complaint", "complained", 6),
    ],
)
def test_an_event_is_a_receipt_of_the_message_its_tag_names(name, status, rank):
    job = parse(event(name))
    assert (job.kind, job.status, job.rank) == ("delivery_receipt", status, rank)
    assert (job.conversation_id, job.entry_id, job.provider_id) == (TOKEN, ENTRY, "ses-9")
    assert (job.sender, job.recipient) == (OURS, MAIL)
    assert job.event_key == f"evt:receipt:ses-9:{status}"
    assert job.opts_out is (name == "Complaint")


def test_a_permanent_bounce_has_its_kind_as_reason_and_a_transient_one_is_no_receipt():
    hard = {"bounceType": "Permanent", "bounceSubType": "On Account/Suppression List"}
    assert parse(event("Bounce", bounce=hard)).reason == "on_account_suppression_list"
    soft = {"bounceType": "Transient", "bounceSubType": "MailboxFull"}
    assert parse(event("Bounce", bounce=soft)) is None


@pytest.mark.parametrize("tag", ["", "newsletter", f"{TOKEN}_{ENTRY}x", f"{TOKEN[:-1]}_{ENTRY}"])
def test_an_event_of_a_foreign_email_is_ignored(tag):
    assert parse(event("Delivery", tag=tag)) is None


@pytest.mark.parametrize("name", ["Click", "Subscription", "DeliveryDelay", ""])
def test_an_event_without_news_is_ignored(name):
    assert parse(event(name)) is None


# --- other notifications ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "code"),
    [
        ("Successfully validated SNS topic", "invalid_json"),
        ("[]", "invalid_notification"),
        ({"notificationType": "Received"}, "invalid_notification"),
        ({"mail": {"messageId": 7}}, "invalid_notification"),
        ({**received(email()), "content": "%%%"}, "missing_sender"),
        ({**received(email()), "content": "a"}, "invalid_content"),
        (received(email(), recipients=()), "missing_sender"),
        ({**received(email()), "receipt": [MAIL]}, "missing_sender"),
        ({**received(email()), "receipt": {"recipients": MAIL, "action": 7}}, "missing_sender"),
    ],
    ids=str,
)
def test_a_body_that_is_no_notification_is_refused_without_quoting_it(message, code):
    with pytest.raises(PayloadError) as refused:
        parse(message)
    assert refused.value.code == code
    assert "example" not in str(refused.value)


@pytest.mark.parametrize("wrong", [7, "x", [], ["x"], None])
def test_a_part_of_another_kind_than_ses_writes_counts_as_missing(wrong):
    mail = received(email())
    mail["receipt"] |= {"action": wrong, "dmarcVerdict": wrong, "spfVerdict": wrong}
    mail["content"] = bytes(email()).decode()
    job = parse(mail)
    assert (job.text, job.is_proven) == ("Tell me more", False)
    reject = parse(event("Reject", reject=wrong))
    assert (reject.status, reject.reason) == ("rejected", None)
    bounce = event("Bounce", bounce=wrong)
    bounce["mail"] |= {"destination": wrong}
    assert parse(bounce).is_dead is False
    bounce["mail"] |= {"messageId": "x" * 70_000}
    with pytest.raises(PayloadError) as refused:
        parse(bounce)
    assert refused.value.code == "invalid_notification"
    assert parse(event("Open", tag=None) | {"mail": {"messageId": "m", "tags": wrong}}) is None


def test_an_email_without_a_readable_message_id_uses_the_ses_id():
    raw = f"From: {MAIL}\r\nMessage-ID: <\r\n\r\nYes".encode()
    other = received(raw)
    other["mail"] = {**other["mail"], "messageId": "ses-2"}
    job = parse(received(raw))
    assert (job.recipient, job.text, job.email_message_id) == (MAIL, "Yes", None)
    assert parse(received(raw)).event_key == job.event_key != parse(other).event_key


@pytest.mark.parametrize("sender", ['"', ",,<", ".@", "group:,"])
def test_an_email_whose_sender_cannot_be_read_has_none(sender):
    with pytest.raises(PayloadError) as refused:
        parse(received(f"From: {sender}\r\n\r\nYes".encode()))
    assert refused.value.code == "missing_sender"


PIECES = ["=?utf-8?q?", "?=", "<", ">", "@", ",", ";", ":", '"', "(", ")", "[", "\\", ".", "a", " "]
HEADERS = ["From", "Message-ID", "References", "Content-Type", "Content-Disposition", "Return-Path"]


@given(st.sampled_from(HEADERS), st.lists(st.sampled_from(PIECES), max_size=8).map("".join))
def test_no_header_raises_an_unexpected_error(name, value):
    rest = "" if name == "From" else f"From: {MAIL}\r\n"
    with suppress(PayloadError):
        parse(received(f"{name}: {value}\r\n{rest}\r\nYes".encode()))


@given(st.binary(max_size=400))
def test_no_content_raises_an_unexpected_error(raw):
    message = {**received(b"From: a@x.example\r\n\r\n" + raw)}
    parse(message)


# --- what is read of an e-mail ------------------------------------------------------------------

UNKNOWN = "Yes\n\n~~ a mark that no table knows ~~\nHello"


@pytest.mark.parametrize(
    ("plain", "html", "text"),
    [
        (UNKNOWN, "<p>Yes</p><blockquote type='cite'>Hello</blockquote>", "Yes"),
        (UNKNOWN, "<p>Yes</p><p>Hello</p>", UNKNOWN),
        ("Yes\n> Hello", "<p>Other</p>", "Yes"),
        ("", "<p>Yes</p><div id='appendonsend'></div>Hello", "Yes"),
        ("Yes", "<blockquote>Hello</blockquote>", "Yes"),
    ],
)
def test_the_html_decides_only_where_it_alone_shows_the_quotation(plain, html, text):
    message = email(plain)
    message.add_alternative(html, subtype="html")
    assert parse(received(message)).text == text


@pytest.mark.parametrize("name", ["Jo Doe", "Doe, Jo"])
def test_a_stop_above_the_writers_name_is_one_and_the_name_is_stored(name):
    message = email("STOP\n\nJo")
    message.replace_header("From", f'"{name}" <{MAIL}>')
    job = parse(received(message))
    assert (job.opt_out, job.text) == ("stop", "STOP\n\nJo")


def test_our_opt_out_line_in_a_quotation_is_no_stop():
    job = parse(received(email("Sounds good\n\n~~ unknown ~~\nReply STOP to opt out.")))
    assert job.opt_out is None


@pytest.mark.parametrize(
    "header", [("Precedence", "bulk"), ("Precedence", "list"), ("List-Id", "<news.example.com>")]
)
def test_a_stop_in_a_mailing_is_neither_a_stop_nor_automatic(header):
    job = parse(received(email("STOP", headers=[header])))
    assert (job.opt_out, job.is_automatic) == (None, False)
    assert parse(received(email("START", headers=[header]))).is_automatic
    generated = [header, ("Auto-Submitted", "auto-replied")]
    assert parse(received(email("STOP", headers=generated))).is_automatic


def test_the_time_of_a_mail_is_when_ses_got_it_however_often_it_is_delivered():
    early, late = (
        {**received(email()), "mail": {"messageId": "ses-1", "timestamp": at}}
        for at in ("2026-11-20T08:59:00.000Z", "2026-11-20T09:10:00.000Z")
    )
    assert parse(early).sent_at == "2026-11-20T08:59:00.000Z"
    assert parse(late).sent_at == parse(received(email())).sent_at == "2026-11-20T09:00:00.000Z"
