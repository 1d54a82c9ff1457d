"""What bash offers after `python -m ops`, asked of a bash that has read the script."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from ops import completion
from ops.cli import main

ROOT = Path(__file__).parents[2]
BASH = shutil.which("bash") or ""
pytestmark = pytest.mark.skipif(not BASH, reason="this machine has no bash")


def offered(*words):
    """The words that bash offers for the last one."""
    line = " ".join(f"'{word}'" for word in ("-m", "ops", *words))
    asked = (
        f"COMP_WORDS=('{sys.executable}' {line}); COMP_CWORD=$(( ${{#COMP_WORDS[@]}} - 1 ));"
        f" _ops_completion '{sys.executable}'; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    )
    found = subprocess.run(
        [BASH, "--norc", "-c", f"{completion.SCRIPT}{asked}"],
        cwd=ROOT,
        env={**os.environ, "PYTHONWARNINGS": "ignore"},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return found.stdout.split()


@pytest.mark.parametrize(
    ("words", "result"),
    [
        (("rest",), ["restore"]),
        (("switch", ""), ["get", "set"]),
        (("resend", "--dry"), ["--dry-run"]),
        (("doctor", "--stage", "st"), ["staging"]),
        (("switch", "set", "kill"), ["kill_switch"]),
    ],
    ids=["command", "group", "option", "stage", "kind"],
)
def test_bash_offers_what_may_follow(words, result):
    assert offered(*words) == result


def test_it_is_installed_once_and_leaves_the_rest_of_the_start_file(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("HOME", str(tmp_path))
    start = tmp_path / ".bashrc"
    start.write_text("alias ll='ls -l'")
    for _ in range(2):
        assert main(["--install-completion"]) == 0
    assert start.read_text().splitlines() == [
        "alias ll='ls -l'",
        f"source '{tmp_path / completion.FILE}'",
    ]
    capsys.readouterr()
    assert main(["--show-completion"]) == 0
    assert capsys.readouterr().out == (tmp_path / completion.FILE).read_text()
