"""Makes the push dataset in Power BI and the tables in OneLake for a stage's reports."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from http import HTTPStatus

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
NO_MEMBER = (
    "Power BI refuses this application: make it a member of the workspace in POWERBI_WORKSPACE_ID,"
    " as in docs/facts.md"
)


def existing_datasets(session: Session) -> Sequence[str]:
    """Ids of the workspace's datasets that have the report's name.

    Raises:
        OpsError: no workspace is configured, or Power BI refuses this application access.
    """
    client, workspace = session.services.posting.powerbi_client, _workspace(session)
    with _refusals():
        return datasets_named(client, workspace, DATASET, deadline_seconds=DEADLINE_SECONDS)


def make_dataset(session: Session) -> str:
    """Make the push dataset; return its id.

    Raises:
        OpsError: no workspace is configured, or Power BI makes no more push datasets or refuses
            this application; says what to do.
        ProviderError: the dataset was not made, or its making is uncertain.
    """
    client, workspace = session.services.posting.powerbi_client_with_codes, _workspace(session)
    with _refusals():
        return create_dataset(client, workspace, definition(), deadline_seconds=DEADLINE_SECONDS)


def _workspace(session: Session) -> str:
    workspace = session.services.settings.powerbi_workspace_id
    if not workspace:
        raise OpsError("POWERBI_WORKSPACE_ID is not set", code=2)
    return workspace


@contextmanager
def _refusals() -> Iterator[None]:
    try:
        yield
    except ProviderError as error:
        if error.reason == FEATURE_DEPRECATED:
            raise OpsError(REFUSED) from None
        if error.status == HTTPStatus.FORBIDDEN:
            raise OpsError(NO_MEMBER) from None
        raise


def make_tables(onelake: OneLake) -> Sequence[str]:
    """Make the tables that the landing zone lacks; return their names."""
    return [
        table
        for table in onelake.tables
        if onelake.make_table(table, deadline_seconds=DEADLINE_SECONDS)
    ]
