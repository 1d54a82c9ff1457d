"""Puts a scenario on the timeline of its world: requests, schedules and operators' actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from tests.simulation.scenario import EPOCH

if TYPE_CHECKING:
    from tests.simulation.world import World


def plan(world: World) -> None:
    """Plan the whole scenario of the world."""
    _plan_senders(world)
    _plan_schedules(world)
    _plan_secrets(world)
    _plan_people(world)


def _plan_senders(world: World) -> None:
    scenario, senders = world.scenario, world.senders
    for post in scenario.posts:
        if post.at > post.wrote_at and not post.is_copy:
            _plan(world, "webhook_late", post.wrote_at, partial(senders.writes, post))
    _plan_sent(world, scenario.posts, senders.post)
    _plan_sent(world, scenario.starts, senders.start)
    _plan_sent(world, scenario.says, senders.says)
    _plan_sent(world, scenario.batches, senders.batch)


def _plan_sent(world: World, sent: Sequence[Any], send: Callable[[Any], None]) -> None:
    for item in sent:
        _plan(world, "copy_posted" if item.is_copy else "", item.at, partial(send, item))


def _plan_schedules(world: World) -> None:
    scenario = world.scenario
    for when in (*scenario.sweeps, *scenario.ticks):
        _plan(world, "swept_beside_traffic", when, world.sweep)
    for when in scenario.writes:
        _plan(world, "", when, world.write_facts)
    world.vendor.failing_ticket, until = scenario.failing_ticket
    if until:
        world.at(EPOCH + until, lambda: setattr(world.vendor, "failing_ticket", ""))
    if any(abs(skew) > 60 for skew in (*scenario.skews, *scenario.other_skews)):
        world.happened["clock_over_60_s_wrong"] += 1
    for when, number, skew in scenario.jumps:
        _plan(world, "clock_set", when, partial(world.containers[number].clock.set, skew))


def _plan_secrets(world: World) -> None:
    for name, begins, ends in world.scenario.deleted:
        _plan(world, "secret_deleted", begins, partial(world.deleted_secrets.add, name))
        _plan(world, "secret_restored", ends, partial(world.deleted_secrets.discard, name))


def _plan_people(world: World) -> None:
    scenario, people = world.scenario, world.people
    for flip in scenario.flips:
        _plan(world, "switch_flipped", flip.at, partial(world.flip, flip.name, flip.value))
    for when in scenario.deploys:
        _plan(world, "other_plan_deployed", when, world.deploy)
    for when, number in scenario.replays:
        _plan(world, "replayed", when, partial(people.replay, number))
    for when in scenario.redrives:
        _plan(world, "redriven", when, people.redrive)
    for when, number in scenario.resumes:
        _plan(world, "outreach_replayed", when, partial(people.resume, number))
    for when in scenario.approvals:
        _plan(world, "approved", when, people.approve)
    for when, number in scenario.resends:
        _plan(world, "resent", when, partial(people.resend, number))
    for when in scenario.takes:
        _plan(world, "taken", when, people.take)
    for when in scenario.desk:
        _plan(world, "worked_at_the_desk", when, people.work_at_desk)


def _plan(world: World, name: str, when: float, action: Callable[[], Any]) -> None:
    """Plan an action; a name counts it among the happenings."""

    def happens() -> None:
        if name:
            world.happened[name] += 1
        action()

    world.at(EPOCH + when, happens if name else action)
