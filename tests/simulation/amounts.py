"""How much of the same a test runs: a little of it in every run, all of it in the long one."""

from __future__ import annotations

from typing import Any

import pytest


def more(*bounds: int) -> Any:
    """A parameter of the long run: seeds like those of the parameter beside it."""
    return pytest.param(range(*bounds), marks=pytest.mark.long)


def at_some_calls(every: int, *, long: int = 1) -> Any:
    """The parameter `every`: a fault at every n-th call, and in the long run at more of them."""
    return pytest.mark.parametrize("every", [every, pytest.param(long, marks=pytest.mark.long)])
