"""E-mails that nothing proves: stored, shown to a person, and heeded no further than for a month."""

import pytest

from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.trust import Trust, trust_of
from tests.outreach.whole.test_foreign_groups import texts
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.one_case import one_case
from tests.rigs.outreach import MAIL

FAILED = {"spf": "FAIL", "dkim": "FAIL", "dmarc": "GRAY"}
PLAIN, OTHER = "replies@company.example", "j.private@example.com"


@pytest.fixture
def opened(outreach):
    """A conversation by e-mail whose opening was sent."""
    outreach.start(channel="email")
    outreach.run()
    return outreach


def mails(outreach, text, *, sender=MAIL, to=PLAIN, **checks):
    outreach.mail(outreach.ses.inbound(sender, to, text, **checks))
    outreach.run()


def reply_to(outreach):
    return outreach.ses.sent_to(MAIL)[0]["reply_to"]


def started(outreach, request_id, **more):
    """What becomes of another start to them by e-mail."""
    outreach.start(request_id, "email", **more)
    outreach.run()
    return outreach.fate(request_id).json_body


def reasons(outreach, address=MAIL):
    known = outreach.services.outreach.conversations.marks_of(address, "ci-aaa-001")
    return sorted(entry.reason for entry in known if entry.is_in_force)


@ON_ENGINE
@one_case("text", ["Tell me more", "START", "STOP", "yes", "unsubscribe me"])
def test_an_unproven_mail_is_stored_for_a_person_and_not_answered(opened, text):
    mails(opened, text, **FAILED)
    record = opened.record("email")
    assert (record.status, record.handoff["reason"]) == (Status.HANDED_OFF, "unproven_sender")
    assert (record.messages[-1].content, record.messages[-1].note) == (text, "unproven_sender")
    assert trust_of(record.messages[-1]) == Trust.UNPROVEN
    assert "last_inbound_at" not in record.item, "the recipient has not written"
    assert len(opened.ses.sent_to(MAIL)) == 1
    assert len(list(opened.services.outreach.desk.waiting())) == 1


@pytest.mark.parametrize(
    "checks",
    [
        {"dmarc": "PASS", "spf": "FAIL", "dkim": "FAIL"},
        {"dmarc": "GRAY", "spf": "FAIL"},
        {"dmarc": "GRAY", "dkim": "GRAY"},
        {"dmarc": "GRAY", "dkim": "GRAY", "by": "bounces.example.com"},
    ],
    ids=["dmarc", "dkim", "spf", "subdomain"],
)
def test_a_proven_mail_is_answered(opened, checks):
    mails(opened, "Tell me more", **checks)
    assert len(opened.ses.sent_to(MAIL)) == 2
    assert trust_of(opened.record("email").messages[-2]) == Trust.RECIPIENT


@pytest.mark.parametrize("by", ["evil-example.com", "example.org"])
def test_another_domains_checks_prove_nothing(opened, by):
    mails(opened, "Tell me more", dmarc="GRAY", by=by)
    assert opened.record("email").handoff["reason"] == "unproven_sender"


def test_the_threads_token_proves_its_recipient_in_the_group_of_the_conversation(opened):
    mails(opened, "Tell me more", to=reply_to(opened), **FAILED)
    assert len(opened.ses.sent_to(MAIL)) == 2
    start, aside, worked = (job.group_id for job in opened.pump.history)
    assert aside != start
    assert worked == start


def test_a_token_of_a_conversation_that_does_not_exist_proves_nothing(opened):
    mails(opened, "Tell me more", to=PLAIN.replace("@", f"+{'0' * 32}@"), **FAILED)
    assert opened.record("email").handoff["reason"] == "unproven_sender"


def test_a_token_proves_nobody_but_its_recipient(opened):
    mails(opened, "It is me", sender=OTHER, to=reply_to(opened), **FAILED)
    assert opened.record("email").handoff["reason"] == "unproven_sender"


@pytest.mark.parametrize("conversations", [1, 2])
def test_a_token_stops_its_own_conversation_and_no_other(opened, conversations):
    """The forger has been written to, too, and claims to be somebody else in another thread."""
    for number in range(1, conversations):
        opened.start(f"more-{number}", "email")
    opened.start("other", "email", OTHER)
    opened.run()
    token = opened.ses.sent_to(OTHER)[0]["reply_to"]
    theirs = f"<{opened.ses.sent_to(MAIL)[0]['message_id']}@email.amazonses.com>"
    mails(opened, "STOP", to=token, In_Reply_To=theirs, **FAILED)
    assert reasons(opened) == ["unproven_refusal"]
    assert reasons(opened, OTHER) == ["stop"]


def test_a_token_alone_stops_and_suspends_the_mailbox_that_nothing_proves(opened):
    mails(opened, "STOP", sender=OTHER, to=reply_to(opened), **FAILED)
    assert reasons(opened) == ["stop"]
    assert reasons(opened, OTHER) == ["unproven_refusal"]
    assert list(opened.services.outreach.desk.waiting()) == []
    assert started(opened, "again")["reason"] == "do_not_contact"


def test_an_unproven_stop_suspends_starts_until_the_recipient_is_proven(opened):
    mails(opened, "STOP", **FAILED)
    assert reasons(opened) == ["unproven_refusal"]
    assert started(opened, "second")["reason"] == "do_not_contact"
    mails(opened, "START", **FAILED)
    assert started(opened, "third")["reason"] == "do_not_contact"
    mails(opened, "START")
    assert reasons(opened) == []
    assert started(opened, "fourth")["state"] == "sent"
    mails(opened, "STOP", **FAILED)
    assert started(opened, "fifth")["state"] == "sent", "it suspends once"


def test_a_suspension_leaves_transactional_mail_alone(opened):
    mails(opened, "STOP", **FAILED)
    opened.set_project(message_kind="transactional")
    assert started(opened, "second")["state"] == "sent"


def test_an_unproven_start_lifts_no_stop_and_still_reaches_a_person(opened):
    mails(opened, "STOP")
    assert reasons(opened) == ["stop"]
    mails(opened, "START", **FAILED)
    assert reasons(opened) == ["stop"]
    assert opened.record("email").handoff["reason"] == "unproven_sender"


def test_a_person_answers_an_address_that_is_suspended(opened):
    mails(opened, "STOP", **FAILED)
    record = opened.record("email")
    assert opened.services.outreach.conversations.forbids(record) is None


def test_a_forged_flood_waits_in_a_group_of_its_own(opened):
    for number in range(3):
        opened.mail(opened.ses.inbound(MAIL, PLAIN, f"forged {number}", **FAILED))
    opened.run()
    start, *forged = (job.group_id for job in opened.pump.history)
    assert len(set(forged)) == 1
    assert start not in forged
    assert len(texts(opened, "email")) == 3
    assert len(list(opened.services.outreach.desk.waiting())) == 1
