"""The setup steps as data, and the loop that checks each, does it and checks again."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import MiddlewareError
from ops import unreachable
from ops.inspect import doctor
from ops.inspect.finding import MANUAL, Finding
from ops.output import Output
from ops.session import OpsError, Session
from ops.setup.answers import Answers

MOST_SHOWN = 3
IN_ORDER = frozenset({"ok", MANUAL})
DONE, TO_DO, BY_HAND, FAILED, LEFT_OUT = "done", "to do", "by hand", "failed", "left out"
EVERY_WALK = "runs with the walk"
NO_TRANSFORM = "aws-sam-translator"
"""The package that a local engine without the SAM transform names in its error."""
WITHOUT_TRANSFORM = 'way = "direct" in the answers, or: make aws-acceptance STAGE=dev WHERE=local'
AGAIN = "run it again: it goes on from here"
"""The advice after a slow answer of AWS."""

Way = Callable[[Session], None]
"""Creates or updates everything that the stage's configuration declares."""
Invoke = Callable[[Session, str, dict[str, Any]], None]
"""Invokes a deployed function as its event source would, and waits; raises `OpsError` if it failed."""
Ask = Callable[[str, str], str]
"""Asks for a secret by its name and purpose, hidden; returns an empty text if none is given."""


@dataclass(slots=True)
class Walk:
    """One run of setup.

    Attributes:
        deploy: deploys the stage in the chosen way.
        ask: asks for a secret.
        invoke: calls a deployed function.
    """

    stage: str
    answers: Answers
    output: Output
    deploy: Way
    ask: Ask
    invoke: Invoke
    is_confirmed: bool = False
    _session: Session | None = None

    @property
    def session(self) -> Session:
        """The session over the stage's present configuration."""
        if self._session is None:
            self._session = Session(self.stage, self.is_confirmed)
        return self._session

    def refresh(self) -> None:
        """Drop the session, so that the next one reads configuration and secrets again."""
        self._session = None


@dataclass(frozen=True, slots=True)
class SetupStep:
    """One step of setup, as data.

    Attributes:
        name: short, unique.
        system: ``stage``, or the system that needs it.
        why: what goes wrong without it.
        checks: the names of `doctor`'s checks that tell whether the step is done.
        findings: the checks' findings that must be in order; empty for all.
        without: the checks' findings that belong to another step.
        do: does the step, idempotently, and returns what it did; None if a person does it.  A step
            without checks is done in every run, because the answers may have changed.
        seen: for a step without checks, describes what exists already, or returns an empty text if
            something is to do; None if the step leaves nothing to see.
        next: what to type or do if the step fails.
        is_needed: later steps need it, so that a failure ends the run.
    """

    name: str
    system: str
    why: str
    next: str
    checks: tuple[str, ...] = ()
    findings: tuple[str, ...] = ()
    without: tuple[str, ...] = ()
    do: Callable[[Walk], str] | None = None
    seen: Callable[[Walk], str] | None = None
    is_needed: bool = True


class StuckError(OpsError):
    """A step failed, and the error knows better advice than the step's own `next`.

    Attributes:
        next: what to type or do.
    """

    def __init__(self, message: str, *, next: str) -> None:  # noqa: A002 - as a step names it
        super().__init__(message)
        self.next = next


class LeftOutError(OpsError):
    """A step has nothing to do on this stage; not a failure.  The message says why."""


@dataclass(frozen=True, slots=True)
class StepOutcome:
    """The state of a step before or after a run.

    Attributes:
        state: done, to do, by hand, failed or left out; in a plan also "runs with the walk".
        next: what to type or do if it failed.
        seconds: how long the step took.
    """

    step: SetupStep
    state: str
    detail: str = ""
    seconds: float = 0.0
    next: str = ""


def look(walk: Walk, step: SetupStep) -> StepOutcome:
    """Check a step without changing anything."""
    undone = BY_HAND if step.do is None else TO_DO
    try:
        if not step.checks and step.seen is None:
            return StepOutcome(step, EVERY_WALK)
        if step.seen is not None:
            seen = step.seen(walk)
            return StepOutcome(step, DONE if seen else undone, seen)
        found = [
            finding
            for finding in doctor.examine(walk.session, step.checks)
            if finding.check not in step.without
            and (not step.findings or finding.check in step.findings)
        ]
    except (MiddlewareError, OpsError) as error:
        return StepOutcome(step, undone, str(error))
    except ClientError as error:  # the checked resource does not exist yet
        return StepOutcome(step, undone, error.response["Error"]["Code"])
    lacking = [name for name in step.findings if name not in {finding.check for finding in found}]
    wrong = [finding for finding in found if finding.result not in IN_ORDER]
    problems = [f"{finding.check}: {finding.detail}" for finding in wrong] + lacking
    if problems or not found:
        return StepOutcome(step, undone, "; ".join(problems))
    return StepOutcome(step, DONE, _in_order(found))


def _in_order(found: Sequence[Finding]) -> str:
    """The details of findings in order; for many, only their number."""
    if len(found) > MOST_SHOWN:
        return f"as declared: {len(found)} checks"
    return "; ".join(finding.detail for finding in found if finding.detail)


def run(walk: Walk, steps: Sequence[SetupStep]) -> Iterator[StepOutcome]:
    """Do the steps that are not done, in order; stop after a failed step that others need."""
    for step in steps:
        began = time.monotonic()
        before = look(walk, step)
        if step.do is None or (step.checks and before.state == DONE):
            yield before
            continue
        try:
            said = step.do(walk)
        except LeftOutError as error:
            yield StepOutcome(step, LEFT_OUT, str(error), time.monotonic() - began)
            continue
        except (OpsError, MiddlewareError, ClientError, BotoCoreError) as error:
            yield _failed(step, error, time.monotonic() - began)
            if step.is_needed:
                return
            continue
        walk.refresh()
        after = look(walk, step) if step.checks else StepOutcome(step, DONE)
        took = time.monotonic() - began
        if after.state != DONE:
            yield StepOutcome(step, FAILED, after.detail, took, step.next)
            return
        yield StepOutcome(step, DONE, said, took)


def _failed(
    step: SetupStep,
    error: OpsError | MiddlewareError | ClientError | BotoCoreError,
    seconds: float,
) -> StepOutcome:
    """The outcome of a step that ended with an error, with advice."""
    match error:
        case StuckError():
            return StepOutcome(step, FAILED, str(error), seconds, error.next)
        case OpsError():
            said = str(error)
        case ClientError() if NO_TRANSFORM in str(error):
            said = "the engine of `make run` cannot apply the functions' template"
            return StepOutcome(step, FAILED, said, seconds, WITHOUT_TRANSFORM)
        case ClientError():
            said = f"{unreachable.why(error)}: {error.response.get('Error', {}).get('Message', '')}"
        case _:
            said = unreachable.why(error)
            if unreachable.is_slow(error):
                return StepOutcome(step, FAILED, said, seconds, AGAIN)
    return StepOutcome(step, FAILED, said, seconds, step.next)
