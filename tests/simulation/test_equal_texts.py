"""Equal messages to the same person, one of which was lost: the right one is settled as sent."""

from dataclasses import replace

import pytest

from tests.simulation.faults import Fault, Port
from tests.simulation.fixed_schedules import HELLO, TEXT, at_of, call_of, fault, run, schedule
from tests.simulation.scenario import Post, Says


@pytest.mark.parametrize("later", [30.0, 100_000.0], ids=["at once", "a day later"])
@pytest.mark.parametrize("lost", [0, 1])
def test_two_openings_to_one_person_are_two_messages(later, lost):
    """One was lost with its worker; the other conversation's message is not credited to it."""
    again = replace(HELLO, at=later, request_id="req1")
    dies = fault(Port.EFFECT, "crash_and_never_lands", lost)
    world, violations = run(schedule(starts=(HELLO, again), effect_faults=(dies,)))
    assert violations == []
    assert list(world.landed.values()) == [1, 1]
    refs = [row.get("ref") for row in world.ledger.rows.values() if "action_kind" in row]
    assert len(set(refs)) == 2


@pytest.mark.parametrize("first", [HELLO, TEXT], ids=["template", "free text"])
def test_a_message_not_yet_recorded_is_not_credited_to_an_equal_text(first):
    """The first was lost with its worker; the sweep sees the second before any callback."""
    again = replace(first, at=30.0, request_id="req1")
    lost = fault(Port.EFFECT, "crash_and_never_lands", 0)
    story = schedule(starts=(first, again), effect_faults=(lost,))
    written = call_of(Port.EFFECT, story, which=1) + 1
    paused = Fault(written, 0.1, 0.99, pauses=True)
    world, violations = run(replace(story, faults=(paused,), sweeps=(at_of(written, story) + 0.3,)))
    assert world.network.applied["pause_before"] == 1
    assert violations == []
    assert sum(world.landed.values()) == 2
    refs = {r["ref"] for r in world.ledger.rows.values() if r.get("action_kind") == "send_text"}
    assert len(refs) == 2


def test_the_callback_tells_which_of_two_equal_texts_was_sent():
    """The first was lost with its worker; the second's worker died right after sending."""
    says = tuple(Says(60.0 + 600.0 * n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    effect_faults = (
        fault(Port.EFFECT, "crash_and_never_lands", 1),
        fault(Port.EFFECT, "crash_after", 2),
    )
    world, violations = run(schedule(starts=(TEXT,), says=says, effect_faults=effect_faults))
    assert violations == []
    assert list(world.landed.values()) == [1, 1, 1]
    sent = {message["sid"]: message["_callback"] for message in world.twilio.messages}
    for row in world.ledger.rows.values():
        if row["event_id"].startswith("act:send:"):
            assert sent[row["ref"]].endswith(row["probe"]["entry_id"])


def test_a_planned_text_waits_until_the_equal_texts_message_is_reported():
    """Its worker died before sending, the other's after, and the sweep asked before a callback."""
    says = tuple(Says(60.0 + 600.0 * n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    quiet = schedule(starts=(TEXT,), says=says)
    dies = fault(Port.WRITE, "crash_after", call_of(Port.EFFECT, quiet, which=1) - 1)
    behind = fault(Port.EFFECT, "crash_after", 1)
    crashed = replace(quiet, faults=(dies,), effect_faults=(behind,))
    sent = at_of(call_of(Port.EFFECT, crashed, which=1), crashed)
    world, violations = run(replace(crashed, sweeps=(sent + 0.1,)))
    assert violations == []
    assert sorted(world.landed.values()) == [1, 1, 1], "the opening, and each answer once"
    answers = [row for row in world.ledger.rows.values() if row["event_id"].startswith("act:send:")]
    assert {row["status"] for row in answers} == {"done"}
    assert len({row["ref"] for row in answers}) == len(answers) == 3


def test_an_equal_text_whose_message_was_credited_to_the_other_takes_the_others():
    """The sweep saw one text before the callbacks told whose it was; both had been sent."""
    says = tuple(Says(60.0 + n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    effect_faults = (
        fault(Port.EFFECT, "lands_late_and_no_answer", 1),
        fault(Port.EFFECT, "crash_after", 2),
    )
    story = schedule(starts=(TEXT,), says=says, effect_faults=effect_faults)
    sent = at_of(call_of(Port.EFFECT, story, which=2), story)
    world, violations = run(replace(story, sweeps=(sent + 0.01,)))
    assert violations == []
    assert list(world.landed.values()) == [1, 1, 1]


def test_a_planned_ticket_reply_is_not_settled_by_an_equal_reply():
    """Its worker died first; the other got no response, and its horizon has not ended."""
    posts = (
        Post(0.0, "t0", "c0", "i want a refund", "id", is_copy=False),
        Post(5.0, "t0", "c1", "i want a refund", "id", is_copy=False, wrote_at=5.0),
    )
    quiet = schedule(posts=posts)
    dies = fault(Port.WRITE, "crash_after", call_of(Port.EFFECT, quiet, which=1) - 1)
    lost = fault(Port.EFFECT, "lands_and_no_answer", 1)
    world, violations = run(replace(quiet, faults=(dies,), effect_faults=(lost,)))
    assert violations == []
    assert [world.landed[f"act:rp_reply:t0:c{n}"] for n in (0, 1)] == [1, 1]
    answers = [row for row in world.ledger.rows.values() if "act:rp_reply:" in row["event_id"]]
    assert {row["status"] for row in answers} == {"done"}
    assert len({row["ref"] for row in answers}) == len(answers) == 2
