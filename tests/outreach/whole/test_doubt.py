"""A doubt at the doors: nothing unasked leaves after it, on whichever channel, until it is decided."""

import pytest

from chalicelib.outreach.conversations.do_not_contact import DoNotContact
from tests.outreach.whole.test_unproven import FAILED, PLAIN, mails, reasons, reply_to, started
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import MAIL, TEL

DOUBT = "not interested"


@ON_ENGINE
@pytest.mark.parametrize("whatsapp", [False, True])
def test_no_start_leaves_after_the_door_has_accepted_a_doubt(outreach, whatsapp):
    """Before the worker has read the message, and after it; on every channel of the person."""
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    outreach.start(channel="whatsapp" if whatsapp else "sms", recipient_data=both)
    outreach.run()
    sent = len(outreach.twilio.sent_to(TEL))
    outreach.start("waiting", "sms")
    post = outreach.says(DOUBT, whatsapp=whatsapp)
    assert outreach.deliver(post).status_code == 200
    outreach.run()
    outreach.start("by-mail", "email", MAIL, recipient_data=both)
    outreach.run()
    assert outreach.fate("waiting").json_body["reason"] == "do_not_contact"
    assert outreach.fate("by-mail").json_body["reason"] == "do_not_contact"
    assert len(outreach.twilio.sent_to(TEL)) == sent
    assert reasons(outreach) == reasons(outreach, TEL) == ["refusal_in_doubt"]


def test_a_text_that_arrives_three_times_asks_once(outreach):
    outreach.start(channel="sms")
    outreach.run()
    post = outreach.says(DOUBT, whatsapp=False)
    for _ in range(3):
        outreach.deliver(post)
        outreach.run()
    assert len(list(outreach.services.outreach.desk.waiting())) == 1
    assert reasons(outreach, TEL) == ["refusal_in_doubt"]


def test_a_start_that_was_planned_before_the_doubt_looks_again(outreach, monkeypatch):
    """The register is looked at twice; the doubt comes between the two."""
    outreach.start(channel="sms")
    looks = DoNotContact.look

    def then_doubt(self, record):
        found = looks(self, record)
        outreach.deliver(outreach.says(DOUBT, whatsapp=False))
        return found

    monkeypatch.setattr(DoNotContact, "look", then_doubt)
    outreach.run()
    assert outreach.twilio.sent_to(TEL) == []
    assert outreach.fate().json_body["reason"] == "refused:do_not_contact"


@pytest.fixture
def opened(outreach):
    """A conversation by e-mail whose opening was sent."""
    outreach.start(channel="email")
    outreach.run()
    return outreach


def test_a_proven_mail_in_doubt_suspends_and_a_start_lifts_it(opened):
    mails(opened, DOUBT)
    assert opened.record("email").handoff["reason"] == "opt_out_in_doubt"
    assert started(opened, "second")["reason"] == "do_not_contact"
    mails(opened, "START", **FAILED)
    assert started(opened, "third")["reason"] == "do_not_contact", "nothing proves it"
    mails(opened, "START")
    assert started(opened, "fourth")["state"] == "sent"


def test_a_mail_in_doubt_that_nothing_proves_suspends_nobody_and_goes_to_a_person(opened):
    mails(opened, DOUBT, to=PLAIN, **FAILED)
    assert opened.record("email").handoff["reason"] == "unproven_sender"
    assert reasons(opened) == []


def test_who_has_the_token_may_cast_the_doubt_on_its_recipient_alone(opened):
    other = "j.private@example.com"
    mails(opened, DOUBT, sender=other, to=reply_to(opened), **FAILED)
    assert (reasons(opened), reasons(opened, other)) == (["refusal_in_doubt"], [])


def test_an_automatic_mail_asks_nothing(opened):
    mails(opened, DOUBT, Auto_Submitted="auto-replied")
    assert reasons(opened) == []
