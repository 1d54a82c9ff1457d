"""How often something may happen within a time: the port of the counters, and their unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Limit:
    """At most so many within a window; `name` is the reason given when it is reached."""

    name: str
    count: int
    window: timedelta


class AllowancePort(Protocol):
    """Counts by conditional writes; implemented by `allowances`."""

    def take(self, what: str, opaque_id: str, by: str, limits: Sequence[Limit]) -> str | None:
        """Take one allowance, or say which limit is reached.

        Args:
            what: e.g. ``auto_reply:customer``.
            opaque_id: whose it is.
            by: the action's key; it may ask again and is not counted again.
            limits: all of them must allow it.

        Raises:
            TransientError: it could not be counted.
        """
        ...

    def give_back(self, what: str, opaque_id: str, by: str) -> None:
        """Undo what this action took; nothing where it took none.

        Raises:
            TransientError: it may still be counted.
        """
        ...
