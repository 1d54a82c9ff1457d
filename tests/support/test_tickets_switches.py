"""Stops of the pipeline: switches, and resources of another stage."""

import pytest

from chalicelib.once.job import Recovery
from tests.rigs.tickets import ROUTED, job_of

# --- switches -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "reason"), [("kill_switch", "kill_switch"), ("shadow_mode", "shadow")]
)
def test_a_stopping_switch_prevents_every_call_and_leaves_a_full_record(system, name, reason):
    """F40, F42: proved at the wire; the decision is stored, and turning it off replays nothing."""
    system.switch(name, "true")
    body = system.ticket()
    system.post(body)
    system.run()
    assert not system.writes()
    assert system.event()["status"] == "processed"
    assert {row["result"] for row in system.audit()} == {f"skipped:{reason}"}
    system.switch(name, "false")
    system.services().intake.accept(job_of(body), recovery=Recovery.SWEEP)
    system.run()
    assert not system.writes()


def test_an_operators_replay_performs_what_a_switch_had_skipped(system):
    """F41: the switch is off again."""
    system.switch("kill_switch", "true")
    body = system.ticket()
    system.post(body)
    system.run()
    system.switch("kill_switch", "false")
    system.services().intake.accept(job_of(body), recovery=Recovery.OPERATOR)
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


def test_a_replay_does_not_mistake_an_operators_comment_for_the_customers(system):
    """While the switch was on, the comment's author was not read."""
    system.switch("kill_switch", "true")
    system.richpanel.add_ticket("1042")
    comment = system.richpanel.add_comment("1042", "We refunded you", operator=True)
    body = {"ticket_id": "1042", "message_id": comment, "message": "We refunded you"}
    system.post(body)
    system.run()
    assert system.event(comment)["reason"] == "withheld:kill_switch"
    system.switch("kill_switch", "false")
    system.services().intake.accept(job_of(body), recovery=Recovery.OPERATOR)
    system.run()
    assert not system.writes()
    found = system.event(comment)
    assert (found["status"], found["reason"]) == ("skipped", "operator_comment")


def test_safe_mode_and_automation_off_still_route(system):
    """F40: routing reaches no customer."""
    system.switch("safe_mode", "true")
    system.switch("automation_enabled", "false")
    system.post(system.ticket())
    system.run()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)
    row = system.event()
    assert (row["mode"], row["safe_mode"], row["automation_enabled"]) == ("route_only", True, False)


@pytest.mark.parametrize("broken", ["missing", "nonsense"])
def test_switches_that_cannot_be_read_start_nothing_and_skip_nothing(system, broken):
    """F40: the job is handed back."""
    if broken == "missing":
        system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
        system.services().switches._cached = None
    else:
        system.switch("kill_switch", "perhaps")
    system.post(system.ticket())
    assert system.run()[0].error == "HandedBackError"
    assert not system.writes()
    assert system.event() is None
    system.switch("kill_switch", "false")
    system.again()
    assert dict(system.added()) == dict.fromkeys(ROUTED, 1)


# --- stages ---------------------------------------------------------------------------------


@pytest.mark.parametrize("resource", ["table", "queue"])
def test_another_stages_table_or_queue_is_refused(system, resource):
    """F59: by the resources' own tags."""
    if resource == "table":
        client = system.stage.aws.client("dynamodb")
        arn = client.describe_table(TableName="rp_mw_idempotency-dev")["Table"]["TableArn"]
        client.tag_resource(ResourceArn=arn, Tags=[{"Key": "stage", "Value": "prod"}])
    else:
        system.stage.aws.client("sqs").tag_queue(
            QueueUrl=system.stage.queue_url, Tags={"stage": "prod"}
        )
    with pytest.raises(Exception, match="not tagged stage=dev"):
        system.services().worker  # noqa: B018
