"""The pipeline of facts on a fresh stage: doors, queue, worker, writer, and a simulated Power BI."""

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from chalicelib.facts.dataset import FACT_EVENT, definition
from chalicelib.facts.posting.ndjson import FileRows
from local import aligned
from local.stack import environment, lambda_events
from local.stack.server import Http
from local.vendors.aloware import Aloware
from local.vendors.hubspot import HubSpot
from local.vendors.onelake import SimulatedOneLake
from local.vendors.powerbi import SimulatedPowerBi
from tests.rigs.engines import drain

SAMPLES = Path(__file__).parents[1] / "samples"


def sample(source: str, name: str) -> Any:
    return json.loads((SAMPLES / source / f"{name}.json").read_text())


@pytest.fixture(scope="session")
def _powerbi_server():
    with SimulatedPowerBi() as running:
        yield running


@pytest.fixture
def powerbi(_powerbi_server):
    """A simulated Power BI without datasets, faults or records."""
    _powerbi_server.up()
    _powerbi_server.reset()
    yield _powerbi_server
    _powerbi_server.clear_faults()


@pytest.fixture
def dataset(powerbi):
    return powerbi.create_dataset(definition())


@pytest.fixture(scope="session")
def _onelake_server():
    with SimulatedOneLake() as running:
        yield running


@pytest.fixture
def onelake(_onelake_server):
    """A simulated OneLake without tables, faults or records."""
    _onelake_server.up()
    _onelake_server.reset()
    yield _onelake_server
    _onelake_server.clear_faults()


@pytest.fixture
def facts_folder(tmp_path):
    return tmp_path / "facts"


@pytest.fixture
def mirrored(onelake, monkeypatch):
    """A stage whose facts go to OneLake and the archive, and to no dataset; its tables are not made."""
    for name, value in environment.onelake(onelake).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("FACTS_REPORT", "onelake")
    return onelake


@dataclass
class FactsRig:
    """The pipeline of facts, from the senders to Power BI."""

    app: Any
    pump: Any
    stage: Any
    powerbi: SimulatedPowerBi
    dataset: str
    aloware: Aloware
    hubspot: HubSpot
    files: FileRows

    def work(self):
        """The worker until the queue is empty."""
        return drain(self.pump)

    def post(self, **context):
        """One run of the schedule."""
        made = lambda_events.LambdaContext(timeout_seconds=240.0, **context)
        return self.app.post_facts(lambda_events.schedule_event(), made)

    def rows(self, table=FACT_EVENT):
        return self.powerbi.rows(self.dataset, table)

    def ids(self):
        """How often each fact is in the dataset."""
        return Counter(row["EventID"] for row in self.rows())

    def ledger(self):
        """Rows of the facts' table by key."""
        name = self.stage.tables["QuillLedgerTable"]
        return {row["pk"]: row for row in aligned.rows(self.stage.aws, name)}

    def facts(self):
        """Rows that are facts."""
        return {
            key: row
            for key, row in self.ledger().items()
            if key.startswith(("ALOWARE:", "HUBSPOT:"))
        }


@pytest.fixture
def facts_rig(app, pump, stage, powerbi, dataset, facts_folder):
    with Http(app.app, stage="dev") as http:
        yield FactsRig(
            app,
            pump,
            stage,
            powerbi,
            dataset,
            Aloware(f"{http.url}/webhook/aloware", token=stage.secrets.aloware_token),
            HubSpot(f"{http.url}/webhook/hubspot", secret=stage.secrets.hubspot_secret),
            FileRows(facts_folder),
        )
