"""A wrong command line is one JSON document with `--json`; a wrong terminal is one sentence."""

import json
import os
import signal
import socket
import subprocess
import sys

import boto3
import pytest
import typer

from ops import running
from ops.output import Output
from ops.session import OpsError
from ops.stage import config
from tests.rigs.ops_cli import CommandResult, runner

SECRET = "jo@example.com"
WRONG = {
    "missing argument": (("explain", "--json"), "missing argument 'subject'"),
    "unknown option": (("journal", f"--{SECRET}", "--json"), "no such option"),
    "misspelt option": (("journal", "--stag", "dev", "--json"), "no such option; --stage?"),
    "option before the command": (("--json", "journal"), "no such option"),
    "option without its value": (("journal", "--json", "--since"), "'--since' requires"),
    "value for a flag": (("journal", f"--json={SECRET}"), "'--json' does not take a value"),
    "bad choice": (
        ("facts", "correct", "x", "--json", "--metric", SECRET),
        "invalid value for '--metric'",
    ),
    "bad number": (("handoff", "list", "--limit", SECRET, "--json"), "invalid value for '--limit'"),
    "out of range": (("handoff", "list", "--json", "--limit", "0"), "invalid value for '--limit'"),
    "bad day": (("facts", "correct", "x", "--date", SECRET, "--json"), "not a day as YYYY-MM-DD"),
    "bad agent": (("facts", "correct", "x", "--agent", SECRET, "--json"), "at most 64 letters"),
    "unknown command": ((SECRET, "--json"), "no such command"),
    "unknown command of a group": (("handoff", SECRET, "--json"), "no such command"),
    "no command of a group": (("handoff", "--json"), "no such option"),
    "too many words": (("switch", "get", SECRET, "--json"), "more arguments than it takes"),
}


@pytest.mark.parametrize(("line", "why"), WRONG.values(), ids=WRONG)
def test_wrong_usage_with_json_prints_one_document_without_the_words_typed(capsys, line, why):
    said = runner(capsys)(*line)
    assert said.code == 2
    assert said.data.keys() == {"error"}
    assert why in said.data["error"]
    assert said.err == f"error: {said.data['error']}\n"
    assert SECRET not in said.out + said.err


@pytest.mark.parametrize(
    ("line", "help_of"),
    [(("explain", "--json"), "explain"), (("handoff", "nosuch", "--json"), "handoff")],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_the_document_names_the_help_that_lists_what_is_taken(capsys, line, help_of):
    assert runner(capsys)(*line).data["error"].endswith(f"see python -m ops {help_of} --help")


def test_wrong_usage_without_json_shows_the_usage_and_no_document(capsys):
    said = runner(capsys)("explain")
    assert (said.code, said.out) == (2, "")
    assert "Usage: python -m ops explain" in said.err
    assert "missing argument" in said.err


def test_a_wrong_value_is_not_shown_without_json_either(capsys):
    said = runner(capsys)("may-i-send", "co", "pr", "+15550100001", "--channel", SECRET)
    assert said.code == 2
    assert "invalid value for '--channel'" in said.err
    assert SECRET not in said.out + said.err


@pytest.mark.parametrize("line", ["--help", "journal --help --json", "journal --json --help"])
def test_help_is_no_error_with_json_either(capsys, line):
    said = runner(capsys)(*line.split())
    assert (said.code, said.err) == (0, "")
    assert "Usage" in said.out


AWS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x", "AWS_DEFAULT_REGION": "eu-west-1"}


def hearing_ctrl_c():
    """A shell has what it starts in the background ignore the signal, and children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def stopped(*options):
    """How a command ends when a person stops it while the stage does not answer."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        silent.settimeout(30)
        reached = f"http://127.0.0.1:{silent.getsockname()[1]}"
        with subprocess.Popen(
            (sys.executable, "-m", "ops", "switch", "get", *options),
            env={**os.environ, **AWS, "AWS_ENDPOINT_URL": reached},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=hearing_ctrl_c,  # noqa: PLW1509 - no lock is taken in it
        ) as running:
            asked, _ = silent.accept()
            with asked:
                running.send_signal(signal.SIGINT)
                out, err = running.communicate(timeout=60)
    return CommandResult(running.returncode, out, err)


def test_a_command_that_is_stopped_says_so_with_json_too():
    said = stopped("--json")
    assert (said.code, said.data, said.err) == (
        130,
        {"error": "stopped; run it again"},
        "error: stopped; run it again\n",
    )


def test_a_command_that_is_stopped_says_so_without_a_traceback():
    assert stopped() == CommandResult(130, "", "error: stopped; run it again\n")


def test_a_command_that_is_stopped_while_it_is_loaded_says_so_without_a_traceback():
    with subprocess.Popen(
        (sys.executable, "-X", "importtime", "-m", "ops", "--help"),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=hearing_ctrl_c,  # noqa: PLW1509 - no lock is taken in it
    ) as running:
        for line in running.stderr:  # one for each module, once it is loaded
            if "chalicelib." in line:
                break
        running.send_signal(signal.SIGINT)
        _, err = running.communicate(timeout=60)
    assert running.returncode == 130
    assert "Traceback" not in err
    assert err.endswith("error: stopped; run it again\n")


def test_a_mark_in_what_was_typed_reaches_no_terminal(capsys):
    app = typer.Typer()

    @app.command()
    def refuses() -> None:
        Output().say("\x1b[31m")
        raise OpsError("no such event: evt:rp:\a\x1b[31m1042")

    assert running.run(app, []) == 1
    printed = capsys.readouterr()
    assert printed.err == "error: no such event: evt:rp:⟨U+0007⟩⟨U+001B⟩[31m1042\n"
    assert "\x1b" not in printed.out


# --- a wrong environment --------------------------------------------------------


@pytest.fixture
def terminal(monkeypatch, capsys):
    """A terminal whose AWS variables are these alone; runs a command there."""
    for name in [variable for variable in os.environ if variable.startswith("AWS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.setenv(name, os.devnull)
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)

    def run(*arguments, **variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return runner(capsys)(*arguments)

    return run


REGION = {"AWS_DEFAULT_REGION": "eu-west-1"}
WRONG_TERMINALS = {
    "unknown profile": ({"AWS_PROFILE": "absent"}, "no profile absent"),
    "key without its secret": (
        {**REGION, "AWS_ACCESS_KEY_ID": "x"},
        "without AWS_SECRET_ACCESS_KEY",
    ),
    "no key": (REGION, "there are no credentials of AWS"),
    "address that is none": (
        {**AWS, "AWS_ENDPOINT_URL": "nonsense"},
        "AWS_ENDPOINT_URL is no address",
    ),
}


@pytest.mark.parametrize(
    "line", [("setup", "--plan"), ("switch", "get"), ("doctor",)], ids=" ".join
)
@pytest.mark.parametrize(("variables", "why"), WRONG_TERMINALS.values(), ids=WRONG_TERMINALS)
def test_a_terminal_that_is_wrong_is_said_in_a_sentence(terminal, variables, why, line):
    said = terminal(*line, **variables)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert why in said.err
    assert SECRET not in said.err


def test_a_configuration_file_of_aws_that_is_broken_is_said_in_a_sentence(terminal, tmp_path):
    (tmp_path / "config").write_text("[profile\n")
    said = terminal("switch", "get", AWS_CONFIG_FILE=str(tmp_path / "config"))
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "~/.aws/config" in said.err


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('{"stages": {\n"dev": {}', ", line 2, is not JSON: "),
        ("[]", ' has no "stages"'),
        (None, " cannot be read: "),
    ],
)
def test_a_configuration_that_is_broken_is_named(terminal, monkeypatch, tmp_path, text, why):
    file = tmp_path / ".chalice" / "config.json"
    if text is not None:
        file.parent.mkdir()
        file.write_text(text)
    monkeypatch.setattr(config, "CONFIG", file)
    said = terminal("setup", "--plan", **AWS)
    assert (said.code, said.out, said.err.count("\n")) == (2, "", 1)
    assert f".chalice/config.json{why}" in said.err


def test_a_configured_system_that_is_none_is_named_with_those_that_there_are(
    terminal, monkeypatch, tmp_path
):
    raw = json.loads(config.CONFIG.read_text())
    raw["environment_variables"]["SYSTEMS"] = "support,factz"
    file = tmp_path / "config.json"
    file.write_text(json.dumps(raw))
    monkeypatch.setattr(config, "CONFIG", file)
    said = terminal("setup", "--plan", **AWS)
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "SYSTEMS: known are support, outreach, facts" in said.err
    assert "factz" not in said.err


def test_a_python_without_the_packages_is_told_where_they_are():
    done = subprocess.run(
        (sys.executable, "-S", "-m", "ops", "doctor"), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "has no package typer" in done.stderr
    assert ".venv/bin/python -m ops" in done.stderr
