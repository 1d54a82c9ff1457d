"""Waits are rows with a due date: nothing is blocked behind them, and a conversation keeps its order."""

from datetime import UTC, datetime, timedelta

import pytest

from chalicelib.errors import PayloadError, UnavailableError
from chalicelib.once import later
from chalicelib.outreach import keys
from chalicelib.outreach.conversations.records import Status
from local import company
from tests.rigs.crash_injection import boundaries, kill_at
from tests.rigs.memory_stage import ON_ENGINE
from tests.rigs.outreach import TEL, replay

OTHER_TEL = "+15550100002"


class Night:
    """Quiet hours that a test begins, ends, and waits for."""

    def __init__(self, outreach):
        self._outreach = outreach

    def begins(self, *, minutes_left=300):
        """Begin quiet hours that end in so many minutes, or in one less."""
        now = datetime.now(UTC)
        begun, over = (f"{now + timedelta(minutes=by):%H:%M}" for by in (-60, minutes_left))
        self._set({"from": begun, "until": over, "zone": "UTC"})

    def is_over(self):
        """End the quiet hours: what waits becomes due, in the order of its dates."""
        now = datetime.now(UTC)
        begun, over = (f"{now + timedelta(minutes=by):%H:%M}" for by in (-120, -60))
        self._set({"from": begun, "until": over, "zone": "UTC"})
        waiting = sorted(self.waiting(), key=lambda row: int(row["due_at"]["N"]))
        first = int(now.timestamp()) - 1_000
        due = {row["event_id"]["S"]: first + number for number, row in enumerate(waiting)}
        table = self._outreach.services.ledger._table
        for key, at in due.items():
            table.update({"event_id": key}, set_={"due_at": at, "until": at})

    def waiting(self):
        return [row for row in self._outreach.rows() if row.get("last_reason") and "due_at" in row]

    def _set(self, hours):
        outreach = self._outreach
        outreach.set_project(quiet_hours=hours)
        for recipient in (TEL, OTHER_TEL):
            record = outreach.record("sms", recipient)
            if record is not None:
                changes = {"quiet_hours": hours}
                outreach.services.outreach.conversations.change_while(
                    record, [record.status], changes
                )


@pytest.fixture
def night(outreach):
    return Night(outreach)


@pytest.fixture
def conversation(outreach):
    open_one(outreach)
    return outreach


def open_one(outreach, request_id="req123", recipient=TEL):
    outreach.start(request_id, "sms", recipient)
    outreach.run()


def says(outreach, text, from_=TEL):
    outreach.deliver(outreach.says(text, whatsapp=False, from_=from_))
    outreach.run()


def sweep(outreach):
    found = outreach.sweep()
    outreach.run()
    return found


def depth(outreach):
    return outreach.pump.depth() + outreach.later.depth()


def replies(outreach):
    """Status and reason of each reply, in the order in which they came."""
    found = [row for row in outreach.rows() if row["event_id"]["S"].startswith("evt:reply:")]
    found.sort(key=lambda row: row["created_at"]["S"])
    return [(row["status"]["S"], row.get("reason", {}).get("S")) for row in found]


def test_a_start_in_quiet_hours_leaves_the_queue_empty_and_is_sent_when_they_end(outreach, night):
    night.begins()
    open_one(outreach)
    assert depth(outreach) == 0
    assert outreach.twilio.sent_to(TEL) == []
    (row,) = night.waiting()
    due = datetime.fromtimestamp(int(row["due_at"]["N"]), UTC)
    until = datetime.now(UTC) + timedelta(minutes=300)
    assert until - timedelta(minutes=2) < due <= until
    sweep(outreach)
    assert outreach.twilio.sent_to(TEL) == [], "it is not due"
    night.is_over()
    sweep(outreach)
    assert outreach.fate().json_body["state"] == "sent"
    sweep(outreach)
    assert len(outreach.twilio.sent_to(TEL)) == 1


def test_a_stop_is_heard_while_an_earlier_message_waits(conversation, night):
    """Nothing is ever sent for the messages before it."""
    night.begins()
    says(conversation, "Hi")
    says(conversation, "Are you there?")
    says(conversation, "STOP")
    assert conversation.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)
    night.is_over()
    sweep(conversation)
    assert replies(conversation) == [
        ("processed", "do_not_contact"),
        ("processed", "do_not_contact"),
        ("processed", "opted_out"),
    ]
    assert len(conversation.twilio.sent_to(TEL)) == 1


def test_a_start_word_is_heard_while_an_earlier_message_waits(conversation, night):
    says(conversation, "STOP")
    night.begins()
    conversation.services.outreach.conversations.allow(TEL, company.COMPANY_ID)
    says(conversation, "Hi")
    conversation.services.outreach.conversations.forbid(TEL, company.COMPANY_ID, "stop")
    says(conversation, "START")
    assert not conversation.services.outreach.conversations.is_forbidden(TEL, company.COMPANY_ID)


def test_messages_of_one_night_are_answered_in_their_order(conversation, night):
    night.begins()
    texts = [f"message {n}" for n in range(4)]
    for text in texts:
        says(conversation, text)
    assert depth(conversation) == 0
    night.is_over()
    sweep(conversation)
    assert [status for status, _ in replies(conversation)] == ["processed"] * 4
    assert_order(conversation, texts)


def assert_order(outreach, texts):
    """Every message was answered once, and the answers came in the messages' order."""
    record = outreach.record("sms")
    entries = list(outreach.services.outreach.conversations.history(record))[2:]
    said = [entry for entry in entries if entry.role == "user"]
    assert [entry.content for entry in said] == texts
    wanted = [keys.entry_id(keys.reply("sms", entry.entry_id)) for entry in said]
    assert [entry.entry_id for entry in entries if entry.role == "assistant"] == wanted


def test_a_message_after_quiet_hours_joins_behind_one_that_still_waits(conversation, night):
    """The quiet hours are over, and the sweep has not run yet."""
    night.begins()
    says(conversation, "first")
    night.is_over()
    says(conversation, "second")
    assert len(conversation.twilio.sent_to(TEL)) == 1, "neither is answered yet"
    assert depth(conversation) == 0
    sweep(conversation)
    assert_order(conversation, ["first", "second"])
    assert "waiting" not in conversation.record("sms").item


def test_another_conversation_does_not_wait(conversation, night):
    open_one(conversation, "req124", OTHER_TEL)
    night.begins()
    says(conversation, "first")
    night.is_over()
    says(conversation, "Hello", from_=OTHER_TEL)
    assert len(conversation.twilio.sent_to(OTHER_TEL)) == 2
    assert len(conversation.twilio.sent_to(TEL)) == 1


def test_what_an_operator_replays_does_not_wait_behind_others(conversation, night):
    night.begins()
    says(conversation, "first")
    says(conversation, "second")
    night.is_over()
    before = len(conversation.twilio.sent_to(TEL))
    replay(conversation, f"evt:reply:sms:{conversation.twilio_sid}")
    conversation.run()
    assert len(conversation.twilio.sent_to(TEL)) == before + 1
    assert [status for status, _ in replies(conversation)] == ["processing", "processed"]


def test_a_conversation_that_a_person_takes_is_not_answered_when_the_wait_ends(conversation, night):
    night.begins()
    says(conversation, "first")
    record = conversation.record("sms")
    conversation.services.outreach.conversations.hand_off(
        record, handoff_id="h1", held="", reason="asked", reason_text="asked"
    )
    assert conversation.services.outreach.desk.take(record.opaque_id, "agent-7")
    night.is_over()
    sweep(conversation)
    assert replies(conversation) == [("processed", "with_a_person")]
    assert conversation.record("sms").status == Status.HANDED_OFF


def test_an_event_before_it_that_has_ended_holds_nothing_back(conversation, night):
    """Whatever has ended it: the conversation's list is only a hint, and its row decides."""
    night.begins()
    says(conversation, "first")
    (row,) = night.waiting()
    night.is_over()
    table = conversation.services.ledger._table
    table.update({"event_id": row["event_id"]["S"]}, set_={"status": "failed"})
    says(conversation, "second")
    assert [status for status, _ in replies(conversation)] == ["failed", "processed"]


@ON_ENGINE
def test_a_short_wait_goes_through_the_other_queue_and_back_into_its_group(conversation, night):
    night.begins(minutes_left=5)
    says(conversation, "first")
    assert conversation.pump.depth() == 0
    found = conversation.stage.aws.client("sqs").get_queue_attributes(
        QueueUrl=conversation.later.queue_url, AttributeNames=["All"]
    )
    assert found["Attributes"]["ApproximateNumberOfMessagesDelayed"] == "1"
    (row,) = night.waiting()
    late = int(row["due_at"]["N"]) - datetime.now(UTC).timestamp()
    assert late > 300, "the sweep steps in only if the copy is lost"


@pytest.fixture
def aside(outreach, monkeypatch):
    """Keeps the bodies that go to the queue for later, which so brings none back by its own clock."""
    put = []

    def keep(_queue, body, *, delay_seconds):
        assert 0 < delay_seconds <= later.MAX_DELAY_SECONDS
        put.append(body)

    monkeypatch.setattr("chalicelib.aws.queue.SqsDelayQueue.put", keep)
    return put


def bring_back(outreach, body, message_id):
    sealed = outreach.stage.sealed_to_wait(body)
    outreach.services.put_back({"body": sealed, "messageId": message_id})


@pytest.mark.parametrize("times", [1, 2])
def test_what_comes_back_is_done_once_in_its_own_group(conversation, night, aside, times):
    night.begins(minutes_left=5)
    says(conversation, "first")
    (body,) = aside
    night.is_over()
    for _ in range(times):
        bring_back(conversation, body, "m1")
    done = conversation.run()
    assert len(done) == 1, "a repeated delivery is the same message"
    assert done[0].group_id == conversation.pump.history[0].group_id
    assert len(conversation.twilio.sent_to(TEL)) == 2
    assert replies(conversation) == [("processed", None)]


def test_it_comes_back_within_the_five_minutes_of_the_queues_deduplication(
    conversation, night, aside
):
    """The job's first message was sent a moment ago."""
    night.begins(minutes_left=2)
    says(conversation, "first")
    for number in range(3):
        bring_back(conversation, aside[number], f"m{number}")
        conversation.run()
    assert len(aside) == 4, "each came back, found that it is still night, and waits again"


def test_a_copy_that_overtakes_an_earlier_one_waits_for_it(conversation, night, aside):
    night.begins(minutes_left=5)
    says(conversation, "first")
    says(conversation, "second")
    first, second = aside
    night.is_over()
    bring_back(conversation, second, "m2")
    conversation.run()
    assert len(conversation.twilio.sent_to(TEL)) == 1
    bring_back(conversation, first, "m1")
    conversation.run()
    sweep(conversation)
    assert_order(conversation, ["first", "second"])


def test_a_short_wait_whose_copy_was_lost_is_ended_by_the_sweep(conversation, night, aside):
    night.begins(minutes_left=5)
    says(conversation, "first")
    aside.clear()
    night.is_over()
    sweep(conversation)
    assert replies(conversation) == [("processed", None)]


def test_a_short_wait_that_cannot_be_queued_is_a_row_that_is_due_then(
    conversation, night, monkeypatch
):
    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    monkeypatch.setattr("chalicelib.aws.queue.SqsDelayQueue.put", refuses)
    night.begins(minutes_left=5)
    says(conversation, "first")
    assert depth(conversation) == 0
    (row,) = night.waiting()
    assert int(row["until"]["N"]) - datetime.now(UTC).timestamp() <= 300


def test_a_worker_that_dies_anywhere_on_the_way_to_a_wait_loses_nothing(
    outreach, night, crash_injector
):
    for number, moment in boundaries():
        recipient = f"+1555010{number:03d}{len(moment)}"
        open_one(outreach, f"{number}-{moment}", recipient)
        record = outreach.record("sms", recipient)
        now = datetime.now(UTC)
        hours = {
            "from": f"{now - timedelta(hours=1):%H:%M}",
            "until": f"{now + timedelta(hours=5):%H:%M}",
            "zone": "UTC",
        }
        outreach.services.outreach.conversations.change_while(
            record, [record.status], {"quiet_hours": hours}
        )
        outreach.deliver(outreach.says("Hi", whatsapp=False, from_=recipient))
        if not kill_at(outreach, crash_injector, number, moment):
            break
        outreach.new_container()
        outreach.let_leases_end()
        outreach.again()
        over = {**hours, "until": f"{now - timedelta(minutes=30):%H:%M}"}
        record = outreach.record("sms", recipient)
        outreach.services.outreach.conversations.change_while(
            record, [record.status], {"quiet_hours": over}
        )
        for row in night.waiting():
            outreach.services.ledger._table.update(
                {"event_id": row["event_id"]["S"]}, set_={"due_at": 1}
            )
        sweep(outreach)
        assert len(outreach.twilio.sent_to(recipient)) == 2, (number, moment)
    assert number > 5


def test_a_body_that_is_no_put_back_is_refused(outreach):
    for body in ('{"group"}', "{}", '{"group": "g"}'):
        with pytest.raises(Exception, match="put-back"):
            bring_back(outreach, body, "m1")


def test_what_this_stage_did_not_put_aside_goes_into_no_lane(conversation, night, aside):
    night.begins(minutes_left=5)
    says(conversation, "first")
    (body,) = aside
    for injected in (body, conversation.stage.sealed(body, group_id="")):
        with pytest.raises(PayloadError) as refused:
            conversation.services.put_back({"body": injected, "messageId": "m1"})
        assert refused.value.code == "unsealed"
    night.is_over()
    assert conversation.run() == []
