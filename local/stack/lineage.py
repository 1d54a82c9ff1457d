"""Stops a chain function, queue, function in its seventeenth round, as Lambda does by default.

A message that a function sends while it works on another one carries how often each queue's function
was invoked in its chain; the engine writes that into the header that X-Ray has for it, and the product
knows nothing of it::

    AWSTraceHeader    Root=1-5759e988-bd862e3f;Lineage=rp-mw-events-dev.fifo:3|rp-mw-later-dev:3

What a door or a schedule sends begins a chain.  `longest` says how near any has come.  See
https://docs.aws.amazon.com/lambda/latest/dg/invocation-recursion.html.
"""

from __future__ import annotations

import contextlib
import logging
import re
import secrets
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

HEADER = "AWSTraceHeader"
MOST_ROUNDS = 16
"""Invocations of one function in a chain; the next one is refused."""
_LINEAGE = re.compile(r"Lineage=([^;]*)")
_here = threading.local()
_longest: Counter[str] = Counter()
_counting = threading.Lock()
_log = logging.getLogger(__name__)


class RecursionStoppedError(Exception):
    """A function was not invoked: it is in a loop with its queue."""


@contextlib.contextmanager
def within(record: Mapping[str, Any]) -> Iterator[None]:
    """Within this block, this thread works on a message.

    Args:
        record: of the message, with its attributes and the queue's ARN.

    Raises:
        RecursionStoppedError: it is the seventeenth round; the message stays on its queue, which
            makes it a dead letter in the end.
    """
    rounds = _rounds(record["attributes"].get(HEADER, ""))
    queue = record["eventSourceARN"].rsplit(":", 1)[-1]
    rounds[queue] += 1
    with _counting:
        _longest[queue] = max(_longest[queue], rounds[queue])
    if rounds[queue] > MOST_ROUNDS:
        _log.warning("recursive invocation stopped: round %s of %s", rounds[queue], queue)
        raise RecursionStoppedError(f"{queue}: round {rounds[queue]}")
    _here.rounds = rounds
    try:
        yield
    finally:
        _here.rounds = None


def longest() -> dict[str, int]:
    """The rounds of each queue's function in its longest chain; 17 where one was stopped."""
    with _counting:
        return dict(_longest)


def carry(emitter: Any) -> None:  # noqa: ANN401 - botocore's emitters have no type
    """Let every message that is sent by these clients carry its chain.

    Args:
        emitter: ``events`` of a session, for the clients that it makes from now on, or of a client's
            ``meta``.
    """
    emitter.register("provide-client-params.sqs.SendMessage", _carrying, unique_id="lineage")


def _carrying(params: dict[str, Any], **_: object) -> dict[str, Any]:
    """The parameters of a send, with the header of this thread's chain."""
    rounds = getattr(_here, "rounds", None)
    if not rounds:
        return params
    counts = "|".join(f"{queue}:{count}" for queue, count in sorted(rounds.items()))
    header = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)};Lineage={counts}"
    chain = {HEADER: {"DataType": "String", "StringValue": header}}
    return {**params, "MessageSystemAttributes": chain}


def _rounds(header: str) -> Counter[str]:
    """Invocations by queue; none in a header of another form."""
    found = _LINEAGE.search(header)
    counts = (one.rpartition(":") for one in found[1].split("|")) if found else ()
    return Counter({queue: int(count) for queue, _, count in counts if count.isdecimal()})
