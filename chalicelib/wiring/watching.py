"""Metrics that alarms watch and no job reports: switches, and waits for a person or a vendor.

The scheduled functions report them; a failed report stops no schedule, and the next follows in minutes.
"""

from __future__ import annotations

from chalicelib.clock import parsed
from chalicelib.errors import MiddlewareError, reason_of
from chalicelib.once.ports import Clock, Log, SwitchesPort
from chalicelib.outreach.desk.operators import OperatorsDesk
from chalicelib.vendors.shared_level import SharedLevel


def report_switches(switches: SwitchesPort, log: Log) -> None:
    """Write the metric of the switches: 1 while the kill switch or shadow mode stops every effect, else 0.

    Where the switches cannot be read nothing is reported; the alarm on the queue's age covers that.
    """
    try:
        now = switches.current()
    except MiddlewareError as error:
        log.event("watching.switches_unreadable", reason=reason_of(error))
        return
    log.metric("mw.switches.stopping", int(now.kill_switch or now.shadow_mode))


def report_handoffs(desk: OperatorsDesk, clock: Clock, log: Log) -> None:
    """Write the metrics of hand-offs: how many wait for a person, how many are late, the oldest one's wait.

    The counts have an upper bound far above every alarm's threshold (`Desk.figures`).  Where the
    hand-offs cannot be read nothing is reported.
    """
    now = clock.now()
    try:
        found = desk.figures(now)
    except MiddlewareError as error:
        log.event("watching.handoffs_unreadable", reason=reason_of(error))
        return
    oldest = parsed(found.oldest)
    log.metric("mw.handoffs.waiting", found.waiting)
    log.metric("mw.handoffs.oldest_seconds", int((now - oldest).total_seconds()) if oldest else 0)
    log.metric("mw.handoffs.late", found.late)


def report_turns(level: SharedLevel, clock: Clock, log: Log) -> None:
    """Write the metric of how many seconds a new ticket waits for its turn in Richpanel's rate limit.

    Where the rate limit's row cannot be read nothing is reported.
    """
    try:
        found = level.read()
    except MiddlewareError as error:
        log.event("watching.turns_unreadable", reason=reason_of(error))
        return
    turn = 0.0 if found is None else found.turn_in(clock.now().timestamp())
    log.metric("mw.vendor.turn_seconds", round(turn))
