"""An incident: one cause that holds events up, who owns it, and what was done about it.

::

    open ─▶ acknowledged ─▶ mended ─▶ ended
      └────────────────────────────────▲       nothing is held up any more

A cause that comes back after its incident was mended or has ended is the next incident of that cause.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from chalicelib.once.causes import Cause
from chalicelib.once.store import Item

PREFIX = "inc:"


class State(StrEnum):
    """The states of an incident."""

    OPEN = "open"
    ACKNOWLEDGED = "acknowledged"
    MENDED = "mended"
    """Every event that the incident held up was put on the queue again; some have not ended yet."""
    ENDED = "ended"


@dataclass(frozen=True, slots=True)
class Mending:
    """How far the mend of an incident is: putting the events that it holds up back on the queue.

    Attributes:
        by: the person who began it.
        at: when it began, ISO time.
        asked: events that were put on the queue so far.
        is_stopped: a person stopped it.
        is_done: every event that was held up has been put on the queue.
    """

    by: str
    at: str
    asked: int = 0
    is_stopped: bool = False
    is_done: bool = False


@dataclass(frozen=True, slots=True)
class Incident:
    """One cause that holds events up, with its owner and what was done about it.

    Attributes:
        number: of this cause, from 1; part of the name.
        since: when the first event that it holds up was received, ISO time.
        is_stored: it has a row; the sweep writes one some minutes after the first event.
        held: how many events it holds up now.
        version: of the row; grows with every write.
    """

    cause: Cause
    number: int
    state: State
    since: str
    owner: str = ""
    ended_at: str = ""
    mending: Mending | None = None
    is_stored: bool = False
    held: int = 0
    version: int = 0

    @property
    def key(self) -> str:
        """The key of the incident's row, and its subject in the journal."""
        return f"{PREFIX}{self.cause}"

    @property
    def name(self) -> str:
        """The incident's name, as persons type it: ``richpanel.unavailable.tickets.1``."""
        return f"{self.cause}.{self.number}"


def of_row(row: Item) -> Incident:
    """The incident that a row stores; how many events it holds up now is not stored, so `held` is 0."""
    mending = None
    if "mended_by" in row:
        mending = Mending(
            by=row["mended_by"],
            at=row["mended_at"],
            asked=int(row.get("asked_for", 0)),
            is_stopped=bool(row.get("is_stopped", False)),
            is_done=bool(row.get("is_done", False)),
        )
    return Incident(
        cause=Cause.parsed(str(row["event_id"]).removeprefix(PREFIX)),
        number=int(row["number"]),
        state=State(row["status"]),
        since=str(row["received_at"]),
        owner=str(row.get("owner", "")),
        ended_at=str(row.get("finished_at", "")),
        mending=mending,
        is_stored=True,
        version=int(row["version"]),
    )


def current(cause: Cause, stored: Incident | None, held: Sequence[str]) -> Incident | None:
    """The present incident of a cause, from its row and the events held up; None if it never had one.

    Events received after a mend began make the next incident.  It also takes over the events that
    the mend has not ended; it is open and has no owner.

    Args:
        cause: the incident's.
        stored: the incident of this cause that has a row.
        held: the times of receipt of the events that the cause holds up: ISO, in order.
    """
    if not held:
        return stored and replace(stored, state=State.ENDED)
    since = held[0]
    if stored is not None and stored.state == State.MENDED and stored.mending is not None:
        later = [received_at for received_at in held if received_at > stored.mending.at]
        if not later:
            return replace(stored, held=len(held))
        since = later[0]
    elif stored is not None and stored.state != State.ENDED:
        return replace(stored, held=len(held))
    number, version = (stored.number + 1, stored.version) if stored else (1, 0)
    return Incident(cause, number, State.OPEN, since, held=len(held), version=version)
