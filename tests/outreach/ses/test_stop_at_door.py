"""STOP by e-mail, and what may be one: marked before the handler returns, whatever waits."""

import pytest

from chalicelib.errors import TransientError, UnavailableError
from chalicelib.outreach import senders
from local import company
from tests.rigs import neighbour as other
from tests.rigs.engines import drain
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import MAIL, TEL

PLAIN, OTHER = company.EMAIL, "j.private@example.com"
DOUBT = "refusal_in_doubt"
FAILED = {"spf": "FAIL", "dkim": "FAIL", "dmarc": "GRAY"}


def reasons(outreach, address=MAIL, company_id=company.COMPANY_ID):
    known = outreach.services.outreach.conversations.marks_of(address, company_id)
    return sorted(entry.reason for entry in known if entry.is_in_force)


def mails(outreach, text, *, sender=MAIL, to=PLAIN, **more):
    """Bring an e-mail to the handler alone: no worker runs what the handler queues."""
    event = outreach.ses.inbound(sender, to, text, **more)
    outreach.mail(event)
    return event


@pytest.fixture
def both(outreach):
    """A recipient with a number and a mailbox, and conversations by e-mail and by SMS."""
    about = {"recipient_tel": TEL, "recipient_email": MAIL}
    for channel in ("email", "sms"):
        outreach.start(channel, channel, recipient_data=about)
    outreach.run()
    return outreach


def reply_to(outreach, mailbox=MAIL):
    return outreach.ses.sent_to(mailbox)[0]["reply_to"]


@ON_ENGINE
def test_the_mark_is_there_before_the_handler_returns_and_the_worker_changes_nothing(
    both, neighbour
):
    mails(both, "Please stop.", to=reply_to(both))
    assert (reasons(both), reasons(both, TEL)) == (["stop"], ["stop"])
    assert reasons(both, company_id=other.COMPANY_ID) == []
    conversations = both.services.outreach.conversations
    before = [entry.item for entry in conversations.marks_of(MAIL, company.COMPANY_ID)]
    both.run()
    assert [entry.item for entry in conversations.marks_of(MAIL, company.COMPANY_ID)] == before
    assert both.record("email").messages[-1].note == "opt_out"


def test_an_answer_by_sms_that_was_waiting_does_not_leave(both):
    """The SMS was asked for before the STOP, and its last look begins after it."""
    both.deliver(both.says("Tell me more", whatsapp=False))
    mails(both, "STOP", to=reply_to(both))
    sent = len(both.twilio.sent_to(TEL))
    both.run()
    assert len(both.twilio.sent_to(TEL)) == sent


def test_an_address_without_a_conversation_is_marked(outreach):
    mails(outreach, "STOP", sender=OTHER)
    assert reasons(outreach, OTHER) == ["stop"]
    outreach.start("later", "email", OTHER)
    outreach.run()
    assert outreach.fate("later").json_body["reason"] == "do_not_contact"


@pytest.mark.parametrize(
    ("text", "more"),
    [
        ("STOP", {"Auto_Submitted": "auto-replied"}),
        ("wrong number", {"Auto_Submitted": "auto-replied"}),
        ("wrong number", {"Precedence": "bulk"}),
        ("STOP", {"dmarc": "FAIL"}),
        ("wrong number", FAILED),
        ("START", {}),
        ("Tell me more", {}),
        ("Is this about the stop on 5th Street?", {}),
    ],
)
def test_what_is_no_stop_of_a_person_costs_the_door_no_read_and_no_mark(
    outreach, monkeypatch, text, more
):
    refused = _raises(AssertionError("nothing is to be marked"))
    monkeypatch.setattr("chalicelib.outreach.ses.stop_at_door.StopByMail.apply", refused)
    mails(outreach, text, sender=OTHER, **more)


def test_a_stop_that_nothing_proves_suspends_and_the_worker_changes_nothing(both):
    mails(both, "STOP", **FAILED)
    assert reasons(both) == ["unproven_refusal"]
    both.run()
    assert reasons(both) == ["unproven_refusal"]


def test_a_stop_that_nothing_proves_suspends_an_address_without_a_conversation(outreach):
    mails(outreach, "STOP", sender=OTHER, **FAILED)
    outreach.start("later", "email", OTHER)
    outreach.run()
    assert outreach.fate("later").json_body["reason"] == "do_not_contact"


def test_the_token_stops_its_recipient_and_a_mailbox_that_is_proven(both):
    mails(both, "STOP", sender=OTHER, to=reply_to(both))
    assert [reasons(both, address) for address in (MAIL, TEL, OTHER)] == [["stop"]] * 3


def test_the_token_from_a_mailbox_that_nothing_proves_stops_its_recipient_alone(both):
    mails(both, "STOP", sender=OTHER, to=reply_to(both), **FAILED)
    assert [reasons(both, address) for address in (MAIL, TEL, OTHER)] == [["stop"], ["stop"], []]
    both.run()
    assert reasons(both, OTHER) == ["unproven_refusal"]


def test_a_token_of_another_companys_conversation_stops_nobody(both):
    known = both.services.outreach_doors._senders
    theirs = {"owner_company_id": "ci-bbb-002"}
    known._table.update({"company_id": f"sender#{PLAIN}", "project_id": "owner"}, set_=theirs)
    mails(both, "STOP", sender=OTHER, to=reply_to(both), **FAILED)
    assert reasons(both) == []


@pytest.mark.parametrize("part", ["company_data", "conversations"])
def test_a_mark_that_cannot_be_written_is_raised_and_the_redelivery_loses_nothing(
    both, monkeypatch, part
):
    stop = both.services.outreach_doors._stop_by_mail
    away = TransientError("dynamodb", "away")
    with monkeypatch.context() as patch:
        if part == "conversations":
            patch.setattr(stop.register._table, "transact", _raises(away))
        else:
            patch.setattr(stop.senders._table, "get", _raises(away))
        event = both.ses.inbound(MAIL, reply_to(both), "STOP")
        with pytest.raises(UnavailableError) as failed:
            both.mail(event)
    assert failed.value.code == "consent_not_kept"
    assert drain(both.pump) == [], "not accepted without its mark"
    both.mail(event)
    both.mail(event)
    assert reasons(both) == ["stop"]
    both.run()
    stored = [message.content for message in both.record("email").messages]
    assert stored.count("STOP") == 1


def test_a_stop_that_the_queue_does_not_take_is_marked_and_raised(both, monkeypatch):
    refused = _raises(UnavailableError("enqueue_failed"))
    with monkeypatch.context() as patch:
        patch.setattr(both.services.outbox, "put", refused)
        with pytest.raises(UnavailableError):
            mails(both, "STOP", to=reply_to(both))
    assert reasons(both) == ["stop"]


def _raises(error):
    def refuses(*_, **__):
        raise error

    return refuses


def test_a_start_that_is_delivered_again_after_a_stop_lifts_nothing(both):
    start = both.ses.inbound(MAIL, PLAIN, "START")
    mails(both, "STOP")
    both.mail(start)
    both.run()
    assert reasons(both) == ["stop"]


@pytest.mark.parametrize("headers", [{"Precedence": "list"}, {"List_Id": "<news.example.com>"}])
def test_a_stop_in_a_mailing_is_a_doubt_for_a_person(both, headers):
    mails(both, "STOP", to=reply_to(both), **headers)
    assert (reasons(both), reasons(both, TEL)) == ([DOUBT], [DOUBT])
    both.run()
    record = both.record("email")
    assert (record.messages[-1].note, record.handoff["reason"]) == ("opt_out_in_doubt",) * 2


@ON_ENGINE
def test_a_doubt_suspends_before_the_handler_returns_and_the_worker_makes_it_no_later(
    both, neighbour
):
    """A start by SMS to the same person that was waiting does not leave either."""
    both.start("waiting", "sms", recipient_data={"recipient_tel": TEL, "recipient_email": MAIL})
    sent = len(both.twilio.sent_to(TEL))
    mails(both, "stop, what is this?", to=reply_to(both))
    assert (reasons(both), reasons(both, TEL)) == ([DOUBT], [DOUBT])
    assert reasons(both, company_id=other.COMPANY_ID) == []
    conversations = both.services.outreach.conversations
    asked = [entry.item for entry in conversations.marks_of(TEL, company.COMPANY_ID)]
    both.run()
    assert both.fate("waiting").json_body["reason"] == "do_not_contact"
    assert len(both.twilio.sent_to(TEL)) == sent
    assert [entry.item for entry in conversations.marks_of(TEL, company.COMPANY_ID)] == asked
    assert both.record("email").messages[-1].note == "opt_out_in_doubt"


def test_a_proven_mailbox_without_a_conversation_is_asked_about(outreach):
    mails(outreach, "wrong number", sender=OTHER)
    assert reasons(outreach, OTHER) == [DOUBT]


def test_the_token_casts_the_doubt_on_its_recipient_and_a_mailbox_that_is_proven(both):
    mails(both, "wrong number", sender=OTHER, to=reply_to(both))
    assert [reasons(both, address) for address in (MAIL, TEL, OTHER)] == [[DOUBT]] * 3


def test_the_token_from_a_mailbox_that_nothing_proves_casts_it_on_its_recipient_alone(both):
    mails(both, "wrong number", sender=OTHER, to=reply_to(both), **FAILED)
    both.run()
    assert [reasons(both, address) for address in (MAIL, TEL, OTHER)] == [[DOUBT], [DOUBT], []]


def test_a_doubt_at_an_address_that_is_no_companys_asks_nobody(outreach):
    unowned = "nobody@company.example"
    mails(outreach, "wrong number", sender=OTHER, to=unowned)
    nobodys = senders.key(unowned)["company_id"]
    assert reasons(outreach, OTHER) == reasons(outreach, OTHER, nobodys) == []


def test_a_doubt_that_cannot_be_kept_is_raised_and_the_redelivery_asks_once(both, monkeypatch):
    register = both.services.outreach_doors._stop_by_mail.register
    with monkeypatch.context() as patch:
        patch.setattr(register._table, "transact", _raises(TransientError("dynamodb", "away")))
        event = both.ses.inbound(MAIL, reply_to(both), "wrong number")
        with pytest.raises(UnavailableError):
            both.mail(event)
    assert drain(both.pump) == [], "not accepted without its question"
    both.mail(event)
    both.mail(event)
    both.run()
    assert reasons(both) == [DOUBT]


def test_the_mail_of_our_own_unsubscribe_header_stops_whatever_its_headers_say(both):
    mails(both, "", to=reply_to(both), subject="unsubscribe", Precedence="bulk")
    assert reasons(both) == ["stop"]


def test_a_mailing_that_says_nothing_of_the_kind_is_stored_and_not_answered(both):
    mails(both, "Our autumn offers", to=reply_to(both), List_Id="<news.example.com>")
    both.run()
    assert both.record("email").messages[-1].note == "auto_reply"
