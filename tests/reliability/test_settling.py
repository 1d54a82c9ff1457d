"""The sweep settles unknown outcomes, and abandoned events are resumed."""

from datetime import timedelta
from random import random

import pytest

from chalicelib.errors import SwitchesUnreadableError, TransientError
from chalicelib.once.backoff import OUTAGE_WAITS_SECONDS, wait
from tests.simulation.faults import Fault, Port
from tests.simulation.network import Network
from tests.simulation.scenario import EPOCH, Post, Scenario
from tests.simulation.vendor import epoch
from tests.simulation.world import World

EVENT = "evt:rp:t0:c0"
REPLY = "act:rp_reply:t0:c0"


def quiet(*posts, reply="reply_queried", faults=(), **changes):
    """A scenario in which only the given things happen."""
    nothing = {
        **dict.fromkeys(("flips", "deploys", "replays", "redrives", "sweeps"), ()),
        "seed": 1,
        "outage": (0.0, 0.0),
        "skews": (0.0, 0.0, 0.0),
        "lag_seconds": 0.0,
        "ingress_ledger": False,
        "sender_repeats": False,
    }
    return Scenario(posts=posts, reply=reply, faults=tuple(faults), **nothing | changes)


def post(number=0, *, form="id", at=0.0):
    return Post(at, "t0", f"c{number}", "i want a refund", form, is_copy=False)


class ScriptedNetwork(Network):
    """A network where the test sets how the n-th effect of a kind ends."""

    def __init__(self, world, ends):
        super().__init__(world)
        self.ends = {kind: list(value) for kind, value in ends.items()}

    def next_effect_fault(self, actions):
        ends = self.ends.get(actions[0].kind.name)
        if ends:
            end = ends.pop(0)
            if end is not None:
                pick = (Port.EFFECT.value.index(end) + 0.5) / len(Port.EFFECT.value)
                self.faults[self.calls] = Fault(self.calls, pick, 0.5, pauses=False)
        return super().next_effect_fault(actions)


def run(scenario, **ends):
    world = World(scenario, trace=True)
    world.network = ScriptedNetwork(world, ends)
    world.is_fault_free = world.is_fault_free and not ends
    world.run()
    assert world.oracle.violations == []
    return world


def row(world, key):
    return world.ledger.rows[(key,)]


def replied_after(world):
    """The seconds from the customer's comment to the newest one."""
    return epoch(world.vendor.ticket("t0")["comments"][-1]["created_at"]) - EPOCH


@pytest.mark.parametrize(
    "end",
    ["lands_and_no_answer", "lands_late_and_no_answer", "crash_after", "crash_and_lands_late"],
)
def test_a_reply_that_happened_is_found_and_not_repeated(end):
    world = run(quiet(post()), reply_queried=[end])
    assert world.landed[REPLY] == 1
    assert (row(world, REPLY)["status"], row(world, EVENT)["status"]) == ("done", "processed")


@pytest.mark.parametrize("end", ["never_lands_and_no_answer", "crash_and_never_lands"])
def test_a_reply_that_never_happened_is_sent_after_two_checks_beyond_the_horizon(end):
    world = run(quiet(post()), reply_queried=[end])
    assert world.landed[REPLY] == 1
    assert row(world, EVENT)["status"] == "processed"
    assert replied_after(world) > 900


def test_two_lost_replies_in_a_row_are_each_waited_for_in_full():
    world = run(quiet(post()), reply_queried=["never_lands_and_no_answer"] * 2)
    assert world.landed[REPLY] == 1
    assert replied_after(world) > 1_800


def test_a_reply_that_cannot_be_settled_stays_parked_with_its_reason():
    world = run(quiet(post(), reply="reply_blind"), reply_blind=["lands_and_no_answer"])
    assert row(world, REPLY)["status"] == "unknown"
    assert (row(world, EVENT)["status"], row(world, EVENT)["reason"]) == (
        "parked",
        "unknown:timeout",
    )


def test_a_worker_that_dies_on_the_last_receive_leaves_no_event_processing_for_ever():
    world = run(quiet(post()), add_tag=["crash_before"] * 10)
    assert row(world, EVENT)["status"] == "failed"
    assert row(world, EVENT)["reason"] == "dead_letter:worker_died"
    assert len(world.queue.dead) == 1


@pytest.mark.parametrize("form", ["id", "thin"])
def test_an_outage_of_two_hours_delays_and_loses_nothing(form):
    world = run(quiet(post(form=form), outage=(0.0, 7_200.0)))
    assert world.queue.dead == []
    assert row(world, EVENT)["status"] == "processed"


def test_the_waits_of_ten_receives_outlast_two_hours():
    assert sum(OUTAGE_WAITS_SECONDS) > timedelta(hours=2).total_seconds()
    assert len(OUTAGE_WAITS_SECONDS) == 9


def test_a_retry_after_is_never_shortened_and_switches_wait_like_an_outage():
    asked = TransientError("richpanel", "x", status=429, retry_after=3_600)
    assert wait(asked, 1, random) == 3_600
    assert wait(SwitchesUnreadableError("switches_unreadable"), 9, random) >= 1_500
    assert wait(KeyError("a bug"), 9, random) <= 900


def test_a_notification_resumes_an_event_whose_reply_is_already_on_the_ticket():
    """The newest operator comment is our own reply; its event is not finished."""
    world = run(quiet(post(form="thin")), reply_queried=["crash_after"])
    assert row(world, EVENT)["status"] == "processed"


def test_a_comment_after_a_failed_one_is_new_even_if_our_reply_is_newer():
    later = post(1, form="thin", at=10.0)
    world = run(quiet(post(form="thin"), later), close=["crash_before"] * 10)
    assert row(world, "evt:rp:t0:c1")["status"] == "processed"


def test_a_comment_before_one_that_is_only_received_is_new():
    """With a ledger at the door a row does not mean that its event was begun."""
    world = run(
        quiet(
            post(form="thin"),
            post(1, at=0.1),
            ingress_ledger=True,
            faults=[Fault(2, 0.5, 0.0, pauses=False), Fault(3, 0.3, 0.0, pauses=False)],
        )
    )
    assert row(world, EVENT)["status"] == "processed"
