"""Hand-offs of conversations and the list of waiting ones, on every engine."""

import pytest

from chalicelib.errors import TransientError
from chalicelib.outreach.conversations.desk_acts import ActChange, OutdatedError, RepeatedError
from chalicelib.outreach.conversations.handoff_list import Handoffs
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.conversations.store import TRIES
from tests.rigs.conversation_samples import new


def handed_off(conversations, record, handoff_id="h1", held=""):
    return conversations.hand_off(
        record, handoff_id=handoff_id, held=held, reason="asked", reason_text="asked for a person"
    )


def test_a_conversation_is_handed_off_once_and_an_act_on_it_done_once(conversations, table):
    """Two persons decide at once: the second gets a refusal."""
    listed = Handoffs(table)
    record = conversations.open(new()).record
    assert handed_off(conversations, record)
    assert not handed_off(conversations, record, "h2")
    record = conversations.reread(record)
    assert (record.status, record.handoff["was"]) == (Status.HANDED_OFF, "processing")
    (waiting,) = listed.waiting()
    assert (waiting["opaque_id"], waiting["reason"]) == (record.opaque_id, "asked")
    taken = ActChange({**record.handoff, "id": "taken-h1", "taken_by": "sam"})
    about = {"fingerprint": "f"}
    conversations.act(record, "a-1", taken, about=about)
    with pytest.raises(OutdatedError):
        conversations.act(record, "a-2", ActChange(record.handoff, "closed"), about=about)
    with pytest.raises(RepeatedError) as repeated:
        conversations.act(record, "a-1", taken, about=about)
    assert repeated.value.mark["fingerprint"] == "f"
    assert list(listed.waiting()) == []
    key = {name: waiting[name] for name in ("primary_channel", "conversation_id")}
    entry = table.get(key)
    assert (entry["handoff_state"], entry["taken_by"]) == ("taken", "sam")
    assert entry["ttl"] == record.item["ttl"], "it is listed for as long as a person has it"


def test_a_hand_off_repeated_after_its_release_changes_nothing(conversations, table):
    record = conversations.open(new()).record
    assert handed_off(conversations, record)
    given_back = {"conversation_status": "processing"}
    record = conversations.change_while(record, {Status.HANDED_OFF}, given_back, remove=["handoff"])
    assert not handed_off(conversations, record)
    assert conversations.reread(record).status == Status.PROCESSING
    assert handed_off(conversations, record, "h2")


def test_a_hand_off_does_not_replace_itself(conversations, table):
    """Hand-offs with different held messages have different keys: the same key is a mistake."""
    record = conversations.open(new()).record
    assert handed_off(conversations, record)
    assert not handed_off(conversations, record, held="start")
    assert conversations.reread(record).handoff["held"] == ""
    (waiting,) = Handoffs(table).waiting()
    assert waiting["held"] == ""


@pytest.mark.parametrize("is_known", [True, False])
def test_a_hand_off_with_a_held_message_replaces_one_without(conversations, table, is_known):
    """An opening held for approval in a conversation that is already handed off."""
    listed = Handoffs(table)
    record = conversations.open(new()).record
    assert handed_off(conversations, record)
    if is_known:
        record = conversations.reread(record)
    assert handed_off(conversations, record, "h2", held="start")
    record = conversations.reread(record)
    assert record.is_handed_off
    assert record.handoff == {
        "id": "h2",
        "held": "start",
        "reason": "asked",
        "since": record.handoff["since"],
        "was": "processing",
    }
    (waiting,) = listed.waiting()
    assert (waiting["conversation_id"], waiting["held"]) == (f"h2#{record.opaque_id}", "start")
    for again in ("h1", "h2"):
        assert not handed_off(conversations, record, again, held="start")
        assert not handed_off(conversations, record, again)
    assert not handed_off(conversations, record, "h3", held="reply")
    assert conversations.reread(record).handoff["id"] == "h2"
    given_back = {"conversation_status": "processing"}
    record = conversations.change_while(record, {Status.HANDED_OFF}, given_back, same_handoff=True)
    for again in ("h1", "h2"):
        assert not handed_off(conversations, record, again, held="start")
    assert conversations.reread(record).status == Status.PROCESSING


def test_a_held_message_is_not_listed_once_a_person_took_the_conversation(conversations, table):
    record = conversations.open(new()).record
    assert handed_off(conversations, record)
    record = conversations.reread(record)
    taken = {"handoff": {**record.handoff, "taken_by": "p1"}}
    conversations.change_while(record, {Status.HANDED_OFF}, taken, same_handoff=True)
    assert not handed_off(conversations, record, "h2", held="start")
    assert not handed_off(conversations, conversations.reread(record), "h2", held="start")
    assert [entry["held"] for entry in Handoffs(table).waiting()] == [""]


def test_a_held_message_is_handed_off_after_a_concurrent_release(conversations, table):
    record = conversations.open(new()).record
    handed_off(conversations, record)
    read = conversations.reread(record)
    given_back = {"conversation_status": "processing"}
    conversations.change_while(read, {Status.HANDED_OFF}, given_back, same_handoff=True)
    assert handed_off(conversations, read, "h2", held="start")
    assert conversations.reread(record).handoff["held"] == "start"
    states = {entry["conversation_id"].partition("#")[0] for entry in Handoffs(table).waiting()}
    assert states == {"h1", "h2"}, "the release closes its own hand-off"


def test_only_the_hand_off_that_was_read_is_released(conversations):
    record = conversations.open(new()).record
    handed_off(conversations, record)
    first = conversations.reread(record)
    given_back = {"conversation_status": "processing"}
    record = conversations.change_while(first, {Status.HANDED_OFF}, given_back, same_handoff=True)
    assert record.status == Status.PROCESSING
    assert handed_off(conversations, record, "h2")
    assert (
        conversations.change_while(first, {Status.HANDED_OFF}, given_back, same_handoff=True)
        is None
    )
    assert conversations.reread(record).handoff["id"] == "h2"
    assert conversations.reread(record).is_handed_off


def test_a_failed_conversation_is_handed_off_with_its_status(conversations, table):
    record = conversations.open(new()).record
    record = conversations.change_while(
        record, {Status.PROCESSING}, {"conversation_status": "failed"}
    )
    assert handed_off(conversations, record)
    assert len(list(Handoffs(table).waiting())) == 1
    assert conversations.reread(record).handoff["was"] == "failed"


def test_a_hand_off_that_keeps_losing_races_is_retried_later(
    conversations, raced_conversations, table
):
    """Others hand off and release before each try, so that every condition fails."""
    opened = conversations.open(new()).record
    offers = []

    def others():
        record = conversations.reread(opened)
        offers.append(record.status)
        if record.is_handed_off:
            given_back = {"conversation_status": "processing"}
            conversations.change_while(record, {Status.HANDED_OFF}, given_back, same_handoff=True)
        else:
            handed_off(conversations, record, f"other{len(offers)}")

    handed_off(conversations, opened, "other")
    late = raced_conversations(others)
    with pytest.raises(TransientError, match="contended"):
        handed_off(late, conversations.reread(opened), "h", held="start")
    assert len(offers) == TRIES
    listed = {entry["conversation_id"].partition("#")[0] for entry in Handoffs(table).waiting()}
    assert "h" not in listed
    assert handed_off(conversations, conversations.reread(opened), "h", held="start")
