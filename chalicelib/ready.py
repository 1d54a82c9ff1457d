"""Tables that the deployed bundle holds built, since a cold start would build them for a third of a second.

A builder takes no argument, and its result follows from files of the bundle alone.  Packaging calls it
and keeps the result as a pickle (`ops/stage/ready_tables.py`), as it keeps the bytecode of a module;
elsewhere the first call builds it.
"""

from __future__ import annotations

import gc
import pickle
from collections.abc import Callable
from functools import cache, wraps
from pathlib import Path
from typing import Any, TypeVar

Built = TypeVar("Built")

FOLDER = Path(__file__).with_name("ready_tables")
"""The folder of the pickles, which only a bundle has: one file for each builder, named by `name_of`."""


def ready(build: Callable[[], Built]) -> Callable[[], Built]:
    """Make a builder run once in a process, or not at all where the bundle holds its result as a pickle."""

    @cache
    @wraps(build)
    def of() -> Built:
        file = FOLDER / name_of(build)
        found: Built = _loaded(file) if file.is_file() else build()
        return found

    return of


def name_of(build: Callable[[], object]) -> str:
    """The name of the pickle file that holds a builder's result."""
    return f"{build.__module__}.{build.__qualname__}.pickle"


def _loaded(file: Path) -> Any:  # noqa: ANN401 - whatever was kept
    """The result in a pickle file, read while garbage collection is off, which would double the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        return pickle.loads(file.read_bytes())  # noqa: S301 - its bundle's own
    finally:
        if was_on:
            gc.enable()
