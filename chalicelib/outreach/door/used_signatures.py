"""Signatures that may be used only once: those of requests whose repetition could undo a later change.

Most requests need no such row: a start has its id, an act its key, and a question changes nothing.
But a repeated request to lift a do-not-contact mark could lift the mark of the recipient's next
STOP.  So the signature of such a request is stored in table A while it could still be valid::

    event_id    sig:9c1e...          the hash of what was signed, with its key's id and time
    expires_at  1763630352
"""

from __future__ import annotations

from chalicelib.clock import iso
from chalicelib.errors import SignatureError
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.store import ConditionFailed, Store
from chalicelib.outreach.door.message_signatures import WINDOW_SECONDS

_KEPT_SECONDS = 2 * WINDOW_SECONDS
"""Twice the window, as a signature's time may be ahead of our clock or behind it."""


class UsedSignatures:
    """Accepts each signature of a request only once.

    Args:
        table: table A, which stores the used signatures.
    """

    def __init__(self, *, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def claim(self, signature: str) -> None:
        """Store that a request's signature is used.

        Raises:
            SignatureError: ``INVALID_SIGNATURE``; it was used before.
        """
        now = self._clock.now()
        row = {
            "event_id": keys.joined("sig", signature),
            "expires_at": int(now.timestamp()) + _KEPT_SECONDS,
            "last_processed_at": iso(now),
        }
        try:
            self._table.put(row, condition="attribute_not_exists(event_id)")
        except ConditionFailed:
            raise SignatureError(
                "INVALID_SIGNATURE", "the signature was used before: sign the request again"
            ) from None
