"""What each role may do, page by page, and the tests that `docs/console-rights.md` names for it."""

import re
from pathlib import Path

import pytest

from chalicelib.outreach.desk.inbox import InboxPage, NoConversationError
from chalicelib.outreach.desk.inbox_order import BoundedCount
from console import rights
from console.rights import Person, Right, Role
from tests.rigs import console as rig
from tests.rigs.console import Console

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "console-rights.md").read_text()
ACTS = {
    "companies.try_writer",
    "companies.writer",
    "incidents.own",
    "incidents.repair",
    "letters.redrive",
    "shadow.label",
    "shadow.one",
    "shared.share",
    "story.again",
    "unknown.ask",
    "unknown.decide",
}
"""An operator's pages, of which those that read show nothing of a customer."""
CONVERSATIONS = {
    "conversation.again",
    "conversation.compare",
    "conversation.do",
    "conversation.insert",
    "conversation.show",
    "conversation.version",
    "conversation_find.show",
    "conversation_find.find",
    "find.show_texts",
    "story.say_wrong",
    "inbox.show",
    "bulk.do",
    "undoing.do",
    *("team.show", "team.away", "team.back"),
    *(f"inbox_views.{act}" for act in ("show", "follow", "keep", "remove")),
}
COMPANIES_OWN = {
    "company.show",
    *(
        f"company_endpoint.{act}"
        for act in (
            *("show", "put", "event", "resend", "try_it"),
            *("rotate", "end_older", "pause", "resume"),
        )
    ),
    *(f"company_keys.{act}" for act in ("show", "make", "revoke")),
    *(f"company_register.{act}" for act in ("show", "download", "judge", "take")),
    *("company_sending.show", "company_sending.ask", "company_usage.show", "figures.show"),
}
"""For a company's leads and developers."""
GUIDES = {f"saved_replies.{act}" for act in ("show", "add", "change", "remove")}
"""What agents work with, for a company's leads and operators to change."""
OPEN = {"shared.show", "sign_in.sign_out"}
MAY = {
    Role.VIEWER: {Right.LOOK},
    Role.OPERATOR: {Right.LOOK, Right.ACT, Right.GUIDE},
    Role.AGENT: {Right.CONVERSE},
    Role.LEAD: {Right.CONVERSE, Right.BUILD, Right.GUIDE},
    Role.DEVELOPER: {Right.BUILD},
}
OURS = frozenset({"ci-aaa-001"})


def right_of(endpoint):
    groups = (
        (ACTS, Right.ACT),
        (CONVERSATIONS, Right.CONVERSE),
        (COMPANIES_OWN, Right.BUILD),
        (GUIDES, Right.GUIDE),
        (OPEN, Right.ANYONE),
    )
    return next((right for group, right in groups if endpoint in group), Right.LOOK)


@pytest.mark.parametrize("role", list(Role))
def test_what_each_role_may_do_is_what_the_page_says(console: Console, role, monkeypatch):
    companies = OURS if Right.CONVERSE in MAY[role] else frozenset()
    built = OURS if Right.BUILD in MAY[role] else frozenset()
    person = Person(f"{role}@example.com", frozenset({role}), companies, built=built)
    monkeypatch.setattr(rig, "PEOPLE", {**rig.PEOPLE, "one": person})
    monkeypatch.setattr(console.services.outreach, "inbox", Nothing(), raising=False)
    monkeypatch.setattr(console.services.outreach, "team", Nothing(), raising=False)
    browser = console.browser("one")
    for rule in console.app.url_map.iter_rules():
        if rule.endpoint in ("static", "health.checks"):
            continue
        right = right_of(rule.endpoint)
        assert rights.needed_by(console.app.view_functions[rule.endpoint]) is right, rule
        path = (
            rule.rule.replace("<opaque_id>", "0" * 32)
            .replace("<act>", "take")
            .replace("<_act>", "take")
        )
        ask = browser.post if "POST" in rule.methods else browser.get
        status = ask(path).status_code
        is_home = path == "/" and not MAY[role].isdisjoint({Right.CONVERSE, Right.BUILD})
        is_open = right is Right.ANYONE or right in MAY[role]
        assert (status != 403) == (is_open or is_home), (rule, status)


class Nothing:
    """An inbox without a conversation."""

    def list(self, **_):
        return InboxPage([])

    def team_of(self, _company_id):
        return ()

    def unanswered(self, **_):
        return BoundedCount(0)

    def conversation(self, _opaque_id):
        raise NoConversationError("CONVERSATION_NOT_FOUND", "none")


def test_every_test_that_the_page_names_exists():
    named = set(re.findall(r"`(test_\w+)`", TEXT))
    there = {
        name
        for path in (ROOT / "tests").rglob("test_*.py")
        for name in re.findall(r"^ *def (test_\w+)", path.read_text(), re.MULTILINE)
    }
    assert len(named) > 20
    assert named <= there


def test_every_role_has_a_row_that_names_a_test():
    rows = dict(
        re.findall(r"^\| (\w+)(?: of a company)? \| .* \| (`test_.*) \|$", TEXT, re.MULTILINE)
    )
    assert {str(role) for role in Role} <= rows.keys()
