"""Signatures that were used: a request whose repetition could undo a later one is taken once.

Most requests need no such row: a start has its id, an act its key, and a question changes nothing.  A
mark that was lifted could be lifted again after the recipient's next STOP; so such a request's signature
is kept, in table A, until its time is over::

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
"""A signature may be as much early as late."""


class UsedSignatures:
    """Takes each signature once.

    Args:
        table: table A.
    """

    def __init__(self, *, table: Store, clock: Clock) -> None:
        self._table = table
        self._clock = clock

    def take(self, signature: str) -> None:
        """Note a signature as used.

        Raises:
            SignatureError: ``INVALID_SIGNATURE``; it is noted already.
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
