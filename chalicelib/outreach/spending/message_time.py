"""The time limit for writing one message, shared by its drafts, retries and checks.

A worker has two minutes for an event; the rest of them is for reading, storing and sending.
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
"""With fewer seconds left for the message, no further request is made to a model."""


class MessageTime:
    """How much time is left to write the current message; each thread has a time of its own."""

    def __init__(self) -> None:
        self._here = threading.local()

    @contextmanager
    def of_one_message(self, seconds: float = MESSAGE_SECONDS) -> Iterator[None]:
        """A context that gives this thread so many seconds to write one message; see `seconds_left`."""
        self._here.ends = time.monotonic() + seconds
        try:
            yield
        finally:
            self._here.ends = None

    def seconds_left(self, most: float) -> float:
        """The seconds that the next request to a model may take: `most`, or less where less time is left.

        Outside `of_one_message` it is always `most`.

        Raises:
            UnwrittenError: too little time is left.
        """
        ends = getattr(self._here, "ends", None)
        if ends is None:
            return most
        left: float = ends - time.monotonic()
        if left < LEAST_SECONDS:
            raise UnwrittenError(OUT_OF_TIME)
        return min(most, left)
