"""Hostile inputs, and how their time grows: four times the input may take at most six times the time."""

import time
from collections.abc import Callable
from typing import NamedTuple

SIZE = 100_000

_PATTERNS = """a|1|1 |12 |-| |@|a@|a@a.a.a|a.a@|@a.|order |order order #|order 1 |#1|# |1.|1-|11 11-|1:|1,|$1|+1 |(1|)1(|
aGVsbG8gd29ybGQ1NTUxMjM0NTY3|deadbeef0123|1234567 |order 1234567 |Please check 123456789 and |call 555-123-4567 |
4111 1111 1111 1111 |4111 |1z|1Z999AA1 |RR 123 456 78|de12|DE89 3704 |a1|A-1-|1a1b1c|12 rue de |12 Main Oak |1 Main |Calle Mayor |strasse |Astr 1|
am markt |po box |a at b dot | at | dot |at dot |(at)|mail me at me.com |http://|https://a.b/|www.|ups.com/|.com/|/track/|%40|%2540|%25|&#64;|&amp;|&amp;#64;|
\\|\\u0040|=40|=|\u200b1|\u200b|\u202e|１|٣|é1|中文…|ﬁ|½|😀1|\ud8001|\x001|\t1|\n1|***|***-|***1|***-***-1|[ADDRESS]|[|{|{"a":|"|'|_1|1_|1*1|1/1|1\\1|~1|
2026-01-03 |2026-01-03T|192.0.2.1 |1.1.1.1|-aaaa-aaaa-aaaa|550e8400-e29b-41d4-a716-|aa:bb:|00:|1 000 |1,000|1.000,|9400 1000 |123-45-|
lorem ipsum dolor 12345 |my number is |tracking number for my order |48213 is my |
4111111111111111 12/27 123 |529.982.247-25 |born on 1.1.90 |one two three |code a 123456 |pass a1!b |An der A 1, 12345 B |order no A 1 |<|<a|<a@|a b@c d |"a@|x=1&|0|00 |0 0|1e1|1x|x1 """

NAMED = {"long local": "a" * SIZE + "@example.com", "long domain": "a@" + "b." * (SIZE // 2) + "com",
         "digits then letter": "1" * SIZE + "a", "spaces then @": " " * SIZE + "@a.com", "plus digits": "+" + "1" * SIZE,
         "one quote": '"' + "a " * (SIZE // 2) + '"@example.com', "link": "https://" + "a" * SIZE, "dashes 1": "1" + "-" * SIZE + "1"}  # fmt: skip


class Shape(NamedTuple):
    """A hostile input: milliseconds for 100 KB, and `growth`, how many times longer than for 25 KB."""

    name: str
    milliseconds: float
    growth: float


def measure(redact: Callable[[str], str]) -> list[Shape]:
    """Measure every hostile input; the slowest comes first."""
    shapes = []
    for pattern in [p for p in _PATTERNS.replace("|\n", "|").split("|") if p]:
        text = pattern * (SIZE // len(pattern) + 1)
        shapes.append(_shape(redact, repr(pattern), text[: SIZE // 4], text[:SIZE]))
    for name, text in NAMED.items():
        middle = len(text) // 2
        short = text[: SIZE // 8] + text[len(text) - SIZE // 8 :] if middle else text
        shapes.append(_shape(redact, name, short, text))
    return sorted(shapes, key=lambda shape: -shape.milliseconds)


def _shape(redact: Callable[[str], str], name: str, short: str, long: str) -> Shape:
    quick, slow = _best(redact, short), _best(redact, long)
    # Times below a millisecond are noise of the machine.
    return Shape(name, slow * 1000, slow / max(quick, 0.001))


def _best(redact: Callable[[str], str], text: str) -> float:
    times = []
    for _ in range(3):
        start = time.process_time()
        redact(text)
        times.append(time.process_time() - start)
    return min(times)
