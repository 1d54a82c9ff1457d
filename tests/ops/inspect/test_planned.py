"""The planned actions of an event are those that its worker performs, also of an answered ticket."""

import pytest

from chalicelib.once.plan import Plan
from ops.inspect import planned
from ops.session import Session
from tests.rigs.ops_cli import runner


@pytest.fixture
def app_environment(replies_environment):
    return replies_environment


def test_the_reply_of_a_plan_is_one_of_its_actions(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    row = replies_rig.event()
    found = planned.actions(Session("dev"), row)
    assert len(found) == len(list(Plan.decode(row["plan"]).actions))
    assert all(replies_rig.row(action.key)["status"] == "done" for action in found)


@pytest.mark.parametrize("action", ["act:rp_reply:1042:c-1", "act:rp_tag:1042:mw-reply-sent:c-1"])
def test_a_resend_finds_what_an_answer_has_done(replies_rig, tracked_question, capsys, action):
    replies_rig.run(replies_rig.ticket(tracked_question))
    said = runner(capsys)("resend", action, "--dry-run", "--json")
    assert [effect["would"] for effect in said.data["effects"]] == ["goes"]


def test_a_plan_of_a_newer_release_is_told_from_none(replies_rig, tracked_question):
    replies_rig.run(replies_rig.ticket(tracked_question))
    row = dict(replies_rig.event())
    assert planned.steps(Session("dev"), row | {"plan": "z9:of-a-newer-release"}) is None
    del row["plan"]
    assert planned.steps(Session("dev"), row) == []
