"""Chalice's local server on a port of choice, quick on a kept connection."""

import socket
import time

import pytest
import requests

from local.engine import PortTakenError
from local.server import Http


@pytest.fixture
def http(app):
    with Http(app.app) as running:
        yield running


def test_the_apps_routes_are_served(http):
    answer = requests.get(f"{http.url}/health", timeout=5)
    assert (answer.status_code, answer.json()["stage"]) == (200, "dev")


def test_a_kept_connection_costs_no_forty_milliseconds(http):
    with requests.Session() as session:
        session.get(f"{http.url}/health", timeout=5)
        took = []
        for _ in range(20):
            began = time.monotonic()
            session.get(f"{http.url}/health", timeout=5)
            took.append(time.monotonic() - began)
    assert sorted(took)[10] < 0.03


def test_a_taken_port_is_named(app):
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        with pytest.raises(PortTakenError, match=str(port)):
            Http(app.app, port)


def test_a_webhook_goes_through_the_whole_machine(http, stage, richpanel, pump):
    richpanel.add_ticket("1042", comments=[{"id": "c-77", "body": "Where is my order?"}])
    answer = requests.post(
        f"{http.url}/webhook/richpanel",
        json={"ticket_id": "1042", "message_id": "c-77", "message": "Where is my order?"},
        headers={"x-richpanel-webhook-token": stage.secrets.webhook_token},
        timeout=5,
    )
    assert answer.json() == {"status": "accepted", "event_id": "evt:rp:1042:c-77"}
    assert pump.pump_one().error is None
    assert "mw-processed" in richpanel.tags_of("1042")
