"""Sessions and proofs of persons that are none, altered, over or another's: a few of each kind."""

import pytest

from console.rights import Right, Role
from local import company
from tests.attack.console import ConsoleAttacker, Page, Try
from tests.attack.persons import PersonAttacker
from tests.attack.run import Attacker, Report
from tests.rigs.openapi import Sender

CONSOLE_KINDS = {
    *("no session", "forged session", "session under another cookie", "session as a sign-in"),
    *("sign-in as a session", "session that is over", "revoked session", "another stage's session"),
    *("another host", "page of another role", "form of another session", "form of another site"),
}


@pytest.fixture(scope="module")
def console():
    return ConsoleAttacker()


def test_no_page_of_the_console_is_shown_to_and_no_row_changed_by_who_has_no_session(console):
    report = Report()
    console.attack(report, 25 * len(console.pages()), seed=1)
    assert report.problems == {}, report.table()
    assert {kind for _, kind in report.answers} == CONSOLE_KINDS


def test_the_attack_sees_a_page_that_is_shown(console):
    page = Page("find", "/find", "GET", Right.LOOK)
    assert console.send(page, Try("x", console.tokens[Role.OPERATOR])) == (200, "answered 200")


@pytest.fixture
def persons(app, stage, monkeypatch):
    company.create(stage)
    company.open_desk(stage)
    monkeypatch.setenv("PUBLIC_BASE_URL", company.PUBLIC_URL)
    Attacker(app, Sender(stage))  # each request is judged by itself, without shares
    return PersonAttacker(app, stage)


def test_no_proof_of_a_person_that_does_not_hold_opens_the_desk_or_the_register(persons):
    report = Report()
    persons.attack(report, 1_000, seed=1)
    assert report.problems == {}, report.table()
    kinds = {kind for _, kind in report.answers}
    assert {"expired", "revoked", "foreign", "altered", "unsigned", "no role"} <= kinds
