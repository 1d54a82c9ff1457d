"""Every boundary of every flow: kills, stops, vendor faults, two workers at once, held requests."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tests.crash.flow import Flow
from tests.crash.judging import Outcome, judge
from tests.crash.proxy import HANG_SECONDS, TO_LATER, Call, Plan
from tests.crash.rig import Rig
from tests.crash.run import Run

VENDOR_FAULTS = ("answer_lost", "reset", "act_then_500", "503", "429", "hang")
ALSO_IGNORED = (*VENDOR_FAULTS, "ignored")
"""The same, and accepted with an empty success while nothing is done."""
SIDES = ("before", "after")
_EMPTY_SUCCESS = frozenset({"powerbi", "company"})
_READING = ("Get", "Query", "Describe", "List", "BatchGet")
_NOT_VENDOR_FAULTS = ("kill", "stop", "nothing", "copy_lost")
"""Faults on our side only: the vendor answers normally and in time, so the decision is the same."""


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A flow without any fault.

    Attributes:
        calls: every outgoing call.
        boundaries: the calls at which the flow is killed.
        outcome: its outcome, for comparison.
    """

    flow: Flow
    calls: Sequence[Call]
    boundaries: Sequence[Call]
    outcome: Outcome

    @property
    def kill_points(self) -> Sequence[tuple[Call, str]]:
        """Where to kill so that every state that a kill can leave is reached once.

        A kill after a call and a kill before the next call of the same process look the same from
        outside: a function keeps nothing but what it has sent.
        """
        firsts = {call.invocation: call.number for call in reversed(self.calls)}
        return [
            (call, side)
            for call in self.boundaries
            for side in SIDES
            if side == "after" or firsts[call.invocation] == call.number
        ]

    @property
    def copies(self) -> Sequence[Call]:
        """The sends to the queue `later`, whose message may be lost."""
        return [call for call in self.boundaries if call.operation == TO_LATER]

    @property
    def at_vendors(self) -> Sequence[Call]:
        """The boundaries that are vendor calls."""
        return [call for call in self.boundaries if call.target != "aws"]

    @property
    def of_effects(self) -> Sequence[Call]:
        """The vendor calls that change something."""
        return [call for call in self.at_vendors if call.method != "GET" and not _reads(call)]


def undisturbed(rig: Rig, flow: Flow) -> Undisturbed:
    """Run a flow without faults, record its calls and check its outcome."""
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
    """Run a flow with one fault at one call, with all retries by SQS, Lambda and the senders."""
    plan = Plan(kind, call.number)
    run, outcome = _played(rig, known.flow, plan, f"{known.flow.name}: {kind} at {call}")
    if kind == "held_beyond":
        _land_held_request(run, plan, outcome)
    run.close()
    outcome.was_reached = plan.reached.is_set()
    return _compared(run, outcome, known, kind)


def two_at_once(rig: Rig, known: Undisturbed) -> Outcome:
    """Run everything in two processes at once: doors, workers, schedules."""
    plan = Plan("nothing", 0)
    name = f"{known.flow.name}: two of everything at once"
    run, outcome = _played(rig, known.flow, plan, name, is_doubled=True)
    run.close()
    return _compared(run, outcome, known, "nothing")


def late(known: Undisturbed) -> Sequence[Call]:
    """The calls that make a second effect if they land after D, which is not promised."""
    return [
        call
        for call in known.of_effects
        if any(call.operation.endswith(name) for name in known.flow.late)
    ]


def vendor_faults(call: Call) -> Sequence[str]:
    """The faults of a vendor call.

    The success of Power BI and of a company's endpoint is empty, and what they have taken they do not
    show.
    """
    return VENDOR_FAULTS if call.target in _EMPTY_SUCCESS else ALSO_IGNORED


def every(
    rig: Rig,
    known: Undisturbed,
    *,
    both_sides: bool = False,
    stop_every: int = 1,
    loses_aws_answers: bool = False,
) -> Iterator[Outcome]:
    """Every fault of a flow that the promises cover.

    Args:
        rig: the environment.
        known: the flow.
        both_sides: kill before and after each call, even if equivalent.
        stop_every: pause a worker only at every n-th call; the sides alternate then.
        loses_aws_answers: AWS responses are lost too, one by one, and the SDK retries the call.
    """
    both = [(call, side) for call in known.boundaries for side in SIDES]
    for call, side in both if both_sides else known.kill_points:
        yield disturbed(rig, known, call, f"kill_{side}")
    for number, call in enumerate(known.boundaries[::stop_every]):
        for side in SIDES if stop_every == 1 else SIDES[number % 2 :][:1]:
            yield disturbed(rig, known, call, f"stop_{side}")
    for call in known.copies:
        yield disturbed(rig, known, call, "copy_lost")
    for call in known.at_vendors:
        for kind in vendor_faults(call):
            yield disturbed(rig, known, call, kind)
    for call in known.of_effects:
        yield disturbed(rig, known, call, "held")
    for call in known.boundaries if loses_aws_answers else ():
        if call.target == "aws" and not call.operation.startswith(_READING):
            yield disturbed(rig, known, call, "answer_lost")
    for _ in range(3):
        yield two_at_once(rig, known)


def _played(
    rig: Rig, flow: Flow, plan: Plan, name: str, *, is_doubled: bool = False
) -> tuple[Run, Outcome]:
    run = Run(rig, flow, plan, is_doubled)
    try:
        run.play()
        return run, judge(run, name)
    except BaseException:
        with contextlib.suppress(Exception):
            run.close()
        print(f"ended early: {name}", flush=True)
        raise


def _land_held_request(run: Run, plan: Plan, outcome: Outcome) -> None:
    """The held request lands after everything is at rest."""
    plan.released.set()
    plan.landed.wait(HANG_SECONDS)
    outcome.problems = judge(run, outcome.name).problems


def _compared(run: Run, outcome: Outcome, known: Undisturbed, kind: str) -> Outcome:
    """A decision is stored before it is acted upon: no fault on our side may change it.

    While a message is parked, the next one of its conversation sees a different state.
    """
    is_not_vendor_fault = kind.startswith(_NOT_VENDOR_FAULTS) and not run.was_parked
    was, now = known.outcome.decided, outcome.decided
    is_late = known.flow.answers_together and kind.startswith(("kill", "stop"))
    if (
        is_not_vendor_fault
        and was != now
        and not (is_late and was <= now and now.total() == was.total() + 1)
    ):
        outcome.problems.append(
            f"P2 decided otherwise: not {dict(was - now)} but {dict(now - was)}"
        )
    return outcome


def _reads(call: Call) -> bool:
    """Whether a POST changes nothing: a query, a token, what a model is asked."""
    is_model = call.target == "openai"
    return is_model or call.operation.endswith(("graphql.json", "token", "access_token"))
