"""``python -m bench.report.mutation_sample``: mutation tests of packages outside the core, by sample.

A few hundred mutants of each group are drawn with a fixed seed and tested by the group's own fast
tests.  Prints the share that the tests killed, and every survivor that docs/reliability-mutation.md does not
explain.  `make mutate` tests all mutants of the core.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from bench.report.mutation import AT_LEAST, PAGE, ROOT, Survivor, explained, is_killed, survivors

SAMPLE = 200
SEED = 25
WORK = ROOT / "out" / "mutation"
TRIES = 3
"""Limit of runs of mutmut until every mutant is tested: the tests must first pass on the unchanged code,
and a test with a deadline may fail on a busy machine.
"""
LINKED = (
    "chalicelib",
    "console",
    "tests",
    "local",
    "ops",
    "bench",
    "docs",
    "app.py",
    ".chalice",
    ".engines",
)
"""Files and folders that the tests need, besides `pyproject.toml`, which is written for each group."""
_SECTION = re.compile(r"^\[tool\.mutmut\]\n.*?(?=^\[|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Group:
    """Modules that belong together, and the tests that must notice a change in them.

    Attributes:
        modules: paths below `chalicelib`; ``*`` for all of a folder.
        without: tests to leave out, as an expression of pytest's ``-k``.
    """

    modules: tuple[str, ...]
    tests: tuple[str, ...]
    without: str = "ministack or dynoxide or ddb_local or killed or hundred or test_breaking"


GROUPS: Mapping[str, Group] = {
    "dynamo": Group(
        ("aws/dynamo.py", "aws/dynamo_calls.py", "aws/expressions.py", "aws/typed_values.py"),
        ("tests/contracts/test_store.py", "tests/aws/test_typed_values.py"),
        without="ministack or ddb_local",
    ),
    "switches": Group(("aws/switches.py",), ("tests/aws/test_switches.py", "tests/simulation")),
    "http": Group(("vendors/*",), ("tests/vendors",)),
    "richpanel": Group(
        ("support/richpanel/*",),
        ("tests/support/richpanel", "tests/support/test_performing.py", "tests/support/replies"),
    ),
    "twilio": Group(
        ("outreach/twilio/*", "outreach/sending/prepared.py", "outreach/sending/texts.py"),
        ("tests/outreach",),
    ),
    "ses": Group(("outreach/ses/*",), ("tests/outreach",)),
    "starts": Group(("outreach/door/*", "outreach/events/start.py"), ("tests/outreach",)),
    "sweeps": Group(
        ("once/recovery/*", "support/lost_tickets.py", "outreach/hearing/lost_replies.py"),
        (
            *("tests/once/recovery", "tests/reliability", "tests/outreach/whole/test_lost.py"),
            *("tests/support/test_tickets_lost.py", "tests/simulation"),
        ),
    ),
    "flows": Group(
        (
            *("once/flow.py", "once/resend.py", "support/flow.py", "support/arrivals.py"),
            *(
                "outreach/events/flow.py",
                "outreach/events/message.py",
                "outreach/events/releasing.py",
            ),
            *(
                "outreach/events/receipt.py",
                "outreach/messages/sent.py",
                "outreach/desk/operators.py",
            ),
        ),
        ("tests/support", "tests/outreach", "tests/once/test_resend.py", "tests/simulation"),
    ),
}


def main() -> int:
    """Run the named groups, or all; returns 1 where one misses the target or has unexplained survivors."""
    given = _arguments()
    reasons = explained()
    is_enough = True
    print(f"{'group':<12}{'killed':>8}{'of':>6}{'share':>9}   survivors, explained in {PAGE.name}")
    for name in given.group or GROUPS:
        codes = _tested(name, GROUPS[name], given.sample)
        killed = sum(is_killed(code) for code in codes.values())
        left = _survivors(name, codes)
        missing = [survivor for survivor in left if survivor not in reasons]
        share = killed / len(codes)
        print(f"{name:<12}{killed:>8}{len(codes):>6}{share:>9.1%}{len(left):>12}, ", end="")
        print(len(left) - len(missing), flush=True)
        for survivor in missing:
            print(survivor.row(), flush=True)
        is_enough &= share >= AT_LEAST and not missing
    return int(not is_enough)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--group", action="append", choices=GROUPS, help="all where none is named")
    parser.add_argument("--sample", type=int, default=SAMPLE, help="mutants of each group")
    return parser.parse_args()


def _tested(name: str, group: Group, sample: int) -> dict[str, int | None]:
    """The sampled mutants with the exit codes of their tests."""
    folder = _prepared(WORK / name, group)
    every = _mutants(folder, group)
    drawn = random.Random(SEED).sample(every, min(sample, len(every)))  # noqa: S311 - no secret
    command = (sys.executable, "-m", "mutmut", "run", "--max-children", "1", *sorted(drawn))
    for _ in range(TRIES):
        with (folder / "log.txt").open("a") as log:
            subprocess.run(  # noqa: S603 - the installed tool
                command, cwd=folder, stdout=log, stderr=log, check=False
            )
        codes: dict[str, int | None] = {}
        for meta in folder.glob("mutants/chalicelib/**/*.meta"):
            codes |= json.loads(meta.read_text())["exit_code_by_key"]
        if all(codes.get(key) is not None for key in drawn):
            return {key: codes[key] for key in drawn}
    raise RuntimeError(f"mutants were left untested: {folder / 'log.txt'} says why")


def _prepared(folder: Path, group: Group) -> Path:
    """A folder with the whole project, and a configuration that mutates only this group."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for linked in LINKED:
        if (ROOT / linked).exists():
            (folder / linked).symlink_to((ROOT / linked).resolve())
    section = {
        "source_paths": ["chalicelib"],
        "only_mutate": [f"chalicelib/{module}" for module in group.modules],
        "also_copy": [name for name in LINKED if name not in {"chalicelib", "tests"}],
        "pytest_add_cli_args_test_selection": list(group.tests),
        "pytest_add_cli_args": ["-k", f"not ({group.without})"],
        "timeout_multiplier": 5.0,
        "use_git_change_detection": False,
    }
    written = "".join(f"{name} = {json.dumps(value)}\n" for name, value in section.items())
    project = (ROOT / "pyproject.toml").read_text()
    (folder / "pyproject.toml").write_text(
        _SECTION.sub("", project) + f"\n[tool.mutmut]\n{written}"
    )
    return folder


def _mutants(folder: Path, group: Group) -> list[str]:
    """The names of all mutants of a group."""
    lister = (
        "import pathlib, sys\n"
        "from mutmut.mutation.file_mutation import mutate_file_contents\n"
        "from mutmut.utils.format_utils import get_mutant_name\n"
        "for name in sys.argv[1:]:\n"
        "    found = mutate_file_contents(name, pathlib.Path(name).read_text())\n"
        "    for mutant in found.mutant_names:\n"
        "        print(get_mutant_name(pathlib.Path(name), mutant))\n"
    )
    files = [
        str(path.relative_to(folder))
        for pattern in group.modules
        for path in sorted((folder / "chalicelib").glob(pattern))
        if path.suffix == ".py"
    ]
    command = (sys.executable, "-c", lister, *files)
    listed = subprocess.run(  # noqa: S603 - our own interpreter and code
        command, cwd=folder, capture_output=True, text=True, check=True
    )
    return listed.stdout.split()


def _survivors(name: str, codes: Mapping[str, int | None]) -> list[Survivor]:
    """The survivors of a group, with the lines that they change."""
    below = WORK / name / "mutants" / "chalicelib"
    found: list[Survivor] = []
    for path in sorted({_file_of(key) for key in codes}):
        own = {key: code for key, code in codes.items() if _file_of(key) == path}
        found += survivors(path, own, below=below)
    return found


def _file_of(key: str) -> str:
    """A mutant's file: ``aws/dynamo`` for ``chalicelib.aws.dynamo.xǁTableǁput__mutmut_1``."""
    return "/".join(key.split(".")[1:-1])


if __name__ == "__main__":
    sys.exit(main())
