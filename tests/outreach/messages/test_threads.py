"""E-mail threads: subject, references, attachments and quoted history."""

import base64
import json
from email.message import EmailMessage

import pytest

from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.messages import threads
from tests.rigs.outreach import MAIL


@pytest.fixture
def opening(outreach):
    outreach.start("first", "email")
    outreach.run()
    return outreach.ses.emails[0]


def own_id(email):
    return f"<{email['message_id']}@email.amazonses.com>"


def test_every_answer_names_the_whole_thread_and_keeps_its_subject(outreach, opening):
    for number in range(3):
        message = outreach.ses.inbound(
            MAIL,
            opening["reply_to"],
            f"Question {number}",
            subject=f"Re: Re: {opening['subject']}",
            Message_ID=f"<q{number}@mail.example.com>",
        )
        outreach.mail(message)
        outreach.run()
    mails = outreach.ses.emails
    assert [mail["subject"] for mail in mails[1:]] == [f"Re: {opening['subject']}"] * 3
    assert "References" not in opening["headers"]
    thread = [own_id(opening)]
    for number, answer in enumerate(mails[1:]):
        thread.append(f"<q{number}@mail.example.com>")
        assert answer["headers"]["References"].split() == thread
        assert answer["headers"]["In-Reply-To"] == thread[-1]
        thread.append(own_id(answer))


def record(**item):
    return Record({"messages": [], **item})


def test_a_long_thread_fits_its_header_with_its_first_message():
    ids = [f"<{n:03d}{'x' * 60}@mail.example.com>" for n in range(60)]
    known = record()
    for id_ in ids:
        known = record(**threads.received_attributes(known, id_))
    assert len(known.item["email_references"]) == threads.MAX_IDS
    references = threads.headers(known)["References"]
    assert len(references) <= threads.MAX_HEADER
    assert references.split()[0] == ids[0]
    assert references.split()[-1] == ids[-1]


@pytest.mark.parametrize(
    "damaged", [None, "", "<>", "no brackets", "<a b@x.example>", "<ä@x.example>"]
)
def test_a_damaged_id_is_left_out(damaged):
    assert threads.received_attributes(record(), damaged) == {}


def test_attachments_are_kept_as_references_and_a_photo_alone_goes_to_a_person(outreach, opening):
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = MAIL, opening["reply_to"], "Re: hello"
    message["Message-ID"] = "<photo@mail.example.com>"
    message.set_content("")
    message.add_attachment(b"JPEG" * 10, maintype="image", subtype="jpeg", filename="me.jpg")
    event = outreach.ses.inbound(MAIL, opening["reply_to"], "")
    body = json.loads(event["Records"][0]["Sns"]["Message"])
    body["content"] = base64.b64encode(bytes(message)).decode()
    event["Records"][0]["Sns"]["Message"] = json.dumps(body)
    outreach.mail(event)
    outreach.run()
    (waiting,) = outreach.services.outreach.desk.waiting()
    assert waiting.reason == "media_only"
    (media,) = outreach.record("email").messages[-1].media
    assert (media["type"], media["size"]) == ("image/jpeg", 40)
    assert len(media["digest"]) == 32


def test_media_of_a_text_are_kept_with_their_link(outreach):
    outreach.start()
    outreach.run()
    outreach.deliver(outreach.says("Look", media=2))
    outreach.run()
    record = outreach.record()
    said = next(message for message in record.messages if message.content == "Look")
    assert [file["type"] for file in said.media] == ["image/jpeg", "image/jpeg"]
    assert said.media[0]["link"].endswith(f"/media/{outreach.twilio_sid}/0")
    assert len({file["digest"] for file in said.media}) == 2
    assert len(outreach.twilio.sent_to(record.primary_channel)) == 2, "it is answered"
