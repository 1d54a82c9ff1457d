"""Charts: the figures of the table, drawn within their frame, with nothing but classes."""

import re

import pytest

from console import drawing

TIMES = [f"{hour:02d}h" for hour in range(4)]


def numbers(svg, name):
    return [float(number) for number in re.findall(rf'\b{name}="([\d.]+)"', str(svg))]


def test_bars_are_stacked_in_the_frame_in_proportion():
    svg = drawing.bars("effects", TIMES, {"done": [10, 0, None, 5], "refused": [10, 0, 0, 5]})
    heights = [float(number) for number in re.findall(r'<rect[^>]* height="([\d.]+)"', str(svg))]
    assert len(heights) == 4, "nothing is drawn for nothing"
    assert heights[0] == pytest.approx(2 * heights[1], rel=0.01)
    ys = [float(number) for number in re.findall(r'<rect[^>]* y="([\d.]+)"', str(svg))]
    assert min(ys) >= 0


def test_a_single_bar_is_a_bar_and_fills_no_chart():
    (width,) = [
        float(number)
        for number in re.findall(
            r'<rect[^>]* width="([\d.]+)"', str(drawing.bars("x", ["09h"], {"done": [3]}))
        )
    ]
    assert width <= drawing.WIDEST


def test_a_scale_of_counts_has_whole_numbers():
    svg = str(drawing.bars("x", ["09h"], {"done": [1]}))
    assert re.findall(r'text-anchor="end">([\d.]+)<', svg) == ["0", "1"]


def test_a_line_is_interrupted_where_nothing_was_measured():
    svg = drawing.lines("lag", TIMES, {"p50": [1.0, 2.0, None, 4.0]})
    assert str(svg).count('class="l1"') == 1
    assert str(svg).count("<circle") == 3


@pytest.mark.parametrize("value", [0, 0.2, 1, 3, 7, 999, 1000, 1001, 5e6])
def test_the_highest_value_is_inside(value):
    svg = drawing.bars("x", ["a"], {"one": [value]})
    tops = numbers(svg, "y")
    assert all(0 <= top <= drawing.HEIGHT for top in tops)


@pytest.mark.parametrize("draw", [drawing.bars, drawing.lines])
def test_a_chart_of_nothing_and_a_hostile_title_are_drawn(draw):
    svg = str(draw('"><script>x</script>', [], {}))
    assert "<script>" not in svg
    assert not re.search(r"style=|on\w+=", svg)


def test_sideways_bars_are_in_proportion_and_their_names_are_text():
    svg = str(drawing.sideways("x", [("<b>&", 10), ("b", 5), ("c", 0)]))
    widths = [float(number) for number in re.findall(r'<rect[^>]* width="([\d.]+)"', svg)]
    assert widths[0] == pytest.approx(2 * widths[1], rel=0.01)
    assert "<b>" not in svg
    assert "&lt;b&gt;&amp;" in svg
