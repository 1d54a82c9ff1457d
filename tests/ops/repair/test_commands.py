"""The operator commands on a real stage: their output, changes and refusals."""

import json
import re

import boto3
import pytest
import typer

from chalicelib.once.timer import due_attributes
from chalicelib.support import keys as ticket_keys
from ops import cli
from ops.repair import replay
from tests.rigs.engines import drain
from tests.rigs.memory_stage import NOWHERE
from tests.rigs.ops_cli import runner
from tests.rigs.tickets import ROUTED, RoutingSystem, put_dead_letter

WRONG = [
    ("explain", "nobody-knows-it"),
    ("explain", ""),
    ("explain", "ci-nobody#never"),
    ("explain", "evt:rp:1:none"),
    ("explain", "act:rp_tag:1:x:none"),
    ("dlq", "show", "no-such-message"),
    ("dlq", "redrive", "no-such-message"),
    ("replay", "evt:rp:1:none"),
    ("replay",),
    ("replay", "--status", "odd"),
    ("replay", "--status", "failed", "--since", "yesterday"),
    ("resend", "act:rp_tag:1:x:none", "--yes"),
    ("settle", "act:rp_tag:1:x:none"),
    ("settle", "act:rp_tag:1:x:none", "done"),
    ("settle", "act:rp_tag:1:x:none", "perhaps"),
    ("switch", "set", "no_such_switch", "true"),
    ("switch", "set", "kill_switch", "perhaps"),
    ("reconcile", "--since", "ever"),
    ("erase", "--subject", "x", "--yes"),
    ("doctor", "--stage", "NOT A STAGE"),
    ("no-such-command",),
]


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def run(system, capsys):
    return runner(capsys)


@pytest.fixture
def real_clients(system, monkeypatch):
    """New clients reach an address where nothing listens."""
    monkeypatch.setattr(boto3, "DEFAULT_SESSION", None)
    monkeypatch.setenv("AWS_ENDPOINT_URL", NOWHERE)


@pytest.fixture
def processed(system):
    """A ticket whose message was processed."""
    system.post(system.ticket())
    system.run()
    return system


def action(number=0):
    return ticket_keys.tag_action("1042", ROUTED[number], "c-1")


# --- looking ------------------------------------------------------------------------------------


@pytest.mark.parametrize("subject", ["1042", "evt:rp:1042:c-1", action()])
def test_explain_shows_the_whole_history_for_any_identifier(processed, run, subject):
    said = run("explain", subject, "--json")
    assert said.code == 0
    (event,) = said.data["events"]
    assert event["verdict"] == "processed: 4 done"
    what = [step["what"] for step in event["timeline"]]
    assert what[0] == "received"
    assert "decided" in what
    assert what.count("vendor call: add_tag") == 4
    assert "route: done" in what
    assert what[-1] == "processed"
    for_people = run("explain", subject)
    assert "processed: 4 done" in for_people.out
    assert "refund" not in re.sub("refund([_ ]request| open since)", "", said.out)


def test_explain_says_why_nothing_was_done(system, run):
    system.richpanel.add_ticket("7")
    comment = system.richpanel.add_comment("7", "We refunded you", operator=True)
    system.post({"ticket_id": "7", "message_id": comment})
    system.run()
    said = run("explain", ticket_keys.ticket_message("7", comment))
    assert "skipped (the comment was written by an operator" in said.out
    assert "(operator_comment)): no action" in said.out
    assert "thin" not in said.out


def test_explain_says_of_an_ended_event_what_will_not_start_any_more(processed, run):
    table = processed.services().ledger._table
    event, tag = "evt:rp:1042:c-1", ticket_keys.tag_action("1042", "mw-processed", "c-1")
    waiting = {"status": "pending", "started": False}
    table.update({"event_id": tag}, set_=waiting, remove=["finished_at"])
    for status, said in (("parked", "pending"), ("failed", "not started, will not be")):
        table.update({"event_id": event}, set_={"status": status})
        (shown,) = run("explain", event, "--json").data["events"]
        assert {action["event_id"]: action["status"] for action in shown["actions"]}[tag] == said
    assert "1 not started, will not be" in run("explain", event).out


def test_explain_of_a_conversation_works_without_richpanel_and_says_so(processed, run):
    processed.richpanel.down()
    said = run("explain", "1042")
    assert said.code == 0
    assert "Richpanel did not show the ticket" in said.out


def test_explain_scans_the_table_on_request(processed, run):
    thin = processed.post({"ticket_id": "1042", "trigger": "customer_message"}).json_body[
        "event_id"
    ]
    processed.run()
    assert thin not in run("explain", "1042").out
    assert thin in run("explain", "1042", "--deep").out


def test_an_unreadable_ticket_is_found_by_the_suggested_scan(system, run):
    thin = system.post({"ticket_id": "9999", "trigger": "customer_message"}).json_body["event_id"]
    system.run()
    said = run("explain", "9999")
    assert said.code == 1
    assert (
        "and events that ended without an action: no index leads there; --deep asks it" in said.err
    )
    deep = run("explain", "9999", "--deep")
    assert thin in deep.out
    assert "did not show" not in deep.out, "nothing is left out then"


def test_an_unknown_identifier_is_quoted_as_typed(run):
    assert "not found: ci-nobody#never" in run("explain", "ci-nobody#never").err
    assert "no such event or action: odd" in run("settle", "odd", "done").err
    assert run("explain", "").err.startswith("error: name a ticket")


def test_unfinished_events_are_listed_with_their_reason_oldest_first(processed, run):
    assert run("unfinished", "--json").data == []
    table = processed.services().ledger._table
    processed.post(processed.ticket("1043"))
    processed.run()
    for ticket, received in (("1042", "2026-11-20T10:00:00.000Z"), ("1043", "2026-11-20T09:00Z")):
        key = f"evt:rp:{ticket}:c-1"
        changed = {"status": "parked", "reason": "unknown:tag", "received_at": received}
        table.update({"event_id": key}, set_=changed | due_attributes("event", key, 1))
    listed = run("unfinished", "--json").data
    assert [event["event"] for event in listed] == ["evt:rp:1043:c-1", "evt:rp:1042:c-1"]
    assert {(event["status"], event["reason"]) for event in listed} == {("parked", "unknown:tag")}
    assert "2 unfinished" in run("unfinished").out
    assert "2 unfinished, only 1 shown" in run("unfinished", "--limit", "1").out


@pytest.mark.parametrize("arguments", WRONG, ids=" ".join)
def test_a_wrong_name_gives_a_clear_message_and_an_exit_code(run, arguments):
    said = run(*arguments)
    assert said.code in (1, 2)
    assert said.err.strip()
    assert "Traceback" not in said.err + said.out


def test_a_stage_that_cannot_be_reached_is_exit_code_two(run, real_clients):
    said = run("switch", "get")
    assert said.code == 2
    assert re.match(r"error: AWS cannot be reached at http://[^ ]+: it does not answer; ", said.err)


@pytest.mark.parametrize("command", [("switch", "get"), ("doctor",)], ids=" ".join)
def test_without_a_region_the_command_says_which_variable_to_set(
    run, real_clients, monkeypatch, command
):
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.delenv("AWS_REGION", raising=False)
    said = run(*command)
    assert (said.code, said.out) == (2, "")
    assert "AWS_PROFILE or AWS_DEFAULT_REGION" in said.err
    assert ". .run/env" in said.err


def test_without_a_region_the_facts_commands_say_the_same(real_clients, capsys, monkeypatch):
    monkeypatch.delenv("AWS_DEFAULT_REGION")
    monkeypatch.delenv("AWS_REGION", raising=False)
    assert cli.main(["facts", "pending"]) == 2
    assert "AWS_PROFILE or AWS_DEFAULT_REGION" in capsys.readouterr().err
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")
    assert cli.main(["facts", "failed"]) == 2
    assert "AWS does not answer" in capsys.readouterr().err


# --- dead letters -------------------------------------------------------------------------------


def test_dead_letters_are_listed_with_their_reason_and_redriven_once(system, run):
    put_dead_letter(system, "1042")
    (letter,) = run("dlq", "list", "--json").data
    assert letter["reason"] == "dead_letter:richpanel_http_503"
    assert letter["event"] == "evt:rp:1042:c-1"
    shown = run("dlq", "show", letter["message_id"], "--json")
    assert shown.data["explained"]["events"][0]["verdict"].startswith("failed")
    assert "I want a refund" not in shown.out
    assert run("dlq", "redrive", "--dry-run", "--json").data[0]["did"] == (
        "would be redriven: 4 would go"
    )
    assert run("dlq", "redrive", "--json").data[0]["did"] == "redriven"
    assert run("dlq", "list", "--json").data == []
    system.run()
    assert system.event()["status"] == "processed"
    assert set(ROUTED) <= system.richpanel.tags_of("1042")


def test_a_redrive_between_live_messages_does_not_move_the_state_backwards(system, run):
    """F36: the redriven event is older than the conversation's head."""
    put_dead_letter(system, "1042")
    system.richpanel.add_comment("1042", "My password is lost", id="c-2")
    system.post({"ticket_id": "1042", "message_id": "c-2"})
    system.run()
    before = system.services().support.state.read("1042")
    assert run("dlq", "redrive").code == 0
    system.run()
    assert system.event()["status"] == "processed"
    assert system.services().support.state.read("1042").last_message_at == before.last_message_at


def test_a_letter_that_is_not_a_job_is_left_and_listed(system, run):
    system.stage.aws.client("sqs").send_message(
        QueueUrl=system.stage.dead_letter_url,
        MessageBody="nonsense jane.roe@example.com",
        MessageGroupId="g",
        MessageDeduplicationId="d",
    )
    said = run("dlq", "redrive", "--json")
    assert said.data[0]["did"] == "left: unsealed"
    assert "jane.roe" not in said.out
    assert len(run("dlq", "list", "--json").data) == 1


# --- again --------------------------------------------------------------------------------------


def test_a_replay_repeats_no_done_action(processed, run):
    assert run("replay", "evt:rp:1042:c-1").code == 0
    assert run("replay", "--status", "processed", "--json").data["events"] >= 1
    processed.run()
    assert len(processed.writes()) == 1


def test_a_replay_continues_where_an_earlier_one_ended(system, run):
    for number in range(5):
        system.post(system.ticket(f"t-{number}"))
    system.run()
    seen, after = [], ()
    for _ in range(3):
        part = ("--status", "processed", "--limit", "2", "--json", *after)
        said = run("replay", *part).data
        seen.append(said["events"])
        after = ("--after", said["last"])
    assert seen == [2, 2, 1]
    assert run("replay", "--status", "processed", "--json", *after).data["events"] == 0
    assert len(system.run()) == 5, "each of them once"
    assert run("replay", "evt:rp:t-1:c-1", "--after", "evt:rp:t-0:c-1").code == 2


def test_a_replay_cannot_start_after_a_missing_event(processed, run):
    """The table has its own order: a typo in a key would skip every event before it."""
    said = run("replay", "--status", "processed", "--after", "evt:rp:1O42:c-1")
    assert said.code == 1
    assert "no such event: evt:rp:1O42:c-1" in said.err
    assert processed.run() == []


def test_a_replay_goes_on_past_an_event_that_cannot_be_rebuilt(processed, run):
    """Such as one of a person who was erased."""
    table = processed.services().ledger._table
    table.put({**table.get({"event_id": "evt:rp:1042:c-1"}), "event_id": "evt:gone:1"})
    for how in (["--dry-run"], []):
        said = run("replay", "--status", "processed", *how, "--json").data
        assert (said["events"], said["left_out"]) == (1, 1)
    assert run("replay", "evt:gone:1").code == 1, "what is named is not left out silently"


def test_an_interrupted_replay_says_where_to_continue(system, run, monkeypatch):
    for number in range(3):
        system.post(system.ticket(f"t-{number}"))
    system.run()
    first = run("replay", "--status", "processed", "--limit", "1", "--json").data["last"]
    system.run()
    real = replay.replay

    def stopped(*arguments, **how):
        yield next(real(*arguments, **how))
        raise KeyboardInterrupt

    monkeypatch.setattr(replay, "replay", stopped)
    said = run("replay", "--status", "processed")
    assert said.code == 130, "as a shell has it of an interrupt"
    assert f"1 events were put on the queue; continue with --after {first}" in said.err


def test_a_resend_acts_once_for_each_nonce_and_is_audited(processed, run):
    """F38: an operator wants it done again."""
    for nonce in ("first", "first", "second"):
        assert run("resend", action(), "--nonce", nonce, "--yes").code == 0
        drain(processed.pump, at_most=20)
    assert processed.added()[ROUTED[0]] == 3
    audited = {line["idempotency_key"] for line in processed.audit()}
    assert {f"{action()}:resend:first", f"{action()}:resend:second"} <= audited
    (again,) = run("explain", "evt:rp:1042:c-1:resend:second", "--json").data["events"]
    assert [resent["event_id"] for resent in again["actions"]] == [f"{action()}:resend:second"]
    assert again["verdict"] == "processed: 1 done"


def test_a_resend_and_its_dry_run_agree(processed, run):
    used = ("resend", action(), "--nonce", "used")
    assert "1 would go" in run(*used, "--dry-run").out
    assert run(*used, "--yes").code == 0
    drain(processed.pump, at_most=20)
    assert processed.added()[ROUTED[0]] == 2
    assert "sends nothing; 1 done already" in run(*used, "--dry-run").out
    assert run(*used, "--yes").code == 0
    drain(processed.pump, at_most=20)
    assert processed.added()[ROUTED[0]] == 2, "as the dry run said"
    table = processed.services().ledger._table
    table.update({"event_id": "evt:rp:1042:c-1"}, set_={"plan": "of another release"})
    for how in ("--dry-run", "--yes"):
        said = run("resend", action(), how)
        assert (said.code, "not in its event's plan" in said.err) == (1, True), how


def test_a_dry_run_of_a_release_leaves_the_stage_in_shadow(system, run):
    run("switch", "set", "shadow_mode", "true")
    run("reconcile")
    release = ("restore", "--at", "1h", "--release")
    assert run(*release, "--dry-run").code == 0
    assert run("switch", "get", "--json").data["shadow_mode"] == "true"
    assert run(*release).code == 0
    assert run("switch", "get", "--json").data["shadow_mode"] == "false"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("resend", "act:rp_tag:1:x:none"), "no such action"),
        (("erase", "--subject", "x"), "at least 3 characters"),
    ],
    ids=["resend", "erase"],
)
def test_an_impossible_command_asks_for_no_confirmation(run, monkeypatch, arguments, said):
    monkeypatch.setattr(typer, "confirm", lambda *_, **__: pytest.fail("asked"))
    assert said in run(*arguments).err


def test_only_a_done_action_is_resent(processed, run):
    processed.services().ledger._table.update({"event_id": action()}, set_={"status": "unknown"})
    said = run("resend", action(), "--yes")
    assert said.code == 1
    assert "settle it" in said.err


@pytest.mark.parametrize(("outcome", "calls"), [("done", 1), ("not-done", 2), ("abandon", 1)])
def test_an_operator_settles_an_outcome_that_cannot_be_read_back(processed, run, outcome, calls):
    table = processed.services().ledger._table
    unknown = {"status": "unknown", **due_attributes("action", action(), 1)}
    table.update({"event_id": action()}, set_=unknown)
    event = "evt:rp:1042:c-1"
    table.update(
        {"event_id": event}, set_={"status": "parked", **due_attributes("event", event, 1)}
    )
    assert run("settle", "--json").data[0]["action"] == action()
    assert run("settle", action(), "--json").data["saw"] == "cannot_be_asked"
    sure = ("--yes", "--force", "--reason", "checked") if outcome == "not-done" else ()
    assert run("settle", action(), outcome, *sure, "--json").data["event_goes_on"] is True
    processed.run()
    assert len(processed.writes()) == calls
    assert processed.event()["status"] == "processed"
    assert run("settle", action(), outcome).code == 1, "it is settled"


def test_what_may_still_arrive_is_not_done_again_without_force_and_a_reason(processed, run):
    table = processed.services().ledger._table
    table.update(
        {"event_id": action()}, set_={"status": "unknown", **due_attributes("action", action(), 1)}
    )
    for more in ([], ["--force"], ["--reason", "checked"]):
        said = run("settle", action(), "not-done", "--yes", *more)
        assert said.code == 1
        assert "may still arrive until 20" in said.err
    assert processed.row(action())["status"] == "unknown"
    table.update({"event_id": action()}, set_={"horizon": 1})
    assert run("settle", action(), "not-done", "--yes").code == 0, "it cannot arrive any more"


# --- switches, sweep, people --------------------------------------------------------------------


def test_a_switch_is_shown_and_set(system, run):
    assert run("switch", "set", "kill_switch", "on").code == 0
    assert run("switch", "get", "--json").data["kill_switch"] == "true"


def test_reconcile_runs_the_sweep_and_a_dry_run_only_reports(system, run):
    system.ticket()
    assert run("reconcile", "--dry-run", "--json").data["requeued"] == 1
    assert not system.run()
    assert run("reconcile", "--since", "7d", "--json").data["requeued"] == 1
    system.run()
    assert system.event()["status"] == "processed"


def test_a_dry_run_of_reconcile_begins_at_the_number_that_is_given(system, run):
    system.richpanel.set_modes(list_allowed=False)
    tickets = ("1042", "1043", "1044")
    for ticket in tickets:
        system.ticket(ticket)
    numbers = sorted(system.richpanel.ticket(ticket)["conversation_no"] for ticket in tickets)
    found = [
        run("reconcile", "--from-number", number, "--dry-run", "--json").data["requeued"]
        for number in numbers
    ]
    assert found == [3, 2, 1]
    assert not system.run()


@pytest.mark.parametrize("subject", ["1042", "jane.roe@example.com"])
def test_a_person_is_erased_from_every_table_and_no_longer_found(system, run, subject):
    system.post(system.ticket(customer_email="jane.roe@example.com"))
    system.post(system.ticket("10421"))
    system.run()
    result = run("erase", "--subject", subject, "--dry-run", "--json").data
    assert result["found"] > 0
    assert system.services().support.state.read("1042") is not None
    done = run("erase", "--subject", subject, "--yes", "--json").data
    assert done["found"] == result["found"]
    assert system.services().support.state.read("1042") is None
    assert not system.audit("1042")
    tombstone = system.event()
    assert tombstone["status"] == "processed"
    assert not {"plan", "intent", "source_message_id"} & tombstone.keys()
    assert run("erase", "--subject", subject, "--yes", "--json").data["found"] == 0
    assert system.services().support.state.read("10421") is not None, "somebody else's"
    system.post({"ticket_id": "1042", "message_id": "c-1"})
    before = len(system.writes())
    system.run()
    assert len(system.writes()) == before, "the tombstone still makes a copy do nothing"


# --- resources ----------------------------------------------------------------------------------


class TestOnAnEngine:
    @pytest.fixture
    def aws(self, engine_aws):
        return engine_aws

    def test_provision_takes_over_what_is_there_and_then_changes_nothing(self, run, aws, system):
        """Tables and queues that a deleted stack has left, with what they hold."""
        assert system
        table = aws.client("dynamodb")
        row = {"event_id": {"S": "kept"}}
        table.put_item(TableName="rp_mw_idempotency-dev", Item=row)
        run("access")
        made = {
            resource["logical_id"]: resource["did"]
            for resource in run("provision", "--json").data["made"]
        }
        assert made["Data"] == "updated", "an import of the queues has made it"
        assert "Item" in table.get_item(TableName="rp_mw_idempotency-dev", Key=row)
        run("switch", "set", "kill_switch", "true")
        again = run("provision", "--json").data
        assert {resource["did"] for resource in again["made"]} == {"unchanged"}
        assert run("switch", "get", "--json").data["kill_switch"] == "true", "never overwritten"

    def test_provision_makes_the_archive_and_lets_ses_report_to_the_mail_topic(
        self, run, aws, system
    ):
        assert system
        assert run("provision").code == 0
        name = f"rp-mw-facts-dev-{aws.account}"
        s3 = aws.client("s3")
        block = s3.get_public_access_block(Bucket=name)["PublicAccessBlockConfiguration"]
        assert set(block.values()) == {True}
        topic = aws.client("sns").get_topic_attributes(
            TopicArn=f"arn:aws:sns:us-east-1:{aws.account}:rp-mw-mail-dev"
        )["Attributes"]
        assert "ses.amazonaws.com" in topic["Policy"]
        (destination,) = aws.client("sesv2").get_configuration_set_event_destinations(
            ConfigurationSetName="rp-mw-dev"
        )["EventDestinations"]
        assert destination["SnsDestination"]["TopicArn"].endswith(":rp-mw-mail-dev")
        assert "RENDERING_FAILURE" in destination["MatchingEventTypes"]

    def test_alarm_recipients_are_not_subscribed_to_mail(self, run, aws, system):
        assert system
        assert run("provision", "--alarm-email", "night@example.com").code == 0
        subscribed = aws.client("sns").list_subscriptions()["Subscriptions"]
        assert [
            (subscription["TopicArn"].rsplit(":", 1)[-1], subscription["Endpoint"])
            for subscription in subscribed
        ] == [("rp-mw-dev-alarms", "night@example.com")]


# --- every command --------------------------------------------------------------------------------


def test_facts_are_printed_as_json_and_an_unreachable_stage_is_reported(system, capsys, request):
    assert cli.main(["facts", "pending", "--stage", "dev", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"waiting": 0, "oldest": None}
    assert cli.main(["facts", "explain", "ALOWARE:none"]) == 1
    assert cli.main(["facts", "pending", "--stage", "NOT A STAGE"]) == 2
    request.getfixturevalue("real_clients")
    assert cli.main(["facts", "pending"]) == 2
    assert "Traceback" not in capsys.readouterr().err


def test_the_json_output_of_facts_contains_no_log_lines(system, capsys):
    """The client of Power BI logs its call, but not to the output that holds the command's result."""
    assert cli.main(["facts", "create", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)) == ["there"]
