"""Regular expressions compiled on first use, so that a cold start compiles none of them."""

import re
from collections.abc import Callable
from functools import cache


def lazily(pattern: str) -> Callable[[], re.Pattern[str]]:
    """A function that compiles the pattern at its first call and returns it."""

    @cache
    def compiled() -> re.Pattern[str]:
        return re.compile(pattern)

    return compiled
