"""What holds for every command: help, options, prod, questions, examples."""

import inspect
import re
from pathlib import Path
from types import SimpleNamespace

import pytest
import typer

from chalicelib.outreach.desk.acts import ACTS
from ops import cli
from ops.command import COMMANDS, TEXTS, CommandRun, command
from ops.session import OpsError
from tests.rigs.ops_cli import GROUPS, runner, typer_commands

DOCS = Path(__file__).parents[2] / "docs"
PAGES = "\n".join(path.read_text() for path in DOCS.glob("*.md"))
VERBS = frozenset(
    (
        *(
            "Bring",
            "Store",
            "Check",
            "Compare",
            "Count",
            "Create",
            "Delete",
            "Do",
            "Draft",
            "End",
            "Enter",
        ),
        *(
            "Add",
            "Change",
            "Find",
            "Give",
            "Import",
            "Issue",
            "Judge",
            "Lift",
            "Link",
            "List",
            "Make",
            "Map",
            "Perform",
            "Post",
            "Print",
        ),
        *(
            "Process",
            "Publish",
            "Put",
            "Remove",
            "Render",
            "Resume",
            "Run",
            "Send",
            "Say",
            "Set",
            "Show",
            "Stop",
            "Take",
            "Tell",
            "Try",
        ),
    )
)
"""What the help of a command begins with."""
ONE_THING = "it does one thing, to what is named"
OF_DESK = {f"handoff {act}" for act in ACTS}
"""Acts whose own fields say why, and whose help is that of their row, which other pages have too."""
NO_DRY_RUN = {
    **dict.fromkeys(OF_DESK, ONE_THING),
    "company put": "`company check --file`",
    "company map": "`company check` of each",
    "writer put-verdicts": ONE_THING,
    "writer remove-verdict": "`writer verdicts`",
    "company key": ONE_THING,
    "company signature-key": ONE_THING,
    "company desk-proof": ONE_THING,
    "company event-secret": ONE_THING,
    "company pause-events": ONE_THING,
    "company resend-event": ONE_THING,
    "company test-event": ONE_THING,
    "desk-token issue": ONE_THING,
    "desk-token revoke": "`desk-token list`",
    "incidents acknowledge": "`incidents show`",
    "incidents stop": ONE_THING,
    "do-not-contact add": ONE_THING,
    "do-not-contact lift": "`do-not-contact list --address`",
    "subject link": "`subject show`",
    "subject unlink": "`subject show`",
    "facts create": ONE_THING,
    "facts seed": "it is the same whenever it is done",
    "facts correct": "`facts explain` has the values of now",
    "settle": "without an outcome it only asks",
    "wrong-answer": ONE_THING,
    "dlq drop": "`dlq show`",
    "switch set": "`switch get`",
    "provision": "`doctor` shows what differs",
    "access": "it is the same whenever it is done",
}
"""Commands that change something and have no dry run, and why not."""
CHANGES = {
    "console revoke": ("--everyone",),
    **{
        f"handoff {name}": ("x", "--by", "jo", *(f"--{field.name}=x" for field in act.fields))
        for name, act in ACTS.items()
    },
    "company put": ("item.json",),
    "company map": (),
    "writer put-verdicts": ("ci-none", "pi-none", "verdicts.jsonl"),
    "writer remove-verdict": ("ci-none", "pi-none", "v1"),
    "writer replay": ("ci-none", "pi-none", "--with", "item.json"),
    "company key": ("ci-none",),
    "company signature-key": ("ci-none",),
    "company desk-proof": ("ci-none", "--proof", "tokens"),
    "desk-token issue": ("ci-none", "jo@example.com", "--role", "agent"),
    "desk-token revoke": ("ci-none", "jo@example.com"),
    "incidents acknowledge": ("richpanel-1",),
    "incidents mend": ("richpanel-1",),
    "incidents stop": ("richpanel-1",),
    "company event-secret": ("ci-none",),
    "company pause-events": ("ci-none", "pi-none"),
    "company resend-event": ("ci-none", "x", "1"),
    "company test-event": ("ci-none", "pi-none"),
    "company resume-events": ("ci-none", "pi-none"),
    "erase": ("--subject", "1042"),
    "do-not-contact add": ("--company", "ci-none", "--address", "+15550100001"),
    "do-not-contact lift": ("--company", "ci-none", "--address", "+15550100001"),
    "do-not-contact import": ("--company", "ci-none", "addresses.csv"),
    "subject link": (
        *("--company", "ci-none", "--address", "+15550100001"),
        *("--address", "jo@example.com"),
    ),
    "subject unlink": ("--company", "ci-none", "--address", "+15550100001"),
    "facts create": (),
    "facts seed": (),
    "facts retry": (),
    "facts correct": ("ALOWARE:1", "--agent", "102"),
    "facts remove": ("ALOWARE:1",),
    "facts rebuild": ("--apply",),
    "replay": ("evt:x",),
    "resend": ("act:x",),
    "settle": ("act:x", "done"),
    "wrong-answer": ("evt:x", "wrong_answer"),
    "reconcile": (),
    "restore": ("--at", "1h"),
    "dlq redrive": (),
    "dlq drop": ("x", "--reason", "because"),
    "dlq mail": (),
    "setup": ("--file", "answers.toml"),
    "switch set": ("kill_switch", "false"),
    "provision": (),
    "access": (),
    "keys rotate": ("unsubscribe",),
    "support-settings put": ("settings.toml",),
    "support label": ("1042", "--right"),
    "support-settings restore": ("0",),
    "support-tags": ("--create",),
}
"""A call of every command that changes something."""
KINDS = sorted(COMMANDS.values(), key=lambda command: command.name)
every = pytest.mark.parametrize("kind", KINDS, ids=lambda command: command.name)
changing = pytest.mark.parametrize(
    "kind", [kind for kind in KINDS if kind.changes], ids=lambda command: command.name
)


def options(kind):
    return {option for param in typer_commands()[kind.name].params for option in param.opts}


def test_every_command_is_made_by_the_decorator():
    assert typer_commands().keys() == COMMANDS.keys()
    assert len(COMMANDS) > 50


@every
def test_the_help_of_a_command_is_an_imperative_sentence(kind):
    first = typer_commands()[kind.name].help.partition("\n")[0]
    assert first.split()[0] in VERBS or kind.name in OF_DESK
    assert first.endswith(".")


@every
def test_every_argument_and_option_has_help(kind):
    without = [param.name for param in typer_commands()[kind.name].params if not param.help]
    assert without == []


@every
def test_a_command_has_the_options_of_its_kind(kind):
    assert {"--stage", "--json"} <= options(kind)
    assert ("--yes" in options(kind)) == kind.changes
    assert ("--dry-run" in options(kind)) == kind.has_dry_run
    assert ("--because" in options(kind)) == kind.says_why
    if not kind.changes:
        assert (kind.asks, kind.has_dry_run) == ("", False), "what reads never asks"


def test_a_change_takes_a_reason_and_shows_itself_before_unless_it_is_said_why_not():
    changes = {kind.name for kind in KINDS if kind.changes}
    assert {kind.name for kind in KINDS if kind.changes and not kind.says_why} == OF_DESK
    assert changes - {kind.name for kind in KINDS if kind.has_dry_run} == NO_DRY_RUN.keys()
    assert changes == CHANGES.keys()


# --- examples -------------------------------------------------------------------------------------


@every
def test_an_example_is_one_of_the_pages(kind):
    shown = typer_commands()[kind.name].help
    for example in kind.examples:
        assert f"python -m ops {example}" in PAGES
        assert f"python -m ops {example}" in shown


def test_a_command_that_the_runbook_shows_has_an_example():
    blocks = "".join(
        re.findall(
            r"```sh\n(.*?)```",
            "".join(path.read_text() for path in DOCS.glob("runbook*.md")),
            re.DOTALL,
        )
    )
    lines = re.findall(r"^python -m ops (.+)$", blocks, re.MULTILINE)
    shown = {" ".join(line.split()[: 2 if line.split()[0] in GROUPS else 1]) for line in lines}
    assert len(shown) > 20
    assert {name for name in shown if not COMMANDS[name].examples} == set()


# --- prod, and questions --------------------------------------------------------------------------


@pytest.fixture
def unreachable(monkeypatch):
    """Stage prod, where any call to AWS fails the test."""
    monkeypatch.setattr("ops.session.config.configured", lambda _stage: {})
    monkeypatch.setattr("boto3.client", lambda *_, **__: pytest.fail("AWS was called"))
    monkeypatch.setattr(
        "ops.session.Session.client", lambda *_: pytest.fail("AWS was called"), raising=True
    )


@changing
def test_prod_is_not_changed_without_yes(kind, unreachable, capsys):
    said = runner(capsys)(*kind.name.split(), *CHANGES[kind.name], "--stage", "prod")
    assert (said.code, said.out) == (2, "")
    assert f"{kind.name} changes prod; add --yes" in said.err


class _Plain:
    """A command line of one command, which asks before it says that it has gone ahead."""

    def __init__(self):
        self.app = typer.Typer()
        self.app.callback()(lambda: None)

        @command(self.app, "go", changes=True, asks="Do {what} on {stage}?", dry_run=True)
        def go(run: CommandRun, what: str) -> object:
            """Do it."""
            run.confirm({"to": "jo"})
            return {"did": what, "because": run.because, "dry_run": run.dry_run}

        del COMMANDS["go"]


@pytest.fixture
def plain(monkeypatch):
    monkeypatch.setattr("ops.session.Session.may_write", lambda *_: None)
    return _Plain().app


@pytest.mark.parametrize(
    ("arguments", "typed", "code"),
    [((), "y\n", 0), ((), "n\n", 1), ((), "\n", 1), ((), "", 1), (("--yes",), "", 0)],
    ids=["yes", "no", "nothing", "no terminal", "--yes"],
)
def test_a_question_is_asked_on_standard_error_and_its_answer_is_an_exit_code(
    plain, capsys, monkeypatch, arguments, typed, code
):
    monkeypatch.setattr(cli, "app", plain)
    said = runner(capsys)("go", "that", "--json", "--because", "why", *arguments, typed=typed)
    assert said.code == code
    assert ("Do that on dev?" in said.err, "jo" in said.err) == (not arguments, not arguments)
    if code:
        assert "not done" in said.err
    else:
        assert said.data == {"did": "that", "because": "why", "dry_run": False}


LONG = "x" * 5_000


def _entries(group):
    """The function that typer calls, for every command."""
    yield from (command.callback for command in group.registered_commands)
    for subgroup in group.registered_groups:
        yield from _entries(subgroup.typer_instance)


def test_a_text_of_five_thousand_characters_is_refused_by_the_arguments_name():
    tried = 0
    for entry in _entries(cli.app):
        _, *taken = inspect.signature(entry).parameters.values()
        for parameter in taken:
            kind = str(getattr(parameter.annotation, "__origin__", parameter.annotation))
            if "str" not in kind or parameter.name in TEXTS:
                continue
            given = {other.name: None for other in taken} | {"stage": "dev"}
            given[parameter.name] = ["x", LONG] if "list" in kind else LONG
            with pytest.raises(OpsError, match=r"^[a-z-]+: longer than 1,024 bytes$") as refused:
                entry(SimpleNamespace(obj=None), **given)
            assert refused.value.code == 2
            tried += 1
    assert tried > 250


def test_a_long_reason_is_refused_by_the_option_that_was_typed(capsys):
    said = runner(capsys)("resend", "act:x", "--because", LONG)
    assert (said.code, said.err) == (2, "error: --because: longer than 1,024 bytes\n")
    assert runner(capsys)("journal", LONG).err == "error: key: longer than 1,024 bytes\n"
