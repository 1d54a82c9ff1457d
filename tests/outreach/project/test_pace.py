"""Quick messages are answered together; machines are not answered; a recipient gets so many answers."""

import pytest

from chalicelib.outreach import keys
from chalicelib.outreach.conversations.records import Entry, Status
from chalicelib.outreach.hearing import loops
from chalicelib.outreach.project.check import faults
from chalicelib.outreach.project.fields import AnsweringSetting
from chalicelib.outreach.project.project import Project
from chalicelib.outreach.spending.budget_limits import Budget
from local import company
from tests.rigs.crash_injection import kill_at
from tests.rigs.outreach import TEL, replay

OTHER_TEL = "+15550100002"


@pytest.fixture
def quick(outreach):
    """A company with a quiet period, two conversations, and a clock for what waits."""
    return Quick(outreach)


class Quick:
    """Messages that are received, wait, and are due when the test says so."""

    def __init__(self, outreach):
        self.outreach = outreach
        self.settings(quiet_period_seconds=50)
        for request_id, recipient in (("req123", TEL), ("req124", OTHER_TEL)):
            outreach.start(request_id, "sms", recipient)
        outreach.run()

    def settings(self, **answering):
        self.outreach.set_project(answering=answering)
        self.outreach.new_container()

    def says(self, text, from_=TEL, **more):
        self.outreach.deliver(self.outreach.says(text, whatsapp=False, from_=from_, **more))
        self.outreach.run()
        return keys.reply("sms", self.outreach.twilio_sid)

    def time_passes(self):
        self.is_due()
        self.outreach.run()

    def is_due(self):
        """End the quiet period of every message; the sweep sends those that wait."""
        self.settings(quiet_period_seconds=1)
        table = self.outreach.services.ledger._table
        for row in self.outreach.rows():
            if row["event_id"]["S"].startswith("evt:reply:") and "due_at" in row:
                old = "2026-01-01T00:00:00.000Z"
                table.update(
                    {"event_id": row["event_id"]["S"]}, set_={"due_at": 1, "received_at": old}
                )
        self.outreach.sweep()

    def ends(self, *events):
        rows = {row["event_id"]["S"]: row for row in self.outreach.rows()}
        return [
            (rows[event]["status"]["S"], rows[event].get("reason", {}).get("S")) for event in events
        ]

    def answers(self, to=TEL):
        """What was sent after the opening."""
        return [message["body"] for message in self.outreach.twilio.sent_to(to)][1:]

    def queued(self):
        return self.outreach.pump.depth()


ANSWERED, TOGETHER = ("processed", None), ("processed", "answered_together")


def test_quick_messages_of_one_person_are_answered_once_by_the_newest(quick):
    events = [quick.says(text) for text in ("Hello", "I have a question", "about the job")]
    other = quick.says("Me too", from_=OTHER_TEL)
    assert quick.answers() == quick.answers(OTHER_TEL) == []
    assert quick.queued() == 0, "nothing waits at the head of a group"
    quick.time_passes()
    assert quick.ends(*events, other) == [TOGETHER, TOGETHER, ANSWERED, ANSWERED]
    assert len(quick.answers()) == len(quick.answers(OTHER_TEL)) == 1
    said = [text for role, text in quick.outreach.history(quick.outreach.record("sms"))]
    assert said[1:4] == ["Hello", "I have a question", "about the job"]
    quick.time_passes()
    assert len(quick.answers()) == 1


def test_a_message_alone_is_answered_when_its_period_ends(quick):
    event = quick.says("Hello")
    assert quick.ends(event) == [("processing", None)]
    quick.time_passes()
    assert quick.ends(event) == [ANSWERED]
    assert len(quick.answers()) == 1


def test_a_quiet_period_of_none_answers_each_message_on_its_own(quick):
    quick.settings(quiet_period_seconds=0)
    events = [quick.says("Hello"), quick.says("And another thing")]
    assert quick.ends(*events) == [ANSWERED, ANSWERED]
    assert len(quick.answers()) == 2


def test_a_stop_does_not_wait_and_ends_what_does(quick):
    first, stop = quick.says("Hello"), quick.says("STOP")
    assert quick.ends(stop) == [("processed", "opted_out")]
    quick.time_passes()
    assert quick.ends(first) == [("processed", "do_not_contact")]
    assert quick.answers() == []


def test_help_answers_nothing_but_itself(quick):
    """The message before it is still answered."""
    first = quick.says("Hello")
    quick.says("HELP")
    quick.time_passes()
    assert quick.ends(first) == [ANSWERED]


def test_a_message_for_a_person_takes_those_before_it_along(quick):
    first = quick.says("Hello")
    quick.says("", media=1)
    quick.time_passes()
    assert quick.ends(first) == [("processed", "with_a_person")]
    assert quick.outreach.record("sms").status == Status.HANDED_OFF


def test_what_an_operator_replays_does_not_wait(quick):
    event = quick.says("Hello")
    replay(quick.outreach, event)
    quick.outreach.run()
    assert quick.ends(event) == [ANSWERED]


def test_more_messages_than_the_record_holds_are_one_batch(quick):
    events = [quick.says(f"word {number}") for number in range(12)]
    quick.time_passes()
    assert quick.ends(*events) == [TOGETHER] * 11 + [ANSWERED]
    assert len(quick.answers()) == 1


@pytest.mark.parametrize("is_due", [False, True], ids=["as it arrives", "as it is answered"])
def test_a_worker_that_dies_anywhere_answers_a_batch_once(quick, crash_injector, is_due):
    """After every few calls, while the second message is stored, or while both are due."""
    outreach, killed = quick.outreach, 0
    for number in range(1, 40, 5 if is_due else 3):
        recipient = f"+15550110{number:03d}"
        outreach.start(f"r{number}", "sms", recipient)
        outreach.run()
        quick.settings(quiet_period_seconds=50)
        events = [quick.says("Hello", from_=recipient)]
        if is_due:
            events.append(quick.says("Anyone?", from_=recipient))
            quick.is_due()
        else:
            outreach.deliver(outreach.says("Anyone?", whatsapp=False, from_=recipient))
            events.append(keys.reply("sms", outreach.twilio_sid))
        was_killed = kill_at(outreach, crash_injector, number, "after")
        if was_killed:
            outreach.let_leases_end()
            outreach.again()
        quick.time_passes()
        assert quick.ends(*events) == [TOGETHER, ANSWERED], number
        assert len(quick.answers(recipient)) == 1, number
        if not was_killed:
            break
        killed += 1
    assert killed > 2


# --- machines ---------------------------------------------------------------------------------


def test_forty_auto_replies_cost_no_model_call_and_no_text(quick):
    quick.settings(quiet_period_seconds=0)
    events = [quick.says("I am driving and will see your message later") for _ in range(40)]
    assert quick.ends(*events) == [ANSWERED] + [("processed", "with_a_person")] * 39
    assert quick.answers() == []
    record = quick.outreach.record("sms")
    assert record.handoff["reason"] == "machine_reply"
    assert len(list(quick.outreach.services.outreach.desk.waiting())) == 1


def test_a_text_that_comes_again_after_its_answer_goes_to_a_person(quick):
    """A machine with words that we do not know."""
    quick.settings(quiet_period_seconds=0)
    text = "Sono impegnato in una riunione di lavoro"
    other = quick.says(text, from_=OTHER_TEL)
    events = [quick.says(text) for _ in range(5)]
    assert quick.ends(*events) == [ANSWERED] * 2 + [("processed", "with_a_person")] * 3
    assert len(quick.answers()) == len(quick.answers(OTHER_TEL)) == 1
    assert quick.outreach.record("sms").handoff["reason"] == "loop"
    assert quick.ends(other) == [ANSWERED]


def test_a_text_that_comes_again_after_others_goes_to_a_person(quick):
    """The item holds the newest messages alone; what a machine repeats may be on a page already."""
    quick.settings(quiet_period_seconds=0)
    texts = [f"{word} is what I would like to hear more about. " * 8 for word in ("Pay", "Time")]
    events = [quick.says(text) for text in (*texts, texts[0])]
    record = quick.outreach.record("sms")
    assert texts[0] not in [message.content for message in record.messages[:-1]]
    assert (record.handoff["reason"], record.messages[-1].note) == ("loop", "loop")
    assert quick.ends(*events) == [ANSWERED] * 3


def test_a_text_that_is_sent_twice_at_once_is_no_loop(quick):
    events = [quick.says("Can you tell me about the salary?") for _ in range(2)]
    quick.time_passes()
    assert quick.ends(*events) == [TOGETHER, ANSWERED]
    assert len(quick.answers()) == 1


def said(*turns):
    """A conversation of so many seconds and texts; texts of ours begin with a dash."""
    return [
        Entry(
            entry_id=f"e{number}",
            message_timestamp=f"2026-11-20T12:{at // 60:02d}:{at % 60:02d}.000Z",
            role="assistant" if text.startswith("-") else "user",
            content=text,
            number=number,
        )
        for number, (at, text) in enumerate(turns)
    ]


@pytest.mark.parametrize(
    ("before", "at", "text", "note"),
    [
        ([(0, "-Hi"), (60, "yes"), (70, "-So?")], 130, "yes", None),
        ([(0, "-Hi"), (60, "yes"), (70, "-So?"), (130, "yes"), (140, "-So?")], 200, "YES", "loop"),
        ([(0, "-Hi"), (60, "yes"), (61, "yes"), (70, "-So?")], 130, "yes", None),
        ([(0, "-Hi"), (1, "a"), (10, "-b"), (12, "c"), (20, "-d")], 21, "e", "loop"),
        ([(0, "-Hi"), (1, "a"), (10, "-b"), (12, "c"), (20, "-d")], 29, "e", None),
        ([(0, "-Hi"), (30, "a"), (40, "-b"), (42, "c"), (50, "-d")], 51, "e", None),
        ([(0, "-Hi"), (1, "a"), (10, "-b"), (12, "c"), (20, "-d"), (21, "x")], 22, "e", None),
        ([(0, "-Hi"), (9, "a"), (9, "-b"), (9, "c"), (9, "-d")], 5, "e", None),
    ],
)
def test_a_machine_is_known_by_repeating_itself_or_by_its_pace(before, at, text, note):
    sent_at = f"2026-11-20T12:{at // 60:02d}:{at % 60:02d}.000Z"
    assert loops.machine_note(said(*before), text, sent_at, is_timed=True) == note


@pytest.mark.parametrize(
    "text", ["Yes please", "I drive a lorry, is that a problem?", "When can I start?", "👍", "¿Sí?"]
)
def test_a_person_is_no_machine(text):
    sent_at = "2026-11-20T12:00:30.000Z"
    assert loops.machine_note(said((0, "-Hi")), text, sent_at, is_timed=True) is None


# --- limits -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["answers_per_hour", "answers_per_day"])
def test_a_recipient_gets_so_many_answers_and_then_a_person(quick, name):
    quick.settings(quiet_period_seconds=0, **{name: 1})
    events = [quick.says(f"Question {number}") for number in range(3)]
    other = quick.says("Hello", from_=OTHER_TEL)
    assert quick.ends(*events, other) == [ANSWERED] * 2 + [("processed", "with_a_person"), ANSWERED]
    assert (len(quick.answers()), len(quick.answers(OTHER_TEL))) == (1, 1)
    assert quick.outreach.record("sms").handoff["reason"] == name


@pytest.mark.parametrize(
    "given",
    [
        *(None, [], "10", {}, {"quiet_period_seconds": -1}, {"quiet_period_seconds": 51}),
        *({"answers_per_hour": 0}, {"answers_per_day": True}, {"answers_per_hour": "7"}),
    ],
)
def test_a_setting_that_cannot_be_one_leaves_the_default(given):
    assert Project({"answering": given}).answering == AnsweringSetting()


def test_settings_are_taken_one_by_one():
    given = {"quiet_period_seconds": 0, "answers_per_hour": 3, "answers_per_day": "many"}
    assert Project({"answering": given}).answering == AnsweringSetting(
        quiet_period_seconds=0, answers_per_hour=3
    )
    assert any("answering.answers_per_day" in fault for fault in faults({"answering": given}))


# --- budgets ----------------------------------------------------------------------------------


def test_over_its_budget_a_project_answers_once_with_a_fixed_wording_and_then_by_a_person(
    model_start, outreach, openai, monkeypatch
):
    monkeypatch.setenv("MODEL_PRICES", '{"gpt-6-luna": [1000, 1000]}')
    project = {**outreach.project, "project_id": company.MODEL_PROJECT_ID}
    model_start()
    item = {**project, "ai_config": company.ai_config_of_models("dev")}
    company.put_project(outreach.stage, {**item, "model_budget": {"cents_per_day": 1}})
    outreach.new_container()
    for text in ("What of the salary?", "And the hours?"):
        outreach.deliver(outreach.says(text, whatsapp=False))
        outreach.run()
    assert len(openai.calls_of("respond")) == 1, "the opening"
    texts = [message["body"] for message in outreach.twilio.sent_to(TEL)]
    assert len(texts) == 2
    assert texts[1].endswith("A colleague will answer you.")
    record = outreach.record("sms")
    assert (record.status, record.handoff["reason"]) == (Status.HANDED_OFF, "budget_reached")
    day = outreach.services.outreach_work.spending.day_sums(
        company.COMPANY_ID, company.MODEL_PROJECT_ID, outreach.services.clock.now()
    )
    assert (day["calls"], day["microusd"] > 10_000) == (1, True)


def test_over_its_budget_a_project_starts_by_a_person(model_start, outreach, openai, monkeypatch):
    model_start()
    monkeypatch.setenv("MODEL_PRICES", '{"gpt-6-luna": [1000, 1000]}')
    item = {
        **outreach.project,
        "project_id": company.MODEL_PROJECT_ID,
        "ai_config": company.ai_config_of_models("dev"),
        "model_budget": {"cents_per_day": 1},
    }
    company.put_project(outreach.stage, item)
    outreach.new_container()
    record = outreach.record("sms")
    outreach.services.outreach_work.spending.reserve(record, Budget(10**9, 10**9), 10_000)
    project_id = {"project_id": company.MODEL_PROJECT_ID}
    outreach.start("req124", "sms", OTHER_TEL, company_data=project_id)
    outreach.run()
    assert outreach.twilio.sent_to(OTHER_TEL) == []
    held = outreach.record("sms", OTHER_TEL)
    assert (held.handoff["held"], held.handoff["reason"]) == ("start", "budget_reached")
