"""The environment of a stage, from `.chalice/config.json`."""

from __future__ import annotations

import json
import re
from pathlib import Path

CONFIG = Path(__file__).resolve().parents[2] / ".chalice" / "config.json"

LATER_CONCURRENCY = 2
"""Of the function `later`, as `app` declares it."""


def configured(stage: str, *, config: Path = CONFIG) -> dict[str, str]:
    """The variables that `.chalice/config.json` gives a stage; an unknown stage gets dev's."""
    raw = json.loads(config.read_text())
    known = raw["stages"].get(stage)
    variables = {**raw.get("environment_variables", {})}
    if known is not None:
        return {**variables, **known.get("environment_variables", {})}
    dev = raw["stages"]["dev"].get("environment_variables", {})
    return {**variables, **{name: _renamed(value, stage) for name, value in dev.items()}}


def worker_timeout_seconds(*, config: Path = CONFIG) -> int:
    """The worker's timeout; the queue's visibility timeout must be longer."""
    raw = json.loads(config.read_text())
    return int(raw["lambda_functions"]["worker"]["lambda_timeout"])


def lane_concurrency(stage: str, handler: str) -> int:
    """How many invocations a lane's function may have at a time."""
    variables = configured(stage)
    name = "WORKER_CONCURRENCY" if handler == "worker" else "LANE_CONCURRENCY"
    return int(variables[name])


def _renamed(value: str, stage: str) -> str:
    return re.sub(r"(?:(?<=[-/])|^)dev(?=$|[./-])", stage, value)
