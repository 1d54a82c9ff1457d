"""Nights: from the alarm to the explanation to the mend, with what the runbook says to type.

Each command that is run stands on the alarm's own page (or on one that it links to), so that a
page whose commands do not mend is as red as one that is missing.  Nights of the other vendors are
in `test_night_vendors`.
"""

import re
from pathlib import Path

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError

from chalicelib import redaction
from chalicelib.errors import UnavailableError
from chalicelib.support import keys as ticket_keys
from local.stack.lambda_events import Context, schedule_event
from tests.house.test_watching import alarms
from tests.ops.repair.test_commands import _bury
from tests.rigs.operator import Night, new_containers, put_secret
from tests.rigs.tickets import ROUTED, System

DOWN = "connect_failed"
WRITES = {
    "UpdateItem",
    "PutItem",
    "TransactWriteItems",
    "BatchExecuteStatement",
    "ExecuteStatement",
}
NOT_HERE = {
    "worker-throttles",  # Lambda's limits of an account: nothing of ours to type but `reconcile`
    "api-throttles",
    "queue-age-critical",  # as queue-age, longer
}


def test_every_alarm_has_its_night():
    """Of those that can be brought about without Lambda."""
    texts = "".join(path.read_text() for path in Path(__file__).parent.glob("test_night*.py"))
    walked = set(re.findall(r'night\.(?:hears|opens)\(\s*"([a-z-]+)"', texts))
    assert set(alarms()) - walked == NOT_HERE


@pytest.fixture
def night(app, unpaced, stage, richpanel, pump, capsys):
    return Night(System(app, stage, richpanel, pump), capsys)


def processed(system, ticket_id="1042"):
    row = system.event(ticket_id=ticket_id)
    return row["status"] == "processed" and set(ROUTED) <= system.richpanel.tags_of(ticket_id)


# --- vendors ------------------------------------------------------------------------------------


def test_richpanel_is_down(night):
    """worker-errors is Lambda's own metric: every job handed back is a failed invocation."""
    system = night.system
    system.post(system.ticket())
    system.richpanel.down()
    (failed,) = system.run()
    assert failed.error is not None
    night.opens("worker-errors")
    assert "not reachable" in night.types("doctor", code=1).out
    assert DOWN in night.types("explain", "evt:rp:1042:c-1").out
    system.richpanel.up()
    system.again()
    assert processed(system)


def test_richpanel_refuses_our_key(night):
    system = night.system
    system.post(system.ticket())
    system.richpanel.api_keys[:] = ["the-new-one"]
    system.run()
    night.hears("vendor-refuses-key")
    assert "API key is refused" in night.types("doctor", code=1).out
    put_secret(system, "richpanel/api_key", "the-new-one")
    system.again()
    assert processed(system)


def test_richpanel_says_that_we_ask_too_much(night):
    system = night.system
    system.post(system.ticket())
    system.richpanel.fault("status", operation="read_ticket", status=429)
    system.run()
    night.hears("vendor-rate-limits")
    assert "429" in night.types("explain", "evt:rp:1042:c-1").out
    system.again()
    assert processed(system)


def test_richpanel_does_not_let_us_list(night):
    system = night.system
    system.post(system.ticket())
    system.run()
    system.richpanel.set_modes(list_allowed=False)
    system.ticket("1043")
    assert system.app.reconcile(schedule_event(), Context(timeout_seconds=240))[
        "listing"
    ].startswith("forbidden")
    night.hears("listing-forbidden")
    number = system.richpanel.ticket("1042")["conversation_no"]
    night.types("reconcile", "--from-number", str(number), code=1)
    system.run()
    assert processed(system, "1043")


# --- the door -----------------------------------------------------------------------------------


def test_the_doors_secret_is_gone_and_webhooks_are_lost(night):
    system = night.system
    put_secret(system, "richpanel/webhook_token", " ")
    new_containers()
    assert system.post(system.ticket()).status_code == 500
    night.hears("ingress-failures")
    assert "richpanel/webhook_token" in night.types("doctor", code=1).out
    put_secret(system, "richpanel/webhook_token", system.token)
    night.types("reconcile", "--since", "24h")
    system.run()
    assert processed(system)


def test_a_token_was_changed_on_one_side_only(night):
    system = night.system
    body = system.ticket()
    for _ in range(2):
        assert system.post(body, token="the-new-one").status_code == 401
    night.hears("invalid-tokens")
    put_secret(
        system, "richpanel/webhook_token", f'{{"active_tokens": ["the-new-one", "{system.token}"]}}'
    )
    new_containers()
    assert system.post(body, token="the-new-one").status_code == 200
    night.types("reconcile")
    system.run()
    assert processed(system)


def test_the_queue_takes_nothing_and_callers_get_503(night, monkeypatch):
    """api-errors is API Gateway's own metric; ingress-failures says why."""
    system = night.system

    def refuses(*_, **__):
        raise UnavailableError("enqueue_failed")

    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.setattr(system.services().outbox, "put", refuses)
        assert system.post(system.ticket()).status_code == 503
    night.hears("ingress-failures")
    night.opens("api-errors")
    night.types("reconcile")
    system.run()
    assert processed(system)


# --- the worker ---------------------------------------------------------------------------------


def test_a_message_was_given_up(night):
    system = night.system
    _bury(system, "1042")
    night.opens("dead-letters")
    (letter,) = night.types("dlq", "list", "--json").data
    shown = night.types("dlq", "show", letter["event"], "--json").data
    assert shown["reason"] == "dead_letter:richpanel_http_503"
    night.types("dlq", "redrive", "--dry-run")
    night.types("dlq", "redrive", "--rate", "1")
    system.run()
    assert processed(system)


def test_a_worker_died(night):
    system = night.system
    system.post(system.ticket())
    ledger = system.services().ledger

    def dies(*_arguments, **_how):
        raise SystemExit("killed")

    ledger.begin = dies
    with pytest.raises(SystemExit):
        system.run()
    del ledger.begin
    system.let_leases_end()
    system.again()
    night.hears("lease-takeovers")
    assert "processed" in night.types("explain", "1042").out
    assert processed(system)


def test_nobody_knows_whether_it_happened(night):
    """A person looks, and says so."""
    system = night.system
    system.post(system.ticket())
    system.run()
    key, table = ticket_keys.tag_action("1042", ROUTED[0], "c-1"), system.services().ledger._table
    table.update({"event_id": key}, set_={"status": "unknown", "unfinished": "unknown#0"})
    parked = {"status": "parked", "unfinished": "parked#0", "reason": "unknown:tag"}
    table.update({"event_id": "evt:rp:1042:c-1"}, set_=parked)
    night.opens("unfinished-age")
    (event,) = night.types("unfinished", "--json").data
    assert (event["status"], event["reason"]) == ("parked", "unknown:tag")
    assert key in night.types("explain", event["event"]).out
    assert night.types("settle", "--json").data[0]["action"] == key
    assert night.types("settle", key, "--json").data["saw"] == "cannot_be_asked"
    night.types("settle", key, "done")
    system.run()
    assert processed(system)
    assert night.types("unfinished", "--json").data == []


def test_the_ledger_is_throttled(night, monkeypatch):
    """ledger-throttles is DynamoDB's own metric."""
    system = night.system
    call = BaseClient._make_api_call

    def throttled(client, operation, arguments):
        if operation in WRITES and "rp_mw_idempotency" in str(arguments):
            refusal = {"Error": {"Code": "ProvisionedThroughputExceededException", "Message": ""}}
            raise ClientError(refusal, operation)
        return call(client, operation, arguments)

    system.post(system.ticket())
    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.setattr(BaseClient, "_make_api_call", throttled)
        (failed,) = system.run()
    assert failed.error is not None
    night.opens("ledger-throttles")
    assert night.types("unfinished", "--json").data == []
    system.again()
    assert "processed" in night.types("explain", "evt:rp:1042:c-1").out
    assert processed(system)
    assert set(system.added().values()) == {1}


def test_a_log_line_cannot_be_redacted(night, monkeypatch):
    """The event goes on, the line says less, and it names the event."""
    system = night.system

    def fails(_value):
        raise RuntimeError

    with monkeypatch.context() as while_it_lasts:
        while_it_lasts.setattr(redaction, "redact_mapping", fails)
        system.post(system.ticket())
        system.run()
    night.hears("redaction-failures")
    night.reads('"redaction": "failed"')
    assert '"redaction":"failed"' in night.written
    assert processed(system)


def test_a_release_was_rolled_back_over_a_newer_plan(night):
    system = night.system
    system.post(system.ticket())
    system.richpanel.fault("status", operation="add_tags", status=429)
    system.run()
    table = system.services().ledger._table
    plan = table.get({"event_id": "evt:rp:1042:c-1"})["plan"]
    table.update({"event_id": "evt:rp:1042:c-1"}, set_={"plan": "z9:of-a-newer-release"})
    system.again()
    night.opens("unfinished-age")
    (event,) = night.types("unfinished", "--json").data
    night.hears("parked-events")
    night.reads("plan_not_known_here")
    assert event["reason"] == "plan_not_known_here"
    table.update({"event_id": "evt:rp:1042:c-1"}, set_={"plan": plan})  # forward again
    night.types("replay", "evt:rp:1042:c-1")
    system.run()
    assert processed(system)


def test_nobody_has_reconciled(night):
    system = night.system
    system.ticket()
    night.opens("reconcile-silent")
    assert night.types("reconcile", "--dry-run", "--json").data["requeued"] == 1
    night.types("reconcile")
    system.run()
    assert processed(system)


def test_reconciliation_does_not_get_through(night):
    system = night.system
    system.ticket()
    system.richpanel.fault("status", operation="list_tickets", status=500, times=2)
    assert (
        system.app.reconcile(schedule_event(), Context(timeout_seconds=240))["listing"]
        != "complete"
    )
    night.hears("reconcile-incomplete")
    told = night.types("reconcile", "--dry-run", "--json", code=1).data
    assert told["listing"].startswith("interrupted:richpanel_")
    night.types("reconcile", "--since", "2h")
    system.run()
    assert processed(system)


# --- switches -----------------------------------------------------------------------------------


def test_a_switch_is_gone_and_everything_waits(night):
    system = night.system
    system.stage.aws.client("ssm").delete_parameter(Name="/rp-mw/dev/kill_switch")
    new_containers()
    system.post(system.ticket())
    system.run()
    night.opens("queue-age")
    assert "nothing starts" in night.types("doctor", code=1).out
    assert "missing" in night.types("switch", "get").out
    night.types("switch", "set", "kill_switch", "false")
    system.again()
    assert processed(system)


@pytest.mark.parametrize("switch", ["kill_switch", "shadow_mode"])
def test_a_switch_stopped_what_is_now_to_be_done(night, switch):
    system = night.system
    night.opens("starting-again-after-a-stop")
    night.types("switch", "set", switch, "true")
    new_containers()
    system.post(system.ticket())
    system.run()
    assert not system.added()
    assert switch.removesuffix("_mode") in night.types("explain", "1042").out
    night.types("switch", "set", switch, "false")
    new_containers()
    night.types("replay", "--status", "processed", "--since", "24h", "--rate", "1")
    system.run()
    assert processed(system)
