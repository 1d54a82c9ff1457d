"""The environment of a stage, from `.chalice/config.json`, which `python -m ops setup` completes."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from chalicelib.errors import SettingsError
from chalicelib.settings import SYSTEMS

CONFIG = Path(__file__).resolve().parents[2] / ".chalice" / "config.json"

MOST_ENVIRONMENT_BYTES = 4096
"""Lambda's limit on a function's variables:
https://docs.aws.amazon.com/lambda/latest/dg/gettingstarted-limits.html.
"""
LATER_CONCURRENCY = 2
"""The concurrency of the function `later`, as `app` declares it."""


def configured(stage: str, *, config: Path | None = None) -> dict[str, str]:
    """The variables that `.chalice/config.json` gives a stage; an unknown stage gets dev's."""
    raw = _read(config)
    known = raw["stages"].get(stage)
    variables = {**raw.get("environment_variables", {})}
    if known is not None:
        return {**variables, **known.get("environment_variables", {})}
    dev = raw["stages"]["dev"].get("environment_variables", {})
    return {**variables, **{name: _renamed(value, stage) for name, value in dev.items()}}


def environment_bytes(variables: Mapping[str, str]) -> int:
    """The size of a function's variables as Lambda counts it: names and values."""
    return sum(len(f"{name}{value}".encode()) for name, value in variables.items())


def stages() -> list[str]:
    """The stages that `.chalice/config.json` declares."""
    return list(_read()["stages"])


def function_size(function: str) -> tuple[int, str]:
    """A function's memory in MB, and its architecture."""
    raw = _read()
    memory = raw["lambda_functions"][function]["lambda_memory_size"]
    return int(memory), str(raw.get("lambda_architecture", "x86_64"))


def is_traced(stage: str) -> bool:
    """Whether X-Ray records the stage's invocations."""
    return bool(_read()["stages"].get(stage, {}).get("xray"))


def write(stage: str, values: Mapping[str, str]) -> list[str]:
    """Set variables of a stage in the file; return the names of those that changed.

    Raises:
        KeyError: the file declares no such stage.
    """
    raw = _read()
    own = raw["stages"][stage].setdefault("environment_variables", {})
    before = configured(stage)
    changed = [name for name, value in values.items() if before.get(name) != value]
    if changed:
        own.update({name: values[name] for name in changed})
        part = CONFIG.with_suffix(".part")
        part.write_text(json.dumps(raw, indent=2) + "\n")
        part.replace(CONFIG)  # atomic: an interrupted write leaves the old file
    return changed


def systems(stage: str) -> frozenset[str]:
    """The systems that a stage runs; all of them if it names none."""
    named = configured(stage).get("SYSTEMS", "")
    return frozenset(system.strip() for system in named.split(",")) if named else frozenset(SYSTEMS)


def worker_timeout_seconds(*, config: Path | None = None) -> int:
    """The worker's timeout; the queue's visibility timeout must be longer."""
    return int(_read(config)["lambda_functions"]["worker"]["lambda_timeout"])


def lane_concurrency(stage: str, handler: str) -> int:
    """The most concurrent invocations of a lane's function."""
    variables = configured(stage)
    name = "WORKER_CONCURRENCY" if handler == "worker" else "LANE_CONCURRENCY"
    return int(variables[name])


def _read(config: Path | None = None) -> dict[str, Any]:
    """Read the file.

    Raises:
        SettingsError: the file cannot be read or is not valid; names the line of a JSON error.
    """
    path = config or CONFIG
    named = f"{path.parent.name}/{path.name}"
    try:
        raw: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"{named} cannot be read: {error.strerror}") from None
    except json.JSONDecodeError as error:
        raise SettingsError(f"{named}, line {error.lineno}, is not JSON: {error.msg}") from None
    except UnicodeDecodeError:
        raise SettingsError(f"{named} is not UTF-8") from None
    if not isinstance(raw, dict) or not isinstance(raw.get("stages"), dict):
        raise SettingsError(f'{named} has no "stages"')
    return raw


def _renamed(value: str, stage: str) -> str:
    return re.sub(r"(?:(?<=[-/])|^)dev(?=$|[./-])", stage, value)
