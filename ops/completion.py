"""Completes `python -m ops ...` in bash: commands, options, stages and kinds.

Typer's script completes a one-word program, and ``python -m ops`` is three words.  So the options
are typer's, and the script is ours.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, NoReturn

import typer

COMPLETE_VARIABLE = "_OPS_COMPLETE"
"""The variable by which the script asks for completions, as in typer's own scripts."""
SCRIPT = """\
_ops_completion() {
    [[ ${COMP_WORDS[1]} == -m && ${COMP_WORDS[2]} == ops ]] || return
    local IFS=$'\\n'
    COMPREPLY=( $(env COMP_WORDS="${COMP_WORDS[*]:2}" COMP_CWORD=$((COMP_CWORD - 2)) \\
        _OPS_COMPLETE=complete_bash "$1" -m ops 2>/dev/null) )
}
complete -o default -F _ops_completion python python3
"""
FILE = Path(".bash_completions") / "ops.sh"
"""The script's path in the user's home folder."""


def use_script(options: Iterable[Any]) -> None:
    """Make typer's ``--show-completion`` and ``--install-completion`` use our script."""
    ours = {"show_completion": _show, "install_completion": _install}
    for option in options:
        option.callback = ours.get(option.name, option.callback)


def _show(_context: object, _option: object, is_given: object) -> None:
    if is_given:
        typer.echo(SCRIPT, nl=False)
        _end()


def _install(_context: object, _option: object, is_given: object) -> None:
    """Write the script and have bash load it from its next start on; idempotent."""
    if not is_given:
        return
    file, start = Path.home() / FILE, Path.home() / ".bashrc"
    file.parent.mkdir(exist_ok=True)
    file.write_text(SCRIPT)
    line = f"source '{file}'\n"
    before = start.read_text() if start.exists() else ""
    if line not in before:
        start.write_text(before + ("" if before.endswith("\n") or not before else "\n") + line)
    typer.echo(f"{file} is read by the next bash")
    _end()


def _end() -> NoReturn:
    raise typer.Exit
