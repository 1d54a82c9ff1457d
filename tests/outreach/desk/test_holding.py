"""Who holds a conversation and who may act on it: one table for the API, the commands and the console."""

import pytest

from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.desk import acts
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.case import ActRefusedError, Case
from chalicelib.outreach.door.access import DeskRole

RULES = {"NOT_HANDED_OFF", "HELD_BY_ANOTHER", "BEING_RELEASED"}
EVERY, NOTE = set(ACTS), {"note"}
LEAVING = {"approve", "give_back", "note"}
"""Acts that may be asked for again while a conversation is on its way back to automation."""


def held(desk):
    record = desk.begun(auto_queue_reply_message=True)
    return desk.says(record, "Tell me more")


def after(*done):
    """Makes a conversation with a held message, on which sam has then done these acts."""

    def made(desk):
        record = held(desk)
        for act in done:
            desk.act(act, record)
        return desk.conversations.reread(record)

    return made


def failed(desk):
    record = desk.begun()
    return desk.conversations.change_while(
        record, {record.status}, {"conversation_status": Status.FAILED.value}
    )


SITUATIONS = [
    ("automation has it", lambda desk: desk.begun(), {"take", "note"}, {"take", "note"}),
    ("it has failed", failed, NOTE, NOTE),
    ("it waits for a person", held, EVERY, EVERY),
    ("sam has it", after("take"), EVERY, NOTE),
    ("approved before a person had it", after("approve"), {*LEAVING, "take"}, {*LEAVING, "take"}),
    ("given back by sam", after("take", "give_back"), LEAVING, NOTE),
]
"""By situation, the acts of sam and those of another agent; a lead may do what sam may."""
PEOPLE = [("sam", DeskRole.AGENT), ("kim", DeskRole.AGENT), ("lea", DeskRole.LEAD)]


def may(desk, record, act, by, role):
    """Whether the rule lets a person do an act; what the act itself asks for is another matter."""
    needed = [field.name for field in ACTS[act].fields if field.is_needed]
    fields = dict.fromkeys(needed, "2026-12-01T09:00:00Z")
    asked = desk.asks(act, record, by, lead=role is DeskRole.LEAD, **fields)
    now = desk.clock.now()
    case = Case(
        record,
        asked,
        now,
        recent_entries=list,
        previous_status=lambda: Status.REPLY_SENT,
        held_draft=lambda: None,
        done_act=lambda _act_id: None,
        subjects=list,
        forbidding_reason=lambda: None,
    )
    try:
        acts.plan_act(case)
    except ActRefusedError as refused:
        return refused.code not in RULES
    return True


@pytest.mark.parametrize(("by", "role"), PEOPLE)
@pytest.mark.parametrize(
    ("make", "own", "others"),
    [situation[1:] for situation in SITUATIONS],
    ids=[situation[0] for situation in SITUATIONS],
)
def test_what_a_person_may_do(desk, make, own, others, by, role):
    record = make(desk)
    allowed = {act for act in ACTS if may(desk, record, act, by, role)}
    assert allowed == (others if by == "kim" else own)
    offered = {act.name for act in desk.inbox.offered_acts(record.opaque_id, by, role)}
    assert NOTE <= offered <= allowed


@pytest.mark.parametrize(
    ("by", "role", "offered"),
    [
        ("sam", DeskRole.AGENT, EVERY - {"take"}),
        ("kim", DeskRole.AGENT, NOTE),
        ("lea", DeskRole.LEAD, {"take", "approve", "decline", "note"}),
    ],
)
def test_the_console_offers_a_reply_to_who_has_the_conversation(desk, by, role, offered):
    record = after("take")(desk)
    found = {act.name for act in desk.inbox.offered_acts(record.opaque_id, by, role)}
    assert found == offered


def test_a_conversation_is_handed_to_anybody_with_a_name_and_is_theirs_then(desk):
    record = after("take")(desk)
    desk.act("transfer", record, to="somebody new")
    with pytest.raises(ActRefusedError, match="another person"):
        desk.act("transfer", record, to="sam")
    desk.act("transfer", record, "somebody new", to="sam")
    desk.act("transfer", record, to="sam")
    assert desk.conversations.reread(record).handoff["taken_by"] == "sam"
