"""Deploys a stage in either of its two ways, from this machine, with Chalice's own commands.

``stack``: `chalice package`, the bundle in the bucket of artifacts, a CloudFormation change set.
``direct``: the data resources are provisioned, then `chalice deploy`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from ops.session import OpsError, Session
from ops.stage import artifacts, buckets, config, mail, monitoring, policies, provision, stack
from ops.stage.provision import Made
from ops.stage.template import wanted

PROJECT = config.CONFIG.parents[1]
COMMAND_SECONDS = 900
_CHALICE = "import sys; from chalice.cli import main; sys.exit(main())"


def provisioned(session: Session, *, alarm_email: str = "") -> dict[str, Any]:
    """Create or update everything of a stage but its functions; may be repeated."""
    template = session.template
    return {
        "made": [
            *provision.everything(session, template, session.stage),
            *buckets.create(session, template),
            *access(session),
            *policies.roles(session, template),
        ],
        "watching": monitoring.create(session.client, template, email=alarm_email),
        "mail": mail.create(session.client, template),
    }


def access(session: Session) -> list[Made]:
    """Make the stage's boundary and its people's policies as declared, where they are not.

    Raises:
        OpsError: they are not, and who runs this may not make them.
    """
    account, region = session.identity.account, session.client("sqs").meta.region_name
    template = policies.declared(session.stage, account, region)
    return list(policies.create(session, template, account))


def direct(session: Session) -> None:
    """Provision the stage, deploy its functions, and complete what needs them.

    Raises:
        OpsError: Chalice failed; the message ends with what it said.
        OwnedByStackError: a stack owns the stage.
    """
    provisioned(session)
    chalice("deploy", "--stage", session.stage)
    mail.create(session.client, session.template)


def by_stack(session: Session) -> None:
    """Package the stage and create or update its stack.

    Raises:
        OpsError: Chalice or CloudFormation failed, or the stage was deployed the other way.
    """
    stack.refuse_provisioned(session, session.stage)
    bucket = artifacts.of(session)
    artifacts.create(session, bucket)
    access(session)
    list(provision.switches(session, session.template, session.stage))
    parameters = {"Stage": session.stage, "Release": release(), **wanted(session.stage)}
    identities = config.configured(session.stage).get("SENDER_IDENTITIES")
    if identities:
        parameters["SenderIdentities"] = identities
    with tempfile.TemporaryDirectory() as folder:
        merge = ("--merge-template", ".chalice/resources.json")
        chalice("package", "--stage", session.stage, *merge, folder)
        template = json.loads((Path(folder) / "sam.json").read_text())
        url = stack.uploaded(session, bucket, Path(folder), template)
    name = f"rp-mw-{session.stage}"
    stack.apply(session, name, url, parameters)


WAYS = {"stack": by_stack, "direct": direct}


def release() -> str:
    """What is deployed: the commit, or the time where the project is no repository."""
    try:
        found = subprocess.run(
            ["git", "rev-parse", "--short", "HEAD"],  # noqa: S607 - wherever the system has it
            cwd=PROJECT,
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return "unreleased"
    return found


def chalice(*arguments: str, variables: Mapping[str, str] | None = None) -> str:
    """Run one of Chalice's commands on this project; returns what it printed.

    Raises:
        OpsError: it failed.
    """
    run = subprocess.run(  # noqa: S603 - the command is ours
        [sys.executable, "-c", _CHALICE, *arguments],
        cwd=PROJECT,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    if run.returncode != 0:
        raise OpsError(f"chalice {arguments[0]} failed: {(run.stderr or run.stdout)[-1500:]}")
    return run.stdout
