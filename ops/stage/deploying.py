"""Deploys a stage from this machine in either of two ways, with Chalice's own commands.

Both ways first make the access stack and the data stack.  ``stack`` then runs `chalice package`,
uploads the bundle and makes a stack of the functions.  ``deploy_directly`` then runs `chalice deploy`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ops.session import OpsError, Session
from ops.stage import access_stack, config, data_stack, provenance, provision, stack, switches
from ops.stage.provision import Made
from ops.stage.stack import Deployer
from ops.stage.template import ALARM_TOPIC

PROJECT = config.CONFIG.parents[1]
COMMAND_SECONDS = 900
_CHALICE = "import sys; from chalice.cli import main; sys.exit(main())"


def provision_stage(session: Session, *, alarm_email: str = "") -> list[Made]:
    """Create or update everything of a stage except its functions; idempotent.

    Raises:
        OpsError: CloudFormation failed, or an administrator of the account must act first.
    """
    made = [make_access_stack(session)]
    refuse_lost_tables(session)
    made.append(data_stack.make(session, session.template, deployer(session)))
    made += provision.switches(session, session.template, session.stage)
    if alarm_email:
        topic = str(session.template.resolved({"Ref": ALARM_TOPIC}))
        session.client("sns").subscribe(TopicArn=topic, Protocol="email", Endpoint=alarm_email)
    return made


def refuse_lost_tables(session: Session) -> None:
    """Refuse to remake lost tables while the stage acts: empty tables would let it repeat effects.

    Raises:
        OpsError: a table of the stack is gone and the stage is not in shadow mode; says what to do.
    """
    tables = data_stack.lost_tables(session, session.template)
    if tables and switches.read(session)["shadow_mode"] == "false":
        raise OpsError(
            f"{', '.join(tables)}: deleted, with their content; empty ones would let effects be"
            " repeated. First: python -m ops switch set shadow_mode true; then restore"
            " them from a backup (docs/restoring.md), or run this again, which makes them empty"
        )


def make_access_stack(session: Session) -> Made:
    """Create or update the stage's access stack if it is not as declared.

    Raises:
        OpsError: the stack is not as declared, and the caller may not change it.
    """
    return access_stack.make(session, access_stack.of(session))


def deployer(session: Session) -> Deployer:
    """The bucket and role that make the stage's stacks."""
    region = session.client("s3").meta.region_name
    return access_stack.deployer(session.stage, session.identity.account, region)


def as_deployer(session: Session) -> dict[str, str]:
    """Environment variables with an hour's credentials of the deployer's role."""
    given = session.client("sts").assume_role(
        RoleArn=deployer(session).role_arn,
        RoleSessionName=re.sub(r"[^\w+=,.@-]", "-", session.identity.name)[-64:],
    )["Credentials"]
    return {
        "AWS_ACCESS_KEY_ID": given["AccessKeyId"],
        "AWS_SECRET_ACCESS_KEY": given["SecretAccessKey"],
        "AWS_SESSION_TOKEN": given["SessionToken"],
    }


def refuse_other_way(session: Session, way: str) -> None:
    """Refuse a way of deploying if the functions were deployed the other way.

    Raises:
        OpsError: they were; says what to do.
    """
    refuse = stack.refuse_chalices if way == "stack" else stack.refuse_stacks
    refuse(session, session.stage)


def deploy_directly(session: Session) -> None:
    """Provision the stage, and deploy its functions by `chalice deploy` with the deployer's rights.

    Raises:
        OpsError: Chalice or CloudFormation failed (the message ends with its output), or a stack
            has the functions.
    """
    refuse_other_way(session, "direct")
    provision_stage(session)
    own = {**os.environ, **as_deployer(session)}
    chalice(PROJECT, own, "deploy", "--stage", session.stage)


def deploy_by_stack(session: Session) -> None:
    """Provision the stage, package its functions, and create or update their stack.

    Raises:
        OpsError: Chalice or CloudFormation failed, or Chalice has deployed the functions.
    """
    refuse_other_way(session, "stack")
    provision_stage(session)
    with tempfile.TemporaryDirectory() as folder:
        merge = ("--merge-template", ".chalice/functions.json")
        chalice(PROJECT, os.environ, "package", "--stage", session.stage, *merge, folder)
        values = {"Release": release()}
        stack.make_functions(session, session.stage, Path(folder), values, deployer(session))


WAYS = {"stack": deploy_by_stack, "direct": deploy_directly}


def release() -> str:
    """The release's name: the short commit, or "unreleased" outside a repository."""
    return provenance.git("rev-parse", "--short", "HEAD") or "unreleased"


def chalice(project: Path, environ: Mapping[str, str], *arguments: str) -> str:
    """Run one of Chalice's commands on a project; return its output.

    Raises:
        OpsError: the command failed; the message ends with its output.
    """
    run = subprocess.run(  # noqa: S603 - the command is ours
        [sys.executable, "-c", _CHALICE, *arguments],
        cwd=project,
        env=environ,
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
        check=False,
    )
    if run.returncode != 0:
        raise OpsError(f"chalice {arguments[0]} failed: {(run.stderr or run.stdout)[-1500:]}")
    return run.stdout
