"""Chalice's local server on a port of choice, quick on a kept connection."""

import socket

import pytest
import requests

from local.stack.engine import PortTakenError
from local.stack.server import Http


@pytest.fixture
def http(app):
    with Http(app.app) as running:
        yield running


def test_the_apps_routes_are_served(http):
    answer = requests.get(f"{http.url}/health", timeout=60)
    assert (answer.status_code, answer.json()["stage"]) == (200, "dev")


def test_a_refused_head_leaves_the_connection_usable(http):
    """A body after it would be read as the next response."""
    with requests.Session() as session:
        assert session.head(f"{http.url}/health", timeout=60).status_code in (403, 405)
        assert session.get(f"{http.url}/health", timeout=60).status_code == 200


def test_no_response_waits_for_the_clients_acknowledgement(http):
    """Two packets an answer and Nagle's algorithm would cost 44 ms on a kept connection."""
    handled = []
    serve = http._server.finish_request

    def looking(connection, address):
        handled.append(connection)
        serve(connection, address)

    http._server.finish_request = looking
    with requests.Session() as session:
        session.get(f"{http.url}/health", timeout=60)
        assert [
            connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY) for connection in handled
        ] == [1]


def test_a_port_in_use_is_named(app):
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
        timeout=60,
    )
    assert answer.json() == {"status": "accepted", "event_id": "evt:rp:1042:c-77"}
    assert pump.pump_one().error is None
    assert "mw-processed" in richpanel.tags_of("1042")
