"""`subject` shows what links two addresses and why, and links and parts them by hand."""

import pytest

from local import company
from tests.rigs.ops_cli import runner
from tests.rigs.outreach import MAIL, TEL

OWN = ("--company", company.COMPANY_ID)


@pytest.fixture
def run(outreach, capsys):
    return runner(capsys)


def members(run, address):
    found = run("subject", "show", *OWN, "--address", address, "--json").data
    return set(found["members"].values())


def test_addresses_are_linked_and_parted_by_hand_and_the_journal_says_so(outreach, run):
    both = ("--address", TEL, "--address", MAIL)
    assert members(run, TEL) == {TEL}
    done = run("subject", "link", *OWN, *both, "--reason", "one form", "--json")
    assert done.data["did"] == "linked"
    assert members(run, MAIL) == {TEL, MAIL}
    again = run("subject", "link", *OWN, *both, "--json")
    assert again.data["did"] == "were linked already"
    assert run("subject", "unlink", *OWN, "--address", TEL, "--reason", "two people").code == 0
    assert members(run, MAIL) == {MAIL}
    acts = run("journal", f"company:{company.COMPANY_ID}", "--json").data
    assert [act["did"] for act in acts] == ["subject link", "subject link", "subject unlink"]
    assert TEL not in str(acts)


def test_a_lift_names_the_other_addresses_whose_marks_block(outreach, run):
    run("subject", "link", *OWN, "--address", TEL, "--address", MAIL)
    run("do-not-contact", "add", *OWN, "--address", MAIL)
    run("do-not-contact", "add", *OWN, "--address", TEL)
    done = run("do-not-contact", "lift", *OWN, "--address", TEL, "--json").data
    assert (done["lifted"], done["still_blocked_by"]) == (["operator"], [MAIL])


@pytest.mark.parametrize(
    "arguments",
    [
        ("link", *OWN, "--address", TEL),
        ("link", *OWN, "--address", TEL, "--address", TEL),
        ("link", *OWN, "--address", TEL, "--address", "canary"),
        ("link", "--company", "ci-none", "--address", TEL, "--address", MAIL),
        ("unlink", *OWN, "--address", TEL),
        ("show", *OWN, "--address", "canary"),
    ],
)
def test_what_cannot_be_done_is_refused_and_changes_nothing(outreach, run, arguments):
    said = run("subject", *arguments)
    assert said.code in (1, 2)
    assert "canary" not in said.err
    assert members(run, TEL) == {TEL}
