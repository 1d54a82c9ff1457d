"""Unpacks the functions' real bundle as Lambda does, and runs programs that import it there.

The bundle is what `chalice package` writes for the stage `dev`; another archive may be measured as well.
Nothing else is installed and no bytecode is written, as Lambda's code folder is read-only.
"""

from __future__ import annotations

import itertools
import json
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from local.deploy import bundle as projects

PROGRAM = """
import json, os, sys, time
from types import SimpleNamespace
sys.path.insert(0, {folder!r})
given = json.loads(sys.argv[1])
out, sys.stdout = sys.stdout, open(os.devnull, "w")
marks, names = [], set(sys.modules)
def mark():
    ours = sum(name == "app" or name.startswith("chalicelib") for name in sys.modules)
    marks.append((time.perf_counter(), time.process_time(), ours, len(sys.modules)))
context = SimpleNamespace(get_remaining_time_in_millis=lambda: 120_000, aws_request_id="r",
    function_name="f", function_version="1", memory_limit_in_mb="512", log_group_name="g",
    log_stream_name="s", identity=None, client_context=None, invoked_function_arn="arn")
mark()
{code}
resident = next(line for line in open("/proc/self/status") if line.startswith("VmRSS")).split()[1]
print(json.dumps({{"marks": marks, "memory": int(resident)}}), file=out, flush=True)
"""


@dataclass(frozen=True, slots=True)
class Step:
    """What a program used from one call of ``mark()`` to the next.

    Attributes:
        ms: wall time. cpu_ms: processor time.
        ours, modules: modules that were loaded: the project's own, and all.
    """

    ms: float
    cpu_ms: float
    ours: int
    modules: int


@dataclass(frozen=True, slots=True)
class Unpacked:
    """An unpacked bundle.

    Attributes:
        archive: the zip. files: number of files. size: of all files, in bytes.
    """

    folder: Path
    archive: Path
    files: int
    size: int

    def run(
        self,
        code: str,
        given: Any = None,  # noqa: ANN401 - JSON
        environ: Mapping[str, str] | None = None,
    ) -> tuple[list[Step], float]:
        """Run a program in a new interpreter that has only the bundle's packages.

        Args:
            code: the program; it may use ``given`` and Lambda's ``context``, and calls ``mark()`` after
                each step.
            given: data for the program, as JSON.
            environ: environment variables; besides them only ``STAGE`` is set.

        Returns:
            The program's steps, and its resident memory at the end, in MB.
        """
        program = PROGRAM.format(folder=str(self.folder), code=code)
        done = subprocess.run(  # noqa: S603 - our own interpreter and code
            [sys.executable, "-I", "-S", "-B", "-c", program, json.dumps(given)],
            stdout=subprocess.PIPE,
            check=True,
            cwd=self.folder,
            text=True,
            env={"STAGE": "dev", **(environ or {})},
        )
        found = json.loads(done.stdout)
        steps = [
            Step((b[0] - a[0]) * 1000, (b[1] - a[1]) * 1000, b[2] - a[2], b[3] - a[3])
            for a, b in itertools.pairwise(found["marks"])
        ]
        return steps, found["memory"] / 1024


@contextmanager
def unpacked(archive: Path | None = None) -> Iterator[Unpacked]:
    """Unpack the project's bundle, or another archive, into an empty folder."""
    with tempfile.TemporaryDirectory(prefix="cold-") as scratch:
        if archive is None:
            project = Path(scratch) / "project"
            project.mkdir()
            out = projects.package(projects.project(project, "dev", {}), "dev")
            archive = out / "deployment.zip"
        folder = Path(scratch) / "task"
        with zipfile.ZipFile(archive) as zipped:
            zipped.extractall(folder)
            entries = [entry for entry in zipped.infolist() if not entry.is_dir()]
        size = sum(entry.file_size for entry in entries)
        yield Unpacked(folder, archive, len(entries), size)
