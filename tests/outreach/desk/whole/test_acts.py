"""What persons do with a hand-off: each act once, on what they saw, and never against another's."""

import threading
from dataclasses import replace

import pytest

from chalicelib.errors import ConflictError, PayloadError, TransientError, UnavailableError
from chalicelib.once.event import EventStatus
from chalicelib.once.journal import entry_time
from chalicelib.once.ports import Switches
from chalicelib.outreach.conversations import items
from chalicelib.outreach.conversations.records import Status
from chalicelib.outreach.conversations.register_entries import MarkReason
from chalicelib.outreach.desk.acts import ACTS
from chalicelib.outreach.desk.case import AskedAct
from chalicelib.outreach.desk.holding import LEADS
from chalicelib.outreach.desk.inbox import NoConversationError
from chalicelib.outreach.desk.operators import OperatorsDesk
from chalicelib.outreach.messages import reopening
from chalicelib.wiring.watching import report_handoffs
from ops.companies.erase import Subjects
from ops.journal import shown
from tests.rigs.desk import OTHERS, OURS, TEL

FIELDS = {
    "take": {},
    "reply": {"text": "It is me, Sam."},
    "approve": {},
    "decline": {"reason": "Wrong tone"},
    "note": {"text": "Called before"},
    "transfer": {"to": "kim"},
    "put_back": {},
    "snooze": {"until": "2026-12-01T09:00:00Z"},
    "give_back": {"hint": "The fee was refunded"},
    "close": {"reason": "Answered by phone"},
    "stop": {"reason": "They meant it"},
    "not_stop": {"reason": "They asked who we are"},
}
"""The fields that a person fills in, by act."""
THANKS = "Thank you for your message. ci-aaa-001 has noted it and will come back to you."


def held(desk, request_id="req1", **more):
    """A conversation in which a rule holds the machine's answer."""
    record = desk.begun(request_id, auto_queue_reply_message=True, **more)
    return desk.says(record, "Tell me more")


def held_for(desk, act):
    """A held answer; for the act that decides it, also the question whether they asked to stop."""
    record = held(desk)
    if act == "not_stop":
        desk.in_doubt(record)
    return record


def test_every_act_of_the_desk_is_tested():
    assert FIELDS.keys() == ACTS.keys()


def code_of(refused):
    return refused.value.code


def changes(desk, record):
    """From whom to whom the conversation went, by act, as the journal says."""
    entries = desk.journal.story(record.opaque_id)
    return {
        entry["action_type"].removeprefix("handoff "): shown(entry)["change"] for entry in entries
    }


def test_a_hand_off_is_taken_answered_by_the_person_given_back_and_answered_by_the_machine(desk):
    record = desk.handed_off()
    assert desk.state(record) == "waiting"
    for act in ("take", "reply", "give_back"):
        asked = desk.asks(act, record, **FIELDS[act])
        for _ in range(3):
            desk.inbox.act(asked)
            desk.work()
        if act == "reply":
            assert desk.state(record) == "answered"
            assert desk.sent() == ["It is me, Sam."]
            record = desk.says(record, "Thanks! And the fee?")
            assert desk.state(record) == "taken", "it waits for the person again"
    assert desk.sent() == ["It is me, Sam.", THANKS]
    record = desk.says(record, "Great")
    assert desk.sent() == ["It is me, Sam.", THANKS, THANKS]
    assert (record.status, desk.state(record)) == (Status.REPLY_SENT, "given_back")
    assert desk.entries(record)[1] == ("assistant", "person", "sam", "It is me, Sam.")
    assert record.item["hint"] == "The fee was refunded"


@pytest.mark.parametrize("act", FIELDS)
def test_a_repeated_act_is_done_once_and_entered_once(desk, act):
    record = held_for(desk, act)
    asked = desk.asks(act, record, **FIELDS[act])
    first, again = desk.inbox.act(asked), desk.inbox.act(asked)
    assert (first.is_repeated, again.is_repeated) == (False, True)
    desk.work()
    late = desk.inbox.act(asked)
    assert late.is_repeated
    desk.work()
    assert len(desk.sent()) == {"reply": 1, "approve": 1, "give_back": 1}.get(act, 0)
    (entry,) = desk.journal.story(record.opaque_id)
    assert (entry["action_type"], entry["actor"]) == (f"handoff {act}", f"{OURS}/sam")
    assert "It is me" not in str(entry)
    assert entry_time(entry)


@pytest.mark.parametrize("name", ["o'brien@example.com", "Zoë Müller", "李"])
def test_the_journal_says_who_had_a_conversation_and_who_has_it_now(desk, name):
    record = held(desk)
    desk.inbox.act(desk.asks("take", record, "sam"))
    record = desk.conversations.find(record.opaque_id)
    desk.inbox.act(desk.asks("transfer", record, "sam", to=name))
    taken, given = desk.journal.story(record.opaque_id)
    assert taken["people"] == {"to": "sam"}
    assert given["people"] == {"from": "sam", "to": name}
    assert [shown(entry)["change"] for entry in (taken, given)] == [
        "no person → sam",
        f"sam → {name}",
    ]


@pytest.mark.parametrize("act", FIELDS)
def test_the_journal_says_what_a_lead_takes_from_a_colleague(desk, act):
    record = held_for(desk, act)
    if act != "take":
        desk.inbox.act(desk.asks("take", record, "eve"))
        record = desk.conversations.find(record.opaque_id)
    desk.inbox.act(desk.asks(act, record, "lea", lead=True, **FIELDS[act]))

    now = desk.conversations.find(record.opaque_id)
    before = "no person" if act == "take" else "eve"
    after = now.handoff.get("taken_by", "no person")
    is_moved = now.is_handed_off and after != before
    assert changes(desk, record)[act] == (f"{before} → {after}" if is_moved else None)


def test_the_journal_names_no_change_where_a_person_answers_what_is_theirs(desk):
    record = held(desk)
    for act in ("reply", "snooze"):
        desk.inbox.act(desk.asks(act, record, "sam", **FIELDS[act]))
        record = desk.conversations.find(record.opaque_id)
    assert changes(desk, record) == {"reply": "no person → sam", "snooze": None}


@pytest.mark.parametrize("act", FIELDS)
def test_of_two_persons_who_act_at_once_one_does_and_the_other_reads_again(desk, act):
    """Both have seen the same version; the second writes between the first's read and write."""
    record = held_for(desk, act)
    mine = desk.asks(act, record, "sam", **FIELDS[act])
    theirs = desk.asks("close", record, "kim", lead=True, reason="Done")
    transact, raced = desk.conversations_table.transact, threading.Event()

    def transact_late(writes):
        if not raced.is_set():
            raced.set()
            desk.inbox.act(theirs)
        return transact(writes)

    desk.conversations_table.transact = transact_late
    with pytest.raises(ConflictError) as refused:
        desk.inbox.act(mine)
    assert code_of(refused) == "VERSION_CHANGED"
    desk.work()
    assert (desk.sent(), desk.state(record)) == ([], "closed")
    assert [entry["action_type"] for entry in desk.journal.story(record.opaque_id)] == [
        "handoff close"
    ]


@pytest.mark.parametrize("act", FIELDS)
def test_an_act_on_what_was_not_seen_is_refused(desk, act):
    record = held(desk)
    asked = desk.asks(act, record, **FIELDS[act])
    desk.says(record, "Or rather: do not")
    with pytest.raises(ConflictError) as refused:
        desk.inbox.act(asked)
    assert code_of(refused) == "VERSION_CHANGED"
    assert desk.state(record) == "waiting"
    desk.work()
    assert desk.sent() == []


@pytest.mark.parametrize("act", FIELDS)
def test_another_companys_conversation_is_as_one_that_does_not_exist(desk, act):
    record, other = held(desk), desk.handed_off("req2", company_id=OTHERS, tel="+15550100002")
    asked = desk.asks(act, record, **FIELDS[act])
    with pytest.raises(NoConversationError):
        desk.inbox.act(AskedAct(**{**_fields(asked), "company_id": OTHERS}))
    assert [entry["id"] for entry in desk.inbox.list(company_id=OTHERS).entries] == [
        other.opaque_id
    ]
    everyones = desk.inbox.list(company_id=None).entries
    assert {everyone["id"] for everyone in everyones} == {record.opaque_id, other.opaque_id}


def _fields(asked):
    return {name: getattr(asked, name) for name in asked.__slots__}


@pytest.mark.parametrize(
    ("act", "fields", "fingerprint"),
    [
        (
            "reply",
            {"text": "It is me.", "subject": "Hi"},
            "4b83461fbe9a74573b7150616730e619f977f0ddca58b0eb836eee94e7916774",
        ),
        (
            "snooze",
            {"until": "2026-12-01T09:00:00.000Z"},
            "b5edfcbf0d4776bbb46db75f7d47b9db6a93c6146c9d8e7f03a6af7951bdea4a",
        ),
    ],
)
def test_an_act_of_the_last_release_is_recognised_when_it_is_asked_for_again(
    act, fields, fingerprint
):
    """The fingerprints are stored; a field that comes later changes none of them."""
    asked = AskedAct(act, "0" * 32, "0" * 16, "k-1", by="sam", actor="ci", fields=fields)
    assert asked.fingerprint == fingerprint
    assert replace(asked, fields={**fields, "grade": "good"}).fingerprint != fingerprint


def test_one_key_for_two_acts_is_refused(desk):
    record = desk.handed_off()
    desk.act("take", record, key="k-1")
    for by, act in (("sam", "close"), ("kim", "take")):
        with pytest.raises(ConflictError) as refused:
            desk.act(act, record, by, key="k-1")
        assert code_of(refused) == "IDEMPOTENCY_KEY_REUSED"


@pytest.mark.parametrize("act", [act.name for act in ACTS.values() if act.roles == LEADS])
def test_what_another_person_has_only_a_lead_may_touch(desk, act):
    record = held_for(desk, act)
    desk.act("take", record, "kim")
    with pytest.raises(ConflictError) as refused:
        desk.act(act, record, **FIELDS[act])
    assert code_of(refused) == "HELD_BY_ANOTHER"
    assert desk.act(act, record, lead=True, **FIELDS[act]).act == act


def test_a_note_is_read_by_colleagues_and_never_by_the_recipient_or_the_writer(desk):
    record = desk.handed_off()
    desk.act("note", record, text="Has called twice")
    assert desk.entries(record)[-1] == ("note", "internal", "sam", "Has called twice")
    shown = desk.inbox.conversation(record.opaque_id)
    assert shown["messages"][-1]["text"] == "Has called twice"
    written = desk.composer._history(desk.conversations.reread(record))
    assert [message.content for message in written] == ["Can I talk to a human?"]
    assert desk.sent() == []


def test_a_held_reply_is_sent_as_a_person_edited_it(desk):
    record = held(desk)
    desk.act("approve", record, text="We pay monthly.")
    assert desk.state(record) == "approved"
    desk.work()
    assert desk.sent() == ["We pay monthly."]
    assert desk.entries(record)[-1] == ("assistant", "person", "sam", "We pay monthly.")
    assert desk.conversations.reread(record).status == Status.REPLY_SENT


def test_a_declined_reply_is_never_sent_and_the_person_answers(desk):
    record = held(desk)
    desk.act("decline", record, reason="Wrong tone")
    desk.work()
    assert (desk.sent(), desk.state(record)) == ([], "taken")
    desk.act("reply", record, text="We pay monthly.")
    desk.work()
    assert desk.sent() == ["We pay monthly."]
    for more in ({"text": "Again"}, {}):
        with pytest.raises(ConflictError) as refused:
            desk.act("approve", record, **more)
        assert code_of(refused) == "NOTHING_HELD"


def test_where_nothing_is_held_there_is_nothing_to_approve(desk):
    record = desk.handed_off()
    with pytest.raises(ConflictError) as refused:
        desk.act("approve", record)
    assert code_of(refused) == "NOTHING_HELD"
    desk.work()
    assert (desk.sent(), desk.state(record)) == ([], "waiting")


def test_what_one_person_has_approved_another_may_approve_too_and_it_is_sent_once(desk):
    record = held(desk)
    desk.act("approve", record, by="sam")
    again = desk.act("approve", record, by="kim")
    assert (again.is_repeated, again.is_again) == (False, False)
    desk.work()
    assert desk.sent() == [THANKS]


def test_a_snoozed_hand_off_comes_back_with_the_recipients_word(desk):
    record = desk.handed_off()
    desk.act("snooze", record, until="2026-12-01T09:00:00Z")
    assert desk.state(record) == "snoozed"
    assert desk.inbox.list(company_id=OURS).entries == []
    desk.says(record, "Hello?")
    assert desk.state(record) == "taken"
    for hidden_until in ("2020-01-01", "9999-12-31T23:59:59Z"):
        with pytest.raises(PayloadError, match="until"):
            desk.act("snooze", record, until=hidden_until)


def test_a_closed_hand_off_is_the_machines_again_with_the_next_message(desk):
    record = desk.handed_off()
    desk.act("close", record, reason="Answered by phone")
    desk.work()
    assert (desk.sent(), desk.conversations.reread(record).status) == (
        [],
        Status.INITIAL_MESSAGE_SENT,
    )
    desk.says(record, "Thanks")
    assert desk.sent() == [THANKS]


def test_new_messages_join_a_hand_off_and_the_longest_waiting_comes_first(desk):
    first = desk.handed_off("req1")
    second = desk.handed_off("req2", tel="+15550100002")
    for record in (first, second):
        desk.act("reply", record, text="One moment")
        desk.work()
    assert {entry["waiting_since"] for entry in desk.inbox.list(company_id=OURS).entries} == {None}
    desk.says(second, "And?")
    desk.says(first, "And?")
    desk.says(second, "Hello?")
    entries = desk.inbox.list(company_id=OURS).entries
    assert [entry["id"] for entry in entries] == [second.opaque_id, first.opaque_id]
    assert entries[0]["newest_at"] > entries[1]["newest_at"] > entries[0]["waiting_since"]


def test_the_list_is_paged_without_gaps_or_repetitions(desk):
    records = [desk.handed_off(f"req{n}", tel=f"+1555010000{n}") for n in range(1, 8)]
    desk.act("reply", records[0], text="One moment")
    found, after = [], ""
    while True:
        page = desk.inbox.list(company_id=OURS, limit=3, after=after)
        found += [entry["id"] for entry in page.entries]
        after = page.after
        if not after:
            break
    assert found == [record.opaque_id for record in (*records[1:], records[0])]


def test_the_machine_yields_to_a_person_who_steps_in_while_its_message_is_on_the_way(desk):
    """Its send was planned and its row opened; the person's take comes before the request leaves."""
    record, look = desk.begun(), desk.texts.last_look
    effects, executors = desk.worker.plans.effects, desk.worker.plans.effects._executors

    def late(actions):
        effects._executors = executors
        desk.act("take", record, "sam")
        return look(actions)

    effects._executors = {"send_text": replace(executors["send_text"], last_look=late)}
    record = desk.says(record, "Tell me more")
    assert (desk.sent(), record.status) == ([], Status.HANDED_OFF)
    assert desk.state(record) == "taken"
    (row,) = [row for row in desk.table.rows.values() if row["event_id"].startswith("act:send:")]
    assert (row["status"], row["reason"]) == ("skipped", "person_answers")
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    assert desk.sent() == ["It is me, Sam."]


def test_a_persons_reply_is_under_the_same_switches_and_says_why_it_was_not_sent(desk):
    record = desk.handed_off()
    desk.switches.switches = Switches(kill_switch=True)
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    assert desk.sent() == []
    shown = desk.inbox.conversation(record.opaque_id)
    assert shown["reply_failure"]["reason"] == "kill_switch"
    assert desk.state(record) == "taken", "it waits for an answer again"
    desk.switches.switches = Switches()
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    assert desk.sent() == ["It is me, Sam."]
    assert desk.inbox.conversation(record.opaque_id)["reply_failure"] is None


def test_what_was_sent_as_edited_leaves_no_word_of_a_reply_that_was_not(desk):
    record = held(desk)
    desk.conversations.note_reply_failed(record, "kill_switch")
    desk.act("approve", record, text="We pay monthly.")
    desk.work()
    assert desk.sent() == ["We pay monthly."]
    assert desk.inbox.conversation(record.opaque_id)["reply_failure"] is None


@pytest.mark.parametrize(
    ("switches", "sent"),
    [
        (Switches(automation_enabled=False), ["It is me, Sam."]),
        (Switches(safe_mode=True), []),
        (Switches(shadow_mode=True), []),
    ],
)
def test_what_a_person_writes_is_no_automation(desk, switches, sent):
    record = desk.handed_off()
    desk.switches.switches = switches
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    assert desk.sent() == sent


@pytest.mark.parametrize(("text", "sent"), [("We pay monthly.", ["We pay monthly."]), ("", [])])
def test_with_automation_off_an_approved_answer_leaves_only_in_a_persons_words(desk, text, sent):
    record = held(desk)
    desk.switches.switches = Switches(automation_enabled=False)
    desk.act("approve", record, **({"text": text} if text else {}))
    desk.work()
    assert desk.sent() == sent
    withheld = desk.conversations.reread(record).item.get("withheld_reason")
    assert withheld == (None if sent else "automation_disabled")


@pytest.mark.parametrize("is_late", [False, True])
def test_no_person_writes_to_a_recipient_who_said_stop(desk, is_late):
    record = desk.handed_off()
    asked = desk.asks("reply", record, text="It is me, Sam.")
    if is_late:
        desk.inbox.act(asked)
    desk.conversations.forbid(TEL, OURS, MarkReason.STOP)
    if not is_late:
        with pytest.raises(ConflictError) as refused:
            desk.inbox.act(asked)
        assert code_of(refused) == "DO_NOT_CONTACT"
    desk.work()
    assert desk.sent() == []
    failure = desk.inbox.conversation(record.opaque_id)["reply_failure"]
    assert (failure or {}).get("reason") == ("do_not_contact" if is_late else None)


def test_whatsapp_after_its_window_takes_a_reply_by_the_template_alone(desk, monkeypatch):
    template = "HX" + "9" * 32
    monkeypatch.setitem(desk.twilio.templates, template, "Hello {{1}}, you asked us: {{2}}")
    record = desk.handed_off(channel="whatsapp")
    desk.clock.forward(25 * 3600)
    with pytest.raises(ConflictError) as refused:
        desk.act("reply", record, text="It is me, Sam.")
    assert code_of(refused) == "WINDOW_CLOSED"
    config = {"whatsapp": {**record.channel_config, reopening.SETTING: template}}
    desk.companies_table.put(
        {"company_id": OURS, "project_id": record.project_id, "channel_config": config}
    )
    desk.act("reply", record, text="It is me, Sam.")
    desk.work()
    assert desk.sent() == ["Hello Jo, you asked us: It is me, Sam."]
    assert desk.state(record) == "answered"


def test_approving_late_on_whatsapp_goes_back_to_a_person_with_the_reason(desk):
    """The window closes between the approval and the send."""
    record = held(desk, channel="whatsapp")
    desk.act("approve", record)
    desk.clock.forward(25 * 3600)
    desk.work()
    assert desk.sent() == []
    record = desk.conversations.reread(record)
    assert (record.status, record.handoff["reason"]) == (
        Status.HANDED_OFF,
        f"twilio_{reopening.WINDOW_CLOSED}",
    )
    assert desk.state(record) == "waiting"


def test_a_reply_whose_message_was_lost_is_sent_by_the_sweep_once(desk):
    record = desk.handed_off()
    desk.outbox.fails.append(UnavailableError("enqueue_failed"))
    with pytest.raises(UnavailableError):
        desk.act("reply", record, text="It is me, Sam.")
    for _ in range(2):
        desk.sweep()
        desk.work()
    assert desk.sent() == ["It is me, Sam."]


@pytest.mark.parametrize("failing", [1, 2])
@pytest.mark.parametrize("act", ["take", "reply", "give_back"])
def test_an_act_that_fails_at_a_write_is_done_whole_or_not_at_all(desk, act, failing):
    record = held(desk)
    asked = desk.asks(act, record, **FIELDS[act])
    before = desk.inbox.conversation(record.opaque_id)
    transact, calls = desk.conversations_table.transact, []

    def failing_transact(writes):
        calls.append(writes)
        if failing == 2:
            transact(writes)  # it was written, and the answer was lost
        raise TransientError("dynamodb", "transact_write_items", reason="outage")

    desk.conversations_table.transact = failing_transact
    with pytest.raises(TransientError):
        desk.inbox.act(asked)
    desk.conversations_table.transact = transact
    assert (desk.inbox.conversation(record.opaque_id) == before) == (failing == 1)
    assert desk.inbox.act(asked).is_repeated == (failing == 2)
    desk.work()
    assert len(desk.sent()) == (act != "take")
    assert len(desk.journal.story(record.opaque_id)) == 1


def test_a_release_that_had_failed_runs_again_when_it_is_approved_again(desk):
    record = held(desk)
    event = desk.act("approve", record).event
    desk.outbox.messages.clear()
    desk.table.update({"event_id": event}, set_={"status": EventStatus.FAILED.value})
    assert desk.act("approve", record).is_again
    desk.work()
    assert desk.sent() == [THANKS]


def test_erasing_a_person_finds_everything_that_acts_have_stored(desk):
    record = held(desk)
    for act in ("note", "take", "reply"):
        desk.act(act, record, **FIELDS[act])
    desk.work()
    person = Subjects(addresses=(TEL, TEL.lstrip("+")))
    ids = (record.opaque_id, items.digest_of(record.conversation_id))
    found = replace(person, ids=ids)
    rows = [row for key, row in desk.conversations_table.rows.items() if "days:" not in key[0]]
    assert len([row for row in rows if row["conversation_id"].startswith("act#")]) == 3
    left = [row for row in rows if not found.holds(row)]
    assert {row["conversation_id"] for row in left} == {OURS}, "the company's own row"
    other = desk.handed_off("req2", tel="+15550100002")
    desk.act("take", other)
    kept = [row for row in desk.conversations_table.rows.values() if not found.holds(row)]
    assert {"act", "draft"} <= {row["conversation_id"].partition("#")[0] for row in kept}
    assert "It is me" not in str(list(desk.audit_table.rows.values()))
    assert all(row.get("ttl") for row in desk.conversations_table.rows.values())


def test_who_waits_for_longer_than_the_projects_target_is_late_until_a_person_answers(desk):
    record = desk.handed_off(handoff_target={"minutes": 30})
    desk.handed_off("req2", tel="+15550100002")
    (first, second) = desk.inbox.list(company_id=OURS).entries
    assert (first["due_at"], first["is_late"], second["due_at"]) == (
        "2026-11-20T12:31:00.000Z",
        False,
        None,
    )
    desk.clock.forward(31 * 60)
    operators = OperatorsDesk(inbox=desk.inbox, handoffs=desk.handoffs)

    def late():
        return operators.figures(desk.clock.now()).late

    assert late() == 1
    desk.act("take", record)
    assert late() == 1, "a person has it, and has not answered"
    desk.act("reply", record, text="It is me, Sam.")
    assert late() == 0
    report_handoffs(operators, desk.clock, desk.log)
    assert ("mw.handoffs.late", 0, {}) in desk.log.metrics


def test_a_company_with_an_endpoint_hears_of_takes_answers_and_closes_once(desk):
    record = desk.handed_off(tells_company=True)
    for act in ("take", "reply", "close"):
        asked = desk.asks(act, record, **FIELDS[act])
        for _ in range(2):
            desk.inbox.act(asked)
            desk.work()
    rows = desk.events.rows
    count = rows.head(record.opaque_id).count
    heard = [rows.event(record.opaque_id, n + 1) for n in range(count)]
    acts = [event for event in heard if event.name in ("taken", "answered", "closed")]
    assert [event.name for event in acts] == ["taken", "answered", "closed"]
    assert acts[1].facts["by"] == "person"
    assert [event.facts["person_name"] for event in acts] == ["sam"] * 3
    assert "It is me" not in str(acts)
    silent = desk.handed_off("req2", tel="+15550100002")
    assert desk.act("take", silent).event == "", "no endpoint, no event"
