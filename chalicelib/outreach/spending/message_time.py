"""The time in which one message is written: its drafts, what is tried again, and their checks share it.

A worker has two minutes for an event, and what is left of them must do for its rows and its sending.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from chalicelib.once.reasons import OUT_OF_TIME
from chalicelib.outreach.spending.unwritten import UnwrittenError

MESSAGE_SECONDS = 85.0
LEAST_SECONDS = 2.0
"""With less time left no further request is made."""


class MessageTime:
    """What is left for the message that each thread writes."""

    def __init__(self) -> None:
        self._here = threading.local()

    @contextmanager
    def of_one_message(self, seconds: float = MESSAGE_SECONDS) -> Iterator[None]:
        """Within this block the thread writes one message."""
        self._here.ends = time.monotonic() + seconds
        try:
            yield
        finally:
            self._here.ends = None

    def left(self, most: float) -> float:
        """The seconds of one request: what it may take at most, or what is left.

        Outside of a message nothing else bounds it.

        Raises:
            UnwrittenError: too little is left.
        """
        ends = getattr(self._here, "ends", None)
        if ends is None:
            return most
        left: float = ends - time.monotonic()
        if left < LEAST_SECONDS:
            raise UnwrittenError(OUT_OF_TIME)
        return min(most, left)
