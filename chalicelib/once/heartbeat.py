"""Keeps a message invisible while a slow call runs: extends its visibility, never shortens it.

The worker's message is visible again when its visibility time-out ends, whatever its handler still
does.  Around a call that may be slow, `Heartbeat.beating` sets the time-out anew at an interval,
always to the queue's own full time-out from now, which is later than before.  It has ended when
the block has: nothing it does can come after the backoff that the worker sets for a failed try.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chalicelib.errors import MiddlewareError
from chalicelib.once.ports import Delivery, Log, OutboxPort

VISIBILITY_SECONDS = 720.0
"""The event queue's own (`resources.json`)."""
INTERVAL_SECONDS = 60.0


class Heartbeat:
    """Beats for the message that this thread works on.

    Args:
        visibility_seconds: what each beat sets; the queue's own time-out or more.
        interval_seconds: between two beats; the first comes after one.
    """

    def __init__(
        self,
        outbox: OutboxPort,
        log: Log,
        *,
        visibility_seconds: float = VISIBILITY_SECONDS,
        interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        self._outbox = outbox
        self._log = log
        self._visibility = visibility_seconds
        self._interval = interval_seconds
        self._here = threading.local()

    @contextmanager
    def of(self, delivery: Delivery) -> Iterator[None]:
        """Within this block the thread works on this message."""
        self._here.delivery = delivery
        try:
            yield
        finally:
            self._here.delivery = None

    @property
    def receive_count(self) -> int:
        """How many times this thread's message was handed over; 0 outside of any."""
        delivery: Delivery | None = getattr(self._here, "delivery", None)
        return delivery.receive_count if delivery else 0

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Within this block the message stays invisible; nothing beats after it."""
        delivery: Delivery | None = getattr(self._here, "delivery", None)
        if delivery is None:
            yield
            return
        over = threading.Event()
        thread = threading.Thread(
            target=self._beat, args=(delivery.receipt_handle, over), name="heartbeat", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _beat(self, receipt_handle: str, over: threading.Event) -> None:
        while not over.wait(self._interval):
            with suppress(MiddlewareError):
                self._outbox.defer(receipt_handle, self._visibility)
                self._log.metric("mw.worker.heartbeats")
