"""Every boundary of every flow: killed, stopped, each vendor call spoilt, two workers, requests held."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.crash.flow import Flow
from tests.crash.judging import Outcome, judge
from tests.crash.proxy import HANG_SECONDS, Call, Plan
from tests.crash.rig import Rig
from tests.crash.run import Run

VENDOR_FAULTS = ("answer_lost", "reset", "act_then_500", "503", "429", "hang")
SIDES = ("before", "after")
_READING = ("Get", "Query", "Describe", "List", "BatchGet")
_BLAMELESS = ("kill", "stop", "nothing")
"""What is done to us alone: the vendor answers as ever and in time, so the same is decided."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A flow as it goes when nothing happens to it.

    Attributes:
        calls: every outgoing call.
        boundaries: those that the flow is killed at.
        outcome: what was decided, for comparison.
    """

    flow: Flow
    calls: Sequence[Call]
    boundaries: Sequence[Call]
    outcome: Outcome

    @property
    def deaths(self) -> Sequence[tuple[Call, str]]:
        """Where to be killed so that every state which a death can leave behind is met once.

        Killed after a call and killed before the next one of the same process are the same to
        everybody outside: nothing is kept in a function but what it has sent.
        """
        firsts = {call.invocation: call.number for call in reversed(self.calls)}
        return [
            (call, side)
            for call in self.boundaries
            for side in SIDES
            if side == "after" or firsts[call.invocation] == call.number
        ]

    @property
    def at_vendors(self) -> Sequence[Call]:
        """The boundaries that are a vendor's."""
        return [call for call in self.boundaries if call.target != "aws"]

    @property
    def of_effects(self) -> Sequence[Call]:
        """Those that change something at a vendor."""
        return [call for call in self.at_vendors if call.method != "GET" and not _reads(call)]


def undisturbed(rig: Rig, flow: Flow) -> Undisturbed:
    """Let a flow run, see its calls, and see that it is well."""
    run, outcome = _played(rig, flow, Plan("nothing", 0), f"{flow.name}: undisturbed")
    calls = run.calls()
    run.close()
    assert not outcome.problems, outcome
    assert not outcome.parked, outcome
    boundaries = [
        call
        for call in calls
        if call.step >= flow.counted_from
        and (not flow.functions or call.function in flow.functions)
    ]
    return Undisturbed(flow, calls, boundaries, outcome)


def disturbed(rig: Rig, known: Undisturbed, call: Call, kind: str) -> Outcome:
    """One thing happens to one call; then everything that SQS, Lambda and the senders would do."""
    plan = Plan(kind, call.number)
    run, outcome = _played(rig, known.flow, plan, f"{known.flow.name}: {kind} at {call}")
    if kind == "held_beyond":
        _let_land(run, plan, outcome)
    run.close()
    outcome.was_met = plan.reached.is_set()
    return _compared(run, outcome, known, kind)


def twins(rig: Rig, known: Undisturbed) -> Outcome:
    """Everything is done by two processes at once: doors, workers, schedules."""
    plan = Plan("nothing", 0)
    name = f"{known.flow.name}: two of everything at once"
    run, outcome = _played(rig, known.flow, plan, name, are_twins=True)
    run.close()
    return _compared(run, outcome, known, "nothing")


def late(known: Undisturbed) -> Sequence[Call]:
    """The calls that make a second effect when they land after D: what is not promised."""
    return [
        call
        for call in known.of_effects
        if any(call.operation.endswith(name) for name in known.flow.late)
    ]


def every(
    rig: Rig,
    known: Undisturbed,
    *,
    both_sides: bool = False,
    stop_every: int = 1,
    spoils_aws: bool = False,
) -> Iterator[Outcome]:
    """All that can happen to a flow, within what is promised.

    Args:
        rig: where.
        known: the flow.
        both_sides: killed before and after each call, also where that is the same.
        stop_every: a worker stands still at every so many calls only; the sides alternate then.
        spoils_aws: the answers of AWS are lost too, one by one, and the SDK repeats the call.
    """
    each = [(call, side) for call in known.boundaries for side in SIDES]
    for call, side in each if both_sides else known.deaths:
        yield disturbed(rig, known, call, f"kill_{side}")
    for number, call in enumerate(known.boundaries[::stop_every]):
        for side in SIDES if stop_every == 1 else SIDES[number % 2 :][:1]:
            yield disturbed(rig, known, call, f"stop_{side}")
    for call in known.at_vendors:
        for kind in VENDOR_FAULTS:
            yield disturbed(rig, known, call, kind)
    for call in known.of_effects:
        yield disturbed(rig, known, call, "held")
    for call in known.boundaries if spoils_aws else ():
        if call.target == "aws" and not call.operation.startswith(_READING):
            yield disturbed(rig, known, call, "answer_lost")
    for _ in range(3):
        yield twins(rig, known)


def _played(
    rig: Rig, flow: Flow, plan: Plan, name: str, *, are_twins: bool = False
) -> tuple[Run, Outcome]:
    run = Run(rig, flow, plan, are_twins)
    try:
        run.play()
        return run, judge(run, name)
    except BaseException:
        with contextlib.suppress(Exception):
            run.close()
        print(f"ended early: {name}", flush=True)
        raise


def _let_land(run: Run, plan: Plan, outcome: Outcome) -> None:
    """The held request lands after everything has come to rest."""
    plan.let_go.set()
    plan.landed.wait(HANG_SECONDS)
    outcome.problems = judge(run, outcome.name).problems


def _compared(run: Run, outcome: Outcome, known: Undisturbed, kind: str) -> Outcome:
    """A decision is stored before it is acted upon: nothing that happens to us may change it.

    While a message is parked, the next one of its conversation finds another conversation.
    """
    is_blameless = kind.startswith(_BLAMELESS) and not run.was_parked
    if is_blameless and outcome.decided != known.outcome.decided:
        was, now = known.outcome.decided, outcome.decided
        outcome.problems.append(
            f"P2 decided otherwise: not {dict(was - now)} but {dict(now - was)}"
        )
    return outcome


def _reads(call: Call) -> bool:
    """POSTs that change nothing: a query, a token."""
    return call.operation.endswith(("graphql.json", "token", "access_token"))
