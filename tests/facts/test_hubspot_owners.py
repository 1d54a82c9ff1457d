"""HubSpot's owners over real HTTP: who is behind the ids of its facts."""

import pytest

from chalicelib.facts.dataset import DIM_AGENT
from chalicelib.facts.hubspot_owners import HubSpotOwners
from chalicelib.facts.roster import CACHE_SECONDS
from chalicelib.vendors.breaker import Breaker
from chalicelib.vendors.http import VendorApi, VendorClient, bearer_header
from chalicelib.vendors.level import LevelPace
from chalicelib.vendors.rate_limit import RateLimit
from local.vendors import hubspot as sender
from local.vendors import hubspot_owners as simulated
from tests.rigs.fakes import ManualClock, RecordingLog
from tests.rigs.operator import new_containers


@pytest.fixture
def hubspot():
    with simulated.SimulatedHubSpotOwners() as running:
        running.add_owner(71, user_id=5001, first="Ada", last="Example", email="ada@example.com")
        running.add_owner(72, user_id=None, first="", last="Bravo", email="bo@example.com")
        running.add_owner(73, user_id=5003, first="", last="", email="")
        yield running


@pytest.fixture
def clock():
    return ManualClock()


@pytest.fixture
def log():
    return RecordingLog()


@pytest.fixture
def directory(hubspot, clock, log):
    client = VendorClient(
        api=VendorApi(
            provider="hubspot",
            base_url=hubspot.url,
            authorize=bearer_header(lambda refresh: simulated.API_TOKEN),
        ),
        clock=clock,
        log=log,
        rate_limit=RateLimit(provider="hubspot", clock=clock, pace=LevelPace(1000)),
        breaker=Breaker("hubspot", clock, failures_to_open=1000),
    )
    return HubSpotOwners(client=client, clock=clock, log=log)


@pytest.mark.parametrize("page_size", [1, 2, 500])
def test_an_owner_is_found_by_both_ids_on_whichever_page(hubspot, directory, page_size):
    hubspot.page_size = page_size
    agents = directory.agents()
    assert {key: (agent.name, agent.email) for key, agent in agents.items()} == {
        "hubspot-owner:71": ("Ada Example", "ada@example.com"),
        "hubspot:5001": ("Ada Example", "ada@example.com"),
        "hubspot-owner:72": ("Bravo", "bo@example.com"),
        "hubspot-owner:73": ("", ""),
        "hubspot:5003": ("", ""),
    }


def test_a_new_owner_is_known_once_the_cache_has_expired(hubspot, directory, clock):
    directory.agents()
    hubspot.add_owner(74, user_id=None, first="Cy", last="Example", email="cy@example.com")
    assert "hubspot-owner:74" not in directory.agents()
    clock.forward(CACHE_SECONDS + 1)
    assert directory.agents()["hubspot-owner:74"].name == "Cy Example"


@pytest.mark.parametrize("how", ["token", "down", "rubbish", "half"])
def test_the_last_directory_applies_while_it_cannot_be_read(hubspot, directory, clock, log, how):
    known = directory.agents()
    match how:
        case "token":
            hubspot.tokens.clear()
        case "down":
            hubspot.down()
        case "rubbish":
            hubspot.fault("status", status=200, times=None)
        case "half":
            hubspot.page_size = 1
            hubspot.fault("status", status=500, skip=1, times=None)
    clock.forward(CACHE_SECONDS + 1)
    assert directory.agents() == known
    assert "mw.facts.roster_unreadable" in log.metric_names()


@pytest.fixture
def next_night(facts_rig, hubspot, monkeypatch):
    """Runs the writer in a new container in the next night; returns the names in the report."""
    facts_rig.stage.aws.client("secretsmanager").create_secret(
        Name="rp-mw/dev/hubspot/api_token", SecretString=simulated.API_TOKEN
    )
    monkeypatch.setenv("HUBSPOT_DIRECTORY", "true")
    monkeypatch.setenv("HUBSPOT_BASE_URL", hubspot.url)
    table = facts_rig.stage.tables["QuillLedgerTable"]

    def run():
        for key in [key for key in facts_rig.ledger() if key.startswith("NIGHT:")]:
            facts_rig.stage.aws.client("dynamodb").delete_item(
                TableName=table, Key={"pk": {"S": key}}
            )
        new_containers()
        facts_rig.post()
        return {row["AgentID"]: row["AgentName"] for row in facts_rig.rows(DIM_AGENT)}

    return run


def test_names_reach_the_report_and_outlast_a_directory_that_cannot_be_read(
    facts_rig, hubspot, next_night
):
    """Such a container once replaced every name by an id."""
    facts_rig.hubspot.send([sender.event(sourceId="userId:5001")])
    facts_rig.work()
    assert next_night() == {"hubspot:5001": "Ada Example"}
    hubspot.down()
    assert next_night() == {"hubspot:5001": "Ada Example"}
    hubspot.up()
    hubspot.rename_owner(71, first="Ada", last="Byron")
    assert next_night() == {"hubspot:5001": "Ada Byron"}
