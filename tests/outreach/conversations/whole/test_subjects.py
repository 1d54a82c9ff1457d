"""A subject: what one address says is in force for all, links lose nothing, and can be undone."""

import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chalicelib.outreach import numbers
from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.records import Record
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.conversations.statements import Statement
from chalicelib.outreach.conversations.subject import MOST_MEMBERS
from tests.outreach.conversations.whole.test_register import (
    COMPANY,
    JO,
    MAIL,
    NEIGHBOUR,
    TEL,
    person,
    rows,
)
from tests.rigs.conversation_samples import new

OTHER_MAIL = "jo@example.org"
BY_TEXT = Statement(door="twilio", said="stop, call me at +15550100009", channel="sms")


def start(conversations, name="first", **more):
    """A start that names a phone and an e-mail address."""
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    return conversations.open(new(name, channel="sms", **{**both, **more}))


def subject(conversations, address=TEL):
    return conversations.subject(conversations.place(address, COMPANY))


def only(channel, **addresses):
    """A conversation that names one address."""
    return person(channel, **addresses)


def test_a_start_links_its_addresses_and_says_so(conversations):
    record = start(conversations).record
    found = subject(conversations, MAIL)
    assert set(found.members.values()) == {TEL, MAIL}
    assert record.item["subjects"] == [found.root]
    (link,) = found.links
    assert (link["by"], link["of"]) == ("start", record.opaque_id)
    assert not [proof for member in found.members for proof in conversations.evidence_of(member)]


def test_a_link_that_is_undone_leaves_evidence_of_which_start_had_made_it(conversations):
    record = start(conversations).record
    conversations.part_address(conversations.place(MAIL, COMPANY), JO)
    for address in (TEL, MAIL):
        place = conversations.place(address, COMPANY)
        (proof,) = conversations.evidence_of(place.member)
        assert proof["about"] == "link"
        assert (proof["after"]["of"], proof["after"]["undone_by"]) == (record.opaque_id, JO.by)


def test_a_second_start_changes_no_subject(conversations, table):
    start(conversations)
    before = [row for row in rows(table) if row["primary_channel"].startswith("subject:")]
    start(conversations, "second")
    assert [row for row in rows(table) if row["primary_channel"].startswith("subject:")] == before


def test_a_start_of_one_address_leaves_no_row(conversations, table):
    conversations.open(new(channel="sms"))
    assert [row for row in rows(table) if row["primary_channel"].startswith("subject:")] == []


@pytest.mark.parametrize("marked", [TEL, MAIL])
def test_a_wish_that_was_said_before_or_after_a_link_is_in_force_for_each_address(
    conversations, marked
):
    conversations.forbid(marked, COMPANY, MarkReason.COMPLAINED)
    start(conversations)
    for record in (only("sms", recipient_tel=TEL), only("email", recipient_email=MAIL)):
        assert conversations.forbids(record) == MarkReason.COMPLAINED
    assert conversations.forbids(only("sms", company=NEIGHBOUR, recipient_tel=TEL)) is None


def test_what_a_recipient_writes_links_nothing(conversations):
    """A mark made in a conversation, whatever it names, is of the address alone."""
    conversations.forbid_person(only("sms", recipient_tel=TEL), MarkReason.STOP)
    assert conversations.forbids(only("email", recipient_email=MAIL)) is None


def test_a_technical_reason_stays_with_its_address(conversations):
    start(conversations)
    conversations.forbid(TEL, COMPANY, MarkReason.DEAD_NUMBER, channel=Channel.SMS)
    assert conversations.forbids(only("email", recipient_email=MAIL)) is None
    assert conversations.forbids(only("sms", recipient_tel=TEL)) == MarkReason.DEAD_NUMBER


def test_start_lifts_only_what_was_said_from_its_own_address(conversations):
    start(conversations)
    conversations.forbid(TEL, COMPANY, MarkReason.STOP)
    assert not conversations.allow(MAIL, COMPANY)
    assert conversations.forbids(only("email", recipient_email=MAIL)) == MarkReason.STOP
    assert conversations.allow(TEL, COMPANY)
    assert conversations.forbids(only("email", recipient_email=MAIL)) is None


def test_an_undone_link_gives_each_side_its_own_and_no_start_makes_it_again(conversations):
    start(conversations)
    conversations.forbid(TEL, COMPANY, MarkReason.OPERATOR)
    conversations.forbid(MAIL, COMPANY, MarkReason.BOUNCED, channel=Channel.EMAIL)
    assert conversations.part_address(conversations.place(TEL, COMPANY), JO)
    assert conversations.forbids(only("sms", recipient_tel=TEL)) == MarkReason.OPERATOR
    assert conversations.forbids(only("email", recipient_email=MAIL)) == MarkReason.BOUNCED
    start(conversations, "second")
    assert set(subject(conversations).members.values()) == {TEL}
    both = [conversations.place(address, COMPANY) for address in (TEL, MAIL)]
    conversations.link_addresses(both, "jo", JO)
    assert set(subject(conversations).members.values()) == {TEL, MAIL}
    assert conversations.link_addresses(both, "jo", JO) is None
    assert not conversations.part_address(conversations.place("+15550100077", COMPANY), JO)


@pytest.mark.parametrize("root_goes", [False, True])
def test_of_three_linked_addresses_two_stay_linked(conversations, root_goes):
    start(conversations)
    start(conversations, "second", recipient_email=OTHER_MAIL)
    assert len(subject(conversations, OTHER_MAIL).members) == 3
    goes = TEL if root_goes else MAIL
    assert (subject(conversations).root == conversations.place(TEL, COMPANY).member) is True
    conversations.part_address(conversations.place(goes, COMPANY), JO)
    stay = {TEL, MAIL, OTHER_MAIL} - {goes}
    for address in stay:
        assert set(subject(conversations, address).members.values()) == stay
    assert set(subject(conversations, goes).members.values()) == {goes}


def test_a_merge_of_two_subjects_keeps_the_marks_of_both_and_is_read_from_each_address(
    conversations,
):
    start(conversations)
    second = new("second", channel="sms", recipient_email=OTHER_MAIL)
    tel = {"primary_channel": "+15550100002", "recipient_tel": "+15550100002"}
    conversations.open({**second, **tel})
    conversations.forbid(MAIL, COMPANY, MarkReason.OPERATOR)
    conversations.forbid(OTHER_MAIL, COMPANY, MarkReason.UNSUBSCRIBED)
    conversations.link_addresses(
        [conversations.place(address, COMPANY) for address in (MAIL, OTHER_MAIL)], "jo", JO
    )
    for address in (TEL, MAIL, OTHER_MAIL, "+15550100002"):
        reasons = {entry.reason for entry in conversations.marks_of(address, COMPANY)}
        assert reasons == {MarkReason.OPERATOR, MarkReason.UNSUBSCRIBED}


def test_a_conversation_that_was_opened_before_a_merge_sees_the_newer_root(conversations):
    record = conversations.open(new(channel="sms")).record
    other = [conversations.place(address, COMPANY) for address in (MAIL, TEL)]
    conversations.link_addresses(other, "jo", JO)
    conversations.forbid(MAIL, COMPANY, MarkReason.UNSUBSCRIBED)
    assert conversations.forbids(record) == MarkReason.UNSUBSCRIBED
    assert conversations.look_before_send(record)[0] == MarkReason.UNSUBSCRIBED


def test_a_subject_has_twelve_addresses_at_most_and_a_start_beyond_looks_at_each(conversations):
    for n in range(MOST_MEMBERS + 3):
        opened = start(conversations, f"s{n}", recipient_email=f"jo{n}@example.com")
    assert len(subject(conversations).members) == MOST_MEMBERS
    last = opened.record
    assert len(last.item["subjects"]) == 2
    conversations.forbid(last.item["recipient_email"], COMPANY, MarkReason.UNSUBSCRIBED)
    assert conversations.forbids(last) == MarkReason.UNSUBSCRIBED
    beyond = [
        conversations.place(address, COMPANY) for address in (TEL, last.item["recipient_email"])
    ]
    with pytest.raises(ValueError, match="12"):
        conversations.link_addresses(beyond, "jo", JO)


def test_marks_that_come_in_while_addresses_are_linked_are_all_kept(conversations):
    """Whichever transaction is first, the other one reads again."""
    places = [conversations.place(address, COMPANY) for address in (TEL, MAIL, OTHER_MAIL)]
    work = [
        lambda: conversations.link_addresses(places[:2], "jo", JO),
        lambda: conversations.link_addresses(places[1:], "jo", JO),
        lambda: conversations.forbid(TEL, COMPANY, MarkReason.STOP),
        lambda: conversations.forbid(MAIL, COMPANY, MarkReason.UNSUBSCRIBED),
        lambda: conversations.forbid(OTHER_MAIL, COMPANY, MarkReason.OPERATOR),
    ]
    threads = [threading.Thread(target=task) for task in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    reasons = {entry.reason for entry in conversations.marks_of(TEL, COMPANY)}
    assert reasons == {MarkReason.STOP, MarkReason.UNSUBSCRIBED, MarkReason.OPERATOR}


def test_a_stop_that_comes_right_before_a_conversation_is_opened_keeps_it_closed(
    conversations, table, monkeypatch
):
    transact, said = table.transact, []

    def late(writes):
        if not said:
            said.append(True)
            conversations.forbid(MAIL, COMPANY, MarkReason.STOP)
        return transact(writes)

    monkeypatch.setattr(table, "transact", late)
    assert start(conversations).record is None


def test_a_refusal_of_marketing_blocks_marketing_alone_and_narrows_no_earlier_stop(conversations):
    marketing = ["marketing"]
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, purposes=marketing)
    transactional = Record({**only("sms", recipient_tel=TEL).item, "purpose": "transactional"})
    assert conversations.forbids(only("sms", recipient_tel=TEL)) == MarkReason.STOP
    assert conversations.forbids(transactional) is None
    conversations.forbid(TEL, COMPANY, MarkReason.STOP)
    assert conversations.forbids(transactional) == MarkReason.STOP
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, purposes=marketing)
    assert conversations.forbids(transactional) == MarkReason.STOP


def test_evidence_has_the_words_without_what_is_personal_and_stays_when_the_mark_is_lifted(
    conversations, table
):
    conversations.forbid(TEL, COMPANY, MarkReason.STOP, how=BY_TEXT)
    conversations.allow(TEL, COMPANY)
    member = conversations.place(TEL, COMPANY).member
    first, second = conversations.evidence_of(member)
    assert (first["door"], first["channel"]) == ("twilio", "sms")
    assert first["said"].startswith("stop, call me at")
    assert "5550100009" not in repr(rows(table))
    assert "lifted_at" in second["after"]


def test_the_rows_of_a_subject_end_together_and_not_before_its_newest_mark(
    conversations, table, clock
):
    start(conversations)
    clock.forward(400 * 86_400)
    conversations.forbid(TEL, COMPANY, MarkReason.STOP)
    ends = {row["ttl"] for row in rows(table) if row["conversation_id"].startswith("subject#")}
    assert len(ends) == 1
    assert ends.pop() > clock.now().timestamp() + 5 * 365 * 86_400


@given(st.from_regex(r"\+(52|521|55|54|549|1)[1-9][0-9]{9,10}", fullmatch=True))
def test_every_variant_of_a_number_has_the_same_canonical_form(number):
    assert {numbers.canonical_spelling(form) for form in numbers.spellings(number)} == {
        numbers.canonical_spelling(number)
    }


def test_an_address_is_canonical_in_lower_case():
    assert numbers.canonical_spelling(" Jo@Example.com") == MAIL
