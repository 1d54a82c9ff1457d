"""Builds the layer for the function `console` only, beside the output of `chalice package`.

Chalice makes one bundle for all functions, of `app.py`, `chalicelib` and the packages of
`requirements.txt`.  What only the console needs goes into a separate folder, which the template
names as the layer's content: the packages of `console/requirements.txt`, the pages, and the
functions of `ops` that they call.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import click

from ops.stage import bytecode, provenance
from ops.stage.packages import CACHE, LOCKS, ROOT, PackagesMissingError, locked_packages, packages

FOLDER = "console-layer"
"""The layer's folder, relative to the template."""
TREES = ("console", "ops", ".chalice")
"""Some pages compare the resources declared in `.chalice` with the account's."""


def build_beside_package() -> None:
    """Build the layer during `chalice package`, into the command's output folder.

    When the command ends, `provenance` writes its files there too.  With `--single-file` there is
    no folder to upload, so neither is written.

    Raises:
        SystemExit: the packages cannot be downloaded.
    """
    context = click.get_current_context(silent=True)
    if context is None or context.params.get("single_file") or "out" not in context.params:
        return
    out = Path(context.params["out"])
    try:
        build(out / FOLDER)
    except PackagesMissingError as error:
        sys.exit(str(error))
    context.call_on_close(lambda: provenance.write(out, str(context.params["stage"])))


def build(folder: Path, *, lock: Path = ROOT / LOCKS["console layer"]) -> Path:
    """Build the layer's folder, replacing an earlier one; return it.

    Raises:
        PackagesMissingError: the packages cannot be downloaded.
    """
    shutil.rmtree(folder, ignore_errors=True)
    python = folder / "python"  # Lambda puts this folder of a layer on the path
    if locked_packages(lock):
        shutil.copytree(packages(lock, CACHE), python)
    ignored = shutil.ignore_patterns("__pycache__", "deployed", "deployments", "requirements.*")
    for tree in TREES:
        shutil.copytree(ROOT / tree, python / tree, ignore=ignored)
    bytecode.compile_folder(python, TREES)
    return folder
