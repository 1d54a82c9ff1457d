"""A newcomer: a clean copy of the repository, and a shell in it that types what the pages say."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import time
from contextlib import contextmanager
from itertools import count
from typing import TYPE_CHECKING

from local.stack.engine import free_port
from tests.docs.blocks import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import IO

    from tests.docs.blocks import Block

_INSTALLED = (".venv", ".venv-sam", ".engines", "build")
_LEFT = shutil.ignore_patterns(".*_cache", ".git", ".run", ".hypothesis", "out", *_INSTALLED)
_RUNS = "Ctrl-C stops everything"
_PATIENCE_SECONDS = 60.0
_HIDDEN = ("AWS_", "STAGE", "PYTHONPATH", "LOCAL_RUN_DIR", "VIRTUAL_ENV")


def clone(folder: Path) -> Path:
    """A copy of the working tree, with what `make` installs the first time."""
    shutil.copytree(ROOT, folder, ignore=_LEFT, symlinks=True)
    for name in _INSTALLED:
        if (ROOT / name).exists():
            (folder / name).symlink_to((ROOT / name).resolve())
    for lock in folder.rglob("requirements*.txt"):
        os.utime(lock, (0, 0))  # installed already: nothing is fetched
    return folder


def environment() -> dict[str, str]:
    """That of a shell which knows nothing of AWS, and other ports than a stack beside the tests."""
    own = {name: value for name, value in os.environ.items() if not name.startswith(_HIDDEN)}
    ports = {name: str(free_port()) for name in ("PORT", "ENGINE_PORT", "RICHPANEL_PORT")}
    return own | ports


class Shell:
    """One bash, in which variables last from block to block.

    Attributes:
        typed: every command so far.
    """

    def __init__(self, folder: Path, env: dict[str, str]) -> None:
        self.folder, self.env = folder, env
        self.typed: list[str] = []
        self._numbers = count()
        self._bash = self._start(["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._served: subprocess.Popen[str] | None = None

    def _start(self, command: list[str], **streams: int | IO[str]) -> subprocess.Popen[str]:
        return subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.env,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
            **streams,  # type: ignore[call-overload]
        )

    def runs(self, block: Block) -> str:
        """Type a block; returns what it printed, which is what the page says.

        Raises:
            AssertionError: a command failed, or printed something else.
        """
        if block.way == "serve":
            return self._serves(block)
        deadline = time.monotonic() + _PATIENCE_SECONDS
        while True:
            ended = [self.types(command) for command in block.commands]
            printed = "".join(text for _, text in ended)
            if block.is_printed(printed) and not any(status for status, _ in ended):
                return printed
            may_ask = block.way == "again" and time.monotonic() < deadline
            assert may_ask, f"{block} says\n{block.prints}\nand it ended so\n{_shown(block, ended)}"
            time.sleep(0.5)

    def types(self, command: str) -> tuple[int, str]:
        """Type a command and wait for its end; returns its status and what it printed.

        Raises:
            AssertionError: the shell has ended.
        """
        self.typed.append(command)
        assert self._bash.stdin
        assert self._bash.stdout
        mark = f"--- {next(self._numbers)} ended with"
        self._bash.stdin.write(f"{command}\nprintf '\\n%s %s\\n' '{mark}' $?\n")
        self._bash.stdin.flush()
        printed = ""
        for line in self._bash.stdout:
            if line.startswith(mark):
                return int(line.removeprefix(mark)), printed.removesuffix("\n")
            printed += line
        raise AssertionError(f"the shell has ended after {command}\n{printed}")

    def _serves(self, block: Block) -> str:
        """Start what keeps its terminal, once for all pages."""
        if self._served:
            return ""
        (command,) = block.commands
        self.typed.append(command)
        terminal = self.folder / "terminal"
        with terminal.open("w") as kept:
            self._served = self._start(["bash", "-c", f"exec {command}"], stdout=kept)
        while _RUNS not in terminal.read_text():
            assert self._served.poll() is None, (
                f"{block}: {command} has ended\n{terminal.read_text()}"
            )
            time.sleep(0.2)
        return terminal.read_text()

    def ends(self) -> None:
        """Ctrl-C in both terminals."""
        for process, number in ((self._served, signal.SIGINT), (self._bash, signal.SIGKILL)):
            if process and process.poll() is None:
                os.killpg(process.pid, number)
        for process in (self._served, self._bash):
            if process:
                process.communicate(timeout=60)


@contextmanager
def shell(folder: Path) -> Iterator[Shell]:
    """A shell in a clean copy."""
    opened = Shell(clone(folder), environment())
    try:
        yield opened
    finally:
        opened.ends()


def _shown(block: Block, ended: list[tuple[int, str]]) -> str:
    pairs = zip(block.commands, ended, strict=True)
    return "\n".join(f"$ {command}\n{text}\n(status {status})" for command, (status, text) in pairs)
