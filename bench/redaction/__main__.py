"""Prints the table: `python -m bench.redaction [dev|held-out] [--no-peers] [--failures N]`."""

import argparse
import statistics
import subprocess
import sys
import time

from bench.redaction import hostile, peers
from bench.redaction.measure import Figures, figures
from bench.redaction.rows import KINDS, rows
from chalicelib.redaction import redact

TARGETS = {"email": 0.1, "phone": 0.3, "tracking": 0.5, "order": 0.3, "card": 0.1, "iban": 0.5, "ssn": 0.0, "address": 8.0}  # fmt: skip

_TYPICAL = (
    "Hi there, I placed an order two weeks ago (order #1234567) and I still have not received it. "
    "The last mail from you said that it was on its way, and since then nothing has moved. Could "
    "you please have a look at what is going on? I need the shirts for a wedding and would rather "
    "not buy them twice. If it is lost, please send a new parcel or give me my money back, either "
    "is fine with me. You can write to jo.smith@example.com, I read it every day. "
    "By the way, the blue one in the picture is darker than what a friend of mine got last summer, "
    "is that a new colour? And do you plan to have the green one again? She would love to have it "
    "too, and so would my brother, who asks me about it each time we meet. Other than that I have "
    "always been happy with what I bought from you, and I tell everybody so. Many thanks for your "
    "help, I know that these are busy days for all of you. Best wishes, and please say hello to the "
    "kind person who helped me last time, I have forgotten the name. "
)
_DENSE = (
    "Order #1234567, tracking 1Z999AA10123456784, call 212-555-0142 or +44 20 7946 0958, mail "
    "jo.smith@example.com, card 4111 1111 1111 1111, paid $49.99 on 2024-03-05, ship to 123 Main "
    "Street, Springfield, IL 62701. "
)


def main() -> int:
    """Print the table; the exit status is 0 whatever it says: it informs, tests forbid."""
    parser = argparse.ArgumentParser()
    parser.add_argument("part", nargs="?", default="held-out", choices=["dev", "held-out"])
    parser.add_argument("--no-peers", action="store_true")
    parser.add_argument("--failures", type=int, default=0)
    options = parser.parse_args()
    sample = rows(options.part)
    messages = [row.text for row in sample]
    timed = [_TYPICAL[:1024].ljust(1024), (_DENSE * 5).ljust(1024)]

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
    print(f"\nmasks to the letter {ours.masks:8.2%}   (target 99.50%)")
    print(f"idempotent          {stable:8.2%}   (target 100%)")
    _print_speed(table)
    _print_hostile()
    _print_import()
    for row, output in ours.failures[: options.failures]:
        print(f"{row.kind}: {row.text!r} -> {output!r}")
    return 0


def _median(text: str) -> float:
    redact(text)
    times = []
    for _ in range(101):
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
    for index, name in enumerate(("typical", "dense")):
        times = "".join(f"{seconds[index] * 1e6:20.0f}" for _, seconds in table.values())
        print(f"µs per 1 KB {name:19}{times}")
    if "presidio-analyzer" in table:
        pairs = zip(table["presidio-analyzer"][1], table["redact"][1], strict=True)
        ratios = ", ".join(f"{theirs / ours:.0f}x" for theirs, ours in pairs)
        print(f"faster than presidio (typical, dense): {ratios}   (target 20x)")


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
