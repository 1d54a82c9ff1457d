"""What CloudWatch would notify of, from the declared alarms and from metrics; minute by minute."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ops.stage.template import COMPOSITE, StageTemplate
from tests.rigs.alarms import RAW, Series, series

MINUTE = 60.0
_STATISTICS = {"Sum": sum, "Maximum": max, "Minimum": min, "SampleCount": len}
_BREACHES = {
    "GreaterThanOrEqualToThreshold": lambda value, threshold: value >= threshold,
    "GreaterThanThreshold": lambda value, threshold: value > threshold,
    "LessThanThreshold": lambda value, threshold: value < threshold,
}
Notification = tuple[str, float]
"""An alarm's name without its stage, and the second at which it rang."""


class Metrics:
    """Data points by series, each added after the one before it."""

    def __init__(self) -> None:
        self._points: dict[Series, list[tuple[float, float]]] = defaultdict(list)

    def add(self, of: Series, at: float, value: float) -> None:
        """Store a data point."""
        self._points[of].append((at, value))

    def values(self, of: Series, begins: float, ends: float) -> list[float]:
        """The values of a series within a period."""
        points = self._points.get(of, [])
        first = bisect_left(points, (begins,))
        return [value for _, value in points[first : bisect_left(points, (ends,), lo=first)]]


def in_alarm(metrics: Metrics, seconds: float) -> set[str]:
    """Every metric alarm that was in alarm, notified or not."""
    return {_short(name) for name, found in _all(metrics, _times(seconds)).items() if any(found)}


def rings(metrics: Metrics, seconds: float) -> list[Notification]:
    """Every notification that something is in alarm, in order."""
    times = _times(seconds)
    states = _all(metrics, times)
    stage = _stage()
    alarms = [resource.properties for resource in stage.resources("AWS::CloudWatch::Alarm")]
    found: list[Notification] = []
    for alarm in alarms:
        if alarm.get("AlarmActions"):
            found += _begins(alarm["AlarmName"], states[alarm["AlarmName"]], times)
    for resource in stage.resources(COMPOSITE):
        found += _unsuppressed(resource.properties, states, times)
    return sorted(((_short(name), at) for name, at in found), key=lambda rung: rung[1])


def _stage() -> StageTemplate:
    return StageTemplate(RAW, {"Stage": "dev"}, account="0" * 12, region="us-east-1")


def _short(name: str) -> str:
    return name.removeprefix("rp-mw-dev-")


def _times(seconds: float) -> list[float]:
    return [MINUTE * n for n in range(1, int(seconds // MINUTE) + 1)]


def _all(metrics: Metrics, times: Sequence[float]) -> dict[str, list[bool]]:
    declared = [resource.properties for resource in _stage().resources("AWS::CloudWatch::Alarm")]
    return {alarm["AlarmName"]: _states(alarm, metrics, times) for alarm in declared}


def _states(alarm: Mapping[str, Any], metrics: Metrics, times: Sequence[float]) -> list[bool]:
    """Whether it is in ALARM at each time; OK until it has as many periods as it evaluates."""
    found: list[bool] = []
    of, period = series(dict(alarm)), float(alarm["Period"])
    periods = alarm["EvaluationPeriods"]
    needed = alarm.get("DatapointsToAlarm", periods)
    for now in times:
        before = found[-1] if found else False
        if now < periods * period:
            found.append(False)
            continue
        windows = [
            metrics.values(of, now - (n + 1) * period, now - n * period) for n in range(periods)
        ]
        if not any(windows) and alarm["TreatMissingData"] == "ignore":
            found.append(before)
            continue
        found.append(sum(_is_breached(alarm, values) for values in windows) >= needed)
    return found


def _is_breached(alarm: Mapping[str, Any], values: Sequence[float]) -> bool:
    if not values and alarm["Statistic"] != "SampleCount":
        return bool(alarm["TreatMissingData"] == "breaching")
    value = _STATISTICS[alarm["Statistic"]](values)  # type: ignore[operator]
    return bool(_BREACHES[alarm["ComparisonOperator"]](value, alarm["Threshold"]))


def _begins(name: str, states: Sequence[bool], times: Sequence[float]) -> list[Notification]:
    before = [False, *states]
    return [
        (name, at) for at, was, now in zip(times, before, states, strict=False) if now and not was
    ]


def _unsuppressed(
    composite: Mapping[str, Any], states: Mapping[str, Sequence[bool]], times: Sequence[float]
) -> list[Notification]:
    """It waits for its suppressor before it notifies, and after the suppressor has ended."""
    watched = composite["AlarmRule"].split('"')[1]
    cause = states[composite["ActionsSuppressor"]]
    since = was_caused = None
    rang, found = False, []
    for at, is_late, is_caused in zip(times, states[watched], cause, strict=True):
        if is_caused:
            was_caused = at
        if not is_late:
            since, rang = None, False
            continue
        since = at if since is None else since
        extended = (
            was_caused is not None
            and at - was_caused < composite["ActionsSuppressorExtensionPeriod"]
        )
        waited = at - since >= composite["ActionsSuppressorWaitPeriod"]
        if not rang and not is_caused and not extended and waited:
            found.append((composite["AlarmName"], at))
            rang = True
    return found
