"""Reports the results of `mutmut run` in `mutants/`: killed mutants by file, and the survivors.

A survivor is identified by the lines that it changes, as in docs/reliability-mutation.md, because its number
shifts with every edit.  A survivor that the page does not explain fails the run.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability-mutation.md"
AT_LEAST = 0.95
MUTANTS = ROOT / "mutants" / "chalicelib" / "once"
CORE = ROOT / "chalicelib" / "once"
FILES = (
    *("ledger/events", "ledger/actions", "ledger/rows", "retry", "effects"),
    *("settlement", "door", "intake", "backoff", "outcome", "escalation"),
)

_KILLED = frozenset({1, 3})
"""Exit codes of pytest where a test failed, or where pytest itself broke."""
_ENDLESS = frozenset({24, -24, 36, 152, 255})
"""mutmut's exit codes for tests that timed out: the change made a loop endless."""
_NUMBER = re.compile(r"__mutmut_\d+$")
_ROW = re.compile(r"^\| `(?P<function>[\w/]+\.\w+)` \| `(?P<was>.+?)` \| `(?P<now>.*?)` \| .+ \|$")


@dataclass(frozen=True, slots=True)
class Survivor:
    """A mutant that no test killed.

    Attributes:
        function: file and function, e.g. ``ledger/rows.shard``.
        was: the original lines.
        now: the mutated lines; empty if they were removed.
    """

    function: str
    was: str
    now: str

    def row(self) -> str:
        """The row of the page's table, without the reason."""
        return f"| `{self.function}` | `{self.was}` | `{self.now}` |"


def is_killed(code: int | None) -> bool:
    """Whether a mutant's tests failed or timed out, by their exit code."""
    return code in _KILLED | _ENDLESS


def survivors(
    name: str, codes: Mapping[str, int | None], *, below: Path = MUTANTS
) -> Iterator[Survivor]:
    """The survivors of one file, in the file's order."""
    lines = (below / f"{name}.py").read_text().splitlines()
    bodies = {
        node.name: lines[node.lineno : node.end_lineno]
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.FunctionDef)
    }
    for key, code in codes.items():
        if is_killed(code):
            continue
        mangled = key.rpartition(".")[2]
        original = bodies[_NUMBER.sub("__mutmut_orig", mangled)]
        was, now = _changed(original, bodies[mangled])
        function = _NUMBER.sub("", mangled).rpartition("ǁ")[2].removeprefix("x_")
        yield Survivor(f"{name}.{function}", was, now)


def explained() -> set[Survivor]:
    """The survivors for which the page gives a reason."""
    found = (_ROW.match(line) for line in PAGE.read_text().splitlines())
    return {Survivor(**match.groupdict()) for match in found if match}


def _changed(was: list[str], now: list[str]) -> tuple[str, str]:
    """The differing lines of both sides, joined; ``|`` is replaced, as it would end a table's cell."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for line in difflib.ndiff(was, now):
        if line[0] in sides:
            sides[line[0]].append(line[1:].strip().replace("|", "¦"))
    return " ".join(sides["-"]), " ".join(sides["+"])


def main() -> int:
    """Print the table and the unexplained survivors; returns 1 below the target or if there are any."""
    total = killed = 0
    left: list[Survivor] = []
    print(f"{'file':<20}{'killed':>8}{'of':>8}{'share':>9}   of these endless")
    for name in FILES:
        meta = json.loads((MUTANTS / f"{name}.py.meta").read_text())
        codes = meta["exit_code_by_key"]
        endless = sum(code in _ENDLESS for code in codes.values())
        noticed = endless + sum(code in _KILLED for code in codes.values())
        share = noticed / len(codes)
        print(f"{name + '.py':<20}{noticed:>8}{len(codes):>8}{share:>9.1%}{endless:>19}")
        total, killed = total + len(codes), killed + noticed
        left += survivors(name, codes)
    print(f"{'all':<20}{killed:>8}{total:>8}{killed / total:>9.1%}")
    reasons = explained()
    missing = [survivor for survivor in left if survivor not in reasons]
    print(f"\n{len(left)} survivors, {len(left) - len(missing)} explained in {PAGE.name}")
    for survivor in missing:
        print(survivor.row())
    return int(killed < AT_LEAST * total or bool(missing))


if __name__ == "__main__":
    sys.exit(main())
