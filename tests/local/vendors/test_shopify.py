"""The simulated Shopify speaks GraphQL, and is unpleasant where the real one is."""

import pytest
import requests

from local.vendors.shopify import CLIENT_ID, CLIENT_SECRET, SimulatedShopify

FORM = {
    "grant_type": "client_credentials",
    "client_id": CLIENT_ID,
    "client_secret": CLIENT_SECRET,
}
QUERY = "query($q:String!){orders(first:5,query:$q,reverse:true){nodes{name email}}}"


@pytest.fixture
def moment():
    return [1_800_000_000.0]


@pytest.fixture
def shopify(moment):
    with SimulatedShopify(now=lambda: moment[0]) as running:
        yield running


def grant(shopify, **changes):
    url = f"{shopify.url}/admin/oauth/access_token"
    return requests.post(url, data={**FORM, **changes}, timeout=60)


def ask(shopify, token, q="", query=QUERY):
    return requests.post(
        f"{shopify.url}/admin/api/2026-10/graphql.json",
        json={"query": query, "variables": {"q": q}},
        headers={"X-Shopify-Access-Token": token},
        timeout=60,
    )


def test_a_token_lasts_a_day(shopify, moment):
    given = grant(shopify).json()
    assert given["expires_in"] == 86_399
    assert ask(shopify, given["access_token"]).status_code == 200
    moment[0] += 86_400
    assert ask(shopify, given["access_token"]).status_code == 401
    assert ask(shopify, "shpat_other").status_code == 401


def test_wrong_credentials_and_another_grant_are_refused(shopify):
    assert grant(shopify, client_secret="wrong").status_code == 401
    assert grant(shopify, grant_type="password").status_code == 400


def test_search_is_by_prefix_and_newest_first(shopify):
    token = grant(shopify).json()["access_token"]
    for day, name in enumerate(("#1001", "#10010", "#1002"), 1):
        shopify.add_order(name, email="ada@example.com", created_at=f"2026-11-0{day}T00:00:00Z")
    nodes = ask(shopify, token, "name:'#1001'").json()["data"]["orders"]["nodes"]
    assert [node["name"] for node in nodes] == ["#10010", "#1001"]


def test_an_unknown_field_is_an_error_with_status_200(shopify):
    token = grant(shopify).json()["access_token"]
    answer = ask(shopify, token, query=QUERY.replace("email", "secretNotes"))
    assert answer.status_code == 200
    assert "secretNotes" in answer.json()["errors"][0]["message"]


def test_throttling_comes_with_status_200_and_the_cost(shopify):
    token = grant(shopify).json()["access_token"]
    shopify.throttle()
    throttled = ask(shopify, token).json()
    assert throttled["errors"][0]["extensions"]["code"] == "THROTTLED"
    assert throttled["extensions"]["cost"]["throttleStatus"]["currentlyAvailable"] == 0
    assert "errors" not in ask(shopify, token).json()


def test_protected_data_that_was_not_granted_is_null_with_an_error(shopify):
    token = grant(shopify).json()["access_token"]
    shopify.add_order("#1001", email="ada@example.com")
    shopify.set_modes(shows_email=False)
    answer = ask(shopify, token).json()
    assert answer["data"]["orders"]["nodes"] == [{"name": "#1001", "email": None}]
    assert answer["errors"][0]["extensions"]["code"] == "ACCESS_DENIED"
