"""Ports to the runtime: time, logs, the queue, switches, secrets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Protocol

from chalicelib.once.effect import EffectKind
from chalicelib.once.lanes import TICKETS, Lane
from chalicelib.once.reasons import AUTOMATION_DISABLED, KILL_SWITCH, SAFE_MODE, SHADOW


class Clock(Protocol):
    """Time, injected so that a simulation can control it."""

    def now(self) -> datetime:
        """The wall clock, aware, UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds that never run backwards, for deadlines within one process."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


class Log(Protocol):
    """JSON lines and metrics; the implementation redacts."""

    def event(self, name: str, **fields: object) -> None:
        """Write one line: an event name such as ``worker.processed`` and its fields."""
        ...

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """Count something; dimensions are closed sets, never identifiers."""
        ...


@dataclass(frozen=True, slots=True)
class Modes:
    """The switches at the moment an event was decided, as its rows record them."""

    mode: str
    safe_mode: bool
    automation_enabled: bool


UNDECIDED = Modes(mode="route_only", safe_mode=False, automation_enabled=False)
"""Stored before the switches have been read: the most cautious mode."""


class Outbox(Protocol):
    """The lanes' FIFO queues, sending side."""

    def put(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        """Send one message and return its id; raises `UnavailableError` when it was not queued."""
        ...

    def defer(self, receipt_handle: str, seconds: float, *, lane: Lane = TICKETS) -> None:
        """Make a message in flight visible again after so many seconds."""
        ...


class DelayQueue(Protocol):
    """A standard queue whose messages wait before they are delivered."""

    def put(self, body: str, *, delay_seconds: float) -> None:
        """Send one message; raises `UnavailableError` when it was not queued."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message as received from the queue.

    Attributes:
        receive_count: number of receives so far, this one included.
        max_receives: after this many it goes to the dead-letter queue.
        time_left_seconds: time left until the function's timeout, computed at every call.
        lane: whose queue delivered it.
        group_id: its FIFO group.
    """

    body: str = field(repr=False)
    message_id: str
    receipt_handle: str = field(repr=False)
    receive_count: int
    max_receives: int
    time_left_seconds: Callable[[], float]
    lane: Lane = TICKETS
    group_id: str = ""

    @property
    def is_last(self) -> bool:
        """The queue will not deliver it again."""
        return self.receive_count >= self.max_receives


@dataclass(frozen=True, slots=True)
class Switches:
    """Switch values; the stricter of SSM and environment."""

    kill_switch: bool = False
    safe_mode: bool = False
    automation_enabled: bool = True
    shadow_mode: bool = False

    @property
    def modes(self) -> Modes:
        """The form that ledger rows record."""
        may_automate = self.automation_enabled and not self.safe_mode and not self.kill_switch
        return Modes(
            mode="automation_candidate" if may_automate else "route_only",
            safe_mode=self.safe_mode,
            automation_enabled=self.automation_enabled,
        )

    def forbids(self, kind: EffectKind, *, by_person: bool = False) -> str | None:
        """Why an effect of a kind may not start, or None.

        What a person has written is no automation; every other switch stops it as well.
        """
        if self.kill_switch:
            return KILL_SWITCH
        if self.shadow_mode:
            return SHADOW
        if kind.reaches_customer and self.safe_mode:
            return SAFE_MODE
        if kind.reaches_customer and not (self.automation_enabled or by_person):
            return AUTOMATION_DISABLED
        return None


class SwitchesPort(Protocol):
    """The switches, cached for at most 25 seconds."""

    def current(self) -> Switches:
        """Current values; raises `SwitchesUnreadableError` when none is fresh enough."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """What every part that acts needs of its surroundings: time, the log, the switches."""

    clock: Clock
    log: Log
    switches: SwitchesPort


class SecretsPort(Protocol):
    """Named secrets, cached."""

    def text(self, name: str, *, refresh: bool = False) -> str:
        """The secret's text; raises `UnavailableError` when it cannot be read."""
        ...

    def text_or_none(self, name: str) -> str | None:
        """The secret's text; None where there is no such secret; raises `UnavailableError`."""
        ...

    def fetch(self, names: Sequence[str]) -> None:
        """Read several into the cache with one call; never raises: what fails is read by `text`."""
        ...

    def tokens(self, name: str, *, missing: str) -> tuple[str, ...]:
        """The active tokens of a secret.

        Raises:
            SignatureError: there is no such secret, or it holds no token; its code is `missing`.
            UnavailableError: the secret cannot be read.
        """
        ...


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Tightening:
    """Switches forced by the environment, whatever SSM holds."""

    kill_switch: bool = False
    safe_mode: bool = False
    shadow_mode: bool = False
    automation_off: bool = False


def parsed_flag(text: str) -> bool | None:
    """True, False, or None for any other text."""
    word = text.strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None
