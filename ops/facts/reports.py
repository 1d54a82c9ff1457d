"""Makes what the stage's reports need: the push dataset in Power BI, and the tables in OneLake."""

from __future__ import annotations

from collections.abc import Sequence

from chalicelib.errors import ProviderError
from chalicelib.facts.dataset import DATASET, definition
from chalicelib.facts.posting.onelake import OneLake
from chalicelib.facts.posting.powerbi import (
    ENDS_ON,
    FEATURE_DEPRECATED,
    create_dataset,
    datasets_named,
)
from ops.session import OpsError, Session

DEADLINE_SECONDS = 30.0
REFUSED = (
    f"Power BI makes no new push datasets, and those that exist end on {ENDS_ON}:"
    " FACTS_REPORT=onelake, as in docs/facts-fabric.md"
)


def existing_datasets(session: Session) -> Sequence[str]:
    """Ids of the workspace's datasets of the report's name."""
    services = session.services
    client, workspace = services.posting.powerbi_client, services.settings.powerbi_workspace_id
    return datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)


def make_dataset(session: Session) -> str:
    """Make the push dataset; returns its id.

    Raises:
        OpsError: Power BI makes none any more; says what to do.
        ProviderError: it was not made, or perhaps.
    """
    workspace = session.services.settings.powerbi_workspace_id
    client = session.services.posting.dataset_maker
    try:
        return create_dataset(client, workspace, definition(), deadline_seconds=DEADLINE_SECONDS)
    except ProviderError as error:
        if error.reason == FEATURE_DEPRECATED:
            raise OpsError(REFUSED) from None
        raise


def make_tables(onelake: OneLake) -> Sequence[str]:
    """Make the tables that the landing zone lacks; returns their names."""
    return [one for one in onelake.tables if onelake.make(one, deadline_seconds=DEADLINE_SECONDS)]
