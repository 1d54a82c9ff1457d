"""The error for a text that finds nothing: names the places not searched, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from botocore.exceptions import BotoCoreError, ClientError

from chalicelib.clock import iso
from ops.inspect import whereabouts
from ops.session import OpsError, Session
from ops.unreachable import why

BY_A_SCAN = "--deep asks it"
"""The hint for a place that only a scan of the ledger searches."""


@dataclass(frozen=True, slots=True)
class Unasked:
    """A place that may hold the sought thing and was not searched.

    Attributes:
        place: the place, as the middle of a sentence.
        because: why it was not searched.
        how: what the operator can do to search it.
    """

    place: str
    because: str
    how: str


class NothingFoundError(OpsError):
    """Nothing was found under an identifier.

    Attributes:
        asked: the kinds of identifiers it was looked up as.
        unasked: the places not searched; empty if surely nothing is stored.
    """

    def __init__(
        self, text: str, asked: Sequence[str], unasked: Sequence[Unasked], *, scan: str | None
    ) -> None:
        looked_up = f"it was looked up as {', '.join(asked)}"
        if unasked:
            lines = [f"not found: {text}; {looked_up}. It may be in a place that was not searched:"]
        else:
            lines = [f"nothing is stored about {text}; {looked_up}, and every place was asked"]
        lines += [f"- {place.place}: {place.because}; {place.how}" for place in unasked]
        super().__init__("\n".join([*lines, *([scan] if scan else [])]))
        self.asked, self.unasked = tuple(asked), tuple(unasked)


def on_the_queues(session: Session) -> Iterator[Unasked]:
    """Yield each non-empty queue as an unsearched place: an event still on a queue may have no row."""
    try:
        queues = whereabouts.on_queues(session)
    except (ClientError, BotoCoreError) as error:
        yield Unasked("the queues", why(error), "try again")
        return
    now = session.services.clock.now().timestamp()
    for name, counts in queues.items():
        count = sum(counts.values())
        if not count:
            continue
        age = whereabouts.oldest_seconds(session, name)
        since = "" if age is None else f", the oldest since {_iso(now - age)}"
        verb = "messages wait" if count > 1 else "message waits"
        because = f"{count} {verb}{since}, and a queue cannot be searched"
        yield Unasked(f"the queue {name}", because, "look again once they are worked")


def _iso(epoch: float) -> str:
    return iso(datetime.fromtimestamp(epoch, UTC))
