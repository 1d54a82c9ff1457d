"""The environment a function sees, made for the local machine from `.chalice/config.json`.

What is configured for the deployed stage counts here too; only where AWS and the vendors are is
different.
"""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from local.engine import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from local.resources import Aws

RUN = Path(os.environ.get("LOCAL_RUN_DIR", ROOT / ".run"))
"""Where a running stack leaves its hints and logs; with another folder, two can run at once."""

HINTS = RUN / "env"
"""Written while the stack runs, for `chalice local` and a second terminal; removed at its end."""

_FOREIGN = re.compile(r"^(AWS_|KILL_SWITCH$|SAFE_MODE$|SHADOW_MODE$|AUTOMATION_ENABLED$)")


def configured(stage: str, *, config: Path = ROOT / ".chalice" / "config.json") -> dict[str, str]:
    """The variables `.chalice/config.json` gives a stage; an unknown stage is modelled on dev."""
    raw = json.loads(config.read_text())
    known = raw["stages"].get(stage)
    variables = {**raw.get("environment_variables", {})}
    if known is not None:
        return {**variables, **known.get("environment_variables", {})}
    dev = raw["stages"]["dev"].get("environment_variables", {})
    return {**variables, **{name: _renamed(value, stage) for name, value in dev.items()}}


def local(stage: str, aws: Aws, *, richpanel_url: str) -> dict[str, str]:
    """Everything the app needs to run against the local engine and vendors."""
    return {
        **configured(stage),
        **aws.environment,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "STAGE": stage,
        "WORKER_CONCURRENCY": "2",
        "RICHPANEL_REQUESTS_PER_30_S": "50",  # nobody else uses the simulated tenant
        "RICHPANEL_BASE_URL": richpanel_url,
    }


def enter(variables: Mapping[str, str], environ: MutableMapping[str, str] = os.environ) -> None:
    """Put the variables into this process, and take out what would lead to another AWS account."""
    for name in foreign(environ):
        del environ[name]
    environ.update(variables)


def foreign(environ: Mapping[str, str]) -> list[str]:
    """The variables that would lead to another AWS account or force a switch."""
    return [name for name in environ if _FOREIGN.match(name)]


def write_hints(variables: Mapping[str, str]) -> None:
    """Leave the variables where a second terminal finds them: ``set -a; . .run/env``."""
    RUN.mkdir(exist_ok=True)
    HINTS.touch(mode=0o600)
    HINTS.write_text("".join(f"{name}={value}\n" for name, value in sorted(variables.items())))


def read_hints() -> dict[str, str]:
    """The variables of the stack that runs now; empty when none does."""
    if not HINTS.exists():
        return {}
    lines = HINTS.read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)


def remove_hints() -> None:
    """Take them away again."""
    HINTS.unlink(missing_ok=True)


def _renamed(value: str, stage: str) -> str:
    return re.sub(r"(?:(?<=[-/])|^)dev(?=$|[./-])", stage, value)
