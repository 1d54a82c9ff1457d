"""`do-not-contact`: the register as operators see and change it."""

import csv
import io
import json

import pytest

from chalicelib.outreach.channels import Channel
from chalicelib.outreach.conversations.register_entries import TECHNICAL_REASONS, MarkReason
from chalicelib.outreach.conversations.statements import Statement
from local import company
from tests.rigs import neighbour as other
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL

OWN = ("--company", company.COMPANY_ID)


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def entries(run, *more):
    found = run("do-not-contact", "list", *OWN, *more, "--json").data
    return [
        (mark["address"], mark["channels"], mark["reason"], bool(mark["lifted_at"]))
        for mark in found
    ]


def test_an_operators_entry_names_them_and_stops_every_channel(outreach, neighbour, run):
    assert run("do-not-contact", "add", *OWN, "--address", " +1 555 010 0001").code == 0
    (found,) = run("do-not-contact", "list", *OWN, "--json").data
    assert (found["address"], found["reason"]) == (TEL, "operator")
    assert found["by"]
    assert found["since"]
    for channel in ("sms", "whatsapp"):
        outreach.start(channel, channel)
        outreach.run()
        assert outreach.fate(channel).json_body["reason"] == "do_not_contact"
    assert outreach.twilio.sent_to(TEL) == []
    assert not outreach.services.outreach.conversations.is_forbidden(TEL, other.COMPANY_ID)


def test_an_entry_is_lifted_by_an_operator_and_stays_in_the_list(outreach, run):
    run("do-not-contact", "add", *OWN, "--address", TEL)
    outreach.deliver(outreach.says("START", whatsapp=False))
    outreach.run()
    assert entries(run) == [(TEL, "", "operator", False)]
    assert run("do-not-contact", "lift", *OWN, "--address", TEL).code == 0
    assert entries(run) == [(TEL, "", "operator", True)]
    outreach.start("again", "sms")
    outreach.run()
    assert outreach.fate("again").json_body["state"] == "sent"
    assert run("do-not-contact", "lift", *OWN, "--address", TEL).code == 1


def test_the_list_holds_every_reason_of_one_company(outreach, run):
    register = outreach.services.outreach.conversations
    register.forbid(TEL, company.COMPANY_ID, "stop")
    register.forbid(TEL, company.COMPANY_ID, "landline", channel=Channel.SMS)
    register.forbid(MAIL, company.COMPANY_ID, "complained")
    register.forbid(MAIL, other.COMPANY_ID, "stop")
    expected = [(MAIL, "", "complained"), (TEL, "", "stop"), (TEL, "sms", "landline")]
    assert sorted(entry[:3] for entry in entries(run)) == sorted(expected)
    assert sorted(entry[2] for entry in entries(run, "--address", TEL)) == ["landline", "stop"]


@pytest.mark.parametrize("form", ["lines", "csv"])
def test_a_list_is_imported_once_and_what_is_exported_can_be_imported(
    outreach, run, tmp_path, form
):
    file = tmp_path / "list.csv"
    lines = [TEL, "", MAIL.upper()]
    if form == "csv":
        lines = ["name,address", f"Jo,{TEL}", f'"Doe, Jo",{MAIL}']
    file.write_text("\n".join(lines) + "\n")
    for _ in range(2):
        assert run("do-not-contact", "import", *OWN, str(file), "--json").data["entered"] == 2
    assert sorted(entry[:3] for entry in entries(run)) == [
        (TEL, "", "imported"),
        (MAIL, "", "imported"),
    ]
    said = run("do-not-contact", "export", *OWN)
    assert {row["address"] for row in csv.DictReader(io.StringIO(said.out))} == {TEL, MAIL}
    file.write_text(said.out)
    assert run("do-not-contact", "import", *OWN, str(file), "--json").data["entered"] == 2


def test_an_export_restores_an_emptied_register_as_it_was(outreach, run, tmp_path):
    """Every reason, lifted or in force, linked, and of a person of whom only the keyed id is known."""
    register, file = outreach.services.outreach.conversations, tmp_path / "register.csv"
    outreach.start("both", "sms", recipient_data={"recipient_tel": TEL, "recipient_email": MAIL})
    outreach.run()
    for n, reason in enumerate(MarkReason):
        channel = Channel.SMS if reason in TECHNICAL_REASONS else None
        to = (TEL, MAIL, f"+155501001{n:02}")[min(n, 2)]
        register.forbid(to, company.COMPANY_ID, reason, channel=channel, purposes=["marketing"])
    register.doubt("+15550100300", company.COMPANY_ID, said_at="2026-11-20T09:00:00.000Z")
    register.suspend("x@example.com", company.COMPANY_ID, said_at="2026-11-20T09:00:00.000Z")
    member = register.place("gone@example.com", company.COMPANY_ID).member
    how = Statement(door="link")
    register.forbid_member(member, company.COMPANY_ID, MarkReason.UNSUBSCRIBED, how=how)
    run("do-not-contact", "lift", *OWN, "--address", TEL, "--yes")
    run("do-not-contact", "export", *OWN, "--to", str(file))
    before = file.read_text()
    for item in register._table.scan_page(limit=1000)[0]:
        if item["primary_channel"].startswith("subject:"):
            register._table.delete({k: item[k] for k in ("primary_channel", "conversation_id")})
    assert entries(run) == []
    assert run("do-not-contact", "import", *OWN, str(file)).code == 0
    after = tmp_path / "again.csv"
    run("do-not-contact", "export", *OWN, "--to", str(after))
    assert sorted(after.read_text().splitlines()) == sorted(before.splitlines())
    assert register.is_forbidden("gone@example.com", company.COMPANY_ID)


@pytest.mark.parametrize("line", ["12", "not an address", "jo@", ""])
def test_a_list_with_a_line_that_is_no_address_is_refused_as_a_whole(outreach, run, tmp_path, line):
    file = tmp_path / "list.csv"
    file.write_text(f"name,address\nJo,{TEL}\nAna,{line}\n")
    said = run("do-not-contact", "import", *OWN, str(file))
    assert said.code == 1
    assert "entry 2" in said.err
    assert TEL not in said.err
    assert entries(run) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("do-not-contact", "add", *OWN, "--address", "canary"),
        ("do-not-contact", "add", "--company", "ci-none", "--address", TEL),
        ("do-not-contact", "import", *OWN, "no-such-file.csv"),
        ("do-not-contact", "list", *OWN, "--address", "12"),
        ("person", "export", "--subject", "a"),
        ("person", "export", "--subject", company.SMS_NUMBER),
    ],
)
def test_what_cannot_be_done_is_refused(outreach, run, arguments):
    said = run(*arguments)
    assert said.code in (1, 2)
    assert "canary" not in said.err
    assert entries(run) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("add", *OWN, "--address", TEL),
        ("lift", *OWN, "--address", TEL),
        ("import", *OWN, "list.csv"),
    ],
)
def test_prod_is_changed_only_with_yes(outreach, run, arguments):
    assert run("do-not-contact", *arguments, "--stage", "prod").code == 2


def test_the_journal_keeps_who_entered_and_lifted_what_the_register_forgets(
    outreach, neighbour, run, tmp_path
):
    """Entered, lifted and entered again: the register shows the last, the journal all three."""
    file = tmp_path / "list.csv"
    file.write_text(f"{TEL}\n{MAIL}\n")
    run("do-not-contact", "add", *OWN, "--address", TEL, "--reason", "a call")
    run("do-not-contact", "lift", *OWN, "--address", TEL, "--reason", "a mistake")
    run("do-not-contact", "add", *OWN, "--address", TEL)
    run("do-not-contact", "import", *OWN, str(file))
    acts = run("journal", f"company:{company.COMPANY_ID}", "--json").data
    assert [(act["did"], act["reason"]) for act in acts] == [
        ("do-not-contact add", "a call"),
        ("do-not-contact lift", "a mistake"),
        ("do-not-contact add", None),
        ("do-not-contact import", None),
    ]
    saw = [json.loads(act["saw"]) for act in acts]
    assert [found.get("in_force") for found in saw] == [[], ["operator"], [], None]
    assert saw[3]["addresses"] == 2
    assert len({found["hashed"] for found in saw[:3]}) == 1, "one address, recognised without it"
    for act in acts:
        assert act["by"]
        assert TEL not in str(act)
        assert MAIL not in str(act)
    assert run("journal", f"company:{other.COMPANY_ID}", "--json").data == []


def test_a_refused_act_on_the_register_is_not_entered(outreach, run):
    assert run("do-not-contact", "lift", *OWN, "--address", TEL).code == 1
    assert run("do-not-contact", "add", "--company", "none", "--address", TEL).code == 1
    assert run("do-not-contact", "add", *OWN, "--address", "12").code == 2
    assert run("journal", "--json").data == []
