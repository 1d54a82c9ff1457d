"""Erasing removes a recipient from every table in which outreach stores anything about them."""

import json

import pytest

from chalicelib.aws.dynamo import Table
from local import company
from tests.rigs import neighbour as other
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL

OTHER, OTHER_MAIL = "+15550100002", "a.other@example.com"
CANARY = "saxophone"
TABLES = ("IdempotencyTable", "AuditActionsTable", "ConversationsTable", "ConversationStateTable")


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def everything(outreach):
    return {name: outreach.rows(name) for name in TABLES}


def held(outreach):
    """Every stored item as text, by table."""
    return {name: [json.dumps(row) for row in rows] for name, rows in everything(outreach).items()}


@pytest.fixture
def written_to(outreach):
    """A person's conversations on every channel, with replies, a hand-off, a mark; another person's."""
    both = {"recipient_tel": TEL, "recipient_email": MAIL, "recipient_last_name": "Doe"}
    for channel in ("whatsapp", "sms", "email"):
        outreach.start(f"req-{channel}", channel, recipient_data=both)
    outreach.start("req-other", "sms", OTHER)
    outreach.start("req-other-mail", "email", OTHER_MAIL)
    outreach.run()
    for _ in range(3):
        outreach.deliver(outreach.says(f"Tell me about the {CANARY}"))
        outreach.run()
    outreach.deliver(outreach.says("I want to talk to a human"))
    outreach.run()
    outreach.deliver(outreach.says("STOP", whatsapp=False))
    outreach.deliver(outreach.says("Hello", whatsapp=False, from_=OTHER))
    (first,) = outreach.ses.sent_to(MAIL)
    outreach.mail(outreach.ses.inbound(MAIL, first["reply_to"], f"The {CANARY}?"))
    for post in outreach.twilio.callbacks():
        outreach.deliver(post)
    outreach.run()
    assert len(list(outreach.services.outreach.desk.waiting())) == 1
    return outreach


def opaque_ids(outreach, recipient):
    found = [
        row
        for row in outreach.rows("ConversationsTable")
        if "opaque_id" in row and row.get("request_id")
    ]
    return {
        row["opaque_id"]["S"] for row in found if row["primary_channel"]["S"] in (recipient, MAIL)
    }


@pytest.mark.parametrize("subject", [TEL, MAIL])
def test_a_recipient_is_found_in_every_table_by_phone_or_by_email(written_to, run, subject):
    theirs = opaque_ids(written_to, TEL)
    assert len(theirs) == 3
    result = run("erase", "--subject", subject, "--dry-run", "--json").data
    done = run("erase", "--subject", subject, "--yes", "--json").data
    assert done["tables"] == result["tables"]
    assert set(done["tables"]) == {
        written_to.stage.tables[name]
        for name in ("IdempotencyTable", "AuditActionsTable", "ConversationsTable")
    }
    after = held(written_to)
    rows = [text for text in after["ConversationsTable"] if "subject#" in text]
    assert len(rows) == 2, "the subject's, and that of its other address"
    assert sum("merged_into" in text for text in rows) == 1
    for name, rows in after.items():
        for text in rows:
            for personal in (TEL, TEL[1:], MAIL, CANARY, "Doe"):
                assert personal not in text, (name, personal)
            if name != "IdempotencyTable" and '"evidence#' not in text:
                assert not [their for their in theirs if their in text], name
    for row in written_to.rows():
        if row.get("conversation_id", {"S": ""})["S"] in theirs:
            assert "erased_at" in row
            assert not {"plan", "probe", "ref", "delivery", "source_message_id"} & row.keys()
    assert run("erase", "--subject", subject, "--yes", "--json").data["found"] == 0


def test_the_outbox_of_an_erased_conversation_is_removed_and_anothers_is_kept(outreach, run):
    """Events that were posted, and events that their endpoint has not accepted yet."""
    outreach.set_project(event_webhook={"url": "https://127.0.0.1/events"})
    outreach.start("req-sms", "sms", TEL)
    outreach.start("req-other", "sms", OTHER)
    outreach.run()
    theirs, another = (outreach.record("sms", address).opaque_id for address in (TEL, OTHER))

    def outbox():
        rows = [row["primary_channel"]["S"] for row in outreach.rows("ConversationsTable")]
        return {row for row in rows if row.startswith("events#")}

    assert outbox() == {f"events#{theirs}", f"events#{another}"}
    run("erase", "--subject", TEL, "--yes")
    assert outbox() == {f"events#{another}"}


def test_a_start_that_no_worker_has_opened_is_erased_with_its_parcel(outreach, run):
    outreach.start(channel="sms")

    def parcels():
        items = outreach.rows("ConversationsTable")
        return [item for item in items if item["primary_channel"]["S"].startswith("parcel#")]

    assert len(parcels()) == 1
    run("erase", "--subject", TEL, "--yes")
    assert parcels() == []


def test_no_index_finds_an_erased_recipient_and_other_conversations_are_intact(written_to, run):
    before = written_to.record("sms", OTHER)
    history = written_to.history(before)
    run("erase", "--subject", TEL, "--yes")
    name = written_to.stage.tables["ConversationsTable"]
    client = written_to.stage.aws.client("dynamodb")
    for index in client.describe_table(TableName=name)["Table"]["GlobalSecondaryIndexes"]:
        rows = client.scan(TableName=name, IndexName=index["IndexName"])["Items"]
        assert TEL not in json.dumps(rows)
        assert MAIL not in json.dumps(rows)
    assert written_to.record("sms", OTHER).item == before.item
    assert written_to.history(before) == history
    assert list(written_to.services.outreach.desk.waiting()) == []


def test_erased_rows_are_counted_by_table(written_to, run):
    said = run("erase", "--subject", TEL, "--yes")
    for name in ("rp_mw_idempotency-dev", "rp_mw_audit_actions-dev", "conversations-dev"):
        assert name in said.out
    assert "tombstones" in said.out
    assert "do-not-contact" in said.out
    assert TEL not in said.out


def test_an_erased_start_posted_again_is_known_and_not_sent_again(written_to, run):
    run("erase", "--subject", TEL, "--yes")
    sent = len(written_to.twilio.sent_to(TEL))
    answer = written_to.start(
        "req-sms",
        "sms",
        recipient_data={
            "recipient_tel": TEL,
            "recipient_email": MAIL,
            "recipient_last_name": "Doe",
        },
    )
    written_to.run()
    assert answer.json_body.get("duplicate") is True
    assert len(written_to.twilio.sent_to(TEL)) == sent


def test_an_address_mentioned_in_another_conversation_loses_only_those_messages(written_to, run):
    written_to.deliver(written_to.says(f"Call my wife: {TEL}", whatsapp=False, from_=OTHER))
    written_to.run()
    before = written_to.record("sms", OTHER)
    run("erase", "--subject", TEL, "--yes")
    record = written_to.record("sms", OTHER)
    assert record.opaque_id == before.opaque_id
    assert TEL not in json.dumps(record.item, default=str)
    assert ("user", "Hello") in written_to.history(record)
    assert not [text for _, text in written_to.history(record) if TEL in text]


def test_a_projects_settings_lose_only_the_listed_address(written_to, run):
    written_to.set_project(
        auto_queue_initial_message=True, auto_queue_initial_message_from_number=[TEL, OTHER]
    )
    run("erase", "--subject", TEL, "--yes")
    (item,) = [row for row in written_to.rows("CompanyDataTable") if "project_name" in row]
    assert [number["S"] for number in item["auto_queue_initial_message_from_number"]["L"]] == [
        OTHER
    ]
    assert item["project_name"]["S"] == written_to.project["project_name"]


@pytest.mark.parametrize(
    "own", [company.SMS_NUMBER, company.WHATSAPP_NUMBER, company.EMAIL, company.EMAIL.upper()]
)
def test_a_companys_own_address_is_not_erased(written_to, run, own):
    before = everything(written_to)
    said = run("erase", "--subject", own, "--yes")
    assert said.code == 1
    assert "company's own address" in said.err
    assert everything(written_to) == before


def test_an_erased_recipient_who_said_stop_is_not_written_to_again(written_to, run):
    for subject in (TEL, MAIL):
        run("erase", "--subject", subject, "--yes")
    before = len(written_to.twilio.sent_to(TEL))
    written_to.start("again", "sms")
    written_to.run()
    assert written_to.fate("again").json_body["reason"] == "do_not_contact"
    assert len(written_to.twilio.sent_to(TEL)) == before


def test_a_person_gets_everything_that_is_kept_of_them_and_nothing_of_others(written_to, run):
    said = run("person", "export", "--subject", TEL)
    found = json.loads(said.out)
    assert set(found["tables"]) == {
        written_to.stage.tables[name]
        for name in ("IdempotencyTable", "AuditActionsTable", "ConversationsTable")
    }
    assert found["exported_by"]
    assert CANARY in said.out
    assert OTHER not in said.out
    assert OTHER_MAIL not in said.out
    counted = run("erase", "--subject", TEL, "--dry-run", "--json").data["tables"]
    conversations = found["tables"][written_to.stage.tables["ConversationsTable"]]
    conversations[:] = [
        conversation for conversation in conversations if "merged_into" not in conversation
    ]
    assert {name: len(rows) for name, rows in found["tables"].items()} == counted


def test_an_export_is_written_to_a_new_file_of_the_operators_alone(written_to, run, tmp_path):
    file = tmp_path / "person.json"
    assert run("person", "export", "--subject", TEL, "--to", str(file)).code == 0
    assert file.stat().st_mode & 0o777 == 0o600
    assert json.loads(file.read_text())["tables"]
    assert run("person", "export", "--subject", TEL, "--to", str(file)).code == 2


@pytest.mark.parametrize("is_over", [False, True])
def test_what_is_kept_of_a_pair_is_erased_also_after_the_conversation(outreach, run, is_over):
    outreach.start("req-1", "sms")
    outreach.start("req-other", "sms", OTHER)
    outreach.run()
    table = outreach.services.outreach.conversations._table
    if is_over:
        for item in table.scan_page(limit=1000)[0]:
            if item["conversation_id"] != "pair":
                table.delete({k: item[k] for k in ("primary_channel", "conversation_id")})
    run("erase", "--subject", TEL, "--yes")
    pairs = [i for i in table.scan_page(limit=1000)[0] if i["conversation_id"] == "pair"]
    assert len(pairs) == 1
    outreach.deliver(outreach.says("Hello", whatsapp=False))
    outreach.run()
    assert list(outreach.services.outreach.desk.waiting()) == []


def test_what_follows_is_erased_with_its_conversation_and_never_sent(outreach, run):
    """A reminder that waits, and the conversation that followed a failed one."""
    step = {"after_minutes": 60, "text": f"The {CANARY}?"}
    outreach.set_project(follow_ups={"reminder": step, "fallback": ["email"]})
    both = {"recipient_email": MAIL}
    refusal = {"code": 63024, "message": "refused", "status": 400}
    outreach.twilio.fault("status", operation="create_message", status=400, body=refusal, times=1)
    outreach.start("req-1", "whatsapp", TEL, recipient_data=both)
    outreach.run()
    (sent,) = outreach.ses.sent_to(MAIL)
    assert outreach.record("email").item["continues"]["request_id"] == "req-1"
    run("erase", "--subject", TEL, "--yes")
    assert all(
        TEL[1:] not in row and MAIL not in row for rows in held(outreach).values() for row in rows
    )
    (row,) = [
        found for found in outreach.rows() if found["event_id"]["S"].startswith("evt:follow:")
    ]
    assert (row["status"]["S"], row["reason"]["S"]) == ("skipped", "erased")
    assert "due_at" not in row
    outreach.sweep()
    outreach.run()
    assert outreach.ses.sent_to(MAIL) == [sent]


def test_a_person_is_erased_by_any_form_of_their_number(outreach, run):
    """Mexico's older form, which carriers still report; the start names the newer one."""
    newer, older = "+525512345678", "+5215512345678"
    outreach.start("req-mx", "sms", newer, recipient_data={"recipient_email": MAIL})
    outreach.run()
    outreach.services.outreach.conversations.forbid(older, company.COMPANY_ID, "stop")
    assert newer in run("person", "export", "--subject", older).out
    run("erase", "--subject", older, "--yes")
    for rows in held(outreach).values():
        for text in rows:
            assert not [word for word in (newer[1:], older[1:], MAIL) if word in text]
    assert outreach.services.outreach.conversations.is_forbidden(newer, company.COMPANY_ID)


def test_what_another_company_keeps_of_a_linked_address_is_not_erased(outreach, neighbour, run):
    """A company that linked a stranger's address by mistake cannot have it erased at another company."""
    both = {"recipient_tel": TEL, "recipient_email": MAIL}
    outreach.start("ours", "sms", recipient_data=both)
    outreach.run()
    register = outreach.services.outreach.conversations
    register.forbid(MAIL, other.COMPANY_ID, "stop")
    run("erase", "--subject", TEL, "--yes")
    assert [entry.address for entry in register.marks_of(MAIL, other.COMPANY_ID)] == [MAIL]


WORDS = "she is in hospital until Easter"


def reasons(outreach):
    return [row["reason"]["S"] for row in outreach.rows("AuditActionsTable") if "reason" in row]


def test_what_persons_wrote_about_someone_is_forgotten_wherever_it_was_said(outreach, run):
    """A reason names no person, so no search of the rows' text finds it: it is bound to its subject."""
    outreach.start("req-1", "sms")
    outreach.run()
    record = outreach.record("sms")
    (event,) = [row["event_id"]["S"] for row in outreach.rows() if "evt:start" in str(row)][:1]
    own = ("--company", company.COMPANY_ID, "--address", TEL, "--reason", WORDS)
    for command in (
        ("do-not-contact", "add", *own),
        ("do-not-contact", "lift", *own),
        ("subject", "link", *own[:4], "--address", MAIL, "--reason", WORDS),
        ("handoff", "take", record.opaque_id, "--by", "jo"),
        ("handoff", "close", record.opaque_id, "--by", "jo", "--reason", WORDS),
        ("replay", event, "--because", WORDS),
        ("company", "key", company.COMPANY_ID, "--because", f"{WORDS}, call +1 (555) 010-0001"),
        ("keys", "rotate", "share", "--yes", "--because", f"{WORDS}, not {MAIL.upper()}"),
        ("do-not-contact", "add", *own[:3], OTHER, "--reason", "not theirs"),
    ):
        said = run(*command)
        assert said.code == 0, (command, said.err)
    assert sum(reason.startswith(WORDS) for reason in reasons(outreach)) == 2 * 7
    done = run("erase", "--subject", TEL, "--yes", "--reason", WORDS, "--json").data
    assert done["remarks"] == 7
    assert "not theirs" in reasons(outreach)
    for name, rows in held(outreach).items():
        assert not [row for row in rows if "hospital" in row], name
    acts = [row for row in outreach.rows("AuditActionsTable") if "actor" in row]
    assert {"replay", "subject link"} <= {act["action_type"]["S"] for act in acts}, "the acts stay"
    assert run("erase", "--subject", TEL, "--yes", "--json").data["found"] == 0


PARTED = "+15550100003"


@pytest.mark.parametrize("erased", [TEL, PARTED])
def test_the_reasons_of_a_link_and_of_its_undoing_go_with_either_side(outreach, run, erased):
    """After the undoing the sides are two persons, and the words are about both."""
    outreach.services.outreach.conversations.forbid(PARTED, company.COMPANY_ID, "stop")
    own, addresses = ("--company", company.COMPANY_ID), ("--address", TEL, "--address", MAIL)
    for command in (
        ("subject", "link", *own, *addresses, "--address", PARTED, "--reason", WORDS),
        ("subject", "unlink", *own, "--address", PARTED, "--reason", WORDS),
        ("do-not-contact", "add", *own, "--address", OTHER, "--reason", "not theirs"),
    ):
        said = run(*command)
        assert said.code == 0, (command, said.err)
    done = run("erase", "--subject", erased, "--yes", "--json", "--canary", "in hospital")
    assert done.code == 0, done.out
    for name, rows in held(outreach).items():
        assert not [row for row in rows if "hospital" in row], name
    assert "not theirs" in reasons(outreach)
    assert outreach.services.outreach.conversations.is_forbidden(PARTED, company.COMPANY_ID)
    kept = {TEL: PARTED, PARTED: TEL}[erased]
    assert kept in str(held(outreach)), "the other side's address"
    assert run("erase", "--subject", erased, "--yes", "--json").data["found"] == 0


def personal(text):
    """The words about the person that a text holds."""
    return [word for word in (TEL[1:], MAIL, "Doe", CANARY) if word.lower() in text.lower()]


def test_an_erasing_ends_with_a_report_that_finds_nothing_and_holds_nothing(written_to, run):
    theirs = opaque_ids(written_to, TEL)
    said = run("erase", "--subject", TEL, "--yes", "--json", "--canary", CANARY)
    assert said.code == 0
    assert not personal(said.out)
    assert not [their for their in theirs if their in said.out]
    report = {place["place"]: place for place in said.data["proof"]}
    for name in TABLES:
        asked = report[written_to.stage.tables[name]]["asked"]
        assert asked == len(written_to.rows(name)), "each item once, in any segment"
    assert all(place["asked"] is not None or place["why_not"] for place in report.values())
    assert sum(place["found"] for place in report.values()) == 0
    stays = [stay for place in report.values() for stay in place["stays"]]
    assert len(stays) == 3
    assert all(stay["until"] and stay["why"] for stay in stays)
    text = run("erase", "--subject", TEL, "--yes").out
    assert "found after erasing 0" in text
    assert not personal(text)


@pytest.mark.parametrize("left", ["page#", "draft#", "pointer", "pair"])
def test_a_row_that_an_erasing_leaves_is_found_and_is_an_error(written_to, run, left, monkeypatch):
    delete = Table.delete

    def leaving(table, key):
        if not str(key.get("conversation_id", "")).startswith(left):
            delete(table, key)

    monkeypatch.setattr(Table, "delete", leaving)
    said = run("erase", "--subject", TEL, "--yes", "--canary", CANARY)
    assert said.code == 1
    assert "found after erasing 0" not in said.out
    assert not personal(said.out)
    unscanned = run("erase", "--subject", TEL, "--yes", "--no-scan")
    assert (unscanned.code, "found after" in unscanned.out) == (0, False)


def test_words_that_the_caller_adds_are_found_wherever_they_are(written_to, run):
    written_to.deliver(written_to.says("My aunt Quixotina is ill", whatsapp=False, from_=OTHER))
    written_to.run()
    said = run("erase", "--subject", TEL, "--yes", "--json", "--canary", "aunt  quixotina")
    assert said.code == 1
    (found,) = [place for place in said.data["proof"] if place["found"]]
    assert {trace["canary"] for trace in found["left"]} == {"word 1"}
    assert "uixotina" not in said.out


def test_a_dry_run_says_what_the_scan_will_cost_and_does_not_scan(written_to, run):
    said = run("erase", "--subject", TEL, "--dry-run")
    assert "USD" in said.out
    assert "found after" not in said.out
