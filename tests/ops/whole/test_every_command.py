"""Every command run on a stage: one JSON document, no write of what reads, an entry of each change."""

import json

import boto3
import pytest
import requests

from chalicelib.outreach.desk.acts import ACTS
from chalicelib.support import keys as ticket_keys
from local import company
from ops import roles
from ops.command import COMMANDS
from tests.ops.support.test_decide import line
from tests.rigs.iam.guarding import Guard
from tests.rigs.iam.stage_roles import person
from tests.rigs.memory_stage import another_session
from tests.rigs.ops_cli import runner, typer_commands
from tests.rigs.outreach import TEL
from tests.rigs.tickets import ROUTED, RoutingSystem, put_dead_letter

READS = ("Get", "BatchGet", "TransactGet", "Query", "Scan", "Describe", "List", "Head", "Receive")
PUT_BACK = {"ChangeMessageVisibility"}
"""A message that was read is visible again at once."""
ASKING = ("token", "executeQueries")
"""Ends of addresses to which a question is posted."""
EVENT, TAG = "evt:rp:1042:c-1", ticket_keys.tag_action("1042", ROUTED[0], "c-1")
OTHER = ticket_keys.tag_action("1042", ROUTED[1], "c-1")
INCIDENT = "richpanel.unavailable.tickets.1"
ID, PROJECT = company.COMPANY_ID, company.PROJECT_ID
OF_TICKETS = (
    ("explain", "1042"),
    ("story", "1042"),
    ("unfinished",),
    ("refused",),
    ("doctor",),
    ("journal",),
    ("switch", "get"),
    ("switch", "get", "--history"),
    ("dlq", "list"),
    ("dlq", "count"),
    ("dlq", "show", "evt:rp:7:c-1"),
    ("incidents", "list"),
    ("incidents", "show", INCIDENT),
    ("settle",),
    ("support-settings", "validate", "{settings}"),
    ("support-settings", "history"),
    ("support-settings", "show"),
    ("support-settings", "preview"),
    ("support", "decide", "{conversations}"),
    ("support", "decision", "1042"),
    ("support-tags",),
    ("shadow-report", "--rate", "100"),
    ("person", "export", "--subject", "1042"),
    ("facts", "pending"),
    ("facts", "failed"),
    ("facts", "explain", "ALOWARE:1"),
    ("facts", "rebuild"),
    ("facts", "check"),
    ("setup", "--pastes"),
    ("setup", "--plan"),
    ("replay", EVENT),
    ("resend", OTHER, "--yes"),
    ("settle", TAG, "done"),
    ("reconcile",),
    ("dlq", "redrive"),
    ("incidents", "stop", INCIDENT),
    ("incidents", "acknowledge", INCIDENT),
    ("incidents", "mend", INCIDENT, "--yes"),
    ("dlq", "drop", "{rubbish}", "--reason", "not a job", "--yes"),
    ("switch", "set", "safe_mode", "true"),
    ("support-settings", "put", "{settings}", "--because", "our warehouse"),
    ("support-settings", "restore", "0"),
    ("support", "label", "1042", "--wrong", "wrong_team"),
    ("wrong-answer", EVENT, "wrong_answer"),
    ("keys", "list"),
    ("keys", "rotate", "share", "--yes"),
    ("support-tags", "--create"),
    ("facts", "create", "--again"),
    ("facts", "seed"),
    ("facts", "retry", "ALOWARE:1"),
    ("restore", "--at", "1h"),
    ("erase", "--subject", "1042", "--yes"),
)
"""Calls on a stage that has worked on a ticket; first those that only look."""
DRAFT = {
    "id": "d1",
    "now": "2026-11-24T10:00:00Z",
    "recipient": {"first_name": "Jo", "language": "en", "time_zone": "Europe/London"},
    "project_data": {},
    "conversation": [],
    "draft": {"text": "Hello Jo.", "claims": None},
}
OF_COMPANIES = (
    ("handoff", "list"),
    ("handoff", "list", "--show", "{held}"),
    ("company", "check", ID),
    ("company", "usage", ID),
    ("cost", "--company", ID),
    ("company", "events", ID),
    ("company", "attempts", ID, PROJECT),
    ("do-not-contact", "list", "--company", ID),
    ("do-not-contact", "export", "--company", ID),
    ("writer", "try", ID, PROJECT),
    ("writer", "check", ID, PROJECT, "{drafts}", "--rules-only"),
    ("writer", "revisions", ID, PROJECT),
    ("writer", "put-verdicts", ID, PROJECT, "{verdicts}"),
    ("writer", "verdicts", ID, PROJECT),
    ("writer", "stops", ID),
    ("writer", "wrong", ID),
    ("writer", "remove-verdict", ID, PROJECT, "d1"),
    ("subject", "show", "--company", ID, "--address", TEL),
    ("consent", "hears", "{messages}"),
    ("may-i-send", ID, PROJECT, "+13055550100", "--channel", "sms"),
    ("dlq", "mail"),
    ("company", "put", "{item}"),
    ("writer", "replay", ID, PROJECT, "--with", "{item}", "--rules-only"),
    ("company", "map"),
    ("company", "key", ID),
    ("company", "key", ID, "--finish"),
    ("company", "desk-proof", ID, "--proof", "tokens"),
    ("desk-token", "issue", ID, "o'brien@example.com", "--role", "lead"),
    ("desk-token", "list", ID),
    ("desk-token", "revoke", ID, "o'brien@example.com"),
    ("company", "signature-key", ID),
    ("company", "event-secret", ID),
    ("company", "event-secret", ID, "--finish"),
    ("company", "pause-events", ID, PROJECT),
    ("company", "resume-events", ID, PROJECT),
    ("do-not-contact", "add", "--company", ID, "--address", TEL),
    ("do-not-contact", "lift", "--company", ID, "--address", TEL),
    ("do-not-contact", "import", "--company", ID, "{addresses}"),
    ("subject", "link", "--company", ID, "--address", TEL, "--address", "jo@example.com"),
    ("subject", "unlink", "--company", ID, "--address", "jo@example.com"),
    ("handoff", "take", "{held}", "--by", "jo"),
    ("handoff", "note", "{held}", "--by", "jo", "--text", "called back"),
    ("handoff", "approve", "{other}"),
)
"""Calls on a stage where two starts of a company wait for a person."""
ELSEWHERE = {
    "access": "tests/ops/stage/test_access_stack.py",
    "consent audit": "tests/ops/companies/test_consent_audit.py",
    "company signature-check": "tests/ops/companies/test_signing_keys.py",
    "company resend-event": "tests/ops/companies/test_event_commands.py",
    "company test-event": "tests/ops/companies/test_event_commands.py",
    "console sessions": "tests/console/test_sessions_command.py",
    "console revoke": "tests/console/test_sessions_command.py",
    "facts correct": "tests/ops/facts/test_correction.py",
    "facts remove": "tests/ops/facts/test_fact_removal.py",
    "provision": "tests/ops/repair/test_commands.py",
    **{
        f"handoff {act}": "tests/outreach/desk/whole/test_acts.py"
        for act in ACTS.keys() - {"take", "note", "approve"}
    },
}
"""Commands that need another stage, and the tests that have it."""
OWN_STORY = ("switch set", *(f"handoff {act}" for act in ACTS))
"""Commands whose entries others write; see `test_acts`."""


class Watched:
    """Runs commands and sees what they ask AWS and vendors to change."""

    def __init__(self, run, monkeypatch, **values):
        self._run, self._values, self.changed = run, values, []
        self.guard = Guard(monkeypatch)
        session = another_session()
        session.events.register("before-call", self._called)
        monkeypatch.setattr(boto3, "DEFAULT_SESSION", session)
        send = requests.Session.send

        def sent(of, request, **options):
            if request.method != "GET" and not request.url.endswith(ASKING):
                self.changed.append(f"{request.method} {request.path_url}")
            return send(of, request, **options)

        monkeypatch.setattr(requests.Session, "send", sent)

    def _called(self, event_name, **_):
        operation = event_name.rpartition(".")[2]
        if not operation.startswith(READS) and operation not in PUT_BACK:
            self.changed.append(operation)

    def __call__(self, *words):
        self.changed.clear()
        self.guard.refused.clear()
        role = roles.of(kind_of(words).name)
        with self.guard.acting_as(person("dev", role)):
            return self._run(*(word.format(**self._values) for word in words))


@pytest.fixture
def system(app, without_rate_limits, stage, richpanel, pump):
    return RoutingSystem(app, stage, richpanel, pump)


@pytest.fixture
def tickets(system, capsys, monkeypatch, tmp_path):
    """A ticket was worked on, an effect is unknown, and two dead letters wait."""
    monkeypatch.setattr("ops.repair.restore.SEEN_BY_ALL_SECONDS", 0.0)
    system.post(system.ticket())
    system.run()
    put_dead_letter(system, "7")
    incidents = system.services().incidents
    (found,) = incidents.all()
    incidents.write(found, state=found.state, mended_by="jo", mended_at="then", asked_for=0)
    rubbish = system.stage.aws.client("sqs").send_message(
        QueueUrl=system.stage.dead_letter_url,
        MessageBody="not a job",
        MessageGroupId="g",
        MessageDeduplicationId="d",
    )["MessageId"]
    table = system.services().ledger._table
    unknown = {"status": "unknown", "reason": "timeout", "due_at": 1}
    table.update({"event_id": TAG}, set_=unknown)
    conversations = tmp_path / "conversations.jsonl"
    conversations.write_text(json.dumps(line("Where is my order #1042?")))
    settings = tmp_path / "settings.json"
    settings.write_text(
        json.dumps({"closing": {"en": "Yours, {{support_signature}} {{reference}}"}})
    )
    return Watched(
        runner(capsys), monkeypatch, rubbish=rubbish, settings=settings, conversations=conversations
    )


@pytest.fixture
def companies(outreach, capsys, monkeypatch, tmp_path):
    """Two starts wait for a person, and the function failed on an e-mail."""
    run = runner(capsys)
    outreach.set_project(auto_queue_initial_message=True)
    outreach.start(channel="sms")
    outreach.start("other", "sms", "+15550100002")
    outreach.run()
    held, other = (handoff["id"] for handoff in run("handoff", "list", "--json").data)
    sqs = outreach.stage.aws.client("sqs")
    failed = {"requestPayload": {"Records": [{"Sns": {"Message": "{}"}}]}, "responsePayload": {}}
    url = sqs.get_queue_url(QueueName="rp-mw-mail-failures-dev")["QueueUrl"]
    sqs.send_message(QueueUrl=url, MessageBody=json.dumps(failed))
    item, addresses = tmp_path / "item.json", tmp_path / "addresses.csv"
    messages = tmp_path / "messages.jsonl"
    messages.write_text('{"id": "m1", "channel": "sms", "text": "STOP"}')
    item.write_text(json.dumps(outreach.project))
    addresses.write_text("address\n+15550100009\n")
    values = {"held": held, "other": other, "item": item, "addresses": addresses}
    drafts = tmp_path / "drafts.jsonl"
    drafts.write_text(json.dumps(DRAFT))
    verdicts = tmp_path / "verdicts.jsonl"
    verdicts.write_text(json.dumps({**DRAFT, "verdict": "good"}))
    values |= {"messages": messages, "drafts": drafts, "verdicts": verdicts}
    return Watched(runner(capsys), monkeypatch, **values)


def kind_of(words):
    return COMMANDS.get(" ".join(words[:2])) or COMMANDS[words[0]]


def changes(words):
    """Whether a call changes something, by what is known of its command."""
    kind = kind_of(words)
    context = typer_commands()[kind.name].make_context("x", list(words[len(kind.name.split()) :]))
    return kind.changes and (kind.guard(context.params) or kind.name == "switch set")


def walked(on, calls):
    """Run each call as it is, after a dry run where there is one; yields what it printed."""
    for words in calls:
        does = changes(words)
        if kind_of(words).has_dry_run and does:
            shown = on(*words, "--dry-run", "--json")
            assert shown.code in (0, 1), (words, shown)
            assert on.changed == [], (words, "its dry run changed something")
            assert shown.data is not None, words
        said = on(*words, "--json")
        assert said.code in (0, 1), (words, said)
        assert said.data is not None, (words, "one document")
        assert on.guard.refused == [], (words, "its role is not enough")
        if not does:
            assert on.changed == [], (words, "it reads")
        yield words, does, said


@pytest.mark.parametrize(
    ("stage_of", "calls"), [("tickets", OF_TICKETS), ("companies", OF_COMPANIES)]
)
def test_every_command_prints_one_document_and_only_a_change_changes(request, stage_of, calls):
    on = request.getfixturevalue(stage_of)
    entered = set()
    for words, does, said in walked(on, calls):
        name = kind_of(words).name
        if does and name not in OWN_STORY:
            assert on.changed, (words, said)
            acts = on("journal", "--json").data
            assert any(act["did"].startswith(name) for act in acts), words
            entered.add(name)
    assert len(entered) > 5


def test_no_command_is_left_out():
    run = {kind_of(words).name for words in (*OF_TICKETS, *OF_COMPANIES)}
    assert run | ELSEWHERE.keys() == COMMANDS.keys()
    assert not run & ELSEWHERE.keys()
