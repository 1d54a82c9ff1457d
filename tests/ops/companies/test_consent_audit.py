"""`consent audit` and `may-i-send`: what allowed each message, and what would allow the next one."""

import json

import pytest

from local import company
from tests.rigs.ops_cli import runner

FLORIDA = "+13055550100"
ASK = ("may-i-send", company.COMPANY_ID, company.PROJECT_ID)


@pytest.fixture
def run(outreach, capsys):
    """A project whose messages concern orders, so that they have no hours."""
    outreach.set_project(jurisdictions={"enforced": True}, message_kind="transactional")
    outreach.new_container()
    return runner(capsys)


def audited(run, *more):
    said = run("consent", "audit", "--company", company.COMPANY_ID, *more, "--json")
    assert said.code == 0, said
    assert FLORIDA not in said.out
    assert "Hello" not in said.out
    return [json.loads(line) for line in said.out.splitlines()]


def test_an_audit_has_a_line_for_each_message_that_was_sent(outreach, run):
    for number, to in enumerate((FLORIDA, "+13055550101")):
        outreach.start(f"req-{number}", "sms", to)
    outreach.start("by-mail", "email")
    outreach.run()
    outreach.deliver(outreach.says("Tell me more", whatsapp=False, from_=FLORIDA))
    outreach.run()
    lines = audited(run)
    kinds = sorted((line["channel"], line["kind"]) for line in lines)
    assert kinds == [
        *(("email", "opening"), ("sms", "answer"), ("sms", "opening"), ("sms", "opening")),
    ]
    ruled = [line for line in lines if line["kind"] == "opening" and line["channel"] == "sms"]
    assert {tuple(line["rules"]) for line in ruled} == {
        ("us-federal@2026-11", "us-fl@2026-11", "worldwide@2026-11")
    }
    assert {(line["region"], line["purpose"]) for line in ruled} == {("us-fl", "transactional")}
    assert [line["rules"] for line in lines if line["kind"] == "answer"] == [[]]


def test_an_audit_begins_at_its_time(outreach, run):
    outreach.start("req-0", "sms", FLORIDA)
    outreach.run()
    assert audited(run, "--since", "2999-01-01T00:00:00Z") == []
    assert len(audited(run, "--since", "1h")) == 1


def test_it_says_what_may_be_sent_and_stores_nothing(outreach, run):
    before = [outreach.rows(table) for table in outreach.stage.tables]
    night = ("--purpose", "marketing", "--at", "2026-11-27T22:00:00-05:00")
    said = run(*ASK, FLORIDA, "--channel", "sms", *night, "--json")
    assert (said.code, said.data) == (
        0,
        {
            "allowed": False,
            "why": ["calling_hours"],
            "rules": ["us-federal:calling-hours", "us-fl:calling-hours"],
            "next_at": "2026-11-28T13:00:00.000Z",
        },
    )
    assert "calling_hours" in run(*ASK, FLORIDA, "--channel", "sms", *night).out
    assert run(*ASK, FLORIDA, "--channel", "sms", "--json").data["allowed"]
    assert [outreach.rows(table) for table in outreach.stage.tables] == before


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ((*ASK, "tulip", "--channel", "sms"), 2),
        ((*ASK, FLORIDA, "--channel", "email"), 2),
        ((*ASK, FLORIDA, "--channel", "sms", "--at", "2026-11-27T22:00:00"), 2),
        ((*ASK[:2], "tulip", FLORIDA, "--channel", "sms"), 1),
    ],
)
def test_a_wrong_question_is_named_and_not_shown(run, words, code):
    said = run(*words)
    assert said.code == code
    assert "tulip" not in said.out + said.err
