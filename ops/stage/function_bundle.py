"""Builds the functions' zip in place of Chalice's: locked packages, bytecode, reproducible bytes.

Chalice's own zip has only sources, with the packaging machine's times and modes.  Both of Chalice's
commands call one method for the zip; this module replaces it, as there is no hook.

    packages.packages    the locked packages, without what no function uses, compiled
    function_bundle      `app.py`, `chalicelib` and Chalice's runtime over them
    archive              the zip
"""

from __future__ import annotations

import hashlib
import shutil
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from chalice.deploy.packager import LambdaDeploymentPackager

from ops.stage import archive, bytecode, ready_tables
from ops.stage.packages import CACHE, PackagesMissingError, locked_packages, packages


def take_over() -> None:
    """Make `chalice deploy` and `chalice package` upload this bundle."""
    own = LambdaDeploymentPackager.create_deployment_package

    def create(self: Any, project_dir: str, python_version: str) -> str:  # noqa: ANN401 - Chalice's
        del python_version  # it is this process's
        project = Path(project_dir)
        try:
            return str(build(project, self._iter_app_filenames(project_dir)))
        except PackagesMissingError as error:
            sys.exit(str(error))

    setattr(LambdaDeploymentPackager, own.__name__, create)


def build(project: Path, sources: Iterable[tuple[str, str]]) -> Path:
    """Build a project's bundle; return the zip, which is named by its content's digest.

    Args:
        project: the folder with the lock.
        sources: each file of the app and of Chalice's runtime, with its path in the bundle.

    Raises:
        PackagesMissingError: the packages cannot be downloaded.
    """
    lock = project / "requirements.txt"
    needed = archive.files(packages(lock, CACHE)) if locked_packages(lock) else {}
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        for source, name in sources:
            if "__pycache__" not in Path(name).parts:
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, folder / name)
        if (folder / "chalicelib" / "ready.py").is_file():
            ready_tables.build(folder)
        bytecode.compile_folder(folder)
        own = archive.files(folder)
        built = archive.write(folder / "bundle.zip", {**needed, **own})
        digest = hashlib.sha256(built.read_bytes()).hexdigest()[:32]
        kept = project / ".chalice" / "deployments"
        kept.mkdir(exist_ok=True)
        return Path(shutil.move(built, kept / f"{digest}.zip"))
