"""Every tag that a plan can set is known before the first ticket."""

import ast
from pathlib import Path

import pytest

from chalicelib.support.configuration.applied import Rules
from chalicelib.support.configuration.document import parse_document
from chalicelib.support.intents.departments import ROUTES
from chalicelib.support.settable_tags import every_tag

SUPPORT = Path(__file__).parents[3] / "chalicelib" / "support"
PARTS = {
    "mw-",
    "mw-order-lookup-missing:{}",
    "mw-intent-",
    "mw-language-{}",
    "mw-risk-{}",
    "route-",
}
"""Beginnings of tags, and names that are no tag."""


def written_tags():
    """Every text of the code that looks like a tag."""
    for path in sorted(SUPPORT.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            is_text = isinstance(node, ast.Constant) and isinstance(node.value, str)
            if is_text and node.value.startswith(("mw-", "route-", "middleware_")):
                yield node.value


def test_no_tag_of_the_code_is_left_out():
    assert set(written_tags()) - PARTS - every_tag() == set()
    assert {tag for tag in every_tag() if tag.startswith("mw-intent-")} == {
        f"mw-intent-{intent}" for intent in ROUTES
    }
    assert "mw-order-lookup-missing:created_at" in every_tag()
    assert {"mw-language-fr", "mw-risk-human_requested"} <= every_tag()
    assert "mw-order-lookup-missing:shipping_method_bucket" in every_tag()


def test_the_settings_change_the_tags():
    rules = Rules(
        1,
        parse_document(
            {
                "departments": {
                    "route-sales-team": {"tag": "route-vip"},
                    "route-returns-admin": {"tag": "", "assignee": "agent-7"},
                },
            }
        ),
    )
    assert every_tag(rules) - every_tag() == {"route-vip"}
    assert every_tag() - every_tag(rules) == {"route-sales-team", "route-returns-admin"}


@pytest.mark.parametrize(
    "text", ["", "I want a refund", "My lawyer will call", "Where is my order?"]
)
def test_what_the_worker_sets_is_among_them(system, text):
    system.post(system.ticket(text=text))
    system.run()
    assert system.richpanel.tags_of("1042") <= every_tag()
