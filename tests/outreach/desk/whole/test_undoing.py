"""An act is taken back by who did it, within minutes, and only while nothing has happened since."""

from datetime import timedelta

import pytest

from chalicelib.errors import ConflictError
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.desk import shown
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.undoing import UNDO_FOR, UNDOABLE
from chalicelib.outreach.door.access import DeskRole
from chalicelib.outreach.people import persons
from tests.rigs.desk import OURS

THANKS = "Thank you for your message. ci-aaa-001 has noted it and will come back to you."
FIELDS = {"transfer": {"to": "kim"}, "give_back": {"hint": "It was refunded"}}


def waiting(desk):
    return desk.handed_off()


def held_by_a_rule(desk):
    return desk.says(desk.begun(auto_queue_reply_message=True), "Tell me more")


def with_sam(desk):
    record = waiting(desk)
    desk.act("take", record)
    return record


def answered_by_sam(desk):
    record = with_sam(desk)
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    return record


def state(desk, record):
    """What the conversation and the list show of it, without the times of storing."""
    now = desk.conversations.reread(record)
    found = desk.inbox.conversation(record.opaque_id)
    entry = {name: value for name, value in (found["handoff"] or {}).items() if name != "id"}
    listed = [row for row in desk.inbox.list(company_id=OURS).entries if row["id"] == found["id"]]
    held = found["held_message"]
    return (now.status, now.item.get("hint"), entry, listed, held, len(found["messages"]))


def act_id_of(desk, record):
    """The id of the newest act on it."""
    return max(desk.conversations.acts_of(record), key=lambda act: act["done_at"])[
        "conversation_id"
    ].rpartition("#")[2]


def undo(desk, record, of, *, by="sam", key="undo-1"):
    return desk.inbox.act(
        AskedAct(
            "undo",
            record.opaque_id,
            shown.version_of(desk.conversations.reread(record)),
            key,
            by=by,
            actor=OURS,
            company_id=OURS,
            role=DeskRole.AGENT,
            fields={"of": of},
        )
    )


def refused(desk, record, of, **more):
    with pytest.raises(ConflictError) as found:
        undo(desk, record, of, **more)
    return found.value.code


@pytest.mark.parametrize(
    ("begin", "act"),
    [
        (waiting, "take"),
        (held_by_a_rule, "take"),
        (held_by_a_rule, "close"),
        (waiting, "close"),
        (waiting, "give_back"),
        *((with_sam, act) for act in ("transfer", "put_back", "close", "give_back")),
        *((answered_by_sam, act) for act in ("transfer", "put_back", "close", "give_back")),
    ],
)
def test_what_is_taken_back_is_as_it_was(desk, begin, act):
    record = begin(desk)
    before = state(desk, record)
    desk.clock.forward(1)
    desk.act(act, record, **FIELDS.get(act, {}))
    of = act_id_of(desk, record)
    assert state(desk, record) != before
    assert desk.inbox.undoable(record.opaque_id, of, persons.parsed_person("sam")) == act
    undo(desk, record, of)
    assert desk.inbox.undoable(record.opaque_id, of, persons.parsed_person("sam")) == ""
    sent = desk.sent()
    desk.work()  # also the release of what was given back
    after = state(desk, record)
    assert _untimed(after) == _untimed(before)
    assert desk.sent() == sent
    entries = desk.journal.story(record.opaque_id)
    assert [(entry["action_type"], entry["result"]) for entry in entries][-1] == (
        f"handoff undo {act}",
        "undo",
    )


def _untimed(found):
    """The state without what the clock alone changes."""
    status, hint, entry, listed, *rest = found
    times = ("waiting_seconds",)
    kept = [{name: x for name, x in part.items() if name not in times} for part in (entry, *listed)]
    return (status, hint, kept, *rest)


def test_every_act_that_can_be_taken_back_is_tested():
    assert {"take", "put_back", "transfer", "give_back", "close"} == UNDOABLE


def test_what_was_given_back_and_released_is_the_persons_again_where_nothing_was_sent(desk):
    record = answered_by_sam(desk)
    before = state(desk, record)
    desk.act("give_back", record)
    of = act_id_of(desk, record)
    desk.work()
    assert desk.conversations.reread(record).status != Status.HANDED_OFF
    undo(desk, record, of)
    assert _untimed(state(desk, record)) == _untimed(before)
    desk.clock.forward(1)
    desk.act("give_back", record)  # and it can be given back once more
    desk.work()
    assert desk.conversations.reread(record).status != Status.HANDED_OFF
    desk.says(record, "Great")
    assert desk.sent() == ["It is me, Sam.", THANKS]


def test_what_was_given_back_and_answered_is_not_taken_back(desk):
    record = desk.says(with_sam(desk), "And the fee?")
    desk.clock.forward(1)
    desk.act("give_back", record)
    of = act_id_of(desk, record)
    desk.work()
    assert desk.sent() == [THANKS]
    assert refused(desk, record, of) == "CHANGED_SINCE"


def test_a_step_into_what_the_machine_has_is_taken_back_by_giving_it_back(desk):
    record = desk.begun()
    desk.act("take", record)
    of = act_id_of(desk, record)
    undo(desk, record, of)
    desk.work()
    assert desk.conversations.reread(record).status == Status.INITIAL_MESSAGE_SENT
    desk.says(record, "Tell me more")
    assert desk.sent() == [THANKS]


SINCE = {
    "the recipient wrote": lambda desk, record: desk.says(record, "Hello?"),
    "a note": lambda desk, record: desk.act("note", record, by="kim", text="Called"),
    "a colleague acted": lambda desk, record: desk.act(
        "transfer", record, by="lea", lead=True, to="eve"
    ),
    "it went away and came back": lambda desk, record: [
        desk.act("transfer", record, by="lea", lead=True, to=colleague)
        for colleague in ("eve", "kim")
    ],
    "it is late": lambda desk, _: desk.clock.forward(UNDO_FOR.total_seconds()),
    "it is taken back already": lambda desk, record: undo(
        desk, record, act_id_of(desk, record), key="undo-0"
    ),
}


@pytest.mark.parametrize("since", SINCE)
def test_nothing_is_taken_back_once_something_has_happened(desk, since):
    record = with_sam(desk)
    desk.clock.forward(1)
    desk.act("transfer", record, to="kim")
    of = act_id_of(desk, record)
    desk.clock.forward(1)
    SINCE[since](desk, record)
    before = state(desk, record)
    wanted = "TOO_LATE" if since == "it is late" else "CHANGED_SINCE"
    assert refused(desk, record, of) == wanted
    assert state(desk, record) == before


def test_another_persons_act_is_not_taken_back(desk):
    record = with_sam(desk)
    assert refused(desk, record, act_id_of(desk, record), by="kim") == "NOT_UNDOABLE"
    assert refused(desk, record, "0" * 32) == "NOT_UNDOABLE"


@pytest.mark.parametrize("act", ["reply", "note", "snooze", "stop"])
def test_other_acts_are_not_taken_back(desk, act):
    fields = {
        "reply": {"text": "It is me."},
        "note": {"text": "Called"},
        "snooze": {"until": (desk.clock.now() + timedelta(days=1)).isoformat()},
    }
    record = with_sam(desk)
    desk.clock.forward(1)
    desk.act(act, record, **fields.get(act, {}))
    assert refused(desk, record, act_id_of(desk, record)) == "NOT_UNDOABLE"


def test_of_a_closed_opening_nothing_is_taken_back(desk):
    """Its sender has heard that it was declined."""
    record = held_by_a_rule(desk)
    handoff = {**record.handoff, "held": "start"}
    desk.conversations.change_while(record, {record.status}, {"handoff": handoff})
    desk.clock.forward(1)
    desk.act("close", record)
    assert refused(desk, record, act_id_of(desk, record)) == "NOT_UNDOABLE"


@pytest.mark.parametrize(
    ("begin", "act", "heard", "person"),
    [
        (waiting, "take", ["taken", "handed_off"], None),
        (with_sam, "close", ["closed", "taken"], "sam"),
    ],
)
def test_a_company_with_an_endpoint_hears_what_is_true_again(desk, begin, act, heard, person):
    record = desk.says(desk.begun(tells_company=True), "Can I talk to a human?")
    if begin is with_sam:
        desk.act("take", record)
    desk.clock.forward(1)
    desk.act(act, record)
    desk.work()
    undo(desk, record, act_id_of(desk, record))
    desk.work()
    rows = desk.events.rows
    count = rows.head(record.opaque_id).count
    events = [rows.event(record.opaque_id, n + 1) for n in range(count)][-2:]
    assert [event.name for event in events] == heard
    assert events[1].facts.get("person_name") == person
    assert ("reason" in events[1].facts) == (person is None)
