"""`python -m bench`: the figures, each against its target; exit status 1 when a count is missed."""

from __future__ import annotations

import subprocess
import sys

from bench import counts, imports, ingress
from bench.system import System


def main() -> int:
    """Measure and print; only exact counts decide the exit status, timings are reported."""
    with System() as system:
        found = counts.measure(system)
        cpu = ingress.measure(system)
    ours, theirs = imports.measure()
    ok = _print_counts(found)
    print()
    ratio = cpu["ours_p50"] / cpu["bare_p50"]
    print(
        "ingress, CPU per request   ours p50 {ours_p50:.0f} us, p99 {ours_p99:.0f} us;"
        " bare Chalice route p50 {bare_p50:.0f} us, p99 {bare_p99:.0f} us".format(**cpu)
    )
    print(f"                           ratio at p50 {ratio:.2f} (target 1.50)")
    print(
        f"import app                 {ours:.0f} ms; its libraries alone {theirs:.0f} ms;"
        f" ratio {ours / theirs:.2f} (target 1.50)"
    )
    print(flush=True)
    facts = subprocess.run([sys.executable, "-m", "bench.facts"], check=False)
    return 0 if ok and facts.returncode == 0 else 1


def _print_counts(found: list[counts.Count]) -> bool:
    print(
        f"{'event':<28}{'actions':>8}{'AWS':>6}{'DynamoDB':>10}{'limit':>7}"
        f"{'write units':>13}{'limit':>7}{'read units':>12}{'vendor':>8}"
    )
    ok = True
    for one in found:
        calls = "-" if one.limit_calls is None else str(one.limit_calls)
        writes = "-" if one.limit_writes is None else str(one.limit_writes)
        print(
            f"{one.name:<28}{one.actions:>8}{one.aws_calls:>6}{one.dynamodb_calls:>10}{calls:>7}"
            f"{one.writes:>13.0f}{writes:>7}{one.reads:>12.1f}{one.vendor_calls:>8}"
        )
        ok &= one.limit_calls is None or one.dynamodb_calls <= one.limit_calls
        ok &= one.limit_writes is None or one.writes <= one.limit_writes
    return ok


if __name__ == "__main__":
    sys.exit(main())
