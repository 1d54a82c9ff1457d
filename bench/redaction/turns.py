"""Compares this source tree's speed with another's: `python -m bench.redaction.turns DIR`.

DIR holds the other tree, such as a git worktree. One process lets both redact each message in turn, so
that a busy machine slows both.
"""

import statistics
import sys
import time
from collections.abc import Callable
from importlib import import_module

from bench.redaction import mix

_ROUNDS = 15
_COUNTS = {"typical": 24, "dense": 12}


def main() -> int:
    """Print the median times of both trees and their median ratio, by kind of message."""
    here, other = _redact("."), _redact(sys.argv[1])
    for name, count in _COUNTS.items():
        pairs = [_turns(other, here, text) for text in mix.messages(name, count)]
        old, new = (statistics.median(times) * 1e6 for times in zip(*pairs, strict=True))
        ratio = statistics.median(a / b for a, b in pairs)
        print(f"{name:8} other {old:6.0f} µs/KB   this {new:6.0f} µs/KB   ratio {ratio:.2f}")
    return 0


def _redact(root: str) -> Callable[[str], str]:
    for name in [name for name in sys.modules if name.partition(".")[0] == "chalicelib"]:
        del sys.modules[name]
    sys.path.insert(0, root)
    redact: Callable[[str], str] = import_module("chalicelib.redaction.redactor").redact
    sys.path.pop(0)
    return redact


def _turns(
    first: Callable[[str], str], second: Callable[[str], str], text: str
) -> tuple[float, float]:
    """The shortest processor time of each function for a text, in seconds."""
    times: tuple[list[float], list[float]] = ([], [])
    for turn in range(_ROUNDS + 1):
        for kept, redact in zip(times, (first, second), strict=True):
            start = time.process_time()
            redact(text)
            if turn:
                kept.append(time.process_time() - start)
    return min(times[0]), min(times[1])


if __name__ == "__main__":
    sys.exit(main())
