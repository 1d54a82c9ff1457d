"""Runs cfn-lint on the data and access templates and each stage's package; part of `make check`."""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from cfnlint.api import lint_file

from local.deploy import bundle
from local.stack.engine import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator


def main() -> int:
    """Print the findings; return exit code 1 if there are any."""
    stages = list(json.loads((ROOT / ".chalice" / "config.json").read_text())["stages"])
    with tempfile.TemporaryDirectory() as folder:
        project = bundle.sources(Path(folder))
        found = [f"data: {finding}" for finding in data_findings(project)]
        found += [f"{stage}: {finding}" for stage in stages for finding in findings(project, stage)]
    for line in found:
        print(line)
    print(f"cfn-lint: {len(stages)} stages packaged, {len(found)} findings")
    return int(bool(found))


def data_findings(project: Path) -> Iterator[str]:
    """Yield cfn-lint's findings on the data and access stacks' templates, one line each."""
    for name in ("resources.json", "access.json"):
        for match in lint_file(project / ".chalice" / name):
            yield f"{match.rule.id} line {match.linenumber}: {match.message}"


def findings(project: Path, stage: str) -> Iterator[str]:
    """Yield cfn-lint's findings on a stage's packaged template, one line each."""
    for match in lint_file(bundle.package(project, stage) / "sam.json"):
        yield f"{match.rule.id} line {match.linenumber}: {match.message}"


if __name__ == "__main__":
    sys.exit(main())
