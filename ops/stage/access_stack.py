"""A stage's access stack, ``rp-mw-<stage>-access``: permissions, and what makes the other stacks.

`.chalice/access.json` declares the functions' boundary, the people's policies and roles, the bucket
of artifacts, and the deploying role within its own boundary.  An administrator of the account makes
the stack (`python -m ops access`).  The stage's administrator may not, because a boundary does not
bind a person who may change it.
"""

from __future__ import annotations

import json

from botocore.exceptions import ClientError

from ops.session import OpsError, Session
from ops.stage import artifacts, lost, stack, stack_states
from ops.stage.lost import StageStack
from ops.stage.provision import Clients, Made
from ops.stage.stack import Deployer
from ops.stage.template import TEMPLATE, StageTemplate
from ops.unreachable import REFUSED

ACCESS = TEMPLATE.with_name("access.json")
COMPLETE = frozenset({"CREATE_COMPLETE", "UPDATE_COMPLETE"})
"""Statuses in which a stack is as its template says."""


def declared(stage: str, account: str, region: str) -> StageTemplate:
    """The access stack's template for a stage."""
    return StageTemplate(
        json.loads(ACCESS.read_text()), {"Stage": stage}, account=account, region=region
    )


def of(session: Session) -> StageTemplate:
    """The access stack's template for a session's stage."""
    region = session.client("cloudformation").meta.region_name
    return declared(session.stage, session.identity.account, region)


def deployer(stage: str, account: str, region: str) -> Deployer:
    """The bucket and role that make the stage's other stacks."""
    return Deployer(
        bucket=artifacts.name(stage, account, region),
        role_arn=f"arn:aws:iam::{account}:role/rp-mw/rp-mw-{stage}-deploy",
    )


def is_as_declared(clients: Clients, template: StageTemplate) -> bool:
    """Whether the stack exists, is complete, has this version's template, and lacks no resource."""
    client, name = clients.client("cloudformation"), stack.access_stack(template.stage)
    if stack_states.status(client, name) not in COMPLETE:
        return False
    made = client.get_template(StackName=name)["TemplateBody"]
    if template.written_out(made) != template.to_deploy(ACCESS):  # the file may be deployed by hand
        return False
    return not list(lost.absent(clients, template))


def make(clients: Clients, template: StageTemplate) -> Made:
    """Create or update the stack if it is not as this version declares it.

    Raises:
        OpsError: CloudFormation failed, or the caller may not change the stack.
    """
    name = stack.access_stack(template.stage)
    if is_as_declared(clients, template):
        return Made("Access", name, stack.UNCHANGED)
    values = {"Stage": template.stage}
    declared = StageStack(name=name, template=template, path=ACCESS, values=values, by=None)
    try:
        did = lost.make(clients, declared)
    except ClientError as error:
        if error.response["Error"]["Code"] not in REFUSED:
            raise
        raise OpsError(
            f"the stack {name} is not as declared, and an administrator of the account makes it:"
            f" python -m ops access --stage {template.stage}"
        ) from error
    return Made("Access", name, did)
