"""Deploys a stage in either of its two ways, from this machine, with Chalice's own commands.

Both make the access stack and the data stack first.  ``stack``: then `chalice package`, the bundle in
the bucket of artifacts, and a stack of the functions.  ``direct``: then `chalice deploy`.
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


def provisioned(session: Session, *, alarm_email: str = "") -> list[Made]:
    """Create or update everything of a stage but its functions; may be repeated.

    Raises:
        OpsError: CloudFormation failed, or an administrator of the account must act first.
    """
    made = [access(session)]
    refuse_lost_tables(session)
    made.append(data_stack.make(session, session.template, deployer(session)))
    made += provision.switches(session, session.template, session.stage)
    if alarm_email:
        topic = str(session.template.resolved({"Ref": ALARM_TOPIC}))
        session.client("sns").subscribe(TopicArn=topic, Protocol="email", Endpoint=alarm_email)
    return made


def refuse_lost_tables(session: Session) -> None:
    """Refuse to make tables again, empty, while the stage acts: it would do again what was done.

    Raises:
        OpsError: a table of the stack is gone, and the stage is not in shadow; says what it means.
    """
    tables = data_stack.lost_tables(session, session.template)
    if tables and switches.read(session)["shadow_mode"] == "false":
        raise OpsError(
            f"{', '.join(tables)}: gone, with what was in it; made again it is empty, and what was"
            " done may be done again. First: python -m ops switch set shadow_mode true; then restore"
            " it from a backup (docs/restoring.md), or run this again, which makes it empty"
        )


def access(session: Session) -> Made:
    """Make the stage's access stack as declared, where it is not.

    Raises:
        OpsError: it is not, and who runs this may not make it.
    """
    return access_stack.make(session, access_stack.of(session))


def deployer(session: Session) -> Deployer:
    """By what the stage's stacks are made."""
    region = session.client("s3").meta.region_name
    return access_stack.deployer(session.stage, session.identity.account, region)


def as_deployer(session: Session) -> dict[str, str]:
    """The variables by which a program acts as the deployer; an hour's credentials."""
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
    """Refuse a way of deploying over functions that are deployed in the other one.

    Raises:
        OpsError: they are; says what to do.
    """
    refuse = stack.refuse_chalices if way == "stack" else stack.refuse_stacks
    refuse(session, session.stage)


def direct(session: Session) -> None:
    """Provision the stage, and deploy its functions by Chalice, as the deployer.

    Raises:
        OpsError: Chalice or CloudFormation failed, or a stack has the functions; the message ends
            with what it said.
    """
    refuse_other_way(session, "direct")
    provisioned(session)
    own = {**os.environ, **as_deployer(session)}
    chalice(PROJECT, own, "deploy", "--stage", session.stage)


def by_stack(session: Session) -> None:
    """Provision the stage, package its functions, and create or update their stack.

    Raises:
        OpsError: Chalice or CloudFormation failed, or Chalice has deployed the functions.
    """
    refuse_other_way(session, "stack")
    provisioned(session)
    with tempfile.TemporaryDirectory() as folder:
        merge = ("--merge-template", ".chalice/functions.json")
        chalice(PROJECT, os.environ, "package", "--stage", session.stage, *merge, folder)
        values = {"Release": release()}
        stack.make_functions(session, session.stage, Path(folder), values, deployer(session))


WAYS = {"stack": by_stack, "direct": direct}


def release() -> str:
    """What is deployed: the commit, or the time where the project is no repository."""
    return provenance.git("rev-parse", "--short", "HEAD") or "unreleased"


def chalice(project: Path, environ: Mapping[str, str], *arguments: str) -> str:
    """Run one of Chalice's commands on a project; returns what it printed.

    Raises:
        OpsError: it failed.
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
