"""What `ops doctor` says of a new account's quotas, by the answers that AWS gives."""

import json
import re
from datetime import UTC, datetime, time

import boto3
import pytest
from botocore import xform_name
from botocore.stub import Stubber

from ops.inspect import doctor_account, doctor_deployed
from ops.stage import config, runtime
from tests.rigs.ops_session import session

IDENTITY = "arn:aws:ses:us-east-1:123456789012:identity/company.example"
HEALTHY = {
    "SendingEnabled": True,
    "ProductionAccessEnabled": True,
    "EnforcementStatus": "HEALTHY",
    "SendQuota": {"Max24HourSend": 50_000.0, "MaxSendRate": 14.0, "SentLast24Hours": 12.0},
}
SANDBOX = {
    **HEALTHY,
    "ProductionAccessEnabled": False,
    "SendQuota": {"Max24HourSend": 200.0, "MaxSendRate": 1.0, "SentLast24Hours": 0.0},
}


@pytest.fixture
def answered():
    """`answered("sesv2", get_account={...}, ...)`: a client that gets these answers, in this order."""

    def made(service, region="us-east-1", **answers):
        client = boto3.client(
            service, region_name=region, aws_access_key_id="x", aws_secret_access_key="x"
        )
        stub = Stubber(client)
        for operation, answer in answers.items():
            if isinstance(answer, str):
                stub.add_client_error(operation, answer)
            else:
                stub.add_response(operation, answer)
        stub.activate()
        return client

    return made


@pytest.fixture
def mails(monkeypatch):
    """The stage sends e-mail."""
    of_stage = config.configured
    given = {"SENDER_IDENTITIES": IDENTITY}
    monkeypatch.setattr(config, "configured", lambda stage, **how: of_stage(stage, **how) | given)


def found(check, **clients):
    return {finding.check: finding for finding in check(session(**clients))}


def account_limit(executions):
    return {"AccountLimit": {"ConcurrentExecutions": executions}}


@pytest.mark.parametrize(
    ("executions", "result", "said"),
    [
        (10, "warn", "runs 10 executions at once, 27 are needed: ask AWS for 50"),
        (27, "ok", "27 of 27 executions"),
        (1_000, "ok", "27 of 1000 executions"),
    ],
)
def test_a_new_accounts_executions_are_compared_with_the_stages(answered, executions, result, said):
    client = answered("lambda", get_account_settings=account_limit(executions))
    finding = found(doctor_account.concurrency, **{"lambda": client})["concurrency"]
    assert finding.result == result
    assert said in finding.detail
    assert ("Service Quotas, Lambda, Concurrent executions" in finding.detail) is (result == "warn")


def test_without_the_right_to_ask_the_need_is_said(answered):
    client = answered("lambda", get_account_settings="AccessDeniedException")
    finding = found(doctor_account.concurrency, **{"lambda": client})["concurrency"]
    assert (finding.result, "27 executions are needed" in finding.detail) == ("warn", True)


def of_ses(answered, account, *, region="us-east-1", verified=True):
    identity = {"VerifiedForSendingStatus": verified}
    client = answered("sesv2", region, get_account=account, get_email_identity=identity)
    return found(doctor_account.ses, sesv2=client)


def test_an_account_with_production_access_passes(answered, mails):
    assert {finding.result for finding in of_ses(answered, HEALTHY).values()} == {"ok"}


def test_the_sandbox_is_named_with_its_limits_and_the_command_that_leaves_it(answered, mails):
    said = of_ses(answered, SANDBOX)
    assert said["ses account"].result == said["ses quotas"].result == "warn"
    assert "only verified addresses get e-mail" in said["ses account"].detail
    assert said["ses quotas"].detail.startswith("SES takes 1 e-mails a second, 2 workers send 14")
    assert "Service Quotas, Amazon Simple Email Service, Sending rate" in said["ses quotas"].detail
    options = re.findall(r"--([a-z-]+)", said["ses account"].mend)
    model = answered("sesv2").meta.service_model.operation_model("PutAccountDetails")
    assert set(options) <= {xform_name(member, "-") for member in model.input_shape.members}


@pytest.mark.parametrize(
    ("change", "check", "result", "said"),
    [
        ({"SendingEnabled": False}, "ses account", "fail", "no e-mail leaves"),
        ({"EnforcementStatus": "PROBATION"}, "ses account", "warn", "under probation"),
        (
            {"SendQuota": {**HEALTHY["SendQuota"], "SentLast24Hours": 40_000.0}},
            "ses quotas",
            "warn",
            "40000 of 50000 e-mails of 24 hours are sent",
        ),
        (
            {"SendQuota": {**HEALTHY["SendQuota"], "Max24HourSend": -1.0}},
            "ses quotas",
            "ok",
            "14 a second",
        ),
    ],
)
def test_what_ses_takes_from_an_account_is_named(answered, mails, change, check, result, said):
    finding = of_ses(answered, {**HEALTHY, **change})[check]
    assert (finding.result, said in finding.detail) == (result, True), finding


def test_a_region_that_may_not_receive_is_named_with_its_page(answered, mails):
    assert of_ses(answered, HEALTHY)["ses receiving"].result == "ok"
    finding = of_ses(answered, HEALTHY, region="eu-south-2")["ses receiving"]
    assert finding.result == "warn"
    assert "eu-south-2" in finding.detail
    assert "https://docs.aws.amazon.com/general/latest/gr/ses.html" in finding.detail


def test_an_identity_that_is_not_verified_is_named(answered, mails):
    finding = of_ses(answered, HEALTHY, verified=False)["ses identities"]
    assert (finding.result, finding.detail) == ("fail", "company.example is not verified")


@pytest.mark.parametrize(
    ("of_end", "days", "result"),
    [
        ("deprecated", -200, "ok"),
        ("deprecated", -179, "warn"),
        ("no_create", -1, "warn"),
        ("no_create", 0, "fail"),
    ],
)
def test_a_runtime_that_ends_is_named_with_its_days(of_end, days, result):
    here, end = session(), runtime.ENDS[runtime.name()]
    day = datetime.combine(getattr(end, of_end), time(), UTC)
    clock = here.services.clock
    clock.forward((day - clock.now()).total_seconds() + days * 86_400)
    (said,) = doctor_account.python(here)
    assert said.result == result
    assert str(end.deprecated) in said.detail
    assert str(end.no_update) in said.detail


def test_variables_that_lambda_would_not_take_are_counted(monkeypatch, tmp_path):
    raw = json.loads(config.CONFIG.read_text())
    raw["stages"]["dev"]["environment_variables"]["MODEL_PRICES"] = "x" * 4_000
    monkeypatch.setattr(config, "CONFIG", tmp_path / "config.json")
    config.CONFIG.write_text(json.dumps(raw))
    finding = found(doctor_deployed.variables)["variables"]
    assert finding.result == "fail"
    assert re.fullmatch(
        r"\d{4} bytes, .* at most 4096: MODEL_PRICES is the longest", finding.detail
    )
