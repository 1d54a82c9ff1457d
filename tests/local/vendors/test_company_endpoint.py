"""The simulated endpoint of a company: it checks a signature, and its age by a clock of its own."""

import json
import time
from datetime import UTC, datetime

import pytest
import requests
from standardwebhooks.webhooks import Webhook

from local.vendors.company_endpoint import SECRET, TOLERANCE_SECONDS, CompanyEndpoint

LATER = 10_000.0
BODY = json.dumps({"type": "conversation.sent", "data": {"number": 1}})


@pytest.fixture
def endpoint():
    with CompanyEndpoint(now=lambda: time.time() + LATER) as running:
        yield running


def posted(endpoint, *, age_seconds=0.0, secret=SECRET, **changes):
    at = int(time.time() + LATER - age_seconds)
    signature = Webhook(secret).sign("evt_1", datetime.fromtimestamp(at, UTC), BODY)
    headers = {
        "content-type": "application/json",
        "webhook-id": "evt_1",
        "webhook-timestamp": f"{at}",
        "webhook-signature": signature,
    }
    url = endpoint.events_url
    return requests.post(url, data=BODY, headers=headers | changes, timeout=60).status_code


def test_a_signed_event_is_acted_upon_once(endpoint):
    assert [posted(endpoint), posted(endpoint)] == [200, 200]
    assert list(endpoint.received) == ["evt_1"]
    assert endpoint.forged == 0


@pytest.mark.parametrize(
    "changes",
    [
        {"age_seconds": TOLERANCE_SECONDS + 5},
        {"age_seconds": -TOLERANCE_SECONDS - 5},
        {"secret": "whsec_" + "b3RoZXI="},
        {"webhook-timestamp": "yesterday"},
        {"webhook-signature": "v1"},
        {"webhook-id": "evt_2"},
    ],
    ids=lambda changes: next(iter(changes)),
)
def test_an_old_a_new_and_a_wrongly_signed_event_are_refused(endpoint, changes):
    assert posted(endpoint, **changes) == 401
    assert not endpoint.received
    assert endpoint.forged == ("age_seconds" not in changes), "one that is too old is no forgery"


def test_one_of_several_signatures_must_be_right(endpoint):
    at = int(time.time() + LATER)
    right = Webhook(SECRET).sign("evt_1", datetime.fromtimestamp(at, UTC), BODY)
    assert posted(endpoint, **{"webhook-signature": f"v1,AAAA {right}"}) == 200
