"""Tables whose rows take seconds and prove the same: a run tries one row, the others are `long`.

`CASE=2 make test` tries the next row of each such table; CI tries another one with each change.
"""

import os

import pytest

CASE = int(os.environ.get("CASE", "1"))


def one_case(names, rows, **how):
    """As `pytest.mark.parametrize`; `CASE` says which row is not marked `long`."""
    rows = list(rows)
    kept = CASE % len(rows)
    marked = [row if n == kept else _long(row, names) for n, row in enumerate(rows)]
    return pytest.mark.parametrize(names, marked, **how)


def _long(row, names):
    is_one = isinstance(names, str) and "," not in names
    return pytest.param(*([row] if is_one else row), marks=pytest.mark.long)
