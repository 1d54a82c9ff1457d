"""The simulated Power BI behaves as the real one is documented."""

import pytest
import requests

from chalicelib.facts.dataset import definition, fact_row
from local.vendors.entra import TENANT
from local.vendors.powerbi import CLIENT_ID, CLIENT_SECRET, SCOPE, WORKSPACE
from tests.rigs.fact_writer import fact

FORM = {
    "grant_type": "client_credentials",
    "client_id": CLIENT_ID,
    "client_secret": CLIENT_SECRET,
    "scope": SCOPE,
}


class Caller:
    def __init__(self, powerbi, dataset):
        self.powerbi, self.dataset = powerbi, dataset
        answer = requests.post(powerbi.token_url, data=FORM, timeout=60)
        self.token = answer.json()["access_token"]

    def datasets(self, **settings):
        return self._call("POST", f"/groups/{WORKSPACE}/datasets", **settings)

    def rows(self, rows, *, method="POST", table="FactEvent", headers=None):
        path = f"/groups/{WORKSPACE}/datasets/{self.dataset}/tables/{table}/rows"
        return self._call(method, path, json={"rows": rows}, headers=headers)

    def _call(self, method, path, *, headers=None, **settings):
        return requests.request(
            method,
            f"{self.powerbi.url}/v1.0/myorg{path}",
            headers={"Authorization": f"Bearer {self.token}", **(headers or {})},
            timeout=60,
            **settings,
        )


@pytest.fixture
def caller(powerbi, dataset):
    return Caller(powerbi, dataset)


ROW = dict(fact_row(fact(1)))


def test_posted_rows_get_200_and_an_empty_body(caller):
    answer = caller.rows([ROW, ROW])

    assert (answer.status_code, answer.text) == (200, "")
    assert caller.powerbi.rows(caller.dataset, "FactEvent") == [ROW, ROW]


@pytest.mark.parametrize(
    "row",
    [
        {**ROW, "Nobody": "knows"},
        {**ROW, "AgentID": 101},
        {**ROW, "FactDateKey": "yesterday"},
        {**ROW, "Notes": "x" * 4001},
        "no row",
    ],
)
def test_one_invalid_row_refuses_the_whole_post(caller, row):
    assert caller.rows([ROW, row]).status_code == 400
    assert caller.powerbi.rows(caller.dataset, "FactEvent") == []


def test_a_post_takes_at_most_ten_thousand_rows(caller):
    assert caller.rows([ROW] * 10_001).status_code == 400
    assert caller.rows([ROW] * 10_000).status_code == 200


def test_clearing_removes_every_row(caller):
    caller.rows([ROW])
    assert caller.rows([], method="DELETE").status_code == 200
    assert caller.powerbi.rows(caller.dataset, "FactEvent") == []


def test_a_known_sequence_number_adds_nothing(caller):
    for _ in range(2):
        headers = {"X-PowerBI-PushData-SequenceNumber": "7"}
        assert caller.rows([ROW], headers=headers).status_code == 200
    assert len(caller.powerbi.rows(caller.dataset, "FactEvent")) == 1


@pytest.mark.parametrize("limits", [{"posts_per_minute": 2}, {"rows_per_hour": 2}])
def test_exceeding_a_limit_is_429_with_a_retry_after(caller, limits):
    caller.powerbi.set_modes(**limits)
    assert [caller.rows([ROW]).status_code for _ in range(3)] == [200, 200, 429]
    assert int(caller.rows([ROW]).headers["Retry-After"]) > 0


def test_the_tables_of_a_dataset_share_its_post_limit(caller):
    caller.powerbi.set_modes(posts_per_minute=2)
    metric = {"MetricID": "CALLS"}
    assert caller.rows([ROW]).status_code == 200
    assert caller.rows([metric], table="DimMetric").status_code == 200
    assert caller.rows([ROW]).status_code == 429


def test_an_expired_token_is_401_and_a_foreign_one_403(caller):
    caller.powerbi.end_tokens()
    assert caller.rows([ROW]).status_code == 401
    again = Caller(caller.powerbi, caller.dataset)
    caller.powerbi.set_modes(allowed=False)
    assert again.rows([ROW]).status_code == 403


@pytest.mark.parametrize(
    ("change", "status"),
    [({"client_secret": "wrong"}, 401), ({"scope": "other"}, 400), ({"grant_type": "x"}, 400)],
)
def test_a_token_needs_the_right_form(powerbi, change, status):
    answer = requests.post(powerbi.token_url, data={**FORM, **change}, timeout=60)
    assert answer.status_code == status


def test_another_tenant_gives_no_token(powerbi):
    elsewhere = powerbi.token_url.replace(TENANT, "22222222-2222-2222-2222-222222222222")
    assert requests.post(elsewhere, data=FORM, timeout=60).status_code == 400


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/reports", 404),
        ("PUT", f"/groups/{WORKSPACE}/datasets/{{dataset}}/tables/FactEvent", 400),
    ],
)
def test_a_malformed_request_gets_a_response(caller, method, path, status):
    answer = caller._call(method, path.format(dataset=caller.dataset), json={})
    assert answer.status_code == status


def test_a_dataset_of_our_definition_is_created_and_one_with_a_type_clash_refused(caller):
    assert caller.datasets(json=definition()).status_code == 201
    clash = definition()
    clash["tables"][0]["columns"][2]["dataType"] = "String"  # FactDateKey, as it was shipped first
    assert caller.datasets(json=clash).status_code == 400


def test_another_process_can_inspect_it(caller):
    caller.rows([ROW])
    shown = requests.get(f"{caller.powerbi.url}/_sim/datasets", timeout=60).json()["datasets"]
    assert shown[0]["rows"]["FactEvent"] == 1
