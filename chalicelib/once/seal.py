"""The seal of a queue's message: a MAC over its text, its queue and its group.

A sender without the key cannot make one, and a copied message cannot be moved to another lane,
stage or conversation.  The seal is the last field of the body::

    {"v": 1, "kind": "ticket_message", ..., "mac": "5d41402abc4b2a76b9719d911017c592"}

It covers every byte before it.  A copy of a message is the same message: the ledger does nothing twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from chalicelib.errors import PayloadError
from chalicelib.once.keyring import PurposeKeys
from chalicelib.once.reasons import UNSEALED

SEAL_BYTES = len(',"mac":""}') - len("}") + 32
"""How many bytes the MAC adds to a message's body."""
_SEALED = re.compile(r'(.*),"mac":"([0-9a-f]{32})"\}', re.DOTALL)


class Seal:
    """Adds a MAC to queue messages when they are sent, and checks it when they are received.

    Args:
        keys: the stage's keys of jobs.
    """

    def __init__(self, keys: Callable[[], PurposeKeys]) -> None:
        self._keys = keys

    def sealed(self, text: str, *, queue: str, group_id: str = "") -> str:
        """The text of a JSON object with its MAC as the last field.

        Args:
            text: of an object with at least one field.
            queue: name of the queue that it is sent to.
            group_id: its FIFO group; empty for a queue without groups.

        Raises:
            UnavailableError: the key cannot be read.
        """
        mac = self._keys().sign("job", queue, group_id, text)
        return f'{text[:-1]},"mac":"{mac}"}}'

    def opened(self, body: str, *, queue: str, group_id: str = "") -> str:
        """The text of a received message without its MAC; the MAC must be right for this queue and group.

        Raises:
            PayloadError: the message has no MAC, or that of another text, queue, group or stage.
            UnavailableError: the key cannot be read.
        """
        found = _SEALED.fullmatch(body)
        text = f"{found[1]}}}" if found else ""
        if found is None or not self._keys().verifies(found[2], "job", queue, group_id, text):
            raise PayloadError(UNSEALED, "the message was not sealed by this stage for its place")
        return text
