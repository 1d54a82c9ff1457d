"""``python -m tests.simulation.power --runs 2000``: what a plain run notices of a broken core.

Each break of `breaks` is applied while the same plain seeds run; the first seed that violates a
promise ends it.  A break that plain seeds need not notice names a test, which is run instead and must
fail.  1 where fewer than 18 are noticed by seeds, or one by nothing.

`--seed 10001` runs seeds that were not run while the draws were made; only their count is kept.
`--page` writes what is kept into docs/reliability-tests.md.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path

from bench.report import marked, sources
from tests.simulation.aimed import plain
from tests.simulation.breaks import BREAKS, Break
from tests.simulation.world import World

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "bench" / "results" / "power.json"
LEAST = 18
HEADS = ("break", "what is wrong then", "noticed at seed", "broken promise", "otherwise noticed by")


@dataclass(frozen=True, slots=True)
class Noticed:
    """What came of one break.

    Attributes:
        seed: the first plain seed that violates a promise; 0 where none does.
        promise: the one it violates.
        test: the test that fails with the break, where no seed notices it.
    """

    name: str
    what: str
    seed: int = 0
    promise: str = ""
    test: str = ""

    @property
    def cells(self) -> tuple[object, ...]:
        """The row of the table."""
        seed: object = f"{self.seed:,}" if self.seed else "not tried" if self.test else "none"
        name = self.test.rpartition("::")[2]
        return (self.name, self.what, seed, self.promise, f"`{name}`" if name else "")


def noticed(broken: Break, seeds: Sequence[int]) -> Noticed:
    """Run these seeds with the break until one violates a promise."""
    with broken.applied():
        for seed in seeds:
            violations = World(plain(seed)).run().oracle.violations
            if violations:
                return Noticed(broken.name, broken.what, seed, violations[0].promise)
    return Noticed(broken.name, broken.what)


def is_noticed_by_its_test(broken: Break) -> bool:
    """Whether the break's own test passes without it and fails with it."""
    passes, fails = (_exit_code(broken, with_break=with_break) for with_break in (False, True))
    return (passes, fails) == (0, 1)


def _exit_code(broken: Break, *, with_break: bool) -> int:
    """The exit code of the break's test, in a process of its own."""
    code = (
        "import contextlib, sys, pytest\n"
        "from tests.simulation.breaks import BREAKS\n"
        "name, node, with_break = sys.argv[1:]\n"
        "broken = next(known for known in BREAKS if known.name == name)\n"
        "with broken.applied() if with_break else contextlib.nullcontext():\n"
        "    sys.exit(pytest.main(['-q', '-p', 'no:cacheprovider', node]))\n"
    )
    command = (sys.executable, "-c", code, broken.name, broken.test, "yes" if with_break else "")
    where = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.run(command, cwd=ROOT, env=where, capture_output=True, check=False).returncode


def main(arguments: list[str] | None = None) -> int:
    """Run; 1 when too little is noticed."""
    options = _options(arguments)
    if options.page:
        _write_page()
        return 0
    gc.freeze()
    gc.set_threshold(20_000)
    chosen = [broken for broken in BREAKS if options.only in broken.name]
    found = []
    started = time.process_time()
    for broken in chosen:
        if broken.test and options.seed != 1:
            continue
        if broken.test:
            test = broken.test if is_noticed_by_its_test(broken) else ""
            notice = Noticed(broken.name, broken.what, test=test)
        else:
            notice = noticed(broken, range(options.seed, options.seed + options.runs))
        found.append(notice)
        print(
            f"{notice.name:38} {notice.seed or 'none':>6}  {notice.promise:3} {notice.test}",
            flush=True,
        )
    seconds = round(time.process_time() - started)
    by_seed = sum(notice.seed > 0 for notice in found)
    print(f"\n{by_seed} of {len(found)} noticed by {options.runs:,} plain seeds, {seconds} s")
    if not options.only and options.seed == 1:
        _keep(found, options.runs, seconds)
    elif not options.only:
        _keep_again(found, options.seed, options.runs, seconds)
    unnoticed = [notice.name for notice in found if not notice.seed and not notice.test]
    print(f"noticed by nothing: {', '.join(unnoticed) or 'none'}")
    return int(bool(unnoticed) or (by_seed < LEAST and not options.only))


def _keep(found: Sequence[Noticed], runs: int, seconds: int) -> None:
    kept = {
        "at": datetime.now(UTC).isoformat(timespec="minutes"),
        "runs": runs,
        "seconds": seconds,
        "breaks": [asdict(notice) for notice in found],
        "sources": sources.digest("power"),
    }
    KEPT.write_text(json.dumps(kept, indent=1) + "\n")


def _keep_again(found: Sequence[Noticed], seed: int, runs: int, seconds: int) -> None:
    """Keep the count of other seeds beside the table, which stays as it is."""
    again = {
        "first": seed,
        "last": seed + runs - 1,
        "seconds": seconds,
        "noticed": sum(notice.seed > 0 for notice in found),
        "tried": len(found),
        "unnoticed": [notice.name for notice in found if not notice.seed],
    }
    KEPT.write_text(json.dumps(json.loads(KEPT.read_text()) | {"again": again}, indent=1) + "\n")


def _write_page() -> None:
    kept = json.loads(KEPT.read_text())
    found = [Noticed(**row) for row in kept["breaks"]]
    by_seed = sum(notice.seed > 0 for notice in found)
    first = (
        f"Run of {kept['at']}, {kept['seconds']} s of processor time:"
        f" {by_seed} of {len(found)} breaks are noticed within the plain seeds 1 to"
        f" {kept['runs']:,}, the others by the tests named."
    )
    if again := kept.get("again"):
        first += (
            f" Seeds {again['first']:,} to {again['last']:,}, which were not run while the draws"
            f" were made, notice {again['noticed']} of the {again['tried']} tried"
            f" there ({again['seconds']} s); missed: {', '.join(again['unnoticed']) or 'none'}."
        )
    lines = [first, "", *marked.table(HEADS, [notice.cells for notice in found])]
    marked.write("reliability-tests.md", "power", lines)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.simulation.power", description=__doc__)
    parser.add_argument("--runs", type=int, default=2_000, help="plain seeds")
    parser.add_argument("--seed", type=int, default=1, help="the first seed")
    parser.add_argument("--only", default="", help="breaks with this in their name")
    parser.add_argument("--page", action="store_true", help="write the kept table into the page")
    return parser.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
