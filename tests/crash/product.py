"""The product's own services, with a reply that must not be repeated behind the support flow.

Every flow of the product runs as it is wired; the reply here goes through the real adapter and is
settled by reading the ticket back, as any later flow that speaks to customers will.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from chalicelib import effects, keys, settings
from chalicelib.adapters import richpanel as adapter
from chalicelib.clock import SystemClock
from chalicelib.flows import Flow
from chalicelib.ports import Executor, Found, Settler, UnsettledAction
from chalicelib.wiring import Services
from tests.simulation.flow import RepliedFlow

AGENT = "agent-1"


class ShiftedClock(SystemClock):
    """The machine's clock, so many seconds on: hours of leases pass between two processes."""

    def __init__(self, seconds: float) -> None:
        self._shift = seconds

    def now(self) -> datetime:
        return super().now() + timedelta(seconds=self._shift)


class RepliedServices(Services):
    """Everything of one container, and the reply."""

    def support_flows(self) -> Mapping[str, Flow]:
        return {
            kind: RepliedFlow(flow, reply="reply_queried", version=1)  # type: ignore[arg-type]
            for kind, flow in super().support_flows().items()
        }

    def support_executors(self) -> Mapping[str, Executor]:
        return {**super().support_executors(), "reply_queried": self._reply, "close": self._close}

    def support_settlers(self) -> Mapping[str, Settler]:
        return {**super().support_settlers(), "reply_queried": self._replies}

    def _reply(self, actions: Sequence[Any], *, deadline_seconds: float) -> str | None:
        (action,) = actions
        return self.richpanel.send_message(
            action.conversation_id,
            body=f"{action.arg} {keys.digest(action.key)[:8]}",
            author_id=AGENT,
            deadline_seconds=deadline_seconds,
        )

    def _close(self, actions: Sequence[Any], *, deadline_seconds: float) -> str | None:
        self.richpanel.close(actions[0].conversation_id, deadline_seconds=deadline_seconds)
        return None

    def _replies(self, action: UnsettledAction) -> tuple[Found, ...]:
        reference = keys.digest(action.key)[:8]
        since = datetime.fromtimestamp(action.started_epoch - 150, UTC)
        ticket = self.richpanel.read_ticket(action.conversation_id)
        return tuple(
            Found(comment.id)
            for comment in ticket.comments
            if comment.is_operator
            and comment.text.endswith(reference)
            and (comment.created_at is None or comment.created_at >= since)
        )


def enter(environ: Mapping[str, str], *, shift_seconds: float, wiring: str) -> Services:
    """The services of this process; deadlines short, so that a hanging vendor does not take long."""
    effects.DEADLINE_SECONDS = 2.0
    adapter.READ_DEADLINE_SECONDS = 2.0
    kind = {"product": Services, "replied": RepliedServices}[wiring]
    made = kind(settings.load(environ), clock=ShiftedClock(shift_seconds))
    sys.modules["chalicelib.wiring"]._services[:] = [made]  # type: ignore[attr-defined]
    return made
