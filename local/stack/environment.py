"""Builds the variables of the functions on this machine, from `.chalice/config.json`.

The deployed stage's configuration applies; only the addresses of AWS and the vendors differ.
"""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import TYPE_CHECKING

from local.stack.engine import ROOT
from local.vendors import onelake as fabric
from local.vendors.entra import TENANT
from local.vendors.hubspot import TARGET_URL
from local.vendors.powerbi import CLIENT_ID, WORKSPACE
from ops.stage.config import configured

if TYPE_CHECKING:
    from collections.abc import Mapping, MutableMapping

    from local.stack.resources import Aws
    from local.vendors.onelake import SimulatedOneLake
    from local.vendors.powerbi import SimulatedPowerBi

RUN = Path(os.environ.get("LOCAL_RUN_DIR", ROOT / ".run"))
"""The folder for a running stack's hints and logs; stacks with different folders can run at once."""

FACTS = RUN / "facts"
"""The folder in which the local archive keeps the rows of facts."""
HINTS = RUN / "env"
"""The file of variables for `chalice local` and a second terminal; removed at the end."""

COLLEAGUES = '{"ci-aaa-001": {"kim@example.com": "agent", "lea@example.com": "lead"}}'
"""The invented company's colleagues: only the operator can sign in on this machine."""
_FOREIGN = re.compile(r"^(AWS_|KILL_SWITCH$|SAFE_MODE$|SHADOW_MODE$|AUTOMATION_ENABLED$)")


def local(stage: str, aws: Aws, *, richpanel_url: str, **more: str) -> dict[str, str]:
    """The variables with which the app runs against the local engine and vendors.

    Args:
        stage: the stage's name.
        aws: the engine.
        richpanel_url: the simulated Richpanel's URL.
        more: further variables, e.g. those of `facts`.
    """
    return {
        **configured(stage),
        **aws.environment,
        "AWS_CONFIG_FILE": os.devnull,
        "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        "STAGE": stage,
        "WORKER_CONCURRENCY": "2",
        "CONSOLE_COLLEAGUES": COLLEAGUES,
        **vendors(richpanel_url=richpanel_url),
        **more,
    }


def vendors(*, richpanel_url: str) -> dict[str, str]:
    """The variables that point to simulated vendors instead of the real ones."""
    return {
        # No other client uses the simulated tenant.  A larger share would allow smaller bursts.
        "RICHPANEL_REQUESTS_PER_30_S": "32",
        "RICHPANEL_BASE_URL": richpanel_url,
    }


def facts(powerbi: SimulatedPowerBi, dataset_id: str, folder: Path) -> dict[str, str]:
    """The variables of the fact pipeline: the simulated Power BI, and a folder for the archive."""
    return {
        "POWERBI_BASE_URL": powerbi.url,
        "POWERBI_TOKEN_URL": powerbi.token_url,
        "POWERBI_TENANT_ID": TENANT,
        "POWERBI_CLIENT_ID": CLIENT_ID,
        "POWERBI_WORKSPACE_ID": WORKSPACE,
        "POWERBI_DATASET_ID": dataset_id,
        "FACTS_FOLDER": str(folder),
        "HUBSPOT_WEBHOOK_URL": TARGET_URL,
    }


def onelake(server: SimulatedOneLake) -> dict[str, str]:
    """The variables of the mirrored database in the simulated OneLake."""
    return {
        "FABRIC_BASE_URL": server.url,
        "FABRIC_TOKEN_URL": server.token_url,
        "FABRIC_TENANT_ID": TENANT,
        "FABRIC_CLIENT_ID": fabric.CLIENT_ID,
        "FABRIC_WORKSPACE_ID": fabric.WORKSPACE,
        "FABRIC_DATABASE_ID": fabric.DATABASE,
    }


def enter(variables: Mapping[str, str], environ: MutableMapping[str, str] = os.environ) -> None:
    """Set the variables in this process; remove those that point to another AWS account."""
    for name in foreign(environ):
        del environ[name]
    environ.update(variables)


def foreign(environ: Mapping[str, str]) -> list[str]:
    """The variables that would point to another AWS account or force a switch."""
    return [name for name in environ if _FOREIGN.match(name)]


def write_hints(variables: Mapping[str, str]) -> None:
    """Write the variables for a second terminal, which loads them by ``set -a; . .run/env``."""
    RUN.mkdir(exist_ok=True)
    HINTS.touch(mode=0o600)
    lines = (f"{name}={shlex.quote(value)}\n" for name, value in sorted(variables.items()))
    HINTS.write_text("".join(lines))


def read_hints() -> dict[str, str]:
    """The variables of the running stack; empty if none is running."""
    if not HINTS.exists():
        return {}
    lines = (line.split("=", 1) for line in HINTS.read_text().splitlines())
    return {name: "".join(shlex.split(value)) for name, value in lines}


def remove_hints() -> None:
    """Remove the hints file."""
    HINTS.unlink(missing_ok=True)
