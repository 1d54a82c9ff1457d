"""The words of the journal about somebody: found by key, and forgotten without the act."""

import pytest

from chalicelib.once.journal import Act
from chalicelib.once.remarks import Remarks
from tests.rigs.ops_session import session

MEMBER, STORY = "5f3a0000", "company:ci-1"


@pytest.fixture
def stage():
    return session()


@pytest.fixture
def remarks(stage):
    return Remarks(table=stage.audit_table, clock=stage.services.clock)


def enter(stage, reason, **more):
    stage.services.journal.enter(Act("subject link", STORY, "jo", reason=reason, **more))


def entries(stage):
    return [entry for entry in stage.audit_table.scan_page(limit=100)[0] if "actor" in entry]


@pytest.mark.parametrize("about", [MEMBER, STORY])
def test_words_are_found_by_their_story_and_by_whom_the_act_names_and_redacted(
    stage, remarks, about
):
    enter(stage, "In hospital, call jo@example.com", about=[MEMBER])
    (found,) = remarks.about([about, about])
    assert (found.story, found.by, found.said) == (STORY, "jo", "In hospital, call ***@***")
    assert "hospital" not in repr(found)
    assert remarks.about(["5f3a0001"]) == []


def test_what_is_forgotten_leaves_who_did_what_in_story_and_day(stage, remarks):
    enter(stage, "in hospital", about=[MEMBER])
    enter(stage, "another's")
    for remark in remarks.about([MEMBER]):
        remarks.forget(remark)
    assert remarks.about([MEMBER]) == []
    assert sorted(entry["reason"] for entry in entries(stage)) == ["", "", "another's", "another's"]
    assert {entry["actor"] for entry in entries(stage)} == {"jo"}


def test_words_of_an_entry_that_has_ended_are_forgotten_without_an_error(stage, remarks):
    enter(stage, "in hospital", about=[MEMBER])
    (found,) = remarks.about([MEMBER])
    for entry in entries(stage):
        stage.audit_table.delete(
            {name: entry[name] for name in ("conversation_id", "ts_action_id")}
        )
    remarks.forget(found)
    assert entries(stage) == []
    assert remarks.about([MEMBER]) == []
