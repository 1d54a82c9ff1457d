"""Keeps a message invisible while a slow call runs: extends its visibility, never shortens it.

A message becomes visible again when its visibility timeout ends, even if its handler still runs.
Around a call that may be slow, `Heartbeat.beating` resets the timeout at an interval, always to the
queue's own full timeout from now, which is later than before.  The heartbeat stops with the block,
so it never overrides the backoff that the worker sets for a failed attempt.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from chalicelib.errors import MiddlewareError
from chalicelib.once.ports import Delivery, Log, Outbox

VISIBILITY_SECONDS = 720.0
"""The visibility timeout of the lanes' queues, as `resources.json` sets it."""
INTERVAL_SECONDS = 60.0


class Heartbeat:
    """Extends the visibility timeout of the message that this thread works on.

    Args:
        visibility_seconds: the timeout that each extension sets; the queue's own timeout or more.
        interval_seconds: time before the first extension and between extensions.
    """

    def __init__(
        self,
        *,
        outbox: Outbox,
        log: Log,
        visibility_seconds: float = VISIBILITY_SECONDS,
        interval_seconds: float = INTERVAL_SECONDS,
    ) -> None:
        self._outbox = outbox
        self._log = log
        self._visibility = visibility_seconds
        self._interval = interval_seconds
        self._here = threading.local()

    @contextmanager
    def working_on(self, delivery: Delivery) -> Iterator[None]:
        """Within this block the thread is recorded as working on this queue message."""
        self._here.delivery = delivery
        try:
            yield
        finally:
            self._here.delivery = None

    @property
    def receive_count(self) -> int:
        """How often the queue has delivered the message that this thread works on; 0 without a message."""
        delivery: Delivery | None = getattr(self._here, "delivery", None)
        return delivery.receive_count if delivery else 0

    @contextmanager
    def beating(self) -> Iterator[None]:
        """Within this block a second thread keeps the message that this thread works on invisible.

        It extends the message's visibility timeout at every interval.  Without a message it does nothing.
        """
        delivery: Delivery | None = getattr(self._here, "delivery", None)
        if delivery is None:
            yield
            return
        over = threading.Event()
        thread = threading.Thread(
            target=self._beat, args=(delivery, over), name="heartbeat", daemon=True
        )
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def _beat(self, delivery: Delivery, over: threading.Event) -> None:
        while not over.wait(self._interval):
            with suppress(MiddlewareError):
                self._outbox.defer(delivery.receipt_handle, self._visibility, lane=delivery.lane)
                self._log.metric("mw.worker.heartbeats")
