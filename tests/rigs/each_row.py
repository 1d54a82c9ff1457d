"""A table of cases as one test: every row is tried, and all that fail are reported together.

For tables of many rows whose test asks for no fixture: an item of pytest costs some ten milliseconds,
more than most rows do.
"""

import functools
import inspect

import pytest


def each_row(names, rows):
    """As `pytest.mark.parametrize`, in one item; a failure carries its row as a note."""
    names = [name.strip() for name in names.split(",")] if isinstance(names, str) else list(names)
    rows = [row if len(names) > 1 else (row,) for row in rows]

    def decorate(test):
        signature = inspect.signature(test)
        others = [param for name, param in signature.parameters.items() if name not in names]

        @functools.wraps(test)
        def whole(**given):
            failures = []
            for row in rows:
                try:
                    test(**given, **dict(zip(names, row, strict=True)))
                except (Exception, pytest.fail.Exception) as failure:  # noqa: BLE001 - tried on
                    failure.add_note(f"row: {row!r:.300}")
                    failures.append(failure)
            assert rows, "no row was tried"
            if failures:
                raise BaseExceptionGroup(f"{len(failures)} of {len(rows)} rows", failures)

        whole.__signature__ = signature.replace(parameters=others)
        return whole

    return decorate
