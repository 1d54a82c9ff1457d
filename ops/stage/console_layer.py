"""Builds the layer that only the function `console` carries, beside what `chalice package` writes.

Chalice makes one bundle for all functions, of `app.py`, `chalicelib` and the packages of
`requirements.txt`.  What only the console needs is in a folder of its own, which the template names
as the layer's content: the packages of `console/requirements.txt`, the pages, and the functions of
`ops` that they call.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from pathlib import Path

import click

ROOT = Path(__file__).resolve().parents[2]
FOLDER = "console-layer"
"""Where the template looks for it, from its own folder."""
TREES = ("console", "ops", ".chalice")
"""`.chalice` for the declared resources, which some pages compare with what there is."""
CACHE = ROOT / "build"
COMMAND_SECONDS = 600


class PackagesMissingError(Exception):
    """The package index cannot be reached, or does not have what is pinned."""


def build_beside_package() -> None:
    """Build it under `chalice package`, into the folder that the command writes.

    A single file (`--single-file`) is uploaded by no one who could upload a folder: it gets none.

    Raises:
        SystemExit: the packages cannot be downloaded.
    """
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("single_file") or "out" not in context.params:
        return
    try:
        build(Path(context.params["out"]) / FOLDER)
    except PackagesMissingError as error:
        sys.exit(str(error))


def build(folder: Path, *, requirements: Path = ROOT / "console" / "requirements.txt") -> Path:
    """Build the layer's folder in place of what is there; returns it.

    Raises:
        PackagesMissingError: the packages cannot be downloaded.
    """
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python"  # Lambda puts this folder of a layer on the path
    if _pinned(requirements):
        shutil.copytree(packages(requirements, CACHE), python)
    ignored = shutil.ignore_patterns("__pycache__", "deployed", "deployments", "requirements.txt")
    for tree in TREES:
        shutil.copytree(ROOT / tree, python / tree, ignore=ignored)
    return folder


def packages(requirements: Path, cache: Path) -> Path:
    """The folder with pinned packages as Lambda needs them; downloaded once for each content.

    Args:
        requirements: the pinned packages.
        cache: where folders of packages are kept.

    Raises:
        PackagesMissingError: the package index cannot be reached.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    digest = hashlib.sha256(requirements.read_bytes() + version.encode()).hexdigest()[:16]
    made = cache / f"packages-{digest}"
    if made.is_dir():
        return made
    cache.mkdir(exist_ok=True)
    scratch = cache / f"fetching-{os.getpid()}"
    command = [
        *(sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"),
        *("--target", str(scratch), "--platform", "manylinux2014_x86_64"),
        *("--python-version", version, "--only-binary", ":all:", "--no-compile"),
        *("-r", str(requirements)),
    ]
    dropped = ("AWS_", "COVERAGE", "PYTHONPATH", "PYTHONWARNINGS")
    environment = {k: v for k, v in os.environ.items() if not k.startswith(dropped)}
    try:
        subprocess.run(  # noqa: S603 - the command is ours
            command, check=True, capture_output=True, timeout=COMMAND_SECONDS, env=environment
        )
    except (subprocess.SubprocessError, OSError) as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise PackagesMissingError(
            f"the packages of {requirements.name} cannot be downloaded"
        ) from error
    scratch.rename(made)
    return made


def _pinned(requirements: Path) -> bool:
    lines = (line.partition("#")[0].strip() for line in requirements.read_text().splitlines())
    return any(lines)
