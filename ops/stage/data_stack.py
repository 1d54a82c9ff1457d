"""Makes a stage's data stack: tables, queues, buckets and alarms."""

from __future__ import annotations

from ops.stage import lost, stack
from ops.stage.lost import StageStack
from ops.stage.provision import Clients, Made
from ops.stage.stack import Deployer
from ops.stage.template import TEMPLATE, StageTemplate, parameters


def make(clients: Clients, template: StageTemplate, by: Deployer) -> Made:
    """Create or update a stage's data stack; restores lost resources as `lost.make` does."""
    name = stack.data_stack(template.stage)
    declared = StageStack(
        name=name, template=template, path=TEMPLATE, values=parameters(template.stage), by=by
    )
    return Made("Data", name, lost.make(clients, declared))


def lost_tables(clients: Clients, template: StageTemplate) -> list[str]:
    """Names of the tables that the stack made and a person deleted."""
    gone = lost.lost(clients, stack.data_stack(template.stage), template, (lost.TABLE,))
    return [lost.name(resource) for resource in gone]
