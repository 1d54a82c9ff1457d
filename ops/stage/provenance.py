"""Writes what a packaged stage was made of: its packages as CycloneDX, its origin as SLSA.

`chalice package` writes both files beside the template.  The first lists every package that ships,
with the hashes of its lock.  The second names the commit, the locks, and the digest of each
uploaded file.  Neither is signed: everybody who may write to the bucket of artifacts could replace
them.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from cyclonedx.model import HashAlgorithm, HashType, Property
from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

from ops.stage.packages import LOCKS, ROOT, Locked, locked_packages

PACKAGES_FILE, ORIGIN_FILE = "packages.cdx.json", "provenance.json"
UNKNOWN = "unknown"


def write(out: Path, stage: str) -> None:
    """Write both files into the folder that `chalice package` has written."""
    commit = git("rev-parse", "HEAD") or UNKNOWN
    (out / PACKAGES_FILE).write_text(listed(commit))
    (out / ORIGIN_FILE).write_text(json.dumps(origin(out, stage, commit), indent=2) + "\n")


def listed(commit: str) -> str:
    """The packages of every lock, as a CycloneDX document in JSON."""
    ours = Component(name="rp-mw", type=ComponentType.APPLICATION, version=commit)
    parts = [
        _component(package, part)
        for part, lock in LOCKS.items()
        for package in locked_packages(ROOT / lock)
    ]
    document = Bom(components=parts, metadata=BomMetaData(component=ours))
    document.register_dependency(ours, parts)
    return JsonV1Dot6(document).output_as_string(indent=2)


def origin(out: Path, stage: str, commit: str) -> dict[str, Any]:
    """The built files and their sources, as an in-toto statement with SLSA's predicate, version 1."""
    locks = [
        {"uri": f"file:{lock.as_posix()}", "digest": {"sha256": _digest(ROOT / lock)}}
        for lock in LOCKS.values()
    ]
    return {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": [
            {"name": name, "digest": {"sha256": digest}} for name, digest in sorted(_made(out))
        ],
        "predicateType": "https://slsa.dev/provenance/v1",
        "predicate": {
            "buildDefinition": {
                "buildType": "https://aws.github.io/chalice/package",
                "externalParameters": {
                    "stage": stage,
                    "python": f"{sys.version_info.major}.{sys.version_info.minor}",
                    "changedFiles": len((git("status", "--porcelain") or "").splitlines()),
                },
                "resolvedDependencies": [
                    {"uri": "git+rp-mw", "digest": {"gitCommit": commit}},
                    *locks,
                ],
            },
            "runDetails": {
                "builder": {"id": "chalice-package"},
                "metadata": {"finishedOn": datetime.now(UTC).isoformat(timespec="seconds")},
            },
        },
    }


def _made(out: Path) -> Iterator[tuple[str, str]]:
    for path in out.rglob("*"):
        if path.is_file() and path.name not in (PACKAGES_FILE, ORIGIN_FILE):
            yield path.relative_to(out).as_posix(), _digest(path)


def _component(package: Locked, part: str) -> Component:
    return Component(
        name=package.name,
        version=package.version,
        bom_ref=f"{part}/{package.name}",
        purl=PackageURL("pypi", None, package.name, package.version),
        hashes=[HashType(alg=HashAlgorithm.SHA_256, content=digest) for digest in package.hashes],
        properties=[Property(name="rp-mw:part", value=part)],
    )


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def git(*arguments: str) -> str | None:
    """Git's output for the project; None if git fails, as outside a repository."""
    try:
        return subprocess.run(  # noqa: S603 - the command is ours
            ["git", *arguments],  # noqa: S607 - found on the PATH
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
