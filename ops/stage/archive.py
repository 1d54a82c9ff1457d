"""Writes reproducible zips: the order, times and modes of the files are fixed."""

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path

_TIME = (1980, 1, 1, 0, 0, 0)
"""The earliest time that a zip can hold."""
_MODE = 0o100644
"""Every file's mode: readable by all, because Lambda runs as another user."""


def files(folder: Path) -> dict[str, Path]:
    """Every file of a folder, by its relative path."""
    return {
        path.relative_to(folder).as_posix(): path for path in folder.rglob("*") if path.is_file()
    }


def write(archive: Path, named: Mapping[str, Path]) -> Path:
    """Write files into a zip, each under its given name; return the zip's path."""
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as zipped:
        for name, file in sorted(named.items()):
            entry = zipfile.ZipInfo(name, _TIME)
            entry.external_attr = _MODE << 16
            entry.create_system = 3  # Unix, whichever system writes it
            entry.compress_type = zipfile.ZIP_DEFLATED
            zipped.writestr(entry, file.read_bytes())
    return archive
