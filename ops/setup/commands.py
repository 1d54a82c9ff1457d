"""The command `setup`."""

from __future__ import annotations

import getpass
import json
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ops.command import CommandRun, Given, command
from ops.inspect.doctor_deployed import NEEDED
from ops.output import Output
from ops.session import EXIT_NO, EXIT_UNUSABLE, OpsError, Session
from ops.setup import answers as answering
from ops.setup import beforehand, doing, pastes, steps, walk
from ops.setup.answers import Answers
from ops.setup.walk import DONE, FAILED, TO_DO, StepOutcome, Walk
from ops.stage.deploying import WAYS

app = typer.Typer()

NEXT = {
    "support": "python -m ops shadow-report --since 14d, after some days",
    "outreach": "python -m ops handoff list",
    "facts": "python -m ops facts pending",
}
"""The command to look at while the stage is in shadow mode, by system."""


def makes_something(given: Given) -> bool:
    """Whether a call of `setup` changes anything."""
    return not (given["plan"] or given["show_pastes"])


@command(
    app,
    "setup",
    changes=True,
    guard=makes_something,
    asks="Set up {stage} there?",
    dry_run=True,
    makes_stage=True,
    examples=[
        "setup --stage prod --plan",
        "setup --stage prod --yes",
        "setup --stage prod --yes --file answers.toml",
    ],
)
def setup_command(
    run: CommandRun,
    file: Annotated[
        Path | None, typer.Option("--file", help="Answers as TOML; without it they are asked for.")
    ] = None,
    secret: Annotated[
        str, typer.Option("--secret", help="Ask for this one secret again and store it.")
    ] = "",
    *,
    plan: Annotated[bool, typer.Option("--plan", help="The same as --dry-run.")] = False,
    show_pastes: Annotated[
        bool, typer.Option("--pastes", help="Only print what is entered at the vendors.")
    ] = False,
) -> object:
    """Take a stage from an empty account to its first message; run it again to go on.

    It leaves the stage in shadow mode: decisions are made and recorded, and no vendor is called.
    """
    session, is_plan = run.session, plan or run.dry_run
    if show_pastes:
        found = list(pastes.every(session))
        _print_pastes(run.output, found)
        return [asdict(outcome) for outcome in found]
    if secret:
        return _one_secret(run, secret)
    given = answering.read(file) if file else _asked(session, is_plan=is_plan)
    if file or not is_plan:
        beforehand.judge(session, given)
    walked = Walk(
        session.stage,
        given,
        run.output,
        deploy=WAYS[given.way],
        ask=_Values(given, may_ask=sys.stdin.isatty()),
        invoke=invoke,
        is_confirmed=session.is_confirmed,
    )
    if is_plan:
        return _plan(walked)
    if not session.is_confirmed:
        run.confirm({"in": doing.place(walked)})
    return _walk(run, walked)


def invoke(session: Session, function: str, event: dict[str, Any]) -> None:
    """Call a deployed function and wait for it.

    Raises:
        OpsError: the function raised an error.
    """
    answer = session.client("lambda").invoke(
        FunctionName=function, Payload=json.dumps(event).encode()
    )
    if "FunctionError" in answer:
        raise OpsError(f"{function} failed: its log group has the reason")


def _walk(run: CommandRun, walked: Walk) -> object:
    output, began = run.output, time.monotonic()
    done: list[StepOutcome] = []
    for outcome in walk.run(walked, steps.of(walked.answers.systems)):
        done.append(outcome)
        output.say(f"{outcome.state:<8} {outcome.step.name}: {outcome.detail}")
    failed = [outcome for outcome in done if outcome.state == FAILED]
    took = time.monotonic() - began
    to_enter = [] if failed else list(pastes.every(walked.session))
    document = {
        "steps": [_shown(outcome) for outcome in done],
        "pastes": [asdict(paste) for paste in to_enter],
        "seconds": round(took, 1),
        "seconds_by_system": _by_system(done),
    }
    if failed:
        for outcome in failed:
            output.say(
                f"{outcome.step.name} failed; then run it again. Next: {outcome.next}",
                style="yellow",
            )
        run.code = EXIT_NO
        return document
    doing.enter(walked, [outcome.step.name for outcome in done], because=run.because)
    _print_pastes(output, to_enter)
    output.say(f"\n{len(done)} steps in {took / 60:.1f} minutes; {len(to_enter)} to enter by hand.")
    output.say("The stage is in shadow. Look at it meanwhile:")
    for system in sorted(walked.answers.systems):
        output.say(f"  {NEXT[system]}")
    output.say(f"then: python -m ops switch set shadow_mode false --stage {walked.stage} --yes")
    if "facts" in walked.answers.systems:
        output.say(f"and the report's days: python -m ops facts seed --stage {walked.stage} --yes")
    return document


def _plan(walked: Walk) -> object:
    place = doing.place(walked)  # without an account every step would show as to do
    walked.output.say(place)
    first, *later = steps.of(walked.answers.systems)
    found = [StepOutcome(first, DONE, place), *(walk.look(walked, step) for step in later)]
    walked.output.table(
        ("step", "system", "state", "why", "next"),
        [
            (
                outcome.step.name,
                outcome.step.system,
                outcome.state,
                outcome.step.why,
                outcome.step.next if outcome.state == TO_DO else "",
            )
            for outcome in found
        ],
    )
    return [_shown(outcome) for outcome in found]


def _shown(outcome: StepOutcome) -> dict[str, Any]:
    return {
        "step": outcome.step.name,
        "system": outcome.step.system,
        "state": outcome.state,
        "detail": outcome.detail,
        "why": outcome.step.why,
        "next": outcome.next or outcome.step.next,
        "seconds": round(outcome.seconds, 1),
    }


def _by_system(done: Sequence[StepOutcome]) -> dict[str, float]:
    names = dict.fromkeys(outcome.step.system for outcome in done)
    return {
        name: round(sum(outcome.seconds for outcome in done if outcome.step.system == name), 1)
        for name in names
    }


def _print_pastes(output: Output, found: Sequence[pastes.Paste]) -> None:
    for paste in found:
        output.say(f"\n{paste.name} - {paste.where}", style="bold")
        for line in (
            paste.address,
            *(f"{name}: {pastes.shown(value)}" for name, value in paste.headers.items()),
        ):
            output.say(f"  {line}" if line else "")
        for line in (paste.body, paste.then):
            if line:
                output.say(f"  {line}")


def _one_secret(run: CommandRun, name: str) -> object:
    """Ask for one secret and store it, as a rotation does."""
    session = run.session
    described = session.template.metadata["Secrets"]
    if name not in described or name == "Comment":
        raise OpsError(f"no such secret: {name}", code=EXIT_UNUSABLE)
    if name.startswith(doing.KEYS):
        raise OpsError(f"{name} is never typed in: docs/security-operators.md#the-keyring")
    if run.dry_run:
        run.output.say(f"{name} would be asked for and stored")
        return {"would_store": name}
    value = getpass.getpass(f"{name} ({described[name]}): ")
    if not value.strip():
        raise OpsError("nothing was given; nothing was changed")
    doing.refuse_unusable(session, name, value)
    run.enter(f"secret:{name}", what="setup --secret")
    doing.store(session, f"rp-mw/{session.stage}/{name}", value)
    run.output.say(f"{name} is stored; every container has it within 5 minutes")
    return {"stored": name}


class _Values:
    """Gets a secret's value from a named environment variable, or from a hidden prompt."""

    def __init__(self, given: Answers, *, may_ask: bool) -> None:
        self._given = given
        self._may_ask = may_ask

    def __call__(self, name: str, why: str) -> str:
        held = self._given.secrets.get(name)
        if held is not None:
            return os.environ.get(held, "")
        return getpass.getpass(f"{name} ({why}): ") if self._may_ask else ""


def _report() -> dict[str, str]:
    """Ask for the variables of the report that facts go to."""
    report = typer.prompt("Facts go to: onelake, powerbi or archive", default="onelake", err=True)
    ids = NEEDED.get(report, ())
    return {"FACTS_REPORT": report, **{id_: typer.prompt(id_, err=True) for id_ in ids}}


def _asked(session: Session, *, is_plan: bool) -> Answers:
    """Answers from the terminal; a plan without a file shows every system that is configured."""
    if is_plan:
        return answering.validate_typed({"systems": sorted(session.services.settings.systems)})
    if not sys.stdin.isatty():
        raise OpsError("there is no terminal to ask at: give --file", code=EXIT_UNUSABLE)
    chosen = [
        system
        for system in ("support", "outreach", "facts")
        if typer.confirm(f"Is it for {system}?", err=True)
    ]
    if not chosen:
        raise OpsError("a stage is for one system at least", code=EXIT_UNUSABLE)
    company = typer.prompt("File of the first company", err=True) if "outreach" in chosen else None
    asked = _report() if "facts" in chosen else {}
    return answering.validate_typed(
        {
            "systems": chosen,
            "way": typer.prompt("Way: stack or direct", default="stack", err=True),
            "alarm_email": typer.prompt("Address for alarms", err=True),
            "company": company,
            "variables": asked,
        }
    )
