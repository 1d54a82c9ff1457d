"""Draws charts as SVG with classes only, so the style sheet colours them in light and dark; pure.

A chart is drawn from the same figures that its table shows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from markupsafe import Markup, escape

Values = Sequence[float | None]
Draw = Callable[[str, Sequence[str], Mapping[str, Values]], Markup]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP = 720, 220, 56, 24, 10
COLOURS = 4
"""Classes c1 to c4 and l1 to l4 of the style sheet; a fifth series reuses the first."""
WIDEST = 48
"""Width of one time at most, so a chart of few times is narrow."""
_LABELS, _LABEL_WIDTH = 6, 72
_ROW, _NAMES, _NAME_LENGTH = 22, 260, 40


def bars(title: str, times: Sequence[str], series: Mapping[str, Values]) -> Markup:
    """Stacked bars, one for each time.

    Args:
        title: what a screen reader says; the table has the figures.
        times: labels, as the table has them.
        series: values by name; None is drawn as 0.
    """
    sums = [sum(values[at] or 0.0 for values in series.values()) for at in range(len(times))]
    top = _rounded(max(sums, default=0.0))
    step = _step(times)
    drawn, base = [], [0.0] * len(times)
    for number, values in enumerate(series.values()):
        for at, value in enumerate(values):
            if value:
                height = _height(value, top)
                y = HEIGHT - BOTTOM - _height(base[at], top) - height
                drawn.append(
                    f'<rect class="c{number % COLOURS + 1}" x="{LEFT + at * step + 1:.1f}"'
                    f' y="{y:.1f}" width="{max(step - 2, 1):.1f}" height="{height:.1f}"/>'
                )
                base[at] += value
    return _chart(title, times, top, drawn)


def lines(title: str, times: Sequence[str], series: Mapping[str, Values]) -> Markup:
    """A line for each series; it is interrupted where nothing was measured."""
    known = [value for values in series.values() for value in values if value is not None]
    top = _rounded(max(known, default=0.0))
    step = _step(times)
    drawn = []
    for number, values in enumerate(series.values()):
        colour = number % COLOURS + 1
        points = [
            None if value is None else (LEFT + (at + 0.5) * step, _y(value, top))
            for at, value in enumerate(values)
        ]
        for before, after in pairwise(points):
            if before and after:
                drawn.append(
                    f'<line class="l{colour}" x1="{before[0]:.1f}" y1="{before[1]:.1f}"'
                    f' x2="{after[0]:.1f}" y2="{after[1]:.1f}"/>'
                )
        drawn += [
            f'<circle class="c{colour}" cx="{point[0]:.1f}" cy="{point[1]:.1f}" r="2.5"/>'
            for point in points
            if point
        ]
    return _chart(title, times, top, drawn)


def sideways(title: str, rows: Sequence[tuple[str, int]]) -> Markup:
    """A horizontal bar for each row, with its name and number, in the order of the rows."""
    top = _rounded(float(max((many for _, many in rows), default=0)))
    drawn = []
    for at, (name, many) in enumerate(rows):
        y = at * _ROW
        length = many / top * (WIDTH - _NAMES - LEFT)
        drawn.append(
            f'<text x="0" y="{y + 15}">{escape(name[:_NAME_LENGTH])}</text>'
            f'<rect class="c1" x="{_NAMES}" y="{y + 4}" width="{max(length, 1):.1f}" height="14"/>'
            f'<text x="{_NAMES + length + 6:.1f}" y="{y + 15}">{many}</text>'
        )
    return Markup(  # noqa: S704 - made of numbers computed here, and of escaped text
        f'<svg class="chart" viewBox="0 0 {WIDTH} {max(len(rows), 1) * _ROW}" role="img"'
        f' aria-label="{escape(title)}">{"".join(drawn)}</svg>'
    )


def _chart(title: str, times: Sequence[str], top: float, drawn: Sequence[str]) -> Markup:
    axis = "".join(
        f'<line class="axis" x1="{LEFT}" x2="{WIDTH}" y1="{_y(mark, top):.1f}"'
        f' y2="{_y(mark, top):.1f}"/><text x="{LEFT - 6}" y="{_y(mark, top) + 4:.1f}"'
        f' text-anchor="end">{mark:g}</text>'
        for mark in ((0.0, top) if top == 1 else (0.0, top / 2, top))
    )
    step = _step(times)
    every = max(-(-len(times) // _LABELS), math.ceil(_LABEL_WIDTH / step))
    labels = "".join(
        f'<text x="{LEFT + at * step:.1f}" y="{HEIGHT - 6}">{escape(times[at])}</text>'
        for at in range(0, len(times), every)
    )
    return Markup(  # noqa: S704 - made of numbers computed here, and of escaped text
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img"'
        f' aria-label="{escape(title)}">{axis}{"".join(drawn)}{labels}</svg>'
    )


def _step(times: Sequence[str]) -> float:
    """The width of one time."""
    return min((WIDTH - LEFT) / max(len(times), 1), WIDEST)


def _height(value: float, top: float) -> float:
    return value / top * (HEIGHT - BOTTOM - TOP)


def _y(value: float, top: float) -> float:
    return HEIGHT - BOTTOM - _height(value, top)


def _rounded(value: float) -> float:
    """The smallest of 1, 2, 5 and 10 times a power of ten that is at least the value."""
    power = 1.0
    while power * 10 < value:
        power *= 10
    return next(power * factor for factor in (1, 2, 5, 10) if power * factor >= value)
