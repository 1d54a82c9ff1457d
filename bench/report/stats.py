"""Project statistics: lines, tests, coverage, size of the bundle, time from clone to demo.

``python -m bench.report.stats`` prints them; ``--clone`` also measures the time to clone, install and run
the demo.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench.measures.cold import package_mb
from ops.stage.packages import LOCKS, locked_packages

ROOT = Path(__file__).resolve().parents[2]
SHIPPED = ("app.py", "chalicelib")
FOLDERS = (*SHIPPED, "ops", "local", "bench")


def main(arguments: list[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m bench.report.stats", description=__doc__)
    parser.add_argument("--clone", action="store_true", help="time git clone to the demo's end")
    options = parser.parse_args(arguments)
    shown = Table(box=None, pad_edge=False)
    for heading in ("figure", "value", "note"):
        shown.add_column(heading, overflow="fold")
    for row in [*_lines(), _coverage(), *_shipped()]:
        shown.add_row(*row)
    if options.clone:
        shown.add_row("git clone to the end of make demo", *_clone_to_demo())
    Console(width=None if sys.stdout.isatty() else 120).print(shown)
    return 0


def _lines() -> list[tuple[str, str, str]]:
    counted = {folder: _counted(folder) for folder in (*FOLDERS, "tests")}
    source = {path: n for folder in SHIPPED for path, n in counted[folder].items()}
    ordered = sorted(source.values())
    largest = max(source, key=lambda path: source[path])
    tests, shipped = sum(counted["tests"].values()), sum(ordered)
    return [
        *(
            (f"lines in {folder}", f"{sum(found.values()):,}", f"{len(found)} modules")
            for folder, found in counted.items()
        ),
        ("lines by shipped module: median", f"{statistics.median(ordered):.0f}", ""),
        ("  90 % have at most", f"{ordered[int(len(ordered) * 0.9)]}", ""),
        ("  the longest", f"{source[largest]}", str(largest)),
        ("lines of tests per line shipped", f"{tests / shipped:.2f}", ""),
    ]


def _counted(folder: str) -> dict[Path, int]:
    """The number of lines of each Python file under version control."""
    listed = subprocess.run(  # noqa: S603 - git on our own files
        ["git", "ls-files", "--", folder],  # noqa: S607 - git is found by the path
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    files = [Path(name) for name in listed.stdout.split() if name.endswith(".py")]
    return {
        file: len((ROOT / file).read_text().splitlines())
        for file in files
        if (ROOT / file).exists()
    }


def _coverage() -> tuple[str, str, str]:
    """The result of the last `make cover`; lines and branches together, as coverage counts them."""
    if not (ROOT / ".coverage").exists():
        return ("coverage, with branches", "not measured", "make cover measures it")
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "coverage.json"
        subprocess.run(  # noqa: S603 - coverage of this environment
            [sys.executable, "-m", "coverage", "json", "-q", "--fail-under=0", "-o", str(report)],
            cwd=ROOT,
            check=True,
            capture_output=True,
        )
        totals = json.loads(report.read_text())["totals"]
    branches = totals["covered_branches"] / totals["num_branches"]
    return (
        "coverage, with branches",
        f"{totals['percent_covered']:.1f} %",
        f"branches alone {branches:.1%}",
    )


def _shipped() -> list[tuple[str, str, str]]:
    sizes = package_mb()
    whole = sum(sizes.values())
    return [
        (
            "dependencies shipped",
            f"{len(locked_packages(ROOT / LOCKS['functions']))}",
            "locked by hash",
        ),
        (
            "bundle, unzipped",
            f"{whole:.1f} MB",
            f"{whole - sizes['boto3 and botocore']:.1f} MB without boto3 and botocore",
        ),
    ]


def _clone_to_demo() -> tuple[str, str]:
    """Clone, install and run the demo from scratch; returns the total and the clone's time."""
    with tempfile.TemporaryDirectory() as folder:
        clone = Path(folder) / "clone"
        environ = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        began = time.monotonic()
        for command in (["git", "clone", "--quiet", str(ROOT), str(clone)], ["make", "demo"]):
            subprocess.run(  # noqa: S603 - git and make
                command,
                cwd=clone if clone.exists() else folder,
                check=True,
                capture_output=True,
                env=environ,
            )
            if command[0] == "git":
                cloned = time.monotonic()
        return f"{time.monotonic() - began:.0f} s", f"clone {cloned - began:.0f} s"


if __name__ == "__main__":
    sys.exit(main())
