"""Shares inside a lane: how many of its workers the slow calls of one key may hold.

A lane takes its oldest group first and knows no keys, so one company whose model or endpoint hangs
would hold every worker.  A share limits the slow section of a job, not the whole job:

1. Free: each container sums per key the seconds in slow sections, decayed over 30 s.  While neither
   that sum nor the usual length of a section reaches 6 s, nothing is read or written, so ordinary
      traffic pays nothing.
2. Booked: above 6 s, a section takes a slot in the lane's row, by one conditional write in and one out.
   A key holds all but a quarter of the workers at most, and all keys together leave one free.  A key
   that the container does not know is booked, too, where calls may be slow: else each would hold
   every worker once.  After a slow call the slot is kept for a moment, for its job's next one.
3. Refused: `PacedError` with the key's next time, so that the job is set aside.

Example row of table A.  One row for the whole lane, as only that shows how many workers are left::

    event_id    share:companies
    slots       {"9f86d081...": {"key": "4c1d...", "until": 1763629767.2}}
    lines       {"4c1d...": 1763629770.1}
    version     7
    expires_at  1763802552      last_processed_at  2026-11-20T09:00:02.000Z

Where the row cannot be written, the section runs: a share is fairness and not a promise.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from typing import Any

from chalicelib.clock import iso
from chalicelib.errors import PacedError, TransientError
from chalicelib.once import keys
from chalicelib.once.ports import Clock
from chalicelib.once.reasons import CONTENDED
from chalicelib.once.retry import Attempts, no_pauses
from chalicelib.once.store import ConditionFailed, Item, Store

FREE_SECONDS = 6.0
DECAY_SECONDS = 30.0
GRACE_SECONDS = 5.0
"""How long after its call's deadline a slot ends by itself."""
KEPT_SECONDS = 2.0
"""How long a slot is kept after a slow call, so that the job's next call finds it."""
SHORTEST_TURN_SECONDS = 1.0
TRIES = 8
"""Attempts to write the lane's row, which only containers with slow calls change."""
MOST_KEPT = 1000
"""The most companies and endpoints whose times a container remembers."""
_KEPT_FOR = timedelta(days=2)


class Expected(Enum):
    """How long a call is expected to take, before any call to its company or endpoint was measured.

    The first call of a key (a company's or an endpoint's) in a container takes no slot of the lane if
    it is QUICK.  A call is FAILING if what it calls fails at present: it takes a slot however quick
    earlier calls were.  QUICK calls of a key and its other calls are measured apart.
    """

    QUICK = "quick"
    SLOW = "slow"
    FAILING = "failing"


@dataclass(slots=True)
class _Spent:
    """The time that one container has spent in calls to one company or endpoint.

    Attributes:
        seconds: the decayed sum, as of `at`.
        usual: the usual seconds of a call.  After each call: its seconds, or the mean of them and the
            usual seconds before, whichever is longer.
    """

    seconds: float = 0.0
    at: float = 0.0
    usual: float = SHORTEST_TURN_SECONDS

    def left(self, now: float) -> float:
        """The seconds of earlier calls that still count after decay."""
        return self.seconds * math.exp(-max(0.0, now - self.at) / DECAY_SECONDS)

    def is_slow(self, now: float) -> bool:
        """Whether calls to this company or endpoint are so slow that each must take a slot of the lane."""
        return max(self.usual, self.left(now)) >= FREE_SECONDS


@dataclass(slots=True)
class _Booking:
    """What a lane's row holds and has not expired: the slots by owner, and each key's next turn."""

    slots: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    lines: dict[str, float] = field(default_factory=dict)

    def slots_of(self, key: str) -> int:
        """How many slots of the lane the calls of one key (a company's or an endpoint's) hold."""
        return sum(slot["key"] == key for slot in self.slots.values())


class LaneShare:
    """Limits how many workers of a lane the slow calls to one company or endpoint hold.

    Args:
        table: table A.
        lane: its name.
        workers: how many the lane has.
        new_owner: makes the id of a slot's owner.
    """

    def __init__(
        self, *, table: Store, lane: str, workers: int, clock: Clock, new_owner: Callable[[], str]
    ) -> None:
        self._table = table
        self._lane = lane
        self._workers = workers
        self._clock = clock
        self._new_owner = new_owner
        self._seen: Item = {}
        self._spent: dict[tuple[str, bool], _Spent] = {}
        self._job: int | None = None
        self._owner: str | None = None

    @property
    def most_of_a_key(self) -> int:
        """The most workers of the lane that slow calls to one company or endpoint may hold at once."""
        return self._workers - max(1, math.ceil(self._workers / 4))

    @contextmanager
    def calling(
        self,
        key: str,
        deadline_seconds: float,
        *,
        job: int,
        expected: Expected = Expected.SLOW,
    ) -> Iterator[None]:
        """Within this block a possibly slow call is made; it holds a slot of the lane where one is needed.

        Args:
            key: opaque: the company or endpoint that is called.
            deadline_seconds: of the call.
            job: number of the job that makes the call.  A job that has made a call is not refused
                the next one: the first would be paid for twice.
            expected: of the call, before anything is known of its key.

        Raises:
            PacedError: the key's workers, or the lane's, are taken; nothing was called.
        """
        counted = (key, expected == Expected.QUICK)
        spent = self._spent.get(counted)
        is_begun = job == self._job
        kept = self._owner if is_begun else None
        owner = None
        if self._workers > 1 and not self._is_quick(spent, expected):
            owner = self._take_slot(key, spent, deadline_seconds, kept, is_begun=is_begun)
        self._job, self._owner = job, owner
        began = self._clock.monotonic()
        try:
            yield
        finally:
            seconds = self._clock.monotonic() - began
            self._note_call(counted, seconds)
            if owner is not None:
                self._give_back_slot(key, owner, is_kept=seconds >= FREE_SECONDS)

    def _give_back_slot(self, key: str, owner: str, *, is_kept: bool) -> None:
        """Give a slot of the lane back, or keep it for a moment for the job's next call."""

        def leave(booking: _Booking) -> None:
            booking.slots.pop(owner, None)
            if is_kept:
                until = self._clock.now().timestamp() + KEPT_SECONDS
                booking.slots[owner] = {"key": key, "until": until}

        with suppress(TransientError):  # it ends by itself
            self._change(leave)

    def _is_quick(self, spent: _Spent | None, expected: Expected) -> bool:
        """Whether a call is so quick, by earlier calls of its key, that it takes no slot of the lane."""
        if expected == Expected.FAILING:
            return False
        if spent is None:
            return expected == Expected.QUICK
        return not spent.is_slow(self._clock.monotonic())

    def _take_slot(
        self,
        key: str,
        spent: _Spent | None,
        deadline_seconds: float,
        kept: str | None,
        *,
        is_begun: bool,
    ) -> str | None:
        """Take a slot of the lane and return the id of its owner.

        If the job has kept the slot of its last call, `kept` is the owner of that one and is returned.
        None where the call is made without a slot: the job has begun already, or the row cannot be written.

        Raises:
            PacedError: no slot is free; the error says when the key's next turn is.
        """
        owner: str | None = None
        wait = 0.0
        usual = min(max(SHORTEST_TURN_SECONDS, spent.usual if spent else 0.0), deadline_seconds)

        def take(booking: _Booking) -> None:
            nonlocal owner, wait
            now, wait, owner = self._clock.now().timestamp(), 0.0, None
            is_full = len(booking.slots) >= self._workers - 1
            is_own = kept in booking.slots
            if is_own or (booking.slots_of(key) < self.most_of_a_key and not is_full):
                owner = kept if kept and is_own else self._new_owner()
                until = now + deadline_seconds + GRACE_SECONDS
                booking.slots[owner] = {"key": key, "until": until}
                return
            if is_begun:
                return
            apart = usual / self.most_of_a_key
            comes = max(now + apart, booking.lines.get(key, 0.0))
            booking.lines[key] = comes + apart
            wait = comes - now

        try:
            self._change(take)
        except TransientError:
            return None
        if wait:
            raise PacedError("lane", self._lane, wait)
        return owner

    def _note_call(self, key: tuple[str, bool], seconds: float) -> None:
        now = self._clock.monotonic()
        if key not in self._spent and len(self._spent) >= MOST_KEPT:
            self._spent = {name: time for name, time in self._spent.items() if time.is_slow(now)}
        spent = self._spent.setdefault(key, _Spent(usual=seconds))
        spent.seconds = spent.left(now) + seconds
        spent.at, spent.usual = now, max(seconds, (spent.usual + seconds) / 2)

    def _change(self, change: Callable[[_Booking], object]) -> None:
        """Apply a change to the slots and turns in the lane's row, and write the row.

        The row as this container saw it last is tried first; if another container has written it since, the
        change is applied to the newer row.

        Raises:
            TransientError: others changed the row in every attempt.
        """
        attempts = Attempts(self._clock, no_pauses(TRIES))
        while True:
            seen = self._seen
            booking = _unexpired(seen, self._clock.now().timestamp())
            change(booking)
            try:
                self._seen = self._put(booking, int(seen.get("version", 0)))
            except ConditionFailed as found:
                self._seen = found.item
                attempts.wait_or_raise(TransientError("dynamodb", "take_share", reason=CONTENDED))
            else:
                return

    def _put(self, booking: _Booking, version: int) -> Item:
        now = self._clock.now()
        item = {
            "event_id": keys.joined("share", self._lane),
            "slots": booking.slots,
            "lines": booking.lines,
            "version": version + 1,
            "last_processed_at": iso(now),
            "expires_at": int((now + _KEPT_FOR).timestamp()),
        }
        if version:
            self._table.put(item, condition="#version = :version", version=version)
        else:
            self._table.put(item, condition="attribute_not_exists(#event_id)")
        return item


def _unexpired(row: Item, now: float) -> _Booking:
    slots, lines = row.get("slots", {}), row.get("lines", {})
    return _Booking(
        {owner: slot for owner, slot in slots.items() if slot["until"] > now},
        {key: float(at) for key, at in lines.items() if at > now},
    )
