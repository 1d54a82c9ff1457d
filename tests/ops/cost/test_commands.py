"""`cost`: the dollars of each kind of event, and those of a stage or a company."""

import io

import pytest

from chalicelib.aws.logs import JsonLog
from chalicelib.clock import SystemClock
from local import company
from local.stack.emf import Metrics
from ops.cost.bill import CostCause
from ops.cost.event_kinds import counted
from ops.cost.prices import prices
from tests.rigs.ops_cli import runner

CAUSES = [cause.value for cause in CostCause]


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def test_every_kind_is_shown_by_cause_behind_either_gateway(run):
    rows = run("cost", "--json").data
    charged = {"routed event, 2 actions", "start of a container"}
    assert {row["event"] for row in rows} == {*counted(), *charged}
    for row in rows:
        assert [name for name in row if name in CAUSES] == CAUSES
        aws = sum(row[name] for name in CAUSES if name not in ("model", "carrier"))
        assert row["aws, rest api"] == pytest.approx(aws, abs=0.05)
        whole = aws + row["model"] + row["carrier"]
        assert row["all, rest api"] == pytest.approx(whole, abs=0.05)
    found = {row["event"]: row for row in rows}
    routed = found["routed event"]
    assert routed["aws, rest api"] - routed["aws, http api"] == pytest.approx(2.5)
    carriers = {"WhatsApp": 5_000, "SMS": 11_800, "e-mail": 100}
    for title, usd in carriers.items():
        assert found[f"conversation started, {title}"]["carrier"] == pytest.approx(usd)
    assert found["reply written by a model, SMS"]["model"] > 0


def test_the_counts_are_those_that_dollars_rest_on(run):
    found = {row["event"]: row for row in run("cost", "--counts", "--json").data}
    for event in counted().values():
        row = found[event.name]
        assert (row["write units"], row["read units"]) == (event.writes, event.reads)
        assert (row["door calls"], row["worker calls"]) == (event.door_calls, event.worker_calls)
    two, five = found["routed event, 2 actions"], found["routed event"]
    assert (two["write units"], two["read units"]) == (five["write units"] - 9, five["read units"])
    assert found["reply written by a model, SMS"]["input tokens"] == 4_800
    assert found["refused request"]["queue"] == 0


@pytest.mark.parametrize(("channel", "title"), [("whatsapp", "WhatsApp"), ("email", "e-mail")])
def test_a_company_is_charged_on_the_channel_that_a_start_went_by(outreach, run, channel, title):
    outreach.start(channel=channel)
    outreach.run()
    rows = run("cost", "--company", company.COMPANY_ID, "--json").data
    (started,) = [row for row in rows if row["event"].startswith("conversation started")]
    assert (started["event"], started["count"]) == (f"conversation started, {title}", 1)
    assert started["project"] == company.PROJECT_ID
    assert started["units"] > 0
    assert rows[-1]["event"] == "all"
    assert rows[-1]["total"] == pytest.approx(sum(row["total"] for row in rows[:-1]), abs=0.001)


def test_a_day_before_channels_were_counted_is_charged_on_the_projects_first(outreach, run):
    outreach.services.outreach.conversations_table.put(
        {
            "primary_channel": f"days:{company.COMPANY_ID}",
            "conversation_id": f"day#{outreach.services.clock.now():%Y-%m-%d}#{company.PROJECT_ID}#0",
            "opened": 3,
            "opened__sms": 1,
        }
    )
    rows = run("cost", "--company", company.COMPANY_ID, "--json").data
    many = {row["event"]: row["count"] for row in rows}
    assert many["conversation started, SMS"] == 1
    assert many["conversation started, WhatsApp"] == 2


def test_a_stages_messages_are_those_of_its_companies(outreach, model_start, run):
    outreach.start("req2", "email")
    outreach.run()
    model_start()
    stage = run("cost", "--since", "1d", "--json").data[:-1]
    of_company = run("cost", "--company", company.COMPANY_ID, "--since", "1d", "--json").data[:-1]
    names = {event["event"] for event in stage}
    assert {"conversation started, e-mail", "conversation started, SMS"} <= names
    for name in names:
        same = [event for event in of_company if event["event"] == name]
        (whole,) = [event for event in stage if event["event"] == name]
        assert whole["count"] == sum(part["count"] for part in same) > 0
        assert whole["total"] == pytest.approx(sum(part["total"] for part in same), abs=0.001)
    assert "language models" in names


@pytest.mark.parametrize("empty", ["", "   "])
def test_an_empty_company_is_refused_and_never_all_companies(run, empty):
    said = run("cost", "--company", empty)
    assert (said.code, said.out) == (2, "")
    assert "--company" in said.err


def test_counts_are_of_one_event_and_of_no_company(run):
    assert run("cost", "--counts", "--company", company.COMPANY_ID).code == 2


def test_a_company_that_is_not_stored_is_named(run):
    said = run("cost", "--company", "ci\nnone")
    assert said.code == 1
    assert said.err == "error: no such company: ci none\n"


@pytest.mark.parametrize("since", ["soon", "401d", "0d"])
def test_a_period_that_is_none_is_refused(run, since):
    said = run("cost", "--since", since)
    assert said.code == 2


def test_a_stage_is_charged_for_what_its_doors_have_counted(outreach, run):
    lines, clock = io.StringIO(), SystemClock()
    log = JsonLog(clock, stage="dev", release="1", stream=lines)
    for _ in range(3):
        log.metric("mw.ingress.accepted", source="richpanel")
    for source in ("hubspot", "twilio"):
        log.metric("mw.ingress.accepted", source=source)
    cloudwatch = Metrics(outreach.stage.aws.client("cloudwatch"))
    for line in lines.getvalue().splitlines():
        cloudwatch.take(line)
    cloudwatch.put()

    rows = run("cost", "--since", "1d", "--gateway", "http_api", "--json").data

    found = {row["event"]: row for row in rows}
    assert found["routed event"]["count"] == 3
    assert found["fact, kept"]["count"] == 1
    assert found["texts without an answer"]["count"] == 1
    assert found["texts without an answer"]["carrier"] == pytest.approx(0.0083)
    assert not any(name.startswith("conversation started") for name in found)


def test_every_price_is_printed_with_its_region_and_source(run):
    found = {price["price"]: price for price in run("cost", "--prices", "--json").data}
    assert set(found) == set(prices())
    lambda_requests = found["lambda_requests"]
    assert (lambda_requests["usd"], lambda_requests["per"]) == ("0.2", "million")
    assert lambda_requests["region"] == "us-east-1"
    assert all(price["source"].startswith("https://") and price["read"] for price in found.values())


@pytest.mark.parametrize("given", ["soon", "3", "-1d", ""])
def test_a_period_that_cannot_be_read_is_named_by_its_option(run, given):
    said = run("cost", f"--since={given}")
    assert said.code == 2
    assert "--since" in said.err
