"""A board on which the engine of a trial stack writes when each queue's next message can be received.

A pump reads it in microseconds, and asks the engine only where something waits: most looks find nothing,
and each costs milliseconds of both processes::

    python -m local.stack.turned_clock CLOCK local.stack.queue_board BOARD   # the engine, with a board
"""

from __future__ import annotations

import math
import mmap
import struct
import sys
import time
import zlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

_EPOCH = struct.Struct("d")
_SLOTS = 1024
"""A queue's slot is found by its name; queues that share one share the earlier time."""


class QueueBoard:
    """The times, shared by all processes that open the file.

    Args:
        file: made by `new`.
    """

    def __init__(self, file: Path) -> None:
        with file.open("r+b") as opened:
            self._shared = mmap.mmap(opened.fileno(), _EPOCH.size * _SLOTS)

    @classmethod
    def new(cls, file: Path) -> QueueBoard:
        """A board that knows of no message."""
        file.write_bytes(_EPOCH.pack(math.inf) * _SLOTS)
        return cls(file)

    def has_message(self, queue_url: str) -> bool:
        """Whether a message of the queue is visible now; its group may still be in flight."""
        (at,) = _EPOCH.unpack_from(self._shared, _offset(queue_url))
        return bool(at <= time.time())

    def write(self, visible_at: dict[str, float]) -> None:
        """Write when the next message of every queue is visible, by its URL; infinity for none."""
        found: dict[int, float] = {}
        for url, at in visible_at.items():
            offset = _offset(url)
            found[offset] = min(at, found.get(offset, math.inf))
        for offset, at in found.items():
            _EPOCH.pack_into(self._shared, offset, at)


def _offset(queue_url: str) -> int:
    name = queue_url.rpartition("/")[2]
    return zlib.crc32(name.encode()) % _SLOTS * _EPOCH.size


def main(file: str) -> None:
    """Run the engine; after each request to SQS, the board is written before the answer is given."""
    from pathlib import Path  # noqa: PLC0415 - only the engine's process gets here

    from ministack.services import sqs  # noqa: PLC0415 - likewise

    from local.stack import shim  # noqa: PLC0415 - likewise

    board, known = QueueBoard(Path(file)), sqs.handle_request

    async def handle_request(*request: Any) -> Any:  # noqa: ANN401 - MiniStack's own
        answer = await known(*request)
        queues = sqs._queues.items()  # noqa: SLF001 - it has no other door
        board.write(
            {
                url: min((message["visible_at"] for message in queue["messages"]), default=math.inf)
                for url, queue in queues
            }
        )
        return answer

    sqs.handle_request = handle_request
    shim.main()


if __name__ == "__main__":
    main(sys.argv.pop())
