'''The decorator of every command: a command's declaration as data, and what all commands share.

A command is a function of a `CommandRun` and of its own arguments and options.  It prints for
people while it runs, and returns a document, which ``--json`` prints instead::

    @command(app, "resend", changes=True, asks="Perform {action} once more?", dry_run=True)
    def resend(run: CommandRun, action: Action) -> object:
        """Perform a finished action once more."""
        ...
        run.confirm()
        run.enter(action)
        return run.output.facts({"event": ...})

The decorator adds ``--stage`` and ``--json``; to a command that changes something ``--yes`` and
``--because`` too, and ``--dry-run`` where it has one.
'''

from __future__ import annotations

import inspect
import os
import shlex
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec

import typer
from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.errors import MiddlewareError
from chalicelib.wiring import Services
from ops import journal, regions, unreachable
from ops.options import Because, DryRun, Json, Reason, Stage, Yes
from ops.output import Output
from ops.session import EXIT_UNUSABLE, LONGEST_KEY, AbsentError, OpsError, Session, refuse_too_long
from ops.stage import config

P = ParamSpec("P")
Given = Mapping[str, Any]
"""A command's own arguments and options, by parameter."""
LONGEST_TEXT = 20_000
TEXTS = frozenset(("pasted", "text", "texts", "hint", "note"))
"""Parameters that take what people write; any other one takes a name, a key, a time or a reason."""
COMMANDS: dict[str, OpsCommand] = {}
"""Every command, by its name as typed."""


def always(_given: Given) -> bool:
    """A guard that holds for every call."""
    return True


def only_with(name: str) -> Callable[[Given], bool]:
    """Make a guard that holds for calls with that argument or option."""
    return lambda given: bool(given[name])


@dataclass(frozen=True, slots=True)
class OpsCommand:
    """The declaration of a command.

    Attributes:
        name: the command as typed and as the journal names its act, such as ``company put``.
        changes: whether the command changes something; otherwise it only reads.
        guard: tells which calls change something, so that prod demands ``--yes``.
        asks: the question to confirm, with parameters in braces; empty for none.
        has_dry_run: the command has ``--dry-run``.
        says_why: the command takes a reason for the journal.
        makes_stage: the stage need not exist, so its resources' stage is not checked.
        examples: example command lines, as the documentation shows them.
    """

    name: str
    changes: bool = False
    guard: Callable[[Given], bool] = always
    asks: str = ""
    has_dry_run: bool = False
    says_why: bool = True
    makes_stage: bool = False
    examples: Sequence[str] = ()


@dataclass(slots=True)
class CommandRun:
    """One run of a command.

    Attributes:
        because: the operator's reason, for the journal.
        dry_run: only show what would be done.
        given: the command's own arguments and options.
        code: the exit code; a command with a negative result sets it.
    """

    command: OpsCommand
    session: Session
    output: Output
    given: Given
    because: str = ""
    dry_run: bool = False
    code: int = 0

    def may_change(self) -> None:
        """Refuse to change prod without ``--yes``, and another stage's resources."""
        name = self.command.name
        if self.command.makes_stage:
            self.session.must_be_confirmed(name)
        else:
            self.session.may_write(name)

    def proposes(self, what: str, *words: str) -> None:
        """Print the next command, complete and ready to paste."""
        stage = self.session.stage
        elsewhere = () if os.environ.get("STAGE") == stage else ("--stage", stage)
        command = shlex.join(("python", "-m", "ops", *words, *elsewhere))
        self.output.say(f"{what}: {command}")

    def confirm(self, at_stake: Mapping[str, object] | None = None) -> None:
        """Ask the command's question, unless ``--yes`` was given; the end of the input is a no.

        Args:
            at_stake: what the operator must see before they answer.

        Raises:
            OpsError: the answer is no.
        """
        if self.session.is_confirmed:
            return
        for name, value in (at_stake or {}).items():
            typer.echo(f"{name + ':':<28}{value}", err=True)
        asked = self.command.asks.format(**self.given, stage=self.session.stage)
        try:
            agrees = typer.confirm(asked, err=True)
        except typer.Abort:
            agrees = False
        if not agrees:
            raise OpsError("not done; --yes does it without asking")

    def enter(self, key: str, *, what: str = "", **seen: Any) -> None:  # noqa: ANN401 - as `journal.act`
        """Enter the act in the journal under the command's name, right before it is done."""
        name = what or self.command.name
        journal.enter(self.session, name, key, **{"reason": self.because, **seen})


Work = Callable[Concatenate[CommandRun, P], object]


def command(
    app: typer.Typer,
    name: str,
    *,
    changes: bool = False,
    guard: Callable[[Given], bool] = always,
    asks: str = "",
    dry_run: bool = False,
    says_why: bool = True,
    makes_stage: bool = False,
    examples: Sequence[str] = (),
) -> Callable[[Work[P]], Work[P]]:
    """Decorate a function as a command of an application; arguments as `OpsCommand`.

    The function's docstring is the command's help; its return value is the command's document.
    """
    kind = OpsCommand(
        name, changes, guard, asks, dry_run, changes and says_why, makes_stage, examples
    )
    COMMANDS[name] = kind

    def register(work: Work[P]) -> Work[P]:
        app.command(name.rpartition(" ")[2], help=_help(work, examples))(_entry(kind, work))
        return work

    return register


def _entry(kind: OpsCommand, work: Callable[..., object]) -> Callable[..., None]:
    """Build the function that typer calls: the work, with the options common to its kind of command."""
    _, *own = inspect.signature(work, eval_str=True).parameters.values()

    def entry(context: typer.Context, **options: Any) -> None:  # noqa: ANN401 - typer's own
        given = {parameter.name: options.pop(parameter.name) for parameter in own}
        is_confirmed = options.get("yes", False)
        run = CommandRun(
            kind,
            Session.over(context.obj, is_confirmed=is_confirmed)
            if isinstance(context.obj, Services)
            else Session(options["stage"], is_confirmed),
            Output(options["json"]),
            given,
            because=options.get("because", ""),
            dry_run=options.get("dry_run", False),
        )
        _refuse_too_long(mine, {**given, **options})
        if not isinstance(context.obj, Services):
            _refuse_undeclared(run.session.stage)
            regions.refuse_unknown()
        if kind.changes and not run.dry_run and kind.guard(given):
            run.may_change()
        try:
            run.output.show(work(run, **given))
        except (AbsentError, MiddlewareError, ClientError) as error:
            _refuse_absent(run.session, error)
            raise
        if run.code:
            raise typer.Exit(run.code)

    here = inspect.Parameter("context", inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
    mine = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in own]
    mine += _common(kind, mine)
    entry.__signature__ = inspect.Signature([here, *mine])  # type: ignore[attr-defined]
    return entry


def _refuse_too_long(taken: Sequence[inspect.Parameter], given: Given) -> None:
    """Refuse arguments longer than any key or reason; AWS's own error would name no argument."""
    for parameter in taken:
        value = given[parameter.name]
        info = next(iter(getattr(parameter.annotation, "__metadata__", ())), None)
        declared = next(
            iter(getattr(info, "param_decls", None) or ()), parameter.name.replace("_", "-")
        )
        for text in value if isinstance(value, list) else [value]:
            if isinstance(text, str):
                longest = LONGEST_TEXT if parameter.name in TEXTS else LONGEST_KEY
                refuse_too_long(declared, text, longest=longest)


def _refuse_absent(session: Session, error: Exception) -> None:
    """Raise that a stage is not completely set up, if an error shows that a resource is missing."""
    lacking = unreachable.absent(error)
    if lacking:
        try:
            region = session.client("sts").meta.region_name
            place = (
                f"account {session.identity.account}, region {region} (as {session.identity.name})"
            )
        except (ClientError, BotoCoreError):
            place = "this account"
        raise OpsError(
            f"{session.stage} is not set up in {place}, or not whole: {lacking}; what is missing:"
            f" python -m ops setup --stage {session.stage} --plan; another account or region:"
            " AWS_PROFILE, AWS_DEFAULT_REGION",
            code=EXIT_UNUSABLE,
        ) from error


def _refuse_undeclared(stage: str) -> None:
    """Refuse a stage that the configuration does not declare: it would get another's settings."""
    if stage not in config.stages():
        known = ", ".join(config.stages())
        raise OpsError(f".chalice/config.json declares no such stage: {known}", code=EXIT_UNUSABLE)


def _common(kind: OpsCommand, own: Sequence[inspect.Parameter]) -> list[inspect.Parameter]:
    """The options that the decorator adds; a command with its own `reason` gets only --because."""
    why = Because if any(parameter.name == "reason" for parameter in own) else Reason
    added: list[tuple[str, object, object]] = [("stage", Stage, "dev")]
    added += [("because", why, "")] if kind.says_why else []
    added += [("dry_run", DryRun, False)] if kind.has_dry_run else []
    added += [("yes", Yes, False)] if kind.changes else []
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
        for name, option, default in (*added, ("json", Json, False))
    ]


def _help(work: Callable[..., object], examples: Sequence[str]) -> str:
    shown = [f"python -m ops {example}" for example in examples]
    return "\n\n".join([inspect.getdoc(work) or "", *(["For example:"] if shown else []), *shown])
