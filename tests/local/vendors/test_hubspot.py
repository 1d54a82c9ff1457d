"""The simulated HubSpot signs like the real one, which still sends its old signature too."""

import hashlib
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from chalicelib.facts import hubspot_webhook
from local.vendors.hubspot import CLIENT_SECRET, EVENTS_PER_BATCH, TARGET_URL, HubSpot, event


class Listener(BaseHTTPRequestHandler):
    """Records requests and answers 200."""

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.server.received.append((headers, body))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *_):
        pass


@pytest.fixture
def listener():
    with HTTPServer(("127.0.0.1", 0), Listener) as server:
        server.received = []
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def hubspot(listener):
    return HubSpot(f"http://127.0.0.1:{listener.server_address[1]}/")


def test_a_batch_carries_the_old_signature_beside_the_current_one(hubspot, listener):
    assert hubspot.send([event()]) == 200
    ((headers, body),) = listener.received
    old = hashlib.sha256(CLIENT_SECRET.encode() + body).hexdigest()
    assert headers["x-hubspot-signature"] == old
    assert headers["x-hubspot-signature-version"] == "v1"
    stamp = int(headers["x-hubspot-request-timestamp"])
    hubspot_webhook.verify(
        headers, uri=TARGET_URL, body=body, now_ms=stamp, secrets=[CLIENT_SECRET]
    )


def test_a_batch_has_no_more_events_than_the_real_ones(hubspot, listener):
    with pytest.raises(ValueError, match="at most 100"):
        hubspot.send([event()] * (EVENTS_PER_BATCH + 1))
    assert listener.received == []
