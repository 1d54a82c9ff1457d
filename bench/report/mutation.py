"""What `mutmut run` left in `mutants/`: how much was noticed by file, and who survived.

A survivor is printed as the page on reliability explains it, by what it changes and not by its
number, which moves with every edit; one that the page does not explain fails the run.
"""

from __future__ import annotations

import ast
import difflib
import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "reliability.md"
AT_LEAST = 0.95
FILES = (
    *("ledger", "ledger_actions", "rows", "effects", "doors", "intake"),
    *("worker", "waits", "outcomes", "escalation"),
)

_KILLED = frozenset({1, 3})
"""Exit codes of pytest where a test failed, or broke pytest itself."""
_ENDLESS = frozenset({24, -24, 36, 152, 255})
"""mutmut's exit codes of tests that had to be stopped: the change made a loop endless."""
_NUMBER = re.compile(r"__mutmut_\d+$")
_ROW = re.compile(r"^\| `(?P<function>\w+\.\w+)` \| `(?P<was>.+?)` \| `(?P<now>.*?)` \| .+ \|$")


@dataclass(frozen=True, slots=True)
class Survivor:
    """A change that no test noticed.

    Attributes:
        function: file and function, e.g. ``ledger._shard``.
        was: the changed lines as they stand.
        now: the same lines as they were changed; empty where they were taken away.
    """

    function: str
    was: str
    now: str

    def row(self) -> str:
        """As a row of the page, without its reason."""
        return f"| `{self.function}` | `{self.was}` | `{self.now}` |"


def survivors(name: str, codes: dict[str, int | None]) -> Iterator[Survivor]:
    """Those of one file that no test noticed, in the order of the file."""
    lines = (ROOT / "mutants" / "chalicelib" / f"{name}.py").read_text().splitlines()
    bodies = {
        node.name: lines[node.lineno : node.end_lineno]
        for node in ast.walk(ast.parse("\n".join(lines)))
        if isinstance(node, ast.FunctionDef)
    }
    for key, code in codes.items():
        if code in _KILLED | _ENDLESS:
            continue
        mangled = key.rpartition(".")[2]
        original = bodies[_NUMBER.sub("__mutmut_orig", mangled)]
        was, now = _changed(original, bodies[mangled])
        function = _NUMBER.sub("", mangled).rpartition("ǁ")[2].removeprefix("x_")
        yield Survivor(f"{name}.{function}", was, now)


def explained() -> set[Survivor]:
    """Those that the page gives a reason for."""
    found = (_ROW.match(line) for line in PAGE.read_text().splitlines())
    return {Survivor(**match.groupdict()) for match in found if match}


def _changed(was: list[str], now: list[str]) -> tuple[str, str]:
    """The lines that differ, joined, each side; a bar would end a cell of the table."""
    sides: dict[str, list[str]] = {"-": [], "+": []}
    for line in difflib.ndiff(was, now):
        if line[0] in sides:
            sides[line[0]].append(line[1:].strip().replace("|", "¦"))
    return " ".join(sides["-"]), " ".join(sides["+"])


def main() -> int:
    """Print the table and the survivors; fail below the target or at one without a reason."""
    total = killed = 0
    left: list[Survivor] = []
    print(f"{'file':<12}{'killed':>8}{'of':>8}{'share':>9}   of these endless")
    for name in FILES:
        meta = json.loads((ROOT / "mutants" / "chalicelib" / f"{name}.py.meta").read_text())
        codes = meta["exit_code_by_key"]
        endless = sum(code in _ENDLESS for code in codes.values())
        noticed = endless + sum(code in _KILLED for code in codes.values())
        share = noticed / len(codes)
        print(f"{name + '.py':<12}{noticed:>8}{len(codes):>8}{share:>9.1%}{endless:>19}")
        total, killed = total + len(codes), killed + noticed
        left += survivors(name, codes)
    print(f"{'all':<12}{killed:>8}{total:>8}{killed / total:>9.1%}")
    reasons = explained()
    missing = [one for one in left if one not in reasons]
    print(f"\n{len(left)} survivors, {len(left) - len(missing)} explained in {PAGE.name}")
    for one in missing:
        print(one.row())
    return int(killed < AT_LEAST * total or bool(missing))


if __name__ == "__main__":
    sys.exit(main())
