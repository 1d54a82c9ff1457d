"""Gives the inputs to a parser, and judges what it raises: its own errors only, and no word of the input."""

from __future__ import annotations

import contextlib
import random
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NoReturn

from tests.fuzz.table import NAME, SECRET, Parser

ROOT = str(Path(__file__).parents[2])
ENDLESS_SECONDS = 30.0
"""An input that takes so long is a finding and not the end of the run."""


class EndlessError(BaseException):
    """A parser that does not end; no parser catches it."""


@dataclass
class Report:
    """What was tried, and what came of it.

    Attributes:
        ends: inputs by parser, and whether they were read or refused.
        problems: what a parser must not do, once each, with the shortest input that shows it.
    """

    ends: dict[str, Counter[str]] = field(default_factory=dict)
    problems: dict[str, str] = field(default_factory=dict)

    def table(self) -> str:
        """One line per parser."""
        lines = [f"{'parser':26} {'inputs':>8} {'read':>8} {'refused':>8}"]
        for name, ends in self.ends.items():
            row = f"{name:26} {ends.total():8} {ends['read']:8} {ends['refused']:8}"
            lines.append(row)
        tried = sum(ends.total() for ends in self.ends.values())
        lines.append(f"{tried} inputs of {len(self.ends)} parsers, {len(self.problems)} problems")
        lines += [f"PROBLEM {name}: {shown}" for name, shown in self.problems.items()]
        return "\n".join(lines)


def fuzz(parsers: tuple[Parser, ...], count: int, seed: int) -> Report:
    """So many inputs to each parser; the samples themselves come first, and are read."""
    report = Report()
    for parser in parsers:
        chance = random.Random(f"{seed}{parser.name}")
        samples, ends = parser.samples(), report.ends.setdefault(parser.name, Counter())
        for number in range(count):
            sample = samples[number % len(samples)]
            given = parser.input(sample, chance)
            end, problem = judged(parser, given)
            ends[end] += 1
            if problem:
                name, shown = f"{parser.name}: {problem}", repr(given)[:400]
                if len(shown) < len(report.problems.get(name, shown + " ")):
                    report.problems[name] = shown
    return report


def judged(parser: Parser, given: Any) -> tuple[str, str]:
    """How a parser ends with an input, and what is wrong with that; empty where nothing is."""
    try:
        with _ends():
            parser.parse(given)
    except parser.refuses as error:
        said = str(error).casefold()
        leaked = any(word.casefold() in said for word in (NAME, SECRET))
        return "refused", f"{type(error).__name__} tells what was written" if leaked else ""
    except (Exception, EndlessError) as error:  # noqa: BLE001 - whatever it raises is what is looked for
        return "raised", f"{type(error).__name__} {_place_of(error)}"
    return "read", ""


@contextlib.contextmanager
def _ends() -> Iterator[None]:
    """Interrupt what does not end; a parser that the interpreter cannot interrupt ends the run."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def stop(*_: Any) -> NoReturn:
        raise EndlessError

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, ENDLESS_SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _place_of(error: BaseException) -> str:
    """The last line of ours below the parser."""
    at, place = error.__traceback__, ""
    while at is not None:
        name = at.tb_frame.f_code.co_filename
        if name.startswith(ROOT) and "/tests/" not in name and "/.venv/" not in name:
            place = f"{name[len(ROOT) + 1 :]} line {at.tb_lineno}"
        at = at.tb_next
    return place
