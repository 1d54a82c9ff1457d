"""What stops an effect is done at once; what lets more happen asks, and both are on record."""

import pytest

from ops.session import Session
from tests.rigs.ops_cli import runner


@pytest.fixture
def run(system, capsys):
    """Runs a command; returns its exit code and output."""
    return runner(capsys)


@pytest.fixture
def prod(system, monkeypatch):
    """The test's stage under the name of prod, with its tables gone."""
    monkeypatch.setattr("ops.session.config.configured", lambda _stage: {})
    ssm = system.stage.aws.client("ssm")
    for name, value in (
        ("kill_switch", "false"),
        ("safe_mode", "false"),
        ("automation_enabled", "true"),
        ("shadow_mode", "false"),
    ):
        ssm.put_parameter(Name=f"/rp-mw/prod/{name}", Value=value, Type="String")
    return ssm


def value(ssm, name, stage="prod"):
    return ssm.get_parameter(Name=f"/rp-mw/{stage}/{name}")["Parameter"]["Value"]


@pytest.mark.parametrize(
    ("name", "tight"),
    [
        ("kill_switch", "true"),
        ("safe_mode", "true"),
        ("automation_enabled", "false"),
        ("shadow_mode", "true"),
    ],
)
def test_prod_is_stopped_in_one_call_without_confirmation_and_released_with_it(
    prod, run, monkeypatch, name, tight
):
    asked = []
    monkeypatch.setattr(Session, "may_write", lambda _self, command: asked.append(command))
    loose = "false" if tight == "true" else "true"

    assert run("switch", "set", name, tight, "--stage", "prod").code == 0
    assert (value(prod, name), asked) == (tight, [])

    assert run("switch", "set", name, loose, "--stage", "prod", "--yes").code == 0
    assert (value(prod, name), asked) == (loose, ["switch set"])


def test_a_stage_without_tables_is_stopped(prod, run, system):
    for table in system.stage.aws.client("dynamodb").list_tables()["TableNames"]:
        system.stage.aws.client("dynamodb").delete_table(TableName=table)
    assert run("switch", "set", "kill_switch", "true", "--stage", "prod").code == 0
    assert value(prod, "kill_switch") == "true"


@pytest.mark.parametrize(
    ("arguments", "typed", "result"),
    [
        ((), "", (1, "true")),
        ((), "n\n", (1, "true")),
        ((), "y\n", (0, "false")),
        (("--yes",), "", (0, "false")),
    ],
    ids=["no terminal", "no", "yes", "--yes"],
)
def test_letting_more_happen_asks_on_every_stage(run, system, arguments, typed, result):
    """Without a terminal the act was once done on dev although no one had agreed."""
    ssm = system.stage.aws.client("ssm")
    assert run("switch", "set", "kill_switch", "true").code == 0
    said = run("switch", "set", "kill_switch", "false", *arguments, typed=typed)
    assert (said.code, value(ssm, "kill_switch", "dev")) == result


@pytest.mark.parametrize("value", ["yes", "1", "", "treu"])
def test_a_switch_is_set_to_nothing_that_only_may_mean_true(run, system, value):
    before = run("switch", "get", "--json").data["kill_switch"]
    assert run("switch", "set", "kill_switch", value, "--yes").code == 2
    assert run("switch", "get", "--json").data["kill_switch"] == before


def test_a_switch_keeps_why_it_was_set(run, system):
    run("switch", "set", "kill_switch", "true", "--reason", "the vendor sends twice")
    run("switch", "set", "kill_switch", "false", "--yes")
    system.sweep()
    acts = run("journal", "switch:kill_switch", "--json").data
    assert [act["reason"] for act in acts[-2:]] == ["the vendor sends twice", None]


def test_a_switch_shows_since_when_it_has_its_value(run, system):
    run("switch", "set", "safe_mode", "true")
    first = run("switch", "get", "--history", "--json").data["safe_mode"][0]
    run("switch", "set", "safe_mode", "true")
    changes = run("switch", "get", "--history", "--json").data["safe_mode"]
    assert [change["value"] for change in changes[:2]] == ["true", "true"]
    line = next(row for row in run("switch", "get").out.splitlines() if row.startswith("safe_mode"))
    assert first["at"] in line, "setting it again is no change"
    assert changes[0]["at"] not in line or changes[0]["at"] == first["at"]
    assert run("switch", "get", "--json").data["safe_mode"] == "true"


def test_a_missing_switch_has_no_history_and_is_named(run, system):
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    assert run("switch", "get", "--history", "--json").data["kill_switch"] == []
    assert "missing" in run("switch", "get").out
