"""Stops a loop between a function and its queue in the seventeenth round, as Lambda does by default.

A message sent while a function works on another message carries how often each queue's function was
invoked in its chain.  The count travels in X-Ray's header; the product does not see it::

    AWSTraceHeader    Root=1-5759e988-bd862e3f;Lineage=rp-mw-events-dev.fifo:3|rp-mw-later-dev:3

A message from a route or a schedule begins a chain.  `longest` shows how long chains were.  Source:
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
"""The most invocations of one function in a chain; the next is refused."""
_LINEAGE = re.compile(r"Lineage=([^;]*)")
_here = threading.local()
_longest: Counter[str] = Counter()
_counting = threading.Lock()
_log = logging.getLogger(__name__)


class RecursionStoppedError(Exception):
    """A function was not invoked, because it is in a loop with its queue."""


@contextlib.contextmanager
def within(record: Mapping[str, Any]) -> Iterator[None]:
    """Mark this thread, within the block, as working on a message.

    Args:
        record: the message's record, with its attributes and the queue's ARN.

    Raises:
        RecursionStoppedError: it is the seventeenth round; the message stays on its queue, and in
            the end becomes a dead letter.
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
    """The rounds of each queue's function in its longest chain; 17 if one was stopped."""
    with _counting:
        return dict(_longest)


def carry(emitter: Any) -> None:  # noqa: ANN401 - botocore's emitters have no type
    """Make every message that these clients send carry its chain.

    Args:
        emitter: a session's ``events``, for all clients it makes from now on, or a client's
            ``meta.events``.
    """
    emitter.register("provide-client-params.sqs.SendMessage", _carrying, unique_id="lineage")


def _carrying(params: dict[str, Any], **_: object) -> dict[str, Any]:
    """The parameters of a send call, with the header of this thread's chain."""
    rounds = getattr(_here, "rounds", None)
    if not rounds:
        return params
    counts = "|".join(f"{queue}:{count}" for queue, count in sorted(rounds.items()))
    header = f"Root=1-{int(time.time()):08x}-{secrets.token_hex(12)};Lineage={counts}"
    chain = {HEADER: {"DataType": "String", "StringValue": header}}
    return {**params, "MessageSystemAttributes": chain}


def _rounds(header: str) -> Counter[str]:
    """The invocations by queue in a header; none in a header of another form."""
    found = _LINEAGE.search(header)
    counts = (part.rpartition(":") for part in found[1].split("|")) if found else ()
    return Counter({queue: int(count) for queue, _, count in counts if count.isdecimal()})
