"""Reads JSON lines, one object a line, from a file or from standard input."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ops.session import EXIT_UNUSABLE, OpsError


def objects(file: Path | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the objects with their line numbers; skips empty lines.

    Args:
        file: None for standard input.

    Raises:
        OpsError: the file cannot be read, or a line is not an object; names no value.
    """
    try:
        whole = sys.stdin.read() if file is None else file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise OpsError("the file cannot be read as UTF-8", code=EXIT_UNUSABLE) from None
    for number, line in enumerate(whole.split("\n"), 1):
        if line.strip():
            yield number, _object(line, number)


def wrong(number: int, what: str) -> OpsError:
    """The error of a line: its number and what is wrong there, never the value."""
    return OpsError(f"line {number}: {what}", code=EXIT_UNUSABLE)


def _object(line: str, number: int) -> dict[str, Any]:
    try:
        row = json.loads(line)
    except (ValueError, RecursionError):
        raise wrong(number, "it is no JSON") from None
    if not isinstance(row, dict):
        raise wrong(number, "it is no object")
    return row
