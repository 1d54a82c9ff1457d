"""``python -m tests.attack --per-door 2000``: the whole attack, as a table; 1 if a door gave way."""

from __future__ import annotations

import argparse
import sys

from tests.attack.console import attack_console
from tests.attack.persons import PersonAttacker
from tests.attack.run import Attacker
from tests.attack.stage import functions, stage
from tests.rigs.openapi import Sender


def main() -> int:
    """Attack every door."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--per-door", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    with stage() as (made, variables):
        app = functions(variables)
        report = Attacker(app, Sender(made)).attack(chosen.per_door, chosen.seed)
        PersonAttacker(app, made).attack(report, 4 * chosen.per_door, chosen.seed)
    attack_console(report, 4 * chosen.per_door, chosen.seed)
    print(report.table())
    return int(bool(report.problems))


if __name__ == "__main__":
    sys.exit(main())
