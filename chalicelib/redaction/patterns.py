"""Patterns that are compiled when a text first needs them: a cold start pays for none of them."""

import re
from collections.abc import Callable
from functools import cache


def lazily(pattern: str) -> Callable[[], re.Pattern[str]]:
    """A function that gives the compiled pattern, the same each time."""

    @cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern)

    return compiled
