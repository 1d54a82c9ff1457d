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
    """The port for time, so that a simulation can control it."""

    def now(self) -> datetime:
        """The wall clock, an aware time in UTC."""
        ...

    def monotonic(self) -> float:
        """Seconds of a clock that never runs backwards, for deadlines within one process."""
        ...

    def sleep(self, seconds: float) -> None:
        """Wait so many seconds."""
        ...


class Log(Protocol):
    """The port for JSON log lines and metrics; the implementation redacts both."""

    def event(self, name: str, **fields: object) -> None:
        """Write one log line: an event name such as ``worker.processed`` and its fields."""
        ...

    def metric(self, name: str, value: float = 1, **dimensions: str) -> None:
        """Add a value to a metric; dimensions have few fixed values, never identifiers."""
        ...


@dataclass(frozen=True, slots=True)
class Modes:
    """The switches at the moment an event was decided, as the ledger's rows record them."""

    mode: str
    safe_mode: bool
    automation_enabled: bool


UNDECIDED = Modes(mode="route_only", safe_mode=False, automation_enabled=False)
"""The modes stored before the switches have been read: the most cautious ones."""


class Outbox(Protocol):
    """The port for sending messages to the lanes' FIFO queues."""

    def put(self, body: str, *, group_id: str, deduplication_id: str, lane: Lane = TICKETS) -> str:
        """Send one message to a lane's queue and return its id; raises `UnavailableError` when not queued."""
        ...

    def defer(self, receipt_handle: str, seconds: float, *, lane: Lane = TICKETS) -> None:
        """Set after how many seconds a received message becomes visible again; raises `TransientError`."""
        ...


class DelayQueue(Protocol):
    """The port for a standard queue whose messages wait before they are delivered."""

    def put(self, body: str, *, delay_seconds: float) -> None:
        """Send one message that is delivered after a delay; raises `UnavailableError` if it is not queued."""
        ...


@dataclass(frozen=True, slots=True)
class Delivery:
    """One message as a queue delivered it, with the count of its deliveries and the time left to handle it.

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
        """Whether this is the message's last receive: the queue will not deliver it again."""
        return self.receive_count >= self.max_receives


@dataclass(frozen=True, slots=True)
class Switches:
    """The stage's four switches; each has the stricter of its values in SSM and in the environment."""

    kill_switch: bool = False
    safe_mode: bool = False
    automation_enabled: bool = True
    shadow_mode: bool = False

    @property
    def modes(self) -> Modes:
        """The switches in the form that ledger rows record."""
        may_automate = self.automation_enabled and not self.safe_mode and not self.kill_switch
        return Modes(
            mode="automation_candidate" if may_automate else "route_only",
            safe_mode=self.safe_mode,
            automation_enabled=self.automation_enabled,
        )

    def forbids(self, kind: EffectKind, *, by_person: bool = False) -> str | None:
        """The reason why an effect of a kind may not start; None where it may.

        What a person has written is no automation, so the switch `automation_enabled` does not
        forbid it; every other switch does.
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
    """The port for the stage's switches, which are at most 25 seconds old."""

    def current(self) -> Switches:
        """The present switches.

        Raises:
            SwitchesUnreadableError: they cannot be read, and none that were read just before are known.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Runtime:
    """The clock, the log and the switches, which every part that acts needs."""

    clock: Clock
    log: Log
    switches: SwitchesPort


class SecretsPort(Protocol):
    """The port for secrets by name, cached."""

    def text(self, name: str, *, refresh: bool = False) -> str:
        """The text of a secret; raises `UnavailableError` when it cannot be read."""
        ...

    def text_or_none(self, name: str) -> str | None:
        """The text of a secret, or None where there is no such secret; raises `UnavailableError`."""
        ...

    def fetch(self, names: Sequence[str]) -> None:
        """Read several secrets into the cache with one call; never raises: `text` reads again what failed."""
        ...

    def tokens(self, name: str, *, missing: str) -> tuple[str, ...]:
        """The tokens that a secret allows at present.

        Raises:
            SignatureError: there is no such secret, or it holds no token; the error's code is
                `missing`.
            UnavailableError: the secret cannot be read.
        """
        ...


_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


@dataclass(frozen=True, slots=True)
class Tightening:
    """Which switches the environment forces to their stricter value, whatever SSM holds."""

    kill_switch: bool = False
    safe_mode: bool = False
    shadow_mode: bool = False
    automation_off: bool = False


def parsed_flag(text: str) -> bool | None:
    """The truth value that a text such as ``on`` or ``0`` means; None for any other text."""
    word = text.strip().lower()
    if word in _TRUE:
        return True
    return False if word in _FALSE else None
