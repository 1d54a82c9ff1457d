"""Messages that say the same to the same person, of which one was lost: which of them was it?"""

from dataclasses import replace

import pytest

from tests.simulation.by_hand import HELLO, TEXT, at_of, call_of, fault, run, schedule
from tests.simulation.faults import Fault, Port
from tests.simulation.scenario import Post, Says


@pytest.mark.parametrize("later", [30.0, 100_000.0], ids=["at once", "a day later"])
@pytest.mark.parametrize("lost", [0, 1])
def test_two_openings_to_one_person_are_two_messages(later, lost):
    """One was lost with its worker; the other, of another conversation, is not taken for it."""
    again = replace(HELLO, at=later, request_id="req1")
    dies = fault(Port.EFFECT, "crash_and_never_lands", lost)
    world, violations = run(schedule(starts=(HELLO, again), provoked=(dies,)))
    assert violations == []
    assert list(world.landed.values()) == [1, 1]
    refs = [row.get("ref") for row in world.ledger.rows.values() if "action_kind" in row]
    assert len(set(refs)) == 2


@pytest.mark.parametrize("first", [HELLO, TEXT], ids=["template", "free text"])
def test_a_message_whose_worker_stands_still_before_it_writes_so_is_not_taken_for_its_twin(first):
    """The first was lost with its worker; the sweep sees the second's before any callback."""
    again = replace(first, at=30.0, request_id="req1")
    lost = fault(Port.EFFECT, "crash_and_never_lands", 0)
    told = schedule(starts=(first, again), provoked=(lost,))
    written = call_of(Port.EFFECT, told, which=1) + 1
    stands = Fault(written, 0.1, 0.99, pauses=True)
    world, violations = run(replace(told, faults=(stands,), sweeps=(at_of(written, told) + 0.3,)))
    assert world.network.applied["pause_before"] == 1
    assert violations == []
    assert sum(world.landed.values()) == 2
    refs = {r["ref"] for r in world.ledger.rows.values() if r.get("action_kind") == "send_text"}
    assert len(refs) == 2


def test_of_twin_texts_the_callback_says_which_was_sent():
    """The first was lost with its worker, the second's worker died behind it."""
    says = tuple(Says(60.0 + 600.0 * n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    provoked = (
        fault(Port.EFFECT, "crash_and_never_lands", 1),
        fault(Port.EFFECT, "crash_after", 2),
    )
    world, violations = run(schedule(starts=(TEXT,), says=says, provoked=provoked))
    assert violations == []
    assert list(world.landed.values()) == [1, 1, 1]
    sent = {one.sid: one.callback for one in world.twilio.messages}
    for row in world.ledger.rows.values():
        if row["event_id"].startswith("act:send:"):
            assert sent[row["ref"]].endswith(row["probe"]["entry_id"])


def test_a_text_that_was_decided_and_not_sent_waits_until_its_twins_message_is_told():
    """Its worker died first, the twin's behind its own, and the sweep asked before a callback."""
    says = tuple(Says(60.0 + 600.0 * n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    quiet = schedule(starts=(TEXT,), says=says)
    dies = fault(Port.WRITE, "crash_after", call_of(Port.EFFECT, quiet, which=1) - 1)
    behind = fault(Port.EFFECT, "crash_after", 1)
    crashed = replace(quiet, faults=(dies,), provoked=(behind,))
    sent = at_of(call_of(Port.EFFECT, crashed, which=1), crashed)
    world, violations = run(replace(crashed, sweeps=(sent + 0.1,)))
    assert violations == []
    assert sorted(world.landed.values()) == [1, 1, 1], "the opening, and each answer once"
    answers = [row for row in world.ledger.rows.values() if row["event_id"].startswith("act:send:")]
    assert {row["status"] for row in answers} == {"done"}
    assert len({row["ref"] for row in answers}) == len(answers) == 3


def test_a_twin_whose_message_another_has_takes_the_others():
    """The sweep saw one text before the callbacks said whose it was; both had been sent."""
    says = tuple(Says(60.0 + n, "sms", TEXT.recipient, n, "tell me more") for n in (0, 1))
    provoked = (
        fault(Port.EFFECT, "lands_late_and_no_answer", 1),
        fault(Port.EFFECT, "crash_after", 2),
    )
    told = schedule(starts=(TEXT,), says=says, provoked=provoked)
    sent = at_of(call_of(Port.EFFECT, told, which=2), told)
    world, violations = run(replace(told, sweeps=(sent + 0.01,)))
    assert violations == []
    assert list(world.landed.values()) == [1, 1, 1]


def test_a_ticket_reply_that_was_decided_and_not_sent_is_not_told_by_its_twins():
    """Its worker died first; nothing was answered to the twin's, whose horizon is not over."""
    posts = (
        Post(0.0, "t0", "c0", "i want a refund", "id", is_copy=False),
        Post(5.0, "t0", "c1", "i want a refund", "id", is_copy=False, wrote_at=5.0),
    )
    quiet = schedule(posts=posts)
    dies = fault(Port.WRITE, "crash_after", call_of(Port.EFFECT, quiet, which=1) - 1)
    lost = fault(Port.EFFECT, "lands_and_no_answer", 1)
    world, violations = run(replace(quiet, faults=(dies,), provoked=(lost,)))
    assert violations == []
    assert [world.landed[f"act:rp_reply:t0:c{n}"] for n in (0, 1)] == [1, 1]
    answers = [row for row in world.ledger.rows.values() if "act:rp_reply:" in row["event_id"]]
    assert {row["status"] for row in answers} == {"done"}
    assert len({row["ref"] for row in answers}) == len(answers) == 2
