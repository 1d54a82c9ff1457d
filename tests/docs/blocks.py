"""The blocks of commands on a page, in order: what is typed, how it is run, what it should print.

A fence's info string says how:

    sh          typed as it is
    sh again    a question: typed again until it prints what the page says
    sh serve    keeps its terminal until Ctrl-C
    sh long     takes minutes: typed by the long tests
    sh aws      needs an account of AWS or of a vendor: not typed here

A fence ``output`` right after a block is what it prints; ``...`` is anything.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
WAYS = frozenset({"", "again", "serve", "long", "aws"})
_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A block of commands.

    Attributes:
        way: how it is run, one of `WAYS`.
        commands: one by one, each a complete command of a shell, with its comment.
        prints: what the page says that they print together; None where it does not say.
        section: the heading above it.
    """

    page: str
    line: int
    way: str
    commands: tuple[str, ...]
    prints: str | None
    section: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def is_printed(self, text: str) -> bool:
        """Whether a text is what the page says."""
        if self.prints is None:
            return True
        parts = [re.escape(part) for part in self.prints.strip().split("...")]
        return re.fullmatch(r"(?s:.*)".join(parts), text.strip()) is not None


def blocks(page: Path) -> list[Block]:
    """Every block of commands of a page."""
    text = page.read_text()
    fences = list(_FENCE.finditer(text))
    found = []
    for at, fence in enumerate(fences):
        language, _, way = fence[1].partition(" ")
        if language != "sh":
            continue
        after = fences[at + 1] if at + 1 < len(fences) else None
        follows = after and after[1] == "output" and not text[fence.end() : after.start()].strip()
        prints = after[2] if after and follows else None
        line = text.count("\n", 0, fence.start()) + 1
        above = _HEADING.findall(text[: fence.start()])
        section = above[-1] if above else ""
        found.append(Block(page.name, line, way, commands(fence[2]), prints, section))
    return found


def commands(text: str) -> tuple[str, ...]:
    """The commands of a block; one goes on while the shell would ask for more."""
    found, begun = [], ""
    for line in text.splitlines(keepends=True):
        begun += line
        if not begun.rstrip("\n").endswith("\\") and _is_complete(begun):
            found.append(begun.strip())
            begun = ""
    assert not begun.strip(), f"not a complete command: {begun}"
    return tuple(command for command in found if command and not command.startswith("#"))


def _is_complete(text: str) -> bool:
    """Whether every quotation is closed."""
    try:
        shlex.split(text, comments=True)
    except ValueError:
        return False
    return True
