"""Short digests of the rules, models and texts of this release, which a decision records."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from chalicelib.support.replies import template_texts

_HERE = Path(__file__).parent
_LENGTH = 8


@cache
def content_versions() -> dict[str, str]:
    """Short digests of this release's rules, models and texts; equal files give equal digests.

    Example: ``{"rules": "9f2c41aa", "models": ..., "texts": ...}``.
    """
    tables = set(_HERE.rglob("*.toml")) - {template_texts.FILE}
    return {
        "rules": _digest(tables),
        "models": _digest(_HERE.rglob("*.bin")),
        "texts": _digest([template_texts.FILE]),
    }


def _digest(files: Iterable[Path]) -> str:
    found = hashlib.sha256()
    for file in sorted(files):
        found.update(file.name.encode() + b"\0" + file.read_bytes())
    return found.hexdigest()[:_LENGTH]
