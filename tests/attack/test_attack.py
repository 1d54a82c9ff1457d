"""A few hostile requests of each kind at every door, and what they may cost."""

from dataclasses import replace

import pytest

from local import company
from tests.attack.doors import DOORS
from tests.attack.hostile import KINDS
from tests.attack.run import Attacker, valid
from tests.rigs.openapi import Sender

SECRETS = {
    "richpanel": "richpanel/webhook_token",
    "initiate": "router/api_keys",
    "may_send": "router/api_keys",
    "outcome": "router/api_keys",
    "desk_list": "router/api_keys",
    "desk_conversation": "router/api_keys",
    "desk_act": "router/api_keys",
    "messages": "router/api_keys",
    **dict.fromkeys(
        (f"register_{call}" for call in ("page", "lookup", "import", "lift", "subscription")),
        "router/api_keys",
    ),
    "twilio": "twilio/webhook_tokens",
    "twilio_status": "twilio/webhook_tokens",
    "aloware": "aloware/webhook_token",
    "hubspot": "hubspot/client_secret",
}
PER_DOOR = 64
"""Eight of each kind; ``python -m tests.attack`` tries 2,000."""


@pytest.fixture
def attacker(app, stage, monkeypatch):
    company.create(stage)
    company.open_desk(stage)
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    return Attacker(app, Sender(stage))


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.long)])
def test_hostile_requests_are_refused_without_a_500_a_traceback_or_a_call_to_aws(attacker, seed):
    report = attacker.attack(PER_DOOR, seed)
    assert report.problems == {}, report.table()
    assert report.calls.total() == 0, report.table()
    assert {kind for _, kind in report.answers} == set(KINDS)
    assert {door for door, _ in report.answers} == {door.name for door in DOORS}
    tried = sum(statuses.total() for statuses in report.answers.values())
    assert tried == PER_DOOR * len(DOORS)


@pytest.mark.parametrize(
    "door", [door for door in DOORS if door.name in SECRETS], ids=lambda door: door.name
)
@pytest.mark.parametrize("state", ["configured", "empty", "missing", "unreadable"])
def test_a_request_without_credentials_costs_no_call_after_the_first(
    app, stage, monkeypatch, door, state
):
    """A new container reads its secret once a minute, whether there is one or not."""
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    company.create(stage)
    company.open_desk(stage)
    set_secret(stage, door.name, state)
    attacker = Attacker(app, Sender(stage))
    costs = []
    for shows in ("none", "wrong", "none", "wrong", "flipped", "cut", "wrong"):
        before = attacker.calls
        status, _problem = attacker.send(door, replace(valid(door), shows=shows))
        costs.append(attacker.calls - before)
        is_our_fault = state == "unreadable" and shows != "none"
        assert status == (500 if is_our_fault else 401)
        assert ("mw.ingress.failed" in attacker.written) is is_our_fault  # rings an alarm
    assert sum(costs) == 1, costs


def set_secret(stage, door, state):
    client, name = stage.aws.client("secretsmanager"), f"rp-mw/dev/{SECRETS[door]}"
    match state:
        case "empty":
            client.put_secret_value(SecretId=name, SecretString=" ")
        case "missing":
            client.delete_secret(SecretId=name, ForceDeleteWithoutRecovery=True)
        case "unreadable":
            client.put_secret_value(SecretId=name, SecretBinary=b"no text")
