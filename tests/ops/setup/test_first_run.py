"""What an empty stage still lacks: each step by its check; once all were done it is not asked again."""

import re

import pytest

from ops.setup import first_run, steps
from ops.setup.walk import BY_HAND, DONE, TO_DO


@pytest.fixture
def states(console):
    """The state of each step, by name."""
    return lambda: {found.step.name: found.state for found in first_run.examined(console.session)}


def counted(console, metric):
    console.services.client("cloudwatch").put_metric_data(
        Namespace="rp-mw/dev",
        MetricData=[
            {
                "MetricName": metric,
                "Dimensions": [{"Name": "stage", "Value": "dev"}],
                "Timestamp": console.services.clock.now(),
                "Value": 1,
            }
        ],
    )


def test_an_empty_stage_has_every_step_left(states):
    found = states()
    assert list(found) == [step.name for step in first_run.STEPS]
    assert set(found.values()) == {TO_DO, BY_HAND}


def test_what_setup_knows_already_is_not_said_a_second_time():
    known = {step.name: step for step in steps.STEPS}
    shared = [step for step in first_run.STEPS if step.name in known]
    assert [found.name for found in shared] == ["secrets", "first company"]
    assert all(found is known[found.name] for found in shared)


def test_a_webhook_that_was_accepted_and_a_message_that_was_processed_are_done(console, states):
    counted(console, "mw.ingress.accepted")
    found = states()
    assert (found["webhooks"], found["first message"]) == (DONE, BY_HAND)
    counted(console, "mw.worker.events")
    assert states()["first message"] == DONE


def test_alarms_that_reach_somebody_are_done(console, states):
    sns = console.services.client("sns")
    topic = sns.create_topic(Name="rp-mw-dev-alarms")["TopicArn"]
    assert states()["alarm recipients"] == BY_HAND
    sns.subscribe(TopicArn=topic, Protocol="sqs", Endpoint="arn:aws:sqs:us-east-1:123456789012:x")
    assert states()["alarm recipients"] == DONE


def test_a_stage_on_this_machine_needs_no_alarms(console, states):
    object.__setattr__(console.services.settings, "company_webhooks_on_loopback", True)
    assert "alarm recipients" not in states()


def test_the_overview_leads_to_what_is_left_and_each_step_says_what_to_do(console):
    jo = console.browser()
    assert 'hx-get="/first-run"' in jo.get("/").text
    answer = jo.get("/first-run")
    text = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
    assert "0 of 6 done" in text
    assert "Webhooks arrive . Without it: nothing is done before a vendor reports" in text
    assert 'href="/try"' in answer.text
