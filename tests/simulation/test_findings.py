"""Hand-written schedules of defects that the simulation once found."""

from dataclasses import replace

import pytest

from chalicelib.once.timer import due_attributes
from tests.simulation.amounts import at_some_calls
from tests.simulation.faults import Fault, Port
from tests.simulation.fixed_schedules import (
    NEVER,
    TEXT,
    at_of,
    call_of,
    fault,
    refund,
    run,
    schedule,
)
from tests.simulation.pauses import BEYOND_THE_LEASE, WITHIN_THE_LEASE, paused_at_each_call
from tests.simulation.scenario import Batch, Flip, Post, Says, Start
from tests.simulation.world import World


@pytest.mark.parametrize("skew", [-120.0, 0.0, 120.0])
def test_a_text_taken_by_a_carrier_whose_clock_is_two_minutes_off_is_not_sent_again(skew):
    lone = schedule(starts=(TEXT,), other_skews=(0.0, 0.0, 0.0, skew))
    at = call_of(Port.EFFECT, lone)
    for kind in ("crash_after", "lands_and_no_answer", "crash_and_lands_late"):
        scenario = schedule(
            starts=(TEXT,),
            other_skews=(0.0, 0.0, 0.0, skew),
            faults=(fault(Port.EFFECT, kind, at),),
        )
        world, violations = run(scenario)
        assert violations == []
        assert list(world.landed.values()) == [1]


def test_a_recipients_message_stored_at_the_door_is_resumed():
    said = Says(5.0, "sms", TEXT.recipient, 0, "tell me more")
    lone = schedule(starts=(TEXT,), says=(said,), ingress_ledger=True)
    at = call_of(Port.EFFECT, lone, which=1)
    lost = fault(Port.EFFECT, "never_lands_and_no_answer", at)
    world, violations = run(
        schedule(starts=(TEXT,), says=(said,), ingress_ledger=True, faults=(lost,))
    )
    assert violations == []
    assert sorted(world.landed.values()) == [1, 1]
    assert {row["status"] for row in world.ledger.rows.values() if "plan" in row} == {"processed"}


def test_a_worker_paused_while_it_prepares_a_request_sends_nothing():
    """A resumed start has no draft in memory: it is read after the pending row is written."""
    mail = Start(0.0, "req0", "email", "canary-7f3b@example.com")
    refused = fault(
        Port.EFFECT, "connection_refused", call_of(Port.EFFECT, schedule(starts=(mail,)))
    )
    once = schedule(starts=(mail,), faults=(refused,))
    second = call_of(Port.EFFECT, once, which=1)
    for back in (1, 2, 3):
        paused = Fault(second - back, 0.9, 0.99, pauses=True)
        world, violations = run(schedule(starts=(mail,), faults=(refused, paused)))
        assert violations == []
        assert sum(world.landed.values()) <= 1


def test_a_hand_off_interrupted_by_a_switch_is_resumed_under_its_own_key():
    said = Says(5.0, "sms", TEXT.recipient, 0, "can a human call me")
    flips = (Flip(600.0, "kill_switch", value=True), Flip(3_000.0, "kill_switch", value=False))
    lone = schedule(starts=(TEXT,), says=(said,))
    paused = Fault(call_of(Port.TRANSACT, lone, which=-1), 0.9, 0.99, pauses=True)
    world, violations = run(schedule(starts=(TEXT,), says=(said,), flips=flips, faults=(paused,)))
    assert violations == []
    handed = [key for (key,) in world.ledger.rows if key.startswith("act:handoff:")]
    assert len(handed) == 1


@pytest.mark.parametrize("back", [1, 2, 3])
def test_a_dimension_whose_insert_arrived_late_is_not_filled_twice(back):
    """It was noted, paused, sent late within the lease, and held in the network for long."""
    facts = {
        "batches": (Batch(0.0, (1, 2, 3)),),
        "writes": (60.0, 700.0, 1_000.0, 1_300.0),
        "is_numbered": False,
    }
    at = call_of(Port.EFFECT, schedule(**facts))
    paused = Fault(at - back, 0.3, 4.5 / 8, pauses=True)
    held = Fault(at, 0.49, 7.5 / 8, pauses=True)
    assert run(schedule(**facts, faults=(paused, held)))[1] == []


def test_a_late_hand_off_of_a_failed_event_keeps_the_order():
    """The hand-off that the sweep repeats has its own message, behind later events."""
    posts = (
        Post(0.0, "t0", "c0", "i want a refund", "id", is_copy=False),
        Post(5.0, "t0", "c1", "i want a refund", "id", is_copy=False, wrote_at=5.0),
    )
    world = World(schedule(posts=posts, faults=(NEVER,)))
    world.ledger.put(dead_without_hand_off("t0", "c0"))
    world.run()
    assert [str(violation) for violation in world.oracle.violations] == []
    assert "middleware_error_needs_attention" in world.vendor.tags_of("t0")
    tags = [key for key in world.landed if ":rp_tag:" in key]
    late = next(n for n, key in enumerate(tags) if "needs_attention" in key)
    assert late > max(n for n, key in enumerate(tags) if key.endswith(":c1"))


def dead_without_hand_off(conversation_id, comment_id):
    """The row of an event that failed on its last receive before its hand-off."""
    return {
        "event_id": f"evt:rp:{conversation_id}:{comment_id}",
        "conversation_id": conversation_id,
        "source_message_id": comment_id,
        "received_at": "2026-09-21T11:00:00.000Z",
        "created_at": "2026-09-21T11:00:00.000Z",
        "last_processed_at": "2026-09-21T12:00:00.000Z",
        "expires_at": 1_792_592_000,
        "mode": "automation_candidate",
        "safe_mode": False,
        "automation_enabled": True,
        "payload_sha256": "9f" * 32,
        "payload_bytes": 1,
        "source": "richpanel_http_target",
        "trace_id": "1f",
        "status": "failed",
        "reason": "dead_letter:richpanel_timeout",
        "owner": "gone",
        "fence": 10,
        "attempts": 10,
        "lease_until": 0,
        **due_attributes("event", f"evt:rp:{conversation_id}:{comment_id}", 0),
    }


@pytest.mark.parametrize("channel", ["whatsapp", "sms"])
def test_a_lost_answer_is_not_sent_after_the_recipient_said_stop(channel):
    """It was decided before; the STOP arrived while its outcome was unknown."""
    start = replace(TEXT, channel=channel)
    says = (
        Says(5.0, channel, TEXT.recipient, 0, "tell me more"),
        Says(60.0, channel, TEXT.recipient, 1, "STOP"),
    )
    at = call_of(Port.EFFECT, schedule(starts=(start,), says=says[:1]), which=1)
    lost = fault(Port.EFFECT, "never_lands_and_no_answer", at)
    world, violations = run(schedule(starts=(start,), says=says, faults=(lost,)))
    assert violations == []
    rows = [row for row in world.ledger.rows.values() if "action_kind" in row]
    done = [row["action_kind"] for row in rows if row["status"] == "done"]
    confirmed = ["confirm_stop"] if channel == "whatsapp" else []  # Twilio answers on SMS itself
    assert sorted(done) == [*confirmed, "send_text"]
    assert list(world.landed.values()) == [1] * len(done)
    (reason,) = {
        row["reason"] for row in world.ledger.rows.values() if row.get("status") == "failed"
    }
    assert reason == "refused:do_not_contact"


def test_an_opening_that_never_landed_is_not_settled_by_the_answer_after_it():
    """The answer was sent, and its worker died before it recorded the message id."""
    start = replace(TEXT, channel="whatsapp")
    story = {
        "starts": (start,),
        "says": (Says(5.0, "whatsapp", TEXT.recipient, 0, "tell me more"),),
    }
    gone = fault(Port.EFFECT, "crash_and_never_lands", call_of(Port.EFFECT, schedule(**story)))
    once = schedule(**story, faults=(gone,))
    sent = call_of(Port.EFFECT, once, which=1)
    dies = fault(Port.TRANSACT, "crash_before", sent + 1)
    sweeps = (at_of(sent, once) + 160.0,)
    world, violations = run(schedule(**story, sweeps=sweeps, faults=(gone, dies)))
    assert violations == []
    assert list(world.landed.values()) == [1, 1]


def test_a_released_conversation_knows_that_its_opening_was_sent_meanwhile():
    """This was unknown at the hand-off, because the send had got no response."""
    story = {
        "starts": (TEXT,),
        "says": (Says(60.0, "sms", TEXT.recipient, 0, "can a human call me"),),
        "approvals": (8_000.0,),
    }
    at = call_of(Port.EFFECT, schedule(**story))
    late = fault(Port.EFFECT, "lands_late_and_no_answer", at)
    world, violations = run(schedule(**story, faults=(late,)))
    assert violations == []
    (status,) = {
        row["conversation_status"]
        for row in world.conversations.rows.values()
        if "start_event" in row
    }
    assert status == "initial_message_sent"


def test_a_message_without_a_stored_draft_was_not_sent():
    """Withheld in shadow, replayed, and interrupted before the replay had written its text."""
    story = {
        "starts": (TEXT,),
        "flips": (
            Flip(-10.0, "shadow_mode", value=True),
            Flip(200.0, "shadow_mode", value=False),
        ),
        "resumes": ((1_100.0, 0),),
    }
    begun = call_of(Port.EFFECT, schedule(**story)) - 6
    lost = fault(Port.WRITE, "answer_lost", begun)
    world, violations = run(schedule(**story, faults=(lost,)))
    assert world.network.applied["answer_lost"] == 1
    assert violations == []
    assert list(world.landed.values()) == [1]


@pytest.mark.parametrize("ticket_id", ["t0", "s0"])
@at_some_calls(4)
def test_a_worker_paused_anywhere_until_another_did_its_work_changes_nothing(ticket_id, every):
    story = schedule(posts=refund(ticket_id))
    for world in paused_at_each_call(story, BEYOND_THE_LEASE, every=every):
        assert world.oracle.violations == []


@pytest.mark.parametrize("ticket_id", ["t0", "s0"])
@at_some_calls(4)
def test_a_switch_turned_while_a_worker_is_paused_anywhere_stops_its_next_request(ticket_id, every):
    stop = Flip(1.0, "kill_switch", value=True)
    story = schedule(posts=refund(ticket_id), flips=(stop,))
    for world in paused_at_each_call(story, WITHIN_THE_LEASE, every=every):
        assert world.oracle.violations == []


def talked(channel="sms", **more):
    """A conversation that is opened, answered and handed off, with no message waiting for another."""
    to = "ada@example.com" if channel == "email" else TEXT.recipient
    said = ("tell me more", "can a human call me")
    return schedule(
        starts=(replace(TEXT, channel=channel, recipient=to),),
        says=tuple(Says(60.0 + 0.5 * n, channel, to, n, text) for n, text in enumerate(said)),
        **more,
    )


@pytest.mark.parametrize("channel", ["sms", "email"])
@pytest.mark.parametrize("held", ["", "auto_queue_initial_message", "auto_queue_reply_message"])
@at_some_calls(31)
def test_a_worker_paused_anywhere_in_a_conversation_changes_nothing(channel, held, every):
    """Also where a person released it, and it was handed off again meanwhile."""
    story = talked(channel, held=held, approvals=(30.0, 2_000.0) if held else ())
    for world in paused_at_each_call(story, BEYOND_THE_LEASE, every=every):
        assert world.oracle.violations == []


def interrupted_opening(**more):
    """Its worker dies at the request; the recipient writes and is handed off meanwhile."""
    return schedule(
        starts=(TEXT,),
        says=(Says(2.0, "sms", TEXT.recipient, 0, "can a human call me"),),
        effect_faults=(
            fault(Port.EFFECT, "crash_and_never_lands", 0),
            *more.pop("effect_faults", ()),
        ),
        ticks=(2_100.0, 2_400.0),
        approvals=(3_000.0,),
        **more,
    )


@pytest.mark.parametrize(
    ("more", "status"),
    [
        ({"flips": (Flip(750.0, "automation_enabled", value=False),)}, "withheld"),
        ({"effect_faults": (fault(Port.EFFECT, "refused", 1),)}, "failed"),
    ],
)
def test_an_opening_that_ended_unsent_during_a_hand_off_shows_that_after_its_release(more, status):
    world, violations = run(interrupted_opening(**more))
    (record,) = [row for row in world.conversations.rows.values() if "start_event" in row]
    assert violations == []
    assert not world.landed
    assert record["conversation_status"] == status


def test_a_held_opening_is_approved_even_if_its_recipient_asked_for_a_person_first():
    """Its worker died, a switch stopped the next one, and it resumed after the recipient wrote."""
    held = {"starts": (TEXT,), "held": "auto_queue_initial_message"}
    handing_off = call_of(Port.TRANSACT, schedule(**held), which=2)
    dies = fault(Port.WRITE, "crash_after", handing_off - 1)
    story = held | {
        "says": (Says(2_100.0, "sms", TEXT.recipient, 0, "can a human call me"),),
        "flips": (
            Flip(200.0, "kill_switch", value=True),
            Flip(2_000.0, "kill_switch", value=False),
        ),
        "ticks": (3_000.0,),
        "approvals": (8_000.0,),
        "faults": (dies,),
    }
    world, violations = run(schedule(**story))
    assert violations == []
    states = {
        row["reason"]: row["handoff_state"]
        for row in world.conversations.rows.values()
        if "handoff_state" in row
    }
    assert states == {"asked_by_writer": "replaced", "auto_queue_initial_message": "approved"}
    assert list(world.landed.values()) == [1], "the opening"


@pytest.mark.parametrize("seed", [2, 4, 8])
def test_a_message_redelivered_after_its_opening_was_reported_undelivered_is_answered(seed):
    """Its worker died at the answer, and the conversation has failed since."""
    world, violations = run(
        schedule(
            seed=seed,
            starts=(TEXT,),
            bad_news="undelivered",
            says=(Says(2.0, "sms", TEXT.recipient, 0, "tell me more"),),
            effect_faults=(fault(Port.EFFECT, "crash_and_never_lands", 1),),
        )
    )
    assert violations == []
    assert list(world.landed.values()) == [1, 1]


def test_an_event_the_sweep_sends_again_overtakes_none_of_its_conversation():
    """The door could not mark the approval as queued, and the queue was stalled."""
    says = (Says(40.0, "sms", TEXT.recipient, 0, "tell me more"),)
    held = schedule(
        starts=(TEXT,),
        says=says,
        held="auto_queue_initial_message",
        approvals=(60.0,),
        ingress_ledger=True,
    )
    reply = call_of(Port.SWITCHES, held, which=1)
    dies = Fault(reply, fault(Port.SWITCHES, "crash_before", 0).pick, 0.5, pauses=False)
    crashed = replace(held, faults=(dies,))
    sends = call_of(Port.SEND, crashed, which=2)
    unnoted = fault(Port.WRITE, "throttled", sends + 1)
    world, violations = run(replace(crashed, faults=(dies, unnoted), sweeps=(500.0,)))
    assert violations == []
    assert list(world.landed.values()) == [1], "the answer came first, while a person had it"


def test_a_late_notification_is_new_even_if_its_successor_was_answered_and_parked():
    """A parked event leaves no ticket state; our reply to it is not an operator's first contact."""
    story = schedule(
        posts=(
            Post(100.0, "t0", "c0", "cancel my order", "thin", is_copy=False, wrote_at=0.0),
            Post(5.0, "t0", "c1", "i want a refund", "id", is_copy=False, wrote_at=5.0),
            Post(50.0, "t0", "c2", "i want a refund", "id", is_copy=False, wrote_at=50.0),
        ),
        deploys=(1.0, 6.0),  # to a plan with a note behind the reply, and back
    )
    # c1's reply, tags and note are done; its closing is not, and neither version can resume it.
    refused = fault(Port.EFFECT, "rate_limited", call_of(Port.EFFECT, story, which=3))
    world, violations = run(replace(story, faults=(refused,)))
    assert violations == []
    assert world.row("evt:rp:t0:c1")["reason"] == "plan_not_known_here"
    assert world.row("evt:rp:t0:c0")["status"] == "processed"


def test_a_worker_resumed_late_leaves_a_failed_conversation_failed():
    """It was paused at its claim; the next claimant sent the opening, which was not delivered."""
    story = {"starts": (TEXT,), "bad_news": "undelivered"}
    for seed in range(1, 6):
        claims = call_of(Port.WRITE, schedule(**story, seed=seed), which=1)
        for kind in (0.1, 0.9):
            paused = Fault(claims, kind, 0.99, pauses=True)
            world, violations = run(schedule(**story, seed=seed, faults=(paused,)))
            assert violations == []
            assert list(world.landed.values()) == [1]


def test_a_report_the_carrier_repeats_after_the_sweep_gave_it_up_is_accepted():
    """The queue was unavailable for a while; only the carrier's report settles an e-mail."""
    mail = Start(0.0, "req0", "email", "c@example.com")
    silent = fault(Port.EFFECT, "lands_and_no_answer", 0)
    gone = 0
    for seed in range(1, 9):
        world, violations = run(
            schedule(
                seed=seed,
                starts=(mail,),
                ingress_ledger=True,
                effect_faults=(silent,),
                unavailable=((frozenset({Port.SEND}), 0.1, 1_195.0),),
                ticks=(1_200.0,),
            )
        )
        assert violations == []
        assert list(world.landed.values()) == [1]
        assert {row["status"] for row in world.ledger.rows.values()} <= {"processed", "done"}
        gone += world.oracle.logs["worker.notification.failed"]
    assert gone, "the sweep gave some of them up"
