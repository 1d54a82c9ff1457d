"""`cost`: what events cost, and what a stage or a company has had."""

import io

import pytest

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from local import company
from local.stack.emf import Metrics
from ops.cost.bill import CostCause
from ops.cost.event_kinds import counted
from tests.rigs.ops_cli import runner

CAUSES = [one.value for one in CostCause]


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def test_every_kind_is_shown_by_cause_behind_either_gateway(run):
    rows = run("cost", "--json").data
    assert [one["event"] for one in rows] == [*counted(), "routed event, 2 actions"]
    for one in rows:
        assert [name for name in one if name in CAUSES] == CAUSES
        assert one["aws, rest api"] - one["aws, http api"] == pytest.approx(2.5)
        aws = sum(one[name] for name in CAUSES if name not in ("model", "carrier"))
        assert one["aws, rest api"] == pytest.approx(aws, abs=0.05)
    texts = next(one for one in rows if one["event"] == "conversation started, SMS")
    assert texts["carrier"] == pytest.approx(11_800)


def test_a_company_is_charged_for_its_starts_and_answers(outreach, run):
    outreach.start(channel="sms")
    outreach.run()
    rows = run("cost", "--company", company.COMPANY_ID, "--json").data
    (started,) = [one for one in rows if one["event"] == "conversation started, SMS"]
    assert (started["count"], started["project"]) == (1, company.PROJECT_ID)
    assert started["units"] > 0
    assert rows[-1]["event"] == "all"
    assert rows[-1]["total"] == pytest.approx(sum(one["total"] for one in rows[:-1]), abs=0.001)


def test_a_company_that_is_not_stored_is_named(run):
    said = run("cost", "--company", "ci-none")
    assert said.code == 1
    assert "ci-none" in said.err


@pytest.mark.parametrize("since", ["soon", "401d"])
def test_a_period_that_is_none_is_refused(run, since):
    said = run("cost", "--since", since)
    assert said.code == 2


def test_a_stage_is_charged_for_what_its_doors_have_counted(outreach, run):
    lines, clock = io.StringIO(), SystemClock()
    log = JsonLog(clock, stage="dev", release="1", stream=lines)
    for _ in range(3):
        log.metric("mw.ingress.accepted", source="richpanel")
    log.metric("mw.ingress.accepted", source="hubspot")
    log.metric("mw.model.microusd", 250_000)
    cloudwatch = Metrics(outreach.stage.aws.client("cloudwatch"))
    for line in lines.getvalue().splitlines():
        cloudwatch.take(line)
    cloudwatch.put()

    rows = run("cost", "--since", "1d", "--gateway", "http_api", "--json").data

    found = {one["event"]: one for one in rows}
    assert found["routed event"]["count"] == 3
    assert found["fact, kept"]["count"] == 1
    assert found["language models"]["model"] == pytest.approx(0.25)
    assert "conversation started, SMS" not in found
