"""The register of recipients that must not be contacted: reasons, channels, persons, order of words."""

import pytest

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import (
    NOT_LIFTED_BY_START,
    TECHNICAL_REASONS,
    MarkReason,
)
from chalicelib.outreach.conversations.statements import Statement

TEL, OTHER, MAIL = "+15550100001", "+15550100002", "jo@example.com"
COMPANY, NEIGHBOUR = "ci-aaa-001", "ci-bbb-002"
JO = Statement(door="ops", by="jo")
WISHES = sorted(set(MarkReason) - TECHNICAL_REASONS - {MarkReason.UNPROVEN, MarkReason.DOUBT})
BY_TEXT = sorted(set(WISHES) - NOT_LIFTED_BY_START)


def person(channel="sms", company=COMPANY, **addresses):
    addresses = addresses or {"recipient_tel": TEL}
    own = addresses.get("recipient_email" if channel == "email" else "recipient_tel")
    sender = {"sms": "company_sms_number", "whatsapp": "company_whatsapp_number"}
    config = {sender.get(channel, "company_email"): "+15550109002"}
    return Record(
        {"primary_channel": own, "company_id": company, "channel_method": channel, **addresses}
        | {"opaque_id": "0" * 32}
        | {"channel_config": config}
    )


def rows(table):
    return table.scan_page(limit=1000)[0]


def erase(conversations, address=MAIL):
    subject = conversations.subject(conversations.place(address, COMPANY))
    conversations.replace(subject.erased(conversations._clock.now()))


@pytest.mark.parametrize("reason", WISHES)
def test_a_wish_blocks_every_channel_and_address_of_a_person(conversations, reason):
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    conversations.forbid(TEL, COMPANY, reason)
    for channel in Channel:
        assert conversations.forbids(person(channel.value, **both)) == reason
    assert conversations.forbids(person(recipient_tel=OTHER)) is None
    assert conversations.forbids(person(company=NEIGHBOUR)) is None


def test_a_persons_wish_is_entered_under_each_of_their_addresses(conversations):
    conversations.forbid_person(
        person(recipient_tel=TEL, recipient_email=MAIL), MarkReason.COMPLAINED, how=JO
    )
    assert conversations.forbids(person("email", recipient_email=MAIL)) == MarkReason.COMPLAINED
    (entry,) = conversations.marks_of(MAIL, COMPANY)
    assert (entry.item["by"], entry.reason) == ("jo", "complained")


@pytest.mark.parametrize("reason", sorted(TECHNICAL_REASONS))
def test_a_technical_reason_blocks_its_own_channel_alone(conversations, reason):
    conversations.forbid(TEL, COMPANY, reason, channel=Channel.SMS)
    assert conversations.forbids(person("sms")) == reason
    assert conversations.forbids(person("whatsapp")) is None
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    assert conversations.forbids(person("email", **both)) is None
    conversations.allow(TEL, COMPANY)
    assert conversations.forbids(person("sms")) == reason, "a START does not repair a number"
    with pytest.raises(ValueError, match="channel"):
        conversations.forbid(TEL, COMPANY, reason)


@pytest.mark.parametrize("reason", WISHES)
def test_start_lifts_only_what_was_asked_for_by_text(conversations, reason):
    conversations.forbid(TEL, COMPANY, reason)
    assert conversations.allow(TEL, COMPANY) is (reason in BY_TEXT)
    assert (conversations.forbids(person()) is None) is (reason in BY_TEXT)
    assert not conversations.allow(TEL, COMPANY), "lifted once"


def test_a_stop_does_not_hide_what_start_cannot_lift(conversations):
    conversations.forbid(TEL, COMPANY, MarkReason.OPERATOR, how=JO)
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, said_at="2026-11-20T09:00:00.000Z")
    assert conversations.allow(TEL, COMPANY, said_at="2026-11-20T09:00:01.000Z")
    assert conversations.forbids(person()) == MarkReason.OPERATOR


@pytest.mark.parametrize("found_last", ["stop", "start"])
def test_the_newest_word_counts_in_whichever_order_they_are_found(conversations, found_last):
    """A text may be found late, after a newer one."""
    said = {"stop": "2026-11-20T09:00:00.000Z", "start": "2026-11-20T09:00:05.000Z"}
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, said_at="2026-11-20T08:00:00.000Z")
    for word in sorted(said, key=lambda name: name == found_last):
        if word == "stop":
            conversations.forbid(TEL, COMPANY, MarkReason.STOP, said_at=said[word])
        else:
            conversations.allow(TEL, COMPANY, said_at=said[word])
    assert conversations.forbids(person()) is None


def test_an_operator_lifts_everything_and_is_named(conversations):
    conversations.forbid(TEL, COMPANY, MarkReason.STOP)
    conversations.forbid(TEL, COMPANY, MarkReason.IMPORTED)
    conversations.forbid(TEL, COMPANY, MarkReason.LANDLINE, channel=Channel.SMS)
    assert sorted(conversations.lift(conversations.place(TEL, COMPANY), how=JO)) == [
        "imported",
        "landline",
        "stop",
    ]
    assert conversations.forbids(person()) is None
    assert {entry.item["lifted_by"] for entry in conversations.marks_of(TEL, COMPANY)} == {"jo"}
    assert conversations.lift(conversations.place(TEL, COMPANY), how=JO) == []
    conversations.forbid(TEL, COMPANY, MarkReason.STOP)
    assert conversations.forbids(person()) == MarkReason.STOP


@pytest.mark.parametrize(
    ("reason", "channel"), [("stop", None), ("operator", None), ("bounced", Channel.EMAIL)]
)
def test_what_an_erased_entry_leaves_blocks_and_holds_no_address(
    conversations, table, reason, channel
):
    conversations.forbid(MAIL, COMPANY, reason, channel=channel)
    assert MAIL in repr(rows(table))
    erase(conversations)
    assert MAIL not in repr(rows(table))
    assert conversations.forbids(person("email", recipient_email=MAIL)) == reason
    assert conversations.forbids(person("email", NEIGHBOUR, recipient_email=MAIL)) is None


def test_a_lifted_entry_leaves_nothing(conversations):
    conversations.forbid(MAIL, COMPANY, MarkReason.STOP)
    conversations.lift(conversations.place(MAIL, COMPANY), how=JO)
    erase(conversations)
    assert conversations.marks_of(MAIL, COMPANY) == []


def test_a_mark_of_a_sender_that_is_no_companys_blocks_that_sender(conversations):
    conversations.forbid(TEL, "sender#+15550109002", MarkReason.STOP)
    assert conversations.forbids(person()) == MarkReason.STOP
    assert conversations.forbids(person(recipient_tel=OTHER)) is None


@pytest.mark.parametrize("reason", sorted(TECHNICAL_REASONS))
def test_a_technical_reason_does_not_keep_us_from_answering_who_has_written(conversations, reason):
    conversations.forbid(TEL, COMPANY, reason, channel=Channel.SMS)
    conversations.forbid(TEL, NEIGHBOUR, reason, channel=Channel.SMS)
    wrote = Record({**person().item, "last_inbound_at": "2026-01-01T00:00:00.000Z"})
    assert conversations.forbids(wrote) is None
    assert conversations.forbids(person()) == reason
    conversations.lift_technical(wrote)
    conversations.lift_technical(wrote)
    assert conversations.forbids(person()) is None
    assert conversations.forbids(person(company=NEIGHBOUR)) == reason
    conversations.forbid(TEL, COMPANY, reason, channel=Channel.SMS)
    assert conversations.forbids(person()) == reason, "it may die again"


@pytest.mark.parametrize("reason", WISHES)
def test_a_wish_holds_whoever_writes_afterwards(conversations, reason):
    conversations.forbid(TEL, COMPANY, reason)
    wrote = Record({**person().item, "last_inbound_at": "2026-01-01T00:00:00.000Z"})
    conversations.lift_technical(wrote)
    assert conversations.forbids(wrote) == conversations.forbids(person()) == reason


def test_one_message_confirms_a_mark_in_whichever_form_a_carrier_shows_the_number(conversations):
    given, shown = "+525512345678", "+5215512345678"
    conversations.forbid(given, COMPANY, MarkReason.STOP)
    conversations.allow(given, COMPANY)
    conversations.forbid(shown, COMPANY, MarkReason.STOP)
    assert conversations.claim_confirmation(given, COMPANY, "m1")
    assert conversations.claim_confirmation(shown, COMPANY, "m1"), "a repetition asks again"
    assert not conversations.claim_confirmation(shown, COMPANY, "m2")
    conversations.forbid(given, COMPANY, MarkReason.STOP)
    assert not conversations.claim_confirmation(given, COMPANY, "m2")
    conversations.lift(conversations.place(shown, COMPANY), how=JO)
    conversations.forbid(shown, COMPANY, MarkReason.STOP)
    assert conversations.claim_confirmation(shown, COMPANY, "m3")
    assert not conversations.claim_confirmation(shown, NEIGHBOUR, "m3"), "no mark"


# --- a wish that nothing proves ---------------------------------------------------------------------


def mailed(**more):
    """A conversation by e-mail whose opening is not answered."""
    known = {"conversation_status": "initial_message_sent", **more}
    return Record({**person("email", recipient_email=MAIL).item, **known})


def suspend(conversations, address=MAIL):
    conversations.suspend(address, COMPANY, said_at="2026-11-20T09:00:00.000Z")


def test_an_unproven_wish_suspends_openings_and_reminders_by_mail_to_one_address(conversations):
    suspend(conversations)
    assert conversations.forbids(mailed()) == "unproven_refusal"
    assert conversations.forbids(mailed(conversation_status="processing")) == "unproven_refusal"
    assert conversations.forbids(mailed(company_id=NEIGHBOUR)) is None
    assert conversations.forbids(mailed(message_kind="transactional")) is None
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    assert conversations.forbids(person(**both)) is None, "by text it is not suspended"
    assert conversations.forbids(person("email", recipient_email="jo@example.org")) is None


@pytest.mark.parametrize(
    "wrote",
    [
        {"last_inbound_at": "2026-11-20T08:00:00.000Z"},
        {"person_act": "a1"},
        {"conversation_status": "handed_off", "handoff": {"was": "initial_message_sent"}},
    ],
)
def test_it_stops_neither_answers_nor_persons(conversations, wrote):
    suspend(conversations)
    assert conversations.forbids(mailed(**wrote)) is None


def test_it_stops_an_opening_that_was_not_sent_when_the_conversation_was_handed_off(conversations):
    suspend(conversations)
    waits = mailed(conversation_status="handed_off", handoff={"was": "processing"})
    assert conversations.forbids(waits) == "unproven_refusal"


def test_no_other_channel_takes_the_place_of_a_suspended_one(conversations):
    suspend(conversations)
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    known = {"conversation_status": "processing", "continues": {"tried": ["email"]}}
    assert conversations.forbids(Record(person(**both).item | known)) == "unproven_refusal"


def test_it_ends_by_itself_and_no_second_wish_makes_it_longer(conversations, clock):
    suspend(conversations)
    clock.forward(20 * 86_400)
    suspend(conversations)
    clock.forward(10 * 86_400 - 1)
    assert conversations.forbids(mailed()) == "unproven_refusal"
    clock.forward(1)
    assert conversations.forbids(mailed()) is None
    suspend(conversations)
    assert conversations.forbids(mailed()) is None, "it comes once"


def test_start_and_an_operator_lift_it_for_good(conversations):
    suspend(conversations)
    assert not conversations.allow(MAIL, COMPANY, said_at="2026-11-20T08:59:59.000Z"), "said before"
    assert conversations.allow(MAIL, COMPANY, said_at="2026-11-20T09:00:01.000Z")
    suspend(conversations)
    assert conversations.forbids(mailed()) is None
    suspend(conversations, "x@example.com")
    assert conversations.lift(conversations.place("x@example.com", COMPANY), how=JO) == [
        "unproven_refusal"
    ]
    assert conversations.lift(conversations.place("x@example.com", COMPANY), how=JO) == []


def test_it_neither_hides_a_stop_nor_is_hidden_by_a_bounce(conversations):
    suspend(conversations)
    conversations.forbid(MAIL, COMPANY, MarkReason.STOP)
    assert conversations.forbids(mailed(person_act="a1")) == MarkReason.STOP
    conversations.allow(MAIL, COMPANY)
    suspend(conversations, "x@example.com")
    conversations.forbid("x@example.com", COMPANY, MarkReason.BOUNCED, channel=Channel.EMAIL)
    reasons = [entry.reason for entry in conversations.marks_of("x@example.com", COMPANY)]
    assert sorted(reasons) == ["bounced", "unproven_refusal"]


def test_what_an_erased_suspension_leaves_ends_with_it(conversations, table, clock):
    suspend(conversations)
    erase(conversations)
    assert MAIL not in repr(rows(table))
    assert conversations.forbids(mailed()) == "unproven_refusal"
    clock.forward(30 * 86_400)
    assert conversations.forbids(mailed()) is None
