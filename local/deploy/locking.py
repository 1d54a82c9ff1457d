"""`python -m local.deploy.locking [--upgrade]`: compiles the locks and prints the changes.

Each package of `requirements.in` and `console/requirements.in` gets its version and hashes, by `uv pip
compile`, for Lambda's platform and the oldest Python that the project runs on.  Without `--upgrade` a
version moves only where it must.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from ops.stage.packages import LOCKS, ROOT, Locked, locked_packages

COMMAND_SECONDS = 300
_TARGET = ("--python-version", "3.11", "--python-platform", "x86_64-manylinux2014")


def compiled(*, is_upgrade: bool, root: Path = ROOT) -> Iterator[str]:
    """Compile every lock; yield a line for each package that changed.

    Raises:
        subprocess.CalledProcessError: the index cannot be reached, or no versions fit together.
    """
    first = None
    for part, name in LOCKS.items():
        lock = root / name
        before = locked_packages(lock) if lock.exists() else ()
        _compile(lock, beside=first, is_upgrade=is_upgrade)
        first = first or lock
        yield from (f"{part}: {line}" for line in changes(before, locked_packages(lock)))


def changes(before: Iterable[Locked], after: Iterable[Locked]) -> Iterator[str]:
    """Yield a line for each package that a lock gained, lost or changed."""
    old, new = ({package.name: package for package in packages} for packages in (before, after))
    for name in sorted(old.keys() | new.keys()):
        was, now = old.get(name), new.get(name)
        if now is None:
            yield f"{name} {old[name].version} is no longer shipped"
        elif was is None:
            yield f"{name} {now.version} is new: https://pypi.org/project/{name}/{now.version}/"
        elif was.version != now.version:
            page = f"https://pypi.org/project/{name}/{now.version}/"
            yield f"{name} {was.version} -> {now.version}: {page}"
        elif was.hashes != now.hashes:
            yield f"{name} {now.version} has other files than before: look before you take them"


def _compile(lock: Path, *, beside: Path | None, is_upgrade: bool) -> None:
    shipped = [package.name for package in locked_packages(beside)] if beside else []
    command = [
        *(sys.executable, "-m", "uv", "pip", "compile", "--quiet", *_TARGET),
        *("--generate-hashes", "--no-annotate", "--no-header"),
        *(("--constraint", str(beside)) if beside else ()),
        *(word for name in shipped for word in ("--no-emit-package", name)),
        *(("--upgrade",) if is_upgrade else ()),
        *(str(lock.with_suffix(".in")), "--output-file", str(lock)),
    ]
    subprocess.run(command, check=True, timeout=COMMAND_SECONDS)  # noqa: S603 - the command is ours


def main() -> int:
    """Compile the locks and print the changes; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m local.deploy.locking")
    parser.add_argument("--upgrade", action="store_true", help="take the newest versions that fit")
    options = parser.parse_args()
    try:
        found = list(compiled(is_upgrade=options.upgrade))
    except subprocess.SubprocessError:
        return 1  # uv has printed why
    print("\n".join(found or ["no package changes"]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
