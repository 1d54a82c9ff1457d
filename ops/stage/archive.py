"""Zips what ships so that the same files give the same bytes: their order, times and modes are fixed."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_TIME = (1980, 1, 1, 0, 0, 0)
"""The first that a zip can name."""
_MODE = 0o100644
"""Of each file; Lambda reads as another user than the one that has packaged."""


def files(folder: Path) -> dict[str, Path]:
    """Every file of a folder, by its path in it."""
    return {one.relative_to(folder).as_posix(): one for one in folder.rglob("*") if one.is_file()}


def write(archive: Path, named: Mapping[str, Path]) -> Path:
    """Write an archive of files, each under its name in it; returns the archive."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, file in sorted(named.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE << 16
            entry.create_system = 3  # Unix, on whatever system it is written
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, file.read_bytes())
    return archive
