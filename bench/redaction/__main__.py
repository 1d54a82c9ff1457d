"""Prints the tables: `python -m bench.redaction [dev|held-out] [--texts DIR] [--no-peers] [--failures N]`."""

import argparse
import statistics
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

from bench.redaction import hostile, mix, peers
from bench.redaction.measure import Figures, figures, leaks
from bench.redaction.public import public_rows
from bench.redaction.rows import KINDS, rows
from chalicelib.redaction.redactor import redact

TARGETS = {"email": 0.1, "phone": 0.3, "tracking": 0.5, "order": 0.3, "card": 0.1, "iban": 0.5, "ssn": 0.0, "address": 8.0}  # fmt: skip


_TIMED = {"typical": 24, "dense": 12}


def main() -> int:
    """Print the table; the exit code is always 0, as tests enforce the targets."""
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", default="held-out", choices=["dev", "held-out"])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--failures", type=int, default=0)
    parser.add_argument("--texts", type=Path, help="folder with fetched public texts")
    options = parser.parse_args()
    sample = rows(options.part)
    messages = [row.text for row in sample]
    timed = [text for name in _TIMED for text in mix.messages(name, _TIMED[name])]

    outputs = [redact(message) for message in messages]
    ours = figures(sample, outputs)
    table = {"redact": (ours, [_median(text) for text in timed])}
    if not options.no_peers:
        peers.install()
        for name in peers.NAMES:
            answer = peers.ask(name, messages, timed)
            if answer.reason:
                print(f"{name}: {answer.reason}")
            else:
                table[name] = figures(sample, answer.outputs), answer.seconds
    print(f"\nLabelled set, {options.part} part: {len(sample)} messages")
    _print(table)
    stable = sum(redact(output) == output for output in outputs) / len(outputs)
    print(f"\nexact masks         {ours.masks:8.2%}   (target 99.50%)")
    print(f"idempotent          {stable:8.2%}   (target 100%)")
    _print_speed(table)
    if options.texts:
        _print_public(options.texts, options.part, with_peers=not options.no_peers)
    _print_hostile()
    _print_import()
    for row, output in ours.failures[: options.failures]:
        print(f"{row.kind}: {row.text!r} -> {output!r}")
    return 0


def _median(text: str) -> float:
    redact(text)
    times = []
    for _ in range(21):
        start = time.process_time()
        redact(text)
        times.append(time.process_time() - start)
    return statistics.median(times)


def _print(table: dict[str, tuple[Figures, list[float]]]) -> None:
    print(f"{'':22}{'target':>9}" + "".join(f"{name[:18]:>20}" for name in table))
    for kind in KINDS:
        shares = "".join(f"{made.leak[kind]:20.2%}" for made, _ in table.values())
        print(f"leak {kind:17}{TARGETS[kind]:8.2f}%{shares}")
    for kind, target in (("clean", 0.2), ("hard-clean", 10.0)):
        shares = "".join(f"{made.altered[kind]:20.2%}" for made, _ in table.values())
        print(f"altered {kind:14}{target:8.2f}%{shares}")


def _print_speed(table: dict[str, tuple[Figures, list[float]]]) -> None:
    start = 0
    for name, count in _TIMED.items():
        medians = {
            tool: statistics.median(seconds[start : start + count]) * 1e6
            for tool, (_, seconds) in table.items()
        }
        print(f"µs per 1 KB {name:19}" + "".join(f"{median:20.0f}" for median in medians.values()))
        if "presidio-all" in medians:
            ratio = medians["presidio-all"] / medians["redact"]
            print(f"  faster than presidio with all recognisers: {ratio:.0f}x   (target 20x)")
        start += count


def _print_public(folder: Path, part: str, *, with_peers: bool) -> None:
    """Print the figures on public texts; `part` names whether they were used for development."""
    sample = public_rows(folder, part)
    messages = [row.text for row in sample]
    answers = {"redact": [redact(message) for message in messages]}
    for name in peers.NAMES if with_peers else ():
        answer = peers.ask(name, messages, [])
        if answer.reason:
            print(f"{name}: {answer.reason}")
        else:
            answers[name] = answer.outputs
    totals = Counter(row.kind for row in sample)
    print(f"\nPublic texts, {part} part: {len(sample)} rows")
    print(f"{'':33}" + "".join(f"{name[:18]:>20}" for name in [*answers, "right mask"]))
    for kind, total in sorted(totals.items()):
        line = f"{kind:17}{total:8} rows   "
        for outputs in answers.values():
            pairs = [
                (row, out) for row, out in zip(sample, outputs, strict=True) if row.kind == kind
            ]
            bad = sum(leaks(row, out) if row.secret else out != row.text for row, out in pairs)
            line += f"{bad / total:20.2%}"
        own = zip(sample, answers["redact"], strict=True)
        right = sum(row.mask in out for row, out in own if row.kind == kind and row.secret)
        print(line + (f"{right / total:20.2%}" if "clean" not in kind else ""))


def _print_hostile() -> None:
    shapes = hostile.measure(redact)
    worst = max(shapes, key=lambda shape: shape.growth)
    print(f"\nhostile, {len(shapes)} shapes of 100 KB (target: 100 ms, growth 6 for 4x the input)")
    for shape in [*shapes[:5], worst]:
        print(f"  {shape.name:32} {shape.milliseconds:8.1f} ms   growth {shape.growth:4.1f}")


def _print_import() -> None:
    code = "import time; t = time.process_time(); import chalicelib.redaction; print(time.process_time() - t)"
    times = [
        float(
            subprocess.run(
                [sys.executable, "-c", code], capture_output=True, text=True, check=True
            ).stdout
        )
        for _ in range(5)
    ]
    print(f"import {min(times) * 1000:.0f} ms   (target 50 ms)")


if __name__ == "__main__":
    sys.exit(main())
