"""Schedules as files: what a seed drew on one day, whatever is drawn for that seed later.

A file also holds the violations that its schedule has; none once their cause is mended::

    {"schedule": {"seed": 77701345, "posts": [...], ...},
     "violations": ["P2: the sweeps do not come to an end"]}

Those in `FOLDER` broke a promise when they were recorded.  Some were mistakes of the judge, which says so
where it was mended, the others of the product::

    77700309, 77701648   a person's act that sends nothing was to be handed off   `stored_records`
    77701345             a follower came back every 15 minutes for a month        `once.later`
    77701560             a conversation on another channel made a doubt           `pairs`
    77702041             three lost answers were judged as one                    `neighbours`
    95308920             a newer message stayed unseen; a withheld answer that    `sending`
                         asked for more than its text was sent without a person
    95413557, 95416868   a replaced row of a dimension was counted as work        `verdict`
    95602375             the job of a company's event was lost in a crash         `recorder.begin`
    95633900             a mail replayed without its text was over: its STOP,     `plan.lacks`
                         in a dead letter, would not have been heard
    95654471             a carrier's clock was ahead, and the judge did not wait  `verdict`
    95655916             an event kept back for hours waited as long after its    `rows.tried_since`
                         first attempt
    95669412             a worker that was paused while it looked once more      `last_look`
                         sent after its lease
    95640550             a start given up by a worker that died counted as open   `starting`
    134                  a person's reply while automation was off was judged as   `oracle`
                         the machine's
    95636026             a look as old as is allowed was too old for the judge    `containers`

`python -m tests.simulation --record FOLDER --seed N --runs M` writes one file per seed;
`python -m tests.simulation --schedule FILE` runs one again.
"""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel, ConfigDict

from tests.simulation.scenario import Scenario
from tests.simulation.world import World

FOLDER = Path(__file__).parent.parent / "samples" / "schedules"


class Recorded(BaseModel):
    """A schedule, and the violations that it had."""

    model_config = ConfigDict(extra="forbid")

    schedule: Scenario
    violations: list[str]


def read(file: Path) -> Recorded:
    """The schedule of a file; raises `pydantic.ValidationError` for anything else."""
    return Recorded.model_validate_json(file.read_bytes())


def record(scenario: Scenario, folder: Path) -> Path:
    """Run a schedule and write it with its violations; returns the file."""
    file = folder / f"{scenario.seed}.json"
    recorded = Recorded(schedule=scenario, violations=violations(scenario))
    file.write_text(recorded.model_dump_json(indent=1) + "\n")
    return file


def violations(scenario: Scenario) -> list[str]:
    """The promises that a schedule breaks today."""
    return [str(violation) for violation in World(scenario).run().oracle.violations]
