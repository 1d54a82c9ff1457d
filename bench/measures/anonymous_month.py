"""What requests without credentials can make a stage cost in a month, by the defences before its doors.

    python -m bench.measures.anonymous_month

Prices are those of `bench.rig.cost`.  The routes' throttles are read from the template.  The size of a
refusal's log line is measured; Lambda's own log lines and the time of a refusal are assumptions.
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass
from pathlib import Path

from bench.rig import cost
from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from chalicelib.once import door
from chalicelib.once.caller_shares import STRANGERS, CallerShares
from chalicelib.once.door import Answer

TEMPLATE = Path(__file__).resolve().parents[2] / ".chalice" / "functions.json"
REFUSAL_SECONDS = 0.003
LAMBDA_LINES_BYTES = 330
"""Size of Lambda's own log lines for an invocation: START, END and REPORT."""
BLOCKED_AT = 30.0
"""Maximum number of requests a second from one address that WAF lets through."""


@dataclass(frozen=True, slots=True)
class Flood:
    """A flood of requests for a month: how many a second, and from how many addresses."""

    name: str
    a_second: float
    addresses: int


@dataclass(frozen=True, slots=True)
class AnonymousMonth:
    """The dollars of a month, by service."""

    gateway: float
    functions: float
    logs: float
    shield: float

    @property
    def total(self) -> float:
        """The sum of the dollars."""
        return self.gateway + self.functions + self.logs + self.shield


@dataclass(frozen=True, slots=True)
class Routes:
    """Requests a second that the routes' throttles allow: webhooks, which WAF does not limit, and others."""

    webhooks: float
    others: float

    @property
    def all(self) -> float:
        """The requests a second of all routes together."""
        return self.webhooks + self.others

    @classmethod
    def declared(cls) -> Routes:
        """The throttles that the template declares."""
        api = json.loads(TEMPLATE.read_text())["Resources"]["RestAPI"]["Properties"]
        webhooks = others = 0.0
        for setting in api["MethodSettings"]:
            if setting["ResourcePath"].startswith("/~1webhook"):
                webhooks += setting["ThrottlingRateLimit"]
            else:
                others += setting["ThrottlingRateLimit"]
        return cls(webhooks, others)

    def let_through(self, flood: Flood, *, has_shield: bool) -> float:
        """Requests a second of a flood that pass, if it is spread over the routes by their limits."""
        part = min(flood.a_second, self.all) / self.all
        if not has_shield:
            return part * self.all
        return part * self.webhooks + min(part * self.others, flood.addresses * BLOCKED_AT)


def line_bytes() -> tuple[float, float]:
    """Bytes in the log for a refused request: within an unknown caller's share, and beyond it."""
    written = io.StringIO()
    log = JsonLog(SystemClock(), stage="prod", release="1.4.0", stream=written)
    shares = CallerShares(clock=SystemClock(), log=log)

    def refused() -> Answer:
        door.log_rejected(log, "desk", "UNAUTHORIZED")
        return Answer(401, {})

    shares.answered("desk", "192.0.2.1", refused)
    within = len(written.getvalue())
    for _ in range(STRANGERS.at_once):
        shares.answered("desk", "192.0.2.1", refused)
    before = len(written.getvalue())
    for _ in range(1_000):
        shares.answered("desk", "192.0.2.1", refused)
    return within, (len(written.getvalue()) - before) / 1_000


def month(flood: Flood, routes: Routes, *, has_shares: bool, has_shield: bool) -> AnonymousMonth:
    """The cost of a month of a flood at every route, where each request is refused."""
    requests = routes.let_through(flood, has_shield=has_shield) * cost.MONTH_SECONDS
    within, beyond = line_bytes()
    per_address = flood.a_second / flood.addresses
    line = beyond if has_shares and per_address > STRANGERS.per_second else within
    seconds = REFUSAL_SECONDS * cost.MEMORY_GB * cost.LAMBDA_GB_SECOND
    looked_at = flood.a_second * cost.MONTH_SECONDS / 1e6
    return AnonymousMonth(
        gateway=cost.gateway_month(requests),
        functions=requests / 1e6 * (cost.LAMBDA_REQUEST + seconds),
        logs=requests * (line + LAMBDA_LINES_BYTES) / 1e9 * cost.LOG_GB,
        shield=cost.WAF_MONTH + looked_at * cost.WAF_REQUEST if has_shield else 0.0,
    )


def table() -> list[tuple[str, ...]]:
    """A line for each flood and each set of defences: throttles, shares, WAF."""
    routes = Routes.declared()
    through = routes.all
    floods = (
        Flood("none", 0.0, 1),
        Flood(f"{through:,.0f} a second of one address", through, 1),
        Flood(f"{through:,.0f} a second of 1,000 addresses", through, 1_000),
        Flood("10,000 a second of one address", 10_000.0, 1),
        Flood("10,000 a second of 1,000 addresses", 10_000.0, 1_000),
    )
    layers = (
        ("throttles", False, False),
        ("and shares", True, False),
        ("and WAF", True, True),
    )
    lines = []
    for flood in floods:
        for name, has_shares, has_shield in layers:
            found = month(flood, routes, has_shares=has_shares, has_shield=has_shield)
            parts = (found.gateway, found.functions, found.logs, found.shield, found.total)
            lines.append((flood.name, name, *(f"{part:,.0f}" for part in parts)))
    return lines


def main() -> None:
    """Print the table."""
    within, beyond = line_bytes()
    print(f"a refusal writes {within:.0f} bytes, beyond a stranger's share {beyond:.1f}")
    titles = ("flood", "before the doors", "gateway", "functions", "logs", "WAF", "$ a month")
    print("| " + " | ".join(titles) + " |\n|---|---|---:|---:|---:|---:|---:|")
    for line in table():
        print("| " + " | ".join(line) + " |")


if __name__ == "__main__":
    main()
