"""The third-party packages that ship, exactly as the locks name them.

`requirements.in` and `console/requirements.in` name the packages with the reason for each.  `make
lock` compiles them into `requirements.txt` and `console/requirements.txt`, with every package's
version and files' hashes.  Both ways of deploying use this module: pip refuses a file with another
hash, and installs nothing that the lock does not name.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ops.stage import aws_models, bytecode

ROOT = Path(__file__).resolve().parents[2]
LOCKS = {
    "functions": Path("requirements.txt"),
    "console layer": Path("console") / "requirements.txt",
}
"""The lock files, by what ships their packages; paths are relative to the project."""
CACHE = ROOT / "build"
COMMAND_SECONDS = 600
_PINNED = re.compile(
    r"^([a-z0-9][a-z0-9._-]*)==([\w.!+-]+)((?:\s*\\?\s*--hash=sha256:[0-9a-f]{64})*)"
)
_HASH = re.compile(r"sha256:([0-9a-f]{64})")


class PackagesMissingError(Exception):
    """The package index cannot be reached, or lacks a locked file."""


class LockError(ValueError):
    """A line of a lock names no version, or no hash."""


@dataclass(frozen=True, slots=True)
class Locked:
    """One package of a lock.

    Attributes:
        hashes: the SHA-256, in hexadecimal, of each of the version's files in the index.
    """

    name: str
    version: str
    hashes: tuple[str, ...]


def locked_packages(lock: Path) -> tuple[Locked, ...]:
    """The packages that a lock names.

    Raises:
        LockError: a line has no exact version, or no hash.
    """
    return tuple(_locked(lock.read_text(encoding="utf-8")))


def _locked(text: str) -> Iterator[Locked]:
    for line in re.sub(r"\\\n", " ", text).splitlines():
        plain = line.partition("#")[0].strip()
        if not plain:
            continue
        found = _PINNED.fullmatch(plain)
        if not found or not found[3]:
            raise LockError(f"no exact version with hashes: {plain.split()[0]}")
        yield Locked(found[1], found[2], tuple(_HASH.findall(found[3])))


def packages(lock: Path, cache: Path) -> Path:
    """The folder with a lock's packages as Lambda needs them; made once for each content.

    The packages are compiled, and lack the data of AWS services that no function calls.

    Args:
        lock: the lock.
        cache: the folder that holds the made folders.

    Raises:
        PackagesMissingError: the package index cannot be reached, or a file has another hash.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(lock.read_bytes() + version.encode() + _recipe()).hexdigest()[:16]
    made = cache / f"packages-{digest}"
    if made.is_dir():
        return made
    cache.mkdir(exist_ok=True)
    scratch = cache / f"fetching-{os.getpid()}"
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--require-hashes", "--no-deps"),
        *("--target", str(scratch), "--platform", "manylinux2014_x86_64"),
        *("--python-version", version, "--only-binary", ":all:", "--no-compile"),
        *("-r", str(lock)),
    ]
    dropped = ("AWS_", "COVERAGE", "PYTHONPATH", "PYTHONWARNINGS")
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith(dropped)
    }
    try:
        subprocess.run(  # noqa: S603 - the command is ours
            command, check=True, capture_output=True, timeout=COMMAND_SECONDS, env=environment
        )
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise PackagesMissingError(
            f"the packages of {lock.name} cannot be downloaded, or are not those that it names"
        ) from error
    shutil.rmtree(scratch / "bin", ignore_errors=True)  # shell commands
    aws_models.keep_used(scratch)
    bytecode.compile_folder(scratch)
    scratch.rename(made)
    return made


def _recipe() -> bytes:
    """The code that makes the folder, as part of the cache's key: changed code makes it again."""
    modules = (aws_models.__file__, bytecode.__file__)
    return b"".join(Path(module).read_bytes() for module in modules)
