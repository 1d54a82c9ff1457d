"""Copies the project together with its packages, and runs Chalice's commands on the copy.

The copy differs from the sources in two points.  Third-party packages come from this project's
``build/`` (downloaded once per lock, so that a second deployment needs no network).  The stage's
vendors are the simulated ones of this machine.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING

from local.stack.engine import REGION, ROOT, EngineError, EngineMissingError
from ops.session import OpsError
from ops.stage import deploying
from ops.stage.packages import CACHE, LOCKS, PackagesMissingError, packages

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCES = ("app.py", ".python-version")
TREES = (".chalice", "chalicelib", "console", "local", "ops")
"""`local` and `ops` are not deployed; `app` imports them under Chalice's own command line."""
VENDORS = (
    "OPENAI_BASE_URL",
    "POWERBI_BASE_URL",
    "POWERBI_TOKEN_URL",
    "RICHPANEL_BASE_URL",
    "SHOPIFY_BASE_URL",
    "TWILIO_BASE_URL",
)
NOWHERE = "http://127.0.0.1:9"
"""The address of vendors that are not simulated: calls fail and never leave this machine."""


def project(folder: Path, stage: str, variables: Mapping[str, str]) -> Path:
    """Copy the project into a folder, with its packages and these variables for the stage."""
    sources(folder)
    locks(folder)
    config = folder / ".chalice" / "config.json"
    settings = json.loads(config.read_text())
    leading = {**dict.fromkeys(VENDORS, NOWHERE), **variables}
    settings["stages"][stage].setdefault("environment_variables", {}).update(leading)
    config.write_text(json.dumps(settings, indent=2))
    return folder


def sources(folder: Path) -> Path:
    """Copy the project without packages, on which its template does not depend."""
    ignored = shutil.ignore_patterns("deployments", "deployed", "venv", "__pycache__")
    for tree in TREES:
        if (ROOT / tree).is_dir():
            shutil.copytree(ROOT / tree, folder / tree, ignore=ignored)
    for name in SOURCES:
        shutil.copy(ROOT / name, folder)
    for lock in LOCKS.values():
        (folder / lock).write_text("")
    return folder


def locks(folder: Path) -> None:
    """Give a copy of the project the locks, and the packages that they name.

    Raises:
        EngineMissingError: the package index cannot be reached.
    """
    for lock in LOCKS.values():
        try:
            packages(ROOT / lock, CACHE)
        except PackagesMissingError as error:
            raise EngineMissingError(str(error)) from error
        shutil.copy(ROOT / lock, folder / lock)
    (folder / CACHE.name).symlink_to(CACHE)


def chalice(project: Path, *arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """Run a Chalice command in a project; return its output.

    Raises:
        EngineError: the command failed; the message ends with its output.
    """
    own = _environment({"AWS_DEFAULT_REGION": REGION, "PIP_NO_INDEX": "1", **(variables or {})})
    try:
        return deploying.chalice(project, own, *arguments)
    except OpsError as error:
        raise EngineError(str(error)) from None


def package(project: Path, stage: str) -> Path:
    """Run `chalice package` with the merge template; return the folder with template and bundle."""
    out = project / "out"
    merge = ("--merge-template", ".chalice/functions.json")
    chalice(project, "package", "--stage", stage, *merge, str(out))
    return out


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """This process's environment without AWS's variables and those that slow a child."""
    dropped = ("AWS_", "COVERAGE", "PYTHONPATH", "PYTHONWARNINGS")
    kept = {name: value for name, value in os.environ.items() if not name.startswith(dropped)}
    return {**kept, **variables}
