"""What persons do is entered with who, why and what they saw; act and entry are stored together."""

import itertools

import pytest

from chalicelib.once.event import LATE_SECONDS
from chalicelib.once.journal import Act
from chalicelib.once.lanes import TICKETS
from chalicelib.support import keys as ticket_keys
from tests.rigs.crash_injection import (
    CrashInjector,
    ProcessKilled,
    boundaries,
    count_aws_calls,
)
from tests.rigs.dead_letters import dead_lettered
from tests.rigs.engines import drain
from tests.rigs.keys import unsealed
from tests.rigs.operator import new_containers
from tests.rigs.ops_cli import runner
from tests.rigs.tickets import ROUTED, put_dead_letter

EVENT = "evt:rp:1042:c-1"
TAG = ticket_keys.tag_action("1042", ROUTED[0], "c-1")


@pytest.fixture(params=["memory", pytest.param("engine", marks=pytest.mark.long)])
def aws(request):
    """An account in memory; in the long run also the engine's tables and queues."""
    return request.getfixturevalue(f"{request.param}_aws")


@pytest.fixture
def run(system, capsys):
    return runner(capsys)


@pytest.fixture
def processed(system):
    """A ticket whose message was processed."""
    system.post(system.ticket())
    system.run()
    return system


def make_unknown(system):
    """The outcome of one tag is unknown, and its event waits for it."""
    table = system.services().ledger._table
    table.update({"event_id": TAG}, set_={"status": "unknown", "reason": "timeout", "due_at": 1})
    table.update({"event_id": EVENT}, set_={"status": "parked", "reason": "unknown:timeout"})


def acts(run, *more):
    return run("journal", *more, "--json").data


# --- entries --------------------------------------------------------------------------------------


def test_a_settlement_names_the_person_the_reason_and_what_was_seen(processed, run):
    make_unknown(processed)
    run("settle", TAG, "not-done", "--yes", "--force", "--reason", "jo@example.com sees no tag")
    (entry,) = acts(run, TAG)
    assert (entry["did"], entry["result"], entry["key"]) == ("settle", "not-done", TAG)
    assert entry["by"]
    assert entry["change"] == "unknown → not-done"
    assert entry["reason"] == "***@*** sees no tag", "no personal data"
    assert "timeout" in entry["saw"]
    assert acts(run) == [entry], "the day has it too"
    assert acts(run, "1042") == [entry], "and its conversation"
    assert acts(run, "--by", "another") == []
    assert acts(run, "2077") == []


def test_not_done_shows_what_is_at_stake_and_asks(processed, run, monkeypatch):
    make_unknown(processed)
    monkeypatch.setattr("typer.confirm", lambda *_, **__: False)
    said = run("settle", TAG, "not-done")
    assert said.code == 1
    for words in ("ticket 1042", "minutes ago", "last look", "timeout"):
        assert words in said.err
    assert processed.row(TAG)["status"] == "unknown"
    assert acts(run) == []


def test_a_second_send_after_a_wrong_settlement_is_explained_as_what_it_was(processed, run):
    make_unknown(processed)
    run("settle", TAG, "not-done", "--yes", "--force", "--reason", "not seen")
    processed.run()
    assert len(processed.added()) + 1 == len(
        [tag for call in processed.writes() for tag in call.body["tags"]]
    ), "the vendor got one tag twice"
    (event,) = run("explain", EVENT, "--json").data["events"]
    what = [step["what"] for step in event["timeline"]]
    assert "vendor call: add_tag: unknown" in what
    assert any("settle not-done" in line for line in what)
    assert "route: done" in what
    order = [what.index("vendor call: add_tag: unknown"), what.index("route: done")]
    assert order == sorted(order)


def test_each_of_several_acts_on_one_key_stays(processed, run):
    for number in range(3):
        run("replay", EVENT, "--because", f"try {number}")
        processed.run()
    assert [act["reason"] for act in acts(run, EVENT)] == ["try 0", "try 1", "try 2"]


def test_the_sweep_copies_a_switchs_changes_once_each(system, run):
    system.sweep()
    before = acts(run, "switch:kill_switch")
    system.switch("kill_switch", "true")
    system.switch("kill_switch", "false")
    system.sweep()
    system.sweep()
    new = acts(run, "switch:kill_switch")[len(before) :]
    assert [(change["did"], change["result"]) for change in new] == [
        ("switch set", "true"),
        ("switch set", "false"),
    ]
    assert [change["change"] for change in new] == ["false → true", "true → false"]
    assert acts(run, "switch:safe_mode") == [
        act for act in acts(run) if act["key"] == "switch:safe_mode"
    ]


ZOE = "Zoe\u0308 Müller"
"""As some keyboards compose it; names are kept in Unicode's form NFC."""


@pytest.mark.parametrize(
    ("by", "is_found"),
    [
        ("Zoë Müller", True),
        (ZOE, True),
        ("ci-1/Zoë Müller", True),
        ("ci-1", True),
        ("zoë müller", False),
        ("Zoë", False),
        ("Müller", False),
        ("i-1/Zoë Müller", False),
        ("", False),
    ],
)
def test_only_acts_of_the_whole_name_are_shown_however_it_is_composed(system, run, by, is_found):
    found = system.services().journal
    found.enter(Act("handoff take", "conversation:1", "ci-1/Zoë Müller"))
    found.enter(Act("handoff take", "conversation:2", "ci-2/Zoë Müllerin"))
    kept = [act["key"] for act in acts(run, "--by", by)]
    assert kept == (["conversation:1"] if is_found else [])


# --- dry runs ---------------------------------------------------------------------------------------


def test_a_dry_run_says_exactly_what_would_happen_and_sends_nothing(processed, run):
    table = processed.services().ledger._table
    table.update({"event_id": TAG}, set_={"status": "refused", "reason": "http_400"})
    said = run("replay", EVENT, "--dry-run", "--json").data
    assert said["effects"] == "3 done already; 1 would go"
    calls = len(processed.writes())
    assert not processed.run(), "nothing was queued"
    run("replay", EVENT)
    processed.run()
    (call,) = processed.writes()[calls:]
    assert call.body["tags"] == [ROUTED[0]], "and exactly that happens"
    assert run("replay", EVENT, "--dry-run", "--json").data["effects"] == (
        "sends nothing; 4 done already"
    )


def test_a_dry_run_counts_what_a_switch_holds_back(processed, run):
    table = processed.services().ledger._table
    table.update({"event_id": TAG}, set_={"status": "refused", "reason": "http_400"})
    processed.switch("kill_switch", "true")
    said = run("replay", EVENT, "--dry-run", "--json").data
    assert said["effects"] == "sends nothing; 3 done already; 1 held by a switch"
    assert run("resend", TAG, "--dry-run").code == 1, "it is not finished"
    done = ticket_keys.tag_action("1042", ROUTED[1], "c-1")
    assert "held by a switch" in run("resend", done, "--dry-run").out


# --- dead letters -----------------------------------------------------------------------------------


def put_rubbish(system):
    sqs = system.stage.aws.client("sqs")
    sent = sqs.send_message(
        QueueUrl=system.stage.dead_letter_url,
        MessageBody="rubbish of jo@example.com",
        MessageGroupId="g",
        MessageDeduplicationId="d",
    )
    return sent["MessageId"]


def test_an_undecodable_letter_is_dropped_with_who_why_and_its_digest(system, run):
    rubbish = put_rubbish(system)
    put_dead_letter(system, "1042")
    (letter,) = [found for found in run("dlq", "list", "--json").data if found["event"]]
    said = run("dlq", "drop", letter["message_id"], "--reason", "x", "--yes")
    assert (said.code, "redrive it" in said.err) == (1, True), "one that can be decoded stays"
    assert run("dlq", "drop", rubbish, "--yes").code == 2, "a reason is needed"
    assert run("dlq", "drop", rubbish, "--reason", "old release", "--yes").code == 0
    (entry,) = acts(run, f"dlq:{rubbish}")
    assert (entry["did"], entry["reason"]) == ("dlq drop", "old release")
    assert "body_sha256" in entry["saw"]
    assert "rubbish" not in entry["saw"]
    assert [found["event"] for found in run("dlq", "list", "--json").data] == [EVENT]


def test_letters_are_counted_and_redriven_by_reason(system, run):
    put_rubbish(system)
    put_dead_letter(system, "1042")
    listed = run("dlq", "list").out
    assert "2 in total" in listed
    assert run("dlq", "redrive", "--reason", "dead_letter:richpanel_http_4", "--json").data == []
    (done,) = run("dlq", "redrive", "--reason", "dead_letter:richpanel", "--json").data
    assert done["did"] == "redriven"
    assert [act["did"] for act in acts(run, EVENT)] == ["dlq redrive"]
    system.run()
    assert system.event()["status"] == "processed"


# --- crashes ----------------------------------------------------------------------------------------


def killed_at_every_call(prepare, act, run, monkeypatch):
    """Do an act, killed at each of its calls in turn, and at last whole; yields after each."""
    injector = CrashInjector()
    count_aws_calls(injector, monkeypatch)
    for number, moment in itertools.islice(boundaries(), 200):
        prepare()
        new_containers()
        injector.arm(number, moment)
        try:
            run(*act)
        except ProcessKilled:
            injector.disarm()
            yield number, moment
        else:
            injector.disarm()
            assert number > 3, "every call of the act was one to die at"
            yield None
            return
    pytest.fail("the act never came to its end")


def test_a_settlement_and_its_entry_are_both_stored_or_neither(processed, run, monkeypatch):
    act = ("settle", TAG, "not-done", "--yes", "--force", "--reason", "checked")
    seen = set()
    entered = 0
    for where in killed_at_every_call(lambda: make_unknown(processed), act, run, monkeypatch):
        is_settled = processed.row(TAG)["status"] != "unknown"
        now = len(processed.services().journal.story("1042"))
        assert now - entered == is_settled, where
        entered = now
        seen.add(is_settled)
    assert seen == {True, False}


def test_a_replay_and_its_entry_are_both_stored_or_neither(processed, run, monkeypatch):
    """What was entered runs: by its message, or by the sweep where that was never sent."""
    table = processed.services().ledger._table

    def prepare():
        drain(processed.pump, at_most=20)
        failed = {"status": "failed", "reason": "x"}
        table.update({"event_id": EVENT}, set_=failed, remove=["asked", "due_at", "due_shard"])

    entered, seen = len(processed.services().journal.story("1042")), set()
    for where in killed_at_every_call(prepare, ("replay", EVENT), run, monkeypatch):
        now = len(processed.services().journal.story("1042"))
        is_entered = now > entered
        assert bool(processed.row(EVENT).get("asked")) == is_entered, where
        if is_entered and not processed.run():
            processed.age(EVENT, LATE_SECONDS)
            processed.sweep()
            processed.run()
        assert (processed.row(EVENT)["status"] == "processed") == is_entered, where
        entered = now
        seen.add(is_entered)
    assert seen == {True, False}


def test_a_redrive_and_its_entry_are_both_stored_or_neither(system, run, monkeypatch):
    """A letter whose redrive was not entered stays; what was entered runs, whatever was sent."""
    put_dead_letter(system, "1042")
    sqs, url = system.stage.aws.client("sqs"), system.stage.dead_letter_url
    letter = sqs.receive_message(QueueUrl=url)["Messages"][0]
    sqs.delete_message(QueueUrl=url, ReceiptHandle=letter["ReceiptHandle"])
    table, numbers = system.services().ledger._table, itertools.count()
    held = []

    def letters():
        names = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]
        found = sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"]
        return sum(int(found[name]) for name in names)

    def prepare():
        drain(system.pump, at_most=20)
        failed = {"status": "failed", "reason": "x"}
        table.update({"event_id": EVENT}, set_=failed, remove=["asked", "due_at", "due_shard"])
        name = f"letter-{next(numbers)}"  # a group of its own: a killed run holds back its group
        body = system.stage.sealed(unsealed(letter["Body"]), group_id=name)
        sqs.send_message(
            QueueUrl=url,
            MessageBody=body,
            MessageGroupId=name,
            MessageDeduplicationId=name,
        )
        held.append(letters())

    entered, seen = len(system.services().journal.story("1042")), set()
    act = ("dlq", "redrive", EVENT)
    for where in killed_at_every_call(prepare, act, run, monkeypatch):
        now = len(system.services().journal.story("1042"))
        is_entered = now > entered
        assert bool(system.row(EVENT).get("asked")) == is_entered, where
        if not is_entered:
            assert letters() == held[-1], where
        elif not system.run():
            system.age(EVENT, LATE_SECONDS)
            system.sweep()
            system.run()
        assert (system.row(EVENT)["status"] == "processed") == is_entered, where
        entered = now
        seen.add(is_entered)
    assert seen == {True, False}


# --- nothing accepted is unknown --------------------------------------------------------------------


def test_a_notification_is_known_while_its_ticket_cannot_be_read(system, run):
    """Two companies' tickets: the one that can be read goes on."""
    system.ticket("7")
    thin = system.post({"ticket_id": "7", "trigger": "customer_message"}).json_body["event_id"]
    queued = run("explain", thin)
    assert queued.code == 1
    assert "1 message waits, and a queue cannot be searched" in queued.err
    system.richpanel.down()
    system.run()
    (event,) = run("explain", thin, "--json").data["events"]
    assert event["where"]["place"] == "back on the queue"
    assert event["where"]["why"].startswith("richpanel")
    assert event["where"]["next_try"] > event["where"]["since"]
    assert thin in [row["event"] for row in run("unfinished", "--json").data]
    system.richpanel.up()
    system.again()
    assert system.row(thin)["status"] == "processed"
    assert run("unfinished", "--json").data == []


@pytest.mark.parametrize("key", ["evt:rp:1:none", "act:rp_tag:1:x:none"])
def test_of_a_key_that_no_row_and_no_queue_has_nothing_is_stored(system, run, key):
    said = run("explain", key)
    assert said.code == 1
    assert said.err.startswith(f"error: nothing is stored about {key}; it was looked up as ")
    assert "and every place was asked" in said.err


def test_a_message_without_a_row_that_no_worker_took_is_a_dead_letter(system, run):
    thin = system.post({"ticket_id": "7", "trigger": "customer_message"}).json_body["event_id"]
    dead_lettered(system.stage, TICKETS)
    said = run("explain", thin)
    assert said.code == 0
    assert "no worker took its message, which is a dead letter" in said.out
    assert [found["event"] for found in run("dlq", "list", "--json").data] == [thin]


def test_who_only_looked_is_listed_apart(system, run):
    journal = system.services().journal
    for what in ("conversation view", "handoff take", "story view"):
        journal.enter(Act(what=what, key="1042", actor="Operators/jo"))
    assert [act["did"] for act in acts(run)] == ["handoff take"]
    assert [act["did"] for act in acts(run, "1042")] == ["handoff take"]
    assert {act["did"] for act in acts(run, "--views")} == {"conversation view", "story view"}
