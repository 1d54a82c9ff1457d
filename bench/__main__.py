"""`python -m bench`: every figure against its target; exit code 1 if a counted figure misses it.

`--small` is a smoke run, `--soak` uses a ledger of a million items, `--only` runs some sections.
Results are kept in bench/results/; `python -m bench.report.page` writes them into the docs.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from bench.report.sizes import FULL, SMALL, SOAK
from bench.report.table import Row, printed
from bench.sections import SECTIONS

ROOT = Path(__file__).resolve().parent.parent
RESULTS = ROOT / "bench" / "results"
SIZES = {"small": SMALL, "full": FULL, "soak": SOAK}


def main() -> int:
    """Measure section by section and print; keep the results of a full run."""
    options = _options()
    if options.section:
        rows = SECTIONS[options.section](SIZES[options.size])
        options.out.write_text(json.dumps([row.as_json() for row in rows]))
        return 0
    found: list[Row] = []
    for section in options.only or SECTIONS:
        load = os.getloadavg()[0]
        rows = _section(section, options.size)
        print("\n".join(printed(rows)), flush=True)
        if options.size != "small":
            _keep(section, rows, options.size, load)
        found += rows
    missed = [row.name for row in found if row.met is False]
    print(f"\n{len(found)} figures; missed: {', '.join(missed) or 'none'}")
    facts = 0
    if options.only is None:
        print("\nfacts, a thousand events in ten batches", flush=True)
        facts = subprocess.run(
            [sys.executable, "-m", "bench.measures.facts"], check=False
        ).returncode
    return 1 if facts or any(row.met is False and row.is_exact for row in found) else 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench")
    size = parser.add_mutually_exclusive_group()
    size.add_argument("--small", dest="size", action="store_const", const="small")
    size.add_argument("--soak", dest="size", action="store_const", const="soak")
    parser.set_defaults(size="full")
    parser.add_argument("--only", nargs="+", choices=SECTIONS)
    parser.add_argument("--section", choices=SECTIONS, help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def _section(section: str, size: str) -> list[Row]:
    """Run one section in its own process, as app and clients exist once per process."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "rows.json"
        flag = [] if size == "full" else [f"--{size}"]
        subprocess.run(  # noqa: S603 - this very module
            [sys.executable, "-m", "bench", *flag, "--section", section, "--out", str(out)],
            cwd=ROOT,
            check=True,
        )
        return [Row.from_json(raw) for raw in json.loads(out.read_text())]


def _keep(section: str, rows: list[Row], size: str, load: float) -> None:
    """Replace a section's stored rows by these."""
    newest = RESULTS / "latest.json"
    kept: dict[str, Any] = json.loads(newest.read_text()) if newest.exists() else {}
    kept[section] = {
        "at": datetime.now(UTC).isoformat(timespec="minutes"),
        "size": size,
        "load": round(load, 2),
        "machine": f"{os.cpu_count()} cores, {platform.system()} {platform.machine()},"
        f" Python {platform.python_version()}",
        "rows": [row.as_json() for row in rows],
    }
    RESULTS.mkdir(exist_ok=True)
    ordered = {name: kept[name] for name in SECTIONS if name in kept}
    newest.write_text(json.dumps(ordered, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(main())
