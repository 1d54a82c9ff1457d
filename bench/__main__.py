"""`python -m bench`: every figure against its target; exit code 1 if a count is not as expected.

`--small` measures only enough for exact counts and judges no time; `--soak` uses a ledger of a million
items; `--only` runs some sections; `--accept`, with `--small`, stores the counts as the expected ones.
Results are stored in bench/results/, and all pages are written from them.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report import counts, page, sources
from bench.report.sizes import FULL, SMALL, SOAK
from bench.report.table import Row, printed
from bench.sections import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
SIZES = {"small": SMALL, "full": FULL, "soak": SOAK}


LONGEST_SECONDS = {"small": 900, "full": 1_800, "soak": 7_200}
"""Time limit for one section, by size; a section that takes longer is ended as a failure."""


def main() -> int:
    """Measure and print section by section; store the results unless the run is small."""
    options = _options()
    if options.section:
        rows = SECTIONS[options.section](SIZES[options.size])
        options.out.write_text(json.dumps([row.as_json() for row in rows]))
        return 0
    is_small = options.size == "small"
    found: dict[str, list[Row]] = {}
    faults: list[str] = []
    for section in options.only or SECTIONS:
        load = os.getloadavg()[0]
        try:
            rows = _section(section, options.size)
        except subprocess.SubprocessError as error:
            faults.append(f"{section}: {type(error).__name__}")
            continue
        if is_small:
            rows = [row if row.is_exact else replace(row, target=None) for row in rows]
        else:
            _keep(section, rows, options.size, load)
        print("\n".join(printed(rows)), flush=True)
        found[section] = rows
    if is_small and options.accept:
        counts.accept(found)
    expected = counts.expected()
    for section, rows in found.items():
        faults += counts.differences(section, rows, expected, is_small=is_small)
    return _judged([row for rows in found.values() for row in rows], faults)


def _judged(rows: list[Row], faults: list[str]) -> int:
    """Print the missed targets and the faults; returns the exit code, 1 if there are faults.

    A count may miss its target and still be the expected one: then it is printed and is no fault.
    """
    missed = ", ".join(row.name for row in rows if row.is_met is False)
    print(f"\n{len(rows)} figures; missed: {missed or 'none'}")
    for fault in faults:
        print(f"not as expected: {fault}")
    if faults:
        print(
            "`python -m bench --small --accept` takes the counts of this code as the expected ones"
        )
    return 1 if faults else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--small", dest="size", action="store_const", const="small")
    size.add_argument("--soak", dest="size", action="store_const", const="soak")
    parser.set_defaults(size="full")
    parser.add_argument("--accept", action="store_true")
    parser.add_argument("--only", nargs="+", choices=SECTIONS)
    parser.add_argument("--section", choices=SECTIONS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _section(section: str, size: str) -> list[Row]:
    """Run one section in its own process, because app and clients exist once per process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        flag = [] if size == "full" else [f"--{size}"]
        subprocess.run(  # noqa: S603 - this very module
            [sys.executable, "-m", "bench", *flag, "--section", section, "--out", str(out)],
            cwd=ROOT,
            check=True,
            timeout=LONGEST_SECONDS[size],
        )
        return [Row.from_json(raw) for raw in json.loads(out.read_text())]


def _keep(section: str, rows: list[Row], size: str, load: float) -> None:
    """Store a section's rows in place of its older ones, and write the pages."""
    newest = RESULTS / "latest.json"
    kept: dict[str, Any] = json.loads(newest.read_text()) if newest.exists() else {}
    kept[section] = {
        "at": datetime.now(UTC).isoformat(timespec="minutes"),
        "size": size,
        "load": round(load, 2),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()},"
        f" Python {platform.python_version()}",
        "sources": sources.digest(section),
        "rows": [row.as_json() for row in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    ordered = {name: kept[name] for name in SECTIONS if name in kept}
    newest.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")
    page.main()


if __name__ == "__main__":
    sys.exit(main())
