"""What one more message costs while a conversation grows: units must not change."""

from __future__ import annotations

from bench.sizes import Sizes
from bench.table import Row


def measure(sizes: Sizes) -> list[Row]:
    """A row for each length of history; none while there is no conversations table."""
    del sizes
    return []
